//! TLP: RFC 8985 §7, section by section.

use super::*;

/// A sender whose only packet was acknowledged after 100 ms.
fn measured(window: u32) -> Sender {
    let mut sender = sender(Variant::RackTlp, 1, window);
    start(&mut sender, 0);
    assert_eq!(hears(&mut sender, 0, &[], 100), NOTHING);
    sender.window = f64::from(window);
    sender
}

fn sends_more(sender: &mut Sender, packets: u64, milliseconds: u64) -> Vec<i64> {
    sender.send_more(packets, at(milliseconds));
    sent(sender)
}

/// §7.2: two smoothed round trips after the last new packet or new acknowledgement.
#[test]
fn a_probe_comes_after_two_round_trips_of_silence() {
    let mut sender = measured(10);
    assert_eq!(sends_more(&mut sender, 3, 200), [1, 2, 3]);
    assert_eq!(sender.poll_timeout(), Some(at(400)));
    hears(&mut sender, 1, &[], 300);
    assert_eq!(waits(&mut sender), (500, vec![3]));
}

/// §7.2: "if FlightSize is one segment: PTO += TLP.max_ack_delay".
#[test]
fn one_packet_alone_is_waited_for_by_as_much_as_its_acknowledgement_may_be_delayed() {
    let mut sender = measured(10);
    if let Some(selective) = &mut sender.selective {
        selective.receiver_delay = Span::from_milliseconds(40);
    }
    sends_more(&mut sender, 1, 200);
    assert_eq!(sender.poll_timeout(), Some(at(440)));
}

/// §7.2: a probe comes no later than the retransmission timer would, and before a first sample after a second; §7.3: that one
/// is not sent, as no round trip was measured yet.
#[test]
fn before_the_first_sample_no_probe_goes_out() {
    let mut sender = sender(Variant::RackTlp, 3, 10);
    start(&mut sender, 0);
    assert_eq!(waits(&mut sender), (3000, vec![0]), "the timeout");
    assert_eq!(sender.timeouts(), 1);
}

/// §7.3: the probe is a new packet where there is one, whatever the congestion window says.
#[test]
fn a_probe_is_a_new_packet_where_there_is_one() {
    let mut sender = measured(2);
    assert_eq!(sends_more(&mut sender, 9, 200), [1, 2]);
    assert_eq!(waits(&mut sender), (400, vec![3]));
}

/// §7.3: no probe follows another without a new round trip measured; the retransmission timer starts anew with it.
#[test]
fn one_probe_at_a_time_and_then_the_timeout() {
    let mut sender = measured(10);
    sends_more(&mut sender, 2, 200);
    assert_eq!(waits(&mut sender), (400, vec![2]));
    assert_eq!(sender.timeouts(), 0);
    assert_eq!(waits(&mut sender).1[0], 1);
    assert_eq!(sender.timeouts(), 1);
}

/// §7.2: what blocks told of is RACK's matter, and so is a recovery.
#[test]
fn no_probe_is_needed_where_something_has_arrived_behind_a_gap() {
    let mut sender = measured(10);
    sends_more(&mut sender, 3, 200);
    hears(&mut sender, 0, &[(3, 4)], 300);
    assert_eq!(waits(&mut sender), (325, vec![1, 2]), "the reordering timer");
}

/// §7.4.2: the probe was a new packet, and is acknowledged.
#[test]
fn a_new_packet_that_is_acknowledged_tells_of_no_loss() {
    let mut sender = measured(2);
    sends_more(&mut sender, 9, 200);
    waits(&mut sender);
    let window = sender.congestion_window();
    hears(&mut sender, 3, &[], 500);
    assert!(sender.congestion_window() > window);
}

/// The packets 1 to 4 are under way in a window of four, and 4 was sent again as a probe at 400 ms.
fn probed() -> Sender {
    let mut sender = measured(4);
    assert_eq!(sends_more(&mut sender, 4, 200), [1, 2, 3, 4]);
    assert_eq!(waits(&mut sender), (400, vec![4]));
    sender.send_more(20, at(400));
    assert_eq!(sent(&mut sender), NOTHING, "the window is full");
    sender
}

/// §7.4, case 1: "a DSACK ... matching TLP.end_seq": both copies have come, nothing was lost.
#[test]
fn a_probe_that_came_twice_tells_of_no_loss() {
    let mut sender = probed();
    hears(&mut sender, 4, &[], 450);
    let window = sender.congestion_window();
    hears(&mut sender, 4, &[(4, 5)], 500);
    hears(&mut sender, 5, &[], 550);
    assert!(sender.congestion_window() > window, "{}", sender.congestion_window());
}

/// §7.4, case 2: "a duplicate acknowledgment without any SACK option", of a receiver that knows no D-SACK.
#[test]
fn a_bare_duplicate_after_a_probe_tells_of_no_loss() {
    let mut sender = probed();
    hears(&mut sender, 4, &[], 450);
    let window = sender.congestion_window();
    hears(&mut sender, 4, &[], 500);
    hears(&mut sender, 5, &[], 550);
    assert!(sender.congestion_window() > window, "{}", sender.congestion_window());
}

/// §7.4: nothing says that the probe came twice, and later packets are acknowledged: it has repaired a loss, which the window
/// has to answer for.
#[test]
fn a_loss_that_the_probe_repaired_shrinks_the_window() {
    let mut sender = probed();
    hears(&mut sender, 4, &[], 500);
    let window = sender.congestion_window();
    hears(&mut sender, 5, &[], 600);
    assert!(sender.congestion_window() < 0.7 * window, "{window}, then {}", sender.congestion_window());
    let window = sender.congestion_window();
    hears(&mut sender, 6, &[], 600);
    assert!(sender.congestion_window() >= window, "once");
}

/// §7.1: the window has answered for the loss when the recovery began.
#[test]
fn a_probe_before_a_recovery_does_not_shrink_the_window_a_second_time() {
    let mut sender = measured(10);
    sends_more(&mut sender, 10, 200);
    assert_eq!(waits(&mut sender), (400, vec![10]));
    sends_more(&mut sender, 20, 400);
    assert_eq!(hears(&mut sender, 0, &[(2, 11)], 500)[0], 1, "recovery");
    hears(&mut sender, 10, &[], 600);
    let window = sender.congestion_window();
    hears(&mut sender, 11, &[], 700);
    assert!(sender.congestion_window() >= window, "{window}, then {}", sender.congestion_window());
}

#[test]
fn the_probe_stands_still_in_an_outage() {
    let mut sender = measured(10);
    sends_more(&mut sender, 2, 200);
    sender.freeze(at(300));
    sender.thaw(at(9300));
    assert_eq!(waits(&mut sender), (9400, vec![2]));
}
