//! CUBIC against RFC 9438's equations, evaluated directly, and against its table of average windows.

use super::*;
use crate::tcp::sender::cubic::Cubic;
use crate::tcp::{CongestionControl, PacketWindow, Variant};

const RTT: Span = Span::from_milliseconds(100);

/// §4.2, (1) and (2), written down once more: C = 0.4, and the window is 0.7 of the one before the loss.
fn w_cubic(w_max: f64, seconds: f64) -> f64 {
    let k = (w_max * 0.3 / 0.4).cbrt();
    0.4 * (seconds - k).powi(3) + w_max
}

/// Window after window from a loss on, one for each acknowledgement, which come this far apart.
fn after_loss(cubic: &mut Cubic, window: f64, apart: Span, count: usize) -> Vec<(f64, f64)> {
    let mut window = cubic.lose(window, window);
    let mut now = at(1000);
    (0..count)
        .map(|_| {
            let since = now.since(at(1000)).as_seconds();
            window = cubic.grow(window, 1.0, RTT, now);
            now += apart;
            (since, window)
        })
        .collect()
}

/// §4.2: on a long path a window follows W_cubic (t + RTT): each acknowledgement closes a window's part of what is missing. With
/// many acknowledgements a round trip it is never above the curve, and close below where the curve was a round trip ago.
#[test]
fn the_window_follows_the_cubic_function_of_time() {
    let windows = after_loss(&mut Cubic::default(), 1000.0, Span::from_nanoseconds(100_000), 160_000);
    for (seconds, window) in windows.into_iter().filter(|(seconds, _)| *seconds > 0.5).step_by(997) {
        let (late, soon) = (w_cubic(1000.0, seconds - 0.05), w_cubic(1000.0, seconds + 0.1));
        assert!((late - 1.0..=soon + 1e-6).contains(&window), "{window} at {seconds} s: {late} to {soon}");
    }
}

/// §4.2 (2), §4.4 and §4.5: at K the window is W_max again; it is concave up to there and convex beyond.
#[test]
fn at_k_the_window_is_what_it_was_before_the_loss() {
    let k = (1000.0f64 * 0.3 / 0.4).cbrt();
    assert!((w_cubic(1000.0, k) - 1000.0).abs() < 1e-9 && (w_cubic(1000.0, 0.0) - 700.0).abs() < 1e-9);
    let windows = after_loss(&mut Cubic::default(), 1000.0, Span::from_nanoseconds(100_000), 180_000);
    let window_at = |seconds: f64| windows.iter().find(|(at, _)| *at >= seconds).expect("so late").1;
    assert!((window_at(k) - 1000.0).abs() < 1.0, "{}", window_at(k));
    let steps: Vec<f64> =
        (2..17).map(|second| window_at(f64::from(second) + 0.9) - window_at(f64::from(second))).collect();
    let turn = k as usize - 2;
    assert!(steps[..turn].windows(2).all(|pair| pair[1] < pair[0]), "concave: {steps:?}");
    assert!(steps[turn + 1..].windows(2).all(|pair| pair[1] > pair[0]), "convex: {steps:?}");
}

/// §4.2: the target is no more than 1.5 times the window, so an acknowledgement adds half a packet at most.
#[test]
fn however_far_the_curve_is_an_acknowledgement_adds_half_a_packet_at_most() {
    let mut cubic = Cubic::default();
    let window = cubic.lose(10.0, 10.0);
    let first = cubic.grow(window, 1.0, RTT, at(0));
    assert!((cubic.grow(first, 1.0, RTT, at(600_000)) - (first + 0.5)).abs() < 1e-9);
}

/// §4.3, (4): where Reno would be faster the window is W_est: 3 (1 - 0.7) / (1 + 0.7) packets a round trip, one from the
/// window on that was there when the threshold was set.
#[test]
fn on_a_short_path_the_window_grows_as_renos_would() {
    let mut cubic = Cubic::default();
    let mut window = cubic.lose(10.0, 10.0);
    let (mut est, alpha) = (7.0, 9.0 / 17.0);
    for acknowledgement in 0..200u64 {
        let slope = if est >= 10.0 { 1.0 } else { alpha };
        est += slope / window;
        // A round trip of a millisecond: the cubic has not moved by then.
        window = cubic.grow(window, 1.0, Span::from_milliseconds(1), Time::from_nanoseconds(100_000 * acknowledgement));
        assert!((window - est).abs() < 1e-9, "{window} instead of {est} after {acknowledgement}");
    }
    assert!(est > 20.0, "both slopes were seen");
}

