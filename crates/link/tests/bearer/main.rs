//! Two bearers over a path: scripted worlds, and promises under any loss, duplication, reordering, outage and restart.

mod breaker;
mod capacity;
mod epochs;
mod lines;
mod pace;
mod promises;
mod shortfall;
mod slow;
mod world;

use arqway_link::bearer::{Bearer, Config, Event, Mtu};
use arqway_link::{LinkContext, LinkService, LinkState, Packet, Side, Start};
use arqway_link::{ServiceConfig, ShortForm, WorldDefaults};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;
use world::{Setting, World, at};

fn milliseconds(span: Span) -> u64 {
    span.as_nanoseconds() / 1_000_000
}

/// The longest time without a delivery at an end, within a time.
fn longest_gap(world: &World, index: usize, from: u64, to: u64) -> u64 {
    let within = world.machines[index].delivered.iter().map(|delivered| delivered.at);
    let times: Vec<_> =
        [at(from)].into_iter().chain(within.filter(|time| *time > at(from) && *time < at(to))).collect();
    let ends = times.iter().skip(1).copied().chain([at(to)]);
    times.iter().zip(ends).map(|(one, next)| milliseconds(next - *one)).max().unwrap_or(0)
}

#[test]
fn the_first_packet_arrives_after_a_hello_each_way() {
    let mut world = World::new(Setting::new("raw"));
    world.packets(0, 100, 1, 0, 1);
    world.run_until(5000);
    // A round trip for each to know that the other is there, and half of one for the packet.
    let arrived = world.machines[1].delivered[0].at;
    assert!((at(150)..at(160)).contains(&arrived), "{arrived:?}");
}

#[test]
fn an_idle_link_sends_nothing_and_wakes_nobody() {
    for service in ["raw", "sr", "rlc"] {
        let mut world = World::new(Setting::new(service).with_rate("1.9 Mbit/s"));
        world.packets(0, 1000, 50, 0, 2000);
        world.run_until(10_000);
        let sent = [0, 1].map(|index| world.machines[index].sent.len());
        assert_eq!(world.machines[1].delivered.len(), 50, "{service}");
        assert_eq!([0, 1].map(|index| world.machines[index].deadline()), [None, None], "{service}");
        world.run_until(3_600_000);
        assert_eq!([0, 1].map(|index| world.machines[index].sent.len()), sent, "{service}");
        assert!(world.machines.iter().all(|machine| machine.is_up()), "{service}");
    }
}

#[test]
fn small_packets_share_datagrams_and_a_slow_link_carries_half_as_many_again() {
    let carried = |packs: bool| {
        let mut setting = Setting::new("raw").with_rate("64 kbit/s");
        setting.ways[0].rate = "64 kbit/s".parse().expect("a rate");
        if !packs {
            setting.config.mtu_most = Mtu::try_from(Octets::new(128)).expect("an MTU");
        }
        let mut world = World::new(setting);
        world.packets(0, 40, 10_000, 1000, 2000);
        world.run_until(21_000);
        world.machines[1].delivered.iter().filter(|delivered| delivered.at > at(5000)).count()
    };
    // One a datagram: 28 octets of overhead, 2 of the bearer's, 1 tag and 40, 901 a second; packed 42 each and little else.
    let alone = 16 * 8000 / 71;
    let packed = carried(true);
    assert!(packed * 2 > alone * 3, "{packed} against {alone}");
    assert!(carried(false) < packed, "two in 128 octets");
}

#[test]
fn a_small_packet_waits_for_others_no_longer_than_the_setting_allows() {
    let mut setting = Setting::new("raw").with_rate("2 Mbit/s");
    setting.config.pack_delay = Span::from_milliseconds(20);
    let mut world = World::new(setting);
    world.packets(0, 40, 200, 2000, 5000);
    world.run_until(5000);
    let machine = &world.machines[1];
    assert_eq!(machine.delivered.len(), 200);
    for delivered in &machine.delivered {
        let late = delivered.at - (at(2000) + Span::from_milliseconds(5) * u64::from(delivered.number));
        assert!((50..=72).contains(&milliseconds(late)), "{delivered:?} took {late:?}");
    }
    let counters = world.machines[0].counters();
    assert!(counters.frames_packed > 190, "{counters:?}");
}

