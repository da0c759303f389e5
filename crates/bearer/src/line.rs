//! One line of a bearer: the path that its datagrams take, and what is on its way between services and that path.
//!
//! ```text
//!     Shared    services, epoch, settings, what is counted         one of each
//!        | |
//!     Line Line   path: pace, MTU, reports, liveness               one of each for every line,
//!                 transit: frames packed, cut, departing           and numbers of datagrams of its own
//! ```

use super::pack::Packer;
use super::path::Path;
use super::pieces::{Assembler, Cutter};
use super::{Config, Outage, PathMetrics, wire};
use alloc::collections::VecDeque;
use arqway_contract::{Departure, Frame, LineId, LineState, LinkContext, LinkService, Tag, Ticket, is_slow_beside};
use arqway_units::{BitRate, Octets, Span, Time};

/// A spare one, which may cost, is measured once in so many intervals.
const SPARE_INTERVALS: u64 = 10;
/// What a line is used for is told so often in a row: pings may be lost.
const TELLINGS: u8 = 5;

/// A line that is slow beside another is to show so often what it carries, for so long: a rate that grows from nothing is there in eight
/// round trips.
const TRIED_EVERY: Span = Span::from_milliseconds(10_000);
const TRIED_FOR: Span = Span::from_milliseconds(1000);
const TRIED_ROUND_TRIPS: u64 = 8;

#[derive(Debug)]
pub(super) struct Line {
    pub(super) id: LineId,
    pub(super) path: Path,
    pub(super) transit: Transit,
    /// Why it is away, as the owner says of this line alone.
    pub(super) outage: Outage,
    /// What the services were told of it.
    pub(super) is_up: bool,
    /// What has gone by it and come, with the overhead.
    pub(super) sent: Octets,
    pub(super) received: Octets,
    /// Whether it is spare, as is said here and as the peer says.
    pub(super) spared_here: bool,
    pub(super) spared_by_peer: bool,
    /// Whether there ever was something to tell the peer of that; how many pings are still to tell it, and when the last one did.
    pub(super) has_said_use: bool,
    tellings: u8,
    told_at: Option<Time>,
    /// When the last datagram went by it.
    pub(super) sent_at: Time,
    /// Somebody has closed it: when what is under way on it counts as lost, if it is not told of before.
    pub(super) lost_at: Option<Time>,
    /// While it is slow beside another.
    pub(super) slow: Option<Slow>,
    /// When its round trip was measured last, or was to be, and how many frames the link had sent by then.
    measured: Option<(Time, u64)>,
}

/// What a line is that carries too little beside another, as far as anybody knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slow {
    /// When it was asked last to show what it carries.
    tried_at: Time,
    /// Whether it never was before.
    is_first: bool,
    /// The part of the time that is left of that in which it is to show it.
    left: f64,
}

/// What is on its way between services and datagrams. It belongs to one epoch: the next one begins with another.
#[derive(Debug, Default)]
pub(super) struct Transit {
    pub(super) packer: Packer,
    pub(super) cutter: Cutter,
    pub(super) assembler: Assembler,
    /// Frames of the services that are in datagrams, in the order of these.
    pub(super) departing: VecDeque<Departing>,
    pub(super) wants: Wants,
    /// Counts the frames asked for while some may be too large.
    pub(super) asked: u8,
}

/// A frame in a datagram.
#[derive(Debug)]
pub(super) struct Departing {
    pub(super) datagram: u64,
    /// When the datagram's last bit is out by the pace; without one, the owner says when.
    pub(super) at: Option<Time>,
    pub(super) tag: Tag,
    pub(super) ticket: Ticket,
}

/// Datagrams without frames that wait for the pace.
#[derive(Debug, Default)]
pub(super) struct Wants {
    pub(super) ping: bool,
    /// The size of a probe that arrived.
    pub(super) answer: Option<u16>,
    /// A report that found no place in a datagram of frames.
    pub(super) report: bool,
    /// The services, or one of these, wait for the pace until then, or until a report makes room.
    pub(super) turn: Option<Time>,
    /// The peer takes short names.
    pub(super) short: bool,
}

impl Line {
    pub(super) fn new(id: LineId, config: &Config, context: &LinkContext, now: Time) -> Self {
        let path = Path::new(config, id, context, now);
        let spared_here = config.line.get(id.index()).is_some_and(|line| line.spare);
        Self {
            id,
            path,
            spared_here,
            sent: Octets::ZERO,
            received: Octets::ZERO,
            sent_at: now,
            spared_by_peer: false,
            has_said_use: spared_here,
            tellings: 0,
            told_at: None,
            transit: Transit::default(),
            outage: Outage::default(),
            is_up: false,
            lost_at: None,
            slow: None,
            measured: None,
        }
    }

    /// Its round trip has just been measured, or is about to be.
    pub(super) fn was_measured(&mut self, frames: u64, now: Time) {
        self.measured = Some((now, frames));
    }

    /// Whether it is to be asked how long a round trip takes: it was not for so long, while frames went by other lines. Nobody asks on a link
    /// that is idle.
    pub(super) fn wants_measuring(&self, frames: u64, interval: Span, now: Time) -> bool {
        if self.tellings > 0 && self.told_at.is_none_or(|at| now.since(at) >= interval) {
            return true;
        }
        let interval = if self.is_spare() { interval * SPARE_INTERVALS } else { interval };
        self.measured.is_none_or(|(at, before)| frames > before && now.since(at) >= interval)
    }

