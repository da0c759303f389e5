//! Single channels: error models first, then impairments.

use super::*;
use arqway_units::Span;

fn channel(model: &ErrorModel) -> Channel {
    Channel::new(model, &Impairments::default(), Direction::Down, &Streams::new(7, 0))
}

/// Whether the next frame arrives, at whatever time.
fn carries(channel: &mut Channel) -> bool {
    channel.carries(Octets::new(250), Time::ZERO, Time::ZERO)
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
            channel.carries(Octets::new(250), start, start + Span::from_nanoseconds(1))
        });
        fates.collect::<Vec<bool>>()
    };
    let (down, up) = (direction(Direction::Down), direction(Direction::Up));
    let same = down.iter().zip(&up).filter(|(down, up)| down == up).count();
    assert!((4500..5500).contains(&same), "{same} of 10,000 fates agree");
}
