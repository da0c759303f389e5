//! Scripted exchanges: what one end answers to what it is told, in time order.

use super::*;
use crate::script::Script;
use alloc::string::String;
use arqway_contract::{Bounded, LinkService, LinkState, Packet, Service, Side};
use std::format;

fn end(change: impl FnOnce(&mut Config)) -> Script<arqway_contract::End<GoBackN>> {
    let mut config = Config { timer_starts: TimerStarts::HandOver, drop_stale_copies: false, ..Config::default() };
    change(&mut config);
    Script::new(config.build(&Side::Client.into()), describe)
}

/// `data 0 (1)` is data frame 0 that carries N(R) = 1.
fn describe(frame: Frame) -> String {
    match parse(frame).expect("our own frames can be read") {
        Pdu::Data { next, number, .. } => format!("data {number} ({next})"),
        Pdu::Acknowledgement { next } => format!("ack ({next})"),
    }
}

#[test]
fn packets_go_out_in_order_and_acknowledged_ones_never_again() {
    let mut end = end(|_| ());
    end.packets("ab").expect("data 0 (0), data 1 (0)").at(50).peer(1, &[2]).expect("").at(9000).expect("");
}

#[test]
fn when_the_oldest_frame_has_waited_too_long_all_that_is_outstanding_goes_out_again_in_order() {
    let mut end = end(|_| ());
    end.packets("a").expect("data 0 (0)").at(60).packets("bc").expect("data 1 (0), data 2 (0)");
    end.at(100).expect("data 0 (0), data 1 (0), data 2 (0)");
    assert_eq!((end.counters().timeouts, end.counters().frames_sent, end.counters().frames_resent), (1, 3, 3));
}

#[test]
fn an_acknowledgement_leaves_the_timer_to_the_frame_that_is_oldest_then() {
    let mut end = end(|_| ());
    end.packets("a").expect("data 0 (0)").at(60).packets("b").expect("data 1 (0)");
    end.at(90).peer(1, &[1]).expect("").at(159).expect("").at(160).expect("data 1 (0)");
}

#[test]
fn what_is_acknowledged_before_it_could_go_out_again_is_left_out() {
    let mut end = end(|_| ());
    end.packets("abc").expect("data 0 (0), data 1 (0), data 2 (0)").at(100).peer(1, &[2]).expect("data 2 (0)");
}

#[test]
fn a_frame_that_is_not_the_next_is_dropped_and_answered_with_where_the_receiver_stands() {
    let mut end = end(|_| ());
    end.peer(0, &[0, 0, b'a']).expect("deliver a").at(50).expect("ack (1)");
    end.at(60).peer(0, &[0, 2, b'c']).expect("").at(109).expect("").at(110).expect("ack (1)");
    end.at(200).peer(0, &[0, 1, b'b']).peer(0, &[0, 2, b'c']).expect("deliver bc");
    assert_eq!(end.counters().out_of_sequence_received, 1);
}

#[test]
fn a_duplicate_is_acknowledged_again_with_the_same_delay() {
    let mut end = end(|_| ());
    end.peer(0, &[0, 0, b'a']).expect("deliver a").at(50).expect("ack (1)");
    end.at(60).peer(0, &[0, 0, b'a']).expect("").at(109).expect("").at(110).expect("ack (1)");
}

#[test]
fn an_acknowledgement_rides_on_data_and_says_what_has_arrived_when_the_frame_starts() {
    let mut end = end(|_| ());
    end.packets("x");
    let mut frame = end.hand_over();
    end.peer(0, &[0, 0, b'a']).expect("deliver a");
    assert_eq!(end.service.start_frame(&mut frame, end.now), Start::Send);
    assert_eq!(frame.head.as_slice(), &[1, 0]);
    end.at(50).expect("");
}

#[test]
fn the_wait_begins_at_the_moment_that_is_set() {
    for (moment, expected) in [(TimerStarts::HandOver, 100), (TimerStarts::Start, 110), (TimerStarts::Departure, 120)] {
        let mut end = end(|config| config.timer_starts = moment);
        end.packets("a");
        let mut frame = end.hand_over();
        end.at(10);
        assert_eq!(end.service.start_frame(&mut frame, end.now), Start::Send);
        end.at(20).depart(&frame, Departure::Sent);
        assert_eq!(end.deadline(), Some(expected), "{moment:?}");
    }
}

