//! A user of this machine, by name.

use arqway_net::User;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// A user of this machine, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct UserName(#[schemars(with = "str")] pub User);

/// A name that no user has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no user `{0}` in /etc/passwd; expected one, such as made by `useradd --system arqway`")]
pub struct UnknownUser(String);

impl TryFrom<String> for UserName {
    type Error = UnknownUser;
    fn try_from(text: String) -> Result<Self, UnknownUser> {
        User::named(&text).map(Self).ok_or(UnknownUser(text))
    }
}

pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "description": "A user of this machine", "type": "string", "examples": ["arqway"] })
}
