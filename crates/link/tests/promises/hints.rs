//! What an announced outage does to the services: nothing.

use super::number_of;
use crate::common::{Queue, Setting, run};
use arqway_link::{AnyService, LinkService, LinkState, ServiceConfig, ShortForm, Side, Subscriber, WorldDefaults};
use arqway_link::{Checked, Departure, Hint, Kind, Packet, Start};
use arqway_units::{Octets, Span, Time};
use proptest::prelude::*;

/// Each service with the settings that it has where nobody says otherwise.
fn service(name: &str) -> ServiceConfig {
    let form: ShortForm = name.parse().expect("a short form");
    form.in_world(&WorldDefaults::default()).expect("a service")
}

fn any_service() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "raw",
        "sr",
        "go-back-n",
        "rlp:3",
        "oos-rlp:1",
        "xor-fec:12",
        "snoop",
        "rlc-um",
        "rlc-tm",
    ])
}

fn ends(config: &ServiceConfig) -> [AnyService; 2] {
    [Side::AccessPoint, Side::Client].map(|side| config.build(&side.into()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Everything comes once and in order, no timer expires, nothing is sent again: whenever the outage begins, however
    /// long it is, and far beyond all timers.
    #[test]
    fn an_announced_outage_loses_nothing_fires_no_timer_and_repeats_no_frame(
        name in any_service(),
        packets in (0u32..250, 0u32..250),
        (down, length) in (0u64..400, prop_oneof![0u64..300, 0u64..100_000]),
    ) {
        let down = Time::ZERO + Span::from_milliseconds(down);
        let setting = Setting {
            packets: [packets.0, packets.1],
            fates: [Vec::new(), Vec::new()],
            queue: Queue::BackPressured(4),
            time_on_line: Span::from_milliseconds(1),
            outage: Some((down, down + Span::from_milliseconds(length))),
        };
        let [near, far] = run(ends(&service(name)), &setting);
        for (end, count) in [(&near, packets.1), (&far, packets.0)] {
            let received: Vec<_> = end.received.iter().map(number_of).collect();
            prop_assert_eq!(received, (0..count).collect::<Vec<_>>(), "{}", name);
            let counters = end.service.counters();
            prop_assert_eq!((counters.timeouts, counters.frames_resent, counters.rejects_sent), (0, 0, 0), "{}", name);
        }
    }

    /// A hint that comes twice, or at a time when it says nothing new, is as good as one.
    #[test]
    fn a_hint_that_comes_again_changes_nothing(
        name in any_service(),
        hints in proptest::collection::vec((any::<bool>(), 0u64..3000, 0usize..3), 0..12),
    ) {
        let config = service(name);
        let [mut once, mut twice] = [(), ()].map(|()| Checked::new(config.build(&Side::Client.into())));
        let (mut now, mut state) = (Time::ZERO, LinkState::Up);
        for (down, wait, packets) in hints {
            let hint = if down { Hint::Down } else { Hint::Up };
            now += Span::from_milliseconds(wait);
            for end in [&mut once, &mut twice] {
                if end.poll_timeout().is_some_and(|due| due <= now) {
                    end.handle_timeout(now);
                }
                for number in 0..packets {
                    end.handle_packet(Packet::new(vec![number as u8; 40]), now).expect("room");
                }
            }
            if hint.link_state() != state {
                once.handle_hint(&hint, now);
                state = hint.link_state();
            }
            twice.handle_hint(&hint, now);
            twice.handle_hint(&hint, now);
            let [one, other] = [&mut once, &mut twice].map(|end| sent(end, now));
            prop_assert_eq!(one, other);
            prop_assert_eq!(once.poll_timeout(), twice.poll_timeout());
        }
    }
}

/// What goes out of all frames that are handed over now; they are gone at once.
fn sent(end: &mut impl LinkService, now: Time) -> Vec<(Kind, Vec<u8>)> {
    let mut sent = Vec::new();
    while let Some(mut frame) = end.poll_frame(now, Octets::MAX) {
        if end.start_frame(&mut frame, now) == Start::Send {
            sent.push((frame.tag.kind(), frame.head.as_slice().to_vec()));
            if let Some(ticket) = frame.ticket {
                end.handle_departure(frame.tag, ticket, Departure::Sent, now);
            }
        }
    }
    sent
}
