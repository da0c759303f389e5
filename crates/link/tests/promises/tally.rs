//! Tally: every packet once and in order over a link that loses, doubles and reorders frames, and what its transmissions cost.

use super::bursts;
use crate::common::{Setting, run};
use crate::rough::{Rough, Weather};
use crate::{assert_complete_and_in_order, setting};
use arqway_link::tally::{Config, WindowSize};
use arqway_link::{AnyService, LinkService, Resequencing, ServiceConfig, Side};
use arqway_units::Span;
use proptest::prelude::*;

fn ends(config: &Config) -> [AnyService; 2] {
    [Side::AccessPoint, Side::Client].map(|side| ServiceConfig::Tally(config.clone()).build(&side.into()))
}

fn config() -> impl Strategy<Value = Config> {
    let window = prop_oneof![2 => 1u32..40, 1 => 1u32..=WindowSize::MAX, 1 => Just(WindowSize::MAX)];
    window.prop_map(|window| Config {
        window: WindowSize::new(window).expect("a window"),
        resequencing: Resequencing::Full,
        ..Config::default()
    })
}

fn weather() -> impl Strategy<Value = Weather> {
    let delays = proptest::collection::vec(1u64..200, 1..40);
    let copies = prop_oneof![4 => Just(1u8), 2 => Just(0), 1 => Just(2), 1 => Just(3)];
    (delays, proptest::collection::vec(copies, 0..400)).prop_map(|(delays, copies)| Weather {
        delays: delays.into_iter().map(Span::from_milliseconds).collect(),
        copies,
    })
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
    fn so_it_does_where_frames_overtake_one_another(config in config(), weather in weather(), packets in [0u32..120, 0u32..120]) {
        let mut rough = Rough::new(ends(&config), weather);
        rough.send(packets);
        rough.come_to_rest();
        for (end, count) in [(0, packets[1]), (1, packets[0])] {
            prop_assert_eq!(&rough.received[end], &(0..count).collect::<Vec<_>>());
        }
    }

    /// In the order of arrival, or of each flow.
    #[test]
    fn without_resequencing_tally_delivers_every_packet_once(config in config(), weather in weather(), packets in [0u32..120, 0u32..120], per_flow in any::<bool>()) {
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

    /// What is given up is counted, and nothing comes twice or late.
    #[test]
    fn with_persistence_what_arrives_is_in_order_and_what_does_not_is_counted(config in config(), weather in weather(), packets in [0u32..120, 0u32..120], milliseconds in 1u64..2000) {
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
