//! The channel of one direction of a link: which frames it loses, and when the others arrive.
//!
//! ```text
//!     transmitter -> propagation delay -> error model -> impairments -> arrive, at once or later, once or twice
//! ```
//!
//! A channel acts behind the transmitter: a frame that it loses has used the link. `docs/channels.md` has each model's
//! formula.

mod ber;
mod bit;
mod four_state;
mod impairments;
mod loss_trace;
mod periods;
#[cfg(test)]
mod tests;
mod two_state;

pub use ber::Ber;
pub use bit::Bit;
pub use four_state::{FourState, MixedPeriods};
pub(crate) use impairments::Arrivals;
pub use impairments::{Duplication, ExponentialJitter, Impairments, Jitter, Reordering, UniformJitter};
pub use loss_trace::{AtEnd, LossFile, LossTrace, Losses, LossesError};
pub use two_state::TwoState;

use crate::kernel::{Random, Streams};
use crate::line::Passage;
use crate::rate::Clock;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use arqway_link::Side;
use arqway_units::{BitRate, Octets, Ratio, Time};
use ber::BitErrors;
use bit::Corruptions;
use impairments::Detours;
use loss_trace::Playback;
use periods::{Periods, Switching};
use serde::{Deserialize, Serialize};

/// Which frames the link loses; each direction has its own errors and random numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorModel {
    /// None.
    #[default]
    None,
    /// Each frame with the same probability, independently.
    Uniform(Uniform),
    /// A bit error rate that is low in good periods and high in bad ones.
    TwoState(TwoState),
    /// The same, with short and long good periods and short and long bad periods.
    FourState(FourState),
    /// Frames that contain a corruption; corruptions are at random positions in the octets sent.
    Bit(Bit),
    /// Frames with a bit error; every bit has the same error probability, independently.
    Ber(Ber),
    /// The frames that a recording lists as lost.
    Trace(LossTrace),
    /// The listed frames: to reproduce one event exactly.
    Listed(Listed),
}

impl ErrorModel {
    /// Its name in results.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Uniform(_) => "uniform",
            Self::TwoState(_) => "two-state",
            Self::FourState(_) => "four-state",
            Self::Bit(_) => "bit",
            Self::Ber(_) => "ber",
            Self::Trace(_) => "trace",
            Self::Listed(_) => "listed",
        }
    }

    /// Whether it loses nothing at all, whatever it is called.
    #[must_use]
    pub fn is_free_of_errors(&self) -> bool {
        match self {
            Self::None => true,
            Self::Uniform(uniform) => uniform.loss == Ratio::ZERO,
            Self::TwoState(states) => states.good_bit_errors == Ratio::ZERO && states.bad_bit_errors == Ratio::ZERO,
            Self::FourState(states) => states.good_bit_errors == Ratio::ZERO && states.bad_bit_errors == Ratio::ZERO,
            Self::Bit(_) => false,
            Self::Ber(ber) => ber.bit_errors == Ratio::ZERO,
            Self::Trace(trace) => trace.losses.lost() == 0,
            Self::Listed(listed) => listed.down.is_empty() && listed.up.is_empty(),
        }
    }
}

/// Settings of the uniform error model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Uniform {
    /// The probability that a frame is lost.
    pub loss: Ratio,
}

/// Settings of the listed error model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Listed {
    /// Which frames toward the client are lost, counted from 0.
    pub down: Vec<u64>,
    /// Which frames toward the server are lost, counted from 0.
    pub up: Vec<u64>,
}

impl Listed {
    /// The numbers of one direction, in ascending order.
    fn of(&self, direction: Direction) -> Vec<u64> {
        let mut numbers = match direction {
            Direction::Down => self.down.clone(),
            Direction::Up => self.up.clone(),
        };
        numbers.sort_unstable();
        numbers
    }
}

/// One of the two directions of the link: of a line, a channel, a frame.
///
/// The end that sends in a direction is a [`Side`]. A [`Host`](crate::Host) is neither: with a forwarding node, the server is at
/// the access point and the client is behind the far end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From the access point to the client.
    Down,
    /// From the client to the access point.
    Up,
}

