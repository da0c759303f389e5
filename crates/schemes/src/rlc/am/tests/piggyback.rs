//! Reports in the padding of data PDUs.

use super::*;

fn piggybacks() -> End {
    end(|config| config.piggyback = Some(true))
}

/// All octets of a frame.
fn octets(frame: &Frame) -> Vec<u8> {
    [frame.head.as_slice(), &frame.body].concat()
}

// 25.322 §11.5.2.1
#[test]
fn a_report_rides_in_the_padding_of_a_data_pdu() {
    let mut end = piggybacks();
    end.poll(0).sdu('x', 2).expect("0:x+[ack 1], deliver a");
    assert_eq!(end.counters().acknowledgements_sent, 0);
}

// 25.322 §9.2.2.8, §9.2.1.6, §9.2.2.12: the indicator of padding becomes that of a STATUS; R2 stands where D/C would
#[test]
fn the_indicator_of_padding_becomes_one_of_a_report_and_the_report_follows_the_data() {
    let mut end = piggybacks();
    end.poll(0).sdu('x', 2);
    let frame = end.hand_over();
    assert_eq!(octets(&frame), b"\x80\x01\x05\xfcxx\x02\x00\x10\x00");
}

// 25.322 §11.3.2.1
#[test]
fn a_pdu_that_is_sent_again_has_the_report_of_then_or_none() {
    let mut end = piggybacks();
    end.poll(0).sdu('x', 2).expect("0:x+[ack 1], deliver a").status("list 0; ack 1");
    let frame = end.hand_over();
    assert_eq!(octets(&frame), b"\x80\x01\x05\xfexx\0\0\0\0");
    end.depart(&frame, Departure::Sent).poll(2).status("list 0; ack 1").expect("status[list 1; ack 3], 0:x");
    end.data(1).poll(3).status("list 0; ack 1").expect("0:x+[ack 4], deliver bcd");
}

// 25.322 §11.5.2.1, §11.5.1
#[test]
fn a_report_without_room_goes_first_by_itself() {
    piggybacks().poll(0).sdus("x").expect("status[ack 1], 0:x, deliver a");
    piggybacks().data(1).poll(3).sdu('x', 2).expect("status[list 0 2; ack 4], 0:x");
    piggybacks().poll(0).expect("status[ack 1], deliver a");
}

// 25.322 §11.5.2.1: the rest of a report does not ride, and nothing rides in front of it
#[test]
fn while_a_report_of_several_pdus_is_under_way_data_go_without_one() {
    let mut end = piggybacks();
    end.sdu('x', 2).expect("0:x").sdu('y', 2).expect("1:y");
    for number in [1, 3, 5, 7, 9, 11] {
        end.data(number);
    }
    let parts = ["status[list 0 2 4; ack 0]", "0:x", "status[list 6 8 10; ack 0]", "1:y", "status[list 12; ack 0]"];
    end.poll(13).status("list 0 1; ack 2").expect(&parts.join(", "));
}

// 25.322 §11.5.2.2: ACK or NO_MORE ends it
#[test]
fn what_is_no_report_ends_in_no_more() {
    let mut end = piggybacks();
    end.status("mrw 1 n0").sdu('x', 2);
    let frame = end.hand_over();
    assert_eq!(octets(&frame), b"\x80\x01\x05\xfcxx\x07\x00\x01\x00");
    // An ACK of one octet less leaves padding, of whatever value.
    end.depart(&frame, Departure::Sent).poll(1).sdu('y', 2).expect("1:y+[ack 2], deliver b");
}

// 25.322 §11.5.2.1: "the same rules as an ordinary STATUS PDU"
#[test]
fn the_prohibit_timer_holds_for_it_and_it_starts_that_timer() {
    let mut end = end(|config| {
        config.piggyback = Some(true);
        config.status.prohibit = milliseconds(100);
    });
    end.poll(0).sdu('x', 2).expect("0:x+[ack 1], deliver a").at(50).poll(1).sdu('y', 2).expect("1:y, deliver b");
    end.at(100).sdu('z', 2).expect("2:z+[ack 2]");
}

// 25.322 §11.6.2: a request to move the window may ride as well
#[test]
fn a_request_to_move_the_window_rides_and_its_timer_starts() {
    let mut end = end(|config| {
        config.piggyback = Some(true);
        config.retransmissions = Bounded::new(0);
    });
    end.sdu('x', 2).expect("0:x").status("list 0; ack 1").sdu('y', 1).expect("1:y+[mrw 1 n0]");
    assert_eq!(end.deadline(), Some(100));
}
