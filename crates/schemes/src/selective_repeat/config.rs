//! How Selective Repeat is set up. A configuration that parsed is valid.

use super::SelectiveRepeat;
use super::timeout::{EstimatorConfig, Timeout};
use super::wire::Number;
use arqway_arq::Resequencing;
pub use arqway_arq::TimerStarts;
use arqway_contract::{End, Grammar, LinkContext, Parameter, SchemeName, Service, settings, timer};
use arqway_units::Span;
use serde::{Deserialize, Serialize};

settings! {
    /// The settings of one end; both ends need the same window, and the same `resequencing`.
    // The window and the delayed acknowledgement of monet08 §IV with the middle of its timeouts; the two choices that
    // keep a fixed timeout from collapsing on a shared link, which the papers' worlds turn off.
    #[cfg_attr(feature = "schema", schemars(rename = "SelectiveRepeatConfig"))]
    pub struct Config {
        /// The maximum number of unacknowledged frames.
        pub window: WindowSize = WindowSize(127),
        /// The retransmission timeout of a frame.
        pub timeout: Timeout = Timeout::Fixed(Span::from_milliseconds(1100)),
        /// How an adaptive timeout estimates the round-trip time.
        pub estimator: EstimatorConfig = EstimatorConfig::default(),
        /// When the timer of a frame starts.
        pub timer_starts: TimerStarts = TimerStarts::Departure,
        /// Which missing frames are rejected, and how often they are.
        pub rejects: Rejects = Rejects::Multireject,
        /// How long an acknowledgement waits for a data frame on which to be piggybacked.
        pub delayed_acknowledgement: Span = Span::from_milliseconds(500),
        /// Whether a queued copy is withdrawn when its acknowledgement arrives.
        pub drop_stale_copies: bool = true,
        /// The order in which packets are released.
        pub resequencing: Resequencing = Resequencing::Full,
    }
}

impl Service for Config {
    type End = End<SelectiveRepeat>;

    /// It loses none.
    const KNOWS_LOSSES: bool = true;

    const NAMES: &'static [SchemeName] = &[
        SchemeName::with(
            "sr",
            Parameter {
                key: "timeout",
                required: false,
                grammar: Grammar::Seconds,
                example: "1.1",
                means: "a timeout of 1.1 s",
            },
        ),
        SchemeName::with(
            "asr",
            Parameter {
                key: "timeout",
                required: true,
                grammar: Grammar::Factors,
                example: "3+2",
                means: "one of 3 srtt + 2 srttvar",
            },
        ),
    ];

    fn build(&self, _: &LinkContext) -> Self::End {
        End::new(SelectiveRepeat::new(self))
    }

    fn residual_loss(&self, _: f64) -> f64 {
        0.0
    }

    fn holds_back(&self) -> bool {
        self.resequencing.holds_back()
    }

    fn named(&self, name: &str, parameter: Option<&str>) -> Option<Self> {
        let timeout = match (name, parameter) {
            (_, None) => self.timeout,
            ("asr", Some(policy)) => Timeout::Adaptive(policy.parse().ok()?),
            (_, Some(seconds)) => Timeout::Fixed(timer(seconds)?),
        };
        Some(Self { timeout, ..self.clone() })
    }
}

/// How the receiver requests missing frames (monet08 §IV names all three; Brady 1987 compares them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Rejects {
    /// Each at once, and again when a frame that was rejected after it arrives, because its retransmission must have
    /// been lost.
    Multireject,
    /// Each at once and only once: a lost retransmission is left to the sender's timer.
    EachOnce,
    /// One at a time, starting with the first missing one: the next is rejected once that one has arrived.
    OneAtATime,
}

/// The window of Selective Repeat: from 1 to half the modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct WindowSize(u16);

impl WindowSize {
    /// Half the modulus: with more, an old copy and a new frame could bear the same number.
    pub const MAX: u16 = 1 << (Number::WIDTH - 1);

    /// A window of so many frames, or `None` outside 1 to [`MAX`](Self::MAX).
    #[must_use]
    pub fn new(frames: u16) -> Option<Self> {
        (1..=Self::MAX).contains(&frames).then_some(Self(frames))
    }

    /// How many frames.
    #[must_use]
    pub fn frames(self) -> usize {
        usize::from(self.0)
    }
}

/// A window that Selective Repeat would not survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a window of {0} frames: expected 1 to {max}, half of the {modulus} sequence numbers", max = WindowSize::MAX, modulus = Number::MODULUS)]
pub struct WindowSizeError(i64);

impl TryFrom<i64> for WindowSize {
    type Error = WindowSizeError;
    fn try_from(frames: i64) -> Result<Self, WindowSizeError> {
        u16::try_from(frames).ok().and_then(Self::new).ok_or(WindowSizeError(frames))
    }
}

impl From<WindowSize> for i64 {
    fn from(window: WindowSize) -> Self {
        Self::from(window.0)
    }
}
