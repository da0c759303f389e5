//! X25519, by what `snow` has of it.

use snow::params::DHChoice;
use snow::resolvers::{CryptoResolver as _, DefaultResolver};

/// The public key of a private one.
pub(crate) fn public_of(private: &[u8; 32]) -> [u8; 32] {
    let mut public = [0; 32];
    if let Some(mut dh) = DefaultResolver.resolve_dh(&DHChoice::Curve25519) {
        dh.set(private);
        public.copy_from_slice(dh.pubkey());
    }
    public
}

/// Whether a key agreement with this peer has a result: there are points with which all keys agree on zero.
pub(crate) fn agrees_with(public: &[u8; 32]) -> bool {
    let mut shared = [0; 32];
    let dh = DefaultResolver.resolve_dh(&DHChoice::Curve25519).map(|mut dh| {
        dh.set(&[1; 32]);
        dh
    });
    dh.is_some_and(|dh| dh.dh(public, &mut shared).is_ok()) && shared != [0; 32]
}
