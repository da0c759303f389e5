//! The settings of Web Browsing: what ns-2's ways of doing it differ in.

use crate::count_setting::count_setting;
use crate::packet::PacketLength;
use arqway_link::mux::Ds;
use arqway_units::{Span, optional_positive_span};
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WebConfig {
    /// Whether the web user is on.
    pub enabled: bool,
    /// The length of a packet; the scenario's `headers` says whether it includes the headers.
    pub packet: PacketLength,
    /// The number of objects of a page that are fetched at once.
    pub parallel: Parallel,
    /// The connections of requests and replies.
    pub connections: ConnectionUse,
    /// When a request or reply counts as received.
    pub next_step: NextStep,
    /// How a request is sent.
    pub requests: Requests,
    /// The length of the last packet of a message.
    pub last_packet: LastPacket,
    /// What the throughput counts.
    pub counted: Counted,
    /// Whether a slot for fetching objects starts with a window of one packet for ever after a first packet was lost,
    /// as in ns-2, which reuses its agents.
    pub remember_lost_start: bool,
    /// Its duration if no file is transferred, since a file ends the run; by default, the duration of the run.
    #[serde(deserialize_with = "optional_positive_span")]
    pub duration: Option<Span>,
    /// The Differentiated Services field of its packets and their acknowledgements.
    pub ds: Ds,
}

/// The connections of requests and replies; data flow one way over each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionUse {
    /// A new one for each request and for each reply.
    #[default]
    New,
    /// One for requests and one for replies, kept open as long as the browser runs.
    Kept,
}

/// When a request or reply counts as received.
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
    /// Split into packets, like replies.
    #[default]
    Packets,
    /// In a single packet as long as the request.
    OnePacket,
}

/// The length of the last packet of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LastPacket {
    /// Padded to a full packet, as in ns-2.
    #[default]
    Padded,
    /// As long as the remaining data.
    Exact,
}

/// What the throughput counts: the true lengths of pages and objects, without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Pages received with all their objects, divided by the time until the last of them was complete.
    #[default]
    Transactions,
    /// All pages and objects received, divided by the duration of the run.
    Objects,
}

// One more than the largest page has objects.
count_setting! {
    /// The number of objects fetched at once: at least one.
    Parallel(u16), 66 "objects at once",
    /// A number of objects at once that is out of range.
    ParallelError
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
