//! A property of a line that stays, or follows a recording: steps of a duration and a value each, one after the other.
//!
//! ```toml
//! delay = "30 ms"
//! delay = { kind = "trace", steps = [{ for = "15 s", delay = "22 ms" }, ...], at-end = "hold" }
//! ```
//!
//! A [`Delay`](crate::Delay) is such a property, and a [`Rate`](crate::Rate) may be one; what their steps do to frames stands with them.

use alloc::sync::Arc;
use alloc::vec::Vec;
use arqway_units::{Span, UnitError};
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;
use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A step of a recording.
pub trait TraceStep: Copy + Serialize + DeserializeOwned {
    /// What stands in the place of a recording where there is none.
    type Constant: FromStr<Err = UnitError> + Serialize;
    /// How settings name a file of such steps.
    type File;
    /// What messages expect in the place of the property.
    const EXPECTED: &'static str;
    /// What they expect in the place of its steps.
    const EXPECTED_STEPS: &'static str;

    /// How long it takes.
    fn length(&self) -> Span;

    /// Whether a recording may have these steps and no others.
    ///
    /// # Errors
    /// It may not.
    fn check(_steps: &[Self]) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Constant, or `{ kind = "trace", steps = ... }`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        rename = "Recorded{S}s",
        rename_all = "kebab-case",
        bound = "S: TraceStep + schemars::JsonSchema, S::Constant: schemars::JsonSchema, S::File: schemars::JsonSchema"
    )
)]
pub enum Recorded<S: TraceStep> {
    /// Recorded.
    Trace(Trace<S>),
    /// Constant.
    #[cfg_attr(feature = "schema", schemars(untagged))]
    Constant(S::Constant),
}

/// A property that changes with time, counted from the start of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", bound = "S: Serialize")]
#[cfg_attr(
    feature = "schema",
    schemars(deny_unknown_fields, bound = "S: TraceStep + schemars::JsonSchema, S::File: schemars::JsonSchema")
)]
pub struct Trace<S> {
    /// The steps, each with a duration and a value; or the file that contains them.
    #[serde(serialize_with = "as_list")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Steps<S>"))]
    steps: Arc<[S]>,
    /// What happens at the end of the recording.
    #[cfg_attr(feature = "schema", schemars(default))]
    at_end: TraceEnd,
}

fn as_list<S: Serialize, W: Serializer>(steps: &Arc<[S]>, serializer: W) -> Result<W::Ok, W::Error> {
    serializer.collect_seq(steps.iter())
}

/// What happens at the end of a recording of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TraceEnd {
    /// It starts again.
    #[default]
    Repeat,
    /// The last value stays.
    Hold,
}

impl TraceEnd {
    /// How far into a recording of this length a time lies; both in nanoseconds.
    pub(crate) fn phase(self, time: u64, length: u64) -> u64 {
        match self {
            Self::Repeat => time % length.max(1),
            Self::Hold => time,
        }
    }
}

/// Steps that make no recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// There are none.
    #[error("a recording needs a step")]
    Empty,
    /// Nothing could ever be sent.
    #[error("no step has a rate above 0 bit/s: nothing would ever be sent")]
    Silent,
}

impl<S: TraceStep> Trace<S> {
    /// A recording of these steps.
    ///
    /// # Errors
    /// There are none, or the property cannot have these.
    pub fn new(steps: impl Into<Arc<[S]>>, at_end: TraceEnd) -> Result<Self, TraceError> {
        let steps = steps.into();
        if steps.is_empty() {
            return Err(TraceError::Empty);
        }
        S::check(&steps)?;
        Ok(Self { steps, at_end })
    }

    pub(crate) fn steps(&self) -> &[S] {
        &self.steps
    }

    pub(crate) fn at_end(&self) -> TraceEnd {
        self.at_end
    }

    /// The mean over the recording of what a step holds for its whole length.
    pub(crate) fn mean_of(&self, value: impl Fn(&S) -> u64) -> u64 {
        let (mut area, mut length) = (0u128, 0u128);
        for step in self.steps.iter() {
            let nanoseconds = u128::from(step.length().as_nanoseconds());
            area = area.saturating_add(u128::from(value(step)) * nanoseconds);
            length += nanoseconds;
        }
        u64::try_from(area / length.max(1)).unwrap_or(u64::MAX)
    }
}

/// As it is read.
impl<S: TraceStep> Serialize for Recorded<S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        #[derive(Serialize)]
        #[serde(bound = "S: Serialize")]
        struct Table<'a, S> {
            kind: &'static str,
            #[serde(flatten)]
            trace: &'a Trace<S>,
        }

        match self {
            Self::Constant(constant) => constant.serialize(serializer),
            Self::Trace(trace) => Table { kind: "trace", trace }.serialize(serializer),
        }
    }
}

impl<'de, S: TraceStep> Deserialize<'de> for Recorded<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RecordedVisitor<S>(PhantomData<S>);

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case", bound = "S: TraceStep")]
        struct Table<S> {
            #[serde(rename = "kind")]
            _kind: Kind,
            steps: Steps<S>,
            #[serde(default)]
            at_end: TraceEnd,
        }

        /// The one kind that is a table.
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            Trace,
        }

        impl<'de, S: TraceStep> Visitor<'de> for RecordedVisitor<S> {
            type Value = Recorded<S>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(S::EXPECTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Recorded<S>, E> {
                text.parse().map(Recorded::Constant).map_err(E::custom)
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Recorded<S>, M::Error> {
                let Table { steps: Steps(steps), at_end, .. } = Table::deserialize(MapAccessDeserializer::new(map))?;
                Trace::new(steps, at_end).map(Recorded::Trace).map_err(M::Error::custom)
            }
        }

        deserializer.deserialize_any(RecordedVisitor(PhantomData))
    }
}

/// The steps as they stand in a file.
pub(crate) struct Steps<S>(pub(crate) Vec<S>);

impl<'de, S: TraceStep> Deserialize<'de> for Steps<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StepsVisitor<S>(PhantomData<S>);
        impl<'de, S: TraceStep> Visitor<'de> for StepsVisitor<S> {
            type Value = Steps<S>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(S::EXPECTED_STEPS)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Steps<S>, A::Error> {
                let mut steps = Vec::new();
                while let Some(step) = list.next_element()? {
                    steps.push(step);
                }
                Ok(Steps(steps))
            }
        }
        deserializer.deserialize_any(StepsVisitor(PhantomData))
    }
}
