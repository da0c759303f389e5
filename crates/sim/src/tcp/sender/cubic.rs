//! CUBIC: a window that grows with the time since the last loss (RFC 9438). Windows in packets, times in seconds.
//!
//! ```text
//!     W_max  ....................._______....../     W_cubic(t) = C (t - K)^3 + W_max     (1)
//!                           __----       ----_/      K = cuberoot((W_max - cwnd) / C)     (2)
//!                        _-        |                 concave up to K, convex beyond
//!            | 0.7      /          K
//!            |_________/
//!            loss      0 --> t
//! ```
//!
//! Where Reno would be faster, on paths that are short or slow, the window is what Reno's would be (§4.3).
//!
//! | the RFC leaves open | here |
//! | --- | --- |
//! | what limits the window when a loss is seen (§4.6) | the packets under way, as `ssthresh` asks for |
//! | a window above W_max when avoidance begins | K = 0 and W_max the window, as after a timeout (§4.8) |
//! | W_est below a window that the cubic had raised | the window stays: an acknowledgement never shrinks it |
//! | spurious losses (§4.9), HyStart++ (§4.10) | nothing is restored; slow start is RFC 5681's |
//! | a window that nobody used (§5.8) | does not grow, and t stands still |

use arqway_units::{Span, Time};

/// How aggressive it is (§5).
const C: f64 = 0.4;
/// What is left of a window after a loss (§4.6).
const BETA: f64 = 0.7;
/// By how much Reno's window grows in a round trip if it shrinks to 0.7, for the same mean as growing by 1 and shrinking to 0.5 (§4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// No threshold is smaller (§4.6; RFC 5681 §3.1).
pub(super) const LEAST: f64 = 2.0;

/// The state beside window and threshold.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cubic {
    /// The window before the last loss, or less (§4.7); none after a timeout.
    w_max: Option<f64>,
    /// The window when the threshold was set last.
    prior: f64,
    /// The congestion avoidance of now.
    epoch: Option<Epoch>,
    /// Since when the window is not used.
    unused_since: Option<Time>,
}

/// From where, and along which curve, the window grows.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    start: Time,
    k: f64,
    w_max: f64,
    /// What Reno's window would be.
    w_est: f64,
}

impl Epoch {
    /// (1)
    fn w_cubic(&self, t: f64) -> f64 {
        let since_k = t - self.k;
        C * since_k * since_k * since_k + self.w_max
    }
}

impl Cubic {
    /// A loss was seen with a window of which so many packets were under way: the new one, which is the threshold too
    /// (§4.6, §4.7).
    pub(super) fn lose(&mut self, window: f64, under_way: f64) -> f64 {
        // Fast convergence: whoever has less than before leaves room for the newcomer.
        let falls = self.w_max.is_some_and(|w_max| window < w_max);
        self.w_max = Some(if falls { window * (1.0 + BETA) / 2.0 } else { window });
        self.prior = window;
        self.epoch = None;
        (under_way * BETA).max(LEAST)
    }

    /// The retransmission timer has expired: the threshold (§4.8).
    pub(super) fn time_out(&mut self, window: f64, under_way: f64) -> f64 {
        let threshold = self.lose(window, under_way);
        self.w_max = None;
        threshold
    }

    /// The window after an acknowledgement of so many packets in congestion avoidance (§4.2 to §4.5).
    pub(super) fn grow(&mut self, window: f64, packets: f64, round_trip: Span, now: Time) -> f64 {
        self.use_again(now);
        let (w_max, prior) = (self.w_max.filter(|w_max| *w_max > window), self.prior);
        let epoch = self.epoch.get_or_insert_with(|| {
            let w_max = w_max.unwrap_or(window);
            Epoch { start: now, k: libm::cbrt((w_max - window) / C), w_max, w_est: window }
        });
        let t = now.since(epoch.start).as_seconds();
        let alpha = if epoch.w_est >= prior { 1.0 } else { ALPHA };
        epoch.w_est += alpha * packets / window;
        if epoch.w_cubic(t) < epoch.w_est {
            return window.max(epoch.w_est);
        }
        let target = epoch.w_cubic(t + round_trip.as_seconds()).clamp(window, 1.5 * window);
        window + (target - window) / window
    }

    /// The window held nothing back: the time of the epoch stands still until it does again (§4.2, §5.8).
    pub(super) fn leave_unused(&mut self, now: Time) {
        self.unused_since.get_or_insert(now);
    }

    fn use_again(&mut self, now: Time) {
        if let (Some(since), Some(epoch)) = (self.unused_since.take(), &mut self.epoch) {
            epoch.start += now.since(since.max(epoch.start));
        }
    }

    /// After a silence the window is a new one (RFC 5681 §4.1): so is the epoch.
    pub(super) fn begin_anew(&mut self) {
        (self.epoch, self.unused_since) = (None, None);
    }

    /// The sender's clock stood still for so long.
    pub(super) fn stand_still(&mut self, length: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += length;
        }
        self.unused_since = self.unused_since.map(|since| since + length);
    }
}
