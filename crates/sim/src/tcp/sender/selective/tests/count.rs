//! Recovery by count: RFC 6675's rules, one after the other.

use super::*;

/// A sender with packets 0 to 9 under way in a window of ten.
fn ten() -> Sender {
    let mut sender = sender(Variant::Sack, 1000, 10);
    assert_eq!(start(&mut sender, 0), (0..10).collect::<Vec<_>>());
    sender
}

/// RFC 6675 §5 (3): up to the third, each packet that has arrived lets a new one out; with the third (4.3) the first that is
/// missing goes out, whatever is in the network, and the window is half of what was under way (4.2).
#[test]
fn the_third_packet_that_arrives_behind_one_begins_recovery() {
    let mut sender = ten();
    assert_eq!(hears(&mut sender, -1, &[(1, 2)], 100), [10]);
    assert_eq!(hears(&mut sender, -1, &[(1, 3)], 100), [11]);
    assert_eq!(hears(&mut sender, -1, &[(1, 4)], 100), [0]);
    assert_eq!(
        (sender.congestion_window(), sender.slow_start_threshold()),
        (5.0, 5.0),
        "limited transmit counts for nothing"
    );
}

/// The same where acknowledgements were lost: IsLost (HighACK + 1) begins a recovery with the first that tells enough.
#[test]
fn one_acknowledgement_that_tells_of_three_begins_recovery() {
    assert_eq!(hears(&mut ten(), -1, &[(7, 8), (5, 6), (3, 4)], 100)[0], 0);
    assert_eq!(hears(&mut ten(), -1, &[(7, 10)], 100)[0], 0);
}

/// RFC 3042 is a setting: without it the first two let nothing out.
#[test]
fn without_limited_transmit_the_first_two_let_nothing_out() {
    let mut sender = ten();
    sender.settings.limited_transmit = false;
    assert_eq!(hears(&mut sender, -1, &[(1, 2)], 100), NOTHING);
    assert_eq!(hears(&mut sender, -1, &[(1, 3)], 100), NOTHING);
    assert_eq!(hears(&mut sender, -1, &[(1, 4)], 100), [0]);
}

/// An acknowledgement that tells nothing new is no duplicate (RFC 6675 §2).
#[test]
fn acknowledgements_that_tell_nothing_new_count_for_nothing() {
    let mut sender = ten();
    assert_eq!(hears(&mut sender, -1, &[(1, 2)], 100), [10]);
    for _ in 0..5 {
        assert_eq!(hears(&mut sender, -1, &[(1, 2)], 100), NOTHING);
        assert_eq!(hears(&mut sender, -1, &[], 100), NOTHING);
    }
    assert_eq!(sender.duplicate_acknowledgements(), 1);
}

/// RFC 6675 §4, NextSeg (1) before (2), and SetPipe: of twenty, 0, 2 and 4 are lost; what is lost goes out as soon as the
/// window has room beside what is in the network, then new packets.
#[test]
fn lost_packets_go_out_before_new_ones_as_the_pipe_empties() {
    let mut sender = sender(Variant::Sack, 1000, 20);
    start(&mut sender, 0);
    assert_eq!(hears(&mut sender, -1, &[(1, 2)], 100), [20]);
    assert_eq!(hears(&mut sender, -1, &[(3, 4), (1, 2)], 101), [21]);
    // 22 outstanding, 3 arrived, 0 lost and sent again: 19 in the network, in a window of ten from now on.
    assert_eq!(hears(&mut sender, -1, &[(5, 6), (3, 4), (1, 2)], 102), [0]);
    assert_eq!(sender.congestion_window(), 10.0);
    // With 6 packet 2 is lost too: 17 in the network. With 7 it is 4: 15. From then on one less with each.
    let out: Vec<_> = (7..17).map(|end| hears(&mut sender, -1, &[(5, end), (3, 4), (1, 2)], 103)).collect();
    let pipe_allows: [&[i64]; 10] = [&[], &[], &[], &[], &[], &[], &[], &[2], &[4], &[22]];
    assert_eq!(out, pipe_allows);
    assert_eq!(hears(&mut sender, 1, &[(5, 16), (3, 4)], 200), [23], "0 has arrived: one less in the network");
}

/// RFC 6675 §5 (A): an acknowledgement of all that was sent when the loss was seen ends the recovery, one of less does not;
/// meanwhile the window stays, and no second loss halves it.
#[test]
fn recovery_ends_where_everything_is_acknowledged_that_was_sent_when_it_began() {
    let mut sender = ten();
    hears(&mut sender, -1, &[(1, 4)], 100);
    let highest = sender.highest_sent();
    hears(&mut sender, 4, &[(6, 9)], 200);
    assert_eq!(sender.congestion_window(), 5.0, "5 is lost too, of the same window");
    hears(&mut sender, highest, &[], 300);
    assert_eq!(sender.congestion_window(), 5.0);
    hears(&mut sender, highest + 1, &[], 400);
    assert!((sender.congestion_window() - 5.2).abs() < 1e-9, "{}", sender.congestion_window());
}

