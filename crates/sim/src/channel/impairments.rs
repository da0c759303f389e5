//! What a link does to frames that it does not lose: some come later than others, some come twice.
//!
//! ```text
//!     sent         1   2   3   4   5
//!     jitter       1    2   3      4 5      each takes a random extra delay; in order, if that is kept
//!     reordering   1   2       4   5  3     a share takes a fixed extra delay, and others overtake it
//!     duplication  1 1 2   3   4   5 5      a share comes again
//! ```
//!
//! Each of them draws one random number a frame from a stream of its own, for lost frames too: which frame is delayed
//! depends neither on the others nor on what is lost. Frames whose order is kept wait for those before them; a frame that
//! reordering has held back, and a copy that comes later, holds up nobody.

use crate::kernel::Random;
use arqway_units::{Ratio, Span, Time};
use serde::{Deserialize, Serialize};

/// A share of the frames is delayed, so that later frames overtake them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Reordering {
    /// The share of the frames.
    pub share: Ratio,
    /// The extra delay.
    pub delay: Span,
}

/// A share of the frames arrives twice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Duplication {
    /// The share of the frames.
    pub share: Ratio,
    /// The delay of the copy after the frame.
    #[serde(default)]
    pub delay: Span,
}

/// Extra delay, random for each frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Jitter {
    /// None.
    #[default]
    None,
    /// Uniformly distributed up to a longest delay.
    Uniform(UniformJitter),
    /// Exponentially distributed.
    Exponential(ExponentialJitter),
}

/// Settings of uniform jitter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UniformJitter {
    /// The longest extra delay; the mean is half of it.
    pub longest: Span,
    /// Whether a frame waits for the frames before it.
    #[serde(default = "yes")]
    pub keep_order: bool,
}

/// Settings of exponential jitter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExponentialJitter {
    /// The mean of the extra delay.
    pub mean: Span,
    /// Whether a frame waits for the frames before it.
    #[serde(default = "yes")]
    pub keep_order: bool,
}

/// Most links that hold frames up hold up those behind as well.
fn yes() -> bool {
    true
}

impl Jitter {
    /// The extra delay for a number that is uniform in \[0, 1).
    fn delay(self, uniform: f64) -> Span {
        Span::from_seconds(match self {
            Self::None => 0.0,
            Self::Uniform(jitter) => jitter.longest.as_seconds() * uniform,
            Self::Exponential(jitter) => -jitter.mean.as_seconds() * libm::log1p(-uniform),
        })
    }

    pub(super) fn keeps_order(self) -> bool {
        match self {
            Self::None => true,
            Self::Uniform(UniformJitter { keep_order, .. })
            | Self::Exponential(ExponentialJitter { keep_order, .. }) => keep_order,
        }
    }
}

/// The impairments of one direction, as settings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Impairments {
    /// Frames that take longer than others.
    pub reordering: Option<Reordering>,
    /// Frames that come twice.
    pub duplication: Option<Duplication>,
    /// Extra delay for every frame.
    pub jitter: Jitter,
}

impl Impairments {
    /// Whether every frame arrives once, and a propagation delay after its last bit has gone out.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// When a frame arrives, and when its copy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrivals {
    pub(crate) frame: Option<Time>,
    pub(crate) copy: Option<Time>,
}

impl Arrivals {
    /// The frame is lost.
    pub(super) const NONE: Self = Self { frame: None, copy: None };

    /// The frame arrives at this time, and no copy of it.
    pub(super) const fn once(at: Time) -> Self {
        Self { frame: Some(at), copy: None }
    }
}

/// The impairments of one direction, at work.
#[derive(Debug)]
pub(super) struct Detours {
    settings: Impairments,
    of_reordering: Random,
    of_duplication: Random,
    of_jitter: Random,
    /// When the last frame was there that those behind wait for.
    last: Time,
}

impl Detours {
    /// Detours with the random numbers of each kind.
    pub(super) fn new(settings: Impairments, stream: impl Fn(&str) -> Random) -> Self {
        Self {
            settings,
            of_reordering: stream("reordering"),
            of_duplication: stream("duplication"),
            of_jitter: stream("jitter"),
            last: Time::ZERO,
        }
    }

    /// When the next frame arrives, that would arrive at `arrival` without impairments.
    pub(super) fn take(&mut self, arrival: Time) -> Arrivals {
        let Impairments { reordering, duplication, jitter } = self.settings;
        let mut at = arrival + jitter.delay(self.of_jitter.uniform());
        if jitter.keeps_order() {
            at = at.max(self.last);
            self.last = at;
        }
        if let Some(Reordering { share, delay }) = reordering
            && self.of_reordering.happens(share)
        {
            at += delay;
        }
        let copy = duplication.filter(|duplication| self.of_duplication.happens(duplication.share));
        Arrivals { frame: Some(at), copy: copy.map(|duplication| at + duplication.delay) }
    }
}
