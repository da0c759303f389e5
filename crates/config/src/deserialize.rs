//! A serde `Deserializer` over settings that were [checked](crate::check): what a type still refuses gets its place.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use crate::located;
use crate::mistakes::Mistake;
use crate::node::{KIND, Node, NodeId, Table, Value, found};

/// What a type refuses, and where.
#[derive(Debug)]
pub(crate) struct Refusal<'tree> {
    message: String,
    /// Whether the message only says what was expected.
    is_expectation: bool,
    /// Derived code does not know where it is: the deserializer that called it fills this in.
    pub(crate) place: Option<&'tree Node>,
}

impl<'tree> Refusal<'tree> {
    /// The same, at this place unless a more exact one is known already.
    fn at(mut self, place: &'tree Node) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// The mistake as its author reads it.
    pub(crate) fn mistake(self, root: &'tree Node) -> Mistake {
        let place = self.place.unwrap_or(root);
        let message =
            if self.is_expectation { format!("{}, found {}", self.message, found(place)) } else { self.message };
        Mistake::at_value(place, message)
    }
}

impl Error for Refusal<'_> {
    fn custom<T: Display>(message: T) -> Self {
        Self { message: message.to_string(), is_expectation: false, place: None }
    }

    fn invalid_type(_found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self { message: format!("expected {}", in_words(&expected.to_string())), is_expectation: true, place: None }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn missing_field(key: &'static str) -> Self {
        Self::custom(format_args!("missing `{key}`"))
    }
}

/// What serde's own types expect, as authors of settings call it.
fn in_words(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" => "text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        other => other,
    }
}

/// serde asks for it; nobody sees it, for a refusal is told as a mistake.
impl Display for Refusal<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Refusal<'_> {}

/// Reads one node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeReader<'tree, 'read> {
    node: &'tree Node,
    left_out: &'read BTreeSet<NodeId>,
    /// Whether only the keys beside `kind` are read: the settings of the choice that it makes.
    beside_kind: bool,
}

impl<'tree, 'read> NodeReader<'tree, 'read> {
    pub(crate) const fn new(node: &'tree Node, left_out: &'read BTreeSet<NodeId>) -> Self {
        Self { node, left_out, beside_kind: false }
    }

    /// Gives the node to whatever `seed` reads. Some types complain only after their deserializer has returned
    /// (`#[serde(try_from)]`), so the place is added here.
    fn give<T: DeserializeSeed<'tree>>(self, seed: T) -> Result<T::Value, Refusal<'tree>> {
        seed.deserialize(self).map_err(|refusal| refusal.at(self.node))
    }

    fn items(self, nodes: &'tree [Node]) -> Items<'read, std::slice::Iter<'tree, Node>> {
        Items { rest: nodes.iter(), left_out: self.left_out }
    }

    fn entries(self) -> Entries<'tree, 'read> {
        Entries { table: self, rest: self.node.as_table().map(Table::iter).unwrap_or_default(), value: None }
    }
}

impl<'tree> Deserializer<'tree> for NodeReader<'tree, '_> {
    type Error = Refusal<'tree>;

    fn deserialize_any<V: Visitor<'tree>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.beside_kind {
            return visitor.visit_map(self.entries());
        }
        match &self.node.value {
            Value::Text(text) | Value::DateTime(text) => visitor.visit_borrowed_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Boolean(value) => visitor.visit_bool(*value),
            Value::Array(nodes) => visitor.visit_seq(self.items(nodes)),
            Value::Table(_) => visitor.visit_map(self.entries()),
        }
        .map_err(|refusal: Refusal<'_>| refusal.at(self.node))
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
                visitor.visit_seq(Items { rest: [self.node, self.node].into_iter(), left_out: self.left_out })
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'tree>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        let beside_kind = Self { beside_kind: true, ..self };
        let choice = match &self.node.value {
            Value::Text(name) => Some(Choice { name, settings: beside_kind }),
            Value::Table(table) => match (table.get(KIND), table.iter().next()) {
                (Some(kind), _) => kind.as_text().map(|name| Choice { name, settings: beside_kind }),
                (None, Some((name, node))) => Some(Choice { name, settings: Self { node, ..self } }),
                (None, None) => None,
            },
            _ => None,
        };
        match choice {
            Some(choice) => visitor.visit_enum(choice).map_err(|refusal| refusal.at(self.node)),
            None => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        <V: Visitor<'tree>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// One of several alternatives as it was written: `"raw"`, `{ kind = "fixed", after = "1 s" }` or
/// `{ adaptive = { srtt = 3 } }`.
///
/// The enum itself is derived without any `tag`; serde's internally tagged form would copy the table aside first and
/// lose every position in it.
struct Choice<'tree, 'read> {
    name: &'tree str,
    settings: NodeReader<'tree, 'read>,
}

impl<'tree, 'read> EnumAccess<'tree> for Choice<'tree, 'read> {
    type Error = Refusal<'tree>;
    type Variant = NodeReader<'tree, 'read>;

    fn variant_seed<V: DeserializeSeed<'tree>>(self, seed: V) -> Result<(V::Value, Self::Variant), Self::Error> {
        Ok((seed.deserialize(BorrowedStrDeserializer::new(self.name))?, self.settings))
    }
}

impl<'tree> VariantAccess<'tree> for NodeReader<'tree, '_> {
    type Error = Refusal<'tree>;

    fn unit_variant(self) -> Result<(), Self::Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'tree>>(self, seed: T) -> Result<T::Value, Self::Error> {
        self.give(seed)
    }

    fn tuple_variant<V: Visitor<'tree>>(self, _length: usize, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'tree>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.deserialize_any(visitor)
    }
}

/// The nodes of a list that are not left out.
struct Items<'read, I> {
    rest: I,
    left_out: &'read BTreeSet<NodeId>,
}

impl<'tree, I: Iterator<Item = &'tree Node>> SeqAccess<'tree> for Items<'_, I> {
    type Error = Refusal<'tree>;

    fn next_element_seed<T: DeserializeSeed<'tree>>(&mut self, seed: T) -> Result<Option<T::Value>, Self::Error> {
        let next = self.rest.find(|node| !self.left_out.contains(&std::ptr::from_ref(*node)));
        next.map(|node| NodeReader::new(node, self.left_out).give(seed)).transpose()
    }
}

/// The keys of a table that are not left out.
struct Entries<'tree, 'read> {
    table: NodeReader<'tree, 'read>,
    rest: indexmap::map::Iter<'tree, String, Node>,
    /// The value of the key just read.
    value: Option<&'tree Node>,
}

impl<'tree> MapAccess<'tree> for Entries<'tree, '_> {
    type Error = Refusal<'tree>;

    fn next_key_seed<K: DeserializeSeed<'tree>>(&mut self, seed: K) -> Result<Option<K::Value>, Self::Error> {
        let NodeReader { left_out, beside_kind, .. } = self.table;
        let is_read = |(key, node): &(&String, &Node)| {
            !(beside_kind && *key == KIND || left_out.contains(&std::ptr::from_ref(*node)))
        };
        let Some((key, node)) = self.rest.find(is_read) else { return Ok(None) };
        self.value = Some(node);
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some).map_err(|refusal: Refusal<'_>| refusal.at(node))
    }

    fn next_value_seed<V: DeserializeSeed<'tree>>(&mut self, seed: V) -> Result<V::Value, Self::Error> {
        let node = self.value.take().unwrap_or(self.table.node);
        NodeReader::new(node, self.table.left_out).give(seed)
    }
}
