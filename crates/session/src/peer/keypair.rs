//! The keys that a handshake ended in, and what belongs to them.

use super::slots::Key;
use crate::config::Config;
use crate::transport::Transport;
use arqway_units::Time;
use std::net::SocketAddr;

/// Boxed, so that a peer that has none costs little.
pub(crate) type Keypair = Box<Keys>;

/// Keys, and when and with whom they were agreed on.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) transport: Transport,
    /// By what the peer names them.
    pub(crate) index: u16,
    /// By what we name them to the peer.
    pub(crate) remote: u16,
    /// The peer's incarnation.
    pub(crate) boot: u64,
    pub(crate) born: Time,
    /// We began.
    pub(crate) initiated: bool,
    /// Where the peer was when it began: what confirms them comes from there.
    pub(crate) began_at: Option<SocketAddr>,
}

impl Key for Keypair {
    fn index(&self) -> u16 {
        self.index
    }

    fn boot(&self) -> u64 {
        self.boot
    }
}

impl Keys {
    /// Whether they open and seal nothing any more.
    pub(crate) fn is_done(&self, config: &Config, now: Time) -> bool {
        now.since(self.born) >= config.reject_after.get()
    }

    /// Whether they seal.
    pub(crate) fn may_seal(&self, config: &Config, now: Time) -> bool {
        self.transport.may_seal() && !self.is_done(config, now)
    }

    /// Whether it is time for others, if they are used.
    pub(crate) fn is_old(&self, config: &Config, now: Time) -> bool {
        let is_worn = self.transport.sealed() >= config.worn_after();
        is_worn || self.initiated && now.since(self.born) >= config.rekey_after.get()
    }
}