#[test]
fn in_the_steady_state_a_bearer_takes_two_octets() {
    let mut world = World::new(Setting::new("raw"));
    world.packets(0, 1000, 500, 0, 10_000);
    world.run_until(6000);
    let last: Vec<_> = world.machines[0].sent.iter().rev().map(|(_, size)| *size).filter(|size| *size > 900).collect();
    assert_eq!(last[0], 28 + 2 + 1 + 1000);
}

#[test]
fn a_silent_link_is_down_after_a_second_and_up_within_a_second_and_two_round_trips() {
    for (service, delay) in [("raw", 50), ("sr", 50), ("go-back-n:1", 50), ("rlc", 50), ("raw", 400), ("sr:4", 400)] {
        let mut setting = Setting::new(service).with_rate("1.9 Mbit/s");
        setting.ways.iter_mut().for_each(|way| way.delay = Span::from_milliseconds(delay));
        setting.outages.push((4000, 12_000));
        let mut world = World::new(setting);
        world.packets(0, 500, 1500, 0, 10_000);
        world.run_until(60_000);
        let [near, far] = &world.machines;
        let (down, up) = (near.when(Event::Down), near.when(Event::Up));
        assert_eq!((down.len(), up.len()), (1, 2), "{service}: {down:?} {up:?}");
        // What was under way when the outage began is heard for half a round trip; reports wait for a quarter.
        let round_trip = 2 * delay;
        let limit = 4000 + (4 * round_trip).max(1000);
        assert!((limit - round_trip..limit + round_trip).contains(&down[0]), "{service}, {delay} ms: {down:?}");
        assert!((12_000..=13_000 + 2 * round_trip).contains(&up[1]), "{service}, {delay} ms: {up:?}");
        let mut numbers: Vec<_> = far.delivered.iter().map(|delivered| delivered.number).collect();
        let count = numbers.len();
        numbers.dedup();
        assert_eq!(numbers.len(), count, "{service}: nothing twice");
        if service != "raw" {
            let taken: Vec<_> = near.taken.iter().map(|(_, number)| *number).collect();
            assert_eq!(numbers, taken, "{service}: nothing lost");
        }
    }
}

#[test]
fn a_long_round_trip_is_no_outage() {
    let mut setting = Setting::new("raw");
    setting.ways.iter_mut().for_each(|way| way.delay = Span::from_milliseconds(900));
    let mut world = World::new(setting);
    world.packets(0, 500, 1000, 0, 10_000);
    world.run_until(30_000);
    assert!(world.machines[0].when(Event::Down).is_empty());
    let round_trip = world.machines[0].end.inner().path().round_trip.map(milliseconds);
    assert!(round_trip.is_some_and(|round_trip| (1800..1820).contains(&round_trip)), "{round_trip:?}");
}

#[test]
fn a_lost_packet_is_no_outage() {
    let mut setting = Setting::new("raw");
    setting.ways[0].lost = 200;
    let mut world = World::new(setting);
    world.packets(0, 500, 200, 1000, 1_000_000);
    world.run_until(220_000);
    let downs = world.machines[0].when(Event::Down).len();
    assert!(downs <= 2, "{downs} in 200 packets, 40 of which were lost");
}

