//! What the network between the hosts did in one run.

use arqway_link::Counters;
use arqway_units::BitRate;

/// What the links counted; shares are in \[0, 1\].
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkOutcome {
    /// The mean rate of the wireless link toward the client.
    pub rate: BitRate,
    /// Share of the frames with data toward the client that were lost to errors.
    pub frame_loss_rate: Option<f64>,
    /// How many of them were lost in a row, on average, if any were.
    pub frame_loss_run: Option<f64>,
    /// Frames that the queues of the wireless link dropped, because they were full.
    pub queue_drops: u64,
    /// Frames that were on the air, or started, while the link was down.
    pub lost_in_outages: u64,
    /// Packets that came for a TCP connection that was closed.
    pub late_packets: u64,
    /// Packets that the queues of the wired link, or of a forwarding node, dropped, because they were full.
    pub wired_drops: u64,
    /// Those of them that the forwarding node dropped on their way to the client.
    pub node_drops: Option<u64>,
    /// Packets that the wired link lost at random.
    pub wired_losses: u64,
    /// What the access point's end of the link layer counted.
    pub access_point: Counters,
    /// What the client's end counted.
    pub client: Counters,
}
