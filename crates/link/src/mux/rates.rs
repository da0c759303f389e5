//! Whose share of the link is how large: what the scheduler's rate table holds (multiservice, Fig. 7).
//!
//! Shares are either given, the rates of the classes that a service carries added up (Section VIII), or measured: over
//! regular intervals the octets that the classifier assigns to each service, divided by all (Section VII). So a service
//! gets what its traffic would have got on a link with one service, and pays for its recovery out of that. A packet counts
//! when its service takes it, so that one that is refused and offered again counts once. What a class
//! [carries](super::carried) is set aside like a rate, with its recovery on top.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use arqway_contract::settings;
use arqway_units::{BitRate, Octets, Ratio, Span, Time, ToFloat, UnitError, count, positive_span, truncate};
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// What of a link is set aside: a rate, or a share of the link's.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Allocation {
    /// So many bits per second.
    Rate(BitRate),
    /// A share of the link.
    Share(Ratio),
}

impl Allocation {
    /// As a share of a link, in [parts](Shares::WHOLE); `None` for a rate where the link's is not known.
    fn parts(self, link: Option<BitRate>) -> Option<u64> {
        match self {
            Self::Share(share) => Some(parts_of(share)),
            Self::Rate(rate) => link.map(|link| {
                let parts = u128::from(rate.as_bits_per_second()) * u128::from(Shares::WHOLE);
                let link = u128::from(link.as_bits_per_second());
                u64::try_from((parts + link / 2) / link).unwrap_or(u64::MAX)
            }),
        }
    }
}

impl FromStr for Allocation {
    type Err = AllocationError;
    fn from_str(text: &str) -> Result<Self, AllocationError> {
        let wrong = |error: UnitError| AllocationError(text.to_string(), error.to_string());
        if text.trim_end().ends_with('%') {
            text.parse().map(Self::Share).map_err(wrong)
        } else {
            text.parse().map(Self::Rate).map_err(wrong)
        }
    }
}

/// A text that sets nothing aside.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}`: {1}; expected a rate such as \"1 Mbit/s\", or a share of the link such as \"20 %\"")]
pub struct AllocationError(String, String);

impl fmt::Display for Allocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => rate.fmt(out),
            Self::Share(share) => share.fmt(out),
        }
    }
}

arqway_ip::serde_as_text!(Allocation, "a rate such as \"1 Mbit/s\", or a share such as \"20 %\"");

/// The source of the scheduler's rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Rates {
    /// The `rate` of each class; services without a rate divide the remainder equally.
    #[default]
    Given,
    /// The traffic that the classifier assigns to each service, divided by the total.
    Measured(Measured),
}

settings! {
    /// How rates are measured.
    // A second, and one part in a hundred.
    #[derive(Copy)]
    pub struct Measured {
        /// The measurement interval; an interval without traffic leaves the shares unchanged.
        #[serde(deserialize_with = "positive_span")]
        pub interval: Span = Span::from_milliseconds(1000),
        /// The minimum share of a service, for its acknowledgements and for its first packets after an idle time.
        pub floor: Ratio = Ratio::new(0.01).unwrap_or(Ratio::ZERO),
    }
}

/// The share of each service, in parts of [`WHOLE`](Self::WHOLE); they sum to it exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares(Vec<u32>);

/// A share in the scale of [`Shares`].
fn parts_of(share: Ratio) -> u64 {
    truncate(share.as_f64() * f64::from(Shares::WHOLE) + 0.5)
}

/// Not even where nothing else is left may a service starve.
const LEAST: f64 = 0.001;

impl Shares {
    /// How many parts the link has: shares are known to a millionth.
    pub const WHOLE: u32 = 1 << 20;

    /// The same for each of `services`, of which there is at least one.
    #[must_use]
    pub fn equal(services: usize) -> Self {
        let mut shares = Self(alloc::vec![0; services]);
        shares.set_in_proportion(&alloc::vec![1; services], Ratio::ZERO);
        shares
    }

    /// In proportion to these amounts, of which there is at least one, and nothing less than a thousandth for any; equal
    /// where all are zero.
    #[must_use]
    pub fn in_proportion(amounts: &[u64]) -> Self {
        let mut shares = Self::equal(amounts.len());
        shares.set_to(amounts);
        shares
    }

    /// The same for shares that there are already, which stay where all amounts are zero.
    pub(super) fn set_to(&mut self, amounts: &[u64]) {
        if amounts.iter().any(|amount| *amount > 0) {
            self.set_in_proportion(amounts, Ratio::new(LEAST).unwrap_or(Ratio::ZERO));
        }
    }

    /// Of each service.
    #[must_use]
    pub fn parts(&self) -> &[u32] {
        &self.0
    }

    /// Of one service.
    #[must_use]
    pub fn of(&self, service: usize) -> Option<Ratio> {
        Ratio::new(f64::from(*self.0.get(service)?) / f64::from(Self::WHOLE))
    }

    /// In proportion to these amounts, not all zero, but to each at least `floor`, or an equal share where that is less.
    fn set_in_proportion(&mut self, amounts: &[u64], floor: Ratio) {
        let (whole, services) = (u64::from(Self::WHOLE), self.0.len() as u64);
        let floor = parts_of(floor).clamp(1, whole / services);
        let spread = u128::from(whole - floor * services);
        let total: u128 = amounts.iter().map(|amount| u128::from(*amount)).sum::<u128>().max(1);
        // What is rounded off one share goes to the next, so that nothing is lost of the whole.
        let (mut seen, mut given) = (0, 0);
        for (share, amount) in self.0.iter_mut().zip(amounts) {
            seen += u128::from(*amount);
            let up_to_here = spread * seen / total;
            *share = u32::try_from(u128::from(floor) + up_to_here - given).unwrap_or(Self::WHOLE);
            given = up_to_here;
        }
    }
}

