//! What happens to a tunnel, as `arqway up` says it and `arqway events` repeats it.
//!
//! ```text
//!     {"at_s":12.3,"number":4,"peer":"boat","event":"moved","to":"198.51.100.7:4242"}
//!     boat: address changed to 198.51.100.7:4242
//! ```

use crate::hub::Event;
use crate::hub::LineHint;
use arqway_link::bearer;
use arqway_session::{self as session, Endpoint, PeerId};
use arqway_units::{BitRate, Octets};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    /// How long after the start.
    pub at_s: f64,
    /// Counts the events of a tunnel, so that whoever missed some sees it.
    pub number: u64,
    /// What the peer is called, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The number of the line that it is about, if that is one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u8>,
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
    /// The peer never was heard and has not answered for seconds.
    Unanswered {
        /// Where it was asked.
        at: String,
        /// Its public key, as the settings have it.
        public_key: String,
        /// Something answered, and did not verify.
        unverified: bool,
    },
    /// The peer says that it does not know our public key.
    KeyUnknown {
        /// Where it is.
        at: String,
        /// Our key.
        public_key: String,
    },
    /// Somebody begins handshakes with a public key that no peer has.
    Stranger {
        /// Where it is.
        from: String,
        /// Its key.
        public_key: String,
    },
    /// Somebody's handshakes are for another public key than ours.
    Misdirected {
        /// Where it is.
        from: String,
        /// Our key.
        public_key: String,
        /// The peer whose key they are for, if it is one's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<String>,
    },
    /// Two ends that run have the private key of this peer.
    KeyTwice {
        /// Where one of them is.
        at: String,
        /// Where the peer was before.
        before: String,
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
    /// Packets cross a line, of several.
    LineUp,
    /// They do not; what had been given to it goes by another.
    LineDown,
    /// Less than half of what was sent at the configured rate arrives: this end sends more slowly.
    Slowed {
        /// At most so fast.
        to_bps: u64,
    },
    /// The rate that is found has changed by half.
    Rate {
        /// What it is now.
        found_bps: u64,
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
    /// As much has crossed a line as it may in a month: it is spare until the next one.
    BudgetSpent {
        /// How much that is.
        octets: u64,
    },
    /// A month has begun.
    BudgetRenewed {
        /// What may cross it in this one.
        octets: u64,
    },
    /// What lines have used of their budgets cannot be kept.
    BudgetUnwritten {
        /// What the system says.
        why: String,
    },
    /// The path carries datagrams of this size.
    Mtu {
        /// With all that the line adds.
        octets: u64,
    },
}

impl What {
    pub(crate) fn of<'n>(event: &Event, session: &Endpoint, name_of: impl Fn(PeerId) -> &'n str) -> Self {
        match event {
            Event::Session(session::Event::Unanswered { peer, to, unverified }) => {
                let public_key = session.key_of(*peer).map_or_else(String::new, |key| key.to_string());
                Self::Unanswered { at: to.to_string(), public_key, unverified: *unverified }
            }
            Event::Session(session::Event::KeyUnknown { at, .. }) => {
                Self::KeyUnknown { at: at.to_string(), public_key: session.public().to_string() }
            }
            Event::Session(session::Event::Stranger { public, from }) => {
                Self::Stranger { from: from.to_string(), public_key: public.to_string() }
            }
            Event::Session(session::Event::Misdirected { from, peer }) => Self::Misdirected {
                from: from.to_string(),
                public_key: session.public().to_string(),
                of: peer.map(|peer| name_of(peer).to_owned()),
            },
            Event::Session(session::Event::Twice { at, before, .. }) => {
                Self::KeyTwice { at: at.to_string(), before: before.unwrap_or(*at).to_string() }
            }
            Event::Session(session::Event::Established { restarted: false, .. }) => Self::Keys,
            Event::Session(session::Event::Established { .. }) | Event::Link(_, _, bearer::Event::PeerRestarted) => {
                Self::Restarted
            }
            Event::Session(session::Event::Refused { why, .. }) => Self::Refused { why: why.to_string() },
            Event::Session(session::Event::Unreachable { unverified, .. }) => {
                Self::Unreachable { unverified: *unverified }
            }
            Event::Session(session::Event::Moved { to, .. }) => Self::Moved { to: to.to_string() },
            Event::Link(_, None, bearer::Event::Up) => Self::Up,
            Event::Link(_, None, bearer::Event::Down) => Self::Down,
            Event::Link(_, Some(_), bearer::Event::Up) => Self::LineUp,
            Event::Link(_, Some(_), bearer::Event::Down) => Self::LineDown,
            Event::Link(_, _, bearer::Event::Slowed(pace)) => Self::Slowed { to_bps: pace.as_bits_per_second() },
            Event::Link(_, _, bearer::Event::Rate(found)) => Self::Rate { found_bps: found.as_bits_per_second() },
            Event::Link(_, _, bearer::Event::RateTooHigh(carries)) => {
                Self::RateTooHigh { carries_bps: carries.as_bits_per_second() }
            }
            Event::Link(_, _, bearer::Event::Restored) => Self::Restored,
            Event::Link(_, _, bearer::Event::Mtu(octets)) => Self::Mtu { octets: octets.as_u64() },
        }
    }
}

