//! The reset procedure, from either end.

use super::*;

/// An end that has asked for a reset.
fn pending(change: impl FnOnce(&mut Config)) -> End {
    let mut end = end(change);
    end.sdus("a").expect("0:a").status("ack 9").expect("reset 0 hfn 0");
    end
}

// 25.322 §11.4.3
#[test]
fn a_reset_is_answered_and_numbers_begin_anew_both_ways() {
    let mut end = end(|_| ());
    end.data(0).expect("deliver a").sdus("ab").expect("0:a, 1:b").reset(0).sdus("c").expect("reset-ack 0 hfn 0, 0:c");
    end.data(0).expect("deliver a");
    assert_eq!(end.counters().resets, 1);
}

// 25.322 §11.4.3
#[test]
fn a_reset_that_comes_again_gets_the_same_answer_and_resets_nothing() {
    let mut end = end(|_| ());
    end.reset(0).expect("reset-ack 0 hfn 0").sdus("a").expect("0:a").data(0).expect("deliver a");
    end.reset(0).expect("reset-ack 0 hfn 0").sdus("b").expect("1:b").data(1).expect("deliver b");
    assert_eq!(end.counters().resets, 1);
    end.reset(1).expect("reset-ack 1 hfn 1").sdus("c").expect("0:c");
}

// 25.322 §11.4.3
#[test]
fn the_first_reset_of_all_resets_whatever_its_number() {
    for number in [0, 1] {
        let mut end = end(|_| ());
        end.sdus("a").expect("0:a").reset(number).sdus("b");
        end.expect(&format!("reset-ack {number} hfn 0, 0:b"));
    }
}

// 25.322 §11.4.4
#[test]
fn the_answer_ends_the_procedure_and_numbers_begin_anew() {
    let mut end = pending(|_| ());
    end.data(0).sdus("b").expect("").reset_ack(0).expect("0:b").data(0).expect("deliver a");
    assert_eq!((end.deadline(), end.counters().resets), (None, 1));
}

// 25.322 §11.4.4
#[test]
fn an_answer_with_another_number_or_to_nothing_is_dropped() {
    let mut end = pending(|_| ());
    end.sdus("b").reset_ack(1).expect("").reset_ack(0).expect("0:b").reset_ack(0).reset_ack(1).sdus("c").expect("1:c");
    assert_eq!(end.counters().resets, 1);
}

// 25.322 §11.4.2
#[test]
fn while_a_reset_is_pending_data_and_reports_are_ignored() {
    let mut end = pending(|_| ());
    end.poll(0).status("ack 1").status("ack 7").status("mrw 3 n0").expect("");
    assert_eq!(end.counters().out_of_sequence_received, 4);
}

// 25.322 §11.4.2.1, §9.2.2.13
#[test]
fn each_procedure_has_the_other_number_and_repeats_it() {
    let mut end = pending(|_| ());
    end.at(100).expect("reset 0 hfn 0").reset_ack(0).expect("").status("ack 9").expect("reset 1 hfn 1");
    end.at(200).expect("reset 1 hfn 1").reset_ack(1).status("ack 9").expect("reset 0 hfn 2");
}

// 25.322 §9.6 e), §11.4.5.1, §11.4.4a. Nobody is here to establish the bearer afresh, so the procedure goes on.
#[test]
fn resets_that_are_not_answered_are_counted_as_an_error_and_go_on() {
    let mut end = pending(|_| ());
    end.at(100).expect("reset 0 hfn 0");
    assert_eq!(end.counters().unrecoverable_errors, 0);
    end.at(200).expect("reset 0 hfn 0");
    assert_eq!(end.counters().unrecoverable_errors, 1);
    end.at(300).expect("reset 0 hfn 0").at(400);
    assert_eq!(end.counters().unrecoverable_errors, 2);
    end.reset_ack(0).expect("");
    assert_eq!(end.deadline(), None);
}

// 25.322 §9.4 h), §9.5 h), §11.4.5.3
#[test]
fn how_often_a_reset_was_sent_and_its_timer_survive_a_reset_by_the_peer() {
    let mut end = pending(|_| ());
    end.at(50).reset(0).expect("reset-ack 0 hfn 0");
    assert_eq!(end.deadline(), Some(100));
    end.at(100).expect("reset 0 hfn 0").at(150).reset(1).expect("reset-ack 1 hfn 0").at(200);
    assert_eq!(end.counters().unrecoverable_errors, 1);
}

// 25.322 §9.3.3.3, §11.4.5.3: the peer's reset is answered, ours stays pending
#[test]
fn two_ends_that_reset_at_once_both_come_through() {
    let mut end = pending(|_| ());
    end.sdus("b").reset(0).expect("reset-ack 0 hfn 0").data(0).expect("").reset_ack(0).expect("0:b");
    end.data(0).expect("deliver a");
}

// 25.322 §11.4.3, §11.4.4, §11.4.5.3: counted on by one, whichever way a reset came about, and once where both did
#[test]
fn the_hyper_frame_number_counts_on_by_one_with_each_reset() {
    let mut asked = end(|_| ());
    asked
        .reset(0)
        .expect("reset-ack 0 hfn 0")
        .reset(1)
        .expect("reset-ack 1 hfn 1")
        .reset(0)
        .expect("reset-ack 0 hfn 2");
    let mut asks = end(|_| ());
    asks.status("ack 9").expect("reset 0 hfn 0").reset_ack(0).status("ack 9").expect("reset 1 hfn 1");
    let mut both = end(|_| ());
    both.status("ack 9").expect("reset 0 hfn 0").reset(0).expect("reset-ack 0 hfn 0").reset_ack(0);
    both.status("ack 9").expect("reset 1 hfn 1");
}

