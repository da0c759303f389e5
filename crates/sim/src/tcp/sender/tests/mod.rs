//! What no recorded trace of ns-2 reaches: long outages, losses within one recovery, connections that are kept.

mod bursts;
mod cubic;
mod newreno;

use super::*;
use crate::tcp::{Profile, TcpConfig};
use std::vec::Vec;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn sender(profile: Profile) -> Sender {
    sender_of(&TcpConfig { profile, ..TcpConfig::default() })
}

fn sender_of(config: &TcpConfig) -> Sender {
    Sender::new(config.settings(), 1000, Span::ZERO)
}

fn sent(sender: &mut Sender) -> Vec<i64> {
    core::iter::from_fn(|| sender.poll_transmission()).map(|transmission| transmission.number).collect()
}

/// A sender whose first packets were acknowledged after 100 ms, with packets outstanding.
fn under_way() -> Sender {
    under_way_as(&TcpConfig::default())
}

fn under_way_as(config: &TcpConfig) -> Sender {
    let mut sender = sender_of(config);
    sender.start(at(0));
    sender.handle_acknowledgement(0, at(100));
    sender.handle_acknowledgement(1, at(100));
    sent(&mut sender);
    sender
}

#[test]
fn timeouts_in_a_row_double_the_wait_up_to_a_minute() {
    let mut sender = under_way();
    let mut waits = Vec::new();
    for _ in 0..9 {
        let due = sender.poll_timeout().expect("packets are outstanding");
        sender.handle_timeout(due);
        waits.push(sender.poll_timeout().expect("a packet is outstanding").since(due).as_seconds());
        assert_eq!(sent(&mut sender), [2]);
    }
    assert_eq!(waits, [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0, 60.0]);
}

#[test]
fn after_four_timeouts_in_a_row_the_round_trip_time_is_measured_anew() {
    let mut sender = under_way();
    for _ in 0..3 {
        sender.handle_timeout(sender.poll_timeout().expect("outstanding"));
    }
    assert_eq!(sender.smoothed_round_trip(), Some(Span::from_milliseconds(100)));
    sender.handle_timeout(sender.poll_timeout().expect("outstanding"));
    assert_eq!((sender.round_trip().srtt(), sender.smoothed_round_trip()), (0.0, None));
}

/// As in ns-2, the backoff of 64 is no limit while the wait is shorter than a minute.
#[test]
fn a_short_timeout_is_doubled_until_the_wait_is_a_minute() {
    let mut sender = under_way_as(&TcpConfig { profile: Profile::Ns235, ..TcpConfig::default() });
    let wait = |_| {
        let due = sender.poll_timeout().expect("packets are outstanding");
        sender.handle_timeout(due);
        sender.poll_timeout().expect("a packet is outstanding").since(due)
    };
    let waits: Vec<Span> = (0..10).map(wait).collect();
    assert!(waits[0] < Span::from_milliseconds(1000), "{waits:?}");
    assert_eq!(waits[9], Span::from_milliseconds(60_000));
}

#[test]
fn the_backoff_ends_with_a_sample_of_a_packet_sent_once() {
    let mut sender = under_way();
    let due = sender.poll_timeout().expect("outstanding");
    sender.handle_timeout(due);
    let soon = due + Span::from_milliseconds(100);
    // Packets 2 to 5 were sent before: none of them is timed.
    sender.handle_acknowledgement(2, soon);
    assert_eq!(sender.backoff(), 2);
    sender.handle_acknowledgement(5, soon);
    assert_eq!(sent(&mut sender).last(), Some(&7), "6 and 7 were never sent before");
    sender.handle_acknowledgement(6, soon + Span::from_milliseconds(100));
    assert_eq!(sender.backoff(), 1);
}

#[test]
fn a_second_loss_in_one_window_of_losses_is_left_to_the_timer() {
    let mut sender = under_way();
    for number in 2..8 {
        sender.handle_acknowledgement(number, at(200));
    }
    sent(&mut sender);
    let outstanding = sender.highest_sent;
    for _ in 0..3 {
        sender.handle_acknowledgement(7, at(300));
    }
    assert_eq!(sent(&mut sender).first(), Some(&8), "the third duplicate sends the missing packet");
    let window = sender.congestion_window();
    // The acknowledgement of that packet shows another loss: three duplicates below `recover` do nothing more.
    sender.handle_acknowledgement(8, at(400));
    sent(&mut sender);
    for _ in 0..6 {
        sender.handle_acknowledgement(8, at(400));
    }
    assert!(outstanding > 9 && !sent(&mut sender).contains(&9));
    assert!(sender.congestion_window() <= window + 1.0);
}

/// A sender of two packets that were acknowledged at 100 ms, with a window of four by then.
fn kept() -> Sender {
    let mut sender = Sender::new(TcpConfig::default().settings(), 2, Span::ZERO);
    sender.start(at(0));
    sender.handle_acknowledgement(0, at(100));
    sender.handle_acknowledgement(1, at(100));
    assert!(sender.is_finished());
    sent(&mut sender);
    sender
}

#[test]
fn more_data_on_a_kept_connection_go_out_with_its_window() {
    let mut sender = kept();
    sender.send_more(9, at(600));
    assert_eq!(sent(&mut sender), [2, 3, 4, 5]);
    assert!(!sender.is_finished() && sender.poll_timeout().is_some());
}

#[test]
fn after_a_silence_longer_than_a_timeout_a_kept_connection_begins_with_one_packet() {
    let mut sender = kept();
    sender.send_more(9, at(100 + 1001));
    assert_eq!(sent(&mut sender), [2]);
}

#[test]
fn duplicates_after_the_end_send_nothing() {
    let mut sender = kept();
    for _ in 0..5 {
        sender.handle_acknowledgement(1, at(200));
    }
    assert_eq!((sent(&mut sender).len(), sender.poll_timeout()), (0, None));
}

#[test]
fn a_first_packet_lost_leaves_a_window_of_one() {
    let mut sender = sender(Profile::Ns235);
    sender.start(at(0));
    sender.handle_timeout(sender.poll_timeout().expect("the SYN is outstanding"));
    sender.handle_acknowledgement(0, at(3100));
    assert!((sender.congestion_window() - 1.0).abs() < f64::EPSILON);
}

#[test]
fn a_packet_lost_behind_the_first_is_no_lost_start() {
    let mut sender = sender(Profile::Ns235);
    sender.start(at(0));
    sender.handle_acknowledgement(0, at(100));
    sender.handle_timeout(sender.poll_timeout().expect("packets are outstanding"));
    assert!(!sender.has_lost_start());
}
