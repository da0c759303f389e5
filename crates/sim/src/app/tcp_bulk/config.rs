//! Greedy sources as settings.

use super::super::ConnectionCount;
use crate::packet::PacketLength;
use arqway_link::mux::Ds;
use arqway_units::{Span, Time, positive_span};
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TcpBulkConfig {
    /// Whether the greedy sources are on.
    pub enabled: bool,
    /// Their number, each with its own connection.
    pub connections: ConnectionCount,
    /// The length of a packet; the scenario's `headers` says whether it includes the headers.
    pub packet: PacketLength,
    /// The time for which they send and are measured.
    #[serde(deserialize_with = "positive_span")]
    pub duration: Span,
    /// The Differentiated Services field of their packets and their acknowledgements.
    pub ds: Ds,
    /// When to record the state of the first connection; never by default.
    pub samples: Option<Samples>,
}

impl Default for TcpBulkConfig {
    /// shikama06's Table 1, with the more of its two numbers of connections.
    fn default() -> Self {
        Self {
            enabled: false,
            connections: ConnectionCount::new(10).unwrap_or(ConnectionCount::ONE),
            packet: PacketLength::LONG,
            duration: Span::from_milliseconds(60_000),
            ds: Ds::default(),
            samples: None,
        }
    }
}

/// Equally spaced times; those after the sources have stopped are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Moments", into = "Moments")]
pub struct Samples(Moments);

/// Equally spaced moments, as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Moments {
    /// The first, since the start of the run.
    from: Span,
    /// The last possible time.
    until: Span,
    /// The interval between them.
    every: Span,
}

impl Samples {
    /// A figure shows no more, and each is three rows.
    pub const MAX: u64 = 100_000;

    /// Moments from one time to another.
    ///
    /// # Errors
    /// There are none, or more than [`MAX`](Self::MAX).
    pub fn new(from: Span, until: Span, every: Span) -> Result<Self, SamplesError> {
        Self::try_from(Moments { from, until, every })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        usize::try_from(self.0.count()).unwrap_or(usize::MAX)
    }

    /// The first.
    #[must_use]
    pub fn first(&self) -> Time {
        Time::ZERO + self.0.from
    }

    /// The one after the moment `now`.
    #[must_use]
    pub fn after(&self, now: Time) -> Option<Time> {
        let next = now + self.0.every;
        (next <= Time::ZERO + self.0.until).then_some(next)
    }
}

impl Moments {
    fn count(self) -> u64 {
        let length = self.until.as_nanoseconds().saturating_sub(self.from.as_nanoseconds());
        1 + length / self.every.as_nanoseconds().max(1)
    }
}

/// Moments that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SamplesError {
    /// They end before they begin.
    #[error("samples from {from} s until {until} s: the end is before the start")]
    Backwards {
        /// The first, in seconds.
        from: f64,
        /// The last, in seconds.
        until: f64,
    },
    /// All at once.
    #[error("samples every 0 s: expected a time above 0, such as \"10 ms\"")]
    AllAtOnce,
    /// More than anybody looks at.
    #[error("{0} samples: expected at most {max}", max = Samples::MAX)]
    TooMany(u64),
}

impl TryFrom<Moments> for Samples {
    type Error = SamplesError;
    fn try_from(moments: Moments) -> Result<Self, SamplesError> {
        let Moments { from, until, every } = moments;
        match moments.count() {
            _ if from > until => Err(SamplesError::Backwards { from: from.as_seconds(), until: until.as_seconds() }),
            _ if every == Span::ZERO => Err(SamplesError::AllAtOnce),
            count if count > Self::MAX => Err(SamplesError::TooMany(count)),
            _ => Ok(Self(moments)),
        }
    }
}

impl From<Samples> for Moments {
    fn from(samples: Samples) -> Self {
        samples.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(from: u64, until: u64, every: u64) -> Result<Samples, SamplesError> {
        let [from, until, every] = [from, until, every].map(Span::from_milliseconds);
        Samples::new(from, until, every)
    }

    #[test]
    fn samples_are_taken_from_the_first_moment_to_the_last() {
        let moments = |from, until, every| {
            let samples = samples(from, until, every).expect("moments");
            let all = core::iter::successors(Some(samples.first()), |now| samples.after(*now));
            let all: std::vec::Vec<u64> = all.map(|at| at.as_nanoseconds() / 1_000_000).collect();
            assert_eq!(all.len(), samples.count());
            all
        };
        assert_eq!(moments(15_000, 15_030, 10), [15_000, 15_010, 15_020, 15_030]);
        assert_eq!(moments(0, 25, 10), [0, 10, 20]);
        assert_eq!(moments(7, 7, 10), [7]);
    }

    #[test]
    fn samples_that_cannot_be_are_refused_with_what_is_wrong() {
        assert_eq!(samples(2000, 1000, 10), Err(SamplesError::Backwards { from: 2.0, until: 1.0 }));
        assert_eq!(samples(0, 1000, 0), Err(SamplesError::AllAtOnce));
        assert_eq!(samples(0, 1_000_000, 1), Err(SamplesError::TooMany(1_000_001)));
    }
}
