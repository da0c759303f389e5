//! Scripted exchanges: what one end answers to what it is told, in time order.

use super::*;
use crate::script::Script;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use arqway_arq::Resequencing;
use arqway_contract::{Bounded, LinkService, LinkState, Packet, Service, Side};
use arqway_units::Span;
use std::format;

const DATA: u8 = 0;
const REPAIR: u8 = 1;
const NACK: u8 = 2;
const KEEPALIVE: u8 = 3;
const LINKED: u8 = 4;
const LINKED_REPAIR: u8 = 5;
const LONG: u8 = 6;
const LONG_REPAIR: u8 = 7;

fn end(change: impl FnOnce(&mut Config)) -> Script<arqway_contract::End<Rlp>> {
    let mut config = Config::default();
    change(&mut config);
    Script::new(config.build(&Side::Client.into()), describe)
}

fn as_received() -> Script<arqway_contract::End<Rlp>> {
    end(|config| config.resequencing = Resequencing::as_received())
}

fn quiet() -> Script<arqway_contract::End<Rlp>> {
    end(|config| config.keepalives = Bounded::new(0).expect("none"))
}

fn describe(frame: Frame) -> String {
    match parse(frame).expect("our own frames can be read") {
        Pdu::Data { number, .. } => format!("data {number}"),
        Pdu::Repair { number, .. } => format!("repair {number}"),
        Pdu::Nack(missing) => {
            let numbers: Vec<_> = missing.numbers().map(|number| number.to_string()).collect();
            format!("nack {}", numbers.join(" "))
        }
        Pdu::Keepalive { next } => format!("keepalive {next}"),
    }
}

#[test]
fn nothing_is_acknowledged_and_the_sender_never_stalls() {
    let mut end = quiet();
    for number in 0..300 {
        end.packets("a").expect(&format!("data {}", number % 256));
    }
    end.at(9000).expect("");
}

#[test]
fn what_was_asked_for_goes_out_before_what_is_new() {
    let mut end = quiet();
    end.packets("abc").expect("data 0, data 1, data 2").packets("d").peer(NACK, &[0, 0, 0x40]);
    end.expect("repair 0, repair 2, data 3");
    assert_eq!((end.counters().frames_sent, end.counters().frames_resent), (4, 2));
}

#[test]
fn a_frame_is_sent_again_as_often_as_is_set_and_then_abandoned() {
    let mut end = end(|config| {
        config.retransmissions = Bounded::new(2).expect("two");
        config.keepalives = Bounded::new(0).expect("none");
    });
    end.packets("a").expect("data 0");
    for expected in ["repair 0", "repair 0", ""] {
        end.peer(NACK, &[0, 0]).expect(expected);
    }
}

#[test]
fn a_request_heard_twice_while_its_frame_waits_is_answered_once() {
    quiet().packets("a").expect("data 0").peer(NACK, &[0, 0]).peer(NACK, &[0, 0]).expect("repair 0");
}

#[test]
fn only_the_last_frames_are_kept_and_a_request_for_an_older_one_is_answered_with_how_far_we_are() {
    let mut end = end(|config| {
        config.window = Bounded::new(2).expect("two");
        config.keepalives = Bounded::new(0).expect("none");
    });
    end.packets("abc").expect("data 0, data 1, data 2").peer(NACK, &[0, 0]).expect("keepalive 3");
    end.peer(NACK, &[0, 1]).expect("repair 1").peer(NACK, &[0, 9]).expect("keepalive 3");
}

#[test]
fn in_sequence_what_arrives_behind_a_gap_waits_for_its_repair() {
    let mut end = quiet();
    end.peer(DATA, &[0, b'a']).expect("deliver a").peer(DATA, &[3, b'd']).expect("nack 1 2");
    end.peer(REPAIR, &[2, b'c']).expect("").peer(REPAIR, &[1, b'b']).expect("deliver bcd");
}

#[test]
fn in_order_by_flow_only_what_follows_a_missing_one_waits() {
    let mut end = end(|config| {
        (config.resequencing, config.keepalives) = (Resequencing::PerFlow, Bounded::new(0).expect("none"))
    });
    // 1 is missing; 2 begins a flow, 3 follows 1, 4 follows 2.
    end.peer(LINKED, &[0, 0, 0, b'a']).peer(LINKED, &[0, 2, 0, b'c']).expect("nack 1, deliver ac");
    end.peer(LINKED, &[0, 3, 2, b'd']).expect("").peer(LINKED, &[0, 4, 2, b'e']).expect("deliver e");
    end.peer(LINKED_REPAIR, &[0, 1, 1, b'b']).expect("deliver bd");
    end.peer(DATA, &[5, b'f']).expect("");
    assert_eq!((end.counters().packets_held, end.counters().malformed_received), (1, 1), "bare data are not as agreed");
}

