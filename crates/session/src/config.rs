//! The times and limits of a session. Those of keys are WireGuard's (whitepaper §6.1).

use arqway_units::Span;

/// How an end behaves. The two ends may differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Whoever began a session begins the next one when its keys are so old, and it sends.
    pub rekey_after: Wait,
    /// Or when it has sent so many datagrams; less than 8 counts as 8, since a handshake is followed by one.
    pub rekey_after_messages: u64,
    /// Keys that are so old open and seal nothing.
    pub reject_after: Wait,
    /// A handshake without an answer is tried again after so long, then after twice and four times as long; with a peer that has answered
    /// one before, each time within so long, or half as much again as that answer took.
    pub retry: Wait,
    /// It is given up after so long.
    pub give_up: Wait,
    /// Whoever receives a packet and has sent nothing after so long, sends an empty one: so the peer knows that it lives.
    pub answer_within: Wait,
    /// A peer that has not answered for so long may have restarted: a handshake asks it. More than `answer_within` and a
    /// round trip.
    pub silence: Wait,
    /// An empty datagram holds the way through a NAT open so often, where it is asked for.
    pub keepalive: Wait,
    /// A challenge of a new address that has no answer is repeated after so long, then after twice as long, and that is all.
    pub challenge_retry: Wait,
    /// So many handshake messages a second are answered without a cookie; from more on, cookies are asked for. With 0, always.
    pub unproven_handshakes: u32,
    /// So many handshake messages a second take part in a key agreement at all: a quarter of a core. With 0, none does.
    pub handshakes: u32,
}

impl Default for Config {
    fn default() -> Self {
        let seconds = |seconds: u64| Wait(Span::from_milliseconds(seconds * 1000));
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

impl Config {
    /// After how many datagrams keys are worn.
    pub(crate) fn worn_after(&self) -> u64 {
        self.rekey_after_messages.max(8)
    }
}

/// How long an end waits before it does something again: 100 ms to a day. With nothing to wait for it would do that for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait(Span);

impl Wait {
    /// The shortest.
    pub const LEAST: Self = Self(Span::from_milliseconds(100));
    /// The longest.
    pub const MOST: Self = Self(Span::from_milliseconds(24 * 3600 * 1000));

    /// How long.
    #[must_use]
    pub const fn get(self) -> Span {
        self.0
    }
}

/// A time that no end waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a wait of {0}: expected {least} to {most}", least = Wait::LEAST.0, most = Wait::MOST.0)]
pub struct WaitError(Span);

impl TryFrom<Span> for Wait {
    type Error = WaitError;
    fn try_from(span: Span) -> Result<Self, WaitError> {
        let wait = Self(span);
        if (Self::LEAST..=Self::MOST).contains(&wait) { Ok(wait) } else { Err(WaitError(span)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_out_of_its_bounds_is_refused_with_those_bounds() {
        let wait = |milliseconds| Wait::try_from(Span::from_milliseconds(milliseconds));
        assert_eq!((wait(100), wait(24 * 3600 * 1000)), (Ok(Wait::LEAST), Ok(Wait::MOST)));
        for (milliseconds, text) in [(0, "0 ns"), (99, "99 ms"), (86_400_001, "86400.001 s")] {
            let error = wait(milliseconds).expect_err("out of bounds").to_string();
            assert_eq!(error, format!("a wait of {text}: expected 100 ms to 86400 s"));
        }
    }
}
