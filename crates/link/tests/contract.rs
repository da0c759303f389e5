//! The promises of each service, under any loss, duplication, delay and outage, inside `Checked`.

mod common;
mod promises;
mod rough;

use arqway_link::mux::{self, Class, Protocol};
use arqway_link::rlc::tm;
use arqway_link::selective_repeat::{
    self, EstimatorConfig, Policy, Rejects, Samples, Timeout, TimerStarts, WindowSize,
};
use arqway_link::{Arithmetic, FixedPoint, Mux, Packet, ServiceConfig, Side, Smoothing, raw, snoop};
use arqway_link::{Checked, Counters, LinkService, ShortForm, WorldDefaults};
use arqway_units::{Octets, Span, Time};
use common::{End, Fate, Queue, Setting, packet, run};
use proptest::prelude::*;
use std::num::NonZeroUsize;

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (prop_oneof![3 => Just(1), 2 => Just(0), 1 => Just(2), 1 => Just(3)], 0u64..400)
        .prop_map(|(copies, milliseconds)| Fate { copies, delay: Span::from_milliseconds(milliseconds) });
    proptest::collection::vec(fate, 0..600)
}

fn setting() -> impl Strategy<Value = Setting> {
    let queue = prop_oneof![(1usize..64).prop_map(Queue::BackPressured), (8usize..200).prop_map(Queue::DropTail)];
    let outage = proptest::option::of((0u64..3000, 0u64..5000).prop_map(|(down, length)| {
        let down = Time::ZERO + Span::from_milliseconds(down);
        (down, down + Span::from_milliseconds(length))
    }));
    (0u32..400, 0u32..400, fates(), fates(), queue, 1u64..20, outage).prop_map(
        |(near, far, to_far, to_near, queue, milliseconds, outage)| Setting {
            packets: [near, far],
            fates: [to_far, to_near],
            queue,
            time_on_line: Span::from_milliseconds(milliseconds),
            outage,
        },
    )
}

fn selective_repeat() -> impl Strategy<Value = selective_repeat::Config> {
    let moment = prop_oneof![Just(TimerStarts::HandOver), Just(TimerStarts::Start), Just(TimerStarts::Departure)];
    let window = prop_oneof![3 => 1u16..=128, 1 => Just(1), 1 => Just(128)];
    let arithmetic = prop_oneof![
        (0u8..4, 0u8..4).prop_map(|(srtt_bits, srttvar_bits)| {
            Arithmetic::Integer(FixedPoint { srtt_bits, srttvar_bits, ..FixedPoint::TCP })
        }),
        Just(Arithmetic::Float)
    ];
    let samples = prop_oneof![Just(Samples::EachAcknowledgement), Just(Samples::OneAtATime)];
    let adaptive = proptest::option::of((0.0..5.0, 0.0..5.0).prop_map(|(srtt, srttvar)| Policy { srtt, srttvar }));
    let rejects = prop_oneof![Just(Rejects::Multireject), Just(Rejects::EachOnce), Just(Rejects::OneAtATime)];
    let timer = (100u64..3000, moment, adaptive, arithmetic, samples);
    (window, timer, 0u64..600, rejects, any::<bool>()).prop_map(
        |(window, (timeout, timer_starts, adaptive, arithmetic, samples), delay, rejects, drop)| {
            selective_repeat::Config {
                window: WindowSize::new(window).expect("from 1 to 128"),
                timeout: adaptive.map_or(Timeout::Fixed(Span::from_milliseconds(timeout)), Timeout::Adaptive),
                estimator: EstimatorConfig {
                    smoothing: Smoothing { arithmetic, ..Smoothing::default() },
                    samples,
                    floor: Span::from_milliseconds(timeout),
                    ..EstimatorConfig::default()
                },
                timer_starts,
                rejects,
                delayed_acknowledgement: Span::from_milliseconds(delay),
                drop_stale_copies: drop,
                ..selective_repeat::Config::default()
            }
        },
    )
}

/// A drop-tail queue that two services share has to fit what both may have outstanding.
fn with_room_for_two(mut setting: Setting) -> Setting {
    if let Queue::DropTail(frames) = setting.queue {
        setting.queue = Queue::DropTail(frames.max(512));
    }
    setting
}

/// What Selective Repeat asks of a drop-tail queue below it (its module says so): room for what is outstanding, and a
/// timeout that outlasts it. Otherwise the queue stays full of copies, and which frames find room is for it to say.
fn fit_the_queue(mut config: selective_repeat::Config, mut setting: Setting) -> (selective_repeat::Config, Setting) {
    if let Queue::DropTail(frames) = setting.queue {
        let frames = frames.max(2 * config.window.frames());
        setting.queue = Queue::DropTail(frames);
        let full_queue = setting.time_on_line * (frames as u64 + 1);
        config.estimator.floor += full_queue;
        if let Timeout::Fixed(timeout) = &mut config.timeout {
            *timeout += full_queue;
        }
    }
    (config, setting)
}

fn assert_complete_and_in_order<S: arqway_link::LinkService>(ends: &[End<S>; 2], sent: [u32; 2]) {
    for (end, count) in ends.iter().zip([sent[1], sent[0]]) {
        let expected: Vec<_> = (0..count).map(packet).collect();
        assert!(end.received == expected, "{} of {count} packets, or out of order", end.received.len());
    }
}

