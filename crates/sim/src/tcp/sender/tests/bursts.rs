//! How many packets go out at once, and what is counted of it.

use super::*;
use crate::tcp::{PacketWindow, Variant};

/// A sender with packets 1 to 11 outstanding in a window of eleven, at 199 ms, and a round-trip time of 100 ms.
fn wide(config: &TcpConfig) -> Sender {
    let mut sender = sender_of(&TcpConfig { initial_window: PacketWindow::new(10), ..config.clone() });
    sender.start(at(0));
    sent(&mut sender);
    sender.handle_acknowledgement(0, at(100));
    sent(&mut sender);
    paces(&mut sender, 199);
    assert_eq!((sender.highest_sent, sender.congestion_window(), sender.round_trip().srtt()), (11, 11.0, 10.0));
    sender
}

fn paced() -> TcpConfig {
    TcpConfig { pacing: true, ..TcpConfig::default() }
}

/// What goes out when, as pairs of milliseconds and packets, until `until`.
fn paces(sender: &mut Sender, until: u64) -> Vec<(u64, i64)> {
    let mut paces = Vec::new();
    while let Some(due) = sender.poll_timeout().filter(|due| *due <= at(until)) {
        sender.handle_timeout(due);
        let milliseconds = due.since(Time::ZERO).as_nanoseconds() / 1_000_000;
        paces.extend(sent(sender).iter().map(|number| (milliseconds, *number)));
    }
    paces
}

#[test]
fn what_a_limit_holds_back_goes_with_the_next_acknowledgements() {
    let mut sender = wide(&TcpConfig::default());
    sender.settings.maximum_burst = Some(4);
    let mut answer = |number| {
        sender.handle_acknowledgement(number, at(200));
        sent(&mut sender)
    };
    assert_eq!(answer(8), [12, 13, 14, 15], "a window of twelve allows up to 20");
    assert_eq!(answer(9), [16, 17, 18, 19], "13: up to 22");
    assert_eq!(answer(10), [20, 21, 22, 23], "14: up to 24");
    assert_eq!(answer(11), [24, 25, 26], "15: up to 26");
}

#[test]
fn a_duplicate_in_recovery_sends_what_fits_but_with_newreno_two_packets_at_most() {
    let third_duplicate = |variant| {
        let mut sender = wide(&TcpConfig { variant: Some(variant), ..TcpConfig::default() });
        sender.settings.maximum_burst = Some(1);
        sender.handle_acknowledgement(8, at(200));
        assert_eq!(sent(&mut sender), [12], "so that there is room when the limit is gone");
        sender.settings.maximum_burst = None;
        (0..3).for_each(|_| sender.handle_acknowledgement(8, at(200)));
        sent(&mut sender)
    };
    assert_eq!(third_duplicate(Variant::Reno), [9, 13, 14, 15, 16, 17]);
    assert_eq!(third_duplicate(Variant::NewReno), [9, 13, 14]);
}

#[test]
fn pacing_spreads_a_window_over_a_round_trip_time() {
    let mut sender = wide(&paced());
    sender.handle_acknowledgement(3, at(200));
    assert_eq!(sent(&mut sender), [12], "the window of twelve allows four");
    assert_eq!(paces(&mut sender, 300), [(208, 13), (216, 14), (224, 15)], "a twelfth of 100 ms each");
    assert_eq!(sender.poll_timeout(), Some(at(1200)), "nothing waits, and the retransmission timer goes on");
    sender.handle_acknowledgement(4, at(300));
    assert_eq!(sent(&mut sender), [16], "no credit for the silence: 17 waits");
}

/// RFC 6298 §5.1: nothing was outstanding while it waited.
#[test]
fn the_timer_of_a_packet_that_waited_for_its_pace_starts_when_it_goes_out() {
    let mut sender = wide(&paced());
    sender.handle_acknowledgement(3, at(200));
    sender.handle_acknowledgement(12, at(204));
    assert_eq!(sent(&mut sender), [12]);
    let due = sender.poll_timeout().expect("13 waits");
    sender.handle_timeout(due);
    assert_eq!(sent(&mut sender), [13]);
    assert_eq!(sender.timer, Some(due + Span::from_milliseconds(1000)));
}

