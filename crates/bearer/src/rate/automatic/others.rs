//! When others fill the queue, and what is sent until they are gone.
//!
//! ```text
//!     a queue stays that should be gone
//!       and does not move                  the path is longer
//!       the same again within a while      others: a contest (see `contest`)
//!       and moves                          others
//! ```

use super::super::contest::{ASKING, Arrived, Contest, Who};
use super::super::delivery::Rates;
use super::super::finding::Finding;
use super::super::longer::Longer;
use super::{Automatic, Heard, Round, USED, is_constant};
use arqway_units::{Span, Time};

/// So long, and twenty rounds, after the path was taken for longer a queue that stays again is others'.
const SUSPICION: Span = Span::from_milliseconds(5000);
/// A window may hold so many times what comes through in a round trip.
const BORNE_OUT: f64 = 4.0;
/// Clocks drift by less, and hosts wake up sooner, in seconds.
const CLOCKS: f64 = 0.002;

/// What a queue does that stays though it should be gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stays {
    Still,
    AndMoves,
}

impl Automatic {
    /// Whether what arrives follows what is sent, while a queue stands.
    pub(super) fn watch(&mut self, rates: Rates, queue: f64, target: f64, now: Time) {
        let gone = is_constant(rates).then_some((1.0 - self.pace / self.capacity) * self.waited);
        if let Some(moved) = self.longer.hear_elastic(queue, target, rates.arrived, gone) {
            let stays = if moved > self.chance() { Stays::AndMoves } else { Stays::Still };
            self.stays(queue, stays, now);
        }
    }

    /// By how much delays differ though no queue grows or leaves.
    fn chance(&self) -> f64 {
        let datagram = self.datagram() / self.capacity.max(self.growth.reached());
        2.0 * self.delay.jitter().as_seconds() + 0.5 * datagram + CLOCKS
    }

    /// A queue stays that should be gone: the path is longer. Where it moves, or that was said a moment ago, others fill it.
    pub(super) fn stays(&mut self, queue: f64, stays: Stays, now: Time) {
        let soon = SUSPICION.as_seconds() + 20.0 * self.round_time();
        let lately = |at: Option<Time>| at.is_some_and(|at| now.since(at).as_seconds() < soon);
        let was_moved = lately(self.stayed_at);
        self.longer = Longer::default();
        self.stayed_at = Some(now);
        if lately(self.alone_at) || stays == Stays::Still && !was_moved {
            self.delay.moved(now);
            return;
        }
        if was_moved {
            self.delay.moved_back();
        }
        // What the line carried before others came, as far as a line is not overrun that has become slow.
        let rate = self.capacity.max((self.growth.reached() / 2.0).min(2.0 * self.capacity));
        self.contest = Some(Contest::new(rate * (self.base + queue) / self.datagram(), now));
    }

    /// A report, while others fill the queue.
    pub(super) fn contend(&mut self, contest: &mut Contest, heard: &Heard, queue: f64, target: f64, now: Time) -> Who {
        let rates = self.several();
        if heard.newest.at >= self.round.began {
            let is_used = self.round.was_full || rates.is_none_or(|rates| rates.sent > USED * self.pace);
            let paces = [self.pace, self.round.paces[0]];
            self.round = Round { began: now, first: Some(heard.newest), was_full: false, paces };
            contest.end_round(self.losses.usual(), is_used, now);
            self.interrupt_losses();
        }
        let octets = heard.newest.octets + (heard.newest.number + 1) * heard.overhead.as_u64();
        let arrived = Arrived { sent_at: heard.newest.at, octets, at: heard.arrived };
        let is_gone = queue < target / 2.0 && !contest.is_asking();
        let who = if is_gone { Who::Gone } else { contest.whose(queue, self.chance(), arrived, rates, now) };
        match who {
            Who::Others => {
                contest.limit(BORNE_OUT * self.carried() * (self.base + queue) / self.datagram(), now);
                let octets = contest.window(now) * self.datagram();
                self.capacity = self.bounded(octets / (self.base + queue));
                self.pace = self.bounded(self.capacity * if contest.is_asking() { ASKING } else { 1.0 });
                self.window = octets + self.capacity * 2.0 * self.interval.min(0.05) + 2.0 * self.datagram();
                self.finding = Finding::Others;
            }
            Who::We => {
                self.alone_at = Some(now);
                self.capacity = self.bounded(rates.map_or(self.capacity, |rates| rates.arrived));
            }
            Who::Nobody => self.delay.moved(now),
            Who::Gone => self.stayed_at = Some(now),
        }
        who
    }
}
