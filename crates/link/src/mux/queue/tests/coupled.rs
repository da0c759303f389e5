//! The coupled queues beside their rules written down a second time, after RFC 9332, Appendix A, in its names and in seconds, and what they
//! promise.

use super::super::coupled::{Aims, Coupled, Side, Verdict};
use super::at;
use super::*;
use arqway_ip::Ecn;
use proptest::prelude::*;

const AIMS: Aims = Aims {
    step: Span::from_milliseconds(1),
    target: Span::from_milliseconds(15),
    round_trip: Span::from_milliseconds(100),
};

/// The rules after Appendix A, with a step in place of the ramp, and drawn at 1 where the count has come to it; all times in seconds.
#[derive(Default)]
struct Rfc {
    p_prime: f64,
    prevq: f64,
    l_count: f64,
    c_count: f64,
}

impl Rfc {
    const TARGET: f64 = 0.015;
    const RTT_MAX: f64 = 0.1;
    const K: f64 = 2.0;

    fn dualpi2_update(&mut self, curq: f64) {
        let tupdate = Self::TARGET.min(Self::RTT_MAX / 3.0);
        let alpha = 0.1 * tupdate / (Self::RTT_MAX * Self::RTT_MAX);
        let beta = 0.3 / Self::RTT_MAX;
        self.p_prime += alpha * (curq - Self::TARGET) + beta * (curq - self.prevq);
        self.p_prime = self.p_prime.clamp(0.0, 1.0);
        self.prevq = curq;
    }

    fn recur(count: &mut f64, likelihood: f64) -> bool {
        *count += likelihood;
        if *count >= 1.0 {
            *count -= 1.0;
            return true;
        }
        false
    }

    /// Whether a packet of a queue is marked, which has waited so long.
    fn mark(&mut self, low: bool, qdelay: f64) -> bool {
        if low {
            let p_cl = self.p_prime * Self::K;
            let native = f64::from(u8::from(qdelay > 0.001));
            Self::recur(&mut self.l_count, native.max(p_cl))
        } else {
            let p_c = self.p_prime * self.p_prime;
            Self::recur(&mut self.c_count, p_c)
        }
    }
}

proptest! {
    #[test]
    fn what_is_marked_is_what_the_rules_mark(steps in proptest::collection::vec((any::<bool>(), 0u64..60_000, 1u64..40), 1..400)) {
        let (mut ours, mut rfc, mut now, mut updates) = (Coupled::default(), Rfc::default(), Time::ZERO, 0);
        for (low, waited_us, later_ms) in steps {
            now += Span::from_milliseconds(later_ms);
            let waited = Span::from_nanoseconds(waited_us * 1000);
            ours.update(waited, AIMS, now);
            // Every 15 ms from zero on.
            while updates * 15 <= now.since(Time::ZERO).as_nanoseconds() / 1_000_000 {
                rfc.dualpi2_update(waited.as_seconds());
                updates += 1;
            }
            // What is different beyond saturation has a test of its own.
            prop_assume!(rfc.p_prime < 0.5);
            let verdict = ours.judge(if low { Side::LowLatency } else { Side::Classic }, waited, AIMS);
            let expected = if rfc.mark(low, waited.as_seconds()) { Verdict::Marked } else { Verdict::Goes };
            prop_assert_eq!(verdict, expected);
        }
    }
}

/// A packet with these bits.
fn packet_with(ecn: Ecn, length: usize) -> Packet {
    let mut octets = vec![0; length];
    (octets[0], octets[1], octets[9]) = (0x45, ecn.bits(), 17);
    octets[2..4].copy_from_slice(&u16::try_from(length).expect("short").to_be_bytes());
    Packet::new(octets)
}

fn l4s() -> QueueLimits {
    QueueLimits { l4s: Some(L4s::default()), ..limits(10_000, None, None) }
}

