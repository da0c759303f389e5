//! SSCOP: every packet once and in order over whatever link, as long as its connection lasts; and packets that outlive it.

use super::{number_of, weather};
use crate::common::{End, Queue, Setting, packet, run};
use crate::rough::{Rough, Weather};
use crate::setting;
use arqway_link::sscop::{Config, Credit, ListLength};
use arqway_link::{AnyService, Bounded, Counters, LinkService, Others, Resequencing, ServiceConfig, Side, Unordered};
use arqway_units::Span;
use proptest::prelude::*;

/// One that never gives its connection up, and is quiet when all is done.
fn config() -> impl Strategy<Value = Config> {
    let timers = (5u64..1000, 5u64..1000, 5u64..2000);
    let counts = (1u16..60, 1u16..40, prop_oneof![1u32..300, Just(Credit::MAX)]);
    let switches = any::<(bool, bool, bool)>();
    (timers, counts, switches, 0u16..=18, 1usize..400).prop_map(
        |(
            (poll, keep_alive, cc),
            (max_pd, max_stat, credit),
            (poll_after_retransmission, clear_buffers, established),
            overhead,
            buffer,
        )| Config {
            timer_poll: Span::from_milliseconds(poll),
            timer_keep_alive: Span::from_milliseconds(keep_alive),
            timer_no_response: Span::from_seconds(1e6),
            timer_idle: Span::ZERO,
            timer_cc: Span::from_milliseconds(cc),
            max_cc: Bounded::new(60_000).expect("not zero"),
            max_pd: Bounded::new(max_pd).expect("not zero"),
            max_stat: ListLength::new(2 * max_stat + 1).expect("odd, and 3 or more"),
            credit: Credit::new(credit).expect("not zero"),
            clear_buffers,
            poll_after_retransmission,
            buffer: buffer.try_into().expect("not zero"),
            established,
            overhead: Bounded::new(overhead).expect("up to 18"),
            longest_reordering: Span::from_seconds(1e3),
            ..Config::default()
        },
    )
}

fn ends(config: &Config) -> [AnyService; 2] {
    [Side::AccessPoint, Side::Client].map(|side| ServiceConfig::Sscop(config.clone()).build(&side.into()))
}

/// A drop-tail queue that is full of requests for a connection, each repeated before it is out, has no room for anything else.
fn fit_the_queue(config: Config, setting: &Setting) -> Config {
    let (Queue::DropTail(frames) | Queue::BackPressured(frames)) = setting.queue;
    let full_queue = setting.time_on_line * (frames as u64 + 2);
    Config { timer_cc: config.timer_cc + full_queue, timer_poll: config.timer_poll + full_queue, ..config }
}

fn assert_quiet(counters: Counters) {
    let nothing =
        (counters.protocol_errors, counters.resets, counters.unrecoverable_errors, counters.packets_discarded);
    assert_eq!(nothing, (0, 0, 0, 0), "{counters:?}");
}

