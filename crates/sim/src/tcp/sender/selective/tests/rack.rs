//! RACK: the exchanges of RFC 8985 §3, and the steps of its §6, one after the other.

use super::super::scoreboard::{Delivered, Scoreboard};
use super::*;

/// A sender of so many packets that has measured a round trip of 100 ms: packet 0 is acknowledged, and it is 100 ms.
fn measured(packets: u64, window: u32) -> Sender {
    let mut sender = sender(Variant::RackTlp, packets, 1);
    measure(&mut sender, window, 0);
    sender
}

/// It starts, and is that far 100 ms later.
fn measure(sender: &mut Sender, window: u32, milliseconds: u64) {
    assert_eq!(start(sender, milliseconds), [0]);
    sender.window = f64::from(window - 1);
    hears(sender, 0, &[], milliseconds + 100);
}

/// RFC 8985 §3.4: a lost tail, recovered by a probe and RACK, with a copy lost on the way. The RFC's P0 to P3 are 1 to 4.
#[test]
fn a_lost_tail_and_a_lost_copy_are_recovered_without_a_timeout() {
    let mut sender = sender(Variant::RackTlp, 5, 1);
    start(&mut sender, 0);
    sender.window = 4.0;
    assert_eq!(hears(&mut sender, 0, &[], 100), [1, 2, 3, 4], "event 1; 2, 3 and 4 are dropped");
    assert_eq!(hears(&mut sender, 1, &[], 200), NOTHING, "event 2");
    assert_eq!(waits(&mut sender), (400, vec![4]), "3: two round trips later the probe repeats the last");
    assert_eq!(
        hears(&mut sender, 1, &[(4, 5)], 500),
        [2, 3],
        "5: both were sent before it, and a round trip has passed"
    );
    let window = sender.congestion_window();
    assert_eq!(hears(&mut sender, 1, &[(3, 5)], 600), [2], "7: 3 was sent after the copy of 2, and has arrived");
    assert_eq!(hears(&mut sender, 4, &[], 700), NOTHING, "8");
    assert!(sender.is_finished() && sender.timeouts() == 0);
    assert_eq!((window, sender.congestion_window()), (2.0, 2.0), "of three under way, halved once: no less than two");
}

/// RFC 8985 §3.5 and §6.3: the timer of one packet expires just after two others went out. Only the first is lost.
#[test]
fn a_timeout_takes_only_that_for_lost_which_went_out_a_round_trip_ago() {
    let mut sender = measured(2, 10);
    assert_eq!(sender.acknowledged(), 0);
    assert_eq!(sender.highest_sent(), 1);
    assert_eq!(waits(&mut sender), (300, vec![1]), "the probe");
    let timeout = sender.poll_timeout().expect("outstanding");
    sender.send_more(2, timeout);
    assert_eq!(sent(&mut sender), [2, 3]);
    sender.handle_timeout(timeout);
    assert_eq!(sent(&mut sender), [1]);
    let late = timeout.since(Time::ZERO).as_nanoseconds() / 1_000_000 + 10;
    assert_eq!(hears(&mut sender, 1, &[], late), NOTHING, "2 and 3 may still come");
    assert_eq!(hears(&mut sender, 3, &[], late + 90), NOTHING);
    assert!(sender.is_finished());
}

/// The same with RFC 6675, which takes all of them for lost: 2 goes out again in vain.
#[test]
fn by_count_a_timeout_takes_everything_for_lost() {
    let mut sender = sender(Variant::Sack, 1, 10);
    start(&mut sender, 0);
    let timeout = sender.poll_timeout().expect("outstanding");
    sender.send_more(2, timeout);
    sent(&mut sender);
    sender.handle_timeout(timeout);
    assert_eq!(sent(&mut sender), [0]);
    assert_eq!(hears(&mut sender, 0, &[], 3010), [1, 2]);
}

/// §6.2 steps 4 and 5: a packet that another overtook has a quarter of the shortest round trip to come.
#[test]
fn a_packet_that_comes_within_the_reordering_window_is_not_lost() {
    let mut sender = measured(100, 6);
    assert_eq!(hears(&mut sender, 0, &[(2, 3)], 200), [7]);
    assert_eq!(sender.poll_timeout(), Some(at(225)), "25 ms more than the round trip");
    assert_eq!(hears(&mut sender, 2, &[], 220).len(), 2);
    let window = sender.congestion_window();
    assert!(window > 6.0, "nothing was lost: {window}");
}