#[test]
fn in_order_by_flow_a_long_burst_lets_no_packet_pass_those_that_wait() {
    let mut end = end(|config| {
        (config.resequencing, config.keepalives) = (Resequencing::PerFlow, Bounded::new(0).expect("none"))
    });
    end.peer(LINKED, &[0, 0, 0, b'a']).peer(LINKED, &[0, 2, 1, b'c']).expect("nack 1, deliver a");
    // 259 follows 257, which by eight bits would be 1 or, gone already, one before it. All that is kept no more is given up.
    end.peer(LINKED, &[1, 3, 2, b'x']);
    let missing: Vec<_> = (132..259).map(|number| number.to_string()).collect();
    end.expect(&format!("nack {}, deliver c", missing.join(" ")));
    end.peer(LINKED_REPAIR, &[1, 1, 0, b'w']).expect("deliver wx");
}

#[test]
fn as_received_nothing_waits_and_nothing_comes_twice() {
    let mut end = as_received();
    end.peer(DATA, &[0, b'a']).peer(DATA, &[3, b'd']).expect("nack 1 2, deliver ad");
    end.peer(REPAIR, &[2, b'c']).expect("deliver c").peer(REPAIR, &[2, b'c']).peer(DATA, &[3, b'd']).expect("");
    end.peer(REPAIR, &[1, b'b']).expect("deliver b");
    assert_eq!(end.counters().duplicates_received, 2);
}

#[test]
fn a_frame_is_asked_for_again_after_the_timeout_and_given_up_after_the_last_request() {
    let mut end = quiet();
    end.peer(DATA, &[1, b'b']).expect("nack 0").at(99).expect("").at(100).expect("nack 0").at(200).expect("nack 0");
    end.at(299).expect("").at(300).expect("deliver b").at(9000).expect("");
    assert_eq!((end.counters().rejects_sent, end.counters().frames_abandoned), (3, 1));
}

#[test]
fn a_repair_that_comes_too_late_is_dropped_in_sequence_and_delivered_as_received() {
    for (mut end, at_once, late) in [(quiet(), "", ""), (as_received(), ", deliver b", "deliver a")] {
        end.peer(DATA, &[1, b'b']).expect(&format!("nack 0{at_once}"));
        end.at(100).expect("nack 0").at(200).expect("nack 0").at(300);
        end.expect(if at_once.is_empty() { "deliver b" } else { "" }).peer(REPAIR, &[0, b'a']).expect(late);
        let counters = end.counters();
        let recovered = u64::from(!late.is_empty());
        assert_eq!(
            (counters.packets_missed, counters.frames_recovered, counters.duplicates_received),
            (1, recovered, 1 - recovered)
        );
    }
}

#[test]
fn the_wait_for_a_repair_begins_when_its_request_starts_or_is_dropped() {
    let mut end = quiet();
    end.peer(DATA, &[1, b'b']);
    let mut nack = end.hand_over();
    end.at(500);
    assert_eq!(end.deadline(), None);
    assert_eq!(end.service.start_frame(&mut nack, end.now), Start::Send);
    assert_eq!(end.deadline(), Some(600));
    end.at(600);
    let nack = end.hand_over();
    end.depart(&nack, Departure::Dropped).at(700).expect("nack 0");
}

#[test]
fn one_request_covers_a_whole_window() {
    let mut end = quiet();
    end.peer(DATA, &[128, b'z']);
    let numbers: Vec<_> = (1..128).map(|number| number.to_string()).collect();
    end.expect(&format!("nack {}", numbers.join(" ")));
    // Number 0 is further back than the sender keeps.
    assert_eq!(end.counters().frames_abandoned, 1);
}

#[test]
fn a_frame_further_behind_than_the_window_is_given_up_at_once() {
    let mut end = end(|config| {
        config.window = Bounded::new(2).expect("two");
        config.keepalives = Bounded::new(0).expect("none");
    });
    end.peer(DATA, &[1, b'b']).expect("nack 0").peer(DATA, &[2, b'c']).expect("deliver bc").at(9000).expect("");
}

#[test]
fn an_idle_line_tells_how_far_the_sender_is_and_then_rests() {
    let mut end = end(|config| config.keepalives = Bounded::new(2).expect("two"));
    end.at(5).packets("a").expect("data 0").at(24).expect("").at(25).expect("keepalive 1");
    end.at(45).expect("keepalive 1").at(9000).expect("");
    end.packets("b").expect("data 1").at(9010).packets("c").expect("data 2").at(9029).expect("");
    end.at(9030).expect("keepalive 3").at(9050).peer(NACK, &[0, 2]).expect("repair 2");
    end.at(9070).expect("keepalive 3").at(9090).expect("keepalive 3").at(20_000).expect("");
}

