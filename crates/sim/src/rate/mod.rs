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

pub use trace::{RateFile, RateFormat, RateStep, StepRate};

use crate::recorded::{Recorded, Trace};
use alloc::boxed::Box;
use arqway_units::{BitRate, Octets, Pacer, Time};
use trace::TracePacer;

/// The rate of a line: a rate, or `{ kind = "trace", steps = ... }`.
pub type Rate = Recorded<RateStep>;

/// A rate that changes with time.
pub type RateTrace = Trace<RateStep>;

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
            Rate::Trace(trace) => Self::Trace(Box::new(TracePacer::new(trace))),
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
