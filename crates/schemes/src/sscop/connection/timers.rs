//! The five timers (Q.2110 §7.6).

use arqway_arq::Deadline;
use arqway_units::{Span, Time};

/// Which timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// `Timer_CC`: how long a BGN, END, ER or RS PDU waits for its answer.
    Cc,
    /// `Timer_POLL`: how far apart polls are while data are on their way.
    Poll,
    /// `Timer_KEEP-ALIVE`: the same while there are none.
    KeepAlive,
    /// `Timer_NO-RESPONSE`: how long there may be no STAT PDU while there are polls.
    NoResponse,
    /// `Timer_IDLE`: how long it is quiet once all is acknowledged.
    Idle,
}

/// How long each runs. One of no length never expires; that is for `idle` alone to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// `Timer_CC`.
    pub cc: Span,
    /// `Timer_POLL`.
    pub poll: Span,
    /// `Timer_KEEP-ALIVE`.
    pub keep_alive: Span,
    /// `Timer_NO-RESPONSE`.
    pub no_response: Span,
    /// `Timer_IDLE`.
    pub idle: Span,
}

#[derive(Debug)]
pub(super) struct Timers {
    lengths: Lengths,
    deadlines: [Deadline; 5],
}

const ALL: [Timer; 5] = [Timer::Cc, Timer::Poll, Timer::KeepAlive, Timer::NoResponse, Timer::Idle];

impl Timers {
    pub(super) fn new(lengths: Lengths) -> Self {
        Self { lengths, deadlines: [Deadline::default(); 5] }
    }

    /// Starts a timer afresh.
    pub(super) fn set(&mut self, timer: Timer, now: Time) {
        let length = match timer {
            Timer::Cc => self.lengths.cc,
            Timer::Poll => self.lengths.poll,
            Timer::KeepAlive => self.lengths.keep_alive,
            Timer::NoResponse => self.lengths.no_response,
            Timer::Idle => self.lengths.idle,
        };
        if length > Span::ZERO {
            self.deadlines[timer as usize].restart(now + length);
        }
    }

    pub(super) fn stop(&mut self, timer: Timer) {
        self.deadlines[timer as usize].stop();
    }

    pub(super) fn runs(&self, timer: Timer) -> bool {
        self.deadlines[timer as usize].get().is_some()
    }

    /// Whether neither a poll nor the end of a phase is to come: all is acknowledged, and `Timer_IDLE` runs if it ever does.
    pub(super) fn are_idle(&self) -> bool {
        !self.runs(Timer::Poll) && !self.runs(Timer::KeepAlive)
    }

    /// Stops all but `Timer_CC`, which data transfer knows nothing of.
    pub(super) fn reset_data_transfer(&mut self) {
        for timer in [Timer::Poll, Timer::KeepAlive, Timer::NoResponse, Timer::Idle] {
            self.stop(timer);
        }
    }

    /// Data transfer begins.
    pub(super) fn set_data_transfer(&mut self, now: Time) {
        self.set(Timer::Poll, now);
        self.set(Timer::NoResponse, now);
    }

    /// The timer that expires first, and when.
    pub(super) fn next(&self) -> Option<(Time, Timer)> {
        let running = ALL.into_iter().filter_map(|timer| Some((self.deadlines[timer as usize].get()?, timer)));
        running.min_by_key(|(at, _)| *at)
    }
}
