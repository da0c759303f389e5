//! What a tunnel says of itself: `arqway status`, and its JSON.
//!
//! Quantities are in SI units and say so by their names; what is not known is `null`.

use crate::hub::Counters;
use arqway_link::Counters as Counted;
use arqway_link::metrics::EndMetrics;
use arqway_session as session;
use arqway_units::Ratio;
use serde::{Deserialize, Serialize};

/// A tunnel, now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Its device.
    pub interface: String,
    /// By what its peers know it.
    pub public_key: String,
    /// Where datagrams arrive: an address, or a serial line's device.
    pub listens_at: String,
    /// For how long it has been running.
    pub running_s: f64,
    /// The other ends, in the order of the settings.
    pub peers: Vec<PeerStatus>,
    /// What was counted over all of them.
    pub counters: CountersStatus,
}

/// A peer and the link to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeerStatus {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub address: Option<String>,
    /// Whether packets cross the link.
    pub is_up: bool,
    /// Whether it is down because somebody said so: `arqway hint`.
    pub is_announced_down: bool,
    /// Whether it is down because the serial line has no device.
    pub is_line_gone: bool,
    /// How long ago something of it arrived.
    pub heard_s_ago: Option<f64>,
    /// The share of its last thousand or two datagrams that did not arrive.
    #[serde(default)]
    pub datagram_loss: Option<f64>,
    /// The smoothed round-trip time.
    pub round_trip_s: Option<f64>,
    /// The largest datagram, with all that the line adds.
    pub mtu_octets: u64,
    /// How fast datagrams leave.
    pub rate_bps: Option<u64>,
    /// How fast they should, while they leave more slowly since less than half arrived.
    pub slowed_from_bps: Option<u64>,
    /// What holds the rate, where it is found: `probing`, `steady`, `delay`, `others`, `marks`, `losses` or `application`.
    pub rate_found: Option<String>,
    /// How long a queue stands on the line, where the rate is found.
    pub line_queue_s: Option<f64>,
    /// What the line carries, while that is less: packets wait in a queue before it, and are lost there.
    pub line_carries_bps: Option<u64>,
    /// How fast they arrived there between its last reports.
    pub delivery_rate_bps: Option<u64>,
    /// Its lines, by their numbers, where there are several; what stands above is of the first of them, but for `is_up`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineStatus>,
    /// The services, by their numbers.
    pub services: Vec<ServiceStatus>,
}

/// One line of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineStatus {
    /// What this end calls it, if it has several: the interface that it goes by, or the address that it goes from.
    pub name: Option<String>,
    /// Where the peer is by it.
    pub address: Option<String>,
    /// Whether packets cross it.
    pub is_up: bool,
    /// Whether packets go by it only while no other line is there, as one of both ends says.
    #[serde(default)]
    pub is_spare: bool,
    /// Whether it carries too little beside another for TCP's packets, as far as it has shown.
    #[serde(default)]
    pub is_slow: bool,
    /// What this end has sent by it, with all that the line adds, since the start of the tunnel.
    #[serde(default)]
    pub sent_octets: u64,
    /// What came by it.
    #[serde(default)]
    pub received_octets: u64,
    /// What may cross it in a month, if it has a budget.
    #[serde(default)]
    pub budget_octets: Option<u64>,
    /// What has in this one, then.
    #[serde(default)]
    pub month_octets: Option<u64>,
    /// The share of the peer's last thousand or two datagrams by it that did not arrive.
    #[serde(default)]
    pub datagram_loss: Option<f64>,
    /// The smoothed round-trip time.
    pub round_trip_s: Option<f64>,
    /// The largest datagram, with all that the line adds.
    pub mtu_octets: u64,
    /// How fast datagrams leave.
    pub rate_bps: Option<u64>,
    /// What holds the rate, where it is found.
    pub rate_found: Option<String>,
    /// How fast they arrived at the peer between its last reports.
    pub delivery_rate_bps: Option<u64>,
}

