//! What the users got, and what the link did, in one run.

use arqway_link::Counters;
use arqway_units::Time;

/// The result of a run; rates in bits per second, times in seconds, shares in \[0, 1\].
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// When the run ended.
    pub ended: Time,
    /// Whether all of the file was acknowledged before the run ended.
    pub file_complete: Option<bool>,
    /// Application data of the file acknowledged, over the time until the last acknowledgement, or until the run ended.
    pub throughput_bps: Option<f64>,
    /// How often TCP's retransmission timer expired.
    pub tcp_timeouts: Option<u64>,
    /// Mean time of a lecture's packet from host to host.
    pub media_delay_s: Option<f64>,
    /// Share of the lecture's packets sent that were not heard.
    pub media_loss: Option<f64>,
    /// What the lecture sent.
    pub media_offered_bps: Option<f64>,
    /// Share of the frames with data toward the client that were lost to errors.
    pub frame_loss_rate: Option<f64>,
    /// How many of them were lost in a row, on average, if any were.
    pub frame_loss_run: Option<f64>,
    /// Frames that found no room in the wireless link's queues.
    pub queue_drops: u64,
    /// Packets that found no room in the wired link's queues.
    pub wired_drops: u64,
    /// What the access point's end of the link layer counted.
    pub access_point: Counters,
    /// What the client's end counted.
    pub client: Counters,
    /// How many events the run took.
    pub events: u64,
}