fn assert_all(ends: &[End<AnyService>; 2], sent: [u32; 2]) {
    for (end, count) in ends.iter().zip([sent[1], sent[0]]) {
        let expected: Vec<_> = (0..count).map(packet).collect();
        let numbers: Vec<_> = end.received.iter().map(number_of).collect();
        assert!(end.received == expected, "{count} packets, but {numbers:?}; {:?}", end.service.counters());
        assert_quiet(end.service.counters());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 100, ..ProptestConfig::default() })]

    /// Lost and doubled frames, in both directions, outages, queues that drop.
    #[test]
    fn sscop_delivers_every_packet_once_in_order_and_comes_to_rest(config in config(), setting in setting()) {
        let config = fit_the_queue(config, &setting);
        assert_all(&run(ends(&config), &setting), setting.packets);
    }

    #[test]
    fn with_its_filter_sscop_does_so_where_frames_overtake_one_another_too(config in config(), weather in weather(400), packets in [0u32..120, 0u32..120]) {
        let config = Config { timer_poll: config.timer_poll + Span::from_milliseconds(20), timer_cc: config.timer_cc + Span::from_milliseconds(20), ..config };
        let mut rough = Rough::new(ends(&config), weather);
        rough.send(packets);
        rough.come_to_rest();
        for (end, count) in [(0, packets[1]), (1, packets[0])] {
            prop_assert_eq!(&rough.received[end], &(0..count).collect::<Vec<_>>());
            assert_quiet(rough.ends[end].counters());
        }
    }

    /// Nothing is lost and nothing comes twice in any order; and TCP's packets, or those of a flow, do not wait for others.
    #[test]
    fn without_resequencing_sscop_delivers_every_packet_once(config in config(), weather in weather(400), packets in [0u32..120, 0u32..120], others in prop_oneof![Just(Others::Full), Just(Others::PerFlow), Just(Others::None)], tcp_filter in any::<bool>(), per_flow in any::<bool>()) {
        let none = Resequencing::None(Unordered { others, tcp_filter, ..Unordered::default() });
        let resequencing = if per_flow { Resequencing::PerFlow } else { none };
        let config = Config { resequencing, timer_poll: config.timer_poll + Span::from_milliseconds(20), timer_cc: config.timer_cc + Span::from_milliseconds(20), overhead: Bounded::new(config.overhead.get().min(16)).expect("up to 16"), ..config };
        let mut rough = Rough::new(ends(&config), weather);
        rough.send(packets);
        rough.come_to_rest();
        for (end, count) in [(0, packets[1]), (1, packets[0])] {
            let received = &mut rough.received[end];
            received.sort_unstable();
            prop_assert_eq!(&*received, &(0..count).collect::<Vec<_>>());
            assert_quiet(rough.ends[end].counters());
        }
    }

    /// It has forgotten all, and the other end nothing: what either sends afterwards arrives.
    #[test]
    fn an_end_that_began_anew_is_in_touch_again(config in config(), weather in weather(400), packets in [0u32..60, 0u32..60], from in 0usize..2) {
        let config = Config { established: false, timer_no_response: Span::from_seconds(5.0), longest_reordering: Span::from_milliseconds(500), timer_poll: config.timer_poll + Span::from_milliseconds(20), ..config };
        let mut rough = Rough::new(ends(&config), Weather { delays: vec![Span::from_milliseconds(5)], ..weather });
        rough.send(packets);
        rough.run(Span::from_milliseconds(700));
        rough.restart(1, ends(&config).into_iter().next().expect("an end"));
        rough.send_from(from, 1000..1020);
        rough.come_to_rest();
        // The weather may have ended the connection at one end alone while nothing was to be sent: the next packet may go with it. Those
        // behind it find a connection that both ends agree on, and no weather ends that one.
        rough.clear_up();
        rough.send_from(1 - from, 1900..1901);
        rough.come_to_rest();
        rough.send_from(1 - from, 2000..2020);
        rough.come_to_rest();
        let after: Vec<u32> = rough.received[from].iter().copied().filter(|number| *number >= 2000).collect();
        prop_assert_eq!(after, (2000..2020).collect::<Vec<_>>());
        if !config.clear_buffers {
            let mut kept: Vec<u32> = rough.received[1 - from].iter().copied().filter(|number| (1000..1020).contains(number)).collect();
            kept.sort_unstable();
            kept.dedup();
            prop_assert_eq!(kept, (1000..1020).collect::<Vec<_>>());
        }
    }
}

/// Each twentieth frame comes twice, the second time late: the same link with the filter and without.
fn over_a_link_that_doubles(order_filter: bool) -> ([Counters; 2], usize) {
    let config = Config { order_filter, timer_idle: Span::ZERO, clear_buffers: true, ..Config::default() };
    let copies = (0..2000).map(|frame| if frame % 20 == 19 { 2 } else { 1 }).collect();
    let mut rough = Rough::new(ends(&config), Weather { delays: vec![Span::from_milliseconds(50)], copies });
    for number in 0..60 {
        rough.send_from(0, number..number + 1);
        rough.run(Span::from_milliseconds(50));
    }
    rough.come_to_rest();
    (rough.ends.map(|end| end.counters()), rough.received[1].len())
}

#[test]
fn a_link_that_doubles_frames_breaks_bare_sscop_and_not_what_its_filter_guards() {
    let (bare, arrived) = over_a_link_that_doubles(false);
    let errors: u64 = bare.iter().map(|counters| counters.protocol_errors).sum();
    assert!(errors > 0 && bare[0].resets > 0, "recoveries: {bare:?}");
    assert!(arrived < 60, "packets go with the connection: {arrived}");
    let (guarded, arrived) = over_a_link_that_doubles(true);
    guarded.into_iter().for_each(assert_quiet);
    assert!(guarded[1].out_of_sequence_received > 0, "the filter had something to do");
    assert_eq!((arrived, guarded[0].frames_resent), (60, 0));
}
