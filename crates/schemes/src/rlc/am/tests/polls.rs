//! The polling function: what asks for a report, and when it may not.

use super::*;

fn polls(change: impl FnOnce(&mut PollConfig)) -> End {
    end(|config| change(&mut config.poll))
}

fn last_and_timer(config: &mut PollConfig) {
    config.last_pdu = Some(true);
    config.timer = milliseconds(100);
}

// 25.322 §9.7.1 1)
#[test]
fn the_last_pdu_that_there_is_polls_and_the_last_that_the_window_allows() {
    polls(|config| config.last_pdu = Some(true)).sdus("abc").expect("0:a, 1:b, 2:c?");
    let mut end = end(|config| {
        config.window = Bounded::new(2);
        config.poll.last_pdu = Some(true);
    });
    end.sdus("abc").expect("0:a, 1:b?").status("ack 1").expect("2:c?");
}

// 25.322 §9.7.1 2)
#[test]
fn the_last_pdu_that_is_sent_again_polls() {
    let mut end = polls(|config| config.last_retransmission = Some(true));
    end.sdus("abc").expect("0:a, 1:b, 2:c").status("list 0 1; ack 3").sdus("d").expect("0:a, 1:b?, 3:d");
}

// 25.322 §11.3.2.1.1
#[test]
fn a_pdu_that_polled_does_not_poll_again_because_it_is_sent_again() {
    polls(|config| config.last_pdu = Some(true)).sdus("a").expect("0:a?").status("list 0; ack 1").expect("0:a");
}

// 25.322 §9.7.1 4), §9.4 f)
#[test]
fn every_so_many_pdus_one_polls_and_those_sent_again_count() {
    let mut end = polls(|config| config.every_pdus = Bounded::new(3));
    end.sdus("ab").expect("0:a, 1:b").status("list 0; ack 2").expect("0:a?").sdus("cde").expect("2:c, 3:d, 4:e?");
}

// 25.322 §9.7.1 5), §9.4 g): counted at the first segment, asked at the last
#[test]
fn every_so_many_sdus_the_pdu_with_the_end_of_one_polls() {
    let mut end = polls(|config| config.every_sdus = Bounded::new(1));
    end.sdu('a', 23).expect("0:a, 1:a, 2:a?");
    let mut end = polls(|config| config.every_sdus = Bounded::new(2));
    end.sdu('a', 23).sdu('b', 15).expect("0:a, 1:a, 2:a, 3:b, 4:b?").status("list 4; ack 5").expect("4:b");
    // The first SDU of the next turn begins in the PDU in which the last one of this turn ends.
    end.sdu('c', 7).sdu('d', 2).sdu('e', 9).expect("5:c, 6:de?, 7:e").sdu('f', 7).expect("8:f?");
}

// 25.322 §9.7.1 6), §9.6 d): J is (VT(S) + 1 - VT(A)) / VT(WS), VT(S) as it is before the PDU
#[test]
fn pdus_poll_from_a_share_of_the_window_on() {
    let mut end = end(|config| {
        config.window = Bounded::new(10);
        config.poll.window = Ratio::new(0.5);
    });
    end.sdus("abcdef").expect("0:a, 1:b, 2:c, 3:d, 4:e?, 5:f?");
    // Of the window as the peer has set it.
    end.status("window 4; ack 6").sdus("ghi").expect("6:g, 7:h?, 8:i?");
}

// 25.322 §9.7.1 7), §9.5 e)
#[test]
fn a_periodic_poll_comes_while_anything_is_outstanding() {
    let mut end = polls(|config| config.periodic = milliseconds(100));
    end.sdus("a").expect("0:a").at(100).expect("0:a?").at(150).status("ack 1").at(200).expect("").at(900).expect("");
}

// 25.322 §9.5 a)
#[test]
fn the_poll_timer_stops_on_an_ack_of_all_that_was_sent_by_then() {
    let mut end = polls(last_and_timer);
    end.sdus("ab").expect("0:a, 1:b?").status("ack 1");
    assert_eq!(end.deadline(), Some(100), "1 is neither acknowledged nor named as missing");
    end.status("ack 2");
    assert_eq!(end.deadline(), None);
}

// 25.322 §9.5 a)
#[test]
fn the_poll_timer_stops_on_a_nack_of_the_last_pdu_and_of_no_other() {
    let mut end = polls(last_and_timer);
    end.sdus("ab").expect("0:a, 1:b?").status("list 0; ack 0").expect("0:a");
    assert_eq!(end.deadline(), Some(100));
    end.status("list 1; ack 0").expect("1:b");
    assert_eq!(end.deadline(), None);
}

