//! Data Transfer Ready: Q.2110 figure 20, sheets of state 10.

use super::*;

#[test]
fn a_gap_is_told_once_and_at_once() {
    let mut receiver = ready(parameters());
    for (number, expected) in [(0, None), (3, Some((1, 3))), (4, None), (6, Some((5, 6))), (1, None)] {
        receiver.handle_pdu(sd(number, "p"), at(0));
        let expected = expected.map(|(first, end)| Pdu::Ustat { first, end, mr: 16_384 + 1, r: 1 });
        assert_eq!(sent(&mut receiver, at(0)), Vec::from_iter(expected), "SD {number}");
    }
}

#[test]
fn a_gap_that_closes_before_it_can_be_told_is_told_as_far_as_it_is_open() {
    let mut receiver = ready(parameters());
    for number in [0, 4, 2] {
        receiver.handle_pdu(sd(number, "p"), at(0));
    }
    let ustat = |first, end| Pdu::Ustat { first, end, mr: 16_385, r: 1 };
    assert_eq!(sent(&mut receiver, at(0)), [ustat(1, 2), ustat(3, 4)]);
}

#[test]
fn a_poll_is_answered_with_all_that_is_missing_also_at_the_end() {
    let mut receiver = ready(parameters());
    for number in [0, 2, 3] {
        receiver.handle_pdu(sd(number, "p"), at(0));
    }
    sent(&mut receiver, at(0));
    receiver.handle_pdu(Some(Pdu::Poll { ps: 1, s: 6 }), at(0));
    let list = stat_list([1, 2, 4, 6].into_iter());
    assert_eq!(sent(&mut receiver, at(0)), [Pdu::Stat(Stat::new(list, 1, 16_385, 1))]);
}

#[test]
fn of_two_polls_that_wait_the_later_one_is_answered() {
    let mut receiver = ready(parameters());
    for ps in [1, 2] {
        receiver.handle_pdu(Some(Pdu::Poll { ps, s: 0 }), at(0));
    }
    assert_eq!(sent(&mut receiver, at(0)), [Pdu::Stat(Stat::new(Bytes::new(), 2, 16_384, 0))]);
}

#[test]
fn packets_are_delivered_in_order() {
    let mut receiver = ready(parameters());
    for (number, packet) in [(1, "b"), (2, "c"), (0, "a")] {
        receiver.handle_pdu(sd(number, packet), at(0));
    }
    let packets = ["a", "b", "c"];
    let expected = (0..).zip(packets).map(|(number, packet)| Indication::Data { number, packet: packet.into() });
    assert_eq!(told(&mut receiver), Vec::from_iter(expected));
}

#[test]
fn only_what_was_last_sent_before_the_poll_is_sent_again() {
    let mut sender = ready(Parameters { poll_after_retransmission: false, ..parameters() });
    give(&mut sender, ["a", "b", "c"], at(0));
    sent(&mut sender, at(0));
    assert_eq!(expire(&mut sender), Some((at(200), Timer::Poll)));
    assert_eq!(sent(&mut sender, at(200)), [Pdu::Poll { ps: 1, s: 3 }]);
    // The gap has been told meanwhile: 0 goes again, after the poll.
    sender.handle_pdu(Some(Pdu::Ustat { first: 0, end: 1, mr: 100, r: 0 }), at(210));
    assert_eq!(numbers(&sent(&mut sender, at(210))), [0]);
    sender.handle_pdu(stat(&[0, 2, 3], 1, 0), at(220));
    assert_eq!(numbers(&sent(&mut sender, at(220))), [1]);
    let retransmissions: Vec<u32> = told(&mut sender)
        .into_iter()
        .filter_map(|told| if let Indication::Error(error) = told { Some(error.count()) } else { None })
        .collect();
    assert_eq!(retransmissions, [1, 1]);
}

#[test]
fn after_the_last_pdu_that_is_sent_again_there_is_a_poll_where_so_configured() {
    for poll_after_retransmission in [true, false] {
        let mut sender = ready(Parameters { poll_after_retransmission, ..parameters() });
        give(&mut sender, ["a", "b", "c", "d"], at(0));
        sent(&mut sender, at(0));
        sender.handle_pdu(Some(Pdu::Ustat { first: 0, end: 2, mr: 100, r: 0 }), at(10));
        let pdus = sent(&mut sender, at(10));
        assert_eq!(numbers(&pdus), [0, 1]);
        assert_eq!(pdus.get(2), poll_after_retransmission.then_some(&Pdu::Poll { ps: 1, s: 4 }));
    }
}

#[test]
fn there_is_a_poll_after_so_many_data_pdus() {
    let mut sender = ready(Parameters { max_pd: 2, ..parameters() });
    give(&mut sender, ["a", "b", "c"], at(0));
    let pdus = sent(&mut sender, at(0));
    assert_eq!((numbers(&pdus).len(), &pdus[2]), (3, &Pdu::Poll { ps: 1, s: 2 }));
}

