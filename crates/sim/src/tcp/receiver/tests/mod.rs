//! What the receiver answers, and when.

mod delayed;
mod sack;

use super::*;
use crate::tcp::{DelayedDuplicates, DuplicateAcknowledgements, TcpConfig};
use arqway_units::Span;
use proptest::prelude::*;
use std::vec::Vec;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn settings(duplicate_acknowledgements: DuplicateAcknowledgements) -> Settings {
    TcpConfig { duplicate_acknowledgements, ..TcpConfig::default() }.settings()
}

fn at_once() -> Receiver {
    Receiver::new(&settings(DuplicateAcknowledgements::AtOnce))
}

const DELAYED: DuplicateAcknowledgements =
    DuplicateAcknowledgements::Delayed(DelayedDuplicates { delay: Span::from_milliseconds(1000) });

/// A receiver that awaits packet 1 and got 2 to 6, a tenth of a second apart from time 0.
fn waiting() -> Receiver {
    let mut receiver = Receiver::new(&settings(DELAYED));
    assert_eq!(receiver.receive(0, at(0)), Some(0));
    let answers = [2, 3, 4, 5, 6].map(|number: u8| receiver.receive(number.into(), at(u64::from(number - 2) * 100)));
    assert_eq!(answers, [Some(0), Some(0), None, None, None], "two at once, three held");
    receiver
}

fn released(receiver: &mut Receiver, now: Time) -> Vec<i64> {
    receiver.handle_timeout(now);
    core::iter::from_fn(|| receiver.poll_acknowledgement()).collect()
}

#[test]
fn each_packet_is_answered_with_the_highest_in_order() {
    let mut receiver = at_once();
    let answers = [0, 2, 3, 2, 1, 4].map(|number| receiver.receive(number, at(0)));
    assert_eq!(answers, [0, 0, 0, 0, 3, 4].map(Some));
}

#[test]
fn another_connection_knows_nothing_of_what_the_last_one_had_ahead() {
    let mut receiver = at_once();
    assert_eq!([0, 2, 3].map(|number| receiver.receive(number, at(0))), [0, 0, 0].map(Some));
    receiver.restart(&settings(DuplicateAcknowledgements::AtOnce));
    assert_eq!([0, 1, 2].map(|number| receiver.receive(number, at(0))), [0, 1, 2].map(Some));
    assert_eq!(receiver.in_order(), 3);
}

#[test]
fn held_duplicates_are_discarded_when_the_awaited_packet_comes() {
    let mut receiver = waiting();
    assert_eq!(receiver.receive(1, at(900)), Some(6));
    assert_eq!((receiver.poll_timeout(), released(&mut receiver, at(5000))), (None, Vec::new()));
    let answers = [8, 9, 10].map(|number| receiver.receive(number, at(5000)));
    assert_eq!(answers, [Some(6), Some(6), None], "the next packet that is missing is another matter");
}

#[test]
fn all_are_released_when_the_delay_of_the_first_is_over_and_no_further_one_is_held() {
    let mut receiver = waiting();
    assert_eq!(receiver.poll_timeout(), Some(at(1200)), "packet 4 came at 200 ms");
    assert_eq!(released(&mut receiver, at(1199)), [] as [i64; 0]);
    assert_eq!(released(&mut receiver, at(1200)), [0, 0, 0]);
    assert_eq!((receiver.receive(7, at(1300)), receiver.poll_timeout()), (Some(0), None));
    assert_eq!(receiver.receive(1, at(1400)), Some(7));
    assert_eq!([9, 10, 11].map(|number| receiver.receive(number, at(1400))), [Some(7), Some(7), None]);
}

#[test]
fn a_packet_that_came_before_is_answered_at_once_since_its_acknowledgement_may_be_lost() {
    let mut receiver = waiting();
    assert_eq!([0, 0, 0].map(|number| receiver.receive(number, at(600))), [0, 0, 0].map(Some));
}

#[test]
fn the_delay_stands_still_in_an_outage() {
    let mut receiver = waiting();
    receiver.freeze(at(700));
    receiver.freeze(at(800));
    assert_eq!((receiver.poll_timeout(), released(&mut receiver, at(4000))), (None, Vec::new()));
    assert_eq!(receiver.receive(7, at(4000)), None);
    receiver.thaw(at(5700));
    assert_eq!(receiver.poll_timeout(), Some(at(6200)), "half a second was left");
    assert_eq!(released(&mut receiver, at(6200)), [0, 0, 0, 0]);
}

#[test]
fn another_connection_releases_nothing_that_the_last_one_held() {
    let mut receiver = waiting();
    receiver.restart(&settings(DELAYED));
    assert_eq!((receiver.poll_timeout(), released(&mut receiver, at(5000))), (None, Vec::new()));
    assert_eq!(receiver.receive(2, at(5000)), Some(-1), "the first of its own duplicates");
}

proptest! {
    #[test]
    fn any_order_of_arrival_ends_complete(order in Just((0..40i64).collect::<Vec<_>>()).prop_shuffle(), delays: bool) {
        let mut receiver = Receiver::new(&settings(if delays { DELAYED } else { DuplicateAcknowledgements::AtOnce }));
        let last = order.iter().filter_map(|number| receiver.receive(*number, at(0))).max();
        prop_assert_eq!((last, receiver.in_order(), receiver.poll_timeout()), (Some(39), 40, None));
    }
}
