//! A line that carries less than the pace is said, and no other.

use super::*;
use arqway_units::{BitRate, LineId};

/// A line of 10 Mbit/s, 40 ms each way, with a queue, and a pace.
fn line(service: &'static str, queue: usize, pace: &str) -> Setting {
    let mut setting = Setting::new(service).with_rate(pace);
    for way in &mut setting.ways {
        (way.rate, way.queue) = ("10 Mbit/s".parse().expect("a rate"), queue);
        way.delay = Span::from_milliseconds(40);
    }
    setting
}

/// Packets of 1,200 octets at so many kbit/s for some seconds, from the first second on.
fn offer(world: &mut World, kilobits: u64, seconds: u64) {
    let every = 1200 * 8 * 1000 / kilobits;
    world.packets(0, 1200, seconds * 1_000_000 / every, 1000, every);
}

/// When it was said, in milliseconds, and of how many kbit/s.
fn said(world: &World) -> Vec<(u64, u64)> {
    let of = |(time, _, event): &(Time, Option<LineId>, Event)| match event {
        Event::RateTooHigh(rate) => Some((milliseconds(*time - at(0)), rate.as_bits_per_second() / 1000)),
        _ => None,
    };
    world.machines[0].events.iter().filter_map(of).collect()
}

fn carries(world: &World) -> Option<BitRate> {
    world.machines[0].end.inner().path().carries
}

#[test]
fn a_line_that_carries_less_than_the_pace_is_said_once_within_ten_seconds_with_what_it_carries() {
    // The last two as TCP does it: it sends a little more than the line carries, and not all that the pace lets it.
    for (service, pace, queue, offered) in [
        ("tally", "20 Mbit/s", 500, 25_000),
        ("raw", "18 Mbit/s", 500, 25_000),
        ("tally", "12 Mbit/s", 100, 25_000),
        ("raw", "11 Mbit/s", 1000, 25_000),
        ("raw", "20 Mbit/s", 500, 10_000),
        ("tally", "20 Mbit/s", 500, 10_200),
    ] {
        let mut world = World::new(line(service, queue, pace));
        offer(&mut world, offered, 30);
        world.run_until(31_000);
        let [(when, kilobits)] = said(&world)[..] else { panic!("{service}, {pace}: {:?}", said(&world)) };
        assert!(when < 11_000 && (9_300..10_300).contains(&kilobits), "{service}, {pace}: {kilobits} at {when}");
        assert!(carries(&world).is_some(), "as long as it is so");
    }
}

#[test]
fn a_line_that_carries_the_pace_again_is_right() {
    let mut world = World::new(line("raw", 500, "14 Mbit/s"));
    offer(&mut world, 25_000, 40);
    world.run_until(15_000);
    assert!(carries(&world).is_some());
    world.set_modem(0, "20 Mbit/s");
    world.run_until(30_000);
    assert_eq!((carries(&world), said(&world).len()), (None, 1));
}

#[test]
fn a_bad_link_at_its_rate_an_application_that_sends_little_and_a_short_fade_are_not_taken_for_it() {
    for service in ["raw", "tally"] {
        let mut lossy = line(service, 500, "10 Mbit/s");
        lossy.ways.iter_mut().for_each(|way| (way.lost, way.jitter) = (200, Span::from_milliseconds(30)));
        let mut lossy = World::new(lossy);
        offer(&mut lossy, 25_000, 30);
        lossy.run_until(31_000);
        assert_eq!((said(&lossy), carries(&lossy)), (Vec::new(), None), "{service}: losses");

        let mut little = World::new(line(service, 500, "20 Mbit/s"));
        offer(&mut little, 9_000, 60);
        little.run_until(20_000);
        // Nor where the way becomes longer meanwhile.
        little.setting.ways[0].delay = Span::from_milliseconds(100);
        little.run_until(61_000);
        assert_eq!(said(&little), [], "{service}: little");

        let mut fading = World::new(line(service, 500, "9.9 Mbit/s"));
        offer(&mut fading, 25_000, 40);
        for fade in 1..4 {
            fading.run_until(fade * 10_000);
            fading.set_modem(0, "5 Mbit/s");
            fading.run_until(fade * 10_000 + 2_500);
            fading.set_modem(0, "10 Mbit/s");
        }
        fading.run_until(41_000);
        assert_eq!(said(&fading), [], "{service}: fades");
    }
}
