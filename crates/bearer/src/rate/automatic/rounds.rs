//! What is known at the end of a round: whether the pace was used, whether faster loses more, and by how much it grows.
//!
//! ```text
//!     sent       |--- pace 1 ---|--- pace 2 ---|
//!     reported        ...............|--- 1 ---|--- 2 ---|       the first report of what went at a pace ends the round of the one before
//! ```

use super::super::Mark;
use super::super::finding::Finding;
use super::super::losses::Verdict;
use super::others::Stays;
use super::{Automatic, Heard, USED};
use arqway_units::{Time, ToFloat};

/// Before the line is known the pace is so many times what was sent a round before: no reason for who starts to think that it is full.
const AHEAD: f64 = 6.0;
/// Where nothing but losses tells that the line is full, they tell it a round late: growth stays below this.
const FASTEST_AFTER_LOSSES: f64 = 0.25;
/// So many rounds pass without growth after faster has lost more, and twice as many the next time.
pub(super) const FIRST_HOLD: u32 = 2;
/// A capacity may be so many times what comes through: a start is two rounds ahead of what it hears.
const BORNE_OUT: f64 = 4.0;

/// What goes from now on has the present pace; its first report ends the round.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    pub(super) began: Time,
    pub(super) first: Option<Mark>,
    pub(super) was_full: bool,
    /// The pace when it began, and when the one before did.
    pub(super) paces: [f64; 2],
}

impl Round {
    /// Whether one who sends so much uses the present pace, or one that it has had lately.
    pub(super) fn uses(&self, sent: f64, pace: f64) -> bool {
        self.was_full || sent > USED * self.paces.into_iter().filter(|paced| *paced > 0.0).fold(pace, f64::min)
    }
}

impl Automatic {
    /// A round is over: all that is reported from now on was sent at the present pace.
    pub(super) fn end_round(&mut self, heard: &Heard, queue: f64, target: f64, now: Time) {
        let newest = heard.newest;
        let paces = [self.pace, self.round.paces[0]];
        let next = Round { began: now, first: Some(newest), was_full: false, paces };
        let Round { first, was_full, paces: [paced, seen], .. } = core::mem::replace(&mut self.round, next);
        let carried = self.several().map_or(0.0, |rates| rates.arrived);
        self.growth.end_round(self.capacity.min(carried));
        let Some(first) = first else { return };
        let lasted = newest.at.since(first.at).as_seconds();
        if lasted <= 0.0 {
            return;
        }
        let overhead = (newest.number - first.number) * heard.overhead.as_u64();
        let rate = (newest.octets - first.octets + overhead).to_f64() / lasted;
        let is_used = was_full || rate > USED * self.pace;
        // Where a queue overflows, or the pace was not used, losses say nothing of it.
        if queue < target * 1.5 && rate > if self.is_known { 0.7 } else { 0.35 } * seen.min(paced) {
            self.judge_losses(rate);
        } else {
            if queue >= target * 1.5 {
                self.before_trial = None;
            }
            self.interrupt_losses();
        }
        if self.longer.hear_round(queue, target, now) {
            self.stays(queue, Stays::Still, now);
            return;
        }
        if queue > target / 2.0 || self.before_trial.is_some() || self.drain.is_on() {
            return;
        }
        if !is_used {
            // TCP's own start doubles what it sends, and ends where that waits.
            if !self.is_known {
                self.capacity = self.bounded(self.capacity.max(rate * AHEAD));
            }
            // What goes at a higher pace is not reported yet.
            if rate < USED * seen {
                self.finding = Finding::Application;
            }
            return;
        }
        if self.hold.0 > 0 {
            self.hold.0 -= 1;
            return;
        }
        self.finding = if self.is_known { Finding::Steady } else { Finding::Probing };
        self.grow();
    }

    fn grow(&mut self) {
        // Where a full queue was taken for the path, and its losses for the link's own, nothing else would end growth.
        if self.carried() * BORNE_OUT < self.capacity {
            return;
        }
        let fastest = if self.hold.1 > FIRST_HOLD { FASTEST_AFTER_LOSSES } else { 1.0 };
        let unheard = self.base + 2.0 * self.interval;
        let grown = if self.is_known {
            self.growth.next(self.capacity, unheard, fastest)
        } else {
            self.growth.start(self.capacity)
        };
        self.capacity = self.bounded(grown);
    }

    fn judge_losses(&mut self, rate: f64) {
        match self.losses.judge(rate, self.is_known) {
            Verdict::Nothing => {}
            Verdict::Try(part) => {
                self.before_trial = Some(self.capacity);
                self.capacity = self.bounded(self.capacity.min(rate * part));
            }
            Verdict::Innocent => {
                if let Some(before) = self.before_trial.take() {
                    self.capacity = self.capacity.max(before);
                }
            }
            Verdict::TooFast(part) => {
                if self.before_trial.take().is_none() {
                    self.capacity = self.bounded(self.capacity.min(rate * part));
                }
                self.know();
                self.growth.slow();
                self.hold = (self.hold.1, (self.hold.1 * 2).min(8));
                self.finding = Finding::Losses;
            }
        }
    }
}