#[test]
fn an_end_that_sent_nothing_is_quiet() {
    end(|_| ()).at(9000).expect("").peer(DATA, &[0, b'a']).expect("deliver a").at(20_000).expect("");
}

#[test]
fn a_keepalive_is_due_only_after_the_last_frame_has_left() {
    let mut end = end(|_| ());
    end.packets("ab");
    let (first, second) = (end.hand_over(), end.hand_over());
    end.at(100).depart(&first, Departure::Sent);
    assert_eq!(end.deadline(), None);
    end.at(200).depart(&second, Departure::Dropped);
    assert_eq!(end.deadline(), Some(220));
}

#[test]
fn a_keepalive_shows_what_was_lost_at_the_end() {
    let mut end = quiet();
    end.peer(DATA, &[0, b'a']).peer(KEEPALIVE, &[0, 3]).expect("nack 1 2, deliver a");
    end.peer(KEEPALIVE, &[0, 3]).expect("").peer(REPAIR, &[2, b'c']).peer(REPAIR, &[1, b'b']).expect("deliver bc");
}

#[test]
fn a_burst_of_223_is_noticed_and_a_longer_one_costs_frames_but_never_their_order() {
    let mut noticed = end(|config| config.window = Bounded::new(1).expect("one"));
    noticed.peer(DATA, &[0, b'a']).peer(DATA, &[224, b'z']).expect("deliver az");
    let mut longer = end(|config| config.window = Bounded::new(1).expect("one"));
    // 224 are lost: number 265 reads as 9, which is before 40.
    longer.at(0).peer(DATA, &[40, b'a']).peer(DATA, &[9, b'z']).expect("deliver a");
    assert_eq!(longer.counters().duplicates_received, 1);
}

/// It may be a frame that was overtaken, or the first after more lost ones than the numbers can count.
#[test]
fn a_data_frame_with_an_old_number_fills_a_gap_only_where_there_is_no_order_to_break() {
    for (mut end, expected) in [(quiet(), "deliver a"), (as_received(), "deliver acx")] {
        end.peer(DATA, &[0, b'a']).peer(DATA, &[2, b'c']);
        let mut nack = end.hand_over();
        assert_eq!(end.service.start_frame(&mut nack, end.now), Start::Send);
        end.peer(DATA, &[1, b'x']).expect(expected);
    }
}

#[test]
fn a_keepalive_puts_right_numbers_that_a_long_burst_made_wrong() {
    let mut end = quiet();
    end.peer(DATA, &[0, b'a']).peer(DATA, &[2, b'c']).expect("nack 1, deliver a");
    // Numbers 3 to 258 are lost: 259 reads as 3.
    end.peer(DATA, &[3, b'x']).expect("").peer(KEEPALIVE, &[1, 4]).expect("deliver cx");
    end.peer(DATA, &[4, b'y']).peer(DATA, &[6, b'z']).expect("nack 261, deliver y");
}

/// What was lost, or dropped because its number was misread: here 256 packets, and number 1 that is given up.
#[test]
fn a_keepalive_tells_how_many_packets_a_long_burst_took() {
    let mut end = quiet();
    end.peer(DATA, &[0, b'a']).peer(DATA, &[2, b'c']).peer(DATA, &[3, b'x']).peer(KEEPALIVE, &[1, 4]);
    end.expect("deliver acx");
    assert_eq!((end.counters().packets_missed, end.counters().frames_abandoned), (257, 257));
}

#[test]
fn an_overtaken_keepalive_changes_nothing() {
    let mut end = quiet();
    end.peer(DATA, &[0, b'a']).peer(DATA, &[1, b'b']).peer(KEEPALIVE, &[0, 1]).expect("deliver ab").at(9000).expect("");
}

#[test]
fn timers_freeze_while_the_link_is_down() {
    let mut end = end(|_| ());
    end.packets("a").peer(DATA, &[1, b'b']).expect("nack 0, data 0").at(10).link(LinkState::Down);
    end.at(5000).packets("b").expect("").at(5010).link(LinkState::Up).expect("data 1");
    end.at(5029).expect("").at(5030).expect("keepalive 2").at(5099).expect("keepalive 2");
    end.at(5100).expect("nack 0");
}

#[test]
fn a_packet_too_many_is_handed_back() {
    let mut end = end(|config| config.buffer = core::num::NonZeroUsize::MIN);
    end.packets("a");
    assert!(end.service.handle_packet(Packet::new("b"), end.now).is_err());
    assert_eq!(end.counters().packets_refused, 1);
}

