//! What a slow path carries: 64 kbit/s in datagrams of 300 octets, as the ends find out, 49 of which are headers and the like.

use super::*;

/// What 600 seconds in the steady state have brought, of packets of 1,500 octets one way, more than the path carries, and of small
/// ones the other way, as TCP's acknowledgements are.
struct Carried {
    /// Octets of packets that arrived, for 1,000 that the path lets through.
    share: usize,
    /// Frames sent again, for 1,000.
    again: u64,
    frames_in_pieces: u64,
    /// Datagrams that are less than nine tenths full, for 1,000.
    small: usize,
    /// Questions whether the link is still there, for 1,000 datagrams.
    pings: usize,
}

fn carried(lost: u64) -> Carried {
    let mut setting = Setting::new("tally").with_rate("64 kbit/s");
    for way in &mut setting.ways {
        (way.rate, way.lost) = ("64 kbit/s".parse().expect("a rate"), lost);
    }
    setting.config.overhead = Octets::new(49);
    setting.mtus = vec![(0, 300)];
    let mut world = World::new(setting);
    world.packets(0, 1500, 6_600, 500, 100_000);
    world.packets(1, 53, 1_650, 500, 400_000);
    world.run_until(60_000);
    let [sender, receiver] = &world.machines;
    let (sent, delivered, before) = (sender.sent.len(), receiver.delivered.len(), sender.end.counters());
    let (in_pieces, pings) = (sender.counters().frames_in_pieces, sender.counters().pings_sent);
    world.run_until(660_000);
    let [sender, receiver] = &world.machines;
    let octets = (receiver.delivered.len() - delivered) * 1500;
    let let_through = 600 * 8_000 * (1000 - usize::try_from(lost).expect("small")) / 1000;
    let (sent, after) = (&sender.sent[sent..], sender.end.counters());
    let small = sent.iter().filter(|(_, size)| *size < 270).count();
    Carried {
        share: octets * 1000 / let_through,
        again: (after.frames_resent - before.frames_resent) * 1000 / (after.frames_sent - before.frames_sent),
        frames_in_pieces: sender.counters().frames_in_pieces - in_pieces,
        small: small * 1000 / sent.len(),
        pings: usize::try_from(sender.counters().pings_sent - pings).expect("few") * 1000 / sent.len(),
    }
}

#[test]
fn its_datagrams_are_full_and_what_is_sent_again_is_what_was_lost() {
    // Of 300 octets 245 are a packet's, and each packet has a head more than it has full datagrams.
    for (lost, share, again) in [(0, 790, 0..=2), (54, 770, 54..=65)] {
        let carried = carried(lost);
        assert!(carried.share >= share, "{} of 1,000 at {lost}", carried.share);
        assert!(again.contains(&carried.again), "{} of 1,000 sent again at {lost}", carried.again);
        assert_eq!(carried.frames_in_pieces, 0, "tally cuts to any room");
        assert!(carried.small <= 10, "{} of 1,000 are small at {lost}", carried.small);
        let pings = if lost == 0 { 0 } else { 10 };
        assert!(carried.pings <= pings, "{} of 1,000 are pings at {lost}", carried.pings);
    }
}

#[test]
fn a_path_of_small_datagrams_that_loses_some_is_up_and_its_mtu_is_said_once_at_both_ends() {
    for seed in 1..=20 {
        let mut setting = Setting::new("tally").with_rate("63 kbit/s");
        for way in &mut setting.ways {
            (way.rate, way.lost) = ("64 kbit/s".parse().expect("a rate"), 54);
        }
        setting.config.overhead = Octets::new(49);
        (setting.seed, setting.mtus) = (seed, vec![(0, 300)]);
        let mut world = World::new(setting);
        world.packets(0, 1420, 400, 500, 100_000);
        world.packets(1, 53, 100, 500, 400_000);
        world.run_until(40_000);
        for (end, machine) in world.machines.iter().enumerate() {
            let events: Vec<Event> = machine.events.iter().map(|(.., event)| *event).collect();
            assert_eq!(events, [Event::Up, Event::Mtu(Octets::new(300))], "seed {seed}, end {end}");
            assert!(machine.events[1].0 < at(20_000), "seed {seed}, end {end}");
        }
        let gap = longest_gap(&world, 1, 1000, 39_000);
        assert!(gap < 2000, "seed {seed}: {gap} ms");
    }
}
