//! The error models of one direction of a link.
//!
//! A channel acts behind the transmitter: a frame that it loses has used the link.

mod two_state;

pub use two_state::TwoState;

use crate::kernel::{Random, Streams};
use crate::line::Passage;
use arqway_units::{Octets, Ratio, Time};
use serde::{Deserialize, Serialize};

use alloc::boxed::Box;
use alloc::vec::Vec;
use two_state::Periods;

/// Which frames the link loses; each direction runs its own, with random numbers of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorModel {
    /// None.
    #[default]
    None,
    /// Each with the same probability, independently.
    Uniform(Uniform),
    /// By a bit error rate that is low in good periods and high in bad ones.
    TwoState(TwoState),
    /// Those of given numbers: an exact repetition of what once happened, or a test.
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

/// One of the two directions of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the access point to the client.
    Down,
    /// From the client to the access point.
    Up,
}

/// What a channel draws random numbers for.
#[derive(Debug, Clone, Copy)]
enum Draw {
    /// Which frames are lost.
    Fates,
    /// How long the link stays good, or bad.
    Periods,
}

/// The error model of one direction, at work.
#[derive(Debug)]
pub struct Channel {
    fate: Fate,
    frames: u64,
}

#[derive(Debug)]
enum Fate {
    Survives,
    Uniform {
        loss: Ratio,
        random: Box<Random>,
    },
    TwoState(Box<Periods>),
    /// In ascending order.
    Listed(Vec<u64>),
}

impl Channel {
    /// The channel of one direction, with streams of its own: `wireless.down.errors`, `wireless.down.periods`.
    #[must_use]
    pub fn new(model: &ErrorModel, direction: Direction, streams: &Streams) -> Self {
        let stream = |what| {
            streams.stream(match (direction, what) {
                (Direction::Down, Draw::Fates) => "wireless.down.errors",
                (Direction::Up, Draw::Fates) => "wireless.up.errors",
                (Direction::Down, Draw::Periods) => "wireless.down.periods",
                (Direction::Up, Draw::Periods) => "wireless.up.periods",
            })
        };
        let fate = match model {
            ErrorModel::None => Fate::Survives,
            ErrorModel::Uniform(uniform) => Fate::Uniform { loss: uniform.loss, random: Box::new(stream(Draw::Fates)) },
            ErrorModel::TwoState(states) => {
                Fate::TwoState(Box::new(Periods::new(*states, stream(Draw::Periods), stream(Draw::Fates))))
            }
            ErrorModel::Listed(listed) => {
                let mut frames = match direction {
                    Direction::Down => listed.down.clone(),
                    Direction::Up => listed.up.clone(),
                };
                frames.sort_unstable();
                Fate::Listed(frames)
            }
        };
        Self { fate, frames: 0 }
    }

    /// Whether the next frame arrives, which has this size and is on the line from `start` on.
    pub(crate) fn carries(&mut self, size: Octets, start: Time, passage: &Passage) -> bool {
        let number = self.frames;
        self.frames += 1;
        match &mut self.fate {
            Fate::Survives => true,
            Fate::Uniform { loss, random } => !random.happens(*loss),
            Fate::TwoState(periods) => periods.carries(start, passage.departure, size.as_bits()),
            Fate::Listed(lost) => lost.binary_search(&number).is_err(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Span;

    fn channel(model: &ErrorModel) -> Channel {
        Channel::new(model, Direction::Down, &Streams::new(7, 0))
    }

    /// Whether the next frame arrives, at whatever time.
    fn carries(channel: &mut Channel) -> bool {
        channel.carries(Octets::new(250), Time::ZERO, &Passage { departure: Time::ZERO, arrival: Time::ZERO })
    }

    #[test]
    fn a_uniform_channel_loses_its_share_and_remembers_nothing() {
        let loss = Ratio::new(0.054).expect("a share");
        let mut channel = channel(&ErrorModel::Uniform(Uniform { loss }));
        let frames = 1_000_000;
        let (mut lost, mut pairs, mut last) = (0u32, 0u32, false);
        for _ in 0..frames {
            let now = !carries(&mut channel);
            lost += u32::from(now);
            pairs += u32::from(now && last);
            last = now;
        }
        // Four standard errors of a binomial share: sqrt(p (1 - p) / n) is 0.00023 here, of pairs 0.000054.
        assert!((f64::from(lost) / f64::from(frames) - 0.054).abs() < 0.0009, "{lost}");
        assert!((f64::from(pairs) / f64::from(frames) - 0.054 * 0.054).abs() < 0.00022, "{pairs}");
    }

    #[test]
    fn a_higher_loss_loses_every_frame_that_a_lower_one_loses() {
        let at = |loss| channel(&ErrorModel::Uniform(Uniform { loss: Ratio::new(loss).expect("a share") }));
        let (mut low, mut high) = (at(0.015), at(0.098));
        for _ in 0..10_000 {
            let (low, high) = (carries(&mut low), carries(&mut high));
            assert!(low || !high, "common random numbers keep the points of a sweep paired");
        }
    }

    #[test]
    fn a_listed_channel_loses_exactly_the_frames_listed() {
        let mut channel = channel(&ErrorModel::Listed(Listed { down: [0, 3].into(), up: [1].into() }));
        let carried: [bool; 5] = core::array::from_fn(|_| carries(&mut channel));
        assert_eq!(carried, [false, true, true, false, true]);
    }

    #[test]
    fn the_two_directions_are_bad_at_different_times() {
        let states = TwoState {
            good: Span::from_milliseconds(100),
            bad: Span::from_milliseconds(100),
            good_bit_errors: Ratio::ZERO,
            bad_bit_errors: Ratio::ONE,
        };
        let direction = |direction| {
            let mut channel = Channel::new(&ErrorModel::TwoState(states), direction, &Streams::new(7, 0));
            let fates = (0..10_000u64).map(move |frame| {
                let start = Time::ZERO + Span::from_milliseconds(30) * frame;
                let passage = Passage { departure: start + Span::from_nanoseconds(1), arrival: start };
                channel.carries(Octets::new(250), start, &passage)
            });
            fates.collect::<Vec<bool>>()
        };
        let (down, up) = (direction(Direction::Down), direction(Direction::Up));
        let same = down.iter().zip(&up).filter(|(down, up)| down == up).count();
        assert!((4500..5500).contains(&same), "{same} of 10,000 fates agree");
    }
}
