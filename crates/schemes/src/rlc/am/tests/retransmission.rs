//! What is sent again, how often, and before what.

use super::*;

/// Sent again `count` times before its SDUs are given up.
fn resends(count: u16) -> End {
    end(|config| config.retransmissions = Bounded::new(count))
}

// 25.322 §9.6 a), §11.3.2: MaxDAT counts how often a PDU is scheduled, and the last time is not carried out
#[test]
fn a_pdu_is_sent_again_as_often_as_is_set_and_then_given_up() {
    let mut end = resends(2);
    end.sdus("a").expect("0:a");
    for expected in ["0:a", "0:a", "status[mrw 1 n0]"] {
        end.status("list 0; ack 1").expect(expected);
    }
    let counters = end.counters();
    assert_eq!((counters.frames_resent, counters.packets_discarded, counters.frames_abandoned), (2, 1, 1));
    resends(0).sdus("a").expect("0:a").status("list 0; ack 1").expect("status[mrw 1 n0]");
}

// 25.322 §9.7.3.4, §11.3.3a
#[test]
fn a_pdu_that_is_sent_in_vain_resets_where_so_configured() {
    let mut end = end(|config| {
        config.discard = Some(Discard::Reset);
        config.retransmissions = Bounded::new(1);
    });
    end.sdus("a").expect("0:a").status("list 0; ack 1").expect("0:a").status("list 0; ack 1").expect("reset 0 hfn 0");
}

// 25.322 §11.5.3
#[test]
fn a_report_that_names_a_pdu_twice_has_it_sent_again_once() {
    let mut end = resends(1);
    end.sdus("a").expect("0:a").status("list 0 0; bitmap 4089 11111110; ack 1").expect("0:a");
    end.status("list 0; ack 1").expect("status[mrw 1 n0]");
}

#[test]
fn reports_that_come_before_a_pdu_is_sent_again_have_it_sent_once() {
    let mut end = resends(9);
    end.sdus("a").expect("0:a").status("list 0; ack 1").status("list 0; ack 1").expect("0:a");
}

#[test]
fn what_is_acknowledged_before_its_turn_is_not_sent_again() {
    let mut end = resends(9);
    end.sdus("abc").expect("0:a, 1:b, 2:c").status("list 0 1; ack 3").status("list 1; ack 1").expect("1:b");
}

// 25.322 §11.3.2: every report, as the standard has it
#[test]
fn each_report_that_names_a_pdu_has_it_sent_again() {
    let mut end = resends(9);
    end.sdus("a").expect("0:a").at(1).status("list 0; ack 1").expect("0:a").at(2).status("list 0; ack 1").expect("0:a");
}

// Beyond the standard: `resend-in-flight = false`, `round-trip`
#[test]
fn a_report_that_cannot_tell_of_the_last_copy_does_not_have_a_pdu_sent_again() {
    let mut end = end(|config| {
        config.resend_in_flight = Some(false);
        config.round_trip = milliseconds(100);
    });
    end.sdus("a").expect("0:a").at(99).status("list 0; ack 1").expect("").at(100).status("list 0; ack 1").expect("0:a");
    end.at(199).status("list 0; ack 1").expect("").at(200).status("list 0; ack 1");
    // In the queue below it may stay as long as it likes.
    let frame = end.hand_over();
    end.at(900).status("list 0; ack 1").expect("").depart(&frame, Departure::Sent);
    end.at(999).status("list 0; ack 1").expect("").at(1000).status("list 0; ack 1").expect("0:a");
}

// Beyond the standard: a retransmission that was held back is no answer to the poll, so Timer_Poll goes on
#[test]
fn a_report_that_names_what_is_on_its_way_leaves_the_poll_timer_running() {
    let mut end = end(|config| {
        config.resend_in_flight = Some(false);
        config.round_trip = milliseconds(50);
        config.poll.last_pdu = Some(true);
        config.poll.timer = milliseconds(100);
    });
    end.sdus("a").expect("0:a?").at(10).status("list 0; ack 1").expect("");
    assert_eq!(end.deadline(), Some(100));
    end.at(60).status("list 0; ack 1").expect("0:a");
    assert_eq!(end.deadline(), None);
}

// Beyond the standard: `drop-stale-copies`
#[test]
fn a_copy_that_its_peer_has_by_now_is_withdrawn_unless_it_polls() {
    for (polls, expected) in [(false, Start::Withdraw), (true, Start::Send)] {
        let mut end = end(|config| {
            config.drop_stale_copies = Some(true);
            config.poll.last_pdu = Some(polls);
        });
        end.sdus("a");
        let mut frame = end.hand_over();
        end.status("ack 1");
        let now = end.now;
        assert_eq!(end.service.start_frame(&mut frame, now), expected, "polls: {polls}");
    }
}

// 25.322 §11.4.1, §11.5.1, §11.3.2.2
#[test]
fn a_status_goes_before_what_is_sent_again_and_that_before_what_is_new() {
    let mut end = resends(9);
    end.sdus("ab").expect("0:a, 1:b").sdus("c").poll(0).status("list 0; ack 2");
    end.expect("status[ack 1], 0:a, 2:c, deliver a");
}

// 25.322 §11.4.1, §11.4.2
#[test]
fn a_reset_goes_before_everything_and_nothing_else_goes_while_it_waits_for_its_answer() {
    let mut end = resends(9);
    end.sdus("ab").expect("0:a, 1:b").sdus("c").poll(0).status("list 0; ack 2").status("ack 9");
    end.expect("reset 0 hfn 0, deliver a");
    end.reset(0).expect("reset-ack 0 hfn 0").reset_ack(0).expect("0:c");
}

#[test]
fn no_more_pdus_are_handed_over_than_the_lower_layer_asks_for() {
    let mut end = end(|config| config.pdus_below = Bounded::new(1));
    end.sdus("a");
    let frame = end.hand_over();
    // What waits meanwhile shares a PDU.
    end.sdu('b', 3).sdu('c', 2).expect("").depart(&frame, Departure::Sent).expect("1:bc");
}