#[test]
fn polls_are_rarer_without_data_and_stop_until_timer_idle_when_all_is_acknowledged() {
    let mut sender = ready(parameters());
    give(&mut sender, ["a"], at(0));
    sent(&mut sender, at(0));
    assert_eq!(expire(&mut sender), Some((at(200), Timer::Poll)));
    sent(&mut sender, at(200));
    sender.handle_pdu(stat(&[], 1, 1), at(210));
    assert_eq!(expire(&mut sender), Some((at(400), Timer::Poll)));
    assert_eq!(sent(&mut sender, at(400)), [Pdu::Poll { ps: 2, s: 1 }]);
    assert_eq!(sender.next_timer(), Some((at(2400), Timer::KeepAlive)));
    sender.handle_pdu(stat(&[], 2, 1), at(500));
    assert_eq!(expire(&mut sender), Some((at(15_500), Timer::Idle)));
    assert_eq!(sent(&mut sender, at(15_500)), [Pdu::Poll { ps: 3, s: 1 }]);
}

#[test]
fn with_no_timer_idle_all_is_quiet_when_all_is_acknowledged() {
    let mut parameters = parameters();
    parameters.timers.idle = Span::ZERO;
    let mut sender = ready(parameters);
    give(&mut sender, ["a"], at(0));
    sent(&mut sender, at(0));
    for ps in [1, 2] {
        let (now, _) = expire(&mut sender).expect("a poll");
        sent(&mut sender, now);
        sender.handle_pdu(stat(&[], ps, 1), now);
    }
    assert_eq!(sender.next_timer(), None);
}

#[test]
fn without_credit_nothing_new_goes_and_the_management_is_told() {
    let mut sender = ready(Parameters { credit: 2, ..parameters() });
    give(&mut sender, ["a", "b", "c"], at(0));
    assert_eq!(numbers(&sent(&mut sender, at(0))), [0, 1]);
    expire(&mut sender);
    sent(&mut sender, at(200));
    let grants = |mr, r| Some(Pdu::Stat(Stat::new(Bytes::new(), 1, mr, r)));
    sender.handle_pdu(grants(2, 1), at(210));
    assert_eq!(
        (told(&mut sender), sent(&mut sender, at(210))),
        (Vec::from([Indication::Error(Error::CreditLost)]), Vec::new())
    );
    sender.handle_pdu(grants(3, 1), at(220));
    assert_eq!(told(&mut sender), [Indication::Error(Error::CreditObtained)]);
    assert_eq!(numbers(&sent(&mut sender, at(220))), [2]);
}

/// What is sent is kept until it is acknowledged, and memory is not the peer's to give.
#[test]
fn a_peer_that_grants_more_than_the_own_credit_gets_no_more_at_once() {
    let mut sender = ready(Parameters { credit: 2, ..parameters() });
    give(&mut sender, ["a", "b", "c", "d", "e"], at(0));
    assert_eq!(numbers(&sent(&mut sender, at(0))), [0, 1]);
    expire(&mut sender);
    sent(&mut sender, at(200));
    sender.handle_pdu(Some(Pdu::Stat(Stat::new(Bytes::new(), 1, 100, 1))), at(210));
    assert_eq!(numbers(&sent(&mut sender, at(210))), [2]);
}

#[test]
fn who_has_no_credit_and_nothing_under_way_asks_for_it() {
    let mut sender = ready(parameters());
    give(&mut sender, ["a"], at(0));
    sent(&mut sender, at(0));
    for ps in [1, 2] {
        let (now, _) = expire(&mut sender).expect("a poll");
        sent(&mut sender, now);
        sender.handle_pdu(Some(Pdu::Stat(Stat::new(Bytes::new(), ps, 1, 1))), now);
    }
    give(&mut sender, ["b"], at(1000));
    assert_eq!(sent(&mut sender, at(1000)), [Pdu::Poll { ps: 3, s: 1 }]);
    assert_eq!(sender.next_timer(), Some((at(1200), Timer::Poll)));
}

#[test]
fn what_lies_beyond_the_window_is_dropped_and_told_once() {
    let mut receiver = ready(Parameters { credit: 2, ..parameters() });
    for (number, expected) in [(5, 1), (6, 0)] {
        receiver.handle_pdu(sd(number, "p"), at(0));
        let ustat = Pdu::Ustat { first: 0, end: 2, mr: 2, r: 0 };
        assert_eq!(sent(&mut receiver, at(0)), Vec::from_iter(core::iter::repeat_n(ustat, expected)));
    }
    assert_eq!(told(&mut receiver), []);
}

/// The peer has not heard the answer: it hears the credit of now, which data that came meanwhile have moved.
#[test]
fn a_request_that_is_repeated_is_answered_with_the_credit_of_now() {
    let uu = Bytes::new();
    let requests = [
        (0, Pdu::Bgn { sq: 0, mr: 9, uu: uu.clone() }, Pdu::Bgak { mr: 16_384, uu: uu.clone() }),
        (2, Pdu::Rs { sq: 0, mr: 9, uu }, Pdu::Rsak { mr: 16_386 }),
        (2, Pdu::Er { sq: 0, mr: 9 }, Pdu::Erak { mr: 16_386 }),
    ];
    for (data, request, answer) in requests {
        let mut end = ready(parameters());
        (0..data).for_each(|number| end.handle_pdu(sd(number, "p"), at(0)));
        end.handle_pdu(Some(request), at(0));
        assert_eq!(sent(&mut end, at(0)), [answer]);
    }
}

