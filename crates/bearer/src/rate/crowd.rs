//! Beside a rival who fills the queue, whoever yields to delay gets nothing: the window of CUBIC (RFC 9438) instead, until the queue has
//! been empty again.

use arqway_units::{Span, Time};

/// How much a window shrinks for a loss, RFC 9438 §4.6.
const BETA: f64 = 0.7;
/// How fast it grows, in datagrams a cubic second, RFC 9438 §5.
const C: f64 = 0.4;
/// A datagram of Ethernet.
const DATAGRAM: f64 = 1500.0;

/// A window as CUBIC's, in octets.
#[derive(Debug)]
pub(super) struct Crowd {
    most: f64,
    at_loss: f64,
    began: Time,
    /// The shortest and the longest queue so far, in seconds.
    queues: [f64; 2],
}

impl Crowd {
    /// From what is under way now.
    pub(super) fn new(window: f64, now: Time) -> Self {
        Self { most: window / BETA, at_loss: window, began: now, queues: [f64::MAX, 0.0] }
    }

    /// By how much the queue has moved up to this one.
    pub(super) fn swing(&mut self, queue: f64) -> f64 {
        let [least, most] = self.queues;
        self.queues = [least.min(queue), most.max(queue)];
        self.queues[1] - self.queues[0]
    }

    /// Datagrams were lost, more than usual.
    pub(super) fn lose(&mut self, round_trip: Span, now: Time) {
        if now.since(self.began) > round_trip {
            let window = self.window(round_trip, now);
            *self =
                Self { most: window, at_loss: (window * BETA).max(2.0 * DATAGRAM), began: now, queues: self.queues };
        }
    }

    /// How much may be under way: a cubic function of time, or Reno's line where that is higher.
    pub(super) fn window(&self, round_trip: Span, now: Time) -> f64 {
        let seconds = now.since(self.began).as_seconds();
        let flat = libm::cbrt((self.most - self.at_loss).max(0.0) / DATAGRAM / C);
        let from_flat = seconds - flat;
        let cubic = self.most + C * from_flat * from_flat * from_flat * DATAGRAM;
        let rounds = seconds / round_trip.as_seconds().max(1e-3);
        let reno = self.at_loss + 3.0 * (1.0 - BETA) / (1.0 + BETA) * rounds * DATAGRAM;
        cubic.max(reno)
    }
}
