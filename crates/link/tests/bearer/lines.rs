//! Bearers with several lines: each comes and goes, and nothing is lost with one.

use super::longest_gap;
use super::world::{Line, Setting, Way, World, at};
use arqway_link::bearer::{Event, LineConfig, Rate};
use arqway_link::{LineId, LinkService, mux};
use arqway_units::{BitRate, Span};
use proptest::prelude::*;

fn line(number: u8) -> LineId {
    LineId::new(number).expect("fewer than eight")
}

fn way(megabits: u64, milliseconds: u64) -> Way {
    Way {
        rate: BitRate::from_bits_per_second(megabits * 1_000_000).expect("not zero"),
        queue: 1000,
        delay: Span::from_milliseconds(milliseconds),
        jitter: Span::ZERO,
        lost: 0,
        doubled: 0,
    }
}

/// Lines with paces a little below what their modems carry.
fn setting(service: &'static str, lines: &[Way]) -> Setting {
    let mut setting = Setting::new(service);
    setting.ways = [lines[0].clone(), lines[0].clone()];
    setting.more = lines[1..]
        .iter()
        .map(|way| Line { ways: [way.clone(), way.clone()], outages: Vec::new(), mtu: 1500 })
        .collect();
    let pace = |way: &Way| BitRate::from_bits_per_second(way.rate.as_bits_per_second() * 49 / 50);
    let config = |way: &Way| LineConfig { rate: pace(way).map(Rate::Fixed), ..LineConfig::default() };
    setting.config.line = lines.iter().map(config).collect();
    setting
}

/// Everything that was taken has arrived once and in order.
fn check(world: &World, index: usize) {
    let (sender, receiver) = (&world.machines[index], &world.machines[1 - index]);
    let taken: Vec<_> = sender.taken.iter().map(|(_, number)| *number).collect();
    let arrived: Vec<_> = receiver.delivered.iter().map(|one| one.number).collect();
    let wrong = arrived.iter().zip(&taken).position(|(arrived, taken)| arrived != taken);
    let near = wrong.map(|at| &arrived[at..(at + 10).min(arrived.len())]);
    assert!(arrived == taken, "{} of {}, {near:?} from {wrong:?} on", arrived.len(), taken.len());
}

#[test]
fn a_line_that_dies_is_given_up_after_a_round_trip_and_50_ms_and_what_it_had_goes_by_the_other() {
    for dies in [0, 1] {
        let mut setting = setting("tally", &[way(2, 50), way(2, 50)]);
        let outage = vec![(2000, 7000)];
        if dies == 0 {
            setting.outages = outage
        } else {
            setting.more[0].outages = outage
        }
        let mut world = World::new(setting);
        // More than one line carries.
        world.packets(0, 1000, 2400, 0, 3000);
        world.run_until(60_000);
        check(&world, 0);
        let sender = &world.machines[0];
        let down = sender.when_of(Some(line(dies)), Event::Down);
        // What went last was heard of up to half a round trip after the line had died; a datagram takes 4 ms, and reports are 25 ms apart.
        assert!(matches!(down[..], [at] if (2100..=2210).contains(&at)), "{down:?}");
        let up = sender.when_of(Some(line(dies)), Event::Up);
        assert!(matches!(up[..], [.., at] if (7000..=8200).contains(&at)), "{up:?}");
        assert_eq!((sender.when(Event::Down), sender.is_up()), (Vec::new(), true));
        assert!(longest_gap(&world, 1, 1000, 7000) <= 300 + 2 * 100, "{}", longest_gap(&world, 1, 1000, 7000));
    }
}

#[test]
fn where_all_lines_die_services_stand_still_and_go_on_with_the_first_that_is_back() {
    let mut setting = setting("tally", &[way(2, 50), way(2, 20)]);
    (setting.outages, setting.more[0].outages) = (vec![(2000, 9000)], vec![(3000, 30_000)]);
    let mut world = World::new(setting);
    world.packets(0, 1000, 200, 0, 50_000);
    world.run_until(60_000);
    check(&world, 0);
    let (down, up) = (world.machines[0].when(Event::Down), world.machines[0].when(Event::Up));
    assert!(matches!(down[..], [at] if (3000..4300).contains(&at)), "{down:?}");
    assert!(matches!(up[..], [_, at] if (9000..10_300).contains(&at)), "{up:?}");
}

