//! The settings of a reservation.

use crate::app::AppConfig;
use arqway_link::path::signalling::Timing;
use arqway_units::{BitRate, Ratio, Span, optional_positive_span};
use serde::{Deserialize, Serialize};

/// Settings of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReservationConfig {
    /// Whether the server reserves a part of the path for the media.
    pub enabled: bool,
    /// The rate of the media that is to arrive.
    pub rate: BitRate,
    /// The loss that the media can do without.
    pub loss: Ratio,
    /// How long a packet may be on its way, queueing apart; any time by default.
    #[serde(deserialize_with = "optional_positive_span")]
    pub delay: Option<Span>,
    /// The share of each link that is never set aside, so that all others have something.
    pub kept_free: Ratio,
    /// How often what is set aside is renewed, and how long it stands without.
    pub timing: Timing,
}

impl Default for ReservationConfig {
    /// The lecture of the papers, of which one packet in a hundred may be lost.
    fn default() -> Self {
        Self {
            enabled: false,
            rate: BitRate::from_bits_per_second(56_000).unwrap_or(BitRate::MINIMUM),
            loss: Ratio::new(0.01).unwrap_or(Ratio::ZERO),
            delay: None,
            kept_free: Ratio::new(0.1).unwrap_or(Ratio::ZERO),
            timing: Timing::default(),
        }
    }
}

impl AppConfig for ReservationConfig {
    const FINISHES: bool = false;
}
