//! The emulator in virtual time loses, drops and delivers what the simulator does.

use crate::memory::{Clock, Memory, emulate, ms, ratio};
use arqway_emulate::{EmulatedLink, Emulation, LinkSettings, Now, Report};
use arqway_link::Frame;
use arqway_net::Next;
use arqway_sim::channel::{
    Direction, Duplication, ErrorModel, ExponentialJitter, Jitter, Reordering, TwoState, Uniform,
};
use arqway_sim::mobility::{Change, MobilityConfig, Periodic, When};
use arqway_sim::{Probe, Queue, Room, Scenario, Streams, Wireless, World};
use arqway_units::{BitRate, LineId, Octets, Span, Time};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What crosses the simulator's link toward the client.
#[derive(Debug, Default)]
struct Crossing {
    queued: Vec<(Time, Octets)>,
    dropped: u64,
    lost: u64,
    received: Vec<(Time, Octets)>,
}

impl Probe for &mut Crossing {
    fn frame_queued(&mut self, direction: Direction, frame: &Frame, now: Time) {
        if direction == Direction::Down {
            self.queued.push((now, frame.size()));
        }
    }

    fn frame_dropped(&mut self, direction: Direction, _: &Frame, _: Time) {
        self.dropped += u64::from(direction == Direction::Down);
    }

    fn frame_sent(&mut self, direction: Direction, _: &Frame, arrives: bool, _: Time) {
        self.lost += u64::from(direction == Direction::Down && !arrives);
    }

    fn frame_received(&mut self, direction: Direction, frame: &Frame, now: Time) {
        if direction == Direction::Down {
            self.received.push((now, frame.size()));
        }
    }
}

/// Five minutes of a lecture over a link, as the simulator has it.
fn simulate(settings: &LinkSettings, seed: u64) -> Crossing {
    let LinkSettings { wireless, mobility, .. } = settings.clone();
    let mut scenario = Scenario { wireless, mobility, ..Scenario::default() };
    scenario.file_transfer.enabled = false;
    scenario.media.enabled = true;
    scenario.duration = ms(300_000);
    let mut seen = Crossing::default();
    World::new(&scenario, &Streams::new(seed, 0), &mut seen).expect("a link layer").run();
    seen
}

/// Slower than the lecture, so that the queue fills and drops.
fn links() -> Vec<(&'static str, LinkSettings)> {
    let rate = BitRate::from_bits_per_second(48_000).expect("not zero");
    let wireless = Wireless {
        rate: arqway_sim::Rate::Constant(rate),
        queue: Queue::DropTail(Room::of(20)),
        ..Wireless::default()
    };
    let at_rest = MobilityConfig::default();
    let with = |errors| Wireless { errors, ..wireless.clone() };
    let moving = MobilityConfig {
        when: When::Periodic(Periodic { stay: ms(7_000) }),
        change: Change::SameCell,
        ..MobilityConfig::default()
    };
    let states = TwoState { good: ms(2000), bad: ms(200), good_bit_errors: ratio(1e-5), bad_bit_errors: ratio(1e-2) };
    let settings = |wireless, mobility: &MobilityConfig| LinkSettings {
        wireless,
        mobility: mobility.clone(),
        line: LineId::FIRST,
    };
    let mut detours = with(ErrorModel::None);
    detours.reordering = Some(Reordering { share: ratio(0.1), delay: ms(70) });
    detours.duplication = Some(Duplication { share: ratio(0.1), delay: ms(3) });
    detours.jitter = Jitter::Exponential(ExponentialJitter { mean: ms(20), keep_order: true });
    vec![
        ("none", settings(wireless.clone(), &at_rest)),
        ("uniform", settings(with(ErrorModel::Uniform(Uniform { loss: ratio(0.05) })), &at_rest)),
        ("two-state", settings(with(ErrorModel::TwoState(states)), &at_rest)),
        ("detours", settings(detours, &at_rest)),
        ("outages", settings(wireless, &moving)),
    ]
}

#[test]
fn what_the_simulator_loses_drops_and_delivers_the_emulator_does_at_the_same_times() {
    for (name, settings) in links() {
        let simulated = simulate(&settings, 7);
        assert!(simulated.queued.len() > 2000, "{name}");
        let (received, report) = emulate(&settings, 7, &simulated.queued, Span::ZERO);
        let until = simulated.received.len();
        assert_eq!(received[..until], simulated.received[..], "{name}");
        let counters = report.down.counters;
        assert_eq!(counters.queue_full, simulated.dropped, "{name}");
        // What waits at the end of the simulation, the emulation sends as well.
        let waiting = counters.sent - counters.lost - counters.outage + counters.duplicated - until as u64;
        assert!(counters.lost + counters.outage >= simulated.lost && waiting <= 25, "{name}: {counters:?}");
    }
}