#[test]
fn before_the_first_sample_there_is_no_pace() {
    let mut sender = sender_of(&paced());
    sender.start(at(0));
    assert_eq!(sent(&mut sender), [0, 1]);
}

#[test]
fn a_retransmission_does_not_wait_and_what_follows_it_keeps_its_distance() {
    let mut sender = wide(&TcpConfig { variant: Some(Variant::NewReno), ..paced() });
    sender.handle_acknowledgement(3, at(200));
    assert_eq!(sent(&mut sender), [12]);
    (0..3).for_each(|_| sender.handle_acknowledgement(3, at(205)));
    assert_eq!(sent(&mut sender), [4], "packet 13 must wait until 208 ms, this one need not");
    sender.handle_acknowledgement(5, at(206));
    assert_eq!(sent(&mut sender), [6], "neither need the next one that is missing");
    assert_eq!(paces(&mut sender, 300), [(218, 13)], "six of window and two of inflation: 12.5 ms");
}

#[test]
fn an_expired_timer_sends_at_once() {
    let mut sender = wide(&paced());
    let due = sender.poll_timeout().expect("outstanding");
    sender.keep_pace(due);
    sender.handle_timeout(due);
    assert_eq!(sent(&mut sender), [1]);
    sender.handle_acknowledgement(1, due + Span::from_milliseconds(50));
    assert_eq!(
        sent(&mut sender),
        [] as [i64; 0],
        "what follows it waits: a window of one was a round-trip time a packet"
    );
    assert_eq!(sender.poll_timeout(), Some(due + Span::from_milliseconds(100)));
}

#[test]
fn the_pace_stands_still_in_an_outage() {
    let mut sender = wide(&paced());
    sender.handle_acknowledgement(2, at(200));
    assert_eq!(sent(&mut sender), [12]);
    sender.freeze(at(205));
    assert_eq!((sender.poll_timeout(), sent(&mut sender).len()), (None, 0));
    sender.thaw(at(5205));
    assert_eq!(paces(&mut sender, 5300), [(5208, 13), (5216, 14)]);
}

#[test]
fn what_goes_out_at_the_same_time_is_one_burst() {
    let mut sender = Sender::new(TcpConfig::default().settings(), 1000, Span::ZERO);
    assert_eq!(sender.bursts(), [0; 20]);
    sender.start(at(0));
    sent(&mut sender);
    sender.handle_acknowledgement(1, at(100));
    sent(&mut sender);
    sent(&mut sender);
    sender.freeze(at(100));
    (2..=4).for_each(|number| {
        sender.handle_acknowledgement(number, at(200));
        sent(&mut sender);
    });
    assert_eq!(sender.bursts()[..5], [0, 1, 1, 0, 0], "two packets at the start, three beyond packet 1");
    sender.thaw(at(300));
    assert_eq!(sent(&mut sender).len(), 6);
    assert_eq!(sender.bursts()[..7], [0, 1, 1, 0, 0, 1, 0], "what an outage held back goes at its end");
}

#[test]
fn round_trip_times_are_counted_and_summed_in_ticks() {
    let mut sender = sender_of(&TcpConfig::default());
    sender.start(at(0));
    assert_eq!((sender.round_trip_samples(), sender.round_trip_sum()), (0, Span::ZERO));
    sender.handle_acknowledgement(0, at(105));
    sender.handle_acknowledgement(1, at(106));
    sender.handle_acknowledgement(2, at(250));
    // Packet 0 was timed over ten ticks, then packet 2 from 105 ms, in tick 10, to 250 ms, in tick 25; 1 was not timed.
    assert_eq!((sender.round_trip_samples(), sender.round_trip_sum()), (2, Span::from_milliseconds(250)));
}

#[test]
fn another_connection_begins_to_count_anew_in_the_same_memory() {
    let mut sender = wide(&paced());
    sender.handle_acknowledgement(4, at(200));
    let settings = TcpConfig { maximum_window: PacketWindow::new(5), ..TcpConfig::default() }.settings();
    sender.restart(settings, 10, Span::ZERO);
    assert_eq!((sender.bursts(), sender.round_trip_samples(), sender.round_trip_sum()), (&[0; 5][..], 0, Span::ZERO));
    sender.start(at(201));
    assert_eq!(sent(&mut sender), [0, 1], "no pace of the last one");
}
