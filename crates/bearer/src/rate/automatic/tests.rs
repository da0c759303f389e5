//! What single reports do.

use super::*;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

/// A megabyte a second is known.
fn automatic() -> Automatic {
    let mut automatic = Automatic { capacity: 1e6, is_known: true, base: 0.04, ..Automatic::new(Bounds::ANY) };
    automatic.growth.slow();
    automatic
}

/// Five times so many octets have gone, and arrived, each so many milliseconds after the ones before.
fn deliver(automatic: &mut Automatic, each: u64, octets: u64) {
    for number in 0..5 {
        let newest = Mark { number, at: at(each * number), octets: octets * number, size: 1000 };
        let arrived = u32::try_from(1000 * each * number).expect("soon");
        automatic.delivery.hear(newest, Octets::ZERO, 0.0, arrived, octets);
    }
}

#[test]
fn one_report_leaves_a_part_of_what_the_line_carried_a_moment_ago() {
    let mut automatic = automatic();
    deliver(&mut automatic, 20, 20_000);
    let rates = Rates { sent: 2e4, arrived: 700.0, lost: 0.0, datagrams: 1 };
    automatic.follow(rates, 2.0, 0.01, at(1000));
    assert!((automatic.capacity - 1.5e5).abs() < 1.0, "{}", automatic.capacity);
}

/// A page is sent in bursts, each after a round trip in which nothing was: what arrives of it is no rate of the line's.
#[test]
fn what_arrives_of_a_pace_that_is_not_used_does_not_lower_it_where_it_hardly_waits_longer() {
    let fallen = |sent: f64, queue: f64, paced: f64| {
        let mut automatic = automatic();
        (automatic.pace, automatic.round.paces) = (1e6, [paced, 1e6]);
        automatic.follow(Rates { sent, arrived: 0.9 * sent, lost: 0.0, datagrams: 12 }, queue, 0.006, at(1000));
        automatic.capacity < 0.9e6
    };
    assert!(!fallen(3e5, 0.01, 1e6));
    assert!(fallen(8e5, 0.01, 1e6), "the pace is used");
    assert!(fallen(3e5, 0.01, 4e5), "it was, a moment ago");
    assert!(fallen(3e5, 0.02, 1e6), "and a queue that is longer by more stands");
}

/// Each datagram goes, and is heard of, 40 ms after the one before.
fn heard(number: u64) -> Heard {
    Heard {
        newest: Mark { number, at: at(40 * number), octets: 4000 * number, size: 1400 },
        arrived: u32::try_from(40_000 * number).expect("soon"),
        round_trip: Span::ZERO,
        overhead: Octets::ZERO,
    }
}

#[test]
fn queues_follow_a_fall_within_four_seconds() {
    let mut automatic = Automatic { capacity: 1e5, lately: 9e5, heard_at: Some(at(0)), ..automatic() };
    automatic.measure(&heard(1), at(1000));
    assert!((automatic.lately - 7e5).abs() < 1.0, "{}", automatic.lately);
    automatic.measure(&heard(2), at(5000));
    assert!((automatic.lately - 1e5).abs() < 1.0, "{}", automatic.lately);
}

#[test]
fn a_few_datagrams_say_nothing_where_little_is_sent() {
    let mut automatic = automatic();
    (0..12).for_each(|number| automatic.measure(&heard(number), at(40 * number)));
    assert_eq!(automatic.rates(), None, "100 kB/s of 1 MB/s");
    automatic.measure(&heard(12), at(480));
    assert_eq!(automatic.rates().map(|rates| rates.datagrams), Some(FEW));
    automatic.capacity = 1.5e5;
    assert_eq!(automatic.rates().map(|rates| rates.datagrams), Some(2), "enough is sent");
}

#[test]
fn nothing_is_told_beyond_the_bounds() {
    let most = BitRate::from_bits_per_second(200_000).expect("a rate");
    let automatic = Automatic::new(Bounds { most, ..Bounds::ANY });
    assert_eq!((automatic.pace(), automatic.lately()), (most, most));
}

#[test]
fn a_change_by_half_is_told_once() {
    let mut automatic = Automatic { lately: 1e6, told: 1e6, ..automatic() };
    let mut told = |lately| {
        automatic.lately = lately;
        automatic.poll_change().map(|rate| rate.as_bits_per_second())
    };
    let of = [1.49e6, 1.5e6, 1.5e6, 0.76e6, 0.75e6].map(&mut told);
    assert_eq!(of, [None, Some(12_000_000), None, None, Some(6_000_000)]);
}

#[test]
fn a_silence_lets_a_quarter_of_the_capacity_go() {
    let mut automatic = Automatic { heard_at: Some(at(1000)), window: 5e4, ..automatic() };
    assert_eq!(automatic.has_room_at(49_999, at(980)), None);
    // Two reports' time, the patience, and 5,000 octets at a quarter of a megabyte a second.
    assert_eq!(automatic.has_room_at(55_000, at(980)), Some(at(1000 + 40 + 60 + 20)));
    assert_eq!(automatic.has_room_at(55_000, at(1400)), Some(at(1400 + 40 + 60 + 20)), "nothing was under way before");
}

