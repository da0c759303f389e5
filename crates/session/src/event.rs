//! What the owner of an end learns.

use crate::introduction::Mismatch;
use arqway_agenda::Key;
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
    /// It is at another address, and has shown that it is.
    Moved {
        /// Who.
        peer: PeerId,
        /// Where.
        to: SocketAddr,
    },
}

impl Event {
    /// To whom.
    #[must_use]
    pub fn peer(&self) -> PeerId {
        match self {
            Self::Established { peer, .. }
            | Self::Refused { peer, .. }
            | Self::Unreachable { peer, .. }
            | Self::Moved { peer, .. } => *peer,
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
            Self::Moved { peer, to } => write!(out, "{peer}: now at {to}"),
        }
    }
}
