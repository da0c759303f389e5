//! A service wrapped in assertions of its contract. Tests and the simulator run services inside it; the assertions are
//! debug assertions, so a release build pays nothing.
//!
//! It panics, with what was broken and when, on a clock that runs backwards, a timer that stays due after it fired, a
//! drained service that has something new though nothing was told to it, a frame that does not fit, and anything done while the link is down.
//!
//! Whoever writes a service in another language is not to be met with panics: a [`Checked::keeping`] keeps the first
//! [`Violation`] for its owner to tell, in any build.

use crate::{
    Counters, Departure, Frame, Full, LineId, LineState, LinkService, LinkState, Packet, Start, Tag, Ticket, Turn,
};
use alloc::string::String;
use arqway_units::{BitRate, Octets, Span, Time};
use core::cell::RefCell;
use core::fmt;

/// Asserts the contract of the service inside; or keeps what is broken, where `KEEPS` says so.
#[derive(Debug)]
pub struct Checked<S, const KEEPS: bool = false> {
    service: S,
    now: Time,
    /// The largest room for which there was no frame, since it was told something.
    drained: Option<Octets>,
    packets_drained: bool,
    down: bool,
    broken: RefCell<Option<Violation>>,
}

/// A rule of the contract that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub rule: ContractRule,
    /// How, and when.
    pub told: String,
}

/// The rules of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractRule {
    /// The owner's: `now` never decreases.
    ClockRunsBackwards,
    /// A full service hands back the packet that it was given.
    PacketChanged,
    /// After `handle_timeout` the next deadline lies ahead.
    TimerStillDue,
    /// Once drained, a service has no frame before it is told something.
    FrameAfterDrained,
    /// Once drained, a service has no packet before it is told something.
    PacketAfterDrained,
    /// A frame in the queue keeps its size.
    FrameChangedSize,
    /// A frame takes no more of the link than the room that it was asked for.
    FrameTooLarge,
    /// While the link is down no frame is handed over.
    FrameWhileDown,
    /// While the link is down no deadline is set.
    TimerWhileDown,
}

impl ContractRule {
    /// Its name: `timer-still-due`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClockRunsBackwards => "clock-runs-backwards",
            Self::PacketChanged => "packet-changed",
            Self::TimerStillDue => "timer-still-due",
            Self::FrameAfterDrained => "frame-after-drained",
            Self::PacketAfterDrained => "packet-after-drained",
            Self::FrameChangedSize => "frame-changed-size",
            Self::FrameTooLarge => "frame-too-large",
            Self::FrameWhileDown => "frame-while-down",
            Self::TimerWhileDown => "timer-while-down",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.rule.name(), self.told)
    }
}

impl<S: LinkService> Checked<S> {
    /// Watches over `service` from now on.
    pub fn new(service: S) -> Self {
        Self::around(service)
    }
}

impl<S: LinkService> Checked<S, true> {
    /// Watches over `service` from now on, in any build, and panics at nothing.
    pub fn keeping(service: S) -> Self {
        Self::around(service)
    }

    /// The first rule that was broken since this was asked last.
    pub fn take_violation(&mut self) -> Option<Violation> {
        self.broken.get_mut().take()
    }
}

impl<S: LinkService, const KEEPS: bool> Checked<S, KEEPS> {
    /// Whether anything is looked at: known when it is compiled.
    const LOOKS: bool = KEEPS || cfg!(debug_assertions);

    fn around(service: S) -> Self {
        let (drained, packets_drained, down) = (None, false, false);
        Self { service, now: Time::ZERO, drained, packets_drained, down, broken: RefCell::new(None) }
    }

    /// The service inside, to read its counters.
    pub fn inner(&self) -> &S {
        &self.service
    }

    /// The service inside, for what is not in the contract, such as a bearer's events.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.service
    }

    #[track_caller]
    fn holds(&self, rule: ContractRule, holds: bool, told: impl FnOnce() -> String) {
        if Self::LOOKS && !holds {
            assert!(KEEPS, "{}", told());
            self.broken.borrow_mut().get_or_insert_with(|| Violation { rule, told: told() });
        }
    }

    fn advance(&mut self, now: Time) {
        let before = self.now;
        self.holds(ContractRule::ClockRunsBackwards, now >= before, || {
            alloc::format!("the clock ran backwards: {} s after {} s", now.as_seconds(), before.as_seconds())
        });
        self.now = now;
    }

    fn told(&mut self, now: Time) {
        if Self::LOOKS {
            self.advance(now);
            self.drained = None;
            self.packets_drained = false;
        }
    }
}

