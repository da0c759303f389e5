//! Both windows: what moves them, what lies outside, what an STATUS PDU may say of them.

use super::*;
use core::num::NonZeroUsize;

fn window(size: u16) -> End {
    end(|config| config.window = Bounded::new(size))
}

// 25.322 §9.4 b), §9.2.2.11.2
#[test]
fn an_ack_moves_the_window_to_what_it_acknowledges_or_to_the_first_pdu_that_is_missing() {
    let mut end = window(4);
    end.sdus("abcd").expect("0:a, 1:b, 2:c, 3:d");
    end.status("list 2; ack 4").sdus("efgh").expect("2:c, 4:e, 5:f").status("ack 5").expect("6:g, 7:h");
    // The first that is missing may be beyond what is acknowledged.
    end.status("list 7; ack 6").sdus("ijkl").expect("7:h, 8:i, 9:j").status("ack 8").expect("10:k, 11:l");
}

// 25.322 §9.4 b), note in §9.2.2.11.5
#[test]
fn a_bitmap_alone_moves_no_window() {
    let mut end = window(4);
    end.sdus("abcde").expect("0:a, 1:b, 2:c, 3:d").status("bitmap 4092 11111111").expect("");
    end.status("bitmap 4092 11111111; ack 4").expect("4:e");
}

// 25.322 §9.4: numbers are compared from VT(A) on, not as signed differences
#[test]
fn a_window_of_nearly_all_numbers_is_used_at_both_ends() {
    let mut end = end(|config| {
        config.window = Bounded::new(4095);
        config.buffer = NonZeroUsize::new(9000);
    });
    for number in 0..5000 {
        end.sdus(&letter_of(number));
    }
    // One number is left out, so that a number that is passed over in a discard has a place.
    end.expect(&pdus(0..4094));
    end.status("ack 4094").expect(&(4094..5000).map(of_all).collect::<Vec<_>>().join(", "));
    let dropped = |end: &End| end.counters().duplicates_received;
    end.data(4094);
    assert_eq!(dropped(&end), 0, "VR(R) + 4094 lies in a window of 4095");
    end.data(4095);
    assert_eq!(dropped(&end), 1, "VR(R) + 4095 does not");
}

/// The PDU of an SDU, by that one's number.
fn of_all(sdu: u16) -> String {
    format!("{}:{}", sdu % 4096, letter_of(sdu))
}

// 25.322 §9.4
#[test]
fn numbers_begin_again_behind_4095() {
    let mut end = window(2048);
    for first in (0..4096).step_by(256) {
        for number in first..first + 256 {
            end.sdus(&letter_of(number)).expect(&pdus(number..number + 1));
        }
        let next = (first + 256) % 4096;
        end.status(&format!("ack {next}")).expect("");
    }
    end.sdus("ab").expect("0:a, 1:b").status("list 0; ack 2").expect("0:a").status("ack 2").expect("");
}

// 25.322 §10.1, §9.2.2.11: found right as a whole before any of it is done
#[test]
fn a_report_on_pdus_that_were_never_sent_resets_and_has_no_other_effect() {
    for report in [
        "ack 4",
        "window 1; list 3; ack 3",
        "list 1 3; ack 2",
        "list 1+2; ack 3",
        "bitmap 0 10111011; ack 3",
        "list 0; ack 4095",
    ] {
        let mut end = window(8);
        end.sdus("abc").expect("0:a, 1:b, 2:c").status(report).expect("reset 0 hfn 0");
        let counters = end.counters();
        assert_eq!((counters.frames_resent, counters.malformed_received), (0, 1), "{report}");
    }
}

// 25.322 §10.1: LSN = VT(S) is right
#[test]
fn an_ack_of_all_that_was_sent_is_no_error() {
    window(8).sdus("abc").expect("0:a, 1:b, 2:c").status("ack 3").status("ack 3").expect("");
}

