//! What an end is: its key, how it speaks, and what it says of itself.

use crate::handshake::dialect::{ARQWAY, Dialect};
use crate::handshake::mac::Addressed;
use crate::introduction::Introduction;
use crate::key::{PrivateKey, PublicKey};

/// What this end is.
pub(crate) struct Identity {
    pub(crate) private: PrivateKey,
    pub(crate) public: PublicKey,
    /// Codes of messages to us.
    pub(crate) addressed: Addressed,
    pub(crate) dialect: &'static Dialect,
    pub(crate) introduction: Introduction,
}

impl Identity {
    pub(crate) fn new(private: PrivateKey, introduction: Introduction) -> Self {
        let public = private.public();
        Self { addressed: Addressed::to(&public), private, public, dialect: &ARQWAY, introduction }
    }
}
