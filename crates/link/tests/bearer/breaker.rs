//! The circuit breaker: a pace of which less than half arrives is lowered, and no other.

use super::*;
use arqway_units::BitRate;

/// A modem of a rate with a short queue, and a pace of 2 Mbit/s; the round trip is 0.1 s, and 0.18 s where the queue is full.
fn setting(service: &'static str, modem: &str) -> Setting {
    let mut setting = Setting::new(service).with_rate("2 Mbit/s");
    (setting.ways[0].rate, setting.ways[0].queue) = (modem.parse().expect("a rate"), 5);
    setting
}

fn pace(world: &World) -> u64 {
    world.machines[0].end.inner().path().rate.map_or(0, BitRate::as_bits_per_second)
}

/// When the pace was lowered because less than half had arrived, and when it was as configured again, in milliseconds.
fn changes(world: &World) -> [Vec<u64>; 2] {
    let of = |is: fn(&Event) -> bool| {
        let events = world.machines[0].events.iter().filter(|(.., event)| is(event));
        events.map(|(time, ..)| milliseconds(*time - at(0))).collect()
    };
    [of(|event| matches!(event, Event::Slowed(_))), of(|event| *event == Event::Restored)]
}

/// Packets of 1,000 octets at 2 Mbit/s, or a part of that, for a while.
fn offer(world: &mut World, seconds: u64, part: u64) {
    world.packets(0, 1000, seconds * 250 / part, 1000, 4000 * part);
}

#[test]
fn a_line_that_carries_a_quarter_of_its_pace_gets_little_more_until_it_carries_all_of_it() {
    let mut world = World::new(setting("raw", "500 kbit/s"));
    offer(&mut world, 300, 1);
    world.run_until(1000 + 20 * 180);
    let [slowed, _] = changes(&world);
    assert_eq!(slowed.len(), 1, "within twenty round trips, and once");
    assert!((400_000..500_000).contains(&pace(&world)), "{}", pace(&world));
    assert_eq!(world.machines[0].end.inner().path().slowed_from, "2 Mbit/s".parse().ok());
    // Higher ones are tried, ever more rarely.
    world.run_until(60_000);
    let counts = |world: &World| [world.machines[0].sent.len(), world.machines[1].delivered.len()];
    let before = counts(&world);
    world.run_until(160_000);
    let [sent, arrived] = [0, 1].map(|index| counts(&world)[index] - before[index]);
    assert!(arrived * 100 > sent * 96, "{arrived} of {sent}");
    assert_eq!(changes(&world), [slowed.clone(), Vec::new()]);
    world.set_modem(0, "3 Mbit/s");
    world.run_until(300_000);
    let [again, restored] = changes(&world);
    assert_eq!((again, restored.len(), pace(&world)), (slowed, 1, 2_000_000));
    assert_eq!(world.machines[0].end.inner().path().slowed_from, None);
}

#[test]
fn a_bad_link_at_its_rate_keeps_it() {
    for service in ["raw", "tally"] {
        for seed in 1..6 {
            let mut setting = setting(service, "2 Mbit/s");
            (setting.seed, setting.ways[0].lost, setting.ways[1].lost) = (seed, 300, 300);
            let mut world = World::new(setting);
            offer(&mut world, 60, 1);
            world.run_until(60_000);
            assert_eq!((changes(&world), pace(&world)), ([Vec::new(), Vec::new()], 2_000_000), "{service} {seed}");
            assert!(world.machines[1].delivered.len() > 5_000, "{service}");
        }
    }
}

#[test]
fn who_sends_little_or_nothing_says_nothing_of_the_pace() {
    // Seven out of ten are lost, of half the pace; then nothing is sent.
    let mut setting = setting("raw", "2 Mbit/s");
    setting.ways[0].lost = 700;
    let mut world = World::new(setting);
    offer(&mut world, 60, 2);
    world.run_until(600_000);
    assert_eq!(changes(&world), [Vec::<u64>::new(), Vec::new()]);
}

#[test]
fn a_silence_is_an_outage_and_no_wrong_pace() {
    let mut setting = setting("raw", "2 Mbit/s");
    setting.outages = (0..30).map(|second| (2000 + second * 1000, 2700 + second * 1000)).collect();
    let mut world = World::new(setting);
    offer(&mut world, 40, 1);
    world.run_until(40_000);
    // Gaps of 0.7 s in each second: rounds with less than half are followed by others with more.
    assert_eq!(changes(&world), [Vec::<u64>::new(), Vec::new()]);
}

#[test]
fn another_path_has_the_configured_pace_and_a_switch_keeps_it() {
    let mut world = World::new(setting("raw", "500 kbit/s"));
    offer(&mut world, 60, 1);
    world.run_until(5_000);
    assert!(pace(&world) < 500_000);
    world.machines[0].end.inner_mut().change_path(at(5_000));
    assert_eq!(pace(&world), 2_000_000);
    let mut setting = setting("raw", "500 kbit/s");
    setting.config.breaker = false;
    let mut without = World::new(setting);
    offer(&mut without, 60, 1);
    without.run_until(60_000);
    assert_eq!((changes(&without), pace(&without)), ([Vec::new(), Vec::new()], 2_000_000));
}
