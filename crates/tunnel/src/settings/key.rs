//! A public key as settings have it.

use arqway_session::{KeyError, PublicKey};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// The public key of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct Key(#[schemars(with = "str")] pub PublicKey);

/// Why a text is not a public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not a public key: {0}")]
pub struct NoKey(KeyError);

impl TryFrom<String> for Key {
    type Error = NoKey;
    fn try_from(text: String) -> Result<Self, NoKey> {
        text.parse().map(Self).map_err(NoKey)
    }
}

pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A public key: 44 characters of base64, as `arqway pubkey` prints them",
        "type": "string",
        "examples": ["wJ8Rr0sGzW1v3XKzKq5VYbqHSPuTtBZBtuNOuKrcnlQ="],
    })
}