/// A ping, as short as one is.
fn ping() -> Packet {
    let mut packet = alloc::vec![0x45, 0, 0, 28, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    packet.extend([8; 8]);
    Packet::new(packet)
}

fn copying() -> Script<arqway_contract::End<Rlp>> {
    end(|config| {
        config.resequencing = Resequencing::as_received();
        (config.copy_after, config.keepalives) = (Some(Span::from_milliseconds(20)), Bounded::new(0).expect("none"));
    })
}

#[test]
fn a_packet_that_stands_alone_is_sent_a_second_time_with_its_number_when_nothing_else_is_to_be_sent() {
    let mut end = copying();
    end.packet(ping()).packets("a").expect("data 0, data 1").at(19).expect("").at(20);
    end.packets("b").expect("data 2, data 0").at(9000).expect("");
    assert_eq!((end.counters().frames_sent, end.counters().frames_resent), (3, 1));
}

#[test]
fn what_was_asked_for_in_the_meantime_is_not_copied_as_well() {
    let mut end = copying();
    end.packet(ping()).expect("data 0").at(10).peer(NACK, &[0, 0]).expect("repair 0").at(9000).expect("");
    end.packet(ping()).expect("data 1").at(9020).expect("data 1").peer(NACK, &[0, 1]).expect("repair 1");
}

#[test]
fn no_more_than_sixteen_copies_wait_and_those_of_the_latest() {
    let mut end = copying();
    for number in 0..20 {
        end.packet(ping()).expect(&format!("data {number}"));
    }
    let copies: Vec<_> = (4..20).map(|number| format!("data {number}")).collect();
    end.at(20).expect(&copies.join(", "));
}

#[test]
fn nothing_is_copied_once_its_number_lies_so_far_behind_that_it_could_be_misread() {
    for (others, copy) in [(15, "data 0"), (16, "")] {
        let mut end = copying();
        let data: Vec<_> = (0..=others).map(|number| format!("data {number}")).collect();
        end.packet(ping()).packets(&"a".repeat(others)).expect(&data.join(", ")).at(20).expect(copy);
    }
}

#[test]
fn a_copy_is_delivered_where_the_first_was_lost_and_dropped_where_it_was_not() {
    let mut end = copying();
    end.peer(DATA, &[0, b'a']).peer(DATA, &[0, b'a']).expect("deliver a");
    end.peer(DATA, &[2, b'c']).expect("nack 1, deliver c").peer(DATA, &[1, b'b']).expect("deliver b").at(9000);
    end.peer(DATA, &[3, b'd']).expect("deliver d");
    assert_eq!(end.counters().duplicates_received, 1);
}

#[test]
fn where_there_are_several_lines_a_frame_may_come_behind_100_others_and_is_not_taken_for_a_later_one() {
    let mut end = as_received();
    end.service.handle_line(LineId::FIRST, LineState::up(None, Span::ZERO), end.now);
    end.packets("a").expect("data 0").peer(NACK, &[0, 0]).expect("repair 0");
    for number in (0..=200).filter(|number| *number != 100) {
        end.peer(LONG, &[0, number, b'a']);
    }
    end.at(1).expect(&format!("nack 100, deliver {}", "a".repeat(200)));
    end.peer(LONG, &[0, 100, b'b']).peer(LONG, &[0, 100, b'b']).peer(LONG, &[0, 73, b'a']).peer(LONG, &[0, 5, b'a']);
    end.expect("deliver b").peer(LONG, &[0, 201, b'c']).expect("deliver c");
    assert_eq!((end.counters().duplicates_received, end.counters().packets_missed), (3, 0));
}

#[test]
fn in_sequence_too_a_copy_that_comes_late_by_another_line_fills_its_gap() {
    let mut end = quiet();
    end.peer(LONG, &[0, 0, b'a']).peer(LONG, &[0, 2, b'c']).expect("nack 1, deliver a");
    end.peer(LONG, &[0, 1, b'b']).expect("deliver bc");
    end.peer(LONG_REPAIR, &[0, 1, b'b']).expect("");
}

#[test]
fn what_cannot_be_decoded_is_counted_and_changes_nothing() {
    let mut end = end(|_| ());
    let too_long = [1; 19];
    for (kind, octets) in [
        (DATA, &[][..]),
        (DATA, &[0]),
        (REPAIR, &[0]),
        (NACK, &[1]),
        (NACK, &[0, 1, 0]),
        (NACK, &[0, 1, 0x80, 0]),
        (NACK, &too_long),
        (KEEPALIVE, &[1]),
        (KEEPALIVE, &[0, 1, 2]),
        (4, &[1, 2]),
        (LONG, &[1, 2]),
        (LONG_REPAIR, &[]),
    ] {
        end.peer(kind, octets);
    }
    end.expect("").at(9000).expect("");
    assert_eq!(end.counters().malformed_received, 12);
}
