//! In-sequence delivery off (§4.2.1.3.2): an SDU leaves as soon as all of it is there.

use super::*;

fn as_received() -> End {
    end(|config| config.in_sequence_delivery = Some(false))
}

// Where an SDU begins that begins a PDU, only the PDU before it tells.
#[test]
fn an_sdu_does_not_wait_for_those_before_it_but_for_the_pdu_that_tells_where_it_begins() {
    let mut end = as_received();
    end.data(1).expect("").data(2).expect("deliver c").data(4).expect("").data(5).expect("deliver f");
    end.data(0).expect("deliver ab").poll(3).expect("status[ack 6], deliver de");
}

#[test]
fn an_sdu_of_several_pdus_leaves_with_the_last_of_them_whichever_that_is() {
    // a fills PDU 0 and ends in PDU 1, where b begins, which ends in PDU 3.
    let pieces = [(0, &[][..], "aaaaaaaa"), (1, &[2], "aabbbbb"), (2, &[], "bbbbbbbb"), (3, &[1, 6], "bccccc")];
    let mut end = as_received();
    let mut give = |number: usize, expected: &str| {
        let (number, indicators, data) = pieces[number];
        end.pdu(number, false, indicators, data).expect(expected);
    };
    give(3, "deliver c");
    give(1, "");
    give(2, "deliver b");
    give(0, "deliver a");
}

#[test]
fn what_begins_behind_a_gap_is_delivered_though_its_pdu_begins_with_a_piece() {
    as_received()
        .pdu(1, false, &[2, 7], "aabbbbb")
        .expect("deliver b")
        .pdu(0, false, &[], "aaaaaaaa")
        .expect("deliver a");
}

#[test]
fn an_sdu_under_way_when_the_window_moves_is_delivered_with_its_end() {
    let mut end = as_received();
    end.pdu(0, false, &[], "aaaaaaaa").expect("").pdu(1, false, &[], "aaaaaaaa").expect("");
    end.pdu(3, false, &[1, 7], "xbbbbbb").expect("deliver b").pdu(2, false, &[7], "aaaaaaa").expect("deliver ax");
}

#[test]
fn discarded_sdus_are_not_waited_for_and_their_rest_goes_with_them() {
    let mut end = as_received();
    // a is in 0 and 1, and was given up; b begins with PDU 2, though none before it is here to say so.
    end.pdu(2, false, &[7], "bbbbbbb").expect("").status("mrw 2 n0").expect("status[mrw-ack 3 n0], deliver b");
    end.data(3).expect("deliver d");
}

#[test]
fn nothing_is_delivered_twice() {
    let mut end = as_received();
    end.data(1).expect("").data(1).expect("").data(0).expect("deliver ab");
    end.data(0).expect("").data(1).expect("").data(2).expect("deliver c");
}

#[test]
fn after_a_reset_the_first_sdu_begins_with_the_first_pdu() {
    let mut end = as_received();
    end.pdu(0, false, &[], "aaaaaaaa").expect("").reset(0).expect("reset-ack 0 hfn 0");
    end.pdu(1, false, &[3], "bbb").expect("").pdu(0, false, &[], "bbbbbbbb").expect("deliver b");
}