// 25.322 §10.1: a bit of a bitmap that tells of a PDU below VT(A) that it has arrived is none either
#[test]
fn a_bitmap_may_say_of_what_was_acknowledged_that_it_has_arrived_and_not_that_it_is_missing() {
    for (bitmap, expected) in [("bitmap 4090 11111111", ""), ("bitmap 4090 11111110", "reset 0 hfn 0")] {
        let mut end = window(8);
        end.sdus("abc").expect("0:a, 1:b, 2:c").status("ack 2").status(&format!("{bitmap}; ack 2")).expect(expected);
    }
}

// 25.322 §10.2
#[test]
fn a_report_that_contradicts_itself_is_dropped_whole_without_a_reset() {
    for report in [
        "window 8; list 1; bitmap 4091 11111111; ack 3",
        "bitmap 4091 11111111; list 1; ack 3",
        "mrw 3 n0; poll 5; list 1; bitmap 4091 11111111",
    ] {
        let mut end = window(3);
        end.sdus("abcd").expect("0:a, 1:b, 2:c").status(report).expect("");
        assert_eq!(end.counters().malformed_received, 1, "{report}");
        end.status("ack 1").expect("3:d");
    }
}

// 25.322 §10.3
#[test]
fn a_pdu_that_cannot_be_read_is_dropped_whole() {
    let mut end = window(2);
    // An ACK, and behind it what is no super-field; then a LIST of nothing behind a WINDOW; then a reserved kind of control PDU.
    end.sdus("abc").expect("0:a, 1:b").peer(0, &[0x01, 0x00, 0x1f]).peer(0, &[0x01, 0x00, 0x13, 0x00]).expect("");
    end.peer(0, &[0x30, 0, 0, 0]).expect("");
    assert_eq!(end.counters().malformed_received, 3);
    end.status("ack 1").expect("2:c");
}

// 25.322 §11.3.4.2
#[test]
fn a_pdu_outside_the_window_is_dropped_and_its_poll_is_answered() {
    let mut end = window(4);
    end.data(0).expect("deliver a").poll(0).expect("status[ack 1]").poll(5).expect("status[ack 1]");
    end.data(5).expect("").data(4).poll(1).expect("status[list 2+1; ack 5], deliver b");
}

// 25.322 §11.3.4.8
#[test]
fn a_pdu_that_comes_again_is_dropped_and_its_poll_is_answered() {
    let mut end = window(4);
    end.data(1).expect("").poll(1).expect("status[list 0; ack 2]").data(0).expect("deliver ab");
    assert_eq!(end.counters().duplicates_received, 1);
}

// 25.322 §11.3.4.8, §11.5.3
#[test]
fn what_is_piggybacked_on_a_pdu_that_comes_again_is_taken() {
    let mut end = window(2);
    let with_report = pdu(1, false, &[1, 126], b"b\x02\x00\x10");
    end.data(1).sdus("xyz").expect("0:x, 1:y").peer(0, &with_report).expect("2:z");
    assert_eq!(end.counters().duplicates_received, 1);
}

// 25.322 §9.2.2.11.3
#[test]
fn a_window_of_zero_is_ignored_and_one_above_what_is_configured_is_clamped() {
    let mut end = end(|config| {
        config.window = Bounded::new(2);
        // All of the window is used: the share is of what VT(WS) is.
        config.poll.window = Ratio::new(1.0);
    });
    end.sdus("abcdefghi").expect("0:a, 1:b?").status("window 0; ack 2").expect("2:c, 3:d?");
    end.status("window 9; ack 4").expect("4:e, 5:f?").status("window 1; ack 6").expect("6:g?");
}

// 25.322 §11.3.2.2, §9.4 d)
#[test]
fn a_window_that_shrinks_below_what_was_sent_leaves_the_last_pdu_to_poll_with() {
    let mut end = end(|config| {
        config.window = Bounded::new(4);
        config.poll.last_pdu = Some(true);
        config.poll.timer = milliseconds(100);
    });
    end.sdus("abcde").expect("0:a, 1:b, 2:c, 3:d?").status("window 2; ack 0").expect("");
    end.at(100).expect("3:d?");
    end.status("list 0 2 3; ack 0").expect("0:a, 3:d");
    end.status("ack 2").expect("").status("ack 4").expect("4:e?");
}