#[test]
fn a_frame_that_the_queue_dropped_comes_back_by_the_timer() {
    for moment in [TimerStarts::HandOver, TimerStarts::Start, TimerStarts::Departure] {
        let mut end = end(|config| config.timer_starts = moment);
        end.packets("a");
        let frame = end.hand_over();
        end.depart(&frame, Departure::Dropped).expect("").at(100).expect("data 0 (0)");
    }
}

#[test]
fn the_departure_of_an_old_copy_starts_no_timer_for_one_that_will_go_out_again_anyway() {
    let mut end = end(|config| config.timer_starts = TimerStarts::Departure);
    end.packets("ab").at(0);
    let (first, second) = (end.hand_over(), end.hand_over());
    end.depart(&first, Departure::Sent).at(100).depart(&second, Departure::Sent).peer(1, &[1]);
    assert_eq!(end.deadline(), None);
    end.expect("data 1 (0)");
}

#[test]
fn a_stale_copy_is_withdrawn_only_where_that_is_set() {
    for (drop_stale_copies, expected) in [(true, Start::Withdraw), (false, Start::Send)] {
        let mut end = end(|config| config.drop_stale_copies = drop_stale_copies);
        end.packets("a");
        let mut copy = end.hand_over();
        end.peer(1, &[1]);
        assert_eq!(end.service.start_frame(&mut copy, end.now), expected);
        assert_eq!(end.counters().frames_withdrawn, u64::from(drop_stale_copies));
    }
}

#[test]
fn a_full_window_pushes_back_until_the_first_frame_is_acknowledged() {
    let mut end = end(|config| config.window = Bounded::new(2).expect("a window"));
    end.packets("ab").expect("data 0 (0), data 1 (0)");
    assert!(end.service.handle_packet(Packet::new(alloc::vec![b'c']), end.now).is_err());
    assert_eq!(end.counters().packets_refused, 1);
    end.peer(1, &[1]).packets("c").expect("data 2 (0)");
}

#[test]
fn timers_freeze_while_the_link_is_down() {
    let mut end = end(|_| ());
    end.packets("a").peer(0, &[0, 0, b'x']).expect("data 0 (1), deliver x").at(40).peer(0, &[0, 1, b'y']);
    end.expect("deliver y").at(80).link(LinkState::Down).at(5000).packets("b").expect("").link(LinkState::Up);
    end.expect("data 1 (2)").at(5019).expect("").at(5020).expect("data 0 (2), data 1 (2)");
}

#[test]
fn an_acknowledgement_that_wraps_beyond_what_was_sent_is_ignored() {
    let mut end = end(|_| ());
    end.packets("abc").expect("data 0 (0), data 1 (0), data 2 (0)").peer(1, &[2]).peer(1, &[1]).peer(1, &[200]);
    end.at(100).expect("data 2 (0)");
}

#[test]
fn a_frame_that_was_never_sent_cannot_be_acknowledged() {
    let mut end = end(|_| ());
    end.packets("a").peer(1, &[1]).expect("data 0 (0)");
}

#[test]
fn a_window_of_the_modulus_less_one_goes_round_the_numbers() {
    let mut end = end(|config| config.window = Bounded::new(255).expect("a window"));
    end.packets(&"a".repeat(255));
    while end.service.poll_frame(end.now, Octets::MAX).is_some() {}
    end.peer(1, &[255]).packets(&"b".repeat(255));
    while end.service.poll_frame(end.now, Octets::MAX).is_some() {}
    // 255 more: number 510, whose low bits are 254.
    end.peer(1, &[254]).at(9000).expect("");
}

#[test]
fn what_cannot_be_decoded_is_counted_and_changes_nothing() {
    let mut end = end(|_| ());
    for (kind, octets) in [(0, &[][..]), (0, &[1]), (0, &[0, 0]), (1, &[]), (1, &[1, 2]), (2, &[1]), (7, &[])] {
        end.peer(kind, octets);
    }
    end.expect("").at(9000).expect("");
    assert_eq!(end.counters().malformed_received, 7);
}
