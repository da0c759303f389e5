//! Recovery with a deadline: what arrives is delivered at once, nothing twice, nothing made up, and nothing is sent that is too old.

use super::number_of;
use crate::common::{End, Queue, Setting, run};
use crate::setting;
use arqway_link::deadline::{Config, Pdu, parse};
use arqway_link::{AnyService, Packet, ServiceConfig, Side};
use arqway_units::{Ratio, Span, Time};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn config() -> impl Strategy<Value = Config> {
    (1u64..400, 0u8..=100).prop_map(|(deadline, parity)| Config {
        deadline: Span::from_milliseconds(deadline),
        parity: Ratio::new(f64::from(parity) / 100.0).expect("a share"),
        ..Config::default()
    })
}

fn ends(config: &Config, setting: &Setting) -> [End<AnyService>; 2] {
    let end = || ServiceConfig::Deadline(config.clone()).build(&Side::Client.into());
    run([end(), end()], setting)
}

/// The packet that a frame carries as it is.
fn carried(pdu: Pdu) -> Option<u32> {
    match pdu {
        Pdu::Data { packet, .. } | Pdu::Again { packet, .. } => Some(number_of(&Packet::new(packet))),
        Pdu::Parity(_) | Pdu::Nack(_) | Pdu::Keepalive { .. } => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() })]

    /// As many packets as are kept: with one octet for their numbers more can be taken for others after a long burst.
    #[test]
    fn deadline_delivers_what_arrives_each_packet_at_most_once_and_nothing_that_was_not_sent(config in config(), setting in setting()) {
        let setting = Setting { packets: setting.packets.map(|packets| packets % 129), ..setting };
        let ends = ends(&config, &setting);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            let arrived = ends[sender].sent().iter().filter(|sent| sent.copies > 0);
            let arrived: BTreeSet<u32> = arrived.filter_map(|sent| carried(parse(sent.frame.clone())?)).collect();
            let received: Vec<u32> = ends[receiver].received.iter().map(number_of).collect();
            let once: BTreeSet<u32> = received.iter().copied().collect();
            prop_assert_eq!(once.len(), received.len(), "one came twice: {:?}", received);
            prop_assert!(arrived.is_subset(&once), "{arrived:?} arrived, {once:?} were delivered");
            prop_assert!(once.iter().all(|number| *number < setting.packets[sender]));
        }
    }

    /// All packets come at the beginning: what stands in the queue below may be older by the time it takes there.
    #[test]
    fn deadline_sends_nothing_that_is_older_than_the_deadline(config in config(), setting in setting()) {
        let setting = Setting { packets: setting.packets.map(|packets| packets % 129), outage: None, ..setting };
        let (Queue::BackPressured(queue) | Queue::DropTail(queue)) = setting.queue;
        let latest = Time::ZERO + config.deadline + setting.time_on_line * (queue as u64 + 1);
        for sent in ends(&config, &setting).iter().flat_map(End::sent) {
            let pdu = parse(sent.frame.clone()).expect("our own frames can be read");
            let is_of_packets = matches!(pdu, Pdu::Data { .. } | Pdu::Again { .. } | Pdu::Parity(_));
            prop_assert!(!is_of_packets || sent.at <= latest, "at {:?}: {pdu:?}", sent.at);
        }
    }
}
