//! Scripted exchanges: what one end answers to what it is told, in time order.

use super::*;
use crate::script::Script;
use arqway_contract::{LinkService, LinkState, Packet, Service, Side};
use arqway_units::Span;
use core::num::NonZeroUsize;
use std::string::String;

fn end(change: impl FnOnce(&mut Config)) -> Script<arqway_contract::End<TransparentMode>> {
    let mut config = Config::default();
    change(&mut config);
    Script::new(config.build(&Side::Client.into()), |frame| {
        assert!(frame.head.is_empty(), "a TMD PDU has no header");
        String::from_utf8(frame.body.to_vec()).expect("letters")
    })
}

#[test]
fn an_sdu_is_a_pdu_as_it_is() {
    let mut end = end(|_| ());
    end.packets("ab").expect("a, b").peer(0, b"c").expect("deliver c").at(100_000).expect("");
}

#[test]
fn an_sdu_that_has_waited_too_long_is_dropped() {
    let mut end = end(|config| config.discard_after = Some(Span::from_milliseconds(50)));
    end.at(0).packets("a").at(30).packets("b");
    assert_eq!(end.deadline(), Some(50));
    end.at(50).expect("b").at(9000).expect("");
    assert_eq!((end.counters().packets_discarded, end.deadline()), (1, None));
}

#[test]
fn what_waits_grows_older_while_the_link_is_down() {
    let mut end = end(|config| config.discard_after = Some(Span::from_milliseconds(50)));
    end.at(0).packets("a").at(10).link(LinkState::Down).at(500).packets("b").expect("").at(510).link(LinkState::Up);
    assert_eq!((end.counters().packets_discarded, end.deadline()), (1, Some(550)));
    end.at(549).expect("b");
}

#[test]
fn a_packet_too_many_is_handed_back() {
    let mut end = end(|config| config.buffer = NonZeroUsize::MIN);
    end.packets("a");
    assert!(end.service.handle_packet(Packet::new("b"), end.now).is_err());
    assert_eq!(end.counters().packets_refused, 1);
}

#[test]
fn what_cannot_be_decoded_is_counted_and_changes_nothing() {
    let mut end = end(|_| ());
    end.peer(0, b"").peer(1, b"a").expect("");
    assert_eq!(end.counters().malformed_received, 2);
}
