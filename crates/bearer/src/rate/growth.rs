//! By how much a pace grows in a round, while no queue stands and it is used.
//!
//! ```text
//!     pace ^                                       .'   free again: far more leaves no queue, so the line has become faster
//!          |                                   . '
//!          |- - - - - - - - - - - - - -.-.-'- - - - -   what the line carried a while ago: from here on a queue may grow unheard
//!          |                  .  '
//!          |      .  -  '                               4 %, 8 %, 16 %, ...
//!          +--------------------------------------> rounds
//! ```

/// How slowly it begins.
const SLOWEST: f64 = 0.04;
/// Where the line carried twice as much a while ago, it begins with this; each round what it carried counts for so much.
const AGAIN: f64 = 0.5;
const FORGETS: f64 = 0.98;
/// Beyond what the line carried, so much of a queue may grow until a report tells of it, in seconds.
const UNHEARD: f64 = 0.05;
/// Where so many times what the line carried leaves no queue, it has become faster.
const FASTER: f64 = 1.4;

/// Rates are in octets a second.
#[derive(Debug)]
pub(super) struct Growth {
    /// By which part the next round grows.
    part: f64,
    /// What the line carried at most, less the older that is.
    reached: f64,
    /// The same, when a queue was last felt.
    felt: f64,
}

impl Growth {
    /// At first a pace doubles.
    pub(super) fn new() -> Self {
        Self { part: 1.0, reached: 0.0, felt: 0.0 }
    }

    /// What the line carried at most lately.
    pub(super) fn reached(&self) -> f64 {
        self.reached
    }

    /// A round is over in which so much came through.
    pub(super) fn end_round(&mut self, carried: f64) {
        self.reached = carried.max(self.reached * FORGETS);
    }

    /// A queue stands: it begins anew.
    pub(super) fn feel(&mut self) {
        self.felt = self.reached;
        self.slow();
    }

    /// It begins anew.
    pub(super) fn slow(&mut self) {
        self.part = SLOWEST;
    }

    /// The pace after so much, at its first start.
    pub(super) fn start(&mut self, capacity: f64) -> f64 {
        let part = self.part;
        self.quicken(1.0);
        capacity * (1.0 + part)
    }

    /// The pace after so much, where a report tells after so many seconds what a pace has done. It never grows by more than `fastest`.
    pub(super) fn next(&mut self, capacity: f64, unheard: f64, fastest: f64) -> f64 {
        let part = if capacity < self.reached / 2.0 { self.part.max(AGAIN) } else { self.part };
        self.quicken(fastest);
        let is_beyond = capacity * (1.0 + part) > self.reached && capacity < FASTER * self.felt;
        let careful = (UNHEARD / unheard).max(SLOWEST);
        capacity * (1.0 + if is_beyond { part.min(careful) } else { part })
    }

    fn quicken(&mut self, fastest: f64) {
        self.part = (self.part * 2.0).min(fastest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paces of a line that carried 100 when a queue was last felt, where a report takes so long.
    fn paces(from: f64, unheard: f64) -> alloc::vec::Vec<f64> {
        let mut growth = Growth::new();
        growth.end_round(100.0);
        growth.feel();
        growth.slow();
        let next = |pace: &f64| {
            let next = growth.next(*pace, unheard, 1.0);
            growth.end_round(*pace);
            Some(next)
        };
        core::iter::successors(Some(from), next).take(12).collect()
    }

    #[test]
    fn beyond_what_the_line_carried_it_grows_as_fast_as_reports_tell_and_then_freely() {
        let paces = paces(100.0, 0.5);
        let parts: alloc::vec::Vec<f64> = paces.windows(2).map(|pair| pair[1] / pair[0] - 1.0).collect();
        // 10 % for half a second each; from 1.4 times as much on as it likes.
        assert!(parts[2..5].iter().all(|part| (part - 0.1).abs() < 1e-9) && parts[5] > 0.5, "{parts:.2?}");
        assert!(paces.last() > Some(&1000.0), "{paces:.0?}");
    }

    #[test]
    fn where_reports_tell_at_once_it_doubles_its_steps() {
        let paces = paces(100.0, 0.05);
        for (index, part) in [0.04, 0.08, 0.16, 0.32, 0.64, 1.0].into_iter().enumerate() {
            assert!((paces[index + 1] / paces[index] - 1.0 - part).abs() < 1e-9, "{paces:.0?}");
        }
    }

    #[test]
    fn what_the_line_carried_twice_over_is_tried_again_by_halves() {
        assert!((paces(10.0, 0.05)[1] - 15.0).abs() < 1e-9);
    }
}
