//! Single channels: error models first, then impairments.

use super::*;
use crate::kernel::EventQueue;
use crate::line::{Line, Queue, Room};
use crate::rate::{Rate, RateStep, StepRate};
use crate::recorded::{Trace, TraceEnd};
use arqway_units::BitRate;
use arqway_units::Span;
use proptest::prelude::*;

fn channel(model: &ErrorModel) -> Channel {
    Channel::new(model, &Impairments::default(), Direction::Down, &Streams::new(7, 0))
}

/// A clock for models that do not care how a frame spreads over its time.
fn any_clock() -> Clock {
    Clock::steady(BitRate::MINIMUM)
}

/// Whether the next frame arrives, at whatever time.
fn carries(channel: &mut Channel) -> bool {
    channel.carries(Octets::new(250), Time::ZERO, Time::ZERO, &any_clock())
}

#[test]
fn a_uniform_channel_loses_its_share_and_remembers_nothing() {
    let loss = Ratio::new(0.054).expect("a share");
    let mut channel = channel(&ErrorModel::Uniform(Uniform { loss }));
    let frames = 1_000_000;
    let (mut lost, mut pairs, mut last) = (0u32, 0u32, false);
    for _ in 0..frames {
        let now = !carries(&mut channel);
        lost += u32::from(now);
        pairs += u32::from(now && last);
        last = now;
    }
    // Four standard errors of a binomial share: sqrt(p (1 - p) / n) is 0.00023 here, of pairs 0.000054.
    assert!((f64::from(lost) / f64::from(frames) - 0.054).abs() < 0.0009, "{lost}");
    assert!((f64::from(pairs) / f64::from(frames) - 0.054 * 0.054).abs() < 0.00022, "{pairs}");
}

#[test]
fn a_higher_loss_loses_every_frame_that_a_lower_one_loses() {
    let at = |loss| channel(&ErrorModel::Uniform(Uniform { loss: Ratio::new(loss).expect("a share") }));
    let (mut low, mut high) = (at(0.015), at(0.098));
    for _ in 0..10_000 {
        let (low, high) = (carries(&mut low), carries(&mut high));
        assert!(low || !high, "common random numbers keep the points of a sweep paired");
    }
}

#[test]
fn a_listed_channel_loses_exactly_the_frames_listed() {
    let mut channel = channel(&ErrorModel::Listed(Listed { down: [0, 3].into(), up: [1].into() }));
    let carried: [bool; 5] = core::array::from_fn(|_| carries(&mut channel));
    assert_eq!(carried, [false, true, true, false, true]);
}

#[test]
fn the_two_directions_are_bad_at_different_times() {
    let states = TwoState {
        good: Span::from_milliseconds(100),
        bad: Span::from_milliseconds(100),
        good_bit_errors: Ratio::ZERO,
        bad_bit_errors: Ratio::ONE,
    };
    let direction = |direction| {
        let mut channel =
            Channel::new(&ErrorModel::TwoState(states), &Impairments::default(), direction, &Streams::new(7, 0));
        let fates = (0..10_000u64).map(move |frame| {
            let start = Time::ZERO + Span::from_milliseconds(30) * frame;
            channel.carries(Octets::new(250), start, start + Span::from_nanoseconds(1), &any_clock())
        });
        fates.collect::<Vec<bool>>()
    };
    let (down, up) = (direction(Direction::Down), direction(Direction::Up));
    let same = down.iter().zip(&up).filter(|(down, up)| down == up).count();
    assert!((4500..5500).contains(&same), "{same} of 10,000 fates agree");
}

/// A frame that left its transmitter at a time, and its number.
fn departures(count: u64) -> impl Iterator<Item = Time> {
    (0..count).map(|number| Time::ZERO + Span::from_milliseconds(1) * number)
}

/// When frames that come a propagation delay of zero behind their departure arrive, with these impairments.
fn arrivals(impairments: Impairments, count: u64) -> Vec<Arrivals> {
    let mut channel = Channel::new(&ErrorModel::None, &impairments, Direction::Down, &Streams::new(7, 0));
    let pass = |at| channel.pass(Octets::new(250), at, &Passage { departure: at, arrival: at }, &any_clock());
    departures(count).map(pass).collect()
}

fn ratio(share: f64) -> Ratio {
    Ratio::new(share).expect("a share")
}

#[test]
fn a_share_of_the_frames_comes_later_and_another_comes_twice() {
    let (held_back, later) = (Span::from_milliseconds(30), Span::from_milliseconds(7));
    let impairments = Impairments {
        reordering: Some(Reordering { share: ratio(0.03), delay: held_back }),
        duplication: Some(Duplication { share: ratio(0.02), delay: later }),
        jitter: Jitter::None,
    };
    let (mut reordered, mut copies, mut both, count) = (0u32, 0u32, 0u32, 500_000);
    for (departure, arrivals) in departures(count).zip(arrivals(impairments, count)) {
        let arrival = arrivals.frame.expect("no frame is lost");
        let is_late = arrival == departure + held_back;
        assert!(is_late || arrival == departure);
        assert!(arrivals.copy.is_none_or(|copy| copy == arrival + later));
        reordered += u32::from(is_late);
        copies += u32::from(arrivals.copy.is_some());
        both += u32::from(is_late && arrivals.copy.is_some());
    }
    let share = |frames: u32| f64::from(frames) / count as f64;
    // Four standard errors of a binomial share: sqrt(p (1 - p) / n) is 0.00024, 0.0002 and, where both meet, 0.000035.
    assert!((share(reordered) - 0.03).abs() < 0.001, "{reordered}");
    assert!((share(copies) - 0.02).abs() < 0.0008, "{copies}");
    assert!((share(both) - 0.0006).abs() < 0.000_14, "{both}");
}

