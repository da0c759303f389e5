//! SDU discard with explicit signalling, at the end that gives SDUs up.

use super::*;

/// A PDU is given up the first time that it is named as missing.
fn gives_up(change: impl FnOnce(&mut Config)) -> End {
    end(|config| {
        config.retransmissions = Bounded::new(0);
        change(config);
    })
}

fn by_time(change: impl FnOnce(&mut Config)) -> End {
    end(|config| {
        config.discard = Some(Discard::Timer { after: Span::from_milliseconds(100) });
        change(config);
    })
}

// 25.322 §11.6.2.2: the PDU behind the one that tells the end of the last SDU
#[test]
fn the_window_moves_behind_the_pdu_in_which_the_last_discarded_sdu_ends() {
    let mut end = gives_up(|_| ());
    end.sdu('a', 10).sdu('b', 9).sdus("c").expect("0:a, 1:ab, 2:bc, 3:c").status("ack 1");
    end.status("list 1; ack 2").expect("status[mrw 2 n1]");
    gives_up(|_| ()).sdus("ab").expect("0:a, 1:b").status("list 0; ack 2").expect("status[mrw 1 n0]");
}

// 25.322 §11.6.2.2: N counts the length indicators of that PDU where a further SDU begins in it; §11.6.2: that PDU stays
#[test]
fn a_pdu_that_also_carries_what_is_not_discarded_is_moved_to_and_stays() {
    let mut end = end(|config| config.retransmissions = Bounded::new(1));
    end.sdu('a', 10).sdu('b', 20).expect("0:a, 1:ab, 2:b, 3:b").status("list 0; ack 0").expect("0:a");
    end.status("list 0; ack 0").expect("status[mrw 1 n1]").status("list 1; ack 0").expect("1:ab");
    let counters = end.counters();
    assert_eq!((counters.packets_discarded, counters.frames_abandoned), (1, 1));
}

// 25.322 §9.2.2.8, §11.6.2.2: the end is told by the PDU behind the one that it fills
#[test]
fn the_end_of_an_sdu_that_fills_its_pdu_is_where_its_length_indicator_is() {
    let mut end = gives_up(|_| ());
    end.sdu('a', 8).sdu('b', 9).expect("0:a, 1:b, 2:b").status("list 0; ack 3").expect("status[mrw 1 n1]");
}

// 25.322 §11.6.2
#[test]
fn a_pdu_that_fails_takes_every_sdu_up_to_it_along() {
    let mut end = gives_up(|_| ());
    end.sdus("abc").expect("0:a, 1:b, 2:c").status("list 1; ack 0").expect("status[mrw 2 n0]");
    assert_eq!(end.counters().packets_discarded, 2);
    end.status("list 0+1; ack 2").expect("");
}

// 25.322 §9.2.2.11.8
#[test]
fn the_end_of_each_discarded_sdu_is_named_where_so_configured() {
    let mut end = gives_up(|config| config.mrw.name_each = Some(true));
    end.sdus("abc").expect("0:a, 1:b, 2:c").status("list 2; ack 0").expect("status[mrw 0 1 3 n0]");
}

// 25.322 §9.2.2.11.8, §11.6.2: LENGTH = 0; VT(S) is raised to SN_MRW
#[test]
fn an_sdu_that_reaches_beyond_the_window_is_given_up_with_the_number_that_would_have_ended_it() {
    let mut end = gives_up(|config| config.window = Bounded::new(2));
    end.sdu('a', 23).sdus("b").expect("0:a, 1:a").status("list 0; ack 2").expect("status[mrw beyond 3 n0]");
    end.status("mrw-ack 3 n0").expect("3:b");
}

// 25.322 §11.6.2: the same within the window
#[test]
fn an_sdu_whose_end_was_not_sent_yet_is_given_up_with_a_number_that_is_passed_over() {
    let mut end = gives_up(|config| config.pdus_below = Bounded::new(1));
    end.sdu('a', 23).sdus("b");
    let frame = end.hand_over();
    end.status("list 0; ack 1");
    let mrw = end.hand_over();
    assert_eq!(describe(mrw), "status[mrw 2 n0]");
    end.depart(&frame, Departure::Sent).expect("2:b").status("mrw-ack 2 n0").status("ack 3").sdus("c").expect("3:c");
}

