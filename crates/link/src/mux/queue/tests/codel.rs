//! `CoDel` beside the pseudocode of RFC 8289, Section 5, written down as it stands there.

use super::super::codel::{Bounds, Codel, Standing};
use super::at;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_contract::Packet;
use arqway_units::{Span, Time};
use proptest::prelude::*;

const TARGET: u64 = 5_000_000;
const INTERVAL: u64 = 100_000_000;
const BOUNDS: Bounds = Bounds { target: Span::from_nanoseconds(TARGET), interval: Span::from_nanoseconds(INTERVAL) };
const MTU: usize = 100;

/// Packets, each a number of octets that came at a time.
#[derive(Default)]
struct Queue {
    packets: VecDeque<Packet>,
    now: Time,
    marks: bool,
    dropped: Vec<usize>,
    marked: Vec<usize>,
}

impl Standing for Queue {
    fn take(&mut self) -> Option<Packet> {
        self.packets.pop_front()
    }

    fn waited(&self, packet: &Packet) -> Span {
        packet.age(self.now)
    }

    fn is_short(&self) -> bool {
        self.packets.iter().map(|packet| packet.octets.len()).sum::<usize>() <= MTU
    }

    fn mark(&mut self, packet: Packet) -> Option<Packet> {
        let list = if self.marks { &mut self.marked } else { &mut self.dropped };
        list.push(packet.octets.len());
        self.marks.then_some(packet)
    }
}

/// The queue of the RFC: `q` holds sizes and times, names and order of statements are its own.
#[derive(Default)]
struct Rfc {
    q: VecDeque<(usize, u64)>,
    first_above_time_: u64,
    drop_next_: u64,
    count_: u32,
    lastcount_: u32,
    dropping_: bool,
    drops: Vec<usize>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "as in the RFC"
)]
fn control_law(t: u64, count: u32) -> u64 {
    t + (INTERVAL as f64 / f64::from(count).sqrt()) as u64
}

impl Rfc {
    fn dodequeue(&mut self, now: u64) -> (Option<usize>, bool) {
        let mut ok_to_drop = false;
        let Some((p, tstamp)) = self.q.pop_front() else {
            self.first_above_time_ = 0;
            return (None, false);
        };
        let sojourn_time = now - tstamp;
        let bytes: usize = self.q.iter().map(|(size, _)| size).sum();
        if sojourn_time < TARGET || bytes <= MTU {
            self.first_above_time_ = 0;
        } else if self.first_above_time_ == 0 {
            self.first_above_time_ = now + INTERVAL;
        } else if now >= self.first_above_time_ {
            ok_to_drop = true;
        }
        (Some(p), ok_to_drop)
    }

    fn deque(&mut self, now: u64) -> Option<usize> {
        let mut r = self.dodequeue(now);
        if self.dropping_ {
            if !r.1 {
                self.dropping_ = false;
            }
            while now >= self.drop_next_ && self.dropping_ {
                self.drops.extend(r.0);
                self.count_ += 1;
                r = self.dodequeue(now);
                if r.1 {
                    self.drop_next_ = control_law(self.drop_next_, self.count_);
                } else {
                    self.dropping_ = false;
                }
            }
        } else if r.1 {
            self.drops.extend(r.0);
            r = self.dodequeue(now);
            self.dropping_ = true;
            let delta = i64::from(self.count_) - i64::from(self.lastcount_);
            self.count_ = 1;
            if delta > 1 && now.saturating_sub(self.drop_next_) < 16 * INTERVAL {
                self.count_ = u32::try_from(delta).expect("it counts up");
            }
            self.drop_next_ = control_law(now, self.count_);
            self.lastcount_ = self.count_;
        }
        r.0
    }
}

proptest! {
    #[test]
    fn step_by_step_it_drops_what_the_pseudocode_of_the_rfc_drops(
        phases in proptest::collection::vec((1_u64..400, 0_u64..4, 0_u64..4), 1..20), size in 1_usize..90,
    ) {
        let (mut queue, mut codel, mut rfc) = (Queue::default(), Codel::default(), Rfc::default());
        let mut now = 1_000_000;
        for (milliseconds, come, go) in phases {
            for step in 0..milliseconds {
                now += 1_000_000;
                queue.now = Time::from_nanoseconds(now);
                for number in 0..come {
                    let octets = size + usize::try_from((step + number) % 7).expect("small");
                    queue.packets.push_back(Packet { arrived: Some(queue.now), ..super::packet(octets) });
                    rfc.q.push_back((octets, now));
                }
                for _ in 0..go {
                    let time = queue.now;
                    let next = codel.next(&mut queue, BOUNDS, time).map(|packet| packet.octets.len());
                    prop_assert_eq!(next, rfc.deque(now));
                    prop_assert_eq!(&queue.dropped, &rfc.drops);
                }
            }
        }
    }
}

/// When packets are dropped or marked of a queue to which two come for one that goes, a millisecond each.
fn times_of(marks: bool, milliseconds: u64) -> (Vec<u64>, Queue) {
    let (mut queue, mut codel) = (Queue { marks, ..Queue::default() }, Codel::default());
    let mut times = Vec::new();
    for millisecond in 0..milliseconds {
        queue.now = at(millisecond);
        (0..2).for_each(|_| queue.packets.push_back(Packet { arrived: Some(at(millisecond)), ..super::packet(80) }));
        let before = queue.dropped.len() + queue.marked.len();
        let time = queue.now;
        codel.next(&mut queue, BOUNDS, time).expect("a packet goes");
        if queue.dropped.len() + queue.marked.len() > before {
            times.push(millisecond);
        }
    }
    (times, queue)
}

#[test]
fn the_first_goes_after_an_interval_above_the_target_and_the_next_sooner_and_sooner() {
    let (times, queue) = times_of(false, 500);
    // The tenth packet waits 5 ms, which is at 9 ms; 100 ms later they still do.
    assert_eq!(times.first(), Some(&109));
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps[..5], [100, 71, 58, 50, 45], "an interval over the square roots of 1, 2, 3, ...");
    assert!(queue.marked.is_empty());
}

#[test]
fn a_packet_that_may_be_marked_is_marked_when_another_would_be_dropped_and_goes() {
    let (times, queue) = times_of(true, 500);
    assert_eq!((times, queue.dropped.len()), (times_of(false, 500).0, 0));
}
