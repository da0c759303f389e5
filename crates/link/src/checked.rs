//! A service wrapped in assertions of its contract. Tests and the simulator run services inside it; the assertions are
//! debug assertions, so a release build pays nothing.
//!
//! It panics, with what was broken and when, on a clock that runs backwards, a timer that stays due after it fired, a
//! drained service that has something new though nothing was told to it, and anything done while the link is down.

use crate::counters::Counters;
use crate::frame::{Frame, Packet, Tag, Ticket};
use crate::service::{Departure, Full, LinkService, LinkState, Start};
use arqway_units::Time;

/// Asserts the contract of the service inside.
#[derive(Debug)]
pub struct Checked<S> {
    service: S,
    now: Time,
    frames_drained: bool,
    packets_drained: bool,
    down: bool,
}

impl<S: LinkService> Checked<S> {
    /// Watches over `service` from now on.
    pub fn new(service: S) -> Self {
        Self { service, now: Time::ZERO, frames_drained: false, packets_drained: false, down: false }
    }

    /// The service inside, to read its counters.
    pub fn inner(&self) -> &S {
        &self.service
    }

    fn advance(&mut self, now: Time) {
        debug_assert!(now >= self.now, "the clock ran backwards: {now:?} after {:?}", self.now);
        self.now = now;
    }

    fn told(&mut self, now: Time) {
        self.advance(now);
        self.frames_drained = false;
        self.packets_drained = false;
    }
}

impl<S: LinkService> LinkService for Checked<S> {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        self.told(now);
        let given = cfg!(debug_assertions).then(|| packet.octets.clone());
        let taken = self.service.handle_packet(packet, now);
        if let Err(Full { packet: back, .. }) = &taken {
            debug_assert_eq!(
                Some(&back.octets),
                given.as_ref(),
                "a full service must hand back the packet it was given"
            );
        }
        taken
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        self.told(now);
        self.service.handle_frame(frame, now);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.told(now);
        self.service.handle_timeout(now);
        if let Some(deadline) = self.service.poll_timeout() {
            debug_assert!(deadline > now, "a timer that fired at {now:?} is still due at {deadline:?}");
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.told(now);
        self.down = state == LinkState::Down;
        self.service.handle_link(state, now);
    }

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        self.advance(now);
        let frame = self.service.poll_frame(now);
        debug_assert!(!(self.frames_drained && frame.is_some()), "a drained service had a new frame: {frame:?}");
        debug_assert!(!(self.down && frame.is_some()), "a frame was handed over while the link was down: {frame:?}");
        self.frames_drained = frame.is_none();
        frame
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        self.advance(now);
        // A withdrawn copy or a written acknowledgement may make room for another frame.
        self.frames_drained = false;
        let size = frame.size();
        let start = self.service.start_frame(frame, now);
        debug_assert_eq!(frame.size(), size, "a frame in the queue must keep its size: the scheduler has counted it");
        start
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        self.told(now);
        self.service.handle_departure(tag, ticket, departure, now);
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        let packet = self.service.poll_packet();
        debug_assert!(!(self.packets_drained && packet.is_some()), "a drained service had a new packet: {packet:?}");
        self.packets_drained = packet.is_none();
        packet
    }

    fn poll_timeout(&self) -> Option<Time> {
        let deadline = self.service.poll_timeout();
        debug_assert!(!(self.down && deadline.is_some()), "a timer runs while the link is down: {deadline:?}");
        deadline
    }

    fn counters(&self) -> Counters {
        self.service.counters()
    }
}
