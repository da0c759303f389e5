//! Adding a peer, and why that may fail.

use super::peer::NewLink;
use arqway_link::mux::Addresses;
use arqway_session::{PeerConfig, PeerError};

/// What is added as a peer.
#[derive(Debug)]
pub struct NewPeer {
    /// As the session knows it.
    pub session: PeerConfig,
    /// The link to it.
    pub link: NewLink,
    /// What it has of the addresses.
    pub allowed: Vec<Addresses>,
}

/// Why a peer cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// The session does not take it.
    #[error(transparent)]
    Session(#[from] PeerError),
    /// Another peer has some of its addresses.
    #[error("{prefix} belongs to another peer already")]
    Taken {
        /// Which.
        prefix: Addresses,
    },
}
