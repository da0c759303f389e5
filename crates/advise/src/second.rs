//! A line that might be had beside a link, and what is found of it.

use super::question::QuestionError;
use super::world::inline;
use arqway_config::Source;
use arqway_lab::experiment::described::Described;
use arqway_lab::results::stats::Summary;
use std::path::Path;
use std::sync::Arc;

/// What a line says of itself, and what a file has that says nothing: the defaults of `[wireless]`.
const OF_A_LINE: [(&str, &str); 5] = [
    ("rate", "\"64 kbit/s\""),
    ("delay", "\"50 ms\""),
    ("queue", "{ kind = \"back-pressured\", packets = 1 }"),
    ("errors", "\"none\""),
    ("jitter", "\"none\""),
];
/// A second line, as it would stand in `[[wireless.line]]`.
#[derive(Debug, Clone)]
pub struct SecondLine {
    pub(super) name: String,
    /// A table of TOML.
    pub(super) line: String,
}

impl SecondLine {
    /// Reads the world of which it is the link.
    ///
    /// # Errors
    /// Every mistake in it, or several lines.
    pub fn read(source: &Arc<Source>, folder: &Path) -> Result<Self, QuestionError> {
        let Described { world, scenario, .. } = Described::read(source, folder)?;
        if !scenario.wireless.line.is_empty() {
            return Err(QuestionError::SeveralLines { file: source.name().to_owned() });
        }
        let name = Path::new(source.name()).file_stem().map_or("world".into(), |stem| stem.to_string_lossy());
        let setting = |(key, default): (&str, &str)| {
            let own = world.get_path(&format!("wireless.{key}")).map(inline);
            format!("{key} = {}", own.unwrap_or_else(|| default.to_owned()))
        };
        let one_way = ["down", "up"].into_iter().filter_map(|key| {
            let own = world.get_path(&format!("wireless.{key}"))?;
            Some(format!("{key} = {}", inline(own)))
        });
        let settings: Vec<String> = OF_A_LINE.into_iter().map(setting).chain(one_way).collect();
        Ok(Self { name: name.into_owned(), line: format!("{{ {} }}", settings.join(", ")) })
    }

    /// What it is called: its file without the ending.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What was found.
#[derive(Debug)]
pub struct Second {
    /// The link alone, the other alone, both: each with what the applications have, as it is shown.
    pub tried: Vec<(String, Vec<Option<Summary>>)>,
    /// By application, how much better both are than the better one alone, as a share, where that is significant.
    pub gains: Vec<Option<f64>>,
    /// How many replications there are.
    pub replications: usize,
    /// The experiment.
    pub experiment: String,
}
