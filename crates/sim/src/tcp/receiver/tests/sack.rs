//! The examples of RFC 2018 §7 and RFC 2883 §4.1, in their own numbers.

use super::*;
use crate::tcp::{Block, TcpConfig, Variant};
use std::vec;

/// A receiver of segments of 500 octets.
struct Segments {
    receiver: Receiver,
    /// The sequence number of the first.
    first: u32,
}

impl Segments {
    fn from(first: u32) -> Self {
        let settings = TcpConfig { variant: Some(Variant::Sack), ..TcpConfig::default() }.settings();
        Self { receiver: Receiver::new(&settings), first }
    }

    /// The segment that begins with this octet arrives: what is acknowledged, and the edges of the blocks.
    fn arrives(&mut self, octet: u32) -> (u32, Vec<(u32, u32)>) {
        let first = self.first;
        let octet_of = |packet: i64| first + 500 * packet as u32;
        let number = self.receiver.receive(((octet - first) / 500).into(), at(0)).expect("no answer is held");
        let blocks = self.receiver.tell_blocks();
        let edges = blocks.as_slice().iter().map(|block| (octet_of(block.from), octet_of(block.to)));
        (octet_of(number + 1), edges.collect())
    }
}

/// RFC 2018 §7, case 1: "the first 4 segments are received but the last 4 are dropped".
#[test]
fn without_a_gap_there_is_nothing_to_tell() {
    let mut segments = Segments::from(5000);
    let last = [5000, 5500, 6000, 6500].map(|octet| segments.arrives(octet)).pop_last();
    assert_eq!(last, (7000, vec![]));
}

/// RFC 2018 §7, case 2: "the first segment is dropped but the remaining 7 are received".
#[test]
fn a_block_grows_with_each_segment_behind_the_first_that_is_missing() {
    let mut segments = Segments::from(5000);
    for octet in (5500..9000).step_by(500) {
        assert_eq!(segments.arrives(octet), (5000, vec![(5500, octet + 500)]));
    }
}

/// RFC 2018 §7, case 3: "the 2nd, 4th, 6th, and 8th (last) segments are dropped", then the 4th comes, then the 2nd.
#[test]
fn blocks_are_told_in_the_order_in_which_they_grew_the_last_first() {
    let mut segments = Segments::from(5000);
    assert_eq!(segments.arrives(5000), (5500, vec![]));
    assert_eq!(segments.arrives(6000), (5500, vec![(6000, 6500)]));
    assert_eq!(segments.arrives(7000), (5500, vec![(7000, 7500), (6000, 6500)]));
    assert_eq!(segments.arrives(8000), (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]));
    assert_eq!(segments.arrives(6500), (5500, vec![(6000, 7500), (8000, 8500)]));
    assert_eq!(segments.arrives(5500), (7500, vec![(8000, 8500)]));
}

/// RFC 2018 §4: as many blocks as fit, and those told most recently.
#[test]
fn of_five_blocks_the_four_that_grew_last_are_told() {
    let mut segments = Segments::from(0);
    let last = [500, 1500, 2500, 3500, 4500].map(|octet| segments.arrives(octet)).pop_last();
    assert_eq!(last, (0, vec![(4500, 5000), (3500, 4000), (2500, 3000), (1500, 2000)]));
}

/// RFC 2883 §4.1.1: a duplicate segment.
#[test]
fn a_segment_that_came_twice_is_the_first_block() {
    let mut segments = Segments::from(3000);
    assert_eq!(segments.arrives(3000), (3500, vec![]));
    assert_eq!(segments.arrives(3500), (4000, vec![]));
    assert_eq!(segments.arrives(3000), (4000, vec![(3000, 3500)]));
}

/// RFC 2883 §4.1.2: an out-of-order segment and a duplicate segment; and §4 (2), the duplicate is told once.
#[test]
fn behind_a_segment_that_came_twice_stand_the_blocks() {
    let mut segments = Segments::from(3000);
    for octet in [3000, 3500, 4500] {
        segments.arrives(octet);
    }
    assert_eq!(segments.arrives(3000), (4000, vec![(3000, 3500), (4500, 5000)]));
    assert_eq!(segments.arrives(5000), (4000, vec![(4500, 5500)]));
}

/// RFC 2883 §4.1.3: a duplicate of an out-of-order segment.
#[test]
fn a_segment_beyond_the_gap_that_came_twice_stands_before_the_block_that_has_it() {
    let mut segments = Segments::from(3500);
    for octet in [3500, 4500, 5000] {
        segments.arrives(octet);
    }
    assert_eq!(segments.arrives(5000), (4000, vec![(5000, 5500), (4500, 5500)]));
}

#[test]
fn another_connection_is_told_nothing_of_the_last_one() {
    let mut segments = Segments::from(0);
    segments.arrives(1000);
    segments.receiver.receive(2, at(0));
    let settings = TcpConfig { variant: Some(Variant::Sack), ..TcpConfig::default() }.settings();
    segments.receiver.restart(&settings);
    assert_eq!(segments.arrives(500), (0, vec![(500, 1000)]));
}

trait PopLast<T> {
    fn pop_last(self) -> T;
}

impl<T, const N: usize> PopLast<T> for [T; N] {
    fn pop_last(self) -> T {
        self.into_iter().next_back().expect("one at least")
    }
}

proptest! {
    #[test]
    fn blocks_tell_just_what_has_come(arrivals in proptest::collection::vec(0i64..30, 1..60)) {
        let settings = TcpConfig { variant: Some(Variant::RackTlp), ..TcpConfig::default() }.settings();
        let mut receiver = Receiver::new(&settings);
        let mut have = [false; 30];
        for number in arrivals {
            let twice = core::mem::replace(&mut have[number as usize], true);
            let in_order = receiver.receive(number, at(0)).expect("no answer is held");
            let told = crate::tcp::Acknowledgement { number: in_order, blocks: receiver.tell_blocks() };
            prop_assert_eq!(told.duplicate(), twice.then(|| crate::tcp::Block::one(number)));
            for block in told.arrived() {
                prop_assert!((block.from..block.to).all(|number| have[number as usize]));
                prop_assert!(block.from > in_order + 1 && !have[block.from as usize - 1], "a gap before it");
                prop_assert!(block.to == 30 || !have[block.to as usize], "a gap behind it");
            }
            let first = told.arrived().first();
            prop_assert!(number <= in_order || first.is_some_and(|block| block.has(number)));
        }
    }
}

#[test]
fn a_packet_too_far_ahead_to_be_kept_is_not_told() {
    let mut receiver = Segments::from(0).receiver;
    assert_eq!(receiver.receive(FARTHEST - 1, at(0)), Some(-1));
    assert_eq!(receiver.receive(FARTHEST, at(0)), Some(-1));
    assert_eq!(receiver.tell_blocks().as_slice(), [Block::one(FARTHEST - 1)]);
}
