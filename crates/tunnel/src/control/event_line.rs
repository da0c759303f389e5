//! What happens to a tunnel, as `arqway up` says it and `arqway events` repeats it.
//!
//! ```text
//!     {"at_s":12.3,"number":4,"peer":"boat","event":"moved","to":"198.51.100.7:4242"}
//!     boat: address changed to 198.51.100.7:4242
//! ```

use crate::hub::Event;
use crate::hub::LineHint;
use arqway_link::bearer;
use arqway_session as session;
use arqway_units::BitRate;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    /// How long after the start.
    pub at_s: f64,
    /// Counts the events of a tunnel, so that whoever missed some sees it.
    pub number: u64,
    /// What the peer is called.
    pub peer: String,
    /// What happened to it.
    #[serde(flatten)]
    pub what: What,
}

/// What can happen to a peer or the link to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum What {
    /// The session has new keys.
    Keys,
    /// The peer's process has begun anew; so have the session and the services.
    Restarted,
    /// The two ends cannot speak to each other.
    Refused {
        /// Why.
        why: String,
    },
    /// No handshake has succeeded for as long as one is tried.
    Unreachable {
        /// Something answered, and did not verify.
        unverified: bool,
    },
    /// The name of the peer's host had no address at the start.
    Unresolved {
        /// Host and port, as the settings have them.
        endpoint: String,
        /// What the system says.
        why: String,
    },
    /// The peer is at another address.
    Moved {
        /// Where.
        to: String,
    },
    /// Packets cross the link.
    Up,
    /// They do not.
    Down,
    /// Less than half of what was sent at the configured rate arrives: this end sends more slowly.
    Slowed {
        /// At most so fast.
        to_bps: u64,
    },
    /// The line carries less than the rate at which this end sends.
    RateTooHigh {
        /// How much it carries.
        carries_bps: u64,
    },
    /// It sends at the configured rate again.
    Restored,
    /// Somebody has said what happens to the line: `arqway hint`.
    Hint {
        /// What.
        hint: LineHint,
    },
    /// The device of the line is gone: nothing crosses it.
    LineGone {
        /// What the system says.
        why: String,
    },
    /// The device is there again, and cannot be used.
    LineRefused {
        /// What the system says.
        why: String,
    },
    /// The device is there again.
    LineBack,
    /// The path carries datagrams of this size.
    Mtu {
        /// With all that the line adds.
        octets: u64,
    },
}

impl What {
    pub(crate) fn of(event: &Event) -> Self {
        match event {
            Event::Session(session::Event::Established { restarted: false, .. }) => Self::Keys,
            Event::Session(session::Event::Established { .. }) | Event::Link(_, bearer::Event::PeerRestarted) => {
                Self::Restarted
            }
            Event::Session(session::Event::Refused { why, .. }) => Self::Refused { why: why.to_string() },
            Event::Session(session::Event::Unreachable { unverified, .. }) => {
                Self::Unreachable { unverified: *unverified }
            }
            Event::Session(session::Event::Moved { to, .. }) => Self::Moved { to: to.to_string() },
            Event::Link(_, bearer::Event::Up) => Self::Up,
            Event::Link(_, bearer::Event::Down) => Self::Down,
            Event::Link(_, bearer::Event::Slowed(pace)) => Self::Slowed { to_bps: pace.as_bits_per_second() },
            Event::Link(_, bearer::Event::PaceTooHigh(carries)) => {
                Self::RateTooHigh { carries_bps: carries.as_bits_per_second() }
            }
            Event::Link(_, bearer::Event::Restored) => Self::Restored,
            Event::Link(_, bearer::Event::Mtu(octets)) => Self::Mtu { octets: octets.as_u64() },
        }
    }
}

impl fmt::Display for EventLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.peer, self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keys => write!(out, "new session keys"),
            Self::Restarted => write!(out, "peer restarted"),
            Self::Refused { why } => write!(out, "{why}"),
            Self::Unreachable { unverified: false } => {
                write!(out, "no reply to handshakes; check its address, firewalls, and the public keys at both ends")
            }
            Self::Unreachable { unverified: true } => {
                write!(out, "replies to handshakes do not verify; check that both ends have the same preshared key")
            }
            Self::Unresolved { endpoint, why } => {
                write!(out, "cannot resolve `{endpoint}`: {why}; trying again every 5 s")
            }
            Self::Moved { to } => write!(out, "address changed to {to}"),
            Self::Up => write!(out, "link up"),
            Self::Down => write!(out, "link down"),
            Self::Slowed { to_bps } => match BitRate::from_bits_per_second(*to_bps) {
                Some(rate) => write!(out, "less than half of what is sent arrives; rate lowered to {rate}"),
                None => write!(out, "less than half of what is sent arrives; rate lowered"),
            },
            Self::RateTooHigh { carries_bps } => {
                write!(
                    out,
                    "the line carries less than `rate`: packets wait in a queue before it and are lost there; "
                )?;
                match BitRate::from_bits_per_second(below(*carries_bps)) {
                    Some(rate) => write!(out, "set `rate = \"{rate}\"`"),
                    None => write!(out, "set a lower `rate`"),
                }
            }
            Self::Restored => write!(out, "rate as configured again"),
            Self::Hint { hint } => write!(out, "hint: {hint}"),
            Self::LineGone { why } => write!(out, "line gone: {why}; looking for it each second"),
            Self::LineRefused { why } => write!(out, "line still gone: {why}; trying again each second"),
            Self::LineBack => write!(out, "line back"),
            Self::Mtu { octets } => write!(out, "path MTU {octets}"),
        }
    }
}

/// A little less than a rate, in three digits: a queue that stands has to drain.
fn below(rate: u64) -> u64 {
    let rate = rate - rate / 50;
    let unit = 10_u64.pow(rate.checked_ilog10().unwrap_or(0).saturating_sub(2));
    rate / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_is_too_high_is_told_with_one_to_set_that_the_line_carries() {
        for (carries_bps, set) in
            [(9_654_321, "9.46 Mbit/s"), (58_012, "56.8 kbit/s"), (1_000, "980 bit/s"), (7, "7 bit/s")]
        {
            let text = What::RateTooHigh { carries_bps }.to_string();
            assert!(text.ends_with(&format!("set `rate = \"{set}\"`")), "{text}");
        }
    }
}
