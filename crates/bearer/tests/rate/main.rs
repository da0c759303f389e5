//! What a rate that is found promises, each with the seed of its world.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a world of small numbers"
)]

mod world;

use world::{Course, Line, Seen, rivals, run, share, waited};

/// A line of 10 Mbit/s and 40 ms there and back.
fn line() -> Line {
    Line::new(10.0, 20.0)
}

/// Two datagrams' time and 10 ms, in milliseconds.
fn standing(rate: f64) -> f64 {
    10.0 + 2.0 * 12.0 / rate
}

#[test]
fn a_constant_rate_is_found_within_ten_round_trips_and_three_seconds_and_hardly_a_queue_stands() {
    for rate in [0.064, 1.0, 10.0, 100.0] {
        for delay in [2.5, 10.0, 50.0, 150.0] {
            let seen = run(&Line::new(rate, delay), 20);
            let found = 3.0 + 10.0 * 2.0 * delay / 1000.0;
            // What stood in the queue when it was found is drained a little later.
            let (share, waited) = (share(&seen, found, 20.0), waited(&seen, 12.0, 20.0));
            assert!(share >= 0.93, "{rate} Mbit/s, {delay} ms: {share:.3} of it");
            assert!(waited <= standing(rate), "{rate} Mbit/s, {delay} ms: a queue of {waited:.1} ms");
        }
    }
}

#[test]
fn ten_times_the_capacity_is_found_within_two_seconds() {
    let seen = run(&Line { rate: vec![(0, 2.0), (10_000, 20.0)], ..line() }, 20);
    assert!(share(&seen, 12.0, 20.0) >= 0.9, "{:.3}", share(&seen, 12.0, 20.0));
}

#[test]
fn after_a_fall_to_a_tenth_the_queue_is_drained_within_four_round_trips_and_what_stood_in_it() {
    let seen = run(&Line { rate: vec![(0, 20.0), (10_000, 2.0)], ..line() }, 20);
    let stood = seen[1000..].iter().map(|seen| seen.waited).fold(0.0, f64::max) / 1000.0;
    let drained = 10.0 + 4.0 * 0.04 + stood;
    assert!(stood < 1.0, "{stood:.2} s");
    assert!(waited(&seen, drained, 20.0) <= 2.0 * standing(2.0), "{:.1} ms", waited(&seen, drained, 20.0));
    assert!(share(&seen, drained, 20.0) >= 0.93, "{:.3}", share(&seen, drained, 20.0));
}

#[test]
fn a_path_that_becomes_longer_or_shorter_is_not_taken_for_a_queue() {
    let seen = run(&Line { delay: vec![(0, 20.0), (10_000, 70.0), (20_000, 20.0)], ..line() }, 30);
    for from in [13.0, 23.0] {
        assert!(share(&seen, from, from + 7.0) >= 0.95, "{:.3} from {from} s on", share(&seen, from, from + 7.0));
    }
    assert!(share(&seen, 10.0, 13.0) >= 0.65, "{:.3} in between", share(&seen, 10.0, 13.0));
}

#[test]
fn the_grants_of_a_radio_are_not_taken_for_a_queue() {
    for grants in [5.0, 8.0, 10.0] {
        let seen = run(&Line { grants, ..line() }, 20);
        assert!(share(&seen, 3.4, 20.0) >= 0.93, "{:.3} with one each {grants} ms", share(&seen, 3.4, 20.0));
    }
}

#[test]
fn clocks_may_drift_and_be_set() {
    for drift in [-200.0, 200.0] {
        let seen = run(&Line { drift, ..line() }, 30);
        assert!(share(&seen, 3.4, 30.0) >= 0.93, "{:.3} with {drift} ppm", share(&seen, 3.4, 30.0));
        assert!(
            waited(&seen, 3.4, 30.0) <= standing(10.0) + 4.0,
            "{:.1} ms with {drift} ppm",
            waited(&seen, 3.4, 30.0)
        );
    }
    for by in [700.0, 3_600_000.0] {
        let seen = run(&Line { set: Some((10_000, by)), ..line() }, 20);
        assert!(share(&seen, 13.0, 20.0) >= 0.93, "{:.3} after {by} ms", share(&seen, 13.0, 20.0));
    }
}

#[test]
fn a_long_way_back_holds_nothing_up() {
    let seen = run(&Line { back: 300.0, ..line() }, 20);
    assert!(share(&seen, 6.4, 20.0) >= 0.93, "{:.3}", share(&seen, 6.4, 20.0));
}