/// §4.3: delayed acknowledgements count for what they acknowledge.
#[test]
fn an_acknowledgement_of_two_packets_lets_reno_grow_by_two() {
    let grown = |packets| {
        let mut cubic = Cubic::default();
        let window = cubic.lose(10.0, 10.0);
        cubic.grow(window, packets, Span::from_milliseconds(1), at(0)) - window
    };
    assert!((grown(2.0) - 2.0 * grown(1.0)).abs() < 1e-12 && grown(1.0) > 0.07);
}

/// §4.6: seven tenths of what is under way are left, and no less than two packets.
#[test]
fn a_loss_leaves_seven_tenths() {
    assert_eq!(Cubic::default().lose(100.0, 100.0), 70.0);
    assert_eq!(Cubic::default().lose(100.0, 50.0), 35.0, "of what is under way");
    assert_eq!(Cubic::default().lose(2.5, 2.5), 2.0);
}

/// §4.7: a loss below the last W_max makes the next one lower than the window: 0.85 of it, so that K is shorter.
#[test]
fn a_second_loss_below_the_first_leaves_room_for_others() {
    let flat_at = |windows: [f64; 2]| {
        let mut cubic = Cubic::default();
        cubic.lose(windows[0], windows[0]);
        let mut window = cubic.lose(windows[1], windows[1]);
        // Where the window hardly grows is W_max; the slope of Reno is out of the way on a long path with a large window.
        let mut flattest = (f64::INFINITY, 0.0);
        for tick in 0..12_000u64 {
            let next = cubic.grow(window, 0.0, Span::ZERO, Time::from_nanoseconds(1_000_000 * tick));
            if next - window < flattest.0 && tick > 1000 {
                flattest = (next - window, next);
            }
            window = next;
        }
        flattest.1
    };
    assert!((flat_at([2000.0, 1000.0]) - 850.0).abs() < 10.0, "{}", flat_at([2000.0, 1000.0]));
    assert!((flat_at([1000.0, 1000.0]) - 1000.0).abs() < 10.0, "{}", flat_at([1000.0, 1000.0]));
}

/// §4.8: after a timeout the next avoidance begins at its own W_max with K = 0: convex from the start.
#[test]
fn after_a_timeout_the_window_grows_from_where_avoidance_begins() {
    let mut cubic = Cubic::default();
    assert_eq!(cubic.time_out(100.0, 100.0), 70.0);
    let mut window = 70.0;
    for tick in 0..40_000u64 {
        window = cubic.grow(window, 0.0, Span::ZERO, Time::from_nanoseconds(100_000 * tick));
    }
    let expected = 0.4 * 4.0f64.powi(3) + 70.0;
    assert!((window - expected).abs() < 1.0, "{window} instead of {expected}");
}

/// §4.2 and §5.8: the time in which the window was not used is not counted.
#[test]
fn time_stands_still_while_the_window_is_not_used() {
    let run = |pause: Span| {
        let mut cubic = Cubic::default();
        let mut window = cubic.lose(1000.0, 1000.0);
        let mut now = Time::ZERO;
        for tick in 0..60_000 {
            if tick == 30_000 {
                cubic.leave_unused(now);
                now += pause;
            }
            window = cubic.grow(window, 1.0, RTT, now);
            now += Span::from_nanoseconds(100_000);
        }
        window
    };
    assert_eq!(run(Span::ZERO), run(Span::from_milliseconds(100_000)));
}