#[test]
fn jitter_has_the_mean_and_the_variance_of_its_distribution() {
    let milliseconds = Span::from_milliseconds;
    let uniform = Jitter::Uniform(UniformJitter { longest: milliseconds(30), keep_order: false });
    let exponential = Jitter::Exponential(ExponentialJitter { mean: milliseconds(15), keep_order: false });
    // Uniform up to b: mean b / 2, variance b^2 / 12, fourth central moment b^4 / 80. Exponential: m, m^2, 9 m^4.
    let b: f64 = 0.030;
    let of_uniform = (b / 2.0, b * b / 12.0, b * b * b * b / 80.0);
    let m: f64 = 0.015;
    let of_exponential = (m, m * m, 9.0 * m * m * m * m);
    for (jitter, (mean, variance, fourth)) in [(uniform, of_uniform), (exponential, of_exponential)] {
        let impairments = Impairments { jitter, ..Impairments::default() };
        let count = 400_000;
        let arrivals = arrivals(impairments, count);
        let delay = |(at, arrivals): (Time, &Arrivals)| (arrivals.frame.expect("no frame is lost") - at).as_seconds();
        let delays: Vec<f64> = departures(count).zip(&arrivals).map(delay).collect();
        let n = count as f64;
        let measured = delays.iter().sum::<f64>() / n;
        let spread = delays.iter().map(|delay| (delay - measured) * (delay - measured)).sum::<f64>() / n;
        // Four standard errors: of a mean sqrt(variance / n), of a variance sqrt((fourth - variance^2) / n).
        assert!((measured - mean).abs() < 4.0 * libm::sqrt(variance / n), "{jitter:?}: {measured} for {mean}");
        let error = libm::sqrt((fourth - variance * variance) / n);
        assert!((spread - variance).abs() < 4.0 * error, "{jitter:?}: {spread} for {variance}");
    }
}

#[test]
fn which_frames_are_lost_does_not_depend_on_the_impairments_nor_these_on_the_losses() {
    let impairments = Impairments {
        reordering: Some(Reordering { share: ratio(0.2), delay: Span::from_milliseconds(3) }),
        duplication: Some(Duplication { share: ratio(0.2), delay: Span::ZERO }),
        jitter: Jitter::Exponential(ExponentialJitter { mean: Span::from_milliseconds(2), keep_order: true }),
    };
    let uniform = ErrorModel::Uniform(Uniform { loss: ratio(0.3) });
    let new = |model, impairments| Channel::new(model, impairments, Direction::Down, &Streams::new(7, 0));
    let mut both = new(&uniform, &impairments);
    let (mut lossy, mut impaired) = (new(&uniform, &Impairments::default()), new(&ErrorModel::None, &impairments));
    for at in departures(10_000) {
        let pass = |channel: &mut Channel| {
            channel.pass(Octets::new(250), at, &Passage { departure: at, arrival: at }, &any_clock())
        };
        let expected = if pass(&mut lossy).frame.is_some() {
            pass(&mut impaired)
        } else {
            pass(&mut impaired);
            Arrivals::NONE
        };
        assert_eq!(pass(&mut both), expected);
    }
}

#[test]
fn each_impairment_has_random_numbers_of_its_own() {
    let later = Span::from_milliseconds(3);
    let duplication = Some(Duplication { share: ratio(0.3), delay: Span::ZERO });
    let reordering = Some(Reordering { share: ratio(0.3), delay: later });
    let jitter = Jitter::Uniform(UniformJitter { longest: Span::from_milliseconds(1), keep_order: false });
    let none = Impairments::default();
    let all = arrivals(Impairments { reordering, duplication, jitter }, 10_000);
    let copied = arrivals(Impairments { duplication, ..none }, 10_000);
    let held_back = arrivals(Impairments { reordering, ..none }, 10_000);
    let jittered = arrivals(Impairments { jitter, ..none }, 10_000);
    let mut copied_and_held_back = 0;
    for (number, departure) in departures(10_000).enumerate() {
        let (is_copied, is_late) = (copied[number].copy.is_some(), held_back[number].frame != Some(departure));
        let frame = jittered[number].frame.map(|at| if is_late { at + later } else { at });
        assert_eq!(all[number], Arrivals { frame, copy: frame.filter(|_| is_copied) }, "frame {number}");
        copied_and_held_back += u32::from(is_copied && is_late);
    }
    // Independent: 0.3 * 0.3 of 10,000, give or take four standard errors of 29.
    assert!((784..=1016).contains(&copied_and_held_back), "{copied_and_held_back}");
}