impl What {
    /// What is wrong with whose key.
    fn fmt_of_keys(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unanswered { at, public_key, unverified: false } => write!(
                out,
                "no reply from {at} yet; check its address, firewalls, and that the public key of the end there is {public_key}"
            ),
            Self::Unanswered { at, unverified: true, .. } => {
                write!(out, "replies from {at} do not verify; check that both ends have the same preshared key")
            }
            Self::KeyUnknown { at, public_key } => {
                write!(
                    out,
                    "{at} has no peer with this end's public key {public_key}; check `public-key` in its settings"
                )
            }
            Self::Stranger { from, public_key } => write!(
                out,
                "a handshake from {from} with public key {public_key}, which no peer has; check `public-key` in the settings of this end"
            ),
            Self::Misdirected { from, public_key, of: None } => write!(
                out,
                "a handshake from {from} for another public key than this end's {public_key}; check `public-key` in the settings there"
            ),
            Self::Misdirected { from, public_key, of: Some(peer) } => write!(
                out,
                "a handshake from {from} for the public key of `{peer}`, but this end has {public_key}; check `endpoint` there, and that this end \
                 has the settings and the private key of its own"
            ),
            Self::KeyTwice { at, before } => {
                write!(out, "two ends with its private key run, at {at} and at {before}; give each a key of its own")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for EventLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(peer) = &self.peer {
            write!(out, "{peer}: ")?;
        }
        if let Some(line) = self.line {
            write!(out, "line {line}: ")?;
        }
        self.what.fmt(out)
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
            Self::Unanswered { .. }
            | Self::KeyUnknown { .. }
            | Self::Stranger { .. }
            | Self::Misdirected { .. }
            | Self::KeyTwice { .. } => self.fmt_of_keys(out),
            Self::Moved { to } => write!(out, "address changed to {to}"),
            Self::Up => write!(out, "link up"),
            Self::Down => write!(out, "link down"),
            Self::LineUp => write!(out, "up"),
            Self::LineDown => write!(out, "down"),
            Self::Slowed { to_bps } => match BitRate::from_bits_per_second(*to_bps) {
                Some(rate) => write!(out, "less than half of what is sent arrives; rate lowered to {rate}"),
                None => write!(out, "less than half of what is sent arrives; rate lowered"),
            },
            Self::Rate { found_bps } => match BitRate::from_bits_per_second(*found_bps) {
                Some(rate) => write!(out, "rate {rate}"),
                None => write!(out, "rate 0"),
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
            Self::BudgetSpent { octets } => {
                let budget = Octets::new(*octets);
                write!(out, "its budget of {budget} is used up; spare until the month ends")
            }
            Self::BudgetRenewed { octets } => {
                write!(out, "a new month, with a budget of {}", Octets::new(*octets))
            }
            Self::BudgetUnwritten { why } => {
                write!(out, "cannot write down what lines have used of their budgets: {why}; trying again in a minute")
            }
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