#[test]
fn a_peer_that_restarts_is_noticed_within_three_round_trips_and_nothing_old_arrives() {
    for restarts in [vec![(3000, 0)], vec![(3000, 1)], vec![(3000, 0), (3000, 1)]] {
        for (service, delay) in [("raw", 50), ("sr", 50), ("go-back-n:1", 50), ("rlc", 50), ("raw", 300), ("sr:2", 300)]
        {
            let mut setting = Setting::new(service).with_rate("1.9 Mbit/s");
            setting.ways.iter_mut().for_each(|way| way.delay = Span::from_milliseconds(delay));
            setting.restarts = restarts.clone();
            let mut world = World::new(setting);
            world.packets(0, 500, 1000, 0, 10_000);
            world.packets(1, 500, 1000, 0, 10_000);
            world.run_until(30_000);
            for index in [0, 1] {
                let end = &world.machines[index];
                let gap = longest_gap(&world, index, 2990, 9000);
                assert!(gap <= 3 * 2 * delay + 30, "{service}, {delay} ms, {restarts:?}: {gap} ms at {index}");
                let new = end.delivered.iter().skip_while(|delivered| delivered.at < at(3000));
                let epochs: Vec<_> = new.map(|delivered| (delivered.incarnation, delivered.epoch)).collect();
                assert!(epochs.is_sorted(), "{service}, {restarts:?} at {index}");
                let restarted = restarts.iter().any(|(_, other)| *other != index);
                let alone = restarts.len() == 1;
                assert_eq!(end.counters().peer_restarts, u64::from(restarted && alone), "{service} {restarts:?}");
            }
        }
    }
}

#[test]
fn when_the_mtu_falls_nothing_is_black_holed_for_longer_than_five_seconds() {
    for (service, delay) in [("raw", 50), ("sr", 50), ("go-back-n:1", 50), ("rlc:62", 50), ("raw", 250)] {
        let mut setting = Setting::new(service).with_rate("1.9 Mbit/s");
        setting.ways.iter_mut().for_each(|way| way.delay = Span::from_milliseconds(delay));
        setting.mtus.push((5000, 300));
        let mut world = World::new(setting);
        world.packets(0, 1200, 2000, 0, 20_000);
        world.run_until(100_000);
        let gap = longest_gap(&world, 1, 1000, 40_000);
        assert!(gap <= 5000, "{service}, {delay} ms: {gap} ms");
        let counters = world.machines[0].counters();
        assert_eq!(counters.black_holes, 1, "{service}: {counters:?}");
        let mtu = world.machines[0].end.inner().path().mtu.as_u64();
        assert!((293..=300).contains(&mtu), "{service}: {mtu}");
        if service != "raw" {
            assert_eq!(world.machines[1].delivered.len(), world.machines[0].taken.len(), "{service}");
        }
        if service != "rlc:62" {
            assert!(counters.frames_in_pieces > 500, "{service}: {counters:?}");
        }
    }
}

#[test]
fn an_mtu_that_falls_under_a_backlog_both_ways_is_found_both_ways_and_takes_no_end_down() {
    for (service, size) in [("raw", 1000), ("sr", 1000), ("raw", 1200)] {
        let mut setting = Setting::new(service).with_rate("1.9 Mbit/s");
        setting.mtus.push((5000, 300));
        let mut world = World::new(setting);
        for end in 0..2 {
            // As much as the path carries, and more.
            world.packets(end, size, 10_000, 0, 4_000);
        }
        world.run_until(40_000);
        for end in 0..2 {
            let gap = longest_gap(&world, end, 1000, 39_000);
            assert!(gap <= 5000, "{service}, {size}, end {end}: {gap} ms");
            let counters = world.machines[end].counters();
            assert_eq!((counters.black_holes, counters.outages), (1, 0), "{service}, {size}, end {end}: {counters:?}");
        }
    }
}

#[test]
fn reports_go_between_the_pieces_of_a_backlog() {
    let mut setting = Setting::new("raw").with_rate("1 Mbit/s");
    setting.mtus = vec![(0, 300)];
    let mut world = World::new(setting);
    world.packets(0, 1280, 4_000, 0, 5_000);
    world.packets(1, 100, 200, 2_000, 50_000);
    world.run_until(15_000);
    let counters = world.machines[1].counters();
    assert_eq!((counters.outages, counters.pings_sent), (0, 0), "reports come without being asked for");
}

