//! The link under study as settings: both directions at once, or each its own.
//!
//! ```toml
//! [wireless]                        # both directions ...
//! rate = "1 Mbit/s"
//! delay = "20 ms"
//! errors = { kind = "uniform", loss = "2 %" }
//!
//! [wireless.up]                     # ... but toward the server
//! rate = "128 kbit/s"
//! errors = "none"
//! ```
//!
//! A link may have several lines, each of which says how it differs from the link:
//!
//! ```toml
//! [[wireless.line]]                 # LTE
//! rate = "20 Mbit/s"
//! delay = "20 ms"
//! absence = [{ from = "10 s", until = "15 s" }]
//!
//! [[wireless.line]]                 # a satellite
//! rate = "10 Mbit/s"
//! delay = "270 ms"
//! ```
//!
//! What is said of both directions holds for each of them separately: two queues, two channels, random numbers of their
//! own.

use crate::channel::{Direction, Duplication, ErrorModel, Impairments, Jitter, Reordering};
use crate::delay::Delay;
use crate::line::{Queue, Room};
use crate::rate::Rate;
use alloc::vec::Vec;
use arqway_link::LineId;
use arqway_units::{BitRate, Octets, Span, Time, list_of_lines};
use core::num::NonZeroU32;
use serde::{Deserialize, Serialize};

/// The link between access point and client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Wireless {
    /// The rate in each direction.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Delay,
    /// The queue in front of it, below the link layer, at each end.
    pub queue: Queue,
    /// Which frames it loses, independently in each direction.
    pub errors: ErrorModel,
    /// Reordering of frames.
    pub reordering: Option<Reordering>,
    /// Duplication of frames.
    pub duplication: Option<Duplication>,
    /// Random delay of frames in addition to the propagation delay.
    pub jitter: Jitter,
    /// Whether a frame's tag octet takes time on the link. The papers' frames have no tag.
    pub charge_tag: bool,
    /// The largest frame that arrives, and from when on; unlimited by default. Longer ones are sent, and lost without a word,
    /// as on a path whose routers do not say what they drop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mtu: Vec<MtuStep>,
    /// Settings that differ toward the client.
    pub down: Differences,
    /// Settings that differ toward the server.
    pub up: Differences,
    /// Its lines, where there are several, at most eight: each is as the link is but for what it says.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "list_of_lines")]
    pub line: Vec<WirelessLine>,
}

/// How one line of several differs from the link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WirelessLine {
    /// Its rate in each direction.
    pub rate: Option<Rate>,
    /// Its propagation delay.
    pub delay: Option<Delay>,
    /// The queue in front of it.
    pub queue: Option<Queue>,
    /// Which frames it loses.
    pub errors: Option<ErrorModel>,
    /// Extra delay of its frames.
    pub jitter: Option<Jitter>,
    /// When it is gone, and nobody is told: what is under way then is lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absence: Vec<Absence>,
    /// What differs toward the client.
    pub down: Differences,
    /// What differs toward the server.
    pub up: Differences,
}

/// A time in which a line is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Absence {
    /// When it begins.
    pub from: Span,
    /// When it is over.
    pub until: Span,
}

impl Absence {
    /// Whether it is gone at this time.
    pub(crate) fn has(&self, time: Time) -> bool {
        (Time::ZERO + self.from..Time::ZERO + self.until).contains(&time)
    }
}

/// How one direction differs from the settings for both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Differences {
    /// Its rate.
    pub rate: Option<Rate>,
    /// Its propagation delay.
    pub delay: Option<Delay>,
    /// The queue in front of it.
    pub queue: Option<Queue>,
    /// Which frames it loses.
    pub errors: Option<ErrorModel>,
    /// Reordering of its frames.
    pub reordering: Option<Reordering>,
    /// Duplication of its frames.
    pub duplication: Option<Duplication>,
    /// Extra delay of its frames.
    pub jitter: Option<Jitter>,
}

impl Default for Wireless {
    /// The 64 kbit/s and 50 ms of a UMTS user, without errors, with a queue that pushes back.
    fn default() -> Self {
        Self {
            rate: Rate::Constant(BitRate::from_bits_per_second(64_000).unwrap_or(BitRate::MINIMUM)),
            delay: Delay::Constant(Span::from_milliseconds(50)),
            queue: Queue::BackPressured(Room::of(1)),
            errors: ErrorModel::None,
            reordering: None,
            duplication: None,
            jitter: Jitter::None,
            charge_tag: true,
            mtu: Vec::new(),
            down: Differences::default(),
            up: Differences::default(),
            line: Vec::new(),
        }
    }
}

/// The largest frame of a link, from a time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MtuStep {
    /// From when on.
    #[serde(default)]
    pub from: Span,
    /// The largest frame in octets; of a bearer's datagrams, with what the path adds to each.
    pub octets: NonZeroU32,
}

