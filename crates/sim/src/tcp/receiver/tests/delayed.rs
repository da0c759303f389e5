//! Delayed acknowledgements (RFC 9293 §3.8.6.3; RFC 5681 §4.2).

use super::*;
use crate::tcp::{Acknowledgements, DelayedAcknowledgements, TcpConfig};

fn delaying(handshake: bool) -> Receiver {
    let delay = Span::from_milliseconds(40);
    let acknowledgements = Some(Acknowledgements::Delayed(DelayedAcknowledgements { delay }));
    Receiver::new(&TcpConfig { acknowledgements, handshake: Some(handshake), ..TcpConfig::default() }.settings())
}

#[test]
fn every_second_packet_in_order_is_answered() {
    let mut receiver = delaying(false);
    let answers = [0, 1, 2, 3, 4].map(|number| receiver.receive(number, at(10 * number as u64)));
    assert_eq!(answers, [None, Some(1), None, Some(3), None]);
    assert_eq!(receiver.poll_timeout(), Some(at(80)), "packet 4 came at 40 ms");
}

#[test]
fn a_packet_that_waited_for_a_second_for_long_enough_is_answered_once() {
    let mut receiver = delaying(false);
    assert_eq!(receiver.receive(0, at(100)), None);
    assert_eq!(released(&mut receiver, at(139)), [] as [i64; 0]);
    assert_eq!(released(&mut receiver, at(140)), [0]);
    assert_eq!((receiver.poll_timeout(), released(&mut receiver, at(500))), (None, Vec::new()));
    assert_eq!(receiver.receive(1, at(500)), None, "the next one waits again");
}

/// RFC 5681 §4.2: out-of-order segments, and those that fill a gap or a part of one, are answered at once.
#[test]
fn nothing_waits_while_something_is_missing_nor_when_it_comes() {
    let mut receiver = delaying(false);
    assert_eq!(receiver.receive(0, at(0)), None);
    let answers = [2, 4, 1, 3, 3].map(|number| receiver.receive(number, at(1)));
    assert_eq!(answers, [Some(0), Some(0), Some(2), Some(4), Some(4)]);
    assert_eq!((receiver.poll_timeout(), receiver.receive(5, at(2))), (None, None));
}

#[test]
fn a_syn_is_answered_at_once() {
    let mut receiver = delaying(true);
    assert_eq!((receiver.receive(0, at(0)), receiver.receive(1, at(1))), (Some(0), None));
}

#[test]
fn the_wait_stands_still_in_an_outage() {
    let mut receiver = delaying(false);
    assert_eq!(receiver.receive(0, at(100)), None);
    receiver.freeze(at(110));
    assert_eq!((receiver.poll_timeout(), released(&mut receiver, at(900))), (None, Vec::new()));
    receiver.thaw(at(1000));
    assert_eq!(receiver.poll_timeout(), Some(at(1030)));
}
