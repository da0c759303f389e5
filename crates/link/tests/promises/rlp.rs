//! Karn's RLP: in order or at once, never twice, and nothing given up before all requests for it have failed.

use super::{bursts, number_of};
use crate::common::{End, Queue, Sent, Setting, run};
use crate::setting;
use arqway_link::rlp::{Config, Pdu, parse};
use arqway_link::{AnyService, Bounded, LinkService, Resequencing, ServiceConfig, Side};
use arqway_units::Span;
use proptest::prelude::*;
use std::collections::BTreeSet;

pub(super) fn config() -> impl Strategy<Value = Config> {
    let resequencing = prop_oneof![Just(Resequencing::Full), Just(Resequencing::as_received())];
    let window = prop_oneof![2 => 1u16..=128, 1 => Just(1), 2 => Just(128)];
    let copy_after = proptest::option::of(1u64..60);
    (resequencing, 1u16..=5, 1u64..500, window, 1u64..60, 0u16..20, copy_after).prop_map(
        |(resequencing, retransmissions, nack_timeout, window, keepalive, keepalives, copy_after)| Config {
            // In sequence a copy behind others fills no gap.
            copy_after: copy_after.filter(|_| resequencing != Resequencing::Full).map(Span::from_milliseconds),
            resequencing,
            retransmissions: Bounded::new(retransmissions).expect("from 1 to 5"),
            nack_timeout: Span::from_milliseconds(nack_timeout),
            window: Bounded::new(window).expect("from 1 to 128"),
            keepalive: Span::from_milliseconds(keepalive),
            keepalives: Bounded::new(keepalives).expect("less than 20"),
            ..Config::default()
        },
    )
}

fn ends(config: &Config, setting: &Setting) -> [End<AnyService>; 2] {
    let end = || ServiceConfig::Rlp(config.clone()).build(&Side::Client.into());
    run([end(), end()], setting)
}

/// As many packets as a window, and a timeout that outlasts all that a request and its answer can wait for: then what
/// becomes of a packet follows from what became of its frames, whatever the times.
pub(super) fn with_patience(mut config: Config, mut setting: Setting) -> (Config, Setting) {
    config.window = Bounded::new(128).expect("from 1 to 128");
    setting.packets = setting.packets.map(|packets| packets % 129);
    let (Queue::BackPressured(queue) | Queue::DropTail(queue)) = setting.queue;
    let longest_delay = Span::from_milliseconds(400);
    config.nack_timeout = (setting.time_on_line * (queue as u64 + 300) + longest_delay) * 2;
    (config, setting)
}

/// What was sent of one packet, and told of it, by the records of both ends.
struct Story {
    /// Its frames that arrived, and those that were asked for and did not.
    arrived: usize,
    lost_repairs: usize,
    requests: usize,
    lost_requests: usize,
    /// A later frame or a keepalive arrived, so that the receiver knew that it was missing.
    noticed: bool,
}

fn story_of(packet: u32, data: &[Sent], requests: &[Sent]) -> Story {
    let packet = u64::from(packet);
    let mut story = Story { arrived: 0, lost_repairs: 0, requests: 0, lost_requests: 0, noticed: false };
    for Sent { frame, copies, .. } in data {
        match parse(frame.clone()) {
            Some(Pdu::Repair { number, .. }) if number == packet && *copies == 0 => story.lost_repairs += 1,
            Some(Pdu::Data { number, .. }) if number == packet && *copies == 0 => {}
            Some(Pdu::Data { number, .. } | Pdu::Repair { number, .. }) if number == packet => story.arrived += 1,
            Some(Pdu::Data { number: beyond, .. }) => story.noticed |= beyond > packet && *copies > 0,
            Some(Pdu::Keepalive { next }) => story.noticed |= next > packet && *copies > 0,
            _ => {}
        }
    }
    for Sent { frame, copies, .. } in requests {
        if let Some(Pdu::Nack(missing)) = parse(frame.clone())
            && missing.numbers().any(|number| number == packet)
        {
            story.requests += 1;
            story.lost_requests += usize::from(*copies == 0);
        }
    }
    story
}

/// The packets that arrived, by when their first copy did: a link that reorders nothing keeps the order of departures.
fn in_order_of_arrival(data: &[Sent]) -> Vec<u32> {
    let mut arrived = Vec::new();
    for Sent { frame, copies, .. } in data {
        if let Some(Pdu::Data { number, .. } | Pdu::Repair { number, .. }) = parse(frame.clone())
            && let Ok(number) = u32::try_from(number)
            && *copies > 0
            && !arrived.contains(&number)
        {
            arrived.push(number);
        }
    }
    arrived
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn rlp_delivers_what_arrives_and_leaves_a_gap_only_where_all_requests_or_their_answers_were_lost(config in config(), setting in setting()) {
        let (config, setting) = with_patience(config, setting);
        let ends = ends(&config, &setting);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            let (data, requests) = (ends[sender].sent(), ends[receiver].sent());
            let mut expected = in_order_of_arrival(data);
            if config.resequencing == Resequencing::Full {
                expected.sort_unstable();
            }
            let received: Vec<_> = ends[receiver].received.iter().map(number_of).collect();
            prop_assert_eq!(&received, &expected);
            let mut missed = 0;
            for packet in (0..setting.packets[sender]).filter(|packet| !received.contains(packet)) {
                let story = story_of(packet, data, requests);
                missed += u64::from(story.noticed);
                let most = usize::from(config.retransmissions.get());
                prop_assert_eq!(story.arrived, 0);
                if story.noticed {
                    prop_assert_eq!(story.requests, most, "packet {} was not asked for as often as is set", packet);
                    let answers = story.lost_repairs;
                    prop_assert!(answers <= most && story.lost_requests + answers >= most, "packet {packet} was not sent again");
                } else {
                    prop_assert_eq!(story.requests, 0);
                }
            }
            // What it tells of its losses is what is missing, as far as it can have noticed.
            let counters = ends[receiver].service.counters();
            prop_assert_eq!((counters.packets_missed, counters.frames_recovered), (missed, 0));
        }
    }

    /// Whatever the timeouts, the window and the bursts, also longer than the numbers can count.
    #[test]
    fn rlp_never_delivers_twice_in_sequence_never_out_of_order_and_comes_to_rest(config in config(), setting in setting(), to_far in bursts(), to_near in bursts(), many in 0u32..1500) {
        let setting = Setting { packets: [many, setting.packets[1]], fates: [to_far, to_near], ..setting };
        let ends = ends(&config, &setting);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            let received: Vec<_> = ends[receiver].received.iter().map(number_of).collect();
            match config.resequencing {
                Resequencing::Full => prop_assert!(received.is_sorted_by(|one, next| one < next), "{received:?}"),
                _ => {
                    let different: BTreeSet<_> = received.iter().collect();
                    prop_assert_eq!(different.len(), received.len());
                }
            }
            // No packet counts twice, and who is told at last how many there were knows how many are missing.
            let counters = ends[receiver].service.counters();
            let accounted = received.len() as u64 + counters.packets_missed - counters.frames_recovered;
            let sent = u64::from(setting.packets[sender]);
            prop_assert!(accounted <= sent, "{accounted} of {sent}");
            if is_told_at_last(ends[sender].sent()) {
                prop_assert_eq!(accounted, sent);
            }
        }
    }
}

/// The last frame is a keepalive, and it arrives.
fn is_told_at_last(sent: &[Sent]) -> bool {
    let last = sent.last().filter(|last| last.copies > 0).and_then(|last| parse(last.frame.clone()));
    matches!(last, Some(Pdu::Keepalive { .. }))
}