/// The largest frame that arrives if it is sent now.
pub(crate) fn mtu_at(steps: &[MtuStep], now: Time) -> Octets {
    let begun = steps.iter().filter(|step| Time::ZERO + step.from <= now);
    begun.max_by_key(|step| step.from).map_or(Octets::MAX, |step| Octets::new(step.octets.get().into()))
}

impl Wireless {
    /// How many lines it has.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.line.len().max(1)
    }

    /// One of its lines, as a link of its own.
    #[must_use]
    pub fn of_line(&self, line: LineId) -> Self {
        let Some(own) = self.line.get(line.index()) else { return Self { line: Vec::new(), ..self.clone() } };
        let WirelessLine { rate, delay, queue, errors, jitter, absence: _, down, up } = own.clone();
        // What a line says of both directions counts for more than what the link says of one.
        let one_way = |of_link: &Differences, of_line: Differences| Differences {
            rate: of_line.rate.or(rate.clone()).or(of_link.rate.clone()),
            delay: of_line.delay.or(delay.clone()).or(of_link.delay.clone()),
            queue: of_line.queue.or(queue).or(of_link.queue),
            errors: of_line.errors.or(errors.clone()).or(of_link.errors.clone()),
            reordering: of_line.reordering.or(of_link.reordering),
            duplication: of_line.duplication.or(of_link.duplication),
            jitter: of_line.jitter.or(jitter).or(of_link.jitter),
        };
        // What it says of itself alone is all that is left to say.
        let line = if own.absence.is_empty() {
            Vec::new()
        } else {
            alloc::vec![WirelessLine { absence: own.absence.clone(), ..WirelessLine::default() }]
        };
        Self { down: one_way(&self.down, down), up: one_way(&self.up, up), line, ..self.clone() }
    }

    /// When a line is gone.
    #[must_use]
    pub fn absences(&self, line: LineId) -> &[Absence] {
        self.line.get(line.index()).map_or(&[], |line| &line.absence)
    }

    /// The mean rate of one direction, of all lines together.
    #[must_use]
    pub fn mean_rate(&self, direction: Direction) -> BitRate {
        if self.line.is_empty() {
            return self.rate(direction).mean();
        }
        let of_line = |line| self.of_line(line).rate(direction).mean().as_bits_per_second();
        let all = LineId::first(self.lines()).map(of_line).sum();
        BitRate::from_bits_per_second(all).unwrap_or(BitRate::MINIMUM)
    }

    /// The rate of one direction.
    #[must_use]
    pub fn rate(&self, direction: Direction) -> &Rate {
        self.differences(direction).rate.as_ref().unwrap_or(&self.rate)
    }

    /// The propagation delay of one direction.
    #[must_use]
    pub fn delay(&self, direction: Direction) -> &Delay {
        self.differences(direction).delay.as_ref().unwrap_or(&self.delay)
    }

    /// The queue in front of one direction.
    #[must_use]
    pub fn queue(&self, direction: Direction) -> Queue {
        self.differences(direction).queue.unwrap_or(self.queue)
    }

    /// The error model of one direction.
    #[must_use]
    pub fn errors(&self, direction: Direction) -> &ErrorModel {
        self.differences(direction).errors.as_ref().unwrap_or(&self.errors)
    }

    /// What one direction does to frames that it does not lose.
    #[must_use]
    pub fn impairments(&self, direction: Direction) -> Impairments {
        let different = self.differences(direction);
        Impairments {
            reordering: different.reordering.or(self.reordering),
            duplication: different.duplication.or(self.duplication),
            jitter: different.jitter.unwrap_or(self.jitter),
        }
    }

    /// The error model by which results call this link: that toward the client, or toward the server where only that
    /// direction loses frames.
    #[must_use]
    pub fn named_errors(&self) -> &ErrorModel {
        let (down, up) = (self.errors(Direction::Down), self.errors(Direction::Up));
        if down.is_free_of_errors() && !up.is_free_of_errors() { up } else { down }
    }

    /// Calls each error model that loses nothing by that name: it is one world, whatever its curve is called.
    pub fn reset_unused_errors(&mut self) {
        let of_both = core::iter::once(&mut self.errors);
        let of_lines = self.line.iter_mut().flat_map(|WirelessLine { errors, down, up, .. }| {
            errors.iter_mut().chain(&mut down.errors).chain(&mut up.errors)
        });
        for errors in of_both.chain(&mut self.down.errors).chain(&mut self.up.errors).chain(of_lines) {
            if errors.is_free_of_errors() {
                *errors = ErrorModel::None;
            }
        }
    }

    fn differences(&self, direction: Direction) -> &Differences {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }
}
