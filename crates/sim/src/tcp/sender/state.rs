//! What can be read off a sender.

use super::Sender;
use arqway_link::RoundTrip;

impl Sender {
    /// The highest packet acknowledged; -1 before the first.
    #[must_use]
    pub fn acknowledged(&self) -> i64 {
        self.acknowledged
    }

    /// The highest packet sent; -1 before the first.
    #[must_use]
    pub fn highest_sent(&self) -> i64 {
        self.highest_sent
    }

    /// How many data packets are acknowledged.
    #[must_use]
    pub fn packets_acknowledged(&self) -> u64 {
        u64::try_from(self.acknowledged + 1 - i64::from(self.settings.handshake)).unwrap_or(0)
    }

    /// How often the retransmission timer expired.
    #[must_use]
    pub fn timeouts(&self) -> u64 {
        self.timeouts
    }

    /// Whether the first packet had to be sent again, after which data begin with a window of one.
    #[must_use]
    pub fn has_lost_start(&self) -> bool {
        self.has_lost_start
    }

    /// The congestion window in packets.
    #[must_use]
    pub fn congestion_window(&self) -> f64 {
        self.window
    }

    /// The slow-start threshold in packets.
    #[must_use]
    pub fn slow_start_threshold(&self) -> f64 {
        self.threshold
    }

    /// How many duplicate acknowledgements came in a row.
    #[must_use]
    pub fn duplicate_acknowledgements(&self) -> u32 {
        self.duplicates
    }

    /// What the timeout is multiplied by.
    #[must_use]
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// The round-trip estimate, in ticks.
    #[must_use]
    pub fn round_trip(&self) -> &RoundTrip {
        &self.round_trip
    }
}
