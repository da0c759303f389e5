//! What each service of a link makes of it, in numbers that mean the same for any recovery scheme (multiservice, Section IX,
//! Table I).
//!
//! | | | known at | from |
//! | --- | --- | --- | --- |
//! | goodput g | packets' octets / all octets on the link | sender | octets put into frames for the first time; every frame that starts, with tag, head, parity, copies and acknowledgements |
//! | loss l | packets lost / packets lost and received | receiver | the sequence released, where the service numbers its packets |
//! | delay d | error recovery only, one way | both | the link's own delay, and a round trip for each time that a frame was sent again |
//! | effective goodput e | g (1 - l) | | |
//!
//! An end sends in one direction and receives in the other, so it knows half of each: [`ServiceMetrics::one_way`] joins what
//! the sender of a direction says with what its receiver says. All are taken over a [sliding window](MeasurementWindow).
//!
//! ```
//! use arqway_link::metrics::ServiceMetrics;
//! use arqway_units::{BitRate, Ratio, Span};
//! # fn ratio(value: f64) -> Ratio { Ratio::new(value).unwrap() }
//! // Every tenth octet is overhead, and one packet in fifty is lost for good.
//! let service = ServiceMetrics { goodput: ratio(0.9), loss: ratio(0.02), delay: Span::from_milliseconds(7) };
//! let link: BitRate = "5 Mbit/s".parse().unwrap();
//! // With a fifth of the link it carries 5 Mbit/s * 0.2 * 0.9 * 0.98,
//! assert_eq!(service.throughput(link, ratio(0.2)), "882 kbit/s".parse().ok());
//! // and to carry that it needs a fifth of the link.
//! let share = service.share_for(link, "882 kbit/s".parse().unwrap()).unwrap();
//! assert!((share.as_f64() - 0.2).abs() < 1e-9);
//! ```

mod window;

pub use window::MeasurementWindow;
pub(crate) use window::{Sliding, Totals};

use arqway_units::{BitRate, Ratio, Span, ToFloat, truncate};

/// One service in one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceMetrics {
    /// Of the octets on the link, the share that packets have; whether they arrive is no matter.
    pub goodput: Ratio,
    /// The share of the packets that recovery does not bring back.
    pub loss: Ratio,
    /// What recovery adds to the link's own delay, and that; queueing comes on top.
    pub delay: Span,
}

impl ServiceMetrics {
    /// What the two ends of a direction know of it; `None` while one of them does not know its part. Whoever can measure
    /// delay, having one clock for both ends, writes it into the result.
    #[must_use]
    pub fn one_way(sent: &SenderMetrics, received: &ReceiverMetrics, link: &LinkDelay) -> Option<Self> {
        Some(Self {
            goodput: sent.goodput?,
            loss: received.loss?,
            delay: link.with_retransmissions(sent.retransmissions.unwrap_or(0.0)),
        })
    }

    /// Of the octets on the link, the share of packets that arrive.
    #[must_use]
    pub fn effective_goodput(&self) -> Ratio {
        share(self.goodput.as_f64() * (1.0 - self.loss.as_f64()))
    }

    /// What arrives of packets, with this share of a link: B r e. `None` where that is less than a bit per second.
    #[must_use]
    pub fn throughput(&self, link: BitRate, share: Ratio) -> Option<BitRate> {
        let bits = link.as_bits_per_second().to_f64() * share.as_f64() * self.effective_goodput().as_f64();
        whole(bits).and_then(BitRate::from_bits_per_second)
    }

    /// What share of a link it takes for so much to arrive; `None` where all of the link is not enough.
    #[must_use]
    pub fn share_for(&self, link: BitRate, target: BitRate) -> Option<Ratio> {
        let all = link.as_bits_per_second().to_f64() * self.effective_goodput().as_f64();
        Ratio::new(target.as_bits_per_second().to_f64() / all)
    }
}

/// What the sending end of a direction knows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SenderMetrics {
    /// `None` where nothing was sent.
    pub goodput: Option<Ratio>,
    /// Octets of packets that it sent, each counted once.
    pub octets: u64,
    /// How often a frame with a packet was sent again, on average; `None` where none was sent.
    pub retransmissions: Option<f64>,
}

/// What the receiving end of a direction knows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReceiverMetrics {
    /// `None` where nothing came, or where the service cannot tell: frames without numbers do not show a gap.
    pub loss: Option<Ratio>,
    /// How many packets tell that: delivered and lost.
    pub packets: u64,
    /// Octets of packets that it delivered.
    pub octets: u64,
}

impl ReceiverMetrics {
    /// What is lost, going by both ends, which tells it of any service; `None` where nothing was sent. What is still under
    /// way counts as lost, so it is for ends at rest, or for long runs.
    #[must_use]
    pub fn loss_by_both_ends(&self, sent: &SenderMetrics) -> Option<Ratio> {
        (sent.octets > 0).then(|| share(1.0 - self.octets.to_f64() / sent.octets.to_f64()))
    }
}

/// What one end knows: of what it sends, and of what it receives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EndMetrics {
    /// Toward the peer.
    pub sent: SenderMetrics,
    /// From the peer.
    pub received: ReceiverMetrics,
}

/// The delays of a link without errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDelay {
    /// Sending a frame, and its way.
    pub one_way: Span,
    /// Until a lost frame is asked for again and sent again.
    pub round_trip: Span,
}

impl LinkDelay {
    /// One way, and a round trip for each time that a frame is sent again.
    #[must_use]
    pub fn with_retransmissions(&self, retransmissions: f64) -> Span {
        self.one_way + Span::from_seconds(self.round_trip.as_seconds() * retransmissions)
    }
}

/// A share of what may have been rounded out of \[0, 1\].
pub(crate) fn share(value: f64) -> Ratio {
    Ratio::new(value.clamp(0.0, 1.0)).unwrap_or(Ratio::ZERO)
}

/// The nearest whole number of bits per second, of what is not negative.
pub(crate) fn whole(bits_per_second: f64) -> Option<u64> {
    (bits_per_second >= 0.0).then(|| truncate(bits_per_second + 0.5))
}

#[cfg(test)]
mod tests;