#[test]
fn random_losses_lower_nothing() {
    for lost in [0.01, 0.05, 0.2] {
        let seen = run(&Line { lost: vec![(0, lost)], ..line() }, 30);
        assert!(share(&seen, 3.4, 30.0) >= 0.93, "{:.3} at {lost}", share(&seen, 3.4, 30.0));
    }
    let seen = run(&Line { lost: vec![(0, 0.0), (10_000, 0.2), (20_000, 0.0)], ..line() }, 30);
    assert!(share(&seen, 3.4, 30.0) >= 0.9, "{:.3} where they come and go", share(&seen, 3.4, 30.0));
}

#[test]
fn datagrams_that_are_lost_for_their_size_lower_nothing() {
    let seen = run(&Line { largest: 1000.0, ..line() }, 10);
    let least = seen[..500].iter().map(|seen| seen.pace).filter(|pace| *pace > 0.0).fold(f64::MAX, f64::min);
    assert!(least >= 0.5, "{least:.3} Mbit/s");
    assert!(share(&seen, 6.0, 10.0) >= 0.93, "{:.3}", share(&seen, 6.0, 10.0));
}

#[test]
fn a_quarter_of_the_rate_goes_on_where_only_reports_are_kept_up() {
    let seen = run(&Line { back_stands: Some((5_000, 5_800)), ..line() }, 10);
    let part = share(&seen, 5.3, 5.8);
    assert!((0.2..=0.3).contains(&part), "{part:.3}");
    assert!(share(&seen, 6.0, 10.0) >= 0.93, "{:.3}", share(&seen, 6.0, 10.0));
}

#[test]
fn services_are_told_what_the_line_carried_lately_not_what_it_does_in_a_dip() {
    let seen = run(&Line { rate: vec![(0, 10.0), (5_000, 1.0), (5_200, 10.0)], ..line() }, 7);
    let least =
        |of: fn(&Seen) -> f64| seen[500..560].iter().map(of).filter(|rate| *rate > 0.0).fold(f64::MAX, f64::min);
    assert!(least(|seen| seen.pace) <= 2.0, "{:.1} Mbit/s", least(|seen| seen.pace));
    assert!(least(|seen| seen.told) >= 8.0, "{:.1} Mbit/s", least(|seen| seen.told));
}

#[test]
fn each_change_by_half_is_told_and_no_other() {
    let told = |rate: Course| -> Vec<(usize, f64)> {
        let seen = run(&Line { rate, ..line() }, 30);
        seen.iter().enumerate().skip(500).filter_map(|(slot, seen)| Some((slot, seen.event?))).collect()
    };
    assert_eq!(told(vec![(0, 10.0)]), []);
    let up = told(vec![(0, 2.0), (10_000, 20.0)]);
    assert!(up.iter().all(|(slot, _)| *slot > 1000), "{up:?}");
    assert!(up.last().is_some_and(|(_, rate)| (13.0..=30.0).contains(rate)), "{up:?}");
    let down = told(vec![(0, 20.0), (10_000, 2.0)]);
    assert!(down.last().is_some_and(|(_, rate)| (1.3..=4.0).contains(rate)), "{down:?}");
}

#[test]
fn a_queue_that_is_too_short_to_be_seen_tells_by_losses_that_grow_with_the_rate() {
    for lost in [0.0, 0.1] {
        let seen = run(&Line { queue: 3.0, lost: vec![(0, lost)], ..line() }, 30);
        let most = seen[600..].iter().map(|seen| seen.pace).fold(0.0, f64::max);
        assert!(share(&seen, 3.4, 30.0) >= 0.8, "{:.3} at {lost}", share(&seen, 3.4, 30.0));
        assert!(most <= 25.0, "{most:.1} Mbit/s at {lost}");
    }
}

#[test]
fn a_line_that_stood_still_goes_on_at_its_rate() {
    let seen = run(&Line { rate: vec![(0, 10.0), (10_000, 0.0), (12_000, 10.0)], ..line() }, 20);
    assert!(share(&seen, 12.5, 20.0) >= 0.93, "{:.3}", share(&seen, 12.5, 20.0));
    assert!(waited(&seen, 13.0, 20.0) <= standing(10.0) + 4.0, "{:.1} ms", waited(&seen, 13.0, 20.0));
}

