//! One connection at one end: both directions, and what the host at this end is told.

use super::Seen;
use super::inward::Inward;
use super::outward::{Outward, Taking};
use alloc::vec::Vec;
use arqway_arq::TcpNumber;
use arqway_contract::Packet;
use arqway_ip::{Answer, Ecn, StandIn, retold};
use arqway_units::{Span, Time};
use bytes::Bytes;

/// More than that no window is shifted (RFC 7323, Section 2.3).
const MOST_SCALE: u8 = 14;

/// What a first segment says that begins a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    /// It stands in for the far host.
    far: StandIn,
    is_of_host: bool,
    sequence: u32,
    window: u16,
    scale: Option<u8>,
    may_tell_blocks: bool,
    time: Option<u32>,
}

impl Opening {
    fn read(far: StandIn, is_of_host: bool, seen: &Seen) -> Option<Self> {
        let options = &seen.options;
        (!options.has_others).then(|| Self {
            far,
            is_of_host,
            sequence: seen.segment.sequence,
            window: seen.segment.window,
            scale: options.window_scale.map(|scale| scale.min(MOST_SCALE)),
            may_tell_blocks: options.may_tell_blocks,
            time: options.times.map(|(own, _)| own),
        })
    }

    /// Of the host at this end; `None` where the connection cannot be split.
    pub(super) fn of_host(packet: &Packet, seen: &Seen) -> Option<Self> {
        Self::read(StandIn::for_sender_of(&packet.octets)?.for_receiver(), true, seen)
    }

    /// Of the far host.
    pub(super) fn of_far_host(packet: &Packet, seen: &Seen) -> Option<Self> {
        Self::read(StandIn::for_sender_of(&packet.octets)?, false, seen)
    }
}

/// One connection at one end.
#[derive(Debug)]
pub(super) struct Connection {
    opening: Opening,
    split: Option<Both>,
    heard: Time,
}

/// Both directions, once both ends have agreed.
#[derive(Debug)]
struct Both {
    outward: Outward,
    inward: Inward,
    /// By how much the windows of the host and of the far host are shifted.
    scale_of_host: u8,
    scale_of_far_host: u8,
    has_times: bool,
    may_tell_blocks: bool,
}

impl Both {
    /// Those of a connection whose first segments are these.
    fn of(host: &Opening, far_host: &Opening) -> Self {
        let scales = host.scale.zip(far_host.scale).unwrap_or((0, 0));
        let has_times = host.time.is_some() && far_host.time.is_some();
        let time = |of: &Opening| of.time.filter(|_| has_times);
        // A first segment takes one number.
        let first = |of: &Opening| (TcpNumber::new(of.sequence.into()) + 1).wire_u32();
        Self {
            outward: Outward::new(first(host), time(host)),
            inward: Inward::new(first(far_host), host.window, time(far_host)),
            scale_of_host: scales.0,
            scale_of_far_host: scales.1,
            has_times,
            may_tell_blocks: host.may_tell_blocks && far_host.may_tell_blocks,
        }
    }
}

impl Connection {
    pub(super) fn new(opening: Opening, now: Time) -> Self {
        Self { opening, split: None, heard: now }
    }

    /// Whether this is the segment that began it, once more.
    pub(super) fn is_opened_by(&self, opening: &Opening) -> bool {
        self.opening.sequence == opening.sequence && self.opening.is_of_host == opening.is_of_host
    }

    /// Whether the host at this end has begun it.
    pub(super) fn is_ours(&self) -> bool {
        self.opening.is_of_host
    }

    pub(super) fn is_split(&self) -> bool {
        self.split.is_some()
    }

    /// The host at this end answers what the far host began; whether it is split.
    pub(super) fn answer_of_host(&mut self, packet: &Packet, seen: &Seen) -> bool {
        let answer = Opening::of_host(packet, seen).filter(|_| !self.opening.is_of_host);
        if let (None, Some(answer)) = (&self.split, answer) {
            self.split = Some(Both::of(&answer, &self.opening));
        }
        self.split.is_some() && answer.is_some()
    }

    /// The far host answers what the host at this end began, and its end agrees; whether it is split.
    pub(super) fn answer_of_far_host(&mut self, packet: &Packet, seen: &Seen) -> bool {
        let answer = Opening::of_far_host(packet, seen).filter(|_| self.opening.is_of_host);
        if let (None, Some(answer)) = (&self.split, answer) {
            self.split = Some(Both::of(&self.opening, &answer));
        }
        // It may be said once more, at a later time.
        if let (Some(both), Some(answer)) = (&mut self.split, answer) {
            both.inward.tell_time(answer.time);
        }
        self.split.is_some() && answer.is_some()
    }

    /// What is to become of a segment of the host.
    pub(super) fn asks(&self, seen: &Seen) -> Taking {
        let segment = &seen.segment;
        match &self.split {
            Some(both) if !segment.reset => both.outward.asks(segment.sequence, seen.data(), segment.fin),
            _ => Taking::Give,
        }
    }

    /// The service has got it; whether the host is owed an acknowledgement.
    pub(super) fn give(&mut self, packet: &Packet, seen: &Seen) -> bool {
        let Some(Both { outward, .. }) = &mut self.split else { return false };
        if seen.options.has_slowed_down {
            outward.tells_congestion = false;
        }
        outward.tells_congestion |= packet.ecn() == Ecn::Ce;
        let time = seen.options.times.map(|(own, _)| own);
        outward.give(seen.segment.sequence, seen.data(), seen.segment.fin, time);
        seen.data() > 0
    }

