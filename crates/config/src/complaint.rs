//! What a type says about its input, with the place it speaks of: the error of our deserializers.

use std::fmt::{self, Display};

use serde::de::{Error, Expected, Unexpected};

use super::mistakes::Mistake;
use super::source::Origin;
use super::suggest::did_you_mean;
use super::tree::{KIND, Node};
use super::wording;

/// Names that a type knows, as derived code has them.
pub(super) type Names = &'static [&'static str];

/// Something that a type cannot take.
#[derive(Debug)]
pub(super) struct Complaint<'tree> {
    pub(super) what: What,
    /// Derived code does not know where it is: the deserializer that called it fills this in.
    pub(super) place: Option<Place<'tree>>,
}

/// The kinds of complaint, by what follows from them.
#[derive(Debug)]
pub(super) enum What {
    UnknownKey {
        key: String,
        known: Names,
    },
    UnknownKind {
        kind: String,
        known: Names,
    },
    MissingKey(&'static str),
    MissingKind {
        known: Names,
    },
    /// A value that cannot be right whatever stands around it.
    Wrong(String),
    /// Something about the whole, which may be due to a part that was refused earlier.
    Whole(String),
    /// Nothing new: it only follows from what was refused earlier.
    Consequence,
}

/// The node that a complaint is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'tree> {
    /// What has to be left out so that reading can go on.
    pub(super) refused: &'tree Node,
    /// What to point at.
    pub(super) shown: &'tree Node,
    /// Whether to point at its key rather than at its value.
    pub(super) at_key: bool,
}

impl<'tree> Place<'tree> {
    /// A value.
    pub(super) const fn value(node: &'tree Node) -> Self {
        Self { refused: node, shown: node, at_key: false }
    }

    /// A key, which goes together with its value.
    pub(super) const fn key(node: &'tree Node) -> Self {
        Self { refused: node, shown: node, at_key: true }
    }

    fn origin(&self) -> Origin {
        if self.at_key { self.shown.origin.of_key() } else { self.shown.origin.clone() }
    }
}

impl<'tree> Complaint<'tree> {
    pub(super) const fn new(what: What, place: Place<'tree>) -> Self {
        Self { what, place: Some(place) }
    }

    /// The same, at this place unless a more exact one is known already.
    pub(super) fn at(mut self, place: Place<'tree>) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// Nothing new about a node.
    pub(super) const fn consequence(node: &'tree Node) -> Self {
        Self::new(What::Consequence, Place::value(node))
    }

    const fn somewhere(what: What) -> Self {
        Self { what, place: None }
    }
}

impl What {
    /// The mistake as its author reads it; `table` is the name of the table it is in, empty for the top.
    pub(super) fn told(&self, place: &Place<'_>, table: &str) -> Mistake {
        let inside = if table.is_empty() { String::new() } else { format!(" in `{table}`") };
        let mut origin = place.origin();
        let (message, help) = match self {
            Self::UnknownKey { key, known } => (format!("unknown key `{key}`{inside}"), Some(did_you_mean(key, known))),
            Self::UnknownKind { kind, known } => {
                (format!("unknown kind `{kind}`{inside}"), Some(did_you_mean(kind, known)))
            }
            Self::MissingKey(key) => {
                origin = place.shown.origin.of_key();
                (format!("missing `{key}`{inside}"), None)
            }
            Self::MissingKind { known } => {
                origin = place.shown.origin.of_key();
                (format!("missing `{KIND}`{inside}"), Some(format!("known here: {}", known.join(", "))))
            }
            Self::Wrong(message) | Self::Whole(message) => (message.clone(), None),
            Self::Consequence => ("not understood".to_owned(), None),
        };
        Mistake { origin, message, help }
    }
}

impl Error for Complaint<'_> {
    fn custom<T: Display>(message: T) -> Self {
        Self::somewhere(What::Whole(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let (expected, found) = (wording::expected(expected), wording::found(found));
        Self::somewhere(What::Wrong(format!("expected {expected}, found {found}")))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("expected {}, found a list of {length}", wording::expected(expected)))
    }

    fn unknown_variant(kind: &str, known: Names) -> Self {
        Self::somewhere(What::UnknownKind { kind: kind.to_owned(), known })
    }

    fn unknown_field(key: &str, known: Names) -> Self {
        Self::somewhere(What::UnknownKey { key: key.to_owned(), known })
    }

    fn missing_field(key: &'static str) -> Self {
        Self::somewhere(What::MissingKey(key))
    }
}

/// serde asks for it; nobody sees it, for a complaint is [told](What::told) as a mistake.
impl Display for Complaint<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.what)
    }
}

impl std::error::Error for Complaint<'_> {}
