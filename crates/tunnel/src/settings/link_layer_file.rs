//! A file with a `[link-layer]` and nothing else, to be put behind settings.

use super::GRAMMARS;
use arqway_config::{Located, Mistake, Mistakes, Source, read_source};
use arqway_link::LinkLayer;
use arqway_units::BitRate;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    link_layer: Located<LinkLayer>,
}

/// The services of such a file, if an end that sends so fast, where that is given, can have them.
///
/// # Errors
/// Every mistake, with its place in this file.
pub fn check_link_layer(source: &Arc<Source>, rate: Option<BitRate>) -> Result<LinkLayer, Mistakes> {
    let File { link_layer } = read_source(source, GRAMMARS)?;
    let mut mistakes = Mistakes::new();
    if let Err(error) = link_layer.value.mux(rate).plan() {
        mistakes.push(Mistake { origin: link_layer.origin.clone(), message: error.to_string(), help: None });
    }
    mistakes.into_result(link_layer.value)
}