#[test]
fn a_line_that_stands_still_again_and_again_takes_little_from_who_sends_little() {
    let still = (1..6).flat_map(|time| [(4000 * time, 0.0), (4000 * time + 2000, 10.0)]);
    let rate = core::iter::once((0, 10.0)).chain(still).collect();
    let seen = run(&Line { rate, wanted: Some(0.2), ..line() }, 24);
    let least = seen[300..].iter().map(|seen| seen.pace).filter(|pace| *pace > 0.0).fold(f64::MAX, f64::min);
    assert!(least >= 0.2, "{least:.3} Mbit/s");
}

#[test]
fn small_datagrams_that_are_through_sooner_do_not_make_large_ones_look_late() {
    for rate in [0.064, 0.256] {
        let seen = run(&Line { sizes: [60, 1400], ..Line::new(rate, 20.0) }, 30);
        assert!(share(&seen, 4.0, 30.0) >= 0.93, "{:.3} of {rate} Mbit/s", share(&seen, 4.0, 30.0));
    }
}

#[test]
fn the_pace_stays_between_its_bounds() {
    let bounded = |rate, least: &str, most: &str| {
        let text = format!("{{ \"least\": \"{least}\", \"most\": \"{most}\" }}");
        let setting = serde_json::from_str(&text).expect("bounds");
        let paces: Vec<f64> =
            run(&Line { setting, ..Line::new(rate, 20.0) }, 10).iter().map(|seen| seen.pace).collect();
        let paces = || paces.iter().copied().filter(|pace| *pace > 0.0);
        (paces().fold(f64::MAX, f64::min), paces().fold(0.0, f64::max))
    };
    assert_eq!(bounded(10.0, "8 kbit/s", "4 Mbit/s").1, 4.0, "the line carries more");
    assert_eq!(bounded(1.0, "2 Mbit/s", "1 Gbit/s").0, 2.0, "the line carries less");
}

#[test]
fn who_sends_little_lowers_nothing() {
    let seen = run(&Line { wanted: Some(0.2), ..line() }, 20);
    let least = seen[300..].iter().map(|seen| seen.pace).filter(|pace| *pace > 0.0).fold(f64::MAX, f64::min);
    assert!(least >= 0.9, "{least:.2} Mbit/s");
}

/// Lines of so many Mbit/s, and milliseconds one way, with a queue of one bandwidth-delay product.
fn shared_lines() -> impl Iterator<Item = Line> {
    [(2.0, 25.0), (10.0, 10.0), (10.0, 20.0), (10.0, 50.0), (20.0, 50.0), (50.0, 20.0), (20.0, 100.0)]
        .into_iter()
        .map(|(rate, delay)| Line { queue: 2.0 * delay, ..Line::new(rate, delay) })
}

/// What a line is, for messages.
fn name(line: &Line) -> String {
    format!("{} Mbit/s, {} ms", line.rate[0].1, 2.0 * line.delay[0].1)
}

#[test]
fn reports_go_more_often_beside_frames_than_alone() {
    // At 64 kbit/s one alone has its share each 223 ms, and one beside frames each 78 ms; frames go each 120 ms.
    let reports = |back_wanted: f64| {
        let setting = "64 kbit/s".parse().expect("a rate");
        let seen = run(&Line { back_wanted, sizes: [300; 2], setting, ..line() }, 12);
        seen.iter().map(|seen| seen.reports).max().expect("some time")
    };
    let [alone, beside] = [0.0, 0.02].map(reports);
    assert!(4 * beside > 5 * alone, "{alone} alone, {beside} beside frames");
}

#[test]
fn marks_keep_the_queue_shorter_than_delay_alone_does() {
    let waits = |marks: f64| {
        let seen = run(&Line { marks, ..line() }, 20);
        assert_eq!(seen[300..].iter().any(|seen| seen.heeds_marks), marks.is_finite());
        assert!(share(&seen, 3.0, 20.0) >= 0.85, "{:.3} of the rate", share(&seen, 3.0, 20.0));
        seen[300..].iter().map(|seen| seen.waited).sum::<f64>() / 1700.0
    };
    let [with, without] = [1.0, f64::INFINITY].map(waits);
    assert!(with < 0.6 * without, "{with:.2} and {without:.2} ms");
}

