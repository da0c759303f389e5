//! A handshake that we began: its first message, tried again until there is an answer or no hope.

use crate::config::Config;
use crate::handshake::noise::Noise;
use crate::handshake::wire::Mac;
use crate::peer::path::Turn;
use arqway_units::{Span, Time};
use std::net::SocketAddr;

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
    /// This try was already repeated for a cookie.
    has_cookie: bool,
}

/// Waits double so often.
const DOUBLINGS: usize = 2;

impl Attempt {
    pub(crate) fn new(now: Time) -> Self {
        Self {
            since: now,
            turn: 0,
            next_at: now,
            sent_at: None,
            pending: None,
            unverified: false,
            repeats: false,
            has_cookie: false,
        }
    }

    /// From where on the next place has its turn.
    pub(crate) fn turn(&self) -> usize {
        self.turn
    }

    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.next_at <= now
    }

    /// Whether its last message went to this place, and after that answer.
    pub(crate) fn asks(&self, place: SocketAddr, answer: Option<(Mac, Time)>) -> bool {
        let is_there = self.pending.as_ref().is_some_and(|pending| pending.to == place);
        is_there && self.sent_at.zip(answer).is_some_and(|(sent, (_, answered))| sent >= answered)
    }

    pub(crate) fn is_over(&self, config: &Config, now: Time) -> bool {
        now.since(self.since) >= config.give_up.get()
    }

    /// A message leaves: the next place gets its turn after a short wait, and all of them again after a longer one, and some
    /// `jitter`, so that many ends do not stay in step. Returns the index of the message before, which no longer counts.
    pub(crate) fn sent(
        &mut self,
        pending: Pending,
        turn: &Turn,
        config: &Config,
        jitter: Span,
        now: Time,
    ) -> Option<u16> {
        self.turn = turn.next();
        let doublings = if turn.is_last { turn.round().min(DOUBLINGS) } else { 0 };
        self.next_at = now + config.retry.get() * (1 << doublings) + jitter;
        self.has_cookie = std::mem::take(&mut self.repeats);
        self.sent_at = Some(now);
        self.pending.replace(pending).map(|pending| pending.index)
    }

    /// The peer asks for a cookie: the message is repeated at once with it, one time.
    pub(crate) fn repeat_with_cookie(&mut self, now: Time) {
        if !self.has_cookie && !self.repeats {
            self.next_at = now;
            self.turn = self.turn.saturating_sub(1);
            self.repeats = true;
        }
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