/// Why rates cannot be given so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RateError {
    /// Nobody says what the link carries.
    #[error("a rate of {0} on a link whose own rate is unknown or varies; expected a share such as \"20 %\"")]
    LinkRateUnknown(String),
    /// More than there is.
    #[error("the rates of all classes add up to {0} of the link; expected at most 100 %")]
    TooMuch(String),
}

/// What is set aside for each service, in [parts](Shares::WHOLE), from the classes that it carries.
#[derive(Debug, Clone)]
pub(super) struct SetAside {
    /// By their `rate`.
    given: Vec<u64>,
    /// By what they carry: the part that the packets alone take.
    carried: Vec<u64>,
    /// The services of whose classes none has either.
    without: Vec<usize>,
}

impl SetAside {
    /// From the service of each class with a `rate`, and of each that says what it carries.
    pub(super) fn new(
        services: usize,
        given: &[(usize, Allocation)],
        carried: &[(usize, Allocation)],
        link: Option<BitRate>,
    ) -> Result<Self, RateError> {
        let parts = |allocations: &[(usize, Allocation)]| {
            let mut amounts = alloc::vec![0u64; services];
            for (service, allocation) in allocations {
                let parts = allocation.parts(link).ok_or_else(|| RateError::LinkRateUnknown(allocation.to_string()))?;
                amounts[*service] = amounts[*service].saturating_add(parts);
            }
            Ok(amounts)
        };
        let is_without = |service: &usize| given.iter().chain(carried).all(|(of, _)| of != service);
        let set_aside = Self {
            given: parts(given)?,
            carried: parts(carried)?,
            without: (0..services).filter(is_without).collect(),
        };
        let sum = sum(&set_aside.given).saturating_add(sum(&set_aside.carried));
        let whole = u64::from(Shares::WHOLE);
        // Each share may have been rounded up by half a part.
        if sum > whole + count(given.len() + carried.len()) {
            let share = sum.to_f64() / whole.to_f64();
            return Err(RateError::TooMuch(alloc::format!("{:.1} %", share * 100.0)));
        }
        Ok(set_aside)
    }

    /// Whether classes of this service say what they carry.
    pub(super) fn carries(&self, service: usize) -> bool {
        self.carried.get(service).is_some_and(|parts| *parts > 0)
    }

    /// The shares before anything is measured.
    pub(super) fn shares(&self) -> Shares {
        let mut amounts = alloc::vec![0; self.given.len()];
        self.share_out(|_| 1.0, &mut amounts);
        Shares::in_proportion(&amounts)
    }

    /// What each service gets where this share of what it puts on the link is packets that arrive: what is given stays
    /// as it is, and what is carried grows by what it costs, as far as there is room. A service with neither gets an
    /// equal part of what is left.
    pub(super) fn share_out(&self, effective_goodput: impl Fn(usize) -> f64, amounts: &mut [u64]) {
        let room = u64::from(Shares::WHOLE).saturating_sub(sum(&self.given));
        for (service, (amount, carried)) in amounts.iter_mut().zip(&self.carried).enumerate() {
            *amount = truncate(carried.to_f64() / effective_goodput(service) + 0.5);
        }
        let wanted: u128 = amounts.iter().map(|amount| u128::from(*amount)).sum();
        if wanted > u128::from(room) {
            for amount in amounts.iter_mut() {
                *amount = u64::try_from(u128::from(*amount) * u128::from(room) / wanted).unwrap_or(room);
            }
        }
        let left = room.saturating_sub(sum(amounts));
        for (amount, given) in amounts.iter_mut().zip(&self.given) {
            *amount = amount.saturating_add(*given);
        }
        for service in &self.without {
            amounts[*service] = left / count(self.without.len());
        }
    }
}

fn sum(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum, parts| sum.saturating_add(*parts))
}

/// Measures the shares of what comes in, interval by interval.
#[derive(Debug)]
pub(super) struct Meter {
    settings: Measured,
    /// Assigned in this interval.
    octets: Vec<u64>,
    /// When it ends.
    end: Option<Time>,
}

impl Meter {
    pub(super) fn new(settings: Measured, services: usize) -> Self {
        Self { settings, octets: alloc::vec![0; services], end: None }
    }

    /// Takes note of a packet that was assigned to a service.
    pub(super) fn count(&mut self, service: usize, size: Octets) {
        if let Some(octets) = self.octets.get_mut(service) {
            *octets = octets.saturating_add(size.as_u64());
        }
    }

    /// When the present interval is over, if one has begun; each begins with the end of the one before.
    pub(super) fn interval_ends(&self) -> Time {
        self.end.unwrap_or(Time::ZERO)
    }

    /// Sets the shares anew, if an interval in which something was seen has ended. Whether it has.
    pub(super) fn update(&mut self, shares: &mut Shares, now: Time) -> bool {
        let end = *self.end.get_or_insert(now + self.settings.interval);
        if now < end {
            return false;
        }
        // All intervals are equally long, so those without a packet are passed over.
        let over = now.since(end).as_nanoseconds() / self.settings.interval.as_nanoseconds().max(1);
        self.end = Some(end + self.settings.interval * (over + 1));
        if self.octets.iter().all(|octets| *octets == 0) {
            return false;
        }
        shares.set_in_proportion(&self.octets, self.settings.floor);
        self.octets.fill(0);
        true
    }
}
