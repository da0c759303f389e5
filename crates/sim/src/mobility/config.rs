//! Mobility as settings.

use crate::channel::{Direction, ErrorModel};
use crate::delay::Delay;
use crate::rate::Rate;
use crate::wireless::Wireless;
use alloc::vec::Vec;
use arqway_link::{Handoff, Hint, LinkOffer, OneWay};
use arqway_units::{Span, positive_span};
use serde::{Deserialize, Serialize};

/// How the user moves, and who is notified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MobilityConfig {
    /// When the link goes down.
    pub when: When,
    /// Where the user moves to.
    pub change: Change,
    /// How long the link is down.
    pub outage: Span,
    /// Whether the link layer and hosts are notified.
    pub hints: bool,
    /// How long before the outage they are notified.
    pub notice: Span,
}

/// When the link goes down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Never: the user stays.
    #[default]
    Never,
    /// At these times.
    Listed(Listed),
    /// After equal stays.
    Periodic(Periodic),
    /// After random stays.
    Random(Random),
}

/// Settings of a given course.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ListedHandoffs"))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Listed {
    /// When the link goes down. A time at which it is already down stands for the moment when it comes back.
    pub at: Vec<Span>,
}

/// Settings of a regular course.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PeriodicHandoffs"))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Periodic {
    /// How long the link is up between two outages, and before the first.
    #[serde(deserialize_with = "positive_span")]
    pub stay: Span,
}

/// Settings of a random course.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RandomHandoffs"))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Random {
    /// How long the link is up on average; stays are exponentially distributed.
    #[serde(deserialize_with = "positive_span")]
    pub mean_stay: Span,
}

/// Where the user moves to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Nowhere: the link goes down and comes back.
    SameCell,
    /// To another cell of the same kind.
    #[default]
    Horizontal,
    /// To another kind of link; the next handoff returns to the first.
    Vertical(Vertical),
}

/// The other link; what is not said is as on the link of the scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Vertical {
    /// Its rate in each direction.
    pub rate: Option<Rate>,
    /// Its propagation delay.
    pub delay: Option<Delay>,
    /// Which frames it loses.
    pub errors: Option<ErrorModel>,
}

impl Default for MobilityConfig {
    /// A user who stays. Who moves is out of reach for half a second, and told of it 0.2 s before: long enough for a
    /// frame of the papers to be there.
    fn default() -> Self {
        Self {
            when: When::Never,
            change: Change::Horizontal,
            outage: Span::from_milliseconds(500),
            hints: true,
            notice: Span::from_milliseconds(200),
        }
    }
}

impl Vertical {
    /// One direction of the other link.
    pub(crate) fn one_way<'a>(
        &'a self,
        wireless: &'a Wireless,
        direction: Direction,
    ) -> (&'a Rate, &'a Delay, &'a ErrorModel) {
        (
            self.rate.as_ref().unwrap_or_else(|| wireless.rate(direction)),
            self.delay.as_ref().unwrap_or_else(|| wireless.delay(direction)),
            self.errors.as_ref().unwrap_or_else(|| wireless.errors(direction)),
        )
    }

    fn offer(&self, wireless: &Wireless) -> LinkOffer {
        let one_way = |direction| {
            let (rate, delay, _) = self.one_way(wireless, direction);
            OneWay { rate: rate.mean(), delay: delay.mean() }
        };
        LinkOffer { down: one_way(Direction::Down), up: one_way(Direction::Up) }
    }
}

impl MobilityConfig {
    /// What the link of the scenario offers, and what the user has after a handoff from it. Of a rate or a
    /// delay that follows a recording it is the mean.
    pub(crate) fn offers(&self, wireless: &Wireless) -> [LinkOffer; 2] {
        let home = Vertical::default().offer(wireless);
        match &self.change {
            Change::Vertical(other) => [home, other.offer(wireless)],
            Change::SameCell | Change::Horizontal => [home; 2],
        }
    }
}

impl Change {
    /// What is told before the link goes.
    pub(crate) fn begins(&self) -> Hint {
        match self {
            Self::SameCell => Hint::Down,
            Self::Horizontal => Hint::HandoffBegins(Handoff::Horizontal),
            Self::Vertical(_) => Hint::HandoffBegins(Handoff::Vertical),
        }
    }

    /// What is told when there is a link again.
    pub(crate) fn ends(&self, link: LinkOffer) -> Hint {
        match self {
            Self::SameCell => Hint::Up,
            Self::Horizontal => Hint::HandoffEnds { kind: Handoff::Horizontal, link },
            Self::Vertical(_) => Hint::HandoffEnds { kind: Handoff::Vertical, link },
        }
    }
}
