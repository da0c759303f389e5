//! Acknowledged mode of RLC: in order, at most once; everything, where nothing is given up; and it comes to rest.

use super::number_of;
use crate::common::{End, Fate, Queue, Setting, packet, run, send_more};
use crate::setting;
use arqway_link::rlc::am::{
    Config, Discard, MissingAs, MrwConfig, PduSize, PollConfig, Profile, ResetConfig, StatusConfig,
};
use arqway_link::{AnyService, Bounded, LinkService, ServiceConfig, Side, TimerStarts};
use arqway_units::{Ratio, Span};
use proptest::prelude::*;

fn off_or(milliseconds: std::ops::Range<u64>) -> impl Strategy<Value = Option<Span>> {
    prop_oneof![1 => Just(Some(Span::ZERO)), 2 => milliseconds.prop_map(|ms| Some(Span::from_milliseconds(ms)))]
}

/// Polls by which every loss is found in the end: at the end of what there is, also of what is sent again, and repeated; or
/// by the clock.
fn poll() -> impl Strategy<Value = PollConfig> {
    let by_end = (1u64..500).prop_map(|ms| (true, Span::from_milliseconds(ms), Span::ZERO));
    let by_clock = (1u64..500, any::<bool>()).prop_map(|(ms, last)| (last, Span::ZERO, Span::from_milliseconds(ms)));
    let counts = (0u16..20, 0u16..5, 0.0..1.0);
    (prop_oneof![by_end, by_clock], counts, any::<bool>(), off_or(1..300), any::<bool>()).prop_map(
        |((last, timer, periodic), (pdus, sdus, window), last_retransmission, prohibit, by_status)| PollConfig {
            last_pdu: Some(last),
            last_retransmission: Some(last_retransmission || timer != Span::ZERO),
            timer: Some(timer),
            every_pdus: Bounded::new(pdus),
            every_sdus: Bounded::new(sdus),
            window: Ratio::new(window),
            periodic: Some(periodic),
            prohibit,
            by_status: Some(by_status),
        },
    )
}

/// Reports by the clock leave the line free for data: they go first, however many there are.
fn status() -> impl Strategy<Value = StatusConfig> {
    let missing_as = prop_oneof![Just(MissingAs::Bitmap), Just(MissingAs::List), Just(MissingAs::RelativeList)];
    (
        any::<bool>(),
        off_or(100..500),
        any::<bool>(),
        off_or(1..300),
        missing_as,
        prop_oneof![3 => Just(0), 1 => 1u16..4095],
    )
        .prop_map(|(missing, periodic, after_outage, prohibit, missing_as, window)| StatusConfig {
            missing: Some(missing),
            periodic,
            periodic_while_idle: Some(false),
            after_outage: Some(after_outage),
            prohibit,
            missing_as: Some(missing_as),
            window: Bounded::new(window),
        })
}

fn size() -> impl Strategy<Value = Option<PduSize>> {
    prop_oneof![(8u16..40), (100u16..140), (200u16..300)].prop_map(PduSize::new)
}

fn config(discard: impl Strategy<Value = Discard>) -> impl Strategy<Value = Config> {
    let window = prop_oneof![1 => Just(1), 3 => 2u16..200, 1 => 2040u16..2060, 1 => Just(4095)].prop_map(Bounded::new);
    let starts = prop_oneof![Just(TimerStarts::HandOver), Just(TimerStarts::Start), Just(TimerStarts::Departure)];
    let below = prop_oneof![Just(None), (1u16..20).prop_map(Bounded::new)];
    let sizes = (size(), prop::option::of(size()), any::<(bool, bool, bool)>(), 0u64..50, below);
    let switches = (any::<(bool, bool, bool, bool, bool)>(), 0u64..200);
    let attempts = (0u16..6, 1u64..500, 1u16..6, 1u64..500, 2u16..6);
    (sizes, window, poll(), status(), discard, starts, switches, attempts).prop_map(
        |(
            (size, uplink, (flexible, special, pad), wait, pdus_below),
            window,
            poll,
            status,
            discard,
            starts,
            ((polls_count, drop_stale_copies, piggyback, name_each, resend_in_flight), round_trip),
            (retransmissions, mrw_timer, most_mrw, reset_timer, most_reset),
        )| Config {
            profile: Profile::Robust,
            pdu_size: size,
            uplink_pdu_size: uplink.flatten(),
            flexible_pdu_size: Some(flexible),
            special_header_extension: Some(special),
            pad_control_pdus: Some(pad),
            wait_to_fill: Some(Span::from_milliseconds(wait)),
            pdus_below,
            window,
            poll,
            status,
            discard: Some(discard),
            retransmissions: Bounded::new(retransmissions),
            polls_count: Some(polls_count),
            mrw: MrwConfig {
                timer: Some(Span::from_milliseconds(mrw_timer)),
                most: Bounded::new(most_mrw),
                name_each: Some(name_each),
            },
            reset: ResetConfig { timer: Some(Span::from_milliseconds(reset_timer)), most: Bounded::new(most_reset) },
            timer_starts: Some(starts),
            resend_in_flight: Some(resend_in_flight),
            round_trip: Some(Span::from_milliseconds(round_trip)),
            drop_stale_copies: Some(drop_stale_copies),
            piggyback: Some(piggyback),
            in_sequence_delivery: None,
            buffer: None,
        },
    )
}

