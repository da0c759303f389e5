//! Types that keep where they were written, for mistakes that only the reader of the whole can see.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use super::mistakes::Mistake;
use super::node::Node;
use super::source::Origin;

/// The name under which a [`Node`] asks for itself.
pub(super) const NODE: &str = "arqway config node";
/// The name under which a [`Located`] asks for its node and then its value.
pub(super) const LOCATED: &str = "arqway config located";

thread_local! {
    /// A node on its way from our deserializer to its visitor: serde's data model has no room for it.
    static ON_THE_WAY: RefCell<Option<Node>> = const { RefCell::new(None) };
}

/// Gives a visitor that asked for a [`NODE`] a copy of it.
pub(super) fn hand_over<'tree, V: Visitor<'tree>, E: Error>(node: &Node, visitor: V) -> Result<V::Value, E> {
    ON_THE_WAY.set(Some(node.clone()));
    visitor.visit_unit()
}

/// Settings that are kept as they were written, to be read later; [`read`](super::read) only.
impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NodeVisitor;
        impl Visitor<'_> for NodeVisitor {
            type Value = Node;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("settings")
            }
            fn visit_unit<E: Error>(self) -> Result<Node, E> {
                ON_THE_WAY.take().ok_or_else(|| E::custom("only `arqway_config::read` knows nodes"))
            }
        }
        deserializer.deserialize_newtype_struct(NODE, NodeVisitor)
    }
}

/// A value and where it was written; [`read`](super::read) only.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(transparent)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    #[schemars(skip)]
    pub origin: Origin,
}

impl<T> Located<T> {
    /// A mistake in it.
    #[must_use]
    pub fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake { origin: self.origin.clone(), message: message.into(), help: None }
    }
}

/// Two are equal when their values are, wherever they were written.
impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LocatedVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for LocatedVisitor<T> {
            type Value = Located<T>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a setting")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut twice: A) -> Result<Located<T>, A::Error> {
                let nothing = || A::Error::custom("only `arqway_config::read` knows where a value was written");
                let node: Node = twice.next_element()?.ok_or_else(nothing)?;
                let value = twice.next_element()?.ok_or_else(nothing)?;
                Ok(Located { value, origin: node.origin })
            }
        }
        deserializer.deserialize_newtype_struct(LOCATED, LocatedVisitor(PhantomData))
    }
}

/// Whatever is to be read later may be anything now.
impl JsonSchema for Node {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Node".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
    }
}