impl Direction {
    /// Its name in settings, logs and the names of random streams.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Up => "up",
        }
    }

    /// The other one.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
        }
    }

    /// The end that sends this way.
    #[must_use]
    pub fn sender(self) -> Side {
        match self {
            Self::Down => Side::AccessPoint,
            Self::Up => Side::Client,
        }
    }
}

/// The error model and the impairments of one direction, at work.
#[derive(Debug)]
pub struct Channel {
    fate: Fate,
    frames: u64,
    detours: Option<Box<Detours>>,
}

#[derive(Debug)]
enum Fate {
    Survives,
    Uniform {
        loss: Ratio,
        random: Box<Random>,
    },
    Periods(Box<Periods>),
    Bit(Box<Corruptions>),
    Ber(Box<BitErrors>),
    Trace(Box<Playback>),
    /// In ascending order.
    Listed(Vec<u64>),
}

impl Channel {
    /// The channel of one direction, with streams of its own, such as `wireless.down.errors`.
    #[must_use]
    pub fn new(model: &ErrorModel, impairments: &Impairments, direction: Direction, streams: &Streams) -> Self {
        let way = direction.name();
        // One stream for each purpose: which frames are lost, how long periods are, and each impairment.
        let stream = |purpose: &str| streams.stream(&format!("wireless.{way}.{purpose}"));
        let periods = |law: Switching| Fate::Periods(Box::new(Periods::new(law, stream("periods"), stream("errors"))));
        let fate = match model {
            ErrorModel::None => Fate::Survives,
            ErrorModel::Uniform(uniform) => Fate::Uniform { loss: uniform.loss, random: Box::new(stream("errors")) },
            ErrorModel::TwoState(states) => periods(states.switching()),
            ErrorModel::FourState(states) => periods(states.switching()),
            ErrorModel::Bit(bit) => Fate::Bit(Box::new(Corruptions::new(*bit, stream("errors")))),
            ErrorModel::Ber(ber) => Fate::Ber(Box::new(BitErrors::new(*ber, stream("errors")))),
            ErrorModel::Trace(trace) => Fate::Trace(Box::new(Playback::new(trace.clone()))),
            ErrorModel::Listed(listed) => Fate::Listed(listed.of(direction)),
        };
        let detours = || Detours::new(*impairments, stream);
        Self { fate, frames: 0, detours: (!impairments.is_none()).then(|| Box::new(detours())) }
    }

    /// When the next frame arrives, if it does, which has this size and is on the line from `start` on, sent by this clock.
    pub(crate) fn pass(&mut self, size: Octets, start: Time, passage: &Passage, clock: &Clock) -> Arrivals {
        if passage.departure == Time::MAX {
            // An outage for good: the frame never leaves, and neither is it lost. The link's state until then would take
            // for ever to draw.
            return Arrivals::once(Time::MAX);
        }
        let carried = self.carries(size, start, passage.departure, clock);
        let arrivals =
            self.detours.as_mut().map_or(Arrivals::once(passage.arrival), |detours| detours.take(passage.arrival));
        if carried { arrivals } else { Arrivals::NONE }
    }

    /// Whether the channel loses the next frame, which is sent at this rate from `start` on: a channel by itself, without a
    /// link around it. Frames come in the order of time.
    pub fn loses(&mut self, size: Octets, start: Time, rate: BitRate) -> bool {
        !self.carries(size, start, start + rate.time_to_send(size), &Clock::steady(rate))
    }

    /// Whether the next frame is not lost, which is on the line from `start` to `end`, sent by this clock.
    fn carries(&mut self, size: Octets, start: Time, end: Time, clock: &Clock) -> bool {
        let number = self.frames;
        self.frames += 1;
        match &mut self.fate {
            Fate::Survives => true,
            Fate::Uniform { loss, random } => !random.happens(*loss),
            Fate::Periods(periods) => periods.carries(start, end, size.as_bits(), clock),
            Fate::Bit(corruptions) => corruptions.spare(size),
            Fate::Ber(errors) => errors.spare(size),
            Fate::Trace(playback) => playback.spare(),
            Fate::Listed(lost) => lost.binary_search(&number).is_err(),
        }
    }
}