// 25.322 §9.5 a): only a report that is taken counts
#[test]
fn a_report_that_contradicts_itself_does_not_stop_the_poll_timer() {
    let mut end = polls(last_and_timer);
    end.sdus("a").expect("0:a?").status("list 0; bitmap 4089 11111111; ack 1").expect("");
    assert_eq!(end.deadline(), Some(100));
}

// 25.322 §9.5 a): polled once more, and the new VT(S) is saved
#[test]
fn a_poll_that_is_not_answered_is_repeated_for_what_was_sent_meanwhile_as_well() {
    let mut end = polls(|config| {
        config.every_sdus = Bounded::new(2);
        config.timer = milliseconds(100);
    });
    end.sdus("ab").expect("0:a, 1:b?").at(50).sdus("c").expect("2:c").at(100).expect("2:c?");
    end.at(120).status("ack 2");
    assert_eq!(end.deadline(), Some(200));
    end.status("ack 3");
    assert_eq!(end.deadline(), None);
    assert_eq!(end.counters().timeouts, 1);
}

// 25.322 §9.5 b)
#[test]
fn polls_that_are_prohibited_become_one_when_the_timer_expires() {
    let mut end = polls(|config| {
        config.last_pdu = Some(true);
        config.prohibit = milliseconds(100);
    });
    end.sdus("a").expect("0:a?").at(30).sdus("b").expect("1:b").at(60).sdus("c").expect("2:c");
    // A report does not touch the timer.
    end.at(70).status("ack 1");
    assert_eq!(end.deadline(), Some(100));
    end.at(99).expect("").at(100).expect("2:c?").at(200).expect("");
}

// 25.322 §9.7.1: nothing is outstanding
#[test]
fn there_is_no_poll_where_a_report_could_tell_of_nothing() {
    let mut end = polls(|config| {
        config.last_pdu = Some(true);
        config.prohibit = milliseconds(100);
    });
    end.sdus("a").expect("0:a?").at(30).sdus("b").expect("1:b").status("ack 2").at(100).expect("");
    end.at(150).sdus("c").expect("2:c?");
}

// 25.322 §11.3.2
#[test]
fn a_poll_without_a_pdu_to_send_rides_on_one_that_the_peer_may_lack() {
    let mut end = polls(last_and_timer);
    end.sdus("ab").expect("0:a, 1:b?").status("bitmap 1 11111111").at(100).expect("0:a?");
}

// 25.322 §11.3.2
#[test]
fn in_a_window_of_half_the_numbers_only_the_last_pdu_carries_such_a_poll() {
    let mut end = end(|config| {
        config.window = Bounded::new(2048);
        last_and_timer(&mut config.poll);
    });
    end.sdus("ab").expect("0:a, 1:b?").status("bitmap 1 11111111").at(100).expect("1:b?");
}

// 25.322 §11.3.2, §9.6 a)
#[test]
fn a_pdu_that_is_sent_again_for_a_poll_counts_as_sent_where_polls_count() {
    for (counts, third) in [(true, "status[mrw 1 n0]"), (false, "0:a?")] {
        let mut end = end(|config| {
            last_and_timer(&mut config.poll);
            config.retransmissions = Bounded::new(1);
            config.polls_count = Some(counts);
        });
        end.sdus("a").expect("0:a?").at(100).expect("0:a?").at(200).expect(third);
    }
}

fn by_status(counts: bool) -> End {
    end(|config| {
        last_and_timer(&mut config.poll);
        config.flexible_pdu_size = Some(true);
        config.poll.by_status = Some(true);
        config.retransmissions = Bounded::new(1);
        config.polls_count = Some(counts);
    })
}

// 25.322 §9.2.2.11.9, §11.3.2
#[test]
fn with_a_flexible_size_a_poll_without_a_pdu_to_send_is_a_status_of_its_own() {
    let mut end = by_status(false);
    end.sdus("ab").expect("0:a, 1:b?").at(100).expect("status[poll 1]");
    assert_eq!(end.deadline(), Some(200));
    end.at(200).sdus("c").expect("2:c?");
}

// 25.322 §11.3.5
#[test]
fn a_poll_by_status_counts_as_sending_the_last_pdu_where_polls_count() {
    let mut end = by_status(true);
    end.sdus("a").expect("0:a?").at(100).expect("status[poll 0]").at(200).expect("status[mrw 1 n0]");
}