/// What waited for credit, or was not acknowledged, is the user's to retrieve.
#[test]
fn packets_that_nobody_retrieved_go_with_their_connection() {
    let mut end = ready(Parameters { credit: 1, ..parameters() });
    give(&mut end, ["a", "b"], at(0));
    assert_eq!(numbers(&sent(&mut end, at(0))), [0]);
    for request in [Request::Release(Bytes::new()), Request::Establish(Bytes::new())] {
        end.handle_request(request, at(0));
    }
    end.handle_pdu(Some(Pdu::Bgak { mr: 9, uu: Bytes::new() }), at(0));
    assert_eq!((end.state(), numbers(&sent(&mut end, at(0)))), (State::DataTransferReady, Vec::new()));
    assert_eq!((end.waiting(), end.counters().packets_discarded), (0, 2));
}

#[test]
fn a_poll_of_the_connection_before_is_not_answered_on_the_next_one() {
    let mut end = ready(parameters());
    end.handle_pdu(Some(Pdu::Poll { ps: 1, s: 0 }), at(0));
    end.handle_pdu(Some(Pdu::Rs { sq: 8, mr: 9, uu: Bytes::new() }), at(0));
    end.handle_request(Request::AcceptResynchronization, at(0));
    assert_eq!(sent(&mut end, at(0)), [Pdu::Rsak { mr: 16_384 }]);
}

/// Errors Q, R, S, T: both ends have to begin anew.
#[test]
fn what_contradicts_what_is_known_begins_a_recovery() {
    let wrong = [
        (Some(Pdu::Poll { ps: 1, s: 0 }), 'Q'),
        (sd(0, "again"), 'Q'),
        (stat(&[], 1, 0), 'R'),
        (stat(&[], 0xff_ffff, 0), 'R'),
        (Some(Pdu::Ustat { first: 0, end: 1, mr: 9, r: 3 }), 'T'),
        (Some(Pdu::Ustat { first: 1, end: 1, mr: 9, r: 0 }), 'T'),
        (Some(Pdu::Ustat { first: 0, end: 3, mr: 9, r: 0 }), 'T'),
    ];
    for (pdu, letter) in wrong {
        let mut end = ready(parameters());
        for number in 0..2 {
            end.handle_pdu(sd(number + 1, "p"), at(0));
        }
        end.handle_pdu(sd(0, "p"), at(0));
        told(&mut end);
        give(&mut end, ["a", "b", "c"], at(0));
        sent(&mut end, at(0));
        let pdu = if pdu == sd(0, "again") { sd(1, "again") } else { pdu };
        if letter == 'Q' && matches!(pdu, Some(Pdu::Sd { .. })) {
            // Behind a gap it is certain that it came before.
            end.handle_pdu(sd(5, "p"), at(0));
            end.handle_pdu(sd(5, "p"), at(0));
        } else if letter == 'Q' {
            end.handle_pdu(sd(5, "p"), at(0));
            end.handle_pdu(Some(Pdu::Poll { ps: 1, s: 4 }), at(0));
        } else {
            end.handle_pdu(pdu.clone(), at(0));
        }
        let letters: Vec<char> = told(&mut end)
            .into_iter()
            .filter_map(|told| if let Indication::Error(error) = told { Some(error.letter()) } else { None })
            .collect();
        assert_eq!((letters, end.state()), (Vec::from([letter]), State::OutgoingRecoveryPending), "{pdu:?}");
        assert_eq!(sent(&mut end, at(0)), [Pdu::Er { sq: 1, mr: 16_384 }]);
    }
}

#[test]
fn a_stat_that_contradicts_itself_or_what_is_known_has_no_other_effect_than_a_recovery() {
    for (list, r) in [(&[1, 1][..], 0), (&[2, 1], 0), (&[1, 9], 0), (&[], 4), (&[0, 1], 1)] {
        let mut sender = ready(parameters());
        give(&mut sender, ["a", "b", "c"], at(0));
        sent(&mut sender, at(0));
        expire(&mut sender);
        sent(&mut sender, at(200));
        sender.handle_pdu(stat(list, 1, r), at(210));
        assert_eq!(told(&mut sender), [Indication::Error(Error::StatNumber)], "{list:?}, N(R) = {r}");
    }
}

#[test]
fn polls_that_come_faster_than_the_line_goes_do_not_keep_data_from_it() {
    let mut sender = ready(Parameters { max_pd: 1, ..parameters() });
    give(&mut sender, ["a", "b", "c"], at(0));
    let mut now = at(0);
    let kinds: Vec<bool> = (0..6)
        .map(|_| {
            let pdu = sender.poll_pdu(now).expect("something to send").pdu;
            now = expire(&mut sender).expect("a timer").0;
            matches!(pdu, Pdu::Sd { .. })
        })
        .collect();
    assert_eq!(kinds, [true, false, true, false, true, false]);
}