/// A service, over the last seconds (multiservice, Table I).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServiceStatus {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Of the octets that it put on the link, the share of packets.
    pub goodput: Option<f64>,
    /// Of the packets that the peer sent by it, the share that recovery did not bring back.
    pub loss: Option<f64>,
    /// How often a frame with a packet was sent again, on average.
    pub retransmissions: Option<f64>,
    /// What was sent by it of packets, a second.
    pub sent_bps: f64,
    /// What it delivered.
    pub received_bps: f64,
    /// Packets that its queue dropped, since the start of the tunnel.
    pub packets_refused: u64,
    /// Packets that its queue marked in place of that.
    pub packets_marked: u64,
    /// Acknowledgements of TCP that were made here, where it ends at both ends of the link.
    pub acknowledgements_made: u64,
}

impl ServiceStatus {
    pub(crate) fn new(name: &str, kind: &str, metrics: &EndMetrics, window_s: f64, counted: &Counted) -> Self {
        let rate = |octets: u64| arqway_units::ToFloat::to_f64(octets) * 8.0 / window_s;
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            goodput: metrics.sent.goodput.map(Ratio::as_f64),
            loss: metrics.received.loss.map(Ratio::as_f64),
            retransmissions: metrics.sent.retransmissions,
            sent_bps: rate(metrics.sent.octets),
            received_bps: rate(metrics.received.octets),
            packets_refused: counted.packets_refused,
            packets_marked: counted.packets_marked,
            acknowledgements_made: counted.acknowledgements_regenerated,
        }
    }
}

/// What was counted since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CountersStatus {
    /// The tunnel's own.
    #[serde(flatten)]
    pub own: Counters,
    /// Datagrams that the line took.
    pub datagrams_sent: u64,
    /// Datagrams that the line refused for ever.
    pub datagrams_lost: u64,
    /// Datagrams that were nothing that the session knows, or were not for us.
    pub datagrams_unknown: u64,
    /// Handshakes that were begun with a key that is no peer's.
    pub datagrams_of_strangers: u64,
    /// Datagrams that did not verify.
    pub datagrams_forged: u64,
    /// Datagrams that had come before.
    pub datagrams_replayed: u64,
    /// Datagrams that were sealed with a key that is too old.
    pub datagrams_expired: u64,
    /// Handshakes beyond those that are answered in a time.
    pub datagrams_overload: u64,
    /// Frames of a serial line that arrived damaged.
    pub datagrams_damaged: u64,
}

impl CountersStatus {
    pub(crate) fn new(own: Counters, (sent, lost): (u64, u64), session: session::Counters, damaged: u64) -> Self {
        // Whatever the session drops is told.
        let session::Counters {
            malformed,
            unknown_index,
            expired,
            forged,
            replayed,
            not_for_us,
            strangers,
            overload,
            cookies: _,
            stale: _,
            genuine: _,
            handshakes: _,
            refused: _,
        } = session;
        Self {
            own,
            datagrams_sent: sent,
            datagrams_lost: lost,
            datagrams_unknown: malformed + unknown_index + not_for_us,
            datagrams_of_strangers: strangers,
            datagrams_forged: forged,
            datagrams_replayed: replayed,
            datagrams_expired: expired,
            datagrams_overload: overload,
            datagrams_damaged: damaged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_session_drops_is_counted_under_its_own_name() {
        let session = session::Counters {
            malformed: 1,
            unknown_index: 2,
            not_for_us: 4,
            strangers: 8,
            forged: 16,
            replayed: 32,
            expired: 64,
            overload: 128,
            ..session::Counters::default()
        };
        let expected = CountersStatus {
            datagrams_unknown: 7,
            datagrams_of_strangers: 8,
            datagrams_forged: 16,
            datagrams_replayed: 32,
            datagrams_expired: 64,
            datagrams_overload: 128,
            ..CountersStatus::default()
        };
        assert_eq!(CountersStatus::new(Counters::default(), (0, 0), session, 0), expected);
    }
}