#[test]
fn a_rival_who_fills_the_queue_leaves_a_part_and_gets_one_and_two_seconds_later_the_queue_is_gone() {
    // Who comes second needs longer for its part, most of all on a path of 200 ms.
    for (from, least, on_average) in [(0, 0.04, 0.2), (5_000, 0.15, 0.28)] {
        let mut sum = 0.0;
        for line in shared_lines() {
            let line = Line { rival: Some((from, 25_000)), ..line };
            let seen = run(&line, 35);
            let (ours, theirs) = (share(&seen, 6.0, 25.0), rivals(&seen, 6.0, 25.0));
            let name = format!("{}, from {from} ms on", name(&line));
            assert!(ours >= least && theirs >= 0.3, "{name}: ours {ours:.2}, theirs {theirs:.2}");
            let (share, waited) = (share(&seen, 27.0, 35.0), waited(&seen, 27.0, 35.0));
            assert!(share >= 0.93, "{name}: {share:.3} after it");
            assert!(waited <= standing(line.rate[0].1) + 15.0, "{name}: {waited:.1} ms after it");
            sum += ours;
        }
        let mean = sum / shared_lines().count() as f64;
        assert!(mean >= on_average, "from {from} ms on: {mean:.2} on average");
    }
}

/// Jain's index of what each of so many tunnels carried from a time on, in seconds.
fn fairness(seen: &[Seen], tunnels: usize, from: f64) -> f64 {
    let seen = &seen[(from * 100.0) as usize..];
    let mut carried = vec![seen.iter().map(|seen| seen.ours).sum::<f64>()];
    carried.extend((0..tunnels - 1).map(|other| seen.iter().map(|seen| seen.others[other]).sum::<f64>()));
    carried.iter().sum::<f64>().powi(2) / (tunnels as f64 * carried.iter().map(|of| of * of).sum::<f64>())
}

#[test]
fn tunnels_share_a_line() {
    for (tunnels, least, on_average) in [(2, 0.55, 0.85), (10, 0.3, 0.7)] {
        let fairness: Vec<f64> = shared_lines()
            .map(|line| fairness(&run(&Line { tunnels, ..line }, 45), tunnels, 15.0))
            .inspect(|fairness| assert!(*fairness >= least, "{tunnels} tunnels: {fairness:.2}"))
            .collect();
        let mean = fairness.iter().sum::<f64>() / fairness.len() as f64;
        assert!(mean >= on_average, "{tunnels} tunnels: {mean:.2} on average: {fairness:.2?}");
    }
}

#[test]
fn two_tunnels_keep_the_queue_of_a_fast_line_short() {
    for line in shared_lines().filter(|line| line.rate[0].1 >= 10.0) {
        let seen = run(&Line { tunnels: 2, ..line.clone() }, 45);
        let waited = waited(&seen, 15.0, 45.0);
        assert!(waited <= standing(line.rate[0].1), "{}: {waited:.1} ms", name(&line));
    }
}

/// A rate in Brownian motion between 0 and 12 Mbit/s, with outages of a second.
fn wandering(seed: u64) -> Line {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut rate, mut course, mut at) = (6.0f64, Vec::new(), 0);
    while at < 40_000 {
        course.push((at, rate));
        at += 20;
        // Twelve uniform numbers make a normal one; its deviation is 2.4 Mbit/s in a second.
        let normal: f64 = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        rate = (rate + normal * 2.4 * (0.02f64).sqrt()).clamp(0.0, 12.0);
        if rate == 0.0 {
            let lasts = (uniform() * 2000.0) as u64;
            course.push((at, 0.0));
            at += lasts - lasts % 20;
            rate = 0.5;
        }
    }
    Line { rate: course, queue: 3000.0, ..line() }
}

/// A line drawn at random.
fn drawn(seed: u64) -> Line {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = |from: f64, to: f64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        from + (to - from) * ((state >> 11) as f64 / (1u64 << 53) as f64)
    };
    let rate = libm::pow(10.0, draw(-1.0, 2.0));
    let delay = libm::pow(10.0, draw(0.4, 2.2));
    let changes = draw(0.0, 3.0) as u64;
    let mut line = Line { seed: seed + 1, ..Line::new(rate, delay) };
    for change in 1..=changes {
        let when = change * 8000;
        line.rate.push((when, rate * libm::pow(10.0, draw(-0.7, 0.7))));
        line.delay.push((when + 3000, delay + draw(0.0, 50.0)));
        line.lost.push((when, draw(0.0, 0.2)));
    }
    line.lost[0].1 = draw(-0.1, 0.2).max(0.0);
    line.grants = draw(-10.0, 10.0).max(0.0);
    line.drift = draw(-200.0, 200.0);
    line.queue = draw(100.0, 2000.0);
    line
}

