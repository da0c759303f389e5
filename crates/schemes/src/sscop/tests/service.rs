//! The service: what the standard leaves to its user, and what stands around a PDU.

use super::super::pdu::{self, InFront};
use super::*;
use arqway_arq::Resequencing;
use arqway_contract::Service as _;
use arqway_contract::{Bounded, Checked, Frame, LinkService, LinkState, Packet, Side};
use arqway_units::Octets;

fn end(config: &Config) -> Checked<arqway_contract::End<Sscop>> {
    Checked::new(config.build(&Side::Client.into()))
}

fn packet(text: &'static str) -> Packet {
    Packet::new(text)
}

fn frames(end: &mut Checked<arqway_contract::End<Sscop>>, now: Time) -> Vec<Frame> {
    core::iter::from_fn(|| end.poll_frame(now, Octets::MAX)).collect()
}

/// What frames say that have the filter's number in front.
fn said(frames: &[Frame]) -> Vec<Pdu> {
    let read = |frame: &Frame| {
        let mut frame = frame.clone();
        frame.take::<2>()?;
        pdu::parse(frame)
    };
    frames.iter().map(|frame| read(frame).expect("a PDU")).collect()
}

/// Carries frames to and fro until there are none.
fn talk(ends: [&mut Checked<arqway_contract::End<Sscop>>; 2], now: Time) {
    let [near, far] = ends;
    loop {
        let (to_far, to_near) = (frames(near, now), frames(far, now));
        if to_far.is_empty() && to_near.is_empty() {
            return;
        }
        to_far.into_iter().for_each(|frame| far.handle_frame(frame, now));
        to_near.into_iter().for_each(|frame| near.handle_frame(frame, now));
    }
}

#[test]
fn the_first_packet_establishes_a_connection_and_is_sent_on_it() {
    let (mut near, mut far) = (end(&Config::default()), end(&Config::default()));
    assert_eq!((near.poll_timeout(), far.poll_timeout()), (None, None));
    assert_eq!(near.handle_packet(packet("a"), at(0)), Ok(()));
    talk([&mut near, &mut far], at(0));
    assert_eq!((far.poll_packet(), near.counters().resets), (Some(packet("a")), 0));
}

#[test]
fn ends_that_begin_established_send_at_once() {
    let config = Config { established: true, ..Config::default() };
    let mut near = end(&config);
    assert_eq!(near.handle_packet(packet("a"), at(0)), Ok(()));
    assert_eq!(said(&frames(&mut near, at(0))), [Pdu::Sd { number: 0, packet: "a".into() }]);
}

#[test]
fn ends_that_ask_each_other_at_once_are_connected() {
    let (mut near, mut far) = (end(&Config::default()), end(&Config::default()));
    for end in [&mut near, &mut far] {
        assert_eq!(end.handle_packet(packet("a"), at(0)), Ok(()));
    }
    talk([&mut near, &mut far], at(0));
    assert_eq!((near.poll_packet(), far.poll_packet()), (Some(packet("a")), Some(packet("a"))));
}

#[test]
fn a_peer_that_does_not_answer_is_asked_less_and_less_often() {
    let config = Config { max_cc: Bounded::new(1).expect("not zero"), ..Config::default() };
    let mut near = end(&config);
    assert_eq!(near.handle_packet(packet("a"), at(0)), Ok(()));
    let mut asked = Vec::new();
    let mut now = at(0);
    while asked.len() < 5 {
        let begins = said(&frames(&mut near, now)).into_iter().filter(|pdu| matches!(pdu, Pdu::Bgn { .. }));
        asked.extend(begins.map(|_| now));
        now = near.poll_timeout().expect("it goes on");
        near.handle_timeout(now);
    }
    assert_eq!(asked, [at(0), at(2000), at(5000), at(10_000), at(19_000)]);
    assert_eq!(near.counters().unrecoverable_errors, 5);
}

#[test]
fn packets_outlive_their_connection_unless_buffers_are_cleared() {
    for clear_buffers in [false, true] {
        let config = Config { established: true, clear_buffers, ..Config::default() };
        let (mut near, mut far) = (end(&config), end(&config));
        assert_eq!(near.handle_packet(packet("a"), at(0)), Ok(()));
        drop(frames(&mut near, at(0)));
        // Nothing is heard of the peer any more, and then it is back.
        while near.counters().unrecoverable_errors == 0 {
            let now = near.poll_timeout().expect("polls");
            near.handle_timeout(now);
            if near.counters().unrecoverable_errors == 0 {
                drop(frames(&mut near, now));
            }
        }
        talk([&mut near, &mut far], at(7000));
        assert_eq!(far.poll_packet(), (!clear_buffers).then(|| packet("a")));
        assert_eq!(near.counters().packets_discarded, u64::from(clear_buffers));
        assert!(near.counters().resets > 0);
    }
}