fn gives_up() -> impl Strategy<Value = Discard> {
    let timer = (1_000u64..5_000).prop_map(|seconds| Discard::Timer { after: Span::from_milliseconds(1000 * seconds) });
    prop_oneof![2 => Just(Discard::AfterTransmissions), 1 => timer, 1 => Just(Discard::Reset)]
}

/// A link that neither doubles frames nor overflows: what the standard's numbers assume. Timers outlast a queue of 64.
fn assumed(mut setting: Setting) -> Setting {
    for fate in setting.fates.iter_mut().flatten() {
        *fate = Fate { copies: fate.copies.min(1), ..fate.clone() };
    }
    if let Queue::DropTail(frames) = setting.queue {
        setting.queue = Queue::BackPressured(frames);
    }
    setting.packets = setting.packets.map(|packets| packets % 60);
    setting
}

/// With a window of half the numbers or more an old copy of a PDU passes for a new one, so there must be none: no PDU is
/// sent again while a copy may be on its way.
fn without_old_copies(mut config: Config) -> Config {
    if config.window.is_some_and(|window| window.get() >= 2048) {
        config.resend_in_flight = Some(false);
        config.round_trip = Some(Span::from_seconds(20.0));
    }
    config
}

fn ends(config: &Config, setting: &Setting) -> [End<AnyService>; 2] {
    let config = ServiceConfig::RlcAm(without_old_copies(config.clone()));
    run([config.build(&Side::AccessPoint.into()), config.build(&Side::Client.into())], setting)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn rlc_delivers_every_packet_once_in_order_where_none_is_given_up(config in config(Just(Discard::Timer { after: Span::from_seconds(1e6) })), setting in setting()) {
        let setting = assumed(setting);
        let ends = ends(&config, &setting);
        for (end, count) in ends.iter().zip([setting.packets[1], setting.packets[0]]) {
            let expected: Vec<_> = (0..count).map(packet).collect();
            prop_assert!(end.received == expected, "{} of {count} packets, or out of order", end.received.len());
        }
    }

    #[test]
    fn without_in_sequence_delivery_rlc_delivers_every_packet_once(config in config(Just(Discard::Timer { after: Span::from_seconds(1e6) })), setting in setting()) {
        let (setting, config) = (assumed(setting), Config { in_sequence_delivery: Some(false), ..config });
        let ends = ends(&config, &setting);
        for (end, count) in ends.iter().zip([setting.packets[1], setting.packets[0]]) {
            let mut numbers: Vec<_> = end.received.iter().map(number_of).collect();
            prop_assert!(end.received.iter().zip(&numbers).all(|(received, number)| *received == packet(*number)));
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn without_in_sequence_delivery_rlc_gives_up_whole_packets_and_delivers_none_twice(config in config(gives_up()), setting in setting()) {
        let setting = assumed(setting);
        let window = config.window.map(|window| window.get() % 2049).and_then(Bounded::new);
        let config = Config { polls_count: Some(false), window, in_sequence_delivery: Some(false), ..config };
        let mut ends = ends(&config, &setting);
        send_more(&mut ends, 1000, 40);
        for (end, count) in ends.iter().zip([setting.packets[1], setting.packets[0]]) {
            let mut numbers: Vec<_> = end.received.iter().map(number_of).collect();
            prop_assert!(end.received.iter().zip(&numbers).all(|(received, number)| *received == packet(*number)));
            numbers.sort_unstable();
            prop_assert!(numbers.is_sorted_by(|one, next| one < next), "twice: {numbers:?}");
            prop_assert!(numbers.ends_with(&(1000..1040).collect::<Vec<_>>()), "{numbers:?}");
            prop_assert!(numbers.iter().all(|number| *number < count || (1000..1040).contains(number)));
        }
    }

    /// Whatever was given up or begun anew: both ends have the same window in the end, since all that is sent then comes.
    #[test]
    fn rlc_gives_up_whole_packets_and_both_ends_agree_after_it(config in config(gives_up()), setting in setting()) {
        let setting = assumed(setting);
        // Else a poll each millisecond gives up by itself what no link has lost.
        // Beyond half the numbers a request to move the window that is repeated passes for a new one.
        let window = config.window.map(|window| window.get() % 2049).and_then(Bounded::new);
        let config = Config { polls_count: Some(false), window, ..config };
        let mut ends = ends(&config, &setting);
        for (end, count) in ends.iter().zip([setting.packets[1], setting.packets[0]]) {
            let numbers: Vec<_> = end.received.iter().map(number_of).collect();
            prop_assert!(numbers.is_sorted_by(|one, next| one < next), "twice or out of order: {numbers:?}");
            prop_assert!(numbers.iter().all(|number| *number < count && end.received.contains(&packet(*number))));
        }
        let received = ends.each_ref().map(|end| end.received.len());
        send_more(&mut ends, 1000, 40);
        for (end, received) in ends.iter().zip(received) {
            let expected: Vec<_> = (1000..1040).map(packet).collect();
            let more = &end.received[received..];
            let numbers: Vec<_> = more.iter().map(number_of).collect();
            prop_assert!(more == expected, "{numbers:?}; {:?}", end.service.counters());
        }
    }
}
