//! Scripted exchanges: what one end answers to what it is told, in time order; and what parity gives back.

use super::losses::Losses;
use super::*;
use crate::script::Script;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use arqway_contract::{LinkService, Packet, Service, Side};
use arqway_units::{Ratio, Span, Time};
use proptest::prelude::*;
use std::format;

type Ends = Script<arqway_contract::End<WithDeadline>>;

fn end(milliseconds: u64) -> Ends {
    let deadline = Span::from_milliseconds(milliseconds);
    Script::new(Config { deadline, ..Config::default() }.build(&Side::Client.into()), describe)
}

/// `parity 0+3` is of three packets from 0 on.
fn describe(frame: Frame) -> String {
    match parse(frame).expect("our own frames can be read") {
        Pdu::Data { number, .. } => format!("data {number}"),
        Pdu::Again { number, .. } => format!("again {number}"),
        Pdu::Nack(asked) => {
            let numbers: Vec<_> = wire::numbers(&asked).map(|number| format!("{number}")).collect();
            format!("NACK {}", numbers.join(" "))
        }
        Pdu::Parity(parity) => format!("parity {}+{}", parity.first, parity.count),
        Pdu::Keepalive { next } => format!("keepalive {next}"),
    }
}

#[test]
fn what_is_asked_for_goes_again_until_it_is_older_than_the_deadline() {
    let mut end = end(100);
    end.packets("abc").expect("data 0, data 1, data 2");
    end.at(99).expect("keepalive 3").peer(2, &[0, 1, 0, 2]).expect("again 1, again 2");
    end.peer(2, &[0, 1]).expect("again 1");
    end.at(100).peer(2, &[0, 0]).expect("");
    let counters = end.counters();
    assert_eq!((counters.frames_sent, counters.frames_resent, counters.packets_discarded), (3, 3, 0));
}

#[test]
fn a_packet_that_waited_for_the_line_until_its_deadline_is_dropped_and_one_that_is_asked_for_twice_goes_once() {
    let mut end = end(100);
    end.packets("ab");
    let first = end.hand_over();
    end.at(100).depart(&first, Departure::Sent).expect("");
    assert_eq!(end.counters().packets_discarded, 1);
    end.packets("c").expect("data 1").peer(2, &[0, 1, 0, 1]).peer(2, &[0, 1]).expect("again 1");
}

#[test]
fn a_gap_is_told_at_once_asked_for_after_a_round_trip_and_given_up_at_the_deadline() {
    let mut end = end(100);
    end.peer(0, b"\0a").expect("deliver a").at(10).peer(0, b"\x03d").expect("NACK 1 2, deliver d");
    end.at(50).peer(1, b"\x01b").expect("deliver b");
    // A round trip was 40 ms. Packet 2 is asked for no more: it was so half way from 10 to 60 ms.
    assert_eq!(end.deadline(), Some(110));
    end.at(110).expect("");
    assert_eq!((end.counters().packets_missed, end.deadline()), (1, None));
    end.at(120).peer(1, b"\x02c").expect("deliver c");
    assert_eq!((end.counters().frames_recovered, end.counters().duplicates_received), (1, 0));
    end.peer(1, b"\x02c").peer(0, b"\x03d").expect("");
    assert_eq!(end.counters().duplicates_received, 2);
    // Round trips of 10 ms: asked for again.
    for number in 4..40_u8 {
        let time = 200 + 20 * u64::from(number);
        end.at(time).peer(0, &[2 * number, b'x']).peer(4, &[0, 2 * number + 2]);
        let now = end.now;
        end.service.poll_frame(now, Octets::MAX);
        end.at(time + 10).peer(1, &[2 * number + 1, b'y']);
    }
    while end.service.poll_packet().is_some() {}
    end.at(2000).peer(0, &[82, b'z']).expect("NACK 80 81, deliver z");
    let again = end.deadline().expect("asked for again");
    assert!((2008..2030).contains(&again), "{again}");
    end.at(again + 1).expect("NACK 80 81");
}

fn drain(end: &mut Ends) {
    let now = end.now;
    while end.service.poll_frame(now, Octets::MAX).is_some() {}
    while end.service.poll_packet().is_some() {}
}

/// A receiver that knows a round trip of 40 ms and packets 20 ms apart, of which 60 came by 1,200 ms.
fn far_from(deadline: u64) -> Ends {
    let mut end = end(deadline);
    let mut number = 0;
    while number < 60 {
        let time = 20 * u64::from(number);
        end.at(time);
        if number % 10 == 5 {
            // The gap is told by the next one.
            end.at(time + 20).peer(0, &[number + 1, b'x']);
            drain(&mut end);
            end.at(time + 60).peer(1, &[number, b'y']);
            end.peer(0, &[number + 2, b'x']).peer(0, &[number + 3, b'x']);
            number += 4;
        } else {
            end.peer(0, &[number, b'x']);
            number += 1;
        }
    }
    drain(&mut end);
    end
}

