//! The scenarios that are built into the program, by their names: `scenarios/monet08.toml` is `monet08`.

use arqway_config::Source;
use include_dir::{Dir, include_dir};
use std::sync::Arc;

static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// The scenario of this name.
#[must_use]
pub fn scenario(name: &str) -> Option<Arc<Source>> {
    let path = format!("{name}.toml");
    Some(Source::new(format!("scenarios/{path}"), SCENARIOS.get_file(&path)?.contents_utf8()?))
}

/// The names of all scenarios, sorted.
#[must_use]
pub fn names() -> Vec<String> {
    let names = SCENARIOS.files().filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