#[test]
fn more_packets_than_the_buffer_holds_are_refused_while_they_wait() {
    let config = Config { buffer: 2.try_into().expect("not zero"), ..Config::default() };
    let mut near = end(&config);
    let refused = ["a", "b", "c"].map(|text| near.handle_packet(packet(text), at(0)).is_err());
    assert_eq!((refused, near.counters().packets_refused), ([false, false, true], 1));
}

#[test]
fn timers_freeze_while_the_link_is_down() {
    let config = Config { established: true, ..Config::default() };
    let mut near = end(&config);
    assert_eq!(near.handle_packet(packet("a"), at(0)), Ok(()));
    drop(frames(&mut near, at(0)));
    near.handle_link(LinkState::Down, at(150));
    assert_eq!(near.poll_timeout(), None);
    near.handle_link(LinkState::Up, at(9000));
    assert_eq!(near.poll_timeout(), Some(at(9050)));
}

#[test]
fn an_outage_is_no_silence_after_which_any_frame_is_taken() {
    let config = Config { established: true, order_filter: true, ..Config::default() };
    let (mut near, mut far) = (end(&config), end(&config));
    for text in ["a", "b"] {
        assert_eq!(near.handle_packet(packet(text), at(0)), Ok(()));
    }
    let [overtaken, first, ..] = &frames(&mut near, at(0))[..] else { panic!("two frames") };
    far.handle_frame(first.clone(), at(10));
    far.handle_link(LinkState::Down, at(20));
    far.handle_link(LinkState::Up, at(9000));
    far.handle_frame(overtaken.clone(), at(9010));
    assert_eq!(far.counters().out_of_sequence_received, 1);
}

#[test]
fn a_frame_costs_what_is_set_whatever_its_padding() {
    for (order_filter, resequencing) in
        [(true, Resequencing::Full), (true, Resequencing::PerFlow), (false, Resequencing::Full)]
    {
        let overhead = Bounded::new(12).expect("up to 18");
        let config = Config { established: true, order_filter, resequencing, overhead, ..Config::default() };
        for text in ["a", "ab", "abc", "abcd"] {
            let (mut near, mut far) = (end(&config), end(&config));
            assert_eq!(near.handle_packet(packet(text), at(0)), Ok(()));
            let [frame] = frames(&mut near, at(0)).try_into().expect("one frame");
            let octets: Bytes = frame.parts().concat().into();
            assert_eq!(octets.len(), text.len() + 12);
            far.handle_frame(Frame::from_wire(frame.tag, octets), at(0));
            assert_eq!(far.poll_packet(), Some(packet(text)));
        }
    }
}

#[test]
fn the_filter_takes_two_octets_and_without_it_pdus_are_bare() {
    for (order_filter, octets) in [(true, &b"\0\0abcd\x08\0\0\0"[..]), (false, b"abcd\x08\0\0\0")] {
        let mut near = end(&Config { established: true, order_filter, ..Config::default() });
        assert_eq!(near.handle_packet(packet("abcd"), at(0)), Ok(()));
        let [frame] = frames(&mut near, at(0)).try_into().expect("one frame");
        assert_eq!(frame.parts().concat(), octets);
    }
}

#[test]
fn what_cannot_be_read_is_counted() {
    let mut near = end(&Config::default());
    for (octets, malformed) in [(&b"\0"[..], 1), (b"\0\0\0\0\0", 2), (b"\0\x01\0\0\0\0", 3)] {
        near.handle_frame(Frame::from_wire(arqway_contract::Tag::default(), Bytes::from_static(octets)), at(0));
        assert_eq!(near.counters().malformed_received, malformed);
    }
    let in_front = InFront { meaning: 2, overhead: 0 };
    assert_eq!(
        pdu::read(Frame::from_wire(arqway_contract::Tag::default(), Bytes::from_static(b"\x08\0\0\0")), in_front),
        None
    );
}
