//! A handshake that we began: its first message, tried again until there is an answer or no hope.

use crate::config::Config;
use crate::handshake::noise::Noise;
use crate::handshake::wire::Mac;
use crate::peer::path::{PLACES, Turn};
use arqway_units::{Span, Time};
use arrayvec::ArrayVec;
use std::net::SocketAddr;

/// What the peer wants to see in a first message, which is repeated at once for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// A cookie that it gave.
    Cookie,
    /// A time stamp that is later than those it knows.
    Stamp,
}

/// A first message that waits for its answer.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) noise: Box<Noise>,
    /// By what the answer names it.
    pub(crate) index: u16,
    /// Where it went.
    pub(crate) to: SocketAddr,
    /// Its first code, which a cookie refers to.
    pub(crate) first: Mac,
}

/// An answer to a handshake that the peer began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastAnswer {
    /// Its first code, which a cookie refers to.
    pub(crate) first: Mac,
    /// When it left.
    pub(crate) at: Time,
    /// Where it went.
    pub(crate) to: SocketAddr,
}

#[derive(Debug)]
pub(crate) struct Attempt {
    since: Time,
    /// From here on the next place has its turn.
    turn: usize,
    /// When the first message is sent, or sent again.
    next_at: Time,
    sent_at: Option<Time>,
    pub(crate) pending: Option<Pending>,
    /// Something answered that could not be verified.
    pub(crate) unverified: bool,
    /// The next message repeats this try.
    repeats: bool,
    /// What this try was repeated for already.
    repeated: ArrayVec<Repeat, 2>,
    /// Where the next message was asked for; else it goes to whoever has the turn.
    asked_at: Option<SocketAddr>,
    /// How long the peer takes for an answer, as far as is known: then it is asked as often as once in `retry`.
    round_trip: Option<Span>,
    /// Indices of the messages before the last one, by which answers are known that come too late.
    before: ArrayVec<u16, BEFORE>,
}

/// Waits double so often.
const DOUBLINGS: usize = 2;
/// Of so many messages before the last one a late answer is known: as many as are sent within the longest wait, since no answer takes
/// longer that is waited for.
const BEFORE: usize = 6;

impl Attempt {
    pub(crate) fn new(round_trip: Option<Span>, now: Time) -> Self {
        Self {
            since: now,
            turn: 0,
            next_at: now,
            sent_at: None,
            pending: None,
            unverified: false,
            repeats: false,
            repeated: ArrayVec::new(),
            asked_at: None,
            round_trip,
            before: ArrayVec::new(),
        }
    }

    /// From where on the next place has its turn.
    pub(crate) fn turn(&self) -> usize {
        self.turn
    }

    /// How many rounds of all places have begun.
    pub(crate) fn rounds(&self) -> usize {
        self.turn.div_ceil(PLACES)
    }

    /// Where the next message was asked for.
    pub(crate) fn asked_at(&self) -> Option<SocketAddr> {
        self.asked_at
    }

    /// The next message goes to this place, whoever has the turn.
    pub(crate) fn ask_at(&mut self, place: SocketAddr) {
        self.asked_at = Some(place);
    }

    /// When it began.
    pub(crate) fn since(&self) -> Time {
        self.since
    }

    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.next_at <= now
    }

    /// Whether its last message went to this place, and after that answer.
    pub(crate) fn asks(&self, place: SocketAddr, answer: Option<LastAnswer>) -> bool {
        let is_there = self.pending.as_ref().is_some_and(|pending| pending.to == place);
        is_there && self.sent_at.zip(answer).is_some_and(|(sent, answer)| sent >= answer.at)
    }

    pub(crate) fn is_over(&self, config: &Config, now: Time) -> bool {
        now.since(self.since) >= config.give_up.get()
    }

    /// A message leaves: the next place gets its turn after a short wait, and all of them again after a longer one, with some
    /// `jitter`, so that many ends do not stay in step. A peer that is known to answer soon is asked after a short wait in any case: where
    /// a line was dead, that is how long it takes to notice that it is back. Returns the index of an earlier message, which no longer
    /// counts.
    pub(crate) fn sent(
        &mut self,
        pending: Pending,
        turn: &Turn,
        config: &Config,
        jitter: Span,
        now: Time,
    ) -> Option<u16> {
        self.turn = turn.next();
        let (retry, longest) = (config.retry.get(), config.retry.get() * (1 << DOUBLINGS));
        self.next_at = now
            + match self.round_trip {
                Some(round_trip) => (retry - jitter.min(retry / 2)).max(round_trip * 3 / 2).min(longest),
                None if turn.is_last => retry * (1 << turn.round().min(DOUBLINGS)) + jitter,
                None => retry + jitter,
            };
        if !std::mem::take(&mut self.repeats) {
            self.repeated.clear();
        }
        self.asked_at = None;
        self.sent_at = Some(now);
        let before = self.pending.replace(pending)?.index;
        let forgotten = if self.before.is_full() { self.before.pop_at(0) } else { None };
        self.before.push(before);
        forgotten
    }

    /// Whether an answer to this index is one that comes too late.
    pub(crate) fn is_late(&self, index: u16) -> bool {
        self.before.contains(&index)
    }

    /// How long the peer takes for an answer, as far as is known.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn round_trip(&self) -> Option<Span> {
        self.round_trip
    }

    /// An answer came too late: from here on it waits longer and longer.
    pub(crate) fn slow_down(&mut self) {
        self.round_trip = None;
    }

    /// How long the last message has been under way.
    pub(crate) fn took(&self, now: Time) -> Option<Span> {
        self.sent_at.map(|sent| now.since(sent))
    }

    /// All its indices.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u16> {
        self.pending.iter().map(|pending| pending.index).chain(self.before.iter().copied())
    }

    /// The peer asks for something: the message is repeated at once with it, one time for each. Whether it is.
    pub(crate) fn repeat_for(&mut self, what: Repeat, now: Time) -> bool {
        let repeats = !self.repeats && !self.repeated.contains(&what);
        if repeats {
            self.repeated.push(what);
            self.next_at = now;
            self.turn = self.turn.saturating_sub(1);
            self.repeats = true;
        }
        repeats
    }

    /// Wait until the next try, without one.
    pub(crate) fn put_off(&mut self, wait: Span, now: Time) {
        self.next_at = now + wait;
    }

    /// The next try is due now, and it is as if it were the first.
    pub(crate) fn hasten(&mut self, now: Time) {
        (self.since, self.next_at, self.turn) = (now, now, 0);
    }

    /// When it is tried again or given up.
    pub(crate) fn deadline(&self, config: &Config, now: Time) -> Time {
        let over = self.since + config.give_up.get();
        if self.next_at > now { over.min(self.next_at) } else { over }
    }
}