#[test]
fn a_service_that_wants_order_has_one_line_at_a_time_and_the_next_one_when_that_dies() {
    let mut setting = setting("sr:3", &[way(2, 50), way(2, 20)]);
    setting.more[0].outages = vec![(3000, 6000)];
    let mut world = World::new(setting);
    world.packets(0, 1000, 200, 0, 50_000);
    world.run_until(60_000);
    check(&world, 0);
    let delay = |from: u64, to: u64| {
        let within = world.machines[1].delivered.iter().filter(|one| (at(from)..at(to)).contains(&one.at));
        within.map(|one| (one.at - at(50 * u64::from(one.number))).as_nanoseconds() / 1_000_000).collect::<Vec<_>>()
    };
    assert!(delay(1000, 3000).iter().all(|delay| *delay < 40), "by the nearer line: {:?}", delay(1000, 3000));
    assert!(delay(5000, 6000).iter().all(|delay| (50..100).contains(delay)), "{:?}", delay(5000, 6000));
}

/// How many octets each end has sent by a line so far.
fn sent_by(world: &World, number: u8) -> [u64; 2] {
    let of = |index: usize| world.machines[index].end.inner().path_of(line(number)).map(|path| path.sent.as_u64());
    [of(0), of(1)].map(|sent| sent.expect("the line is known"))
}

#[test]
fn by_a_spare_line_nothing_goes_but_what_asks_about_it_until_the_other_is_gone_whichever_end_says_so() {
    for service in ["tally", "sr:3", "raw"] {
        let mut setting = setting(service, &[way(2, 50), way(2, 20)]);
        setting.config.line[1].spare = true;
        (setting.learns_lines, setting.outages) = (true, vec![(14_000, 17_000)]);
        let mut world = World::new(setting);
        [0, 1].into_iter().for_each(|index| world.packets(index, 1000, 1800, 0, 12_000));
        let mut sent = vec![[0, 0]];
        for until in [500, 6500, 13_900, 14_300, 16_900, 17_800, 21_400] {
            world.run_until(until);
            sent.push(sent_by(&world, 1));
        }
        let grown: Vec<[u64; 2]> = sent.windows(2).map(|of| [0, 1].map(|end| of[1][end] - of[0][end])).collect();
        for end in [0, 1] {
            let [start, told, beside, _, alone, _, again] = grown[..] else { panic!("seven times") };
            assert!(start[end] < 10_000, "{service}: until the peer knows, and probes: {grown:?}");
            // A question and an answer: each second at first, and then once in ten.
            assert!(told[end] < 700 && beside[end] < 200 && again[end] < 200, "{service}: beside the other: {grown:?}");
            assert!(alone[end] > 100_000, "{service}: where it is the only one: {grown:?}");
        }
        world.run_until(60_000);
        if service != "raw" {
            check(&world, 0);
            check(&world, 1);
        }
    }
}

#[test]
fn a_line_is_spare_from_when_one_end_says_so_until_it_says_that_it_is_not() {
    let mut setting = setting("sr:3", &[way(2, 50), way(2, 20)]);
    setting.learns_lines = true;
    let mut world = World::new(setting);
    [0, 1].into_iter().for_each(|index| world.packets(index, 1000, 1000, 0, 12_000));
    let mut sent = Vec::new();
    for (until, spares) in [(3000, true), (3500, true), (6000, false), (6500, false), (9000, false)] {
        world.run_until(until);
        sent.push(sent_by(&world, 1));
        world.spare(0, line(1), spares);
    }
    for end in [0, 1] {
        let grown: Vec<u64> = sent.windows(2).map(|of| of[1][end] - of[0][end]).collect();
        assert!(sent[0][end] > 50_000 && grown[3] > 50_000, "as any other: {sent:?}");
        assert!(grown[1] < 500, "from a round trip on: {sent:?}");
    }
    world.run_until(60_000);
    check(&world, 0);
    check(&world, 1);
}

