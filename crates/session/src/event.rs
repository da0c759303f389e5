//! What the owner of an end learns.

use crate::introduction::Mismatch;
use crate::key::PublicKey;
use arqway_agenda::Key;
use arqway_units::LineId;
use std::fmt;
use std::net::SocketAddr;

/// A peer of an end. A number is given once: that of a peer that was removed means nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerId(pub(crate) u32);

impl Key for PeerId {
    fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl fmt::Display for PeerId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "peer {}", self.0)
    }
}

/// Something happened to a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Both ends have new keys.
    Established {
        /// With whom.
        peer: PeerId,
        /// Which incarnation of it this is.
        boot: u64,
        /// It is another one than before: what was under way between the old ones is gone, and nothing of it arrives.
        restarted: bool,
    },
    /// The two cannot speak to each other: both users are told.
    Refused {
        /// With whom.
        peer: PeerId,
        /// Why not.
        why: Mismatch,
    },
    /// No handshake has succeeded for as long as one is tried.
    Unreachable {
        /// Who does not answer.
        peer: PeerId,
        /// Something answered that could not be verified.
        unverified: bool,
    },
    /// A peer that never was heard has not answered for seconds.
    Unanswered {
        /// Who.
        peer: PeerId,
        /// Where it was asked last.
        to: SocketAddr,
        /// Something answered that could not be verified.
        unverified: bool,
    },
    /// A peer says that our key is none of its peers'. It may be that somebody else says so.
    KeyUnknown {
        /// Who.
        peer: PeerId,
        /// Where it is.
        at: SocketAddr,
    },
    /// Somebody begins handshakes with a key that is no peer's.
    Stranger {
        /// The key.
        public: PublicKey,
        /// Where it is.
        from: SocketAddr,
    },
    /// Somebody's handshakes are for another key than ours.
    Misdirected {
        /// Where it is.
        from: SocketAddr,
        /// Whose key they are for, if it is that of a peer.
        peer: Option<PeerId>,
    },
    /// Two ends that run at a time have the key of one peer: each has been here again after the other.
    Twice {
        /// Which.
        peer: PeerId,
        /// Where one of them is.
        at: SocketAddr,
        /// Where the peer was before.
        before: Option<SocketAddr>,
    },
    /// It is at another address, and has shown that it is.
    Moved {
        /// Who.
        peer: PeerId,
        /// By which line.
        line: LineId,
        /// Where.
        to: SocketAddr,
    },
}

impl Event {
    /// To whom, if to a peer.
    #[must_use]
    pub fn peer(&self) -> Option<PeerId> {
        match self {
            Self::Stranger { .. } | Self::Misdirected { .. } => None,
            Self::Established { peer, .. }
            | Self::Refused { peer, .. }
            | Self::Unreachable { peer, .. }
            | Self::Unanswered { peer, .. }
            | Self::KeyUnknown { peer, .. }
            | Self::Twice { peer, .. }
            | Self::Moved { peer, .. } => Some(*peer),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Established { peer, restarted: true, .. } => write!(out, "{peer}: new keys; it has restarted"),
            Self::Established { peer, .. } => write!(out, "{peer}: new keys"),
            Self::Refused { peer, why } => write!(out, "{peer}: {why}"),
            Self::Unreachable { peer, unverified: false } => {
                write!(out, "{peer}: no answer; expected one from its address, and that it knows our public key")
            }
            Self::Unreachable { peer, unverified: true } => {
                write!(out, "{peer}: answers that do not verify; expected the same preshared key at both ends")
            }
            Self::Unanswered { peer, to, .. } => write!(out, "{peer}: no answer from {to} yet"),
            Self::KeyUnknown { peer, at } => write!(out, "{peer}: does not know our public key at {at}"),
            Self::Stranger { public, from } => {
                write!(out, "a handshake from {from} with {public}, which is no peer's key")
            }
            Self::Misdirected { from, .. } => write!(out, "a handshake from {from} for another key than ours"),
            Self::Twice { peer, at, .. } => write!(out, "{peer}: two ends have its key, one of them at {at}"),
            Self::Moved { peer, line: LineId::FIRST, to } => write!(out, "{peer}: now at {to}"),
            Self::Moved { peer, line, to } => write!(out, "{peer}: now at {to} by line {}", line.number()),
        }
    }
}
