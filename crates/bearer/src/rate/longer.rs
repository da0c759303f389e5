//! Whether what waits is a queue, or the path has become longer: a handoff, a satellite's next beam.
//!
//! ```text
//!     delay ^      .-.                  .---------------     a queue leaves where less is sent than the line carries, and moves;
//!           |     '   '.               |                     a longer path does neither
//!           |----'      '--------------'
//!           +------------------------------------------> time
//! ```

use arqway_units::{Span, Time};

/// A queue is none where less is sent than the line carries, so that this much of it should be gone, and it is as it was.
const SHOULD_BE_GONE: f64 = 1.5;
/// Queues move: what has stood for so many rounds, and so long, and hardly moved is the path.
const STANDING_ROUNDS: u32 = 12;
const STANDING_FOR: Span = Span::from_milliseconds(4500);

/// What was seen of the present wait, in seconds.
#[derive(Debug, Default)]
pub(super) struct Longer {
    leaving: Option<Leaving>,
    standing: Option<Standing>,
}

/// A queue as it was, and how much of it should be gone, in seconds.
#[derive(Debug, Clone, Copy)]
struct Leaving {
    queue: f64,
    gone: f64,
}

/// A queue that stands, in seconds.
#[derive(Debug, Clone, Copy)]
struct Standing {
    since: Time,
    rounds: u32,
    least: f64,
    most: f64,
}

impl Longer {
    /// What leaves is not followed any further.
    pub(super) fn interrupt(&mut self) {
        self.leaving = None;
    }

    /// So much waits while all that is sent comes through, no faster and no slower, and so much of it should be gone since the last
    /// report. Whether the path is longer.
    pub(super) fn hear_constant(&mut self, queue: f64, gone: f64) -> bool {
        let leaving = self.leaving.get_or_insert(Leaving { queue, gone: 0.0 });
        leaving.gone += gone;
        let is_longer = queue >= 0.6 * leaving.queue && leaving.gone > SHOULD_BE_GONE * leaving.queue;
        if is_longer || queue < 0.6 * leaving.queue || leaving.gone < 0.0 {
            self.leaving = None;
        }
        is_longer
    }

    /// One round more, in which so much waited. Whether the path is longer.
    pub(super) fn hear_round(&mut self, queue: f64, target: f64, now: Time) -> bool {
        if queue <= target * 1.3 {
            self.standing = None;
            return false;
        }
        let standing = self.standing.get_or_insert(Standing { since: now, rounds: 0, least: queue, most: queue });
        standing.rounds += 1;
        (standing.least, standing.most) = (standing.least.min(queue), standing.most.max(queue));
        let is_long = standing.rounds >= STANDING_ROUNDS && now.since(standing.since) > STANDING_FOR;
        let hardly_moved = standing.most - standing.least < target;
        if is_long {
            self.standing = None;
        }
        is_long && hardly_moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn what_stays_though_half_as_much_again_should_be_gone_is_a_longer_path() {
        let mut longer = Longer::default();
        let heard: alloc::vec::Vec<_> = (0..4).map(|_| longer.hear_constant(0.03, 0.0151)).collect();
        assert_eq!(heard, [false, false, true, false], "45.3 ms of 30");
        let mut longer = Longer::default();
        assert!([0.03, 0.017, 0.01, 0.005].into_iter().all(|queue| !longer.hear_constant(queue, 0.005)), "it leaves");
    }

    #[test]
    fn what_stands_for_twelve_rounds_and_hardly_moves_is_a_longer_path() {
        let is_longer = |queue: fn(u64) -> f64| {
            let mut longer = Longer::default();
            (0..20).position(|round| longer.hear_round(queue(round), 0.01, at(500 * round)))
        };
        assert_eq!(is_longer(|_| 0.03), Some(11), "4.5 s are over before");
        assert_eq!(is_longer(|round| if round % 2 == 0 { 0.03 } else { 0.041 }), None, "it moves");
        assert_eq!(is_longer(|_| 0.013), None, "it is where it should be");
    }
}
