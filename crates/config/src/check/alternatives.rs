//! The alternatives among which a value chooses, as people write them: `"raw"`, `{ kind = "fixed", after = "1 s" }`,
//! `{ adaptive = { srtt = 3 } }`, or something without a name, such as `"1 s"`.

use serde_json::Value as Json;

use super::rules::Rules;
use crate::schema::{VALUE_UNDER_NAME, alternatives, properties, referred};

/// What a schema lets one choose from.
#[derive(Debug, Default)]
pub(crate) struct Alternatives<'a> {
    /// Those with a name, in the order in which they are told.
    pub(crate) kinds: Vec<(&'a str, Settings<'a>)>,
    /// Those without.
    pub(crate) others: Vec<&'a Json>,
}

/// What goes with the name of an alternative.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Settings<'a> {
    /// Nothing.
    None,
    /// Keys, as this table has them beside `kind`.
    Table(&'a Json),
    /// A single value, written under the name.
    Value(&'a Json),
}

impl<'a> Alternatives<'a> {
    /// Those of a schema; `None` where there is nothing to choose.
    pub(crate) fn of(rules: Rules<'a>, schema: &'a Json) -> Option<Self> {
        let mut found = Self::default();
        found.collect(rules, schema);
        let only_one_without_name = found.kinds.is_empty() && found.others.len() < 2;
        (!only_one_without_name).then_some(found)
    }

    fn collect(&mut self, rules: Rules<'a>, schema: &'a Json) {
        let is_table = schema.get("properties").is_some();
        let defined = referred(schema).filter(|_| rules.grammar(schema).is_none());
        if let Some(defined) = defined.and_then(|name| rules.schema.definition(name))
            && (defined.get("properties").is_none())
            && (defined.get("enum").is_some() || !alternatives(defined).is_empty())
        {
            self.collect(rules, defined);
        } else if !is_table && !alternatives(schema).is_empty() {
            alternatives(schema).iter().for_each(|alternative| self.collect(rules, alternative));
        } else if let Some(names) = schema.get("enum").and_then(Json::as_array) {
            names.iter().filter_map(Json::as_str).for_each(|name| self.add(name, Settings::None));
        } else if let Some(name) = schema.get("const").and_then(Json::as_str) {
            self.add(name, Settings::None);
        } else if let Some(name) = schema.pointer("/properties/kind/const").and_then(Json::as_str) {
            self.add(name, Settings::Table(schema));
        } else if let Some((name, value)) = value_under_name(schema) {
            self.add(name, Settings::Value(value));
        } else {
            self.others.push(schema);
        }
    }

    fn add(&mut self, name: &'a str, settings: Settings<'a>) {
        match self.kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if !matches!(settings, Settings::None) => *known = settings,
            Some(_) => {}
            None => self.kinds.push((name, settings)),
        }
    }

    pub(crate) fn names(&self) -> Vec<&'a str> {
        self.kinds.iter().map(|(name, _)| *name).collect()
    }

    pub(crate) fn kind(&self, name: &str) -> Option<Settings<'a>> {
        self.kinds.iter().find(|(known, _)| *known == name).map(|(_, settings)| *settings)
    }

    /// The names of those that have this key, and what the first of them has there; `None` if there is none.
    pub(crate) fn with_key(&self, key: &str) -> Option<(Vec<&'a str>, &'a Json)> {
        let settings_of = |(name, settings): &(&'a str, Settings<'a>)| match settings {
            Settings::Table(table) => {
                properties(table).find(|(known, _)| *known == key).map(|(_, value)| (*name, value))
            }
            Settings::None | Settings::Value(_) => None,
        };
        let mut found = self.kinds.iter().filter_map(settings_of).peekable();
        let (_, first) = *found.peek()?;
        Some((found.map(|(name, _)| name).collect(), first))
    }

    /// Whether some have settings of their own: then they are kinds of something, and not just values.
    pub(crate) fn have_settings(&self) -> bool {
        self.kinds.iter().any(|(_, settings)| !matches!(settings, Settings::None))
    }
}

/// `{ fixed = "1 s" }`: an alternative whose value is no table has it under its name.
fn value_under_name(schema: &Json) -> Option<(&str, &Json)> {
    schema.get(VALUE_UNDER_NAME).and_then(|_| properties(schema).next())
}