/// How many lines are drawn: as many as the variable WORLDS says.
fn worlds() -> u64 {
    std::env::var("WORLDS").map_or(150, |number| number.parse().expect("WORLDS is a number"))
}

/// For longer than three seconds and ten round trips the share is not below a quarter, nor the queue above half a second.
fn check(seed: u64) -> Result<(), String> {
    let line = drawn(seed);
    let seen = run(&line, 32);
    let slowest = line.rate.iter().map(|(_, rate)| *rate).fold(f64::MAX, f64::min);
    let longest = line.delay.iter().map(|(_, delay)| *delay).fold(0.0, f64::max);
    let window = 3.0 + 10.0 * (2.0 * longest / 1000.0) + 12.0 / slowest / 1000.0 * 10.0;
    let slots = (window * 100.0) as usize;
    for from in (0..seen.len() - slots).step_by(50) {
        let of = &seen[from..from + slots];
        let used = of.iter().map(|seen| seen.ours).sum::<f64>() / of.iter().map(|seen| seen.capacity).sum::<f64>();
        // A window across a change counts what the later part could have carried, too.
        let is_steady = line.rate.iter().all(|(when, _)| {
            let when = usize::try_from(when / 10).expect("short");
            when <= from || when >= from + slots
        });
        if is_steady && used < 0.25 {
            return Err(format!("{used:.2} of the capacity from {:.1} s on: {line:?}", from as f64 / 100.0));
        }
        if of.iter().all(|seen| seen.waited > 500.0) {
            return Err(format!("a queue of half a second from {:.1} s on: {line:?}", from as f64 / 100.0));
        }
    }
    Ok(())
}

#[test]
fn on_hardly_a_line_is_the_rate_low_or_the_queue_long_for_long() {
    let failed: Vec<String> =
        (0..worlds()).filter_map(|seed| check(seed).err().map(|why| format!("seed {seed}: {why}"))).collect();
    // A path of 300 ms that becomes thirteen times as fast is slow to be found.
    let most = worlds().div_ceil(100);
    assert!(failed.len() as u64 <= most, "{} lines of {}:\n{}", failed.len(), worlds(), failed.join("\n"));
}

/// Prints what each kind of line gives: for whoever works on the controller.
#[test]
#[ignore = "a table for a reader"]
fn table() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let print = |name: &str, line: Line| {
        if !name.contains(&only) {
            return;
        }
        let seen = run(&line, 30);
        let parts: Vec<String> = (0..15)
            .map(|part| {
                let (from, to) = (2.0 * f64::from(part), 2.0 * f64::from(part) + 2.0);
                let rival =
                    if line.rival.is_some() { format!("+{:.2}", rivals(&seen, from, to)) } else { String::new() };
                format!("{:.2}{rival}/{:.0}", share(&seen, from, to), waited(&seen, from, to))
            })
            .collect();
        println!("{name:22} {:.3} {:5.1} ms  {}", share(&seen, 5.0, 30.0), waited(&seen, 5.0, 30.0), parts.join(" "));
    };
    for rate in [0.064, 1.0, 10.0, 100.0, 500.0] {
        for delay in [5.0, 25.0, 150.0] {
            print(&format!("constant {rate} {delay}"), Line::new(rate, delay));
        }
    }
    print("satellite", Line { lost: vec![(0, 0.03)], ..Line::new(10.0, 260.0) });
    print("up", Line { rate: vec![(0, 2.0), (10_000, 20.0)], ..line() });
    print("down", Line { rate: vec![(0, 20.0), (10_000, 2.0)], ..line() });
    print("steps", Line { delay: vec![(0, 20.0), (10_000, 70.0), (20_000, 20.0)], ..line() });
    print("grants", Line { grants: 10.0, ..line() });
    print("lost 20", Line { lost: vec![(0, 0.2)], ..line() });
    print("lost later", Line { lost: vec![(0, 0.0), (10_000, 0.2), (20_000, 0.0)], ..line() });
    print("policer", Line { queue: 3.0, ..line() });
    print("policer 100", Line { queue: 2.0, ..Line::new(100.0, 20.0) });
    print("policer lossy", Line { queue: 3.0, lost: vec![(0, 0.1)], ..line() });
    print("policer falls", Line { queue: 3.0, rate: vec![(0, 10.0), (10_000, 3.0), (20_000, 10.0)], ..line() });
    print("policer long", Line { queue: 3.0, ..Line::new(10.0, 150.0) });
    print("wandering", wandering(1));
    print(
        "wandering slow",
        Line { rate: wandering(2).rate.into_iter().map(|(at, rate)| (at, rate / 6.0)).collect(), ..line() },
    );
    print("drift", Line { drift: 200.0, ..line() });
    print("drift back", Line { drift: -200.0, ..line() });
    print("set", Line { set: Some((10_000, 700.0)), ..line() });
    print("still", Line { rate: vec![(0, 10.0), (10_000, 0.0), (12_000, 10.0)], ..line() });
    print("back", Line { back: 300.0, ..line() });
    print("wanted 2", Line { wanted: Some(2.0), ..line() });
    print("rival", Line { rival: Some((5_000, 20_000)), queue: 40.0, ..line() });
    print("rival deep", Line { rival: Some((5_000, 20_000)), queue: 200.0, ..line() });
    print("rival long", Line { rival: Some((5_000, 20_000)), queue: 100.0, ..Line::new(20.0, 50.0) });
    print("rival first", Line { rival: Some((0, 20_000)), queue: 40.0, ..line() });
}