#[test]
fn a_request_after_which_no_other_would_be_in_time_is_made_twice() {
    let mut end = far_from(100);
    end.at(1220).peer(0, &[61, b'z']).expect("NACK 60, deliver z");
    let twice = end.deadline().expect("once more");
    // Due at 1,200, and 40 ms to come again: there is time until 1,260.
    assert!((1236..1244).contains(&twice), "{twice}");
    end.at(twice + 1).expect("NACK 60");
    assert_eq!(end.deadline(), Some(1320));
    end.at(1265).peer(1, &[60, b'y']).expect("deliver y");
}

#[test]
fn a_request_is_made_once_where_another_would_be_in_time_or_none_is() {
    for (deadline, next) in [(400, 1260..1310), (50, 1260..1310)] {
        let mut end = far_from(deadline);
        end.at(1220).peer(0, &[61, b'z']).expect("NACK 60, deliver z");
        let again = end.deadline().expect("asked for again, or given up");
        assert!(next.contains(&again), "{again} of {deadline}");
    }
}

#[test]
fn without_requests_nothing_comes_back_and_parity_has_its_whole_share() {
    let config = Config { requests: false, parity: Ratio::new(0.5).expect("a share"), ..Config::default() };
    let mut end = Script::new(config.build(&Side::Client.into()), describe);
    end.peer(0, b"\0a").expect("deliver a").at(10).peer(0, b"\x03d").expect("deliver d");
    end.at(150).expect("");
    assert_eq!(end.counters().packets_missed, 2);
    let mut sums = 0;
    for number in 0..100_u64 {
        end.at(200 + 20 * number);
        end.service.handle_packet(Packet::new(vec![7; 200]), end.now).expect("room");
        while let Some(frame) = end.service.poll_frame(end.now, Octets::MAX) {
            end.depart(&frame, Departure::Sent);
            sums += u32::from(matches!(parse(frame), Some(Pdu::Parity(_))));
        }
    }
    assert!((48..=50).contains(&sums), "{sums} of 100 packets");
}

#[test]
fn when_nothing_more_comes_three_keepalives_tell_how_many_there_were_and_then_it_rests() {
    let mut end = end(100);
    for time in [0, 20, 40, 60] {
        end.at(time).packets("a").expect(&format!("data {}", time / 20));
    }
    // Packets came 20 ms apart, and some 25 at first.
    let mut told = Vec::new();
    while let Some(deadline) = end.deadline() {
        end.at(deadline + 1).expect("keepalive 4");
        told.push(deadline);
    }
    assert_eq!(told.len(), 3);
    assert!((90..100).contains(&told[0]), "{told:?}");
}

#[test]
fn a_keepalive_shows_a_loss_at_the_end_and_an_old_one_shows_nothing() {
    let mut end = end(100);
    end.peer(0, b"\0a").expect("deliver a").peer(4, &[0, 2]).expect("NACK 1");
    end.peer(4, &[0, 1]).peer(4, &[0, 2]).expect("");
}

/// The losses of one packet in so many, of which requests come after so many milliseconds, and the share of parity of the last 2,000 of 4,000
/// packets 20 ms apart.
fn parity_where(lost_each: u64, asked_after: u64, most: f64) -> f64 {
    let config = Config { parity: Ratio::new(most).expect("a share"), ..Config::default() };
    let mut end = Script::new(config.build(&Side::Client.into()), describe);
    let mut octets = [0, 0];
    for number in 0..4000_u64 {
        end.at(20 * number);
        end.service.handle_packet(Packet::new(vec![7; 200]), end.now).expect("room");
        while let Some(frame) = end.service.poll_frame(end.now, Octets::MAX) {
            end.depart(&frame, Departure::Sent);
            let is_parity = matches!(parse(frame.clone()), Some(Pdu::Parity(_)));
            octets[usize::from(is_parity)] += if number >= 2000 { frame.size().as_u64() } else { 0 };
        }
        if number.is_multiple_of(lost_each) {
            let [.., high, low] = number.to_be_bytes();
            end.at(20 * number + asked_after % 20);
            let asked = number.checked_sub(asked_after / 20).map(u64::to_be_bytes);
            let [.., high, low] = asked.unwrap_or([0, 0, 0, 0, 0, 0, high, low]);
            end.peer(2, &[high, low]);
        }
    }
    octets[1] as f64 / octets[0] as f64
}

