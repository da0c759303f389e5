//! SDU discard with explicit signalling, at the end whose window is moved.

use super::*;

// 25.322 §11.6.3, §11.6.3.1
#[test]
fn the_window_moves_to_the_number_asked_for_and_the_answer_says_so() {
    end(|_| ()).status("mrw 2 n0").expect("status[mrw-ack 2 n0]").data(2).data(1).expect("deliver c");
    end(|_| ()).status("mrw 2 n1").expect("status[mrw-ack 2 n1]");
}

// 25.322 §11.6.3: VR(R) goes on over what is there already, and then N is 0
#[test]
fn the_window_moves_over_what_has_arrived_beyond_that_number() {
    let mut end = end(|_| ());
    end.data(1).data(2).expect("").status("mrw 1 n0").expect("status[mrw-ack 3 n0], deliver bc");
}

// 25.322 §11.6.6.1: its answer may have been lost
#[test]
fn a_request_that_is_done_already_is_answered_with_where_the_window_is() {
    let mut end = end(|_| ());
    end.data(0).data(1).expect("deliver ab").status("mrw 1 n0").expect("status[mrw-ack 2 n0]");
    end.status("mrw 1 n1").expect("status[mrw-ack 2 n0]").data(2).expect("deliver c");
}

// 25.322 §11.6.3: SDUs that are whole are delivered first
#[test]
fn what_is_whole_is_delivered_before_the_window_moves_over_it() {
    let mut end = end(|_| ());
    // The end of an SDU that began in PDU 0, and a whole one.
    end.pdu(1, false, &[3, 6, 127], "aaabbb").expect("").status("mrw 2 n0").expect("status[mrw-ack 2 n0], deliver b");
}

// 25.322 §11.6.3: behind the octet of the N-th length indicator
#[test]
fn an_sdu_in_the_pdu_that_was_moved_to_is_read_behind_the_indicator_that_was_named() {
    let mut end = end(|_| ());
    end.status("mrw 1 n2").expect("status[mrw-ack 1 n2]").pdu(1, false, &[1, 2, 5], "abcccd").expect("deliver c");
    end.pdu(2, false, &[4, 127], "dddd").expect("deliver d");
}

// 25.322 §11.6.3
#[test]
fn the_same_where_that_pdu_is_there_already() {
    let mut end = end(|_| ());
    end.pdu(1, false, &[2], "aabbbbb").expect("").status("mrw 1 n1").expect("status[mrw-ack 2 n0]");
    end.pdu(2, false, &[3, 127], "bbb").expect("deliver b");
}

// 25.322 §11.6.3: where N = 0, the first octet of that PDU is the first of an SDU
#[test]
fn without_a_named_indicator_reading_goes_on_at_the_first_octet() {
    let mut end = end(|_| ());
    end.pdu(0, false, &[], "aaaaaaaa").status("mrw 2 n0").expect("status[mrw-ack 2 n0]");
    end.data(2).expect("deliver c");
}

// 25.322 §9.2.2.11.8, §11.6.3: LENGTH = 0 is at or above VR(R), any other below VR(MR)
#[test]
fn only_a_request_that_says_so_moves_the_window_beyond_its_end() {
    let mut end = end(|_| ());
    end.status("mrw beyond 20 n0").expect("status[mrw-ack 20 n0]").data(20).expect("deliver u");
    // 40 lies beyond VR(R) + 16, and so reads as one from before.
    end.status("mrw 40 n0").expect("status[mrw-ack 21 n0]");
}

// 25.322 §11.6.3: each number is at or above the one before it
#[test]
fn of_several_numbers_the_last_is_where_the_window_goes() {
    end(|_| ()).status("mrw 3 14 20 n0").expect("status[mrw-ack 20 n0]");
}

// 25.322 §11.5.2.2: what is missing is judged after the window has moved
#[test]
fn what_was_moved_over_is_no_longer_missing() {
    let mut end = end(|_| ());
    end.data(1).data(4).status("mrw 3 n0").poll(5).expect("status[mrw-ack 3 n0; list 3; ack 6]");
}
