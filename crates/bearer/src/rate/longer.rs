//! Whether what waits is our own queue, or the path has become longer: a handoff, a satellite's next beam. Or others fill the queue.
//!
//! ```text
//!     delay ^      .-.                  .---------------     a queue leaves where less is sent than the line carries, and moves;
//!           |     '   '.               |                     a longer path does neither; others' queue moves, and stays
//!           |----'      '--------------'
//!           +------------------------------------------> time
//! ```

use arqway_units::{Span, Time};

/// A queue is none where less is sent than the line carries, so that this much of it should be gone, and it is as it was.
const SHOULD_BE_GONE: f64 = 1.5;
/// What arrives has fallen by this with what is sent.
const FOLLOWS: f64 = 0.7;
/// Queues move: what has stood for so many rounds, and so long, and hardly moved is the path.
const STANDING_ROUNDS: u32 = 12;
const STANDING_FOR: Span = Span::from_milliseconds(4500);

/// What was seen of the present wait, in seconds.
#[derive(Debug, Default)]
pub(super) struct Longer {
    leaving: Option<Leaving>,
    elastic: Option<Elastic>,
    standing: Option<Standing>,
}

/// A queue as it was, and how much of it should be gone, in seconds.
#[derive(Debug, Clone, Copy)]
struct Leaving {
    queue: f64,
    gone: f64,
}

/// A queue that stands: how much of it should be gone, in seconds, and how fast datagrams arrived at first.
#[derive(Debug, Clone, Copy)]
struct Elastic {
    gone: f64,
    arrived: f64,
    least: f64,
    most: f64,
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

    /// So much waits, in seconds, of which this should be gone since the last report if as much arrives as is sent. Where what arrives has
    /// followed what is sent all the while, and the queue is there nonetheless: by how much it has moved.
    pub(super) fn hear_elastic(&mut self, queue: f64, target: f64, arrived: f64, gone: Option<f64>) -> Option<f64> {
        if queue <= target {
            self.elastic = None;
            return None;
        }
        let elastic = self.elastic.get_or_insert(Elastic { gone: 0.0, arrived, least: queue, most: queue });
        (elastic.least, elastic.most) = (elastic.least.min(queue), elastic.most.max(queue));
        let gone = gone?;
        elastic.gone += gone;
        let is_elastic = elastic.gone > SHOULD_BE_GONE * queue && arrived < FOLLOWS * elastic.arrived;
        let moved = elastic.most - elastic.least;
        if is_elastic {
            self.elastic = None;
        }
        is_elastic.then_some(moved)
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
    fn what_arrives_follows_what_is_sent_where_others_take_what_we_leave() {
        let hears = |arrived: fn(f64) -> f64| {
            let mut longer = Longer::default();
            (0..10).find_map(|report: u32| {
                longer.hear_elastic(0.02 + 0.001 * f64::from(report), 0.01, arrived(f64::from(report)), Some(0.006))
            })
        };
        // After seven reports 42 ms should be gone of 26.
        let moved = hears(|report| 1e6 * (1.0 - 0.1 * report)).expect("it follows");
        assert!((moved - 0.006).abs() < 1e-9, "{moved}");
        assert_eq!(hears(|_| 1e6), None, "as much arrives as before");
        let mut longer = Longer::default();
        assert!((0..100).all(|_| longer.hear_elastic(0.009, 0.01, 1.0, Some(1.0)).is_none()), "no queue");
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
