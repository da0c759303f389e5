//! Scripted exchanges: what one end answers to what it is told, in time order.

use super::*;
use crate::script::Script;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use arqway_contract::{Bounded, LinkService, LinkState, Packet, Service, Side};
use arqway_units::Time;
use std::format;

fn end(block: u16) -> Script<arqway_contract::End<Fec>> {
    Script::new(
        Config { block: Bounded::new(block).expect("a block"), ..Config::default() }.build(&Side::Client.into()),
        describe,
    )
}

/// `parity 0+3` covers three frames from 0 on.
fn describe(frame: Frame) -> String {
    match parse(frame).expect("our own frames can be read") {
        Pdu::Data { number, .. } => format!("data {number}"),
        Pdu::Parity(parity) => format!("parity {}+{}", parity.first, parity.count),
    }
}

/// What an end with this block sends of these packets, as on a wire.
fn frames_of(block: u16, packets: &[&[u8]]) -> Vec<Frame> {
    let mut end = end(block);
    let mut frames = Vec::new();
    for packet in packets {
        end.service.handle_packet(Packet::new(packet.to_vec()), end.now).expect("room for a packet");
        while let Some(frame) = end.service.poll_frame(end.now, Octets::MAX) {
            frames.push(Frame::from_wire(frame.tag, [&frame.head, &frame.body[..]].concat().into()));
        }
    }
    frames
}

/// What comes out when these frames come in.
fn received(end: &mut Script<arqway_contract::End<Fec>>, frames: &[&Frame]) -> Vec<Vec<u8>> {
    frames.iter().for_each(|frame| end.service.handle_frame((*frame).clone(), Time::ZERO));
    core::iter::from_fn(|| end.service.poll_packet()).map(|packet| packet.octets.to_vec()).collect()
}

#[test]
fn a_parity_frame_follows_every_block() {
    let mut end = end(3);
    end.packets("abcd").expect("data 0, data 1, data 2, parity 0+3, data 3").packets("ef");
    end.expect("data 4, data 5, parity 3+3");
    assert_eq!((end.counters().frames_sent, end.counters().parity_sent), (6, 2));
}

#[test]
fn the_parity_of_a_block_goes_out_early_when_the_line_is_idle() {
    let mut end = end(12);
    end.packets("a").expect("data 0").at(40).packets("b").expect("data 1").at(89).expect("");
    end.at(90).expect("parity 0+2").at(9000).expect("").packets("c").expect("data 2").at(9050).expect("parity 2+1");
}

#[test]
fn the_line_is_idle_only_after_the_last_frame_has_left_or_was_dropped() {
    let mut end = end(12);
    end.packets("ab");
    let (first, second) = (end.hand_over(), end.hand_over());
    end.at(100).depart(&first, Departure::Sent);
    assert_eq!(end.deadline(), None);
    end.at(200).depart(&second, Departure::Dropped);
    assert_eq!(end.deadline(), Some(250));
}

#[test]
fn a_full_block_leaves_nothing_to_wait_for() {
    let mut end = end(2);
    end.packets("ab").expect("data 0, data 1, parity 0+2");
    assert_eq!(end.deadline(), None);
}

#[test]
fn any_one_packet_of_a_block_is_recovered_with_its_length() {
    let packets: [&[u8]; 3] = [b"short", b"the longest of them all", b"in between\0\0"];
    let frames = frames_of(3, &packets);
    for lost in 0..3 {
        let arrive: Vec<_> =
            frames.iter().enumerate().filter(|(index, _)| *index != lost).map(|(_, frame)| frame).collect();
        let mut receiver = end(3);
        let mut expected: Vec<_> = packets.to_vec();
        let recovered = expected.remove(lost);
        expected.push(recovered);
        assert_eq!(received(&mut receiver, &arrive), expected, "{lost} was lost");
        assert_eq!(receiver.counters().frames_recovered, 1);
    }
}

#[test]
fn a_frame_is_released_when_it_arrives_and_a_recovered_one_when_it_is_recovered() {
    let frames = frames_of(3, &[b"a", b"b", b"c", b"d"]);
    let mut end = end(3);
    assert_eq!(received(&mut end, &[&frames[0]]), [b"a"]);
    assert_eq!(received(&mut end, &[&frames[2]]), [b"c"]);
    assert_eq!(received(&mut end, &[&frames[3]]), [b"b"]);
    assert_eq!(received(&mut end, &[&frames[4]]), [b"d"]);
}

#[test]
fn nothing_comes_of_a_block_that_lacks_two() {
    let frames = frames_of(3, &[b"a", b"b", b"c"]);
    assert_eq!(received(&mut end(3), &[&frames[1], &frames[3]]), [b"b"]);
}