#[test]
fn large_packets_wait_for_no_others_whatever_the_setting() {
    let delivered = |pack_delay: u64| {
        let mut setting = Setting::new("raw").with_rate("1.9 Mbit/s");
        setting.config.pack_delay = Span::from_milliseconds(pack_delay);
        let mut world = World::new(setting);
        world.packets(0, 1250, 2_000, 1_000, 3_000);
        world.run_until(6_000);
        world.machines[1].delivered.len()
    };
    let (at_once, waits) = (delivered(0), delivered(10));
    assert!(waits * 100 >= at_once * 97, "{waits} against {at_once}");
}

#[test]
fn a_pace_that_rises_is_felt_at_once() {
    let mut world = World::new(Setting::new("raw").with_rate("8 kbit/s"));
    world.packets(0, 1200, 20, 3_000, 1_000);
    world.run_until(3_100);
    let before = world.machines[1].delivered.len();
    world.machines[0].end.inner_mut().set_rate("1.9 Mbit/s".parse().expect("a rate"));
    world.packets(0, 1200, 1, 3_101, 1_000);
    world.run_until(3_600);
    assert!(world.machines[1].delivered.len() > before + 15, "{before}");
}

#[test]
fn a_large_datagram_at_a_slow_pace_is_no_outage() {
    let mut setting = Setting::new("raw").with_rate("9600 bit/s");
    setting.config.mtu_least = Mtu::ETHERNET;
    setting.ways.iter_mut().for_each(|way| way.rate = "10 kbit/s".parse().expect("a rate"));
    let mut world = World::new(setting);
    // Small ones first, by which the round-trip time is learned.
    world.packets(0, 40, 20, 1_000, 200_000);
    world.packets(0, 1400, 20, 6_000, 1_000_000);
    world.run_until(60_000);
    assert_eq!(world.machines[0].counters().outages, 0, "one takes 1.2 s");
    assert_eq!(world.machines[1].delivered.len(), 40);
}

#[test]
fn events_that_nobody_asks_for_are_kept_within_bounds_the_latest_last() {
    let mut world = World::new(Setting::new("raw"));
    world.run_until(2_000);
    let end = &mut world.machines[0].end;
    for _ in 0..2_000 {
        end.handle_link(LinkState::Down, at(3_000));
        end.handle_link(LinkState::Up, at(3_000));
    }
    let events: Vec<_> = std::iter::from_fn(|| end.inner_mut().poll_event()).collect();
    assert_eq!((events.len(), events.last()), (1024, Some(&(None, Event::Up))));
}

#[test]
fn an_mtu_below_1280_carries_packets_of_1280_octets_and_says_so() {
    let mut setting = Setting::new("raw");
    setting.mtus = vec![(0, 300)];
    let mut world = World::new(setting);
    world.packets(0, 1280, 200, 0, 50_000);
    world.run_until(30_000);
    assert!(world.machines[0].end.largest_packet(Octets::MAX).as_u64() >= 1280);
    let delivered = &world.machines[1].delivered;
    assert!(
        delivered[0].at < at(3500) && delivered.last().is_some_and(|last| last.number == 199),
        "{}",
        delivered.len()
    );
    assert!(delivered.windows(2).all(|pair| pair[1].number == pair[0].number + 1), "none is lost after that");
}

/// Of 8,000 octets a path of 128 makes more pieces than can be told apart: the service learns that its frame is gone, and
/// sends it again when the path has become large.
#[test]
fn a_frame_of_too_many_pieces_is_sent_when_the_path_carries_it_again() {
    let mut setting = Setting::new("go-back-n:1.1").with_rate("1.9 Mbit/s");
    setting.config.overhead = Octets::new(96);
    setting.config.mtu_least = Mtu::try_from(Octets::new(128)).expect("an MTU");
    setting.config.mtu_most = Mtu::try_from(Octets::new(9000)).expect("an MTU");
    setting.mtus = vec![(0, 9000), (5_000, 128), (30_000, 9000)];
    let mut world = World::new(setting);
    // Small ones, by which the size is found; large ones, some of them before the path has shrunk; and what has sizes looked for again.
    world.packets(0, 40, 20, 1_000, 100_000);
    world.packets(0, 8000, 12, 3_000, 500_000);
    world.packets(0, 40, 10, 700_000, 1_000_000);
    world.run_until(1_000_000);
    let [near, far] = &world.machines;
    assert!(near.counters().frames_in_pieces > 1 && near.taken.len() > 30, "{:?}", near.counters());
    assert_eq!(far.delivered.len(), near.taken.len(), "{:?}", near.counters());
}

