//! What the list of services asks of each: its ends, and the short forms by which schemes are called.
//!
//! ```text
//!     sr          sr:1.1          asr:3+2         what a service says of itself, once:
//!     name        name:value      name:value      name, legend, and what the value stands for
//! ```

use crate::contract::{Count, LinkService, Side};
use alloc::string::{String, ToString};
use arqway_units::{SHORTEST_TIMER, Span};

/// What the list wants of a service's configuration: an end of the service for each side of the link, and the short forms
/// that name it.
pub trait Service: Clone + Default {
    /// One end.
    type End: LinkService;

    /// Its short forms.
    const SHORT_FORMS: &'static [Form];

    /// Whether its receiver knows which packets will never come, and counts them in
    /// [`packets_missed`](crate::Counters::packets_missed): loss is a metric of a link's services.
    const KNOWS_LOSSES: bool = false;

    /// The end on one side of the link; most services are the same on both.
    fn build(&self, side: Side) -> Self::End;

    /// These settings with what a short form says in their place, such as `sr:1.1`: the name `sr`, the value `1.1`. `None` if
    /// the value is none for it.
    fn named(&self, name: &str, value: Option<&str>) -> Option<Self>;
}

/// One of a service's short forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// What it is called: `sr`.
    pub name: &'static str,
    /// What legends call it: `SR`.
    pub legend: &'static str,
    /// What may, or must, stand behind a colon.
    pub value: Value,
}

/// What stands behind the colon of a short form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    None,
    /// A value; without it, the form means what the world says.
    Optional(ValueOf),
    /// A value, always.
    Required(ValueOf),
}

/// A value behind the colon of a short form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueOf {
    /// The key of the service's settings that it stands for.
    pub key: &'static str,
    /// For instance: `1.1`.
    pub example: &'static str,
    /// What the example means: `a timeout of 1.1 s`.
    pub means: &'static str,
    /// What all values look like, as a regular expression without anchors.
    pub pattern: &'static str,
    /// What legends put behind it: ` s`.
    pub unit: &'static str,
}

/// What a number looks like, as a regular expression: what Rust reads, without a minus sign.
macro_rules! number {
    () => {
        r"\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
    };
}
pub(crate) use number;

/// A timer's length in seconds, as short forms write it.
pub(crate) fn timer(seconds: &str) -> Option<Span> {
    let span = Span::from_seconds(seconds.parse().ok()?);
    (SHORTEST_TIMER..Span::MAX).contains(&span).then_some(span)
}

/// A count within its bounds, as short forms write it: in digits, the first of which is not zero. So a scheme has one name.
pub(crate) fn count<const LEAST: u16, const MOST: u16>(digits: &str) -> Option<Count<LEAST, MOST>> {
    if digits.starts_with(['+', '0']) { None } else { Count::new(digits.parse().ok()?) }
}

impl Form {
    pub(crate) fn value_of(&self) -> Option<&ValueOf> {
        match &self.value {
            Value::None => None,
            Value::Optional(value) | Value::Required(value) => Some(value),
        }
    }

    pub(crate) fn takes(&self, value: Option<&str>) -> bool {
        match self.value {
            Value::None => value.is_none(),
            Value::Optional(_) => true,
            Value::Required(_) => value.is_some(),
        }
    }

    /// How it is written: bare where it can be, then with its example.
    pub(crate) fn examples(&self) -> impl Iterator<Item = (String, Option<&'static str>)> {
        let bare = self.takes(None).then(|| (self.name.to_string(), None));
        let valued =
            self.value_of().map(|value| (alloc::format!("{}:{}", self.name, value.example), Some(value.means)));
        bare.into_iter().chain(valued)
    }

    /// All ways to write it, as a regular expression without anchors.
    #[cfg(feature = "schema")]
    pub(crate) fn pattern(&self) -> String {
        let name = self.name;
        match &self.value {
            Value::None => name.to_string(),
            Value::Optional(value) => alloc::format!("{name}(:{})?", value.pattern),
            Value::Required(value) => alloc::format!("{name}:{}", value.pattern),
        }
    }
}
