//! The first pass: what the links of a path can do together, collected on the way, and the choice at its end.

use crate::metrics::{ServiceMetrics, share, whole};
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_units::{BitRate, Ratio, Span, ToFloat};

/// What one service of a link can do for one more flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// Which service.
    pub service: ServiceId,
    /// How it fares.
    pub metrics: ServiceMetrics,
    /// What of the link may still be set aside, in bits per second on the link.
    pub available: u64,
}

/// What a flow needs of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needs {
    /// What is to arrive.
    pub rate: BitRate,
    /// What it can do without.
    pub loss: Ratio,
    /// How late it may come, queueing apart; `None` for any time.
    pub delay: Option<Span>,
}

/// One service on each link, and what comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Of each link from the source on, its service and how that fares.
    links: Vec<(ServiceId, ServiceMetrics)>,
    arrives: f64,
    delay: Span,
    /// What can arrive at most, in bits per second.
    carries: f64,
}

impl Choice {
    /// What share of the packets does not arrive.
    #[must_use]
    pub fn loss(&self) -> Ratio {
        share(1.0 - self.arrives)
    }

    /// The delays of all links.
    #[must_use]
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// What can arrive at most; `None` where that is less than a bit per second.
    #[must_use]
    pub fn carries(&self) -> Option<BitRate> {
        // Rounded down: a promise.
        whole((self.carries - 0.5).max(0.0)).and_then(BitRate::from_bits_per_second)
    }

    /// The service on each link, from the source on.
    pub fn services(&self) -> impl Iterator<Item = ServiceId> {
        self.links.iter().map(|(service, _)| *service)
    }

    /// What each link must set aside so that this rate arrives; `None` for a link from which nothing arrives.
    #[must_use]
    pub(super) fn rates(&self, target: BitRate) -> Vec<(ServiceId, Option<BitRate>)> {
        let mut arrives_from_here = target.as_bits_per_second().to_f64();
        let mut rates: Vec<_> = self
            .links
            .iter()
            .rev()
            .map(|(service, metrics)| {
                let needed = arrives_from_here / metrics.effective_goodput().as_f64();
                arrives_from_here /= 1.0 - metrics.loss.as_f64();
                // Rounded up: what is set aside must be enough. What is not a number, or beyond all numbers, is not a rate.
                let rate = needed.is_finite().then(|| whole(needed + 0.499)).flatten();
                (*service, rate.and_then(BitRate::from_bits_per_second))
            })
            .collect();
        rates.reverse();
        rates
    }

    /// No link yet.
    fn nothing() -> Self {
        Self { links: Vec::new(), arrives: 1.0, delay: Span::ZERO, carries: f64::INFINITY }
    }

    /// One offer of each link, from the source on.
    pub(super) fn of<'o>(offers: impl IntoIterator<Item = &'o Offer>) -> Self {
        offers.into_iter().fold(Self::nothing(), |choice, offer| choice.and(offer))
    }

    fn and(&self, offer: &Offer) -> Self {
        let metrics = offer.metrics;
        let passes = 1.0 - metrics.loss.as_f64();
        let here = offer.available.to_f64() * metrics.effective_goodput().as_f64();
        let mut links = self.links.clone();
        links.push((offer.service, metrics));
        Self {
            links,
            arrives: self.arrives * passes,
            delay: self.delay + metrics.delay,
            carries: (self.carries * passes).min(here),
        }
    }

    /// Whether nobody would take the other.
    fn is_as_good_as(&self, other: &Self) -> bool {
        self.arrives >= other.arrives && self.delay <= other.delay && self.carries >= other.carries
    }
}

/// The choices that a path leaves, so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Advertisement {
    choices: Vec<Choice>,
}

impl Default for Advertisement {
    /// At the source: no link yet.
    fn default() -> Self {
        Self { choices: alloc::vec![Choice::nothing()] }
    }
}

/// Why no choice will do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unmet {
    /// Every choice loses more.
    #[error("the path loses {0} at best")]
    Loss(Ratio),
    /// The choices that lose little enough take longer.
    #[error("the path takes {0} where it loses no more than that")]
    Delay(Span),
    /// The choices that are good enough carry less.
    #[error("the path carries {0} bit/s where it is good enough")]
    Rate(u64),
}

/// How many choices an advertisement carries on: it must fit a message, and no path needs many.
const MOST: usize = 64;

impl Advertisement {
    /// Goes over one more link. Choices that are in no way better than another are left out; where many are left, those with
    /// the least delay go on, and the one with the least loss.
    pub fn pass(&mut self, offers: &[Offer]) {
        let mut kept: Vec<Choice> = Vec::new();
        for choice in self.choices.iter().flat_map(|choice| offers.iter().map(move |offer| choice.and(offer))) {
            if !kept.iter().any(|other| other.is_as_good_as(&choice)) {
                kept.retain(|other| !choice.is_as_good_as(other));
                kept.push(choice);
            }
        }
        kept.sort_by(|one, other| one.delay.cmp(&other.delay).then(other.arrives.total_cmp(&one.arrives)));
        if kept.len() > MOST {
            let surest =
                (MOST - 1..kept.len()).max_by(|one, other| kept[*one].arrives.total_cmp(&kept[*other].arrives));
            kept.swap(MOST - 1, surest.unwrap_or(MOST - 1));
            kept.truncate(MOST);
        }
        self.choices = kept;
    }

    /// All choices, the fastest first.
    #[must_use]
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The choice with the least delay of those that lose no more than the flow can do without, come in time, and carry
    /// enough.
    ///
    /// # Errors
    /// The first of these that no choice does, and what comes nearest.
    pub fn choose(&self, needs: &Needs) -> Result<&Choice, Unmet> {
        let least_loss = self.choices.iter().map(|choice| choice.loss().as_f64()).fold(1.0, f64::min);
        // A loss that was put together from several may be off by what a number holds.
        let tolerated = needs.loss.as_f64() + 1e-12;
        let sure = || self.choices.iter().filter(|choice| choice.loss().as_f64() <= tolerated);
        let fastest = sure().map(Choice::delay).min().ok_or_else(|| Unmet::Loss(share(least_loss)))?;
        let in_time = || sure().filter(|choice| needs.delay.is_none_or(|latest| choice.delay <= latest));
        let carries = |choice: &Choice| choice.carries().map_or(0, BitRate::as_bits_per_second);
        let most = in_time().map(carries).max().ok_or(Unmet::Delay(fastest))?;
        let enough = in_time().filter(|choice| carries(choice) >= needs.rate.as_bits_per_second());
        enough.min_by_key(|choice| choice.delay).ok_or(Unmet::Rate(most))
    }
}
