//! How fast a transmitter sends: always the same, or as a recording says, outages and all.
//!
//! ```text
//!     rate = "64 kbit/s"
//!
//!     rate = { kind = "trace", steps = [          kbit/s  64 |====|         |====|
//!         { for = "2 s", rate = "64 kbit/s" },            32 |    |         |    |
//!         { for = "1 s", rate = "0 bit/s" },               0 |    |--|      |    |--|
//!         { for = "2 s", rate = "32 kbit/s" },               +----+--+====+-+----+--+===> time
//!     ] }
//! ```
//!
//! A frame that is being sent when the rate changes goes on at the new rate: it is there when the area under the rate is
//! its bits, to the nanosecond, and what rounding cuts off is carried over to the next frame.

mod trace;

pub use trace::{RateTrace, RateTraceError, Step, StepRate, TraceEnd};

use alloc::boxed::Box;
use arqway_units::{BitRate, Octets, Pacer, Time};
use core::fmt;
use serde::de::{Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use trace::TracePacer;

/// The rate of a line: a rate, or `{ kind = "trace", steps = ... }`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "kebab-case"))]
pub enum Rate {
    /// Recorded.
    Trace(RateTrace),
    /// Constant.
    #[cfg_attr(feature = "schema", schemars(untagged))]
    Constant(BitRate),
}

impl Rate {
    /// The mean rate.
    #[must_use]
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Trace(trace) => trace.mean(),
        }
    }
}

impl From<BitRate> for Rate {
    fn from(rate: BitRate) -> Self {
        Self::Constant(rate)
    }
}

/// As it is read.
impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Table<'a> {
            kind: &'static str,
            #[serde(flatten)]
            trace: &'a RateTrace,
        }

        match self {
            Self::Constant(rate) => rate.serialize(serializer),
            Self::Trace(trace) => Table { kind: "trace", trace }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RateVisitor;

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Table {
            #[serde(rename = "kind")]
            _kind: Kind,
            steps: trace::Steps,
            #[serde(default)]
            at_end: TraceEnd,
        }

        /// The one kind of rate that is a table.
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            Trace,
        }

        impl<'de> Visitor<'de> for RateVisitor {
            type Value = Rate;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a rate or { kind = \"trace\", steps = [...] }, such as \"64 kbit/s\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Rate, E> {
                text.parse().map(Rate::Constant).map_err(E::custom)
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Rate, M::Error> {
                let Table { steps, at_end, .. } = Table::deserialize(MapAccessDeserializer::new(map))?;
                RateTrace::new(steps.into_inner(), at_end).map(Rate::Trace).map_err(M::Error::custom)
            }
        }

        deserializer.deserialize_any(RateVisitor)
    }
}

/// The clock of a transmitter.
#[derive(Debug)]
pub(crate) enum Clock {
    /// At a rate that stays.
    Steady(Pacer),
    /// At one that changes.
    Trace(Box<TracePacer>),
}

impl Clock {
    /// One at this rate for ever.
    pub(crate) fn steady(rate: BitRate) -> Self {
        Self::Steady(Pacer::new(rate))
    }

    pub(crate) fn new(rate: &Rate) -> Self {
        match rate {
            Rate::Constant(rate) => Self::steady(*rate),
            Rate::Trace(trace) => Self::Trace(Box::new(TracePacer::new(trace.clone()))),
        }
    }

    /// When the last bit of a load has gone out whose first bit goes out now.
    #[inline]
    pub(crate) fn departure(&mut self, size: Octets, now: Time) -> Time {
        match self {
            Self::Steady(pacer) => now + pacer.time_to_send(size),
            Self::Trace(pacer) => pacer.departure(size, now),
        }
    }

    /// How much goes out between two times, in a unit of its own: what share of a frame lies in a part of its time.
    pub(crate) fn amount(&self, from: Time, to: Time) -> u128 {
        match self {
            Self::Steady(_) => to.since(from).as_nanoseconds().into(),
            Self::Trace(pacer) => pacer.area_between(from, to),
        }
    }
}
