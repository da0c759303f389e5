//! Noise IKpsk2 by `snow`, with randomness that is passed in.
//!
//! ```text
//!     <- s                        the initiator knows the responder's public key
//!     -> e, es, s, ss             who initiates is said sealed
//!     <- e, ee, se, psk
//! ```

use super::dialect::Dialect;
use crate::key::{KEY, PresharedKey, PrivateKey, PublicKey};
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use snow::{Builder, Error, HandshakeState};
use zeroize::Zeroizing;

/// The keys that a handshake ends in.
pub(crate) struct Split {
    pub(crate) send: Zeroizing<[u8; KEY]>,
    pub(crate) receive: Zeroizing<[u8; KEY]>,
}

/// What takes the one ephemeral key of a handshake for its randomness.
struct Drawn(Option<Zeroizing<[u8; KEY]>>);

impl Random for Drawn {
    fn try_fill_bytes(&mut self, octets: &mut [u8]) -> Result<(), Error> {
        // A second draw would repeat a key.
        let key = self.0.take().filter(|key| key.len() == octets.len()).ok_or(Error::Rng)?;
        octets.copy_from_slice(&*key);
        Ok(())
    }
}

struct Resolver(Zeroizing<[u8; KEY]>);

impl CryptoResolver for Resolver {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(Drawn(Some(self.0.clone()))))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        DefaultResolver.resolve_cipher(choice)
    }
}

/// The longest payload of a handshake message.
pub(crate) const MOST_PAYLOAD: usize = 256;
const PSK: u8 = 2;

/// A handshake under way.
#[derive(Debug)]
pub(crate) struct Noise(HandshakeState);

impl Noise {
    /// The end that begins, and knows with whom.
    pub(crate) fn initiator(
        dialect: &Dialect,
        local: &PrivateKey,
        peer: &PublicKey,
        preshared: &PresharedKey,
        ephemeral: Zeroizing<[u8; KEY]>,
    ) -> Result<Self, Error> {
        let builder = Builder::with_resolver(dialect.construction.parse()?, Box::new(Resolver(ephemeral)));
        let builder = builder.prologue(dialect.identifier)?.local_private_key(local.octets())?;
        let builder = builder.remote_public_key(peer.octets())?.psk(PSK, preshared.octets())?;
        builder.build_initiator().map(Self)
    }

    /// The end that answers, and learns with whom it speaks.
    pub(crate) fn responder(
        dialect: &Dialect,
        local: &PrivateKey,
        ephemeral: Zeroizing<[u8; KEY]>,
    ) -> Result<Self, Error> {
        let builder = Builder::with_resolver(dialect.construction.parse()?, Box::new(Resolver(ephemeral)));
        let builder = builder.prologue(dialect.identifier)?.local_private_key(local.octets())?;
        builder.build_responder().map(Self)
    }

    /// Who the other end says it is, and has shown to be.
    pub(crate) fn peer(&self) -> Option<PublicKey> {
        self.0.get_remote_static()?.try_into().ok().map(PublicKey::from_octets)
    }

    /// The responder has looked up what it shares with this peer.
    pub(crate) fn set_preshared(&mut self, preshared: &PresharedKey) -> Result<(), Error> {
        self.0.set_psk(PSK.into(), preshared.octets())
    }

    /// Writes the next message around a payload; returns its length.
    pub(crate) fn write(&mut self, payload: &[u8], message: &mut [u8]) -> Result<usize, Error> {
        self.0.write_message(payload, message)
    }

    /// Reads the next message, and returns what it carries.
    pub(crate) fn read<'p>(&mut self, message: &[u8], payload: &'p mut [u8; MOST_PAYLOAD]) -> Result<&'p [u8], Error> {
        let length = self.0.read_message(message, payload)?;
        payload.get(..length).ok_or(Error::Input)
    }

    /// The keys, after both messages.
    pub(crate) fn split(mut self) -> Split {
        let (initiator, responder) = self.0.dangerously_get_raw_split();
        let (send, receive) = if self.0.is_initiator() { (initiator, responder) } else { (responder, initiator) };
        Split { send: Zeroizing::new(send), receive: Zeroizing::new(receive) }
    }

    #[cfg(test)]
    pub(crate) fn hash(&self) -> &[u8] {
        self.0.get_handshake_hash()
    }
}