/// §6.2 step 5: when the window is over the packet is lost, without a further acknowledgement.
#[test]
fn a_packet_that_does_not_come_is_lost_when_the_reordering_window_is_over() {
    let mut sender = measured(100, 6);
    hears(&mut sender, 0, &[(2, 3)], 200);
    assert_eq!(waits(&mut sender), (225, vec![1]));
}

/// §6.2 step 4: once three packets have arrived, and no reordering was seen, the window is none.
#[test]
fn without_reordering_the_third_packet_that_arrives_is_proof_enough() {
    let mut sender = measured(100, 6);
    assert_eq!(hears(&mut sender, 0, &[(2, 3)], 200), [7]);
    assert_eq!(hears(&mut sender, 0, &[(2, 4)], 201), [8]);
    assert_eq!(hears(&mut sender, 0, &[(2, 5)], 202)[0], 1);
}

/// §6.2 steps 3 and 4: once a packet came behind a later one, three are no proof any more, nor is a recovery.
#[test]
fn after_reordering_three_packets_are_no_proof() {
    let mut sender = measured(100, 6);
    hears(&mut sender, 0, &[(2, 3)], 200);
    hears(&mut sender, 2, &[], 210);
    let before = sender.congestion_window();
    let out = hears(&mut sender, 2, &[(4, 7)], 215);
    assert!(!out.contains(&3), "{out:?}");
    assert_eq!(sender.poll_timeout(), Some(at(240)), "3 went out at 100, and 6 took 115 ms");
    assert!(sender.congestion_window() >= before);
}

#[test]
fn another_connection_in_the_same_memory_knows_nothing_of_reordering_on_the_last_one() {
    let mut sender = measured(100, 6);
    hears(&mut sender, 0, &[(2, 3)], 200);
    hears(&mut sender, 2, &[], 210);
    sender.restart(sender.settings, 100, Span::ZERO);
    measure(&mut sender, 6, 1000);
    assert_eq!(hears(&mut sender, 0, &[(2, 3)], 1200), [7]);
    assert_eq!(hears(&mut sender, 0, &[(2, 4)], 1201), [8]);
    assert_eq!(hears(&mut sender, 0, &[(2, 5)], 1202)[0], 1, "three packets are proof enough again");
}

/// §6.2 step 4: each round trip in which a packet came twice makes the window longer by a quarter, up to the smoothed round
/// trip, and sixteen recoveries without one make it a quarter again.
#[test]
fn what_came_twice_makes_the_reordering_window_longer() {
    let mut rack = super::super::rack::Rack::default();
    let board = Scoreboard::default();
    rack.deliver(Delivered { number: 5, sent: at(0), again: false }, at(100));
    let smoothed = Some(Span::from_milliseconds(90));
    let around = |acknowledged, came_twice, leaves_recovery| super::super::rack::Surroundings {
        acknowledged,
        sent: acknowledged + 10,
        came_twice,
        in_recovery: false,
        leaves_recovery,
        smoothed,
    };
    let mut window = |acknowledged, came_twice, leaves| {
        rack.window(&board, around(acknowledged, came_twice, leaves)).as_nanoseconds() / 1_000_000
    };
    assert_eq!(window(5, false, false), 25);
    assert_eq!(window(5, true, false), 50);
    assert_eq!(window(6, true, false), 50, "once a round trip");
    assert_eq!(window(15, true, false), 75);
    assert_eq!(window(25, true, false), 90, "no longer than the smoothed round trip");
    assert_eq!((0..15).map(|_| window(60, false, true)).min(), Some(90));
    assert_eq!(window(60, false, true), 25, "the sixteenth");
}

/// §6.2 step 2: a copy that is answered sooner than any round trip was not needed, and says nothing of others.
#[test]
fn an_answer_that_comes_too_soon_is_the_originals() {
    let mut sender = measured(100, 6);
    // 1 is late, taken for lost at 225 ms, sent again, and arrives at once: 2 to 6 went out with it, and are not lost.
    hears(&mut sender, 0, &[(2, 3)], 200);
    assert_eq!(waits(&mut sender), (225, vec![1]));
    let out = hears(&mut sender, 2, &[], 230);
    assert!(out.iter().all(|number| *number > 6), "{out:?}");
    assert_eq!(sender.round_trip_samples(), 2, "and gives no sample (Karn)");
}

#[test]
fn the_reordering_timer_stands_still_in_an_outage() {
    let mut sender = measured(100, 6);
    hears(&mut sender, 0, &[(2, 3)], 200);
    sender.freeze(at(210));
    assert_eq!(sender.poll_timeout(), None);
    sender.thaw(at(5210));
    assert_eq!(waits(&mut sender), (5225, vec![1]));
}
