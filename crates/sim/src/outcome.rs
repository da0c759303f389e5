//! What the users got, and what the link did, in one run.

use alloc::vec::Vec;
use arqway_link::Counters;
use arqway_units::Time;

/// The result of a run; rates in bits per second, times in seconds, shares in \[0, 1\].
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// When the run ended.
    pub ended: Time,
    /// Whether all of every file was acknowledged before the run ended.
    pub file_complete: Option<bool>,
    /// Application data of all files acknowledged, over the time until the last acknowledgement, or until the run ended.
    pub throughput_bps: Option<f64>,
    /// How often a file's retransmission timer expired, for each connection.
    pub tcp_timeouts: Option<f64>,
    /// What the browser got.
    pub web: Option<WebOutcome>,
    /// What greedy sources got.
    pub bulk: Option<TcpBulkOutcome>,
    /// Mean time of a lecture's packet from host to host.
    pub media_delay_s: Option<f64>,
    /// The standard deviation of that time.
    pub media_delay_deviation_s: Option<f64>,
    /// Share of the lecture's packets sent that were not heard; what may still be under way is left out.
    pub media_loss: Option<f64>,
    /// How many octets the lecture's service took of the line for each octet of a packet, less one.
    pub media_overhead: Option<f64>,
    /// What of the line toward the client the lecture's service did not take, where it carries nothing else.
    pub left_by_media_bps: Option<f64>,
    /// What the lecture sent.
    pub media_offered_bps: Option<f64>,
    /// Share of the frames with data toward the client that were lost to errors.
    pub frame_loss_rate: Option<f64>,
    /// How many of them were lost in a row, on average, if any were.
    pub frame_loss_run: Option<f64>,
    /// Frames that found no room in the wireless link's queues.
    pub queue_drops: u64,
    /// Frames that were on the air, or started, while the link was gone.
    pub lost_in_outages: u64,
    /// Packets that came for a TCP connection that was closed.
    pub late_packets: u64,
    /// Packets that found no room in the wired link's queues, or in a forwarding node's.
    pub wired_drops: u64,
    /// Those of them that found no room in the forwarding node on their way to the client.
    pub node_drops: Option<u64>,
    /// Packets that the wired link lost at random.
    pub wired_losses: u64,
    /// What the access point's end of the link layer counted.
    pub access_point: Counters,
    /// What the client's end counted.
    pub client: Counters,
    /// How many events the run took.
    pub events: u64,
}

/// What the browser got.
#[derive(Debug, Clone, PartialEq)]
pub struct WebOutcome {
    /// Pages and objects from the server, their true lengths, counted as the settings say.
    pub throughput_bps: f64,
    /// How many pages were there with all their objects.
    pub pages: u64,
    /// How long a page took on average, from its request to the last of its objects, if one was there.
    pub response_s: Option<f64>,
    /// How often a retransmission timer expired, for each connection.
    pub timeouts: Option<f64>,
}

/// What greedy sources got, and what their TCP did meanwhile.
#[derive(Debug, Clone, PartialEq)]
pub struct TcpBulkOutcome {
    /// Data acknowledged on all connections together, over the time that they had.
    pub throughput_bps: f64,
    /// How often a retransmission timer expired, for each connection.
    pub timeouts: f64,
    /// The mean of all round-trip times that their TCP measured.
    pub round_trip_s: Option<f64>,
    /// How many bursts of one packet, of two, and so on up to the maximum window their senders sent.
    pub bursts: Vec<u64>,
    /// From a timeout until half of the maximum window was open again: the mean of those that came so far.
    pub recovery_s: Option<f64>,
    /// From the moment when a packet that the wire lost would have arrived until it was sent again: the mean.
    pub response_s: Option<f64>,
    /// The most new acknowledgements that came to one sender within 30 ms.
    pub most_acknowledgements: u64,
    /// Where the first connection stood, at the moments that were asked for.
    pub samples: Vec<TcpBulkSample>,
}

/// Where a connection stood at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TcpBulkSample {
    /// When.
    pub at: Time,
    /// The congestion window in packets.
    pub window: f64,
    /// The highest packet sent; -1 before the first.
    pub sent: i64,
    /// The highest packet acknowledged; -1 before the first.
    pub acknowledged: i64,
}
