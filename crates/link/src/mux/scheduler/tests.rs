//! The bound of self-clocked fair queueing, and what every scheduler promises, with integers.

use super::*;
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;

/// What happens at a scheduler.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// An item of so many octets enters a lane.
    Push(usize, u64),
    /// The link takes one.
    Pop,
}

const LANES: usize = 5;
const LARGEST: u64 = 1500;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let push = (0..LANES, 1..=LARGEST).prop_map(|(lane, size)| Step::Push(lane, size));
    proptest::collection::vec(prop_oneof![3 => push, 2 => Just(Step::Pop)], 0..400)
}

fn weights() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(1u32..1000, LANES)
}

/// What two lanes had sent, at each moment of a time in which both always had something waiting.
type Work = Vec<(u64, u64)>;

/// A scheduler, watched.
struct Watched {
    scheduler: Scheduler<(u64, usize)>,
    weights: Vec<u32>,
    /// What waits in each lane: its size, and the number it entered by.
    lanes: Vec<Vec<(u64, usize)>>,
    entered: usize,
    /// How much each lane has sent.
    sent: Vec<u64>,
    /// For each pair of lanes, what both had sent when both last began to have something waiting.
    both_since: Vec<Vec<Option<Work>>>,
}

impl Watched {
    fn new(config: SchedulerConfig, weights: &[u32]) -> Self {
        let mut scheduler = Scheduler::new(config, &Shares::equal(LANES));
        if let Scheduler::Scfq(scfq) = &mut scheduler {
            scfq.set_weights(weights);
        }
        Self {
            scheduler,
            weights: weights.to_vec(),
            lanes: vec![Vec::new(); LANES],
            entered: 0,
            sent: vec![0; LANES],
            both_since: vec![vec![None; LANES]; LANES],
        }
    }

    fn step(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Push(lane, size) => {
                self.lanes[lane].push((size, self.entered));
                self.scheduler.push(LaneId(lane), Octets::new(size), (size, self.entered));
                self.entered += 1;
            }
            Step::Pop => match self.scheduler.pop() {
                // In the order of its lane, and each once.
                Some((LaneId(lane), item)) => {
                    prop_assert!(!self.lanes[lane].is_empty(), "an item that nobody pushed");
                    prop_assert_eq!(item, self.lanes[lane].remove(0));
                    self.sent[lane] += item.0;
                }
                // Work-conserving.
                None => prop_assert!(self.lanes.iter().all(Vec::is_empty), "the link idles while something waits"),
            },
        }
        for (lane, items) in self.lanes.iter().enumerate() {
            prop_assert_eq!(self.scheduler.waiting(LaneId(lane)), items.len());
        }
        Ok(())
    }

    /// Golestani's bound, over every interval in which two lanes always had something waiting.
    fn check_bound(&mut self) -> Result<(), TestCaseError> {
        for one in 0..LANES {
            for other in 0..one {
                let interval = &mut self.both_since[one][other];
                if self.lanes[one].is_empty() || self.lanes[other].is_empty() {
                    *interval = None;
                    continue;
                }
                let now = (self.sent[one], self.sent[other]);
                let starts = interval.get_or_insert_default();
                starts.push(now);
                let weights = (i64::from(self.weights[one]), i64::from(self.weights[other]));
                let bound = LARGEST as i64 * (weights.0 + weights.1);
                for start in starts.iter() {
                    let work = ((now.0 - start.0) as i64, (now.1 - start.1) as i64);
                    // |W_i / r_i - W_j / r_j| <= L / r_i + L / r_j, times both rates.
                    prop_assert!((work.0 * weights.1 - work.1 * weights.0).abs() <= bound, "{work:?} by {weights:?}");
                }
            }
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn every_item_leaves_once_in_the_order_of_its_lane_and_the_link_never_idles(steps in steps(), weights in weights(), fair: bool) {
        let config = if fair { SchedulerConfig::Scfq(Scfq::default()) } else { SchedulerConfig::Fcfs };
        let mut watched = Watched::new(config, &weights);
        for step in steps {
            watched.step(step)?;
        }
        for _ in 0..=watched.entered {
            watched.step(Step::Pop)?;
        }
    }

    #[test]
    fn two_backlogged_lanes_are_never_further_apart_than_a_frame_of_each(steps in steps(), weights in weights()) {
        let mut watched = Watched::new(SchedulerConfig::Scfq(Scfq::default()), &weights);
        for step in steps {
            watched.step(step)?;
            watched.check_bound()?;
        }
    }
}

/// Serves lanes that always have something waiting, and says how much each has sent.
fn serve(scheduler: &mut SelfClocked<u64>, backlogged: &[usize], sizes: &[u64], frames: usize) -> Vec<u64> {
    let mut sent = vec![0; sizes.len()];
    for _ in 0..frames {
        for lane in backlogged {
            while scheduler.waiting(LaneId(*lane)) < 2 {
                scheduler.push(LaneId(*lane), Octets::new(sizes[*lane]), sizes[*lane]);
            }
        }
        let (LaneId(lane), size) = scheduler.pop().expect("something waits");
        sent[lane] += size;
    }
    sent
}

#[test]
fn what_an_idle_lane_leaves_is_shared_in_proportion() {
    let mut scheduler = SelfClocked::new(&[50, 30, 20]);
    let sent = serve(&mut scheduler, &[1, 2], &[100, 100, 100], 5000);
    assert!(sent[0] == 0 && sent[1].abs_diff(300_000) <= 200, "{sent:?}");
}

#[test]
fn a_lane_that_slept_has_saved_nothing() {
    let mut scheduler = SelfClocked::new(&[1, 1]);
    serve(&mut scheduler, &[0], &[100, 100], 5000);
    let sent = serve(&mut scheduler, &[0, 1], &[100, 100], 100);
    assert!(sent[0].abs_diff(sent[1]) <= 200, "{sent:?}");
}

#[test]
fn stamps_stay_exact_on_a_link_that_never_rests() {
    // The least weight beside the largest, and sizes that divide by neither: a year of stamps at once, then the shares.
    let weights = [1, Shares::WHOLE - 1];
    let mut scheduler = SelfClocked::new(&weights);
    for _ in 0..3000 {
        scheduler.push(LaneId(0), Octets::new(u64::from(u32::MAX)), 0);
    }
    for _ in 0..2999 {
        scheduler.pop();
    }
    let sent = serve(&mut scheduler, &[0, 1], &[1499, 1499], 3_000_000);
    let expected = 3_000_000 / u64::from(Shares::WHOLE);
    assert!((sent[0] / 1499).abs_diff(expected) <= 2, "{} instead of {expected}", sent[0] / 1499);
}

#[test]
fn new_shares_count_from_the_next_frame_on() {
    let mut scheduler = SelfClocked::new(&[1, 1]);
    serve(&mut scheduler, &[0, 1], &[100, 100], 1000);
    scheduler.set_weights(&[3, 1]);
    let sent = serve(&mut scheduler, &[0, 1], &[100, 100], 4000);
    assert!(sent[0].abs_diff(300_000) <= 600, "{sent:?}");
}
