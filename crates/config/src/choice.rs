//! How a choice, an enum, is written: `"raw"`, `{ kind = "fixed", after = "1 s" }` or `{ adaptive = { srtt = 3 } }`.
//!
//! The enum itself is derived without any `tag`; serde's internally tagged form would copy the table aside first and
//! lose every position in it.

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Expected, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::complaint::{Complaint, Names, Place, What};
use super::located;
use super::reader::{Entries, Key, NodeReader};
use super::suggest::suggest;
use super::tree::{KIND, Node, Table, Value};
use super::wording;

/// A choice as it was written.
struct Choice<'tree, 'read> {
    /// The whole of it.
    reader: NodeReader<'tree, 'read>,
    /// The name of what is chosen.
    name: &'tree str,
    /// Where the name stands.
    named_at: Place<'tree>,
    /// The settings that go with it: the value under its name, or else the keys beside `kind`.
    value: Option<&'tree Node>,
}

/// Reads a node as one of `variants`.
pub(super) fn read<'tree, V: Visitor<'tree>>(
    reader: NodeReader<'tree, '_>,
    variants: Names,
    visitor: V,
) -> Result<V::Value, Complaint<'tree>> {
    let choice = match &reader.node.value {
        Value::Text(name) => Choice { reader, name, named_at: Place::value(reader.node), value: None },
        Value::Table(table) => Choice::of_table(reader, table, variants)?,
        other => {
            let found = wording::found(other.unexpected());
            let what = What::Wrong(format!("expected one of {}, found {found}", variants.join(", ")));
            return Err(Complaint::new(what, Place::value(reader.node)));
        }
    };
    visitor.visit_enum(choice)
}

impl<'tree, 'read> Choice<'tree, 'read> {
    fn of_table(
        reader: NodeReader<'tree, 'read>,
        table: &'tree Table,
        variants: Names,
    ) -> Result<Self, Complaint<'tree>> {
        let node = reader.node;
        if let Some(kind) = table.get(KIND) {
            let named_at = Place { refused: node, shown: kind, at_key: false };
            return match kind.as_text() {
                Some(name) => Ok(Self { reader, name, named_at, value: None }),
                None => {
                    let found = wording::found(kind.value.unexpected());
                    let what = What::Wrong(format!("expected one of {}, found {found}", variants.join(", ")));
                    Err(Complaint::new(what, named_at))
                }
            };
        }
        let chosen: Vec<&str> = table.iter().map(|(key, _)| key).filter(|key| variants.contains(key)).collect();
        match (table.entries(), chosen.as_slice()) {
            // A name that resembles none is rather a setting of a choice that was not made.
            ([(name, value)], [_]) => Ok(Self::under_name(reader, name, value)),
            ([(name, value)], []) if suggest(name, variants.iter().copied()).is_some() => {
                Ok(Self::under_name(reader, name, value))
            }
            (_, [first, second, ..]) => {
                let what = What::Wrong(format!("`{first}` and `{second}` exclude each other"));
                Err(Complaint::new(what, Place::key(node)))
            }
            _ => Err(Complaint::new(What::MissingKind { known: variants }, Place::value(node))),
        }
    }

    fn under_name(reader: NodeReader<'tree, 'read>, name: &'tree str, value: &'tree Node) -> Self {
        let named_at = Place { refused: reader.node, shown: value, at_key: true };
        Self { reader, name, named_at, value: Some(value) }
    }

    /// The settings under the name. Without those that were left out before, nothing can be said about the choice.
    fn settings(&self, value: &'tree Node) -> Result<NodeReader<'tree, 'read>, Complaint<'tree>> {
        if self.reader.progress.is_refused(value) {
            return Err(Complaint::consequence(self.reader.node));
        }
        Ok(NodeReader::new(value, self.reader.progress))
    }
}

impl<'tree> EnumAccess<'tree> for Choice<'tree, '_> {
    type Error = Complaint<'tree>;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'tree>>(self, seed: V) -> Result<(V::Value, Self), Self::Error> {
        let variant = seed.deserialize(Key(self.name)).map_err(|complaint| complaint.at(self.named_at))?;
        Ok((variant, self))
    }
}

impl<'tree> VariantAccess<'tree> for Choice<'tree, '_> {
    type Error = Complaint<'tree>;

    fn unit_variant(self) -> Result<(), Self::Error> {
        let mut entries = match self.value {
            None => Entries::beside_kind(self.reader, None),
            Some(value) if value.as_table().is_some() => Entries::all(self.settings(value)?),
            Some(value) => {
                let what = What::Wrong(format!("`{}` takes no value", self.name));
                return Err(Complaint::new(what, Place { refused: self.reader.node, ..Place::value(value) }));
            }
        };
        entries.next_written().map_or(Ok(()), |(key, node)| {
            Err(Complaint::new(What::UnknownKey { key: key.to_owned(), known: &[] }, Place::key(node)))
        })
    }

    fn newtype_variant_seed<T: DeserializeSeed<'tree>>(self, seed: T) -> Result<T::Value, Self::Error> {
        match self.value {
            Some(value) => self.settings(value)?.give(seed),
            None => seed.deserialize(BesideKind(&self)),
        }
    }

    fn tuple_variant<V: Visitor<'tree>>(self, length: usize, visitor: V) -> Result<V::Value, Self::Error> {
        match self.value {
            Some(value) => self.settings(value)?.deserialize_tuple(length, visitor),
            None => BesideKind(&self).deserialize_any(visitor),
        }
    }

    fn struct_variant<V: Visitor<'tree>>(self, fields: Names, visitor: V) -> Result<V::Value, Self::Error> {
        match self.value {
            Some(value) => self.settings(value)?.deserialize_struct("", fields, visitor),
            None => visitor.visit_map(Entries::beside_kind(self.reader, Some(fields))),
        }
    }
}

/// The settings of a choice that has no table of its own: the keys beside `kind`, or none.
#[derive(Clone, Copy)]
struct BesideKind<'choice, 'tree, 'read>(&'choice Choice<'tree, 'read>);

impl<'tree> BesideKind<'_, 'tree, '_> {
    /// The complaint of a type that is no table and so needs a value under the name.
    fn needs_value(self, expected: &dyn Expected) -> Complaint<'tree> {
        let (name, expected) = (self.0.name, wording::expected(expected));
        let value = wording::example(&expected).map_or_else(|| "...".to_owned(), |example| format!("{example:?}"));
        let what = What::Wrong(format!("`{name}` needs a value: {expected}; write `{{ {name} = {value} }}`"));
        Complaint::new(what, self.0.named_at)
    }
}

impl<'tree> Deserializer<'tree> for BesideKind<'_, 'tree, '_> {
    type Error = Complaint<'tree>;

    fn deserialize_any<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        Err(self.needs_value(&visitor))
    }

    fn deserialize_map<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_map(Entries::beside_kind(self.0.reader, None))
    }

    fn deserialize_struct<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_map(Entries::beside_kind(self.0.reader, Some(fields)))
    }

    fn deserialize_option<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'tree>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match name {
            located::NODE | located::LOCATED => self.0.reader.deserialize_newtype_struct(name, visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    forward_to_deserialize_any! {
        <V: Visitor<'tree>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct enum identifier ignored_any
    }
}
