//! The times and limits of a session. Those of keys are WireGuard's (whitepaper §6.1).

use arqway_units::Span;

const SECOND: u64 = 1000;

/// How an end behaves. The two ends may differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Whoever began a session begins the next one when its keys are so old, and it sends.
    pub rekey_after: Span,
    /// Or when it has sent so many datagrams.
    pub rekey_after_messages: u64,
    /// Keys that are so old open and seal nothing.
    pub reject_after: Span,
    /// A handshake without an answer is tried again after so long, then after twice and four times as long.
    pub retry: Span,
    /// It is given up after so long.
    pub give_up: Span,
    /// Whoever receives a packet and has sent nothing after so long, sends an empty one: so the peer knows that it lives.
    pub answer_within: Span,
    /// A peer that has not answered for so long may have restarted: a handshake asks it. More than `answer_within` and a
    /// round trip.
    pub silence: Span,
    /// An empty datagram holds the way through a NAT open so often, where it is asked for.
    pub keepalive: Span,
    /// A challenge of a new address that has no answer is repeated after so long, then after twice as long, and that is all.
    pub challenge_retry: Span,
    /// So many handshake messages a second are answered without a cookie; from more on, cookies are asked for.
    pub unproven_handshakes: u32,
    /// So many handshake messages a second take part in a key agreement at all: a quarter of a core.
    pub handshakes: u32,
}

impl Default for Config {
    fn default() -> Self {
        let seconds = |seconds| Span::from_milliseconds(seconds * SECOND);
        Self {
            rekey_after: seconds(120),
            rekey_after_messages: 1 << 60,
            reject_after: seconds(180),
            retry: seconds(1),
            give_up: seconds(90),
            answer_within: seconds(1),
            silence: seconds(5),
            keepalive: seconds(25),
            challenge_retry: seconds(1),
            unproven_handshakes: 100,
            handshakes: 1000,
        }
    }
}
