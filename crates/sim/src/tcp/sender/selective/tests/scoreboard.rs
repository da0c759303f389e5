//! The scoreboard's counts, against counting anew.

use super::super::scoreboard::{Delivered, Scoreboard};
use super::*;
use proptest::prelude::*;

/// A board with packets 0 to 9 outstanding, of which some have arrived.
fn board(arrived: &[(i64, i64)]) -> Scoreboard {
    let mut board = Scoreboard::default();
    (0..10).for_each(|number| board.send(number, at(0)));
    for (from, to) in arrived {
        board.arrive(Block { from: *from, to: *to }, |_| {});
    }
    board
}

fn lost(board: &mut Scoreboard) -> Vec<i64> {
    board.judge();
    (0..10).filter(|number| board.get(*number).is_some_and(|segment| segment.lost)).collect()
}

/// RFC 6675 §4, IsLost: "DupThresh discontiguous SACKed sequences have arrived above", or more than two segments.
#[test]
fn a_packet_is_lost_when_three_above_it_have_arrived() {
    assert_eq!(lost(&mut board(&[(1, 3)])), NOTHING);
    assert_eq!(lost(&mut board(&[(1, 4)])), [0]);
    assert_eq!(lost(&mut board(&[(2, 3), (4, 5), (6, 7)])), [0, 1]);
    assert_eq!(lost(&mut board(&[(2, 3), (4, 5), (6, 7), (8, 9)])), [0, 1, 3]);
    assert_eq!(lost(&mut board(&[(7, 10)])), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(lost(&mut board(&[(8, 10)])), NOTHING);
}

/// RFC 6675 §4, SetPipe: what is neither arrived nor lost, and what was sent again.
#[test]
fn the_pipe_has_what_is_not_lost_and_what_was_sent_again() {
    let mut board = board(&[(4, 6), (8, 9)]);
    assert_eq!(board.pipe(), 7, "ten less three that have arrived");
    board.judge();
    assert_eq!(board.pipe(), 3, "and less 0 to 3");
    board.send(0, at(1));
    assert_eq!((board.pipe(), board.next_lost()), (4, Some(1)));
    board.arrive(Block { from: 0, to: 2 }, |_| {});
    assert_eq!((board.pipe(), board.next_lost()), (3, Some(2)));
    board.acknowledge(5, |_| {});
    assert_eq!((board.pipe(), board.next_lost()), (3, None), "6, 7 and 9");
    assert_eq!((board.next_hole(5), board.next_hole(6), board.next_hole(7)), (Some(6), Some(7), None));
    assert_eq!(board.last_missing(), Some(9));
}

#[derive(Debug, Clone)]
enum Step {
    Send,
    Acknowledge(i64),
    Arrive(i64, i64),
    Judge,
    Lose(i64),
    Resend,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Send),
        1 => (-2i64..6).prop_map(Step::Acknowledge),
        3 => (-3i64..12, 1i64..4).prop_map(|(from, length)| Step::Arrive(from, length)),
        2 => Just(Step::Judge),
        1 => (-2i64..12).prop_map(Step::Lose),
        3 => Just(Step::Resend),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_the_counts_are_those_of_counting_anew(steps in proptest::collection::vec(any_step(), 0..120)) {
        let mut board = Scoreboard::default();
        let mut told = Vec::new();
        for step in steps {
            let mut tell = |delivered: Delivered| told.push(delivered.number);
            let first = board.first();
            match step {
                Step::Send => board.send(board.end(), at(0)),
                Step::Acknowledge(packets) => board.acknowledge((first + packets).min(board.end() - 1), &mut tell),
                Step::Arrive(from, length) => board.arrive(Block { from: first + from, to: first + from + length }, &mut tell),
                Step::Judge => board.judge(),
                Step::Lose(number) => board.lose(first + number),
                Step::Resend => if let Some(number) = board.next_lost() { board.send(number, at(1)) },
            }
            let segments = || (board.first()..board.end()).filter_map(|number| board.get(number).map(|segment| (number, segment)));
            let in_network = segments().map(|(_, segment)| i64::from(!segment.arrived && !segment.lost) + i64::from(segment.copied));
            prop_assert_eq!(board.pipe(), in_network.sum::<i64>());
            prop_assert_eq!(board.arrived(), segments().filter(|(_, segment)| segment.arrived).count());
            let waiting = segments().find(|(_, segment)| segment.lost && !segment.copied).map(|(number, _)| number);
            if matches!(step, Step::Judge) {
                for (number, segment) in segments() {
                    let above = segments().filter(|(other, segment)| *other > number && segment.arrived).count();
                    prop_assert!(segment.arrived || segment.lost || above < 3, "{} has {} above it", number, above);
                }
            }
            prop_assert_eq!(board.next_lost(), waiting);
        }
        let (count, mut once) = (told.len(), told);
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), count, "no packet is told of twice");
    }
}