#[test]
fn the_peer_learns_what_a_line_is_used_for_though_the_first_to_tell_it_is_lost() {
    let mut setting = setting("sr:3", &[way(2, 50), way(2, 20)]);
    setting.learns_lines = true;
    // What is said at 3 s and at 6 s is lost, and so is all else for a while that is too short to be noticed.
    setting.more[0].outages = vec![(2990, 3015), (5990, 6015)];
    let mut world = World::new(setting);
    [0, 1].into_iter().for_each(|index| world.packets(index, 1000, 1000, 0, 12_000));
    let mut sent = Vec::new();
    for (until, spares) in [(3000, true), (4500, true), (6000, false), (7500, false), (9000, false)] {
        world.run_until(until);
        sent.push(sent_by(&world, 1)[1]);
        world.spare(0, line(1), spares);
    }
    let grown: Vec<u64> = sent.windows(2).map(|of| of[1] - of[0]).collect();
    assert!(grown[1] < 500 && grown[3] > 50_000, "{sent:?}");
}

#[test]
fn what_an_end_has_said_of_a_line_ends_with_it() {
    let mut setting = setting("sr:3", &[way(2, 50), way(2, 20)]);
    setting.config.line[1].spare = true;
    (setting.learns_lines, setting.restarts) = (true, vec![(3000, 0)]);
    let mut world = World::new(setting);
    [0, 1].into_iter().for_each(|index| world.packets(index, 1000, 1000, 0, 12_000));
    world.run_until(2990);
    let before = sent_by(&world, 1);
    assert!(before.iter().all(|sent| *sent < 10_000), "{before:?}");
    // Its settings are others when it begins again.
    world.setting.config.line[1].spare = false;
    world.run_until(9000);
    let after = sent_by(&world, 1);
    assert!(after.iter().all(|sent| *sent > 100_000), "{after:?}");
}

#[test]
fn idle_lines_send_nothing_and_wake_nobody() {
    let mut world = World::new(setting("tally", &[way(2, 50), way(2, 20), way(10, 200)]));
    world.packets(0, 1000, 500, 0, 2000);
    world.run_until(20_000);
    let sent = [0, 1].map(|index| world.machines[index].sent.len());
    check(&world, 0);
    assert_eq!([0, 1].map(|index| world.machines[index].deadline()), [None, None]);
    world.run_until(3_600_000);
    assert_eq!([0, 1].map(|index| world.machines[index].sent.len()), sent);
}

#[test]
fn lines_that_are_to_be_kept_open_are_asked_whenever_nothing_has_gone_by_them_for_so_long() {
    let mut setting = setting("tally", &[way(2, 50), way(2, 20)]);
    setting.config.keepalive = Some(Span::from_milliseconds(25_000));
    let mut world = World::new(setting);
    world.packets(0, 1000, 500, 0, 2000);
    world.run_until(20_000);
    let before = [0, 1].map(|number| sent_by(&world, number));
    world.run_until(150_000);
    let after = [0, 1].map(|number| sent_by(&world, number));
    for (before, after) in before.into_iter().zip(after) {
        let sent = [after[0] - before[0], after[1] - before[1]];
        // Each asks or answers five times.
        assert!(sent.iter().all(|sent| (5 * 30..=12 * 84).contains(sent)), "{sent:?}");
    }
}

#[test]
fn a_line_that_is_slow_beside_another_is_tried_for_a_second_in_ten_while_something_flows() {
    let mut setting = setting("tally", &[way(10, 20), way(10, 20)]);
    setting.config.line = vec![LineConfig { rate: Some(Rate::AUTOMATIC), ..LineConfig::default() }; 2];
    setting.queue = Some(mux::QueueLimits::default());
    let slow = BitRate::from_bits_per_second(100_000).expect("not zero");
    setting.more[0].ways.iter_mut().for_each(|way| way.rate = slow);
    let mut world = World::new(setting);
    // As fast as the first line takes them.
    world.packets(0, 1000, 40_000, 0, 700);
    let mut sent = Vec::new();
    for second in 5..30 {
        world.run_until(1000 * second);
        sent.push(sent_by(&world, 1)[0]);
    }
    let in_seconds: Vec<u64> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let busy = in_seconds.iter().filter(|sent| **sent > 3000).count();
    assert!((2..=7).contains(&busy), "{in_seconds:?}");
}

/// From now on all lines are there, and lose nothing.
const HEALED: u64 = 10_000;