// 25.322 §11.6.2, §11.6.5
#[test]
fn there_is_one_request_at_a_time_and_it_is_repeated_as_it_was() {
    let mut end = gives_up(|_| ());
    end.sdus("abc").expect("0:a, 1:b, 2:c").status("list 0; ack 1").expect("status[mrw 1 n0]");
    end.at(50).status("list 0 1; ack 3").expect("").at(100).expect("status[mrw 1 n0]");
    end.at(110).status("mrw-ack 1 n0").expect("status[mrw 2 n0]").status("mrw-ack 2 n0");
    assert_eq!((end.deadline(), end.counters().packets_discarded), (None, 2));
}

// 25.322 §11.6.4, §11.6.6.3
#[test]
fn only_the_answer_to_the_request_ends_it() {
    for (answer, ends) in [
        ("mrw-ack 2 n0", true),
        ("mrw-ack 3 n0", true),
        ("mrw-ack 1 n0", false),
        ("mrw-ack 2 n1", false),
        ("mrw-ack 3 n1", false),
        ("ack 2", true),
        ("list 2; ack 3", true),
        ("list 0; ack 3", false),
        ("ack 1", false),
    ] {
        let mut end = gives_up(|_| ());
        end.sdus("abc").expect("0:a, 1:b, 2:c").status("list 1; ack 0").expect("status[mrw 2 n0]");
        end.status(answer).at(100);
        let repeats =
            end.service.poll_frame(end.now, Octets::MAX).is_some_and(|frame| describe(frame) == "status[mrw 2 n0]");
        assert_eq!(!repeats, ends, "{answer}");
    }
}

// 25.322 §11.6.4: VT(A) moves to SN_ACK
#[test]
fn the_answer_moves_the_window() {
    let mut end = gives_up(|config| config.window = Bounded::new(2));
    end.sdus("abcd").expect("0:a, 1:b").status("list 0; ack 0").expect("status[mrw 1 n0]");
    end.status("mrw-ack 1 n0").expect("2:c").status("mrw-ack 3 n0").expect("");
}

// 25.322 §9.6 h), §11.6.4a
#[test]
fn a_request_that_is_never_answered_resets() {
    let mut end = gives_up(|_| ());
    end.sdus("a").expect("0:a").status("list 0; ack 1").expect("status[mrw 1 n0]");
    end.at(100).expect("status[mrw 1 n0]").at(200).expect("status[mrw 1 n0]").at(300).expect("reset 0 hfn 0");
}

// 25.322 §9.7.3.1, §11.6.2
#[test]
fn by_time_the_peer_is_told_only_of_sdus_of_which_it_may_have_a_part() {
    let mut end = by_time(|config| config.window = Bounded::new(1));
    end.sdus("ab").expect("0:a").at(100).expect("status[mrw beyond 1 n0]");
    assert_eq!(end.counters().packets_discarded, 2);
    end.status("mrw-ack 1 n0").at(150).sdus("c").expect("1:c").status("ack 2").sdu('d', 20).expect("2:d").at(250);
    end.expect("status[mrw beyond 4 n0]");
}

// 25.322 §9.5 d): acknowledged in time
#[test]
fn by_time_an_sdu_that_is_acknowledged_is_not_discarded() {
    let mut end = by_time(|_| ());
    end.sdus("a").expect("0:a").at(60).sdus("b").expect("1:b").status("ack 1").at(100).expect("").at(160);
    end.expect("status[mrw 2 n0]");
}

// 25.322 §9.7.3.1: insensitive to how often a PDU was sent
#[test]
fn by_time_a_pdu_is_sent_again_as_often_as_it_takes() {
    let mut end = by_time(|config| config.retransmissions = Bounded::new(0));
    end.sdus("a").expect("0:a");
    (0..99).for_each(|_| _ = end.status("list 0; ack 1").expect("0:a"));
}
