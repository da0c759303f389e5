//! All tables are bounded, and what is forgotten passes.

use super::*;
use core::num::NonZeroUsize;
use proptest::prelude::*;

fn few_connections(connections: usize) -> Unordered {
    Unordered { connections: NonZeroUsize::new(connections).expect("some"), ..Unordered::default() }
}

#[test]
fn the_connection_that_has_been_silent_longest_makes_room_and_its_duplicates_pass() {
    let third = Tcp { port: 50_000, version: 4 };
    let mut end = End::with(&few_connections(2));
    end.after_loss_at(TCP, 1000);
    end.after_loss_at(OTHER, 1000);
    assert!(!end.passes(&TCP.ack(1000)), "TCP is heard of last");
    end.after_loss_at(third, 1000);
    assert_eq!(end.counters.connections_evicted, 1);
    assert!(!end.passes(&TCP.ack(1000)));
    assert!(!end.passes(&third.ack(1000)));
    assert!(end.passes(&OTHER.ack(1000)) && end.passes(&OTHER.ack(1000)), "it was forgotten");
}

#[test]
fn a_connection_that_is_over_makes_room_first() {
    let mut end = End::with(&few_connections(2));
    end.after_loss_at(TCP, 1000);
    end.after_loss_at(OTHER, 1000);
    assert!(end.passes(&OTHER.packet(false, &Says { flags: "rst", ..NOTHING })));
    end.after_loss_at(IPV6, 1000);
    assert!(!end.passes(&TCP.ack(1000)));
    assert_eq!(end.counters.connections_evicted, 0);
}

#[test]
fn what_is_sent_again_beyond_the_bound_is_not_recorded() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    for piece in 1..1000 {
        end.filter.retransmitted(&TCP.data(1000 + piece * 2 * LENGTH));
    }
    let known = &end.filter.connections;
    assert_eq!((known.len(), known.largest().0), (1, 128));
    assert!(!end.passes(&TCP.ack(1000)));
    let last = 1000 + 999 * 2 * LENGTH;
    assert!(end.passes(&TCP.ack(last)) && end.passes(&TCP.ack(last)));
}

#[test]
fn what_nobody_will_ask_for_takes_no_room() {
    let mut end = End::new();
    assert!(end.passes(&TCP.ack(1_000_000)));
    for piece in 1..1000 {
        end.filter.retransmitted(&TCP.data(1_000_000 - piece * 2 * LENGTH));
        end.filter.retransmitted(&TCP.packet(true, &Says { sequence: 1_000_000 + piece * 2, ..NOTHING }));
    }
    assert_eq!(end.filter.connections.largest().0, 0, "acknowledged, or nothing that is");
    end.filter.retransmitted(&TCP.data(1_000_000));
    assert!(!end.passes(&TCP.ack(1_000_000)));
}

#[test]
fn neighbours_are_one_record() {
    let mut end = End::new();
    for number in [5, 3, 4, 0, 1, 2] {
        end.filter.retransmitted(&TCP.data(1000 + number * LENGTH));
    }
    assert_eq!(end.filter.connections.largest().0, 1);
}

proptest! {
    /// The records are those of a list that is looked through from end to end.
    #[test]
    fn a_duplicate_is_withheld_just_where_its_segment_was_sent_again(
        resent in proptest::collection::vec((0u32..60, 1u32..12), 0..30),
        acknowledgements in proptest::collection::vec(0u32..80, 0..60),
        start in prop_oneof![Just(0u32), Just(u32::MAX - 30), any::<u32>()],
    ) {
        let mut end = End::new();
        for (sequence, length) in &resent {
            let says = Says { sequence: start.wrapping_add(*sequence), length: *length as usize, ..NOTHING };
            end.filter.retransmitted(&TCP.packet(true, &says));
        }
        let mut highest = None;
        for number in acknowledgements {
            let is_recorded = resent.iter().any(|(from, length)| (*from..from + length).contains(&number));
            let is_duplicate = highest == Some(number);
            highest = highest.max(Some(number));
            prop_assert_eq!(end.passes(&TCP.ack(start.wrapping_add(number))), !(is_duplicate && is_recorded));
        }
    }
}