    /// A segment of the host, which says how far it has got.
    pub(super) fn hear_host(&mut self, seen: &Seen, now: Time) {
        self.heard = now;
        let Some(Both { inward, scale_of_host, .. }) = &mut self.split else { return };
        if let Some(number) = seen.segment.acknowledgement.filter(|_| !seen.segment.syn) {
            inward.hear(number, seen.segment.window, *scale_of_host, seen.is_bare(), now);
        }
    }

    /// A segment of the far host, which says how far that has got; whether the host has to know that it may go on.
    pub(super) fn hear_far_host(&mut self, seen: &Seen, most: u64, now: Time) -> bool {
        self.heard = now;
        let Some(Both { outward, .. }) = &mut self.split else { return false };
        if let Some(number) = seen.segment.acknowledgement {
            outward.hear(number);
        }
        outward.has_reopened(most)
    }

    /// Keeps a segment of the far host until the host has it; what is to go to it at once.
    pub(super) fn keep(&mut self, packet: Packet, seen: &Seen) -> Option<Packet> {
        let both = self.split.as_mut()?;
        both.inward.keep(seen.segment.sequence, seen.data(), seen.segment.fin, packet)
    }

    /// The next segment of the far host for the host.
    pub(super) fn release(&mut self, now: Time) -> Option<Packet> {
        self.split.as_mut()?.inward.release(now)
    }

    /// Whether the host has not been told already what a segment without data says.
    pub(super) fn is_news(&self, seen: &Seen) -> bool {
        let Some(Both { outward, .. }) = &self.split else { return true };
        let number = seen.segment.acknowledgement;
        number.is_none_or(|number| super::outward::near(outward.acknowledgement(), number) >= outward.acknowledgement())
    }

    /// A segment of the far host as the host is to get it.
    pub(super) fn told(&mut self, packet: &Packet, seen: &Seen, most: u64) -> Option<Packet> {
        let Some(both) = &mut self.split else { return Some(packet.clone()) };
        let sequence = if seen.data() == 0 && !seen.segment.fin {
            both.inward.known(seen.segment.sequence).wire_u32()
        } else {
            seen.segment.sequence
        };
        let answer = both.answer(most, seen.options.times.map(|(own, _)| own));
        both.outward.owes = false;
        let octets = retold(&packet.octets, &seen.outline.payload(), sequence, &answer)?;
        Some(Packet { octets: Bytes::from(octets), headers: Some(seen.outline), arrived: None, deadline: None })
    }

    /// The host is owed an acknowledgement from now on; whether it was not before.
    pub(super) fn owe(&mut self) -> bool {
        let Some(Both { outward, .. }) = &mut self.split else { return false };
        let is_new = !outward.is_listed;
        (outward.owes, outward.is_listed) = (true, true);
        is_new
    }

    /// The acknowledgement that the host is owed, unless something has told it meanwhile.
    pub(super) fn acknowledgement(&mut self, most: u64) -> Option<Vec<u8>> {
        let both = self.split.as_mut()?;
        both.outward.is_listed = false;
        if !core::mem::take(&mut both.outward.owes) {
            return None;
        }
        let sequence = both.inward.released().wire_u32();
        let blocks = if both.may_tell_blocks { both.outward.blocks() } else { Default::default() };
        let answer = Answer { blocks: &blocks, ..both.answer(most, None) };
        Some(self.opening.far.answer(sequence, &answer))
    }

    /// One that ends it, in the name of the far host.
    pub(super) fn reset_of_host(&self) -> Vec<u8> {
        let numbers = self.split.as_ref().map(|both| (both.inward.released(), both.outward.acknowledgement()));
        let (sequence, acknowledgement) = numbers.unwrap_or_default();
        self.opening.far.reset(sequence.wire_u32(), acknowledgement.wire_u32())
    }

    /// One that ends it, in the name of the host.
    pub(super) fn reset_of_far_host(&self) -> Vec<u8> {
        let numbers = self.split.as_ref().map(|both| (both.outward.acknowledgement(), both.inward.acknowledged()));
        let (sequence, acknowledgement) = numbers.unwrap_or_default();
        self.opening.far.for_receiver().reset(sequence.wire_u32(), acknowledgement.wire_u32())
    }

    /// How much of the host's is between both ends.
    pub(super) fn held(&self) -> u64 {
        self.split.as_ref().map_or(0, |both| both.outward.held())
    }

    /// Whether its hosts can go on with nobody between them: both directions have ended, and both hosts know it, or nothing is held and
    /// nothing was said for so long.
    pub(super) fn needs_nobody(&self, now: Time, idle: Span) -> bool {
        let is_idle = now.since(self.heard) >= idle;
        self.split.as_ref().map_or(is_idle, |Both { outward, inward, .. }| {
            (outward.is_over() && inward.is_over()) || (is_idle && outward.held() == 0 && inward.is_empty())
        })
    }

    /// The host has not answered in time; whether it is given up.
    pub(super) fn expire(&mut self, now: Time) -> bool {
        self.split.as_mut().is_some_and(|both| both.inward.expire(now))
    }

    /// When [`expire`](Self::expire) is next due.
    pub(super) fn due(&self) -> Option<Time> {
        self.split.as_ref()?.inward.due()
    }

    /// Timers stood still until now.
    pub(super) fn restart(&mut self, now: Time) {
        self.split.iter_mut().for_each(|both| both.inward.restart(now));
    }
}

impl Both {
    /// What a segment with this time of the far host says of the host's direction.
    fn answer(&mut self, most: u64, time: Option<u32>) -> Answer<'static> {
        let echo = self.outward.echo();
        let time = self.inward.tell_time(time);
        Answer {
            acknowledgement: self.outward.acknowledgement().wire_u32(),
            window: self.outward.window(most, self.scale_of_far_host),
            times: time.filter(|_| self.has_times).map(|time| (time, echo)),
            tells_congestion: self.outward.tells_congestion,
            blocks: &[],
        }
    }
}