/// Prints how a line is shared with a rival, and among tunnels.
#[test]
#[ignore = "a table for a reader"]
fn shares() {
    for line in shared_lines() {
        for from in [0, 5_000] {
            let seen = run(&Line { rival: Some((from, 25_000)), ..line.clone() }, 35);
            let parts: Vec<String> = (0..17)
                .map(|part| 2.0 * f64::from(part))
                .map(|from| format!("{:.2}+{:.2}", share(&seen, from, from + 2.0), rivals(&seen, from, from + 2.0)))
                .collect();
            let (ours, theirs) = (share(&seen, 6.0, 25.0), rivals(&seen, 6.0, 25.0));
            let after = waited(&seen, 27.0, 35.0);
            println!(
                "{:18} rival from {} s on: {ours:.2} {theirs:.2}, then {after:.1} ms  {}",
                name(&line),
                from / 1000,
                parts.join(" ")
            );
        }
        for tunnels in [2, 10] {
            let seen = run(&Line { tunnels, ..line.clone() }, 45);
            let (fairness, waited) = (fairness(&seen, tunnels, 15.0), waited(&seen, 15.0, 45.0));
            println!("{:18} {tunnels} tunnels: {fairness:.2}, {waited:.1} ms", name(&line));
        }
    }
}

/// Prints what recordings of Mahimahi give, whose files the variable TRACES names: the share that is used, and how long datagrams wait.
#[test]
#[ignore = "a table for a reader, of recordings that he has"]
fn recordings() {
    for file in std::env::var("TRACES").unwrap_or_default().split_whitespace() {
        let text = std::fs::read_to_string(file).expect("a recording");
        let mut bins = vec![0u32; 6000];
        let times = text.lines().filter_map(|line| line.trim().parse::<usize>().ok());
        times.filter(|time| *time < 120_000).for_each(|time| bins[time / 20] += 1);
        let rate: Course =
            (0..).zip(&bins).map(|(bin, packets)| (20 * bin, f64::from(*packets) * 1500.0 * 8.0 / 20_000.0)).collect();
        let mean = rate.iter().map(|(_, rate)| rate).sum::<f64>() / rate.len() as f64;
        let most = 500.0 * 1500.0 * 8.0 / 1e3 / rate[0].1.max(0.1);
        let seen = run(&Line { rate, queue: most, lost: vec![(0, 0.01)], ..Line::new(1.0, 20.0) }, 120);
        let mut waits: Vec<f64> = seen[500..].iter().map(|seen| seen.waited).filter(|waited| *waited > 0.0).collect();
        waits.sort_by(f64::total_cmp);
        let at = |share: f64| waits[(waits.len() as f64 * share) as usize];
        let name = file.rsplit('/').next().unwrap_or(file);
        println!(
            "{name:30} {mean:5.2} Mbit/s: {:.3}, waits {:.0}, {:.0} and {:.0} ms",
            share(&seen, 5.0, 120.0),
            at(0.5),
            at(0.9),
            at(0.95)
        );
    }
}
