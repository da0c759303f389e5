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

/// What a scenario is: the first sentence of the remark at its head, without its own name; empty if there is none.
#[must_use]
pub fn about(name: &str) -> String {
    let source = scenario(name);
    let lines = source.iter().flat_map(|source| source.text().lines()).map_while(|line| line.strip_prefix('#'));
    let remark = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let first = remark.split_once(". ").map_or(&*remark, |(first, _)| first);
    first.strip_prefix(&format!("The world of {name}: ")).unwrap_or(first).trim_end_matches('.').to_owned()
}

/// The names of all scenarios, sorted.
#[must_use]
pub fn names() -> Vec<String> {
    let names = SCENARIOS.files().filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
