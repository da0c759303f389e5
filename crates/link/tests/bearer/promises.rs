//! What two bearers and the services above them promise over any path.

use super::world::{Machine, Setting, Way, World, at};
use arqway_link::LinkService;
use arqway_link::bearer::{Config, Rate};
use arqway_units::{BitRate, Span, count};
use proptest::prelude::*;

/// Timeouts are longer than what a full window takes, or a queue in the modem would be one of copies.
const SERVICES: [&str; 5] = ["raw", "sr:3", "asr:3+2", "go-back-n:3", RLC];
const RLC: &str = "rlc:62";
/// From now on the path is well, and nobody restarts.
const HEALED: u64 = 20_000;

fn way() -> impl Strategy<Value = Way> {
    (1_000_000u64..8_000_000, 4usize..100, 1u64..150, 0u64..60, 0u64..150, 0u64..100).prop_map(
        |(rate, queue, delay, jitter, lost, doubled)| Way {
            rate: BitRate::from_bits_per_second(rate).expect("not zero"),
            queue,
            delay: Span::from_milliseconds(delay),
            jitter: Span::from_milliseconds(jitter),
            lost,
            doubled,
        },
    )
}

fn setting() -> impl Strategy<Value = Setting> {
    let outages = proptest::collection::vec((0u64..HEALED - 6000, 0u64..6000), 0..3);
    let mtus = proptest::collection::vec((0u64..HEALED, prop_oneof![Just(1500), Just(300), 256u16..1500]), 0..3);
    let restarts = proptest::collection::vec((0u64..HEALED, 0usize..2), 0..3);
    let pack = prop_oneof![2 => Just(0u64), 1 => 1u64..50];
    // Given, found, and none.
    let rates = 0..3;
    (0..SERVICES.len(), way(), way(), any::<u32>(), outages, mtus, restarts, rates, pack).prop_map(
        |(service, down, up, seed, outages, mtus, restarts, kind, pack)| {
            let given = |way: &Way| BitRate::from_bits_per_second(way.rate.as_bits_per_second() * 49 / 50);
            let rate = |way| match kind {
                0 => given(way).map_or(Rate::Unpaced, Rate::Fixed),
                1 => Rate::AUTOMATIC,
                _ => Rate::Unpaced,
            };
            let config = Config {
                rate: rate(&down),
                rate_up: Some(rate(&up)),
                pack_delay: Span::from_milliseconds(pack),
                datagram_lifetime: Span::from_milliseconds(30_000),
                ..Config::default()
            };
            // RLC wants its PDUs in order: where some were given up, it would join packets across the gap.
            let in_order = |way: Way| Way { jitter: Span::ZERO, ..way };
            let ways = if SERVICES[service] == RLC { [down, up].map(in_order) } else { [down, up] };
            let mut mtus: Vec<_> = core::iter::once((0, 1500)).chain(mtus).collect();
            mtus.sort_by_key(|(from, _)| *from);
            Setting {
                service: SERVICES[service],
                queue: None,
                config,
                ways,
                seed: u64::from(seed) + 1,
                outages: outages.into_iter().map(|(from, length)| (from, from + length)).collect(),
                more: Vec::new(),
                learns_lines: false,
                mtus,
                restarts,
                late: Span::from_milliseconds(u64::from(seed % 6)),
            }
        },
    )
}

/// What an end delivered is of epochs in their order, and within each of them no packet twice, and in order where the
/// service says so: raw has none, and this RLC delivers what is complete.
fn check_order(machine: &Machine, service: &str) {
    let delivered = &machine.delivered;
    for pair in delivered.windows(2) {
        let [one, next] = [&pair[0], &pair[1]].map(|delivered| (delivered.incarnation, delivered.epoch));
        assert!(one <= next, "{service}: {one:?}, and then {next:?} of an epoch before");
        if one == next && service != "raw" && service != RLC {
            assert!(pair[0].number < pair[1].number, "{service}: {} after {}", pair[1].number, pair[0].number);
        }
    }
    let mut seen: Vec<_> = delivered.iter().map(|one| (one.incarnation, one.epoch, one.number)).collect();
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), all, "{service}: a packet was delivered twice");
}

proptest! {
    #[test]
    fn everything_reliable_arrives_once_and_in_order_nothing_of_an_old_epoch_does_and_then_all_is_quiet(
        mut setting in setting(), counts in [1u64..200, 1u64..200], sizes in [20usize..1280, 20usize..1280],
    ) {
        let service = setting.service;
        // From then on nothing is lost, but the MTU stays, and delays, and the rate.
        let healed = setting.ways.clone().map(|way| Way { lost: 0, queue: 200, ..way });
        setting.outages.retain(|(_, to)| *to <= HEALED);
        let mut world = World::new(setting);
        for index in [0, 1] {
            world.packets(index, sizes[index], counts[index], 0, HEALED * 1000 / counts[index]);
        }
        world.run_until(HEALED);
        world.setting.ways = healed;
        for index in [0, 1] {
            world.packets(index, sizes[index], 100, HEALED + 20_000, 100_000);
        }
        world.run_until(HEALED + 600_000);
        for index in [0, 1] {
            let [machine, peer] = [&world.machines[index], &world.machines[1 - index]];
            check_order(machine, service);
            prop_assert!(machine.is_up(), "{service}");
            let epoch = u8::try_from(peer.counters().peer_restarts).expect("few");
            let taken = peer.taken.iter().filter(|(of, _)| *of == epoch).map(|(_, number)| *number);
            let arrived = machine.delivered.iter().filter(|one| (one.incarnation, one.epoch) == (peer.incarnation, epoch));
            let (taken, arrived): (Vec<_>, Vec<_>) = (taken.collect(), arrived.map(|one| one.number).collect());
            if service == "raw" {
                prop_assert!(taken.iter().rev().take(20).all(|number| arrived.contains(number)), "{arrived:?} of {taken:?}");
            } else {
                // RLC gives up what it has sent too often, and says so.
                let lost = taken.iter().filter(|number| !arrived.contains(number)).count();
                let given_up = if service == RLC { peer.end.counters().packets_discarded } else { 0 };
                prop_assert!(count(lost) <= given_up, "{service}: {arrived:?} of {taken:?}, {given_up} given up");
            }
            let last = machine.sent.last().map_or(at(0), |(time, _)| *time);
            prop_assert_eq!(machine.deadline(), None, "{} sent last at {:?}", service, last);
            prop_assert!(last < at(HEALED + 300_000), "{service}: still sending at {last:?}");
        }
    }
}