#[test]
fn an_emulator_that_is_late_loses_no_other_packets_and_says_how_late_it_was() {
    for (name, settings) in links() {
        let sends: Vec<_> = (1..2000u64).map(|number| (Time::ZERO + ms(40 * number), Octets::new(200))).collect();
        let (on_time, punctual) = emulate(&settings, 3, &sends, Span::ZERO);
        let (late, report) = emulate(&settings, 3, &sends, ms(5));
        assert_eq!(on_time.len(), late.len(), "{name}");
        assert_eq!(punctual.down.counters, report.down.counters, "{name}");
        assert_eq!((punctual.lateness.max_s, punctual.is_too_late()), (0.0, false), "{name}");
        assert!((0.0049..0.0051).contains(&report.lateness.max_s), "{name}: {:?}", report.lateness);
    }
}

#[test]
fn another_seed_loses_other_packets() {
    let (_, settings) = links().swap_remove(1);
    let sends: Vec<_> = (1..500u64).map(|number| (Time::ZERO + ms(50 * number), Octets::new(200))).collect();
    let [first, again, other] = [1, 1, 2].map(|seed| emulate(&settings, seed, &sends, Span::ZERO).0);
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn what_waits_is_what_has_come_and_not_gone_out_at_the_end_of_each_report() {
    let clock = Clock::default();
    // 800 octets take 133 ms at 48 kbit/s; 25 of them find room for 20.
    let sends = (0..25).map(|_| (Time::ZERO, Octets::new(800))).collect();
    let server = Memory { clock: clock.clone(), sends, ..Memory::default() };
    let client = Memory { clock: clock.clone(), ..Memory::default() };
    let (_, settings) = links().swap_remove(0);
    let mut emulation = Emulation::new(EmulatedLink::new(&settings, 1), client, server, clock.clone());
    let waiting = [0, 1000, 2000, 3000].map(|at| {
        clock.0.set(Time::ZERO + ms(at));
        emulation.turn().expect("a turn");
        let Report { down, up, .. } = emulation.report();
        assert_eq!(up.waiting, 0, "{at} ms");
        down.waiting
    });
    assert_eq!(waiting, [20, 13, 5, 0]);
    assert_eq!(emulation.finish().0.down.counters.queue_full, 5);
}

#[test]
fn an_ethernet_header_takes_nothing_of_the_link_and_a_deaf_interface_is_counted() {
    let clock = Clock::default();
    let size = Octets::new(800);
    let end = |sends| Memory { clock: clock.clone(), sends, header: 14, is_deaf: true, ..Memory::default() };
    let server = end(VecDeque::from([(Time::ZERO, size)]));
    let (_, settings) = links().swap_remove(0);
    let mut emulation = Emulation::new(EmulatedLink::new(&settings, 1), end(VecDeque::new()), server, clock.clone());
    assert_eq!(
        emulation.turn().expect("a turn"),
        Next::Wait(Some(Time::ZERO + Span::from_nanoseconds(800 * 8 * 1_000_000 / 48)))
    );
    clock.0.set(Time::ZERO + ms(1000));
    emulation.turn().expect("a turn");
    let (report, _) = emulation.finish();
    let counters = report.down.counters;
    assert_eq!((counters.offered, counters.offered_octets, counters.delivered, counters.refused), (1, 800, 0, 1));
}

#[test]
fn a_packet_in_the_steady_state_allocates_nothing() {
    let settings =
        LinkSettings { wireless: Wireless::default(), mobility: MobilityConfig::default(), line: LineId::FIRST };
    let mut wireless = settings.wireless.clone();
    wireless.rate = arqway_sim::Rate::Constant(BitRate::from_bits_per_second(100_000_000).expect("not zero"));
    wireless.queue = Queue::DropTail(Room::of(100));
    let settings = LinkSettings { wireless, ..settings };
    let clock = Clock::default();
    let sends: VecDeque<_> =
        (0..20_000u64).map(|number| (Time::from_nanoseconds(number * 200_000), Octets::new(1400))).collect();
    let received = Rc::new(RefCell::new(Vec::with_capacity(20_000)));
    let client = Memory { clock: clock.clone(), received: Rc::clone(&received), ..Memory::default() };
    let server = Memory { clock: clock.clone(), sends, ..Memory::default() };
    let mut emulation = Emulation::new(EmulatedLink::new(&settings, 1), client, server, clock.clone());
    let mut run = |until: u64| {
        while clock.now() < Time::from_nanoseconds(until) {
            emulation.turn().expect("a turn");
            clock.0.set(clock.now() + Span::from_nanoseconds(100_000));
        }
    };
    run(2_000_000_000);
    let allocated = allocation_counter::measure(|| run(3_800_000_000));
    assert!(received.borrow().len() > 18_000);
    // A slab of 128 KiB that is still in use may have to be replaced by another one.
    assert!(allocated.count_total < 20, "{} allocations for 9,000 packets", allocated.count_total);
}
