//! A value made up for a key that is missing, so that reading goes on to the next mistake.
//!
//! What is read so is thrown away: a missing key is a mistake. Meanwhile the stand-in hears what the type expects,
//! which the mistake then passes on. Where a type wants text of its own, its words for what it expects mostly have an
//! example (`such as "50 ms"`), and the example is the stand-in. Should the type refuse it all the same, its whole
//! table is left out.

use std::iter;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error, Expected, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::complaint::{Complaint, Names};
use super::located;
use super::reader::NodeReader;
use super::wording;

/// Makes a value up for one key.
#[derive(Debug, Clone, Copy)]
pub(super) struct StandIn<'tree, 'read> {
    table: NodeReader<'tree, 'read>,
    key: &'static str,
    /// How many structures it is inside of.
    depth: usize,
}

/// No setting lies deeper; a type that contains itself would.
const DEEPEST: usize = 12;

impl<'tree, 'read> StandIn<'tree, 'read> {
    /// For a key of a table.
    pub(super) const fn new(table: NodeReader<'tree, 'read>, key: &'static str) -> Self {
        Self { table, key, depth: 0 }
    }

    fn deeper(self) -> Result<Self, Complaint<'tree>> {
        if self.depth == DEEPEST {
            return Err(Complaint::consequence(self.table.node));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    /// Passes on what the type expects under the key itself, and gives it back.
    fn hear(self, expected: &dyn Expected) -> String {
        let expected = wording::expected(expected);
        if self.depth == 0 {
            self.table.progress.note_expected(self.table.node, self.key, expected.clone());
        }
        expected
    }
}

impl<'tree> IntoDeserializer<'tree, Complaint<'tree>> for StandIn<'tree, '_> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'tree> Deserializer<'tree> for StandIn<'tree, '_> {
    type Error = Complaint<'tree>;

    fn deserialize_any<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let expected = self.hear(&visitor);
        match wording::example(&expected) {
            Some(example) => visitor.visit_str(example),
            None => visitor.visit_i64(1),
        }
    }

    fn deserialize_bool<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.hear(&visitor);
        visitor.visit_bool(false)
    }

    fn deserialize_str<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let expected = self.hear(&visitor);
        visitor.visit_str(wording::example(&expected).unwrap_or_default())
    }

    fn deserialize_string<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    fn deserialize_unit<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'tree>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match name {
            located::NODE => located::hand_over(self.table.node, visitor),
            located::LOCATED => visitor.visit_seq(SeqDeserializer::new([self, self].into_iter())),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_tuple(0, visitor)
    }

    fn deserialize_tuple<V: Visitor<'tree>>(self, length: usize, visitor: V) -> Result<V::Value, Self::Error> {
        self.hear(&visitor);
        visitor.visit_seq(SeqDeserializer::new(iter::repeat_n(self.deeper()?, length)))
    }

    fn deserialize_tuple_struct<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.hear(&visitor);
        let inner = self.deeper()?;
        visitor.visit_map(MapDeserializer::new(fields.iter().map(|field| (*field, inner))))
    }

    fn deserialize_enum<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        variants: Names,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.hear(&format!("one of {}", variants.join(", ")).as_str());
        let first = variants.first().ok_or_else(|| Complaint::custom("no variant"))?;
        let content = (*first, self.deeper()?);
        visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(iter::once(content))))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'tree>>
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit_struct identifier ignored_any
    }
}
