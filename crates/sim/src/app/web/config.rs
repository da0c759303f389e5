//! The settings of Web Browsing: what ns-2's ways of doing it differ in.

use crate::packet::PacketLength;
use arqway_link::mux::Ds;
use arqway_units::{Span, optional_positive_span};
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WebConfig {
    /// Whether anybody browses.
    pub enabled: bool,
    /// How long a packet is; the scenario's `headers` says whether headers are inside.
    pub packet: PacketLength,
    /// How many objects of a page are fetched at once.
    pub parallel: Parallel,
    /// What connections requests and replies have.
    pub connections: ConnectionUse,
    /// When a request counts as there, and when a reply.
    pub next_step: NextStep,
    /// How a request is sent.
    pub requests: Requests,
    /// How a message ends that is cut into packets.
    pub last_packet: LastPacket,
    /// What the throughput counts.
    pub counted: Counted,
    /// Whether a place for fetching whose first packet was once lost begins with a window of one ever after, as ns-2's
    /// does, which uses its agents again.
    pub remember_lost_start: bool,
    /// How long it goes on where no file is transferred, which would end the run; else as long as the run may take.
    #[serde(deserialize_with = "optional_positive_span")]
    pub duration: Option<Span>,
    /// The differentiated services field of its packets, acknowledgements too.
    pub ds: Ds,
}

/// What connections requests and replies have; data flow one way over each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionUse {
    /// A new one for each request and for each reply.
    #[default]
    New,
    /// One for requests and one for replies, kept as long as the browser runs.
    Kept,
}

/// When one thing has led to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NextStep {
    /// When its sender has the last acknowledgement, as in ns-2.
    #[default]
    Acknowledged,
    /// When its receiver has all of it.
    Received,
}

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Requests {
    /// Cut into packets, as replies are.
    #[default]
    Packets,
    /// In one packet of its own length.
    OnePacket,
}

/// How a message ends that is cut into packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LastPacket {
    /// With a whole packet, as in ns-2.
    #[default]
    Padded,
    /// With what is left.
    Exact,
}

/// What the throughput counts: each time the true lengths of pages and objects, without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Pages that are there with all their objects, over the time until the last of them was.
    #[default]
    Transactions,
    /// Pages and objects that are there, over the whole time.
    Objects,
}

/// How many objects at once: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct Parallel(u16);

impl Parallel {
    /// As many as the largest page has objects, and one.
    pub const MAX: u16 = 66;
    /// One after the other.
    pub const ONE: Self = Self(1);

    /// So many, or `None` outside 1 to [`MAX`](Self::MAX).
    #[must_use]
    pub fn new(objects: u16) -> Option<Self> {
        (1..=Self::MAX).contains(&objects).then_some(Self(objects))
    }

    /// How many.
    #[must_use]
    pub fn get(self) -> u16 {
        self.0
    }
}

/// A number of objects at once that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} objects at once: expected 1 to {max}", max = Parallel::MAX)]
pub struct ParallelError(i64);

impl TryFrom<i64> for Parallel {
    type Error = ParallelError;
    fn try_from(objects: i64) -> Result<Self, ParallelError> {
        u16::try_from(objects).ok().and_then(Self::new).ok_or(ParallelError(objects))
    }
}

impl From<Parallel> for i64 {
    fn from(parallel: Parallel) -> Self {
        Self::from(parallel.0)
    }
}

impl Default for WebConfig {
    /// One object after the other, a new connection for each request and reply, packets of 250 octets.
    fn default() -> Self {
        Self {
            enabled: false,
            packet: PacketLength::SHORT,
            parallel: Parallel::ONE,
            connections: ConnectionUse::default(),
            next_step: NextStep::default(),
            requests: Requests::default(),
            last_packet: LastPacket::default(),
            counted: Counted::default(),
            remember_lost_start: false,
            duration: None,
            ds: Ds::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_objects_at_once_that_cannot_be_is_refused() {
        assert_eq!(Parallel::try_from(4).map(Parallel::get), Ok(4));
        for number in [-1, 0, 67, 70_000] {
            assert_eq!(Parallel::try_from(number), Err(ParallelError(number)));
        }
    }
}