impl<S: LinkService, const KEEPS: bool> LinkService for Checked<S, KEEPS> {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        self.told(now);
        let given = Self::LOOKS.then(|| packet.octets.clone());
        let taken = self.service.handle_packet(packet, now);
        if let Err(Full { packet: back, .. }) = &taken {
            self.holds(ContractRule::PacketChanged, given.as_ref() == Some(&back.octets), || {
                alloc::format!("a full service must hand back the packet it was given: {given:?} became {back:?}")
            });
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
        if Self::LOOKS
            && let Some(deadline) = self.service.poll_timeout()
        {
            self.holds(ContractRule::TimerStillDue, deadline > now, || {
                let [fired, due] = [now, deadline].map(Time::as_seconds);
                alloc::format!("a timer that fired at {fired} s is still due at {due} s")
            });
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.told(now);
        self.down = state == LinkState::Down;
        self.service.handle_link(state, now);
    }

    fn handle_capacity(&mut self, rate: BitRate, round_trip: Span) {
        self.service.handle_capacity(rate, round_trip);
    }

    fn handle_restart(&mut self) {
        self.packets_drained = false;
        self.service.handle_restart();
    }

    fn handle_room(&mut self, whole: Octets) {
        self.drained = None;
        self.service.handle_room(whole);
    }

    fn handle_turn(&mut self, turn: Turn) {
        // What has no frame for one line may have one for another.
        self.drained = None;
        self.service.handle_turn(turn);
    }

    fn handle_line(&mut self, line: LineId, state: LineState, now: Time) {
        self.told(now);
        self.service.handle_line(line, state, now);
    }

    fn spans_lines(&self) -> bool {
        self.service.spans_lines()
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        // What is looked at is moved once more: a frame has many octets, and most polls bring none.
        if !Self::LOOKS {
            return self.service.poll_frame(now, room);
        }
        self.advance(now);
        // A packet that waited may go into it, and whoever sent that may be answered.
        self.packets_drained = false;
        let frame = self.service.poll_frame(now, room);
        let was_drained = self.drained.is_some_and(|drained| room <= drained);
        self.holds(ContractRule::FrameAfterDrained, !(was_drained && frame.is_some()), || {
            alloc::format!("a drained service had a new frame: {frame:?}")
        });
        let size = frame.as_ref().map_or(Octets::ZERO, Frame::size);
        self.holds(ContractRule::FrameTooLarge, size <= room, || {
            alloc::format!("a frame of {size} was handed over in a room of {room}")
        });
        self.holds(ContractRule::FrameWhileDown, !(self.down && frame.is_some()), || {
            alloc::format!("a frame was handed over while the link was down: {frame:?}")
        });
        // A frame that went may have left room for a smaller one than there was before.
        self.drained = if frame.is_none() { self.drained.max(Some(room)) } else { None };
        frame
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        if !Self::LOOKS {
            return self.service.start_frame(frame, now);
        }
        self.advance(now);
        // A withdrawn copy or a written acknowledgement may make room for another frame.
        self.drained = None;
        let size = frame.size();
        let start = self.service.start_frame(frame, now);
        let after = frame.size();
        self.holds(ContractRule::FrameChangedSize, after == size, || {
            alloc::format!(
                "a frame in the queue must keep its size, which the scheduler has counted: {size} became {after}"
            )
        });
        start
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        self.told(now);
        self.service.handle_departure(tag, ticket, departure, now);
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        if !Self::LOOKS {
            return self.service.poll_packet();
        }
        let packet = self.service.poll_packet();
        self.holds(ContractRule::PacketAfterDrained, !(self.packets_drained && packet.is_some()), || {
            alloc::format!("a drained service had a new packet: {packet:?}")
        });
        self.packets_drained = packet.is_none();
        packet
    }

    fn poll_timeout(&self) -> Option<Time> {
        let deadline = self.service.poll_timeout();
        self.holds(ContractRule::TimerWhileDown, !(self.down && deadline.is_some()), || {
            alloc::format!("a timer runs while the link is down, until {:?} s", deadline.map(Time::as_seconds))
        });
        deadline
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.service.wants_packet(room)
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        self.service.largest_packet(room)
    }

    fn largest_packet_like(&self, packet: &Packet, room: Octets) -> Octets {
        self.service.largest_packet_like(packet, room)
    }

    fn counters(&self) -> Counters {
        self.service.counters()
    }
}