    /// When it is to be asked so that it is kept open.
    pub(super) fn kept_at(&self, config: &Config) -> Option<Time> {
        config.keepalive.filter(|_| self.is_up).map(|interval| self.sent_at + interval)
    }

    /// It is spare from now on, or as any other; the peer has to know.
    pub(super) fn spare(&mut self, is_spare: bool) {
        (self.spared_here, self.has_said_use) = (is_spare, true);
        self.tell_use();
        self.transit.wants.ping = true;
    }

    /// The peer may not know what it is used for, if there is anything to know.
    pub(super) fn tell_use(&mut self) {
        self.tellings = if self.has_said_use { TELLINGS } else { 0 };
    }

    /// Whether datagrams cross it, as far as this line is concerned.
    pub(super) fn is_there(&self) -> bool {
        self.outage.is_over() && self.path.liveness.is_up()
    }

    /// What services are told of it.
    pub(super) fn state(&self) -> LineState {
        let is_lost = !self.is_up && self.lost_at.is_none();
        let (rate, round_trip) = (self.path.capacity(), self.path.round_trip());
        let (is_slow, is_tried) = (self.slow.is_some(), self.slow.is_some_and(|slow| slow.left > 0.0));
        let loss = self.path.lost.share();
        LineState { is_up: self.is_up, is_spare: self.is_spare(), is_slow, is_tried, is_lost, loss, rate, round_trip }
    }

    /// Another path: what was measured does not hold.
    pub(super) fn forget(&mut self, config: &Config, now: Time) {
        self.path.forget(config, now);
        self.slow = None;
    }

    /// Compares it with the fastest line.
    pub(super) fn compare(&mut self, fastest: BitRate, now: Time) {
        let was_slow = self.slow.is_some();
        if !self.path.shown().is_some_and(|carries| is_slow_beside(carries, fastest, was_slow)) {
            self.slow = None;
            return;
        }
        let (tried_at, is_first) = match self.slow {
            Some(slow) if now < slow.tried_at + TRIED_EVERY => (slow.tried_at, slow.is_first),
            _ => (now, !was_slow),
        };
        let until = tried_at + (self.path.shortest_round_trip() * TRIED_ROUND_TRIPS).clamp(TRIED_FOR, TRIED_EVERY / 2);
        let lasts = until.since(tried_at).as_seconds();
        let left = if self.path.is_automatic() { until.since(now).as_seconds() / lasts } else { 0.0 };
        self.slow = Some(Slow { tried_at, is_first, left });
    }

    /// Whether it is slow only since it has hardly begun.
    fn may_be_fast(&self) -> bool {
        self.slow.is_some_and(|slow| slow.is_first && slow.left > 0.0) && !self.path.is_rate_known()
    }

    /// How long a round trip takes that a queue has to bridge. What goes by a line that has yet to show what it carries is held as if it carried
    /// much, less and less until that is known: who sends slows down bit by bit.
    pub(super) fn bridged(&self) -> Option<Span> {
        match self.slow {
            None => Some(self.path.round_trip()),
            Some(Slow { left, .. }) if self.may_be_fast() => {
                Some(Span::from_seconds(self.path.shortest_round_trip().as_seconds() * (2.0 * left).min(1.0)))
            }
            Some(_) => None,
        }
    }

    pub(super) fn metrics(&self) -> PathMetrics {
        let Self { is_up, sent, received, .. } = *self;
        let (is_spare, is_slow) = (self.is_spare(), self.slow.is_some());
        PathMetrics { is_up, is_spare, is_slow, sent, received, ..self.path.metrics() }
    }

    /// Whether frames go by it only where there is no other, as either end says.
    pub(super) fn is_spare(&self) -> bool {
        self.spared_here || self.spared_by_peer
    }

    /// What a ping says of its use, where the peer has to know.
    pub(super) fn say_use(&mut self, now: Time) -> &'static [u8] {
        (self.tellings, self.told_at) = (self.tellings.saturating_sub(1), Some(now));
        match (self.has_said_use, self.spared_here) {
            (false, _) => &[],
            (true, false) => &[wire::USED],
            (true, true) => &[wire::SPARE],
        }
    }

    /// Nothing that services gave it for datagrams goes any more. Frames that nobody waits for are another line's.
    pub(super) fn empty(&mut self, inner: &mut impl LinkService, now: Time) -> VecDeque<Frame> {
        for Departing { tag, ticket, .. } in self.transit.departing.drain(..) {
            inner.handle_departure(tag, ticket, Departure::Sent, now);
        }
        let mut others = VecDeque::new();
        let cut = self.transit.cutter.abandon();
        let mut dropped = |tag, ticket| inner.handle_departure(tag, ticket, Departure::Dropped, now);
        cut.into_iter().for_each(|(tag, ticket)| dropped(tag, ticket));
        while let Some(frame) = self.transit.packer.first() {
            match frame.ticket {
                Some(ticket) => dropped(frame.tag, ticket),
                None => others.push_back(frame),
            }
        }
        others
    }
}
