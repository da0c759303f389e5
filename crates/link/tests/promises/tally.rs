//! Tally: every packet once and in order over a link that loses, doubles and reorders frames, and what its transmissions cost.

use super::{bursts, weather};
use crate::common::{Fate, Queue, Setting, carry, packet_of, run, run_with};
use crate::rough::Rough;
use crate::{assert_complete_and_in_order, setting};
use arqway_link::tally::{Config, WindowSize};
use arqway_link::{AnyService, LinkService, Packet, Resequencing, ServiceConfig, Side};
use arqway_units::{Span, Time, ToFloat};
use core::num::NonZeroUsize;
use proptest::prelude::*;

fn ends(config: &Config) -> [AnyService; 2] {
    [Side::AccessPoint, Side::Client].map(|side| ServiceConfig::Tally(config.clone()).build(&side.into()))
}

fn config() -> impl Strategy<Value = Config> {
    let window = prop_oneof![2 => 1u32..40, 1 => 1u32..=WindowSize::MAX, 1 => Just(WindowSize::MAX)];
    (window, any::<[bool; 2]>()).prop_map(|(window, [repair, compress_headers])| Config {
        window: WindowSize::new(window).expect("a window"),
        resequencing: Resequencing::Full,
        repair,
        compress_headers,
        ..Config::default()
    })
}

const FEW: u32 = 3;
/// More than are known at a time.
const MANY: u32 = 90;

/// How many segments a connection sends in its turn.
const TURN: u32 = 3;

fn connection_of(number: u32, connections: u32) -> u32 {
    number / TURN % connections
}

/// Segments of so many connections in turn, with 188 octets of payload behind 52 of headers.
fn segment(number: u32, connections: u32) -> Packet {
    use etherparse::{IpHeaders, Ipv4Extensions, Ipv4Header, PacketBuilder, TcpHeader, TcpOptionElement};
    let connection = connection_of(number, connections) as u16;
    let number = number / (TURN * connections) * TURN + number % TURN;
    let mut tcp = TcpHeader::new(connection, 4000, number * 188, 500 + number as u16 / 7);
    (tcp.ack, tcp.acknowledgment_number, tcp.psh) = (true, number / 5, number.is_multiple_of(4));
    let time = TcpOptionElement::Timestamp(number * 3, number * 2);
    tcp.set_options(&[TcpOptionElement::Noop, TcpOptionElement::Noop, time]).expect("room");
    let mut ip = Ipv4Header::new(0, 64, 6.into(), [10, 0, 0, 1], [10, 0, 0, 2]).expect("short");
    ip.identification = number as u16;
    let mut octets = Vec::new();
    let builder = PacketBuilder::ip(IpHeaders::Ipv4(ip, Ipv4Extensions::default())).tcp_header(tcp);
    builder.write(&mut octets, &[number as u8; 188]).expect("memory");
    Packet::new(octets)
}

/// What is lost of 100 frames, in no order.
fn losses(percent: u64, seed: u64, delay: Span) -> Vec<Fate> {
    fates(12_000, percent, seed, delay)
}

fn fates(frames: usize, percent: u64, seed: u64, delay: Span) -> Vec<Fate> {
    let mut state = seed;
    let mut fate = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Fate { copies: u8::from((state >> 33) % 100 >= percent), delay }
    };
    (0..frames).map(|_| fate()).collect()
}

