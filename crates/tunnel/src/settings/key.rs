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
pub enum NoKey {
    /// It is something else.
    #[error("this is not a public key: {0}")]
    Other(KeyError),
    /// It is the key of nobody.
    #[error("no private key has this public key; expected one as `arqway pubkey` prints it")]
    Unusable,
}

impl TryFrom<String> for Key {
    type Error = NoKey;
    fn try_from(text: String) -> Result<Self, NoKey> {
        let key: PublicKey = text.parse().map_err(NoKey::Other)?;
        if key.is_usable() { Ok(Self(key)) } else { Err(NoKey::Unusable) }
    }
}

pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A public key: 44 characters of base64, as `arqway pubkey` prints them",
        "type": "string",
        "examples": ["wJ8Rr0sGzW1v3XKzKq5VYbqHSPuTtBZBtuNOuKrcnlQ="],
    })
}