// 25.322 §11.4.1: of the PDU VT(S) - 1
#[test]
fn a_turn_of_the_numbers_counts_the_hyper_frame_number_on() {
    let mut end = end(|_| ());
    for number in 0..4096u16 {
        end.sdus(&letter_of(number)).expect(&pdus(number..number + 1)).status(&format!("ack {}", (number + 1) % 4096));
    }
    end.status("ack 9").expect("reset 0 hfn 0").reset_ack(0).expect("");
    for number in 0..4096u16 {
        end.sdus(&letter_of(number)).expect(&pdus(number..number + 1)).status(&format!("ack {}", (number + 1) % 4096));
    }
    end.sdus("a").expect("0:a").reset(0).expect("reset-ack 0 hfn 2");
}

// 25.322 §11.4.3, §11.4.4
#[test]
fn only_sdus_of_which_something_was_sent_are_dropped() {
    for by_peer in [true, false] {
        let mut end = end(|config| config.window = Bounded::new(1));
        end.sdu('a', 10).sdus("bc").expect("0:a");
        if by_peer {
            end.reset(0).expect("reset-ack 0 hfn 0, 0:b");
        } else {
            end.status("ack 9").expect("reset 0 hfn 0").reset_ack(0).expect("0:b");
        }
        end.status("ack 1").expect("1:c");
        assert_eq!(end.counters().packets_discarded, 1);
    }
}

// 25.322 §11.4.3: PDUs are dropped at the receiving side, and half an SDU does not join what comes after
#[test]
fn nothing_from_before_joins_what_comes_after() {
    let mut end = end(|_| ());
    end.pdu(0, false, &[], "aaaaaaaa").data(2).expect("").reset(0).expect("reset-ack 0 hfn 0");
    end.pdu(0, false, &[2, 7], "xxbbbbb").expect("deliver xb").poll(1).expect("status[ack 2], deliver b");
}

// 25.322 §11.4.3: Timer_Discard, Timer_Status_Periodic and Timer_Poll_Periodic run on
#[test]
fn timers_that_are_not_of_pdus_run_on_through_a_reset() {
    let mut end = end(|config| {
        config.window = Bounded::new(1);
        config.discard = Some(Discard::Timer { after: Span::from_milliseconds(100) });
    });
    end.sdus("ab").expect("0:a").at(50).reset(0).expect("reset-ack 0 hfn 0, 0:b").at(100);
    end.expect("status[mrw beyond 1 n0]");
    let mut end = super::end(|config| {
        config.status.periodic = milliseconds(100);
        config.status.periodic_while_idle = Some(true);
    });
    end.at(50).reset(0).expect("reset-ack 0 hfn 0").at(100).expect("status[ack 0]");
    let mut end = super::end(|config| config.poll.periodic = milliseconds(100));
    end.sdus("a").expect("0:a").at(50).reset(0).sdus("b").expect("reset-ack 0 hfn 0, 0:b").at(100).expect("0:b?");
}

// 25.322 §11.4.3: all others stop
#[test]
fn all_other_timers_stop_and_what_they_held_back_is_free() {
    let mut end = end(|config| {
        config.poll.last_pdu = Some(true);
        config.poll.timer = milliseconds(300);
        config.poll.prohibit = milliseconds(200);
        config.status.prohibit = milliseconds(200);
        config.retransmissions = Bounded::new(0);
    });
    end.poll(0).expect("status[ack 1], deliver a").sdus("a").expect("0:a?").status("list 0; ack 1");
    end.expect("status[mrw 1 n0]").poll(1).reset(0).expect("reset-ack 0 hfn 0, deliver b");
    assert_eq!(end.deadline(), None);
    end.sdus("b").poll(0).expect("status[ack 1], 0:b?, deliver a");
}

// 25.322 §11.4.3: VT(WS) is what is configured again
#[test]
fn the_window_that_the_peer_has_set_is_forgotten() {
    let mut end = end(|config| config.window = Bounded::new(2));
    end.status("window 1; ack 0").sdus("abc").expect("0:a").reset(0).expect("reset-ack 0 hfn 0, 0:b, 1:c");
}

// A data PDU that lets a report go first counts as handed over.
#[test]
fn what_let_a_report_go_first_leaves_its_place_to_what_comes_after() {
    let mut end = end(|config| {
        config.piggyback = Some(true);
        config.pdus_below = Bounded::new(1);
    });
    end.poll(0).sdus("x");
    assert_eq!(describe(end.hand_over()), "status[ack 1]");
    end.reset(0).sdus("y").expect("reset-ack 0 hfn 0, 0:y, deliver a");
}

#[test]
fn what_waits_below_from_before_is_withdrawn() {
    let mut end = end(|_| ());
    end.sdus("a");
    let mut frame = end.hand_over();
    let now = end.now;
    end.reset(0);
    assert_eq!(end.service.start_frame(&mut frame, now), Start::Withdraw);
    assert_eq!(end.counters().frames_withdrawn, 1);
    let mut answer = end.hand_over();
    assert_eq!(end.service.start_frame(&mut answer, now), Start::Send);
}