fn lines() -> impl Strategy<Value = Setting> {
    let way = (1u64..12, 1u64..300, 0u64..200, 4usize..200, 0u64..20, 0u64..50).prop_map(
        |(megabits, delay, lost, queue, jitter, doubled)| Way {
            queue,
            jitter: Span::from_milliseconds(jitter),
            lost,
            doubled,
            ..way(megabits, delay)
        },
    );
    let outages = proptest::collection::vec((0u64..HEALED - 3000, 0u64..3000), 0..4);
    let mtu = prop_oneof![Just(1500u16), 1280u16..1500];
    let line = (way.clone(), way, outages, mtu).prop_map(|(down, up, outages, mtu)| Line {
        ways: [down, up],
        outages: outages.into_iter().map(|(from, length)| (from, from + length)).collect(),
        mtu,
    });
    (proptest::collection::vec(line, 2..=8), any::<u32>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(lines, seed, is_found, is_alone, learns_lines)| {
            let mut spares = seed;
            let config = |line: &Line| LineConfig {
                spare: {
                    spares = spares.rotate_right(3);
                    spares.is_multiple_of(4)
                },
                rate: Some(if is_found { Rate::AUTOMATIC } else { Rate::Fixed(line.ways[0].rate) }),
                rate_up: Some(if is_found { Rate::AUTOMATIC } else { Rate::Fixed(line.ways[1].rate) }),
            };
            let mut setting = Setting::new(if is_alone { "sr:3" } else { "tally" });
            setting.learns_lines = learns_lines;
            setting.config.line = lines.iter().map(config).collect();
            let mut lines = lines.into_iter();
            let first = lines.next().expect("two at least");
            (setting.ways, setting.outages, setting.more) = (first.ways, first.outages, lines.collect());
            setting.mtus = vec![(0, first.mtu)];
            (setting.seed, setting.late) = (u64::from(seed) + 1, Span::from_milliseconds(u64::from(seed % 6)));
            setting
        },
    )
}

proptest! {
    #[test]
    fn everything_arrives_once_and_in_order_by_lines_that_come_and_go_and_then_all_is_quiet(
        setting in lines(), counts in [1u64..300, 1u64..300], sizes in [20usize..1280, 20usize..1280],
    ) {
        let mut healed = setting.clone();
        let mut world = World::new(setting);
        for index in [0, 1] {
            world.packets(index, sizes[index], counts[index], 0, HEALED * 1000 / counts[index]);
        }
        world.run_until(HEALED);
        let of_first = healed.ways.iter_mut();
        for way in of_first.chain(healed.more.iter_mut().flat_map(|line| &mut line.ways)) {
            (way.lost, way.doubled, way.queue) = (0, 0, 1000);
        }
        world.setting = healed;
        world.run_until(HEALED + 600_000);
        for index in [0, 1] {
            check(&world, index);
            let machine = &world.machines[index];
            let last = machine.sent.last().map_or(at(0), |(time, _)| *time);
            prop_assert_eq!(machine.end.poll_timeout(), None, "sent last at {:?}", last);
            prop_assert!(last < at(HEALED + 300_000), "still sending at {last:?}");
            prop_assert!(machine.is_up());
        }
    }
}

#[test]
fn of_a_line_that_is_closed_nothing_is_lost_and_nothing_sent_twice() {
    let mut world = World::new(setting("tally", &[way(2, 50), way(2, 120)]));
    world.packets(0, 1000, 1500, 0, 4000);
    for (close, open) in [(1000, 2500), (3000, 4000)] {
        world.run_until(close);
        world.close(0, line(1), true);
        world.run_until(open);
        world.close(0, line(1), false);
    }
    world.run_until(60_000);
    check(&world, 0);
    let [sent, received] = [0, 1].map(|index| world.machines[index].end.counters());
    assert_eq!((sent.frames_resent, received.duplicates_received), (0, 0));
    assert!(longest_gap(&world, 1, 500, 5500) < 200, "{}", longest_gap(&world, 1, 500, 5500));
}

#[test]
fn an_end_that_never_hears_of_a_second_line_is_spoken_to_by_the_first() {
    let mut setting = setting("tally", &[way(2, 50), way(2, 20)]);
    setting.learns_lines = true;
    // Nothing ever comes by the second line.
    setting.more[0].outages = vec![(0, 100_000)];
    let mut world = World::new(setting);
    [0, 1].into_iter().for_each(|index| world.packets(index, 1000, 3000, 0, 8000));
    world.run_until(90_000);
    check(&world, 0);
    check(&world, 1);
}
