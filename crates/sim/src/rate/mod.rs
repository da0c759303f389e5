//! How fast a transmitter sends: always the same, as a recording says, or at random, outages and all.
//!
//! ```text
//!     rate = "64 kbit/s"
//!
//!     rate = { kind = "trace", steps = [          kbit/s  64 |====|         |====|
//!         { for = "2 s", rate = "64 kbit/s" },            32 |    |         |    |
//!         { for = "1 s", rate = "0 bit/s" },               0 |    |--|      |    |--|
//!         { for = "2 s", rate = "32 kbit/s" },               +----+--+====+-+----+--+===> time
//!     ] }
//!     rate = { kind = "wandering" }               at random, like a cellular link: `wandering.rs`
//! ```
//!
//! A frame that is being sent when the rate changes goes on at the new rate: it is there when the area under the rate is
//! its bits, to the nanosecond, and what rounding cuts off is carried over to the next frame.

mod trace;
mod wandering;

pub use trace::{RateFile, RateFormat, RateStep, StepRate};

pub use wandering::{Wandering, WanderingError};

use crate::kernel::Random;
use crate::recorded::{Steps, Trace, TraceEnd, TraceStep};
use alloc::boxed::Box;
use arqway_units::{BitRate, Octets, Pacer, Span, Time};
use core::fmt;
use serde::de::{Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use trace::TracePacer;
use wandering::WanderingPacer;

/// The rate of a line: a rate, `{ kind = "trace", steps = ... }`, or `{ kind = "wandering" }`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "kebab-case"))]
pub enum Rate {
    /// Recorded.
    Trace(RateTrace),
    /// At random, like that of a cellular link.
    Wandering(Wandering),
    /// Constant.
    #[cfg_attr(feature = "schema", schemars(untagged))]
    Constant(BitRate),
}

/// A rate that changes with time.
pub type RateTrace = Trace<RateStep>;

impl Rate {
    /// The mean rate.
    #[must_use]
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Trace(trace) => trace.mean(),
            Self::Wandering(wandering) => wandering.mean(),
        }
    }
}

/// As it is read.
impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        enum Table<'r> {
            Trace(&'r RateTrace),
            Wandering(&'r Wandering),
        }
        match self {
            Self::Constant(rate) => rate.serialize(serializer),
            Self::Trace(trace) => Table::Trace(trace).serialize(serializer),
            Self::Wandering(wandering) => Table::Wandering(wandering).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            Trace,
            Wandering,
        }

        /// The keys of both kinds, so that each is read where it stands.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Table {
            kind: Kind,
            steps: Option<Steps<RateStep>>,
            at_end: Option<TraceEnd>,
            most: Option<BitRate>,
            volatility: Option<BitRate>,
            outage: Option<Span>,
            opportunity: Option<Octets>,
        }

        struct RateVisitor;

        impl<'de> Visitor<'de> for RateVisitor {
            type Value = Rate;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(RateStep::EXPECTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Rate, E> {
                text.parse().map(Rate::Constant).map_err(E::custom)
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Rate, M::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                match table.kind {
                    Kind::Trace => {
                        let Steps(steps) = table.steps.ok_or_else(|| M::Error::missing_field("steps"))?;
                        let trace = Trace::new(steps, table.at_end.unwrap_or_default());
                        trace.map(Rate::Trace).map_err(M::Error::custom)
                    }
                    Kind::Wandering => {
                        let default = Wandering::default();
                        let wandering = Wandering {
                            most: table.most.unwrap_or(default.most),
                            volatility: table.volatility.unwrap_or(default.volatility),
                            outage: table.outage.unwrap_or(default.outage),
                            opportunity: table.opportunity.unwrap_or(default.opportunity),
                        };
                        wandering.checked().map(Rate::Wandering).map_err(M::Error::custom)
                    }
                }
            }
        }

        deserializer.deserialize_any(RateVisitor)
    }
}

impl From<BitRate> for Rate {
    fn from(rate: BitRate) -> Self {
        Self::Constant(rate)
    }
}

/// The clock of a transmitter.
#[derive(Debug)]
pub(crate) enum Clock {
    /// At a rate that stays.
    Steady(Pacer),
    /// At one that changes.
    Trace(Box<TracePacer>),
    /// At one that wanders.
    Wandering(Box<WanderingPacer>),
}

impl Clock {
    /// One at this rate for ever.
    pub(crate) fn steady(rate: BitRate) -> Self {
        Self::Steady(Pacer::new(rate))
    }

    /// One at this rate, which draws from a stream of its own where it is random.
    pub(crate) fn new(rate: &Rate, random: impl FnOnce() -> Random) -> Self {
        match rate {
            Rate::Constant(rate) => Self::steady(*rate),
            Rate::Trace(trace) => Self::Trace(Box::new(TracePacer::new(trace))),
            Rate::Wandering(wandering) => Self::Wandering(Box::new(WanderingPacer::new(wandering, random()))),
        }
    }

    /// When the last bit of a load has gone out whose first bit goes out now.
    #[inline]
    pub(crate) fn departure(&mut self, size: Octets, now: Time) -> Time {
        match self {
            Self::Steady(pacer) => now + pacer.time_to_send(size),
            Self::Trace(pacer) => pacer.departure(size, now),
            Self::Wandering(pacer) => pacer.departure(size, now),
        }
    }

    /// How much goes out between two times, in a unit of its own: what share of a frame lies in a part of its time.
    pub(crate) fn amount(&self, from: Time, to: Time) -> u128 {
        match self {
            Self::Steady(_) => to.since(from).as_nanoseconds().into(),
            Self::Trace(pacer) => pacer.area_between(from, to),
            Self::Wandering(pacer) => pacer.area_between(from, to),
        }
    }
}