fn jitters() -> impl Strategy<Value = Jitter> {
    (0u8..3, 0u64..200, any::<bool>()).prop_map(|(kind, milliseconds, keep_order)| {
        let span = Span::from_milliseconds(milliseconds);
        match kind {
            0 => Jitter::None,
            1 => Jitter::Uniform(UniformJitter { longest: span, keep_order }),
            _ => Jitter::Exponential(ExponentialJitter { mean: span, keep_order }),
        }
    })
}

fn all_impairments() -> impl Strategy<Value = Impairments> {
    let share_and_delay = || proptest::option::of((0.0..=1.0, 0u64..200));
    (share_and_delay(), share_and_delay(), jitters()).prop_map(|(reordering, duplication, jitter)| Impairments {
        reordering: reordering
            .map(|(share, delay)| Reordering { share: ratio(share), delay: Span::from_milliseconds(delay) }),
        duplication: duplication
            .map(|(share, delay)| Duplication { share: ratio(share), delay: Span::from_milliseconds(delay) }),
        jitter,
    })
}

fn rates() -> impl Strategy<Value = Rate> {
    let step = (1u64..2000, 0u64..200_000).prop_map(|(milliseconds, rate)| RateStep {
        length: Span::from_milliseconds(milliseconds),
        rate: StepRate(BitRate::from_bits_per_second(rate)),
    });
    let steps = proptest::collection::vec(step, 0..5).prop_map(|mut steps| {
        let rate = StepRate(BitRate::from_bits_per_second(64_000));
        steps.push(RateStep { length: Span::from_milliseconds(20), rate });
        Rate::Trace(Trace::new(steps, TraceEnd::Repeat).expect("the last step sends"))
    });
    prop_oneof![
        (1000u64..1_000_000).prop_map(|rate| Rate::Constant(BitRate::from_bits_per_second(rate).expect("a rate"))),
        steps
    ]
}

/// The clock of a rate that is not random.
fn clock(rate: &Rate) -> Clock {
    Clock::new(rate, || Streams::new(7, 0).stream("rate"))
}

/// Sends frames over a line and a channel behind it as a link's end does; what arrives, in order, and how many copies
/// the channel made.
fn send(rate: &Rate, impairments: &Impairments, sizes: &[u64]) -> (Vec<usize>, usize) {
    let mut channel = Channel::new(&ErrorModel::None, impairments, Direction::Down, &Streams::new(7, 0));
    let mut line: Line<usize> =
        Line::new(clock(rate), &Span::from_milliseconds(50).into(), Queue::DropTail(Room::of(1)));
    let (mut events, mut now, mut copies) = (EventQueue::default(), Time::ZERO, 0);
    for (number, size) in sizes.iter().enumerate() {
        let passage = line.transmit(Octets::new(*size), now);
        let arrivals = channel.pass(Octets::new(*size), now, &passage, line.clock());
        copies += usize::from(arrivals.copy.is_some());
        for at in [arrivals.copy, arrivals.frame].into_iter().flatten() {
            assert!(at >= passage.arrival, "nothing comes early");
            line.launch(number, at, &mut events, ());
        }
        line.depart();
        now = passage.departure;
    }
    let mut arrived = Vec::new();
    while let Some((at, ())) = events.pop() {
        arrived.push(line.arrive(at, &mut events, ()).expect("a frame for each event"));
    }
    (arrived, copies)
}

proptest! {
    #[test]
    fn whatever_the_impairments_every_frame_arrives_once_and_its_copy_once(
        rate in rates(), impairments in all_impairments(), sizes in proptest::collection::vec(1u64..1500, 1..80),
    ) {
        let (mut arrived, copies) = send(&rate, &impairments, &sizes);
        prop_assert_eq!(arrived.len(), sizes.len() + copies);
        arrived.sort_unstable();
        let again = arrived.windows(2).filter(|pair| pair[0] == pair[1]).count();
        arrived.dedup();
        prop_assert_eq!((arrived.len(), again), (sizes.len(), copies));
    }

    #[test]
    fn where_order_is_kept_nothing_overtakes(
        rate in rates(), jitter in jitters(), share in 0.0..=1.0, sizes in proptest::collection::vec(1u64..1500, 1..80),
    ) {
        prop_assume!(jitter.keeps_order());
        let duplication = Some(Duplication { share: ratio(share), delay: Span::ZERO });
        let (arrived, _) = send(&rate, &Impairments { duplication, jitter, reordering: None }, &sizes);
        prop_assert!(arrived.is_sorted(), "{:?}", arrived);
    }
}

#[test]
fn where_order_is_not_kept_jitter_lets_frames_overtake() {
    let jitter = Jitter::Uniform(UniformJitter { longest: Span::from_milliseconds(100), keep_order: false });
    let rate = Rate::Constant(BitRate::from_bits_per_second(1_000_000).expect("a rate"));
    let (arrived, _) = send(&rate, &Impairments { jitter, ..Impairments::default() }, &[250; 50]);
    assert!(!arrived.is_sorted());
}
