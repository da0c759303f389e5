//! What an end counts: each datagram that came to nothing is in one of these.

/// Counters of an end, over all peers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Sealed datagrams and handshake messages that a peer has written and that had not come before.
    pub genuine: u64,
    /// Datagrams that are none of the session.
    pub malformed: u64,
    /// Sealed or answered to an index that nobody has here.
    pub unknown_index: u64,
    /// Sealed with a key that is too old.
    pub expired: u64,
    /// Not written by who they say.
    pub forged: u64,
    /// First messages with a time stamp that is too early, which may be genuine: their writers were told the latest one.
    pub stale: u64,
    /// Seen before, or too old to say.
    pub replayed: u64,
    /// Handshake messages that were not written for our key.
    pub not_for_us: u64,
    /// Handshake messages from keys that are no peer's.
    pub strangers: u64,
    /// Handshake messages beyond what a quarter of a core can answer.
    pub overload: u64,
    /// Cookies asked for.
    pub cookies: u64,
    /// Handshakes that ended in keys.
    pub handshakes: u64,
    /// Handshakes between ends that cannot speak.
    pub refused: u64,
}
