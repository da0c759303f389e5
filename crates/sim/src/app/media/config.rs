//! The settings of Media Distribution.

use super::adaptation::Adapts;
use crate::app::AppConfig;
use crate::packet::PacketLength;
use arqway_link::mux::Ds;
use arqway_units::{BitRate, Span, optional_positive_span};
use core::num::NonZeroU32;
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MediaConfig {
    /// Whether the lecture is on.
    pub enabled: bool,
    /// The rate during a talk spurt; with adaptation, the highest rate.
    pub rate: BitRate,
    /// The length of a packet; the scenario's `headers` says whether it includes the headers.
    pub packet: PacketLength,
    /// How many packets are sent at once, as those of a video frame; the rate stays.
    pub packets_at_once: NonZeroU32,
    /// The mean length of a talk spurt.
    pub talk: Span,
    /// The mean length of a silence.
    pub silence: Span,
    /// Its duration if no file is transferred, since a file ends the run; by default, the duration of the run.
    #[serde(deserialize_with = "optional_positive_span")]
    pub duration: Option<Span>,
    /// What the rate adapts to, if anything.
    pub adapts: Adapts,
    /// The Differentiated Services field of its packets.
    pub ds: Ds,
    /// How many standard deviations to add to the mean in the reported delay: two cover most packets, like a playback
    /// buffer (multiservice §III).
    #[serde(deserialize_with = "not_negative")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub delay_deviations: f64,
    /// The maximum delay of a packet that is in time; without it, the share in time is not measured.
    #[serde(deserialize_with = "optional_positive_span")]
    pub within: Option<Span>,
    /// How much longer than the fastest packet one may take to be played, as a playout buffer has it; without it, the share played is
    /// not measured.
    #[serde(deserialize_with = "optional_positive_span")]
    pub playout: Option<Span>,
}

fn not_negative<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    if number.is_finite() && number >= 0.0 {
        Ok(number)
    } else {
        Err(serde::de::Error::custom("a number of standard deviations is 0 or more"))
    }
}

impl AppConfig for MediaConfig {
    const FINISHES: bool = false;

    fn duration(&self) -> Option<Span> {
        self.duration
    }
}

impl Default for MediaConfig {
    /// The papers' lecture: CBR voice of 56 kbit/s in talk spurts of 1 s.
    fn default() -> Self {
        Self {
            enabled: false,
            // A constant that is not zero: the fallback is never taken.
            rate: BitRate::from_bits_per_second(56_000).unwrap_or(BitRate::MINIMUM),
            packet: PacketLength::SHORT,
            packets_at_once: NonZeroU32::MIN,
            talk: Span::from_milliseconds(1000),
            silence: Span::from_milliseconds(1350),
            duration: None,
            adapts: Adapts::No,
            ds: Ds::default(),
            delay_deviations: 0.0,
            within: None,
            playout: None,
        }
    }
}
