//! In which order packets leave, and when: each at the very time at which the last one that it has to follow arrived, by a
//! slow look at all that arrived. So none is lost, none comes twice, none leaves too early, and none waits for nothing.

use super::rlp::{config as rlp, with_patience};
use crate::common::{End, Queue, Sent, Setting, run_with};
use crate::{fit_the_queue, selective_repeat, setting};
use arqway_link::{AnyService, Frame, LinkService, Others, Packet, Resequencing, ServiceConfig, Side, Unordered, rlp};
use arqway_units::Time;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Which of four flows packet `number` is of: two of TCP, two of UDP, in turns without a pattern.
fn flow_of(number: u32) -> u32 {
    number.wrapping_mul(0x9e37_79b9) >> 30
}

fn is_tcp(number: u32) -> bool {
    flow_of(number) < 2
}

/// Packet `number` of an end: it names itself in IP's identification.
fn packet(number: u32) -> Packet {
    let mut octets = vec![0; 44];
    (octets[0], octets[3], octets[9]) = (0x45, 44, if is_tcp(number) { 6 } else { 17 });
    octets[4..6].copy_from_slice(&u16::try_from(number).expect("few packets").to_be_bytes());
    octets[21] = flow_of(number) as u8;
    octets[32] = 5 << 4;
    Packet::new(octets)
}

fn number_of(octets: &[u8]) -> u32 {
    u16::from_be_bytes([octets[4], octets[5]]).into()
}

fn orders() -> impl Strategy<Value = Resequencing> {
    let others = prop_oneof![Just(Others::Full), Just(Others::PerFlow), Just(Others::None)];
    let none = (others, any::<bool>(), any::<bool>()).prop_map(|(others, tcp_filter, regenerate_acknowledgements)| {
        Resequencing::None(Unordered { others, tcp_filter, regenerate_acknowledgements, ..Unordered::default() })
    });
    prop_oneof![1 => Just(Resequencing::Full), 2 => Just(Resequencing::PerFlow), 3 => none]
}

/// Whether a packet has to follow an earlier one.
fn follows(order: &Resequencing, number: u32, earlier: u32) -> bool {
    let of_one_flow = flow_of(number) == flow_of(earlier);
    match order {
        Resequencing::Full => true,
        Resequencing::PerFlow => of_one_flow,
        Resequencing::None(_) if is_tcp(number) || is_tcp(earlier) => false,
        Resequencing::None(unordered) => match unordered.others {
            Others::Full => true,
            Others::PerFlow => of_one_flow,
            Others::None => false,
        },
    }
}

/// When each packet arrived first.
fn arrivals(sent: &[Sent], carried: fn(Frame) -> Option<u32>) -> BTreeMap<u32, Time> {
    let mut arrivals = BTreeMap::new();
    for Sent { frame, arrival, .. } in sent.iter().filter(|sent| sent.copies > 0) {
        if let Some(number) = carried(frame.clone()) {
            arrivals.entry(number).or_insert(*arrival);
        }
    }
    arrivals
}

/// What one end got is what arrived there, each in its turn and without delay. Whatever follows one that never came leaves
/// when that is known, which is not looked at here.
fn check(order: &Resequencing, receiver: &End<AnyService>, arrivals: &BTreeMap<u32, Time>) {
    let received: Vec<u32> = receiver.received.iter().map(|packet| number_of(&packet.octets)).collect();
    let different: BTreeSet<u32> = received.iter().copied().collect();
    assert_eq!(received.len(), different.len(), "none twice");
    assert!(different.iter().eq(arrivals.keys()), "all that arrived: {different:?}, {arrivals:?}");
    for (place, (number, released)) in received.iter().zip(&receiver.released).enumerate() {
        let followed: Vec<u32> = (0..*number).filter(|earlier| follows(order, *number, *earlier)).collect();
        let after = received[place..].iter().find(|later| followed.contains(later));
        assert_eq!(after, None, "{number} left before it");
        let known: Option<Vec<Time>> = followed.iter().map(|earlier| arrivals.get(earlier).copied()).collect();
        if let Some(mut times) = known {
            times.push(arrivals[number]);
            assert_eq!(Some(released), times.iter().max(), "packet {number} was delayed");
        }
    }
    let counters = receiver.service.counters();
    if matches!(order, Resequencing::None(Unordered { others: Others::None, .. })) {
        assert_eq!((counters.packets_held, counters.held_nanoseconds), (0, 0));
    }
    assert!(counters.packets_held > 0 || counters.held_nanoseconds == 0, "{counters:?}");
}