fn assert_delivers_what_arrives(service: &ServiceConfig, setting: Setting) {
    let setting = Setting { queue: Queue::BackPressured(4), ..setting };
    let ends = run([Side::AccessPoint, Side::Client].map(|side| service.build(&side.into())), &setting);
    for (receiver, sender) in [(1, 0), (0, 1)] {
        let copies =
            |number: u32| setting.fates[sender].get(number as usize).map_or(1, |fate| usize::from(fate.copies));
        let numbers = 0..setting.packets[sender];
        let expected: Vec<_> = numbers.flat_map(|number| std::iter::repeat_n(packet(number), copies(number))).collect();
        let received = &ends[receiver].received;
        assert!(*received == expected, "{} of {} packets", received.len(), expected.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn selective_repeat_delivers_every_packet_once_in_order_and_comes_to_rest(config in selective_repeat(), setting in setting()) {
        let (config, setting) = fit_the_queue(config, setting);
        let end = || ServiceConfig::SelectiveRepeat(config.clone()).build(&Side::Client.into());
        assert_complete_and_in_order(&run([end(), end()], &setting), setting.packets);
    }

    #[test]
    fn a_multiplexer_keeps_the_promise_of_each_service_inside(configs in [selective_repeat(), selective_repeat()], setting in setting(), depth in 1usize..9) {
        // Both share the line and its queue: the queue must fit both.
        let [first, second] = configs;
        let (first, setting) = fit_the_queue(first, with_room_for_two(setting));
        let (second, setting) = fit_the_queue(second, setting);
        let mux = || {
            let classes = vec![Class::of_protocol(Protocol::UDP, ServiceConfig::SelectiveRepeat(second.clone()))];
            let default_service = ServiceConfig::SelectiveRepeat(first.clone());
            let depth = NonZeroUsize::new(depth).expect("not zero");
            Mux::new(&mux::Config { classes, depth, ..mux::Config::new(default_service) }, &Side::Client.into()).expect("two services")
        };
        let ends = run([mux(), mux()], &setting);
        for (end, count) in ends.iter().zip([setting.packets[1], setting.packets[0]]) {
            // Each class keeps its order; between classes there is none.
            for class in 0..2 {
                let of_class = |packet: &&Packet| packet.octets[23] % 2 == class;
                let received: Vec<_> = end.received.iter().filter(of_class).cloned().collect();
                let expected: Vec<_> = (0..count).filter(|number| number % 2 == u32::from(class)).map(packet).collect();
                prop_assert!(received == expected, "{} of {} packets of class {class}", received.len(), expected.len());
            }
        }
    }

    #[test]
    fn raw_delivers_exactly_what_arrives_in_order_and_comes_to_rest(setting in setting()) {
        assert_delivers_what_arrives(&ServiceConfig::Raw(raw::Config::default()), setting);
    }

    #[test]
    fn transparent_mode_does_so_too(setting in setting()) {
        assert_delivers_what_arrives(&ServiceConfig::RlcTm(tm::Config::default()), setting);
    }

    #[test]
    fn snoop_does_so_with_packets_that_are_no_whole_tcp_segments(setting in setting()) {
        assert_delivers_what_arrives(&ServiceConfig::Snoop(snoop::Config::default()), setting);
    }
}

/// Its frame would look cut short to the peer, and a service that repeats until it is acknowledged would do so for ever.
#[test]
fn an_empty_packet_is_dropped_and_what_comes_behind_it_is_carried() {
    for service in [
        "raw",
        "sr",
        "asr:3+2",
        "go-back-n",
        "rlp",
        "oos-rlp",
        "xor-fec",
        "deadline",
        "snoop",
        "rlc-um",
        "rlc-tm",
        "sscop",
    ] {
        let form: ShortForm = service.parse().expect("a service");
        let config = form.in_world(&WorldDefaults::default()).expect("a service");
        let mut end = Checked::new(config.build(&Side::AccessPoint.into()));
        assert_eq!(end.handle_packet(Packet::new(Vec::new()), Time::ZERO), Ok(()));
        let nothing = (end.poll_frame(Time::ZERO, Octets::MAX), end.poll_timeout(), end.counters());
        let counted = Counters { packets_empty: 1, ..Counters::default() };
        assert_eq!(nothing, (None, None, counted), "{service}");
        assert_eq!(end.handle_packet(packet(1), Time::ZERO), Ok(()));
        assert!(end.poll_frame(Time::ZERO, Octets::MAX).is_some(), "{service}");
    }
}

/// A retransmission storm is where the collapse of a fixed timeout lives: it must still end.
#[test]
fn a_timeout_far_below_the_round_trip_still_comes_to_rest() {
    for window in [1, 17, 128] {
        let config = selective_repeat::Config {
            window: WindowSize::new(window).expect("from 1 to 128"),
            timeout: Timeout::Fixed(Span::from_milliseconds(51)),
            timer_starts: TimerStarts::HandOver,
            drop_stale_copies: false,
            ..selective_repeat::Config::default()
        };
        let setting = Setting {
            packets: [60, 10],
            fates: [vec![Fate { copies: 1, delay: Span::from_milliseconds(300) }; 500], Vec::new()],
            queue: Queue::DropTail(64),
            time_on_line: Span::from_milliseconds(31),
            outage: None,
        };
        let end = || ServiceConfig::SelectiveRepeat(config.clone()).build(&Side::Client.into());
        assert_complete_and_in_order(&run([end(), end()], &setting), setting.packets);
    }
}