#[test]
fn of_a_fast_long_line_losses_take_no_more_than_their_share_however_many_frames_are_missing_at_a_time() {
    // 10 Mbit/s and 50 Mbit/s over 250 ms: up to 700 frames are missing at a time.
    for (time_on_line, percent) in [(1_120_000, 20), (224_000, 10), (224_000, 20)] {
        let packets = 20_000;
        let time_on_line = Span::from_nanoseconds(time_on_line);
        let setting = Setting {
            packets: [packets, 0],
            fates: [1, 2].map(|side| fates(40_000, percent, side, Span::from_milliseconds(250))),
            queue: Queue::BackPressured(1),
            time_on_line,
            outage: None,
        };
        let ran = run(ends(&Config::default()), &setting);
        let last = ran[1].released.last().expect("packets").since(Time::ZERO);
        let least = time_on_line * u64::from(packets) * 100 / (100 - percent);
        // Of the 2,000 frames that are on their way at the end one may be lost five times.
        let most = least + least / 20 + Span::from_milliseconds(500 * 6);
        assert!(last <= most, "{percent} % of frames of {time_on_line}: {last}, expected {most} at most");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn tally_delivers_every_packet_once_in_order_and_comes_to_rest(config in config(), setting in setting()) {
        assert_complete_and_in_order(&run(ends(&config), &setting), setting.packets);
    }

    #[test]
    fn so_it_does_over_a_link_that_loses_frames_in_long_bursts(config in config(), setting in setting(), fates in [bursts(), bursts()]) {
        let setting = Setting { fates, ..setting };
        assert_complete_and_in_order(&run(ends(&config), &setting), setting.packets);
    }

    #[test]
    fn so_it_does_where_frames_overtake_one_another(config in config(), weather in weather(200), packets in [0u32..120, 0u32..120]) {
        let mut rough = Rough::new(ends(&config), weather);
        rough.send(packets);
        rough.come_to_rest();
        for (end, count) in [(0, packets[1]), (1, packets[0])] {
            prop_assert_eq!(&rough.received[end], &(0..count).collect::<Vec<_>>());
        }
    }

    /// In the order of arrival, or of each flow.
    #[test]
    fn without_resequencing_tally_delivers_every_packet_once(config in config(), weather in weather(200), packets in [0u32..120, 0u32..120], per_flow in any::<bool>()) {
        let resequencing = if per_flow { Resequencing::PerFlow } else { Resequencing::as_received() };
        let mut rough = Rough::new(ends(&Config { resequencing, ..config }), weather);
        rough.send(packets);
        rough.come_to_rest();
        for (end, count) in [(0, packets[1]), (1, packets[0])] {
            let received = &mut rough.received[end];
            received.sort_unstable();
            prop_assert_eq!(&*received, &(0..count).collect::<Vec<_>>());
        }
    }

    /// Of the order of each connection the other end can make whole again what was shortened, also where more take turns than are known at a time.
    #[test]
    fn segments_with_shortened_headers_come_out_as_they_went_in(config in config(), setting in setting(), is_full in any::<bool>(), has_many in any::<bool>()) {
        let resequencing = if is_full { Resequencing::Full } else { Resequencing::PerFlow };
        let buffer = NonZeroUsize::MIN;
        let connections = if has_many { MANY } else { FEW };
        let segment = if has_many { |number| segment(number, MANY) } else { |number| segment(number, FEW) };
        let ran = carry(ends(&Config { resequencing, compress_headers: true, buffer, ..config }), &setting, segment);
        for (end, count) in [(0, setting.packets[1]), (1, setting.packets[0])] {
            for connection in 0..connections {
                let received = ran[end].received.iter().filter(|packet| packet.octets[21] == connection as u8);
                let sent = (0..count).filter(|number| connection_of(*number, connections) == connection);
                let sent = sent.map(segment);
                prop_assert!(received.map(|packet| packet.octets.clone()).eq(sent.map(|packet| packet.octets)));
            }
            let (counters, sent) = (ran[1 - end].service.counters(), u64::from(count) * 240);
            // What goes out before it is known whether frames take time is not shortened.
            prop_assert!(has_many || count < 100 || counters.octets_sent < sent);
        }
    }

    /// What is given up is counted, and nothing comes twice or late.
    #[test]
    fn with_persistence_what_arrives_is_in_order_and_what_does_not_is_counted(config in config(), weather in weather(200), packets in [0u32..120, 0u32..120], milliseconds in 1u64..2000) {
        let config = Config { persistence: Some(Span::from_milliseconds(milliseconds)), ..config };
        let mut rough = Rough::new(ends(&config), weather);
        rough.send(packets);
        rough.come_to_rest();
        for (to, from) in [(0, 1), (1, 0)] {
            let received = &rough.received[to];
            prop_assert!(received.windows(2).all(|pair| pair[0] < pair[1]), "{received:?}");
            let (sent, discarded) = (u64::from(packets[from]), rough.ends[from].counters().packets_discarded);
            // One may have arrived whose acknowledgement came too late.
            prop_assert!(received.len() as u64 + discarded >= sent);
            prop_assert!(discarded > 0 || received.len() as u64 == sent);
        }
    }
}

/// How long a frame of 1,400 octets takes on the line, and then on its way: from 9.6 kbit/s to 1 Gbit/s, in nanoseconds.
const LINES: [(u64, u64); 5] = [
    (1_170_000_000, 1_000_000_000),
    (5_600_000, 50_000_000),
    (1_120_000, 250_000_000),
    (11_200, 100_000),
    (11_200, 50_000_000),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn what_tally_sends_is_what_the_losses_make_it_send_and_two_percent(line in 0..LINES.len(), percent in 0u64..12, seed in any::<u64>()) {
        let [time_on_line, delay] = <[u64; 2]>::from(LINES[line]).map(Span::from_nanoseconds);
        let setting = Setting {
            packets: [4000, 0],
            fates: [1, 2].map(|side| losses(percent, seed ^ side, delay)),
            queue: Queue::BackPressured(1),
            time_on_line,
            outage: None,
        };
        let long = |number| packet_of(number, 1400);
        let ran = run_with(ends(&Config::default()), &setting, long);
        prop_assert!(ran[1].received.len() == 4000);
        let octets = |arrived: bool| {
            let sent = ran[0].sent().iter().filter(|sent| (sent.copies > 0) == arrived);
            sent.map(|sent| sent.frame.size().as_usize().to_f64()).sum::<f64>()
        };
        let (lost, sent) = (octets(false), octets(false) + octets(true));
        let (cost, most) = (sent / (4000.0 * 1400.0), 1.0 / (1.0 - lost / sent) + 0.02);
        prop_assert!(cost <= most, "{cost} octets for each that is delivered, more than {most}");
    }
}