#[test]
fn what_overflows_a_queue_was_never_carried() {
    let mut automatic = automatic();
    let rates = Rates { sent: 1.6e6, arrived: 1.2e6, lost: 0.5, datagrams: 100 };
    automatic.follow(rates, 0.1, 0.01, at(1000));
    assert!((automatic.capacity - 6e5).abs() < 1.0, "{}", automatic.capacity);
}

#[test]
fn what_a_start_sent_is_not_what_the_line_carried() {
    let mut automatic = automatic();
    deliver(&mut automatic, 20, 2000);
    automatic.end_round(&heard(0), 0.0, 0.01, at(100));
    assert!((automatic.growth.reached() - 1e5).abs() < 1.0, "{}", automatic.growth.reached());
}

/// A queue of 20 ms stays though it should be gone, twice within two seconds.
#[test]
fn a_queue_that_stays_twice_is_others_and_one_that_was_our_own_is_the_path() {
    let stays_twice = |alone_at| {
        let mut automatic = Automatic { alone_at, largest: 1400, ..automatic() };
        automatic.stays(0.02, Stays::Still, at(1000));
        assert!(automatic.contest.is_none(), "once is a longer path");
        automatic.stays(0.02, Stays::Still, at(3000));
        automatic
    };
    assert!(stays_twice(None).contest.is_some());
    assert!(stays_twice(Some(at(500))).contest.is_none());
    let mut interrupted = stays_twice(None);
    interrupted.interrupt();
    assert!(interrupted.contest.is_none(), "whoever was there may be gone when the link is back");
    let mut moves = Automatic { largest: 1400, ..automatic() };
    moves.stays(0.02, Stays::AndMoves, at(1000));
    assert!(moves.contest.is_some(), "a longer path does not move");
}

#[test]
fn a_contest_begins_with_half_of_what_was_reached_and_twice_what_is_left_at_most() {
    let window = |reached| {
        let mut automatic = Automatic { capacity: 1e5, largest: 1400, ..automatic() };
        automatic.growth.end_round(reached);
        automatic.stays(0.06, Stays::AndMoves, at(1000));
        automatic.contest.expect("others").window(at(1000))
    };
    // 40 ms and a queue of 60.
    for (reached, rate) in [(0.0, 1e5), (3e5, 1.5e5), (1e6, 2e5)] {
        assert!((window(reached) - rate * 0.1 / 1400.0).abs() < 1e-6, "{reached}: {}", window(reached));
    }
}

#[test]
fn nothing_grows_beyond_four_times_what_comes_through() {
    let grows = |capacity: f64| {
        let mut automatic = Automatic { capacity, pace: 1e5, ..automatic() };
        deliver(&mut automatic, 40, 4000);
        (0..2).for_each(|number| automatic.end_round(&heard(number), 0.0, 0.01, at(40 * (number + 1))));
        automatic.capacity > capacity
    };
    // 100 kB/s come through.
    assert!(grows(3.9e5) && !grows(4.1e5));
}

#[test]
fn a_trial_of_losses_that_is_broken_off_gives_back_the_rate_unless_a_queue_overflows() {
    let after = |queue| {
        let mut automatic = Automatic { capacity: 5e5, before_trial: Some(1e6), pace: 1e6, ..automatic() };
        // Hardly anything is sent: the round says nothing of losses.
        (0..3).for_each(|number| automatic.end_round(&heard(number), queue, 0.01, at(40 * (number + 1))));
        assert_eq!(automatic.before_trial, None);
        automatic.capacity
    };
    assert_eq!([after(0.006), after(0.02)], [1e6, 5e5]);
}

#[test]
fn marks_lower_the_rate_once_for_all_that_was_sent_before() {
    let mut automatic = automatic();
    let mut hears = |number: u64, sent: u64, now: u64| {
        automatic.mark();
        let newest = Mark { number, at: at(sent), octets: 1000 * number, size: 1000 };
        let (arrived, round_trip) = (u32::try_from(1000 * sent).expect("soon"), Span::from_milliseconds(40));
        automatic.hear(&Heard { newest, arrived, round_trip, overhead: Octets::ZERO }, at(now));
        automatic.capacity
    };
    let [first, second, third] =
        [(1, 900, 940), (2, 920, 960), (3, 941, 981)].map(|(n, sent, now)| hears(n, sent, now));
    assert!((first - 8.5e5).abs() < 1.0 && first == second, "{first} {second}");
    assert!(third < 0.9 * second, "{third}");
    assert_eq!(automatic.finding, Finding::Marks);
}

#[test]
fn before_the_line_is_known_the_pace_is_ahead_of_who_sends_ever_more() {
    let capacity = |sent: u64| {
        let mut automatic = Automatic::new(Bounds::ANY);
        for number in 0..2 {
            let newest = Mark { number, at: at(100 * number), octets: sent * number, size: 1000 };
            let heard = Heard { newest, arrived: 0, round_trip: Span::from_milliseconds(50), overhead: Octets::ZERO };
            automatic.end_round(&heard, 0.0, 0.01, at(50 + 100 * number));
        }
        automatic.capacity
    };
    // Of 125,000 octets a second.
    assert_eq!((capacity(5000), capacity(1000)), (300_000.0, FIRST_RATE));
    assert!(
        (Automatic::new(Bounds::ANY).for_queues().as_bits_per_second() - 8_000_000) < 8,
        "as large as it may be soon"
    );
}