#[test]
fn parity_is_what_is_lost_for_good_and_more_and_never_more_than_its_share() {
    let (early, late) = (parity_where(50, 40, 0.25), parity_where(50, 400, 0.25));
    assert!(early < 1e-9, "{early} where what is sent again is in time: nobody hears what is lost twice");
    assert!((0.14..0.21).contains(&late), "{late} of 2 % that nothing else brings back");
    let (limit, none) = (parity_where(50, 400, 0.1), parity_where(50, 400, 0.0));
    assert!((0.09..0.101).contains(&limit) && none < 1e-9, "{limit}, {none}");
}

#[test]
fn losses_in_runs_are_worth_more_parity_than_single_ones_and_none_where_it_would_not_give_them_back() {
    let parity = |run: u32| {
        let mut losses = Losses::new();
        for packet in 0..10_000 {
            losses.sent();
            if packet % 100 < run && packet / 100 % run == 0 {
                losses.lost(packet % 100 == 0, false);
            }
        }
        losses.parity(5, 0.9)
    };
    let (single, of_four, of_eight) = (parity(1), parity(4), parity(8));
    assert!((0.11..0.15).contains(&single) && (0.2..0.3).contains(&of_four), "{single} {of_four}");
    assert_eq!(of_eight, 0.0, "as many sums as that do not go while a packet is of use");
}

#[test]
fn the_last_packets_have_parity_too_where_losses_ask_for_it() {
    let mut end = end(100);
    for number in 0..200_u64 {
        end.at(20 * number).packets("a");
        while let Some(frame) = end.service.poll_frame(end.now, Octets::MAX) {
            end.depart(&frame, Departure::Sent);
        }
        if number % 20 == 19 {
            end.peer(2, &[0, u8::try_from(number - 10).expect("small")]);
        }
    }
    let deadline = end.deadline().expect("packets are 20 ms apart");
    end.at(deadline + 1).expect("parity 196+4");
}

#[test]
fn a_sum_does_not_go_before_the_last_packet_that_it_is_of_has_left_and_one_request_that_comes_too_late_calls_for_it() {
    let mut end = end(100);
    for number in 0..50_u64 {
        end.at(20 * number).packets("a").expect(&format!("data {number}"));
    }
    // Number 10 is worth nothing any more.
    end.peer(2, &[0, 10]).expect("").at(1000).packets("b");
    let mut last = end.hand_over();
    for number in 51_u64.. {
        assert_eq!(
            end.service.poll_frame(end.now, Octets::MAX),
            None,
            "in one datagram it would be lost with {number}"
        );
        end.depart(&last, Departure::Sent);
        if let Some(frame) = end.service.poll_frame(end.now, Octets::MAX) {
            assert!(matches!(parse(frame), Some(Pdu::Parity(_))) && number < 70, "after {number}");
            break;
        }
        end.at(20 * number).packets("c");
        last = end.hand_over();
    }
}

/// What a sender that has lost much sends of these packets, all at once: data and parity.
fn frames_of(packets: &[Vec<u8>], key: u8) -> Vec<Frame> {
    let all: Vec<Bytes> = packets.iter().cloned().map(Bytes::from).collect();
    let longest = packets.iter().map(Vec::len).max().unwrap_or(0);
    let mut frames: Vec<Frame> =
        (0..).zip(&all).map(|(number, packet)| wire::data(wire::Number::new(number), packet.clone())).collect();
    for key in 0..key {
        let mut sum = vec![0; parity::LENGTH + longest];
        for (number, packet) in (0..).zip(&all) {
            parity::add(&mut sum, arqway_arq::linear::coefficient(number, key), packet).expect("as long");
        }
        let count = u8::try_from(all.len()).expect("at most 64");
        frames.push(wire::parity(wire::Number::ZERO, count, key, sum.into()));
    }
    frames
}

proptest! {
    #[test]
    fn as_many_sums_as_packets_are_lost_give_them_back_whatever_their_lengths(
        packets in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..300), 2..40),
        lost in proptest::collection::btree_set(0_usize..40, 0..6),
    ) {
        let lost: Vec<_> = lost.into_iter().filter(|number| *number < packets.len()).collect();
        let mut end = end(100);
        let frames = frames_of(&packets, u8::try_from(lost.len()).expect("few") + 1);
        let mut received: Vec<Vec<u8>> = Vec::new();
        for (number, frame) in frames.into_iter().enumerate() {
            if !lost.contains(&number) {
                end.service.handle_frame(frame, Time::ZERO);
            }
            received.extend(core::iter::from_fn(|| end.service.poll_packet()).map(|packet| packet.octets.to_vec()));
        }
        let mut expected = packets.clone();
        expected.sort();
        received.sort();
        prop_assert_eq!(received, expected);
    }
}
