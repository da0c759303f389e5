//! The link between server and access point, as settings.

use crate::line::Room;
use arqway_units::{BitRate, Ratio, Span};
use serde::{Deserialize, Serialize};

/// The wired link: it drops packets only when its queue is full, unless `loss` is set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Wired {
    /// The rate in each direction.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: Span,
    /// The length of the queue at each end, in packets; packets beyond it are dropped.
    pub queue: Room,
    /// The share of packets toward the client that it loses at random, after they were sent (shikama06 §4.3).
    pub loss: Ratio,
}

impl Default for Wired {
    /// 10 Mbit/s and 1 ms, with ns-2's default queue.
    fn default() -> Self {
        Self {
            rate: BitRate::from_bits_per_second(10_000_000).unwrap_or(BitRate::MINIMUM),
            delay: Span::from_milliseconds(1),
            queue: Room::of(50),
            loss: Ratio::ZERO,
        }
    }
}