#[test]
fn a_path_too_small_for_any_datagram_carries_nothing_and_panics_at_nothing() {
    for overhead in [96, 120, 128, 500, 70_000] {
        let mut setting = Setting::new("raw").with_rate("1 Mbit/s");
        setting.config.overhead = Octets::new(overhead);
        setting.config.mtu_least = Mtu::try_from(Octets::new(128)).expect("an MTU");
        setting.config.mtu_most = setting.config.mtu_least;
        let mut world = World::new(setting);
        world.packets(0, 100, 50, 0, 20_000);
        world.run_until(5000);
        assert_eq!(world.machines[1].delivered.is_empty(), overhead > 96, "overhead {overhead}");
    }
}

#[test]
fn a_number_that_no_peer_wrote_stops_a_link_for_less_than_a_second() {
    // While names are written in full, and when they are short.
    for from in [1000, 4000] {
        let mut world = World::new(Setting::new("sr"));
        (0..2).for_each(|index| world.packets(index, 500, 100, 0, 100_000));
        world.run_until(from);
        (0..2).for_each(|index| world.forge(index, 1 << 30));
        world.run_until(20_000);
        for index in 0..2 {
            assert_eq!(world.machines[index].delivered.len(), 100, "from {from} ms on");
            let gap = longest_gap(&world, index, from, 9000);
            assert!(gap < 1000, "from {from} ms on: {gap} ms without a packet");
        }
    }
}

#[test]
fn another_path_is_measured_anew() {
    let mut world = World::new(Setting::new("raw").with_rate("1.9 Mbit/s"));
    world.packets(0, 1000, 500, 0, 6000);
    world.run_until(2500);
    let end = &mut world.machines[0].end;
    let path = end.inner().path();
    assert_eq!((path.mtu, path.round_trip.is_some()), (Octets::new(1500), true));
    end.inner_mut().change_path(at(2500));
    let path = end.inner().path();
    assert_eq!((path.mtu, path.round_trip), (Octets::new(1280), None));
    world.packets(0, 1000, 500, 2500, 6000);
    world.run_until(6000);
    let path = world.machines[0].end.inner().path();
    assert_eq!((path.mtu, path.round_trip.is_some()), (Octets::new(1500), true));
}

#[test]
fn a_link_that_is_down_is_up_once_a_session_has_met_its_peer_again() {
    let config = Config { hellos: false, ..Config::default() };
    let context = LinkContext::from(Side::Client);
    let raw: ServiceConfig =
        "raw".parse::<ShortForm>().expect("a scheme").in_world(&WorldDefaults::default()).expect("raw");
    let mut bearer = Bearer::new(config, move |context: &LinkContext| raw.build(context), context, 1, at(0));
    bearer.meet(2, at(0));
    assert!(bearer.handle_packet(Packet::new(Bytes::from_static(&[0; 100])), at(0)).is_ok());
    assert!(bearer.poll_frame(at(0), Octets::MAX).is_some());
    while let Some(due) = bearer.poll_timeout().filter(|due| *due < at(10_000)) {
        bearer.handle_timeout(due);
        while bearer.poll_frame(due, Octets::MAX).is_some() {}
    }
    assert!(!bearer.path().is_up, "nobody answers");
    bearer.meet(2, at(10_000));
    assert!(bearer.path().is_up, "the peer has taken part in a handshake");
}