/// NextSeg (3): where nothing is lost and nothing new, what is missing below something that has arrived goes out.
#[test]
fn with_nothing_new_to_send_what_is_missing_goes_out_before_it_is_lost() {
    let mut sender = sender(Variant::Sack, 10, 10);
    start(&mut sender, 0);
    // 0 is lost; 5 is missing with two behind it, 8 and 9 are unheard of.
    assert_eq!(hears(&mut sender, -1, &[(1, 5)], 100), [0]);
    assert_eq!(hears(&mut sender, -1, &[(6, 7), (1, 5)], 100), NOTHING, "five in the network: 0, 5, 7, 8, 9");
    assert_eq!(hears(&mut sender, -1, &[(6, 8), (1, 5)], 100), [5]);
    // 5 counts twice now, as SetPipe says: it is not lost, and it was sent again.
    assert_eq!(hears(&mut sender, 4, &[(6, 8)], 200), [9], "rule 4, once 0 is acknowledged");
}

/// NextSeg (4) and §5 (4.3): the highest packet of which nothing is known goes out once in a recovery, and only after what was
/// sent first in it is acknowledged.
#[test]
fn a_lost_tail_is_rescued_once() {
    let mut sender = sender(Variant::Sack, 10, 10);
    start(&mut sender, 0);
    assert_eq!(hears(&mut sender, -1, &[(1, 6)], 100), [0], "6 to 9 are lost with it, which nobody knows");
    assert_eq!(hears(&mut sender, -1, &[(1, 6)], 110), NOTHING);
    assert_eq!(hears(&mut sender, 5, &[], 200), [9]);
    assert_eq!(
        hears(&mut sender, 5, &[(9, 10)], 300),
        [6, 7],
        "rule 3, below one that has arrived: five in the network"
    );
    assert_eq!(hears(&mut sender, 6, &[(9, 10)], 400), [8]);
    assert_eq!(hears(&mut sender, 7, &[(9, 10)], 500), NOTHING, "no second rescue");
    assert_eq!(hears(&mut sender, 9, &[], 600), NOTHING);
    assert!(sender.is_finished());
}

/// RFC 6675 §5.1: after a timeout the blocks are still believed, what is missing goes out from the lowest on, in slow start,
/// and no recovery begins until all of it is acknowledged.
#[test]
fn after_a_timeout_what_has_arrived_is_not_sent_again() {
    let mut sender = ten();
    hears(&mut sender, -1, &[(3, 5)], 100);
    let (_, again) = waits(&mut sender);
    assert_eq!((again, sender.timeouts(), sender.congestion_window()), (vec![0], 1, 1.0));
    assert_eq!(sender.slow_start_threshold(), 5.0, "half of ten under way");
    assert_eq!(hears(&mut sender, 0, &[(3, 5)], 4000), [1, 2]);
    assert_eq!(hears(&mut sender, 1, &[(7, 10), (3, 5)], 4001), [5, 6], "7 to 9 have come late");
    assert_eq!(sender.slow_start_threshold(), 5.0, "three behind 2: no other recovery");
    assert_eq!(
        hears(&mut sender, 9, &[], 4100),
        [10, 11, 12, 13],
        "10 and 11 went out by limited transmit, and are lost"
    );
}

/// RFC 5681 §3.1: the threshold is held where the timer expires again for the same packet.
#[test]
fn a_second_timeout_for_the_same_packet_leaves_the_threshold() {
    let mut sender = ten();
    waits(&mut sender);
    assert_eq!(waits(&mut sender).1, [0]);
    assert_eq!(sender.slow_start_threshold(), 5.0);
}

/// RFC 6298 §3 (Karn): every packet that was sent once gives a sample, one that was sent again gives none.
#[test]
fn every_acknowledgement_of_packets_sent_once_gives_one_sample() {
    let mut sender = ten();
    hears(&mut sender, 0, &[], 100);
    hears(&mut sender, 2, &[], 110);
    assert_eq!((sender.round_trip_samples(), sender.round_trip_sum()), (2, Span::from_milliseconds(210)));
    hears(&mut sender, 2, &[(4, 7)], 120);
    assert_eq!(sender.round_trip_samples(), 3);
    hears(&mut sender, 6, &[], 500);
    assert_eq!(sender.round_trip_samples(), 3, "3 was sent again, and 4 to 6 were told of before");
}

#[test]
fn no_more_packets_go_out_at_once_than_the_limit_says() {
    let mut sender = sender(Variant::Sack, 100, 10);
    start(&mut sender, 0);
    sender.settings.maximum_burst = Some(4);
    assert_eq!(hears(&mut sender, 9, &[], 100), [10, 11, 12, 13]);
    assert_eq!(hears(&mut sender, 10, &[], 101), [14, 15, 16, 17]);
}
