//! A serde `Deserializer` over the tree: each complaint of a type gets the place of the node it was given.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::choice;
use super::complaint::{Complaint, Names, Place, What};
use super::located;
use super::read::Progress;
use super::stand_in::StandIn;
use super::tree::{KIND, Node, Table, Value};

/// Reads one node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeReader<'tree, 'read> {
    pub(super) node: &'tree Node,
    pub(super) progress: &'read Progress,
}

impl<'tree, 'read> NodeReader<'tree, 'read> {
    pub(super) const fn new(node: &'tree Node, progress: &'read Progress) -> Self {
        Self { node, progress }
    }

    /// Gives the node to whatever `seed` reads. Some types complain only after their deserializer has returned
    /// (`#[serde(try_from)]`), so the place is added here as well.
    pub(super) fn give<T: DeserializeSeed<'tree>>(self, seed: T) -> Result<T::Value, Complaint<'tree>> {
        seed.deserialize(self).map_err(|complaint| complaint.at(Place::value(self.node)))
    }

    fn visit_list<V: Visitor<'tree>>(self, nodes: &'tree [Node], visitor: V) -> Result<V::Value, Complaint<'tree>> {
        let mut items = Items { rest: nodes.iter(), progress: self.progress };
        let value = visitor.visit_seq(&mut items)?;
        match items.rest.len() {
            0 => Ok(value),
            more => {
                let (found, wanted) = (nodes.len(), nodes.len() - more);
                Err(Complaint::custom(format_args!("expected a list of {wanted}, found a list of {found}")))
            }
        }
    }
}

impl<'tree> Deserializer<'tree> for NodeReader<'tree, '_> {
    type Error = Complaint<'tree>;

    fn deserialize_any<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let value = match &self.node.value {
            Value::Text(text) | Value::DateTime(text) => visitor.visit_borrowed_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Boolean(value) => visitor.visit_bool(*value),
            Value::Array(nodes) => self.visit_list(nodes, visitor),
            Value::Table(_) => visitor.visit_map(Entries::all(self)),
        };
        value.map_err(|complaint| complaint.at(Place::value(self.node)))
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
            located::NODE => located::hand_over(self.node, visitor),
            located::LOCATED => {
                visitor.visit_seq(Items { rest: [self.node, self.node].into_iter(), progress: self.progress })
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        // Derived code would take a list too, its items for the fields in order: that is no way to write settings.
        if let Value::Array(_) = self.node.value {
            let what = What::Wrong("expected a table, found a list".to_owned());
            return Err(Complaint::new(what, Place::value(self.node)));
        }
        if self.node.as_table().is_none() {
            return self.deserialize_any(visitor);
        }
        let entries = Entries { fields: Some(fields), ..Entries::all(self) };
        visitor.visit_map(entries).map_err(|complaint| complaint.at(Place::value(self.node)))
    }

    fn deserialize_enum<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        variants: Names,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        choice::read(self, variants, visitor).map_err(|complaint| complaint.at(Place::value(self.node)))
    }

    fn deserialize_ignored_any<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'tree>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// The items of a list that are not left out.
struct Items<'read, I> {
    rest: I,
    progress: &'read Progress,
}

impl<'tree, I: Iterator<Item = &'tree Node>> SeqAccess<'tree> for Items<'_, I> {
    type Error = Complaint<'tree>;

    fn next_element_seed<T: DeserializeSeed<'tree>>(&mut self, seed: T) -> Result<Option<T::Value>, Self::Error> {
        let next = self.rest.find(|node| !self.progress.is_refused(node));
        next.map(|node| NodeReader::new(node, self.progress).give(seed)).transpose()
    }
}

/// The keys of a table that are not left out, then those whose values are made up.
pub(super) struct Entries<'tree, 'read> {
    table: NodeReader<'tree, 'read>,
    rest: std::slice::Iter<'tree, (String, Node)>,
    stand_ins: std::vec::IntoIter<&'static str>,
    /// The only keys that are right here, where the type has said so.
    fields: Option<Names>,
    /// Whether `kind` has been read already and is no key of the rest.
    beside_kind: bool,
    next_value: NextValue<'tree>,
}

/// What the key just read stands for.
#[derive(Clone, Copy)]
enum NextValue<'tree> {
    Written(&'tree Node),
    StandIn(&'static str),
    Nothing,
}

impl<'tree, 'read> Entries<'tree, 'read> {
    /// All keys of a table; none of what is no table.
    pub(super) fn all(table: NodeReader<'tree, 'read>) -> Self {
        Self {
            table,
            rest: table.node.as_table().map(Table::entries).unwrap_or_default().iter(),
            stand_ins: table.progress.stand_ins(table.node).into_iter(),
            fields: None,
            beside_kind: false,
            next_value: NextValue::Nothing,
        }
    }

    /// The keys beside `kind`, which belong to the choice it makes.
    pub(super) fn beside_kind(table: NodeReader<'tree, 'read>, fields: Option<Names>) -> Self {
        Self { fields, beside_kind: true, ..Self::all(table) }
    }

    /// The next key as it was written.
    pub(super) fn next_written(&mut self) -> Option<(&'tree str, &'tree Node)> {
        let (beside_kind, progress) = (self.beside_kind, self.table.progress);
        let is_next = |entry: &&(String, Node)| !(beside_kind && entry.0 == KIND || progress.is_refused(&entry.1));
        self.rest.find(is_next).map(|(key, node)| (key.as_str(), node))
    }
}

impl<'tree> MapAccess<'tree> for Entries<'tree, '_> {
    type Error = Complaint<'tree>;

    fn next_key_seed<K: DeserializeSeed<'tree>>(&mut self, seed: K) -> Result<Option<K::Value>, Self::Error> {
        if let Some((key, node)) = self.next_written() {
            self.next_value = NextValue::Written(node);
            // Asked here and not left to the type, so that no type can forget to refuse what it does not know.
            if let Some(known) = self.fields.filter(|fields| !fields.contains(&key)) {
                return Err(Complaint::new(What::UnknownKey { key: key.to_owned(), known }, Place::key(node)));
            }
            return seed.deserialize(Key(key)).map(Some).map_err(|complaint| complaint.at(Place::key(node)));
        }
        let Some(key) = self.stand_ins.next() else { return Ok(None) };
        self.next_value = NextValue::StandIn(key);
        seed.deserialize(Key(key)).map(Some).map_err(|complaint| complaint.at(Place::value(self.table.node)))
    }

    fn next_value_seed<V: DeserializeSeed<'tree>>(&mut self, seed: V) -> Result<V::Value, Self::Error> {
        match std::mem::replace(&mut self.next_value, NextValue::Nothing) {
            NextValue::Written(node) => NodeReader::new(node, self.table.progress).give(seed),
            NextValue::StandIn(key) => {
                seed.deserialize(StandIn::new(self.table, key)).map_err(|_| Complaint::consequence(self.table.node))
            }
            NextValue::Nothing => Err(Complaint::custom("a value was asked for before its key")),
        }
    }
}

/// A key, or the name of a choice.
pub(super) struct Key<'tree>(pub(super) &'tree str);

impl<'tree> Deserializer<'tree> for Key<'tree> {
    type Error = Complaint<'tree>;

    fn deserialize_any<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        _variants: Names,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'tree>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