/// §5.1, Tables 1 and 2: the average window where every (1/p)-th packet is lost, for C = 0.4, within a tenth: the tables take
/// the larger of two formulas where a window has the larger of both at each moment. It begins near, since from afar it takes
/// hundreds of losses; and a flow alone has no fast convergence there (§4.7).
#[test]
fn average_windows_are_those_of_the_rfcs_tables() {
    let table = [
        (100, 1e-2, 12.0),
        (100, 1e-3, 38.0),
        (100, 1e-4, 187.0),
        (100, 1e-5, 1054.0),
        (10, 1e-2, 12.0),
        (10, 1e-3, 38.0),
        (10, 1e-4, 120.0),
        (10, 1e-5, 379.0),
    ];
    for (milliseconds, loss, expected) in table {
        let average = average_window(Span::from_milliseconds(milliseconds), loss, expected);
        assert!((average / expected - 1.0).abs() < 0.1, "{average} instead of {expected}: {milliseconds} ms, {loss}");
    }
}

/// Over ten losses, after ten more.
fn average_window(round_trip: Span, loss: f64, begins_near: f64) -> f64 {
    let mut cubic = Cubic::default();
    let (mut window, mut packets, mut now) = (cubic.lose(begins_near, begins_near), 0.0, 0.0);
    let (mut losses, mut sum, mut since) = (0, 0.0, 0.0);
    let rtt = round_trip.as_seconds();
    while losses < 20 {
        now += rtt / window;
        packets += 1.0;
        window = cubic.grow(window, 1.0, round_trip, Time::ZERO + Span::from_seconds(now));
        if losses >= 10 {
            sum += rtt;
        }
        if packets >= 1.0 / loss {
            packets = 0.0;
            losses += 1;
            cubic = Cubic::default();
            window = cubic.lose(window, window);
            if losses == 10 {
                since = now;
            }
        }
    }
    sum / (now - since)
}

/// A sender that has only now got its first acknowledgement, of the SYN.
fn cubic_sender(variant: Variant) -> Sender {
    let mut sender = sender_of(&TcpConfig {
        variant: Some(variant),
        congestion_control: Some(CongestionControl::Cubic),
        initial_window: PacketWindow::new(10),
        maximum_window: PacketWindow::new(100),
        handshake: Some(true),
        ..TcpConfig::default()
    });
    sender.start(at(0));
    sender.handle_acknowledgement(0, at(100));
    assert_eq!(sent(&mut sender).len(), 11);
    sender
}

#[test]
fn whatever_recovers_from_a_loss_cubic_leaves_seven_tenths() {
    for variant in [Variant::Reno, Variant::NewReno] {
        let mut sender = cubic_sender(variant);
        (0..3).for_each(|_| sender.handle_acknowledgement(0, at(200)));
        assert_eq!((sender.congestion_window(), sender.slow_start_threshold()), (7.0, 7.0));
    }
}

#[test]
fn a_timeout_leaves_a_threshold_of_seven_tenths() {
    for variant in [Variant::Reno, Variant::Sack, Variant::RackTlp] {
        let mut sender = cubic_sender(variant);
        while sender.timeouts() == 0 {
            sender.handle_timeout(sender.poll_timeout().expect("outstanding"));
        }
        assert!((sender.slow_start_threshold() - 7.0).abs() < 0.8, "{}", sender.slow_start_threshold());
        assert_eq!(sender.congestion_window(), 1.0);
    }
}

/// §5.8: a window that holds nothing back does not grow, neither in slow start.
#[test]
fn a_window_that_nobody_used_does_not_grow() {
    let mut sender = Sender::new(
        TcpConfig {
            congestion_control: Some(CongestionControl::Cubic),
            initial_window: PacketWindow::new(10),
            ..TcpConfig::default()
        }
        .settings(),
        4,
        Span::ZERO,
    );
    sender.start(at(0));
    (0..4).for_each(|number| sender.handle_acknowledgement(number, at(100)));
    assert_eq!(sender.congestion_window(), 10.0);
    sender.send_more(12, at(200));
    sender.handle_acknowledgement(4, at(300));
    assert_eq!(sender.congestion_window(), 11.0);
}

/// RFC 5681 §4.1: after a silence the window is the initial one at most.
#[test]
fn after_a_silence_the_window_is_the_initial_one_at_most() {
    let mut sender = cubic_sender(Variant::RackTlp);
    sender.end = 11;
    (1..=10).for_each(|number| sender.handle_acknowledgement(number, at(200)));
    assert!(sender.is_finished() && sender.congestion_window() > 10.0);
    sender.send_more(100, at(60_000));
    assert_eq!(sent(&mut sender).len(), 10);
}