fn check_held_time(receiver: &End<AnyService>, arrivals: &BTreeMap<u32, Time>) {
    let waited = receiver
        .received
        .iter()
        .zip(&receiver.released)
        .map(|(packet, released)| released.since(arrivals[&number_of(&packet.octets)]).as_nanoseconds());
    assert_eq!(receiver.service.counters().held_nanoseconds, waited.sum::<u64>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn selective_repeat_releases_each_packet_as_soon_as_the_order_allows(config in selective_repeat(), order in orders(), setting in setting()) {
        let (config, setting) = fit_the_queue(config, setting);
        let config = selective_repeat::Config { resequencing: order.clone(), ..config };
        let end = || ServiceConfig::SelectiveRepeat(config.clone()).build(&Side::Client.into());
        let ends = run_with([end(), end()], &setting, packet);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            let arrivals = arrivals(ends[sender].sent(), |frame| match selective_repeat::parse(frame) {
                Some(selective_repeat::Pdu::Data { packet, .. }) => Some(number_of(&packet)),
                _ => None,
            });
            prop_assert_eq!(arrivals.len(), setting.packets[sender] as usize, "all arrive");
            check(&order, &ends[receiver], &arrivals);
            check_held_time(&ends[receiver], &arrivals);
        }
    }

    #[test]
    fn rlp_releases_each_packet_as_soon_as_the_order_allows(config in rlp(), order in orders(), setting in setting()) {
        let (config, setting) = with_patience(config, setting);
        let config = rlp::Config { resequencing: order.clone(), ..config };
        let end = || ServiceConfig::Rlp(config.clone()).build(&Side::Client.into());
        let ends = run_with([end(), end()], &setting, packet);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            let arrivals = arrivals(ends[sender].sent(), |frame| match rlp::parse(frame) {
                Some(rlp::Pdu::Data { packet, .. } | rlp::Pdu::Repair { packet, .. }) => Some(number_of(&packet)),
                _ => None,
            });
            check(&order, &ends[receiver], &arrivals);
            check_held_time(&ends[receiver], &arrivals);
        }
    }

    /// Whatever the timeouts, the window and the bursts, also longer than RLP's numbers can count.
    #[test]
    fn rlp_breaks_no_order_whatever_is_lost(config in rlp(), order in orders(), setting in setting(), to_far in super::bursts(), many in 0u32..1500) {
        let setting = Setting { packets: [many, setting.packets[1]], fates: [to_far, setting.fates[1].clone()], ..setting };
        let config = rlp::Config { resequencing: order.clone(), ..config };
        let end = || ServiceConfig::Rlp(config.clone()).build(&Side::Client.into());
        for end in run_with([end(), end()], &setting, packet) {
            let received: Vec<u32> = end.received.iter().map(|packet| number_of(&packet.octets)).collect();
            let different: BTreeSet<u32> = received.iter().copied().collect();
            prop_assert_eq!(received.len(), different.len(), "none twice");
            for (place, number) in received.iter().enumerate() {
                let after = received[place..].iter().find(|later| *later < number && follows(&order, *number, **later));
                prop_assert_eq!(after, None, "{} left before it", number);
            }
        }
    }
}

/// A packet of another flow than the one that is missing, over a queue that a lost frame's copy has to pass.
#[test]
fn no_flow_waits_for_another() {
    let flows: Vec<u32> = (0..8).map(flow_of).collect();
    assert!(flows[0] != flows[1], "two flows to begin with: {flows:?}");
    let mut setting = Setting {
        packets: [8, 0],
        fates: [Vec::new(), Vec::new()],
        queue: Queue::BackPressured(4),
        time_on_line: arqway_units::Span::from_milliseconds(1),
        outage: None,
    };
    let lost = crate::common::Fate { copies: 0, delay: arqway_units::Span::ZERO };
    setting.fates[0].push(lost);
    for (resequencing, waits) in [(Resequencing::Full, true), (Resequencing::PerFlow, false)] {
        let config = selective_repeat::Config { resequencing, ..selective_repeat::Config::default() };
        let end = || ServiceConfig::SelectiveRepeat(config.clone()).build(&Side::Client.into());
        let [_, far] = run_with([end(), end()], &setting, packet);
        let first = number_of(&far.received[0].octets);
        assert_eq!(first == 0, waits, "{config:?}");
    }
}
