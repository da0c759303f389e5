//! The constants of a handshake. Ours and WireGuard's differ in them alone, so that ends of the two never talk to each
//! other by mistake, and tests let WireGuard's own implementations judge the code.

/// What is hashed into a handshake, and what it carries sealed.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// The name of the pattern and its functions (Noise §8).
    pub(crate) construction: &'static str,
    /// Said by both ends before the first message (Noise §6).
    pub(crate) identifier: &'static [u8],
    /// Whether each end introduces itself in its sealed payload.
    pub(crate) introduces: bool,
}

const CONSTRUCTION: &str = "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s";

/// Ours.
pub(crate) static ARQWAY: Dialect =
    Dialect { construction: CONSTRUCTION, identifier: b"Arqway session v1", introduces: true };

/// That of the WireGuard whitepaper, §5.4.
#[cfg(test)]
pub(crate) static WIREGUARD: Dialect =
    Dialect { construction: CONSTRUCTION, identifier: b"WireGuard v1 zx2c4 Jason@zx2c4.com", introduces: false };