#[test]
fn duplicates_of_data_of_recovered_packets_and_of_parity_are_dropped() {
    let frames = frames_of(2, &[b"a", b"b"]);
    let arrive = [&frames[0], &frames[0], &frames[2], &frames[2], &frames[1]];
    let mut end = end(2);
    assert_eq!(received(&mut end, &arrive), [b"a", b"b"]);
    assert_eq!(end.counters().duplicates_received, 2);
}

#[test]
fn blocks_go_on_over_the_wrap_of_the_numbers() {
    let packets: Vec<_> = (0..260u16).map(u16::to_be_bytes).collect();
    let packets: Vec<&[u8]> = packets.iter().map(<[u8; 2]>::as_slice).collect();
    let frames = frames_of(13, &packets);
    // Block 19 bears the numbers 247 to 255 and 0 to 3.
    let block = &frames[19 * 14..20 * 14];
    let arrive: Vec<_> = block.iter().enumerate().filter(|(index, _)| *index != 10).map(|(_, frame)| frame).collect();
    assert_eq!(received(&mut end(13), &arrive).last().map(Vec::as_slice), Some(packets[257]));
}

/// 255 frames between them are lost: the old frame 0 stands where the one that was lost with number 0 should.
#[test]
fn a_packet_from_a_turn_of_the_numbers_ago_makes_no_wrong_one() {
    let packets: Vec<_> = (0..258u16).map(|number| [b"packet ", &number.to_be_bytes()[..]].concat()).collect();
    let packets: Vec<&[u8]> = packets.iter().map(Vec::as_slice).collect();
    let frames = frames_of(2, &packets);
    let (old, parity) = (&frames[0], frames.last().expect("the parity of 256 and 257"));
    let mut end = end(2);
    assert_eq!(received(&mut end, &[old, parity]), [packets[0]]);
    assert_eq!(end.counters().frames_recovered, 0);
}

#[test]
fn a_new_packet_with_the_number_of_an_old_one_is_no_duplicate() {
    let mut end = end(2);
    end.peer(0, &[7, b'a']).peer(0, &[7, b'b']).peer(0, &[7, b'a']).expect("deliver ab");
}

#[test]
fn a_frame_that_others_overtook_shows_no_gap_and_is_not_missing() {
    let mut end = end(4);
    end.peer(0, &[0, b'a']).peer(0, &[2, b'c']).peer(0, &[1, b'b']).peer(0, &[3, b'd']).expect("deliver acbd");
    assert_eq!((end.counters().packets_missed, end.counters().frames_recovered), (1, 1));
}

/// The numbers of a burst of 200 do not show; what is lost after it must.
#[test]
fn losses_after_a_burst_that_the_numbers_cannot_count_are_counted_again() {
    let mut end = end(4);
    end.peer(0, &[0, b'a']).peer(0, &[201, b'b']).peer(0, &[204, b'c']).expect("deliver abc");
    assert_eq!(end.counters().packets_missed, 2);
}

#[test]
fn a_parity_that_says_something_wrong_recovers_nothing() {
    let frames = frames_of(2, &[b"a", b"bc"]);
    for index in 0..frames[2].body.len() {
        let mut octets = frames[2].body.to_vec();
        octets[index] ^= 1;
        let wrong = Frame::from_wire(frames[2].tag, octets.into());
        assert_eq!(received(&mut end(2), &[&frames[0], &wrong]), [b"a"], "octet {index}");
    }
}

#[test]
fn timers_freeze_while_the_link_is_down() {
    let mut end = end(12);
    end.packets("a").expect("data 0").at(40).link(LinkState::Down).at(5000).packets("b").expect("");
    end.link(LinkState::Up).expect("data 1").at(5049).expect("").at(5050).expect("parity 0+2");
}

#[test]
fn a_packet_too_many_is_handed_back() {
    let config = Config { buffer: core::num::NonZeroUsize::MIN, ..Config::default() };
    let mut end = Script::new(config.build(&Side::Client.into()), describe);
    end.packets("a");
    assert!(end.service.handle_packet(Packet::new("b"), end.now).is_err());
    assert_eq!(end.counters().packets_refused, 1);
}

#[test]
fn what_cannot_be_decoded_is_counted_and_changes_nothing() {
    let mut end = end(12);
    let parity_of = |count: u8, body: &[u8]| [&[0, count, 0, 1, 0, 0, 0, 0], body].concat();
    let wrong = [
        (0, vec![]),
        (0, vec![1]),
        (1, vec![0, 1, 0, 1, 0, 0, 0]),
        (1, parity_of(1, &[])),
        (1, parity_of(0, b"x")),
        (1, parity_of(65, b"x")),
        (2, vec![1, 2]),
        (7, vec![]),
    ];
    for (kind, octets) in &wrong {
        end.peer(*kind, octets);
    }
    end.expect("").at(9000).expect("");
    assert_eq!(end.counters().malformed_received, wrong.len() as u64);
}
