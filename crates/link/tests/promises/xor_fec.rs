//! Forward error correction by XOR: one frame of a block may be lost, and nothing is ever made up.

use super::{bursts, number_of};
use crate::common::{End, Sent, Setting, run};
use crate::setting;
use arqway_link::fec::{Config, Pdu, parse};
use arqway_link::{AnyService, Bounded, ServiceConfig, Side};
use arqway_units::Span;
use proptest::prelude::*;

fn config() -> impl Strategy<Value = Config> {
    let block = prop_oneof![3 => 2u16..=64, 2 => 2u16..=6, 1 => Just(64)];
    (block, 1u64..300).prop_map(|(block, idle)| Config {
        block: Bounded::new(block).expect("from 2 to 64"),
        idle_timeout: Span::from_milliseconds(idle),
        ..Config::default()
    })
}

fn ends(config: &Config, setting: &Setting) -> [End<AnyService>; 2] {
    let end = || ServiceConfig::XorFec(config.clone()).build(&Side::Client.into());
    run([end(), end()], setting)
}

/// What must come out, by what became of the frames: each packet that arrives, at its place in the order of arrival; and
/// where a block's parity arrives and one packet of it did not, that one at the parity's place.
fn deliveries(sent: &[Sent]) -> Vec<u32> {
    let (mut expected, mut next) = (Vec::new(), 0);
    // The packets of the block so far, and whether they arrived.
    let mut block: Vec<(u32, bool)> = Vec::new();
    for Sent { frame, copies, .. } in sent {
        let arrived = *copies > 0;
        match parse(frame.clone()).expect("our own frames can be read") {
            Pdu::Data { .. } => {
                block.push((next, arrived));
                expected.extend(arrived.then_some(next));
                next += 1;
            }
            Pdu::Parity(parity) => {
                assert_eq!(usize::from(parity.count), block.len(), "a parity covers what was sent since the last");
                let mut lost = block.iter().filter(|(_, arrived)| !arrived).map(|(number, _)| *number);
                if let (Some(only), None, true) = (lost.next(), lost.next(), arrived) {
                    expected.push(only);
                }
                block.clear();
            }
        }
    }
    assert!(block.is_empty(), "every block gets its parity");
    expected
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() })]

    /// On a line that takes frames as they are handed over, where the queue drops none out of turn: there the record of
    /// frames is in their order.
    #[test]
    fn fec_delivers_what_arrives_at_once_and_recovers_every_loss_that_is_alone_in_its_block(config in config(), setting in setting()) {
        let setting = Setting { queue: crate::common::Queue::BackPressured(4), ..setting };
        let ends = ends(&config, &setting);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            let received: Vec<_> = ends[receiver].received.iter().map(number_of).collect();
            prop_assert_eq!(received, deliveries(ends[sender].sent()));
        }
    }

    /// Also when so many frames are lost in a row that the numbers come round, once or often.
    #[test]
    fn fec_delivers_each_packet_at_most_once_and_nothing_that_was_not_sent(config in config(), setting in setting(), to_far in bursts(), to_near in bursts(), many in 0u32..1500) {
        let setting = Setting { packets: [many, setting.packets[1]], fates: [to_far, to_near], ..setting };
        let ends = ends(&config, &setting);
        for (end, count) in ends.iter().zip([setting.packets[1], setting.packets[0]]) {
            let mut times = vec![0; count as usize];
            for received in &end.received {
                let number = number_of(received);
                prop_assert!(number < count && *received == crate::common::packet(number), "{received:?} was not sent");
                times[number as usize] += 1;
            }
            prop_assert!(times.iter().all(|times| *times <= 1));
        }
    }
}