/// A queue for a second: each millisecond so many packets of each kind come, and so many octets go. What went of each kind, marked and
/// not, and the longest that one of L waited.
fn second(queue: &mut ClassQueue, [low, classic]: [usize; 2], octets: usize, from: u64) -> ([[usize; 2]; 2], Span) {
    let (mut went, mut longest, mut credit) = ([[0; 2]; 2], Span::ZERO, 0);
    for millisecond in from..from + 1000 {
        for (ecn, count) in [(Ecn::Ect1, low), (Ecn::Ect0, classic)] {
            for _ in 0..count {
                let mut packet = packet_with(ecn, 1000);
                packet.octets = {
                    let mut octets = packet.octets.to_vec();
                    octets[40] = ecn.bits();
                    octets.into()
                };
                queue.push(packet, at(millisecond)).expect("room");
            }
        }
        credit += octets;
        while credit >= 1000
            && let Some(packet) = queue.pop(at(millisecond))
        {
            credit -= 1000;
            let kind = usize::from(packet.octets[40] == Ecn::Ect0.bits());
            went[kind][usize::from(packet.ecn() == Ecn::Ce)] += 1;
            if kind == 0 {
                longest = longest.max(packet.age(at(millisecond)));
            }
        }
        credit = credit.min(1000);
    }
    (went, longest)
}

#[test]
fn packets_that_heed_each_mark_go_first_and_others_still_have_a_tenth_of_the_octets() {
    let (mut coupled, mut octets) = (Coupled::default(), [0, 0]);
    assert_eq!(coupled.turn(), Side::LowLatency);
    for _ in 0..10_000 {
        let (index, size) = if coupled.turn() == Side::LowLatency { (0, 300) } else { (1, 1500) };
        octets[index] += size;
        coupled.charge(coupled.turn(), size);
    }
    let share = octets[1] * 1000 / (octets[0] + octets[1]);
    assert!((98..=102).contains(&share), "{share} of a thousand");
}

#[test]
fn a_few_packets_of_l4s_wait_for_no_queue_of_others_and_hear_of_it_by_the_coupling() {
    let mut queue = ClassQueue::new(l4s(), false, 0);
    second(&mut queue, [0, 3], 2000, 0);
    let ([low, classic], longest) = second(&mut queue, [1, 1], 2000, 1000);
    assert!(longest <= Span::from_milliseconds(1), "{longest}");
    assert!(low[1] > 0 && classic[1] > 0, "marked of each: {low:?} {classic:?}");
}

#[test]
fn where_flows_take_turns_only_those_that_heed_each_mark_are_marked_at_the_step() {
    let mut queue = ClassQueue::new(QueueLimits { fair: Some(Fair::default()), ..l4s() }, false, 0);
    for ecn in [Ecn::Ect1, Ecn::Ect0, Ecn::NotEct] {
        for _ in 0..3 {
            let mut packet = packet_with(ecn, 500);
            packet.octets = {
                let mut octets = packet.octets.to_vec();
                octets[15] = ecn.bits();
                octets.into()
            };
            queue.push(packet, at(0)).expect("room");
        }
    }
    let mut marked = vec![];
    while let Some(packet) = queue.pop(at(2)) {
        marked.push((packet.octets[15], packet.ecn() == Ecn::Ce));
    }
    marked.sort_unstable();
    // The last of them is no queue.
    let of = |ecn: Ecn, marked: [bool; 3]| marked.map(|marked| (ecn.bits(), marked));
    let expected =
        [of(Ecn::NotEct, [false; 3]), of(Ecn::Ect1, [false, true, true]), of(Ecn::Ect0, [false; 3])].concat();
    assert_eq!((marked, queue.counters().packets_marked), (expected, 2));
}

#[test]
fn beyond_saturation_packets_are_dropped_that_would_be_marked_for_nothing() {
    let mut coupled = Coupled::default();
    for millisecond in 0..2000 {
        coupled.update(Span::from_milliseconds(500), AIMS, at(millisecond));
    }
    let verdicts = [(); 8].map(|()| coupled.judge(Side::LowLatency, Span::ZERO, AIMS));
    assert!(verdicts.contains(&Verdict::Dropped), "{verdicts:?}");
}

#[test]
fn on_a_slow_line_the_step_is_what_two_packets_take_and_the_target_grows_with_the_round_trip() {
    let aims = AIMS.on_link(Span::from_milliseconds(40), Span::from_milliseconds(600));
    assert_eq!((aims.step, aims.round_trip), (Span::from_milliseconds(40), Span::from_milliseconds(600)));
    assert!((aims.target.as_seconds() - 0.09).abs() < 1e-9, "{}", aims.target);
    assert_eq!(AIMS.on_link(Span::ZERO, Span::from_milliseconds(10)), AIMS);
}
