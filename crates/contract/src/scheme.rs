//! What the list of services asks of each: its ends, and the names by which schemes call it.
//!
//! ```text
//!     sr          sr:1.1            asr:3+2         what a service says of itself, once:
//!     name        name:parameter    name:parameter  name, and what the parameter stands for
//! ```

use super::{Bounded, LinkContext, LinkService};
use arqway_units::{SHORTEST_TIMER, Span};

/// What the list asks of a service's configuration: an end of the service for each side of the link, and the names that
/// schemes call it by.
pub trait Service: Clone + Default {
    /// One end.
    type End: LinkService;

    /// The names by which schemes call it.
    const NAMES: &'static [SchemeName];

    /// Whether its receiver knows which packets will never come, and counts them in
    /// [`packets_missed`](crate::Counters::packets_missed): loss is a metric of a link's services.
    const KNOWS_LOSSES: bool = false;

    /// The end on one side of a link; most services are the same on both.
    fn build(&self, context: &LinkContext) -> Self::End;

    /// Whether packets that have arrived wait for one that is lost and sent again: to who sends through it, a round trip is then longer
    /// than the link's.
    fn holds_back(&self) -> bool {
        false
    }

    /// Whether each frame of it also goes by a second line, where the link has several. Its ends must know a frame that has come before.
    fn duplicates(&self) -> bool {
        false
    }

    /// The share of packets that recovery does not bring back where each frame is lost with this chance, whatever became of those before it,
    /// and holds a packet: what to expect of it before anything is measured. Some services do better where they have time to.
    fn residual_loss(&self, frame_loss: f64) -> f64 {
        frame_loss
    }

    /// These settings with what a short form says in their place, such as `sr:1.1`: the name `sr`, the parameter `1.1`.
    /// `None` if the parameter has no such value.
    fn named(&self, _name: &str, _parameter: Option<&str>) -> Option<Self> {
        Some(self.clone())
    }
}

/// A name by which schemes call a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemeName {
    /// Such as `sr`.
    pub name: &'static str,
    /// What stands behind a colon.
    pub parameter: Option<Parameter>,
}

impl SchemeName {
    /// A name without a parameter.
    #[must_use]
    pub const fn plain(name: &'static str) -> Self {
        Self { name, parameter: None }
    }

    /// A name with a parameter.
    #[must_use]
    pub const fn with(name: &'static str, parameter: Parameter) -> Self {
        Self { name, parameter: Some(parameter) }
    }

    /// Whether it may be followed by this parameter, or by none.
    pub fn takes(&self, parameter: Option<&str>) -> bool {
        match self.parameter {
            None => parameter.is_none(),
            Some(Parameter { required, .. }) => parameter.is_some() || !required,
        }
    }

    /// How it is written, with what that means: bare where it can be, then with its example.
    pub fn examples(&self) -> impl Iterator<Item = (alloc::string::String, Option<&'static str>)> {
        let bare = self.takes(None).then(|| (self.name.into(), None));
        let example = |Parameter { example, means, .. }| (alloc::format!("{}:{example}", self.name), Some(means));
        bare.into_iter().chain(self.parameter.map(example))
    }
}

/// What stands behind the colon of a short form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The key of the service's settings that it sets.
    pub key: &'static str,
    /// Whether it always has to be there. Otherwise the bare name leaves the setting to the world.
    pub required: bool,
    /// How its values are written.
    pub grammar: Grammar,
    /// For instance: `1.1`.
    pub example: &'static str,
    /// What the example means: `a timeout of 1.1 s`.
    pub means: &'static str,
}

/// How the values of a parameter are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// A number of seconds: `1.1`.
    Seconds,
    /// A whole number from one to another, in digits, the first of which is not zero: `12`.
    Count {
        /// The smallest.
        least: u16,
        /// The largest.
        most: u16,
    },
    /// Two factors: `3+2`.
    Factors,
}

/// A timer's length in seconds, as short forms write it.
pub fn timer(seconds: &str) -> Option<Span> {
    let span = Span::from_seconds(seconds.parse().ok()?);
    (SHORTEST_TIMER..Span::MAX).contains(&span).then_some(span)
}

/// A number within its bounds, as short forms write it: in digits, the first of which is not zero. So a scheme has one name.
pub fn digits<const LEAST: u16, const MOST: u16>(digits: &str) -> Option<Bounded<LEAST, MOST>> {
    let is_written_so = !digits.starts_with(['+', '0']) || digits == "0";
    if is_written_so { Bounded::new(digits.parse().ok()?) } else { None }
}
