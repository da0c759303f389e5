//! A service of the multiplexer with all that belongs to it alone.
//!
//! ```text
//!     packet -> [ queue of its class ] -> service -> frame with its number
//!                                            \-> packet           octets of both are counted
//! ```

use super::queue::ClassQueue;
use super::short_headers::ShortHeaders;
use crate::metrics::{EndMetrics, Totals};
use alloc::boxed::Box;
use arqway_contract::{Counters, Frame, Full, LinkService, LinkState, Packet, ServiceId, Start};
use arqway_units::{BitRate, Octets, Span, Time};

/// A service, and the queue in front of it.
#[derive(Debug)]
pub(super) struct Lane<S> {
    id: ServiceId,
    pub(super) service: S,
    /// Where packets wait until the service wants them.
    pub(super) queue: Option<ClassQueue>,
    /// Where headers of UDP are shortened.
    headers: Option<Box<ShortHeaders>>,
    /// Whether its receiver knows what is lost.
    knows_losses: bool,
    /// What its frames that started had, tags and heads included.
    link_octets: u64,
    /// What the packets had that came out of it.
    delivered_octets: u64,
}

impl<S: LinkService> Lane<S> {
    /// Nothing waits, and nothing was sent.
    pub(super) fn new(id: ServiceId, service: S, queue: Option<ClassQueue>, knows_losses: bool) -> Self {
        Self { id, service, queue, headers: None, knows_losses, link_octets: 0, delivered_octets: 0 }
    }

    /// The same with headers of UDP shortened.
    pub(super) fn with_short_headers(self, are_shortened: bool) -> Self {
        Self { headers: are_shortened.then(Box::default), ..self }
    }

    /// Takes a packet of its class.
    pub(super) fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let service = self.id;
        match &mut self.queue {
            // What has no octets the service counts, and nobody carries.
            Some(queue) if !packet.octets.is_empty() => {
                queue.push(packet, now).map_err(|packet| Full { packet, service })
            }
            _ => self.give(packet, now).map_err(|packet| Full { packet, service }),
        }
    }

    /// Gives the service a packet, its headers shortened where that is set.
    ///
    /// # Errors
    /// The packet as it was.
    fn give(&mut self, packet: Packet, now: Time) -> Result<(), Packet> {
        let Some(headers) = &mut self.headers else {
            return self.service.handle_packet(packet, now).map_err(|full| full.packet);
        };
        let short = headers.shorten(&packet, now);
        self.service.handle_packet(short, now).map_err(|_| packet)
    }

    /// Takes what has come out of the service, and gives it what is to be confirmed.
    fn restore(&mut self, now: Time, room: Octets) {
        let Some(headers) = &mut self.headers else { return };
        while let Some(packet) = self.service.poll_packet() {
            headers.restore(packet);
        }
        while self.service.wants_packet(room)
            && let Some(confirmation) = headers.confirmation()
        {
            if let Err(Full { packet, .. }) = self.service.handle_packet(confirmation, now) {
                headers.take_back(&packet);
                return;
            }
        }
    }

    /// Gives the service packets that wait, as many as its next frame takes.
    #[inline]
    pub(super) fn feed(&mut self, now: Time, room: Octets) {
        self.restore(now, room);
        while self.service.wants_packet(room)
            && let Some(packet) = self.queue.as_mut().and_then(|queue| queue.pop(now))
        {
            if let Err(packet) = self.give(packet, now) {
                self.queue.iter_mut().for_each(|queue| queue.put_back(packet.clone()));
                return;
            }
        }
    }

    /// The service's next frame, with its number.
    #[inline]
    pub(super) fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        let mut frame = self.service.poll_frame(now, room)?;
        frame.tag = frame.tag.with_service(self.id);
        Some(frame)
    }

    /// A frame of its service goes out.
    pub(super) fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        let start = self.service.start_frame(frame, now);
        if start == Start::Send {
            self.link_octets += frame.size().as_u64();
        }
        start
    }

    /// A packet that has come across.
    pub(super) fn poll_packet(&mut self) -> Option<Packet> {
        let packet = match &mut self.headers {
            None => self.service.poll_packet()?,
            Some(headers) => loop {
                if let Some(packet) = headers.poll_packet() {
                    break packet;
                }
                headers.restore(self.service.poll_packet()?);
            },
        };
        self.delivered_octets += packet.octets.len() as u64;
        Some(packet)
    }

    /// The link is down, or up.
    pub(super) fn handle_link(&mut self, state: LinkState, now: Time) {
        self.service.handle_link(state, now);
        if let (LinkState::Up, Some(queue)) = (state, &mut self.queue) {
            queue.link_is_back(now);
        }
    }

    /// The link has this rate, and a round trip takes so long.
    pub(super) fn handle_capacity(&mut self, rate: BitRate, round_trip: Span) {
        if let Some(queue) = &mut self.queue {
            queue.set_capacity(rate, round_trip);
        }
    }

    /// Lets the queue learn how long recovery takes, from what was sent since then.
    pub(super) fn learn_recovery(&mut self, then: &Totals) {
        if let (Some((frame, loss)), Some(queue)) = (self.totals().frames_since(then), &mut self.queue) {
            queue.set_recovery(frame, loss);
        }
    }

    /// What service and queue have counted.
    pub(super) fn counters(&self) -> Counters {
        let queued = self.queue.as_ref().map(ClassQueue::counters).unwrap_or_default();
        let of_service = self.service.counters();
        self.headers.as_ref().map_or(of_service, |headers| headers.corrected(of_service)) + queued
    }

    /// What it has done since it was made.
    pub(super) fn totals(&self) -> Totals {
        let Self { link_octets, delivered_octets, .. } = *self;
        Totals { counters: self.service.counters(), link_octets, delivered_octets }
    }

    /// What it has done since then.
    pub(super) fn metrics_since(&self, then: &Totals) -> EndMetrics {
        self.totals().since(then, self.knows_losses)
    }
}
