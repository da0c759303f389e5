//! The scenarios, experiments and claims that are built into the program, by their paths in the repository.

use crate::document::Source;
use include_dir::{Dir, include_dir};
use std::sync::Arc;

static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");
static EXPERIMENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../experiments");
static CLAIMS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../claims");

/// A figure of a paper that the program can make.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FigureName {
    /// `monet08`
    pub paper: String,
    /// `fig3`
    pub figure: String,
}

/// The scenario of this name.
#[must_use]
pub fn scenario(name: &str) -> Option<Arc<Source>> {
    text(&SCENARIOS, "scenarios", &format!("{name}.toml"))
}

/// The names of all scenarios, sorted.
#[must_use]
pub fn scenario_names() -> Vec<String> {
    stems(&SCENARIOS)
}

/// The claims of this paper.
#[must_use]
pub fn claims(paper: &str) -> Option<Arc<Source>> {
    text(&CLAIMS, "claims", &format!("{paper}.toml"))
}

/// The experiment that makes a figure.
#[must_use]
pub fn experiment(name: &FigureName) -> Option<Arc<Source>> {
    text(&EXPERIMENTS, "experiments", &format!("{}/{}.toml", name.paper, name.figure))
}

/// Every figure there is: papers in alphabetical order, figures in the order of their numbers.
#[must_use]
pub fn figures() -> Vec<FigureName> {
    let mut names: Vec<FigureName> = EXPERIMENTS
        .dirs()
        .flat_map(|paper| {
            let name = paper.path().to_string_lossy().into_owned();
            stems(paper).into_iter().map(move |figure| FigureName { paper: name.clone(), figure })
        })
        .collect();
    names.sort_by_key(|name| (name.paper.clone(), by_number(&name.figure)));
    names
}

/// `fig10` comes after `fig9`.
fn by_number(figure: &str) -> (String, u32, String) {
    let start = figure.find(|c: char| c.is_ascii_digit()).unwrap_or(figure.len());
    let digits: String = figure[start..].chars().take_while(char::is_ascii_digit).collect();
    (figure[..start].to_owned(), digits.parse().unwrap_or(0), figure.to_owned())
}

fn text(folder: &Dir<'_>, folder_name: &str, path: &str) -> Option<Arc<Source>> {
    let file = folder.get_file(path)?;
    Some(Source::new(format!("{folder_name}/{path}"), file.contents_utf8()?))
}

fn stems(folder: &Dir<'_>) -> Vec<String> {
    let mut stems: Vec<String> =
        folder.files().filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned())).collect();
    stems.sort();
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_in_the_order_of_their_numbers() {
        let mut names = ["fig10", "fig9", "table1", "fig16-17"];
        names.sort_by_key(|name| by_number(name));
        assert_eq!(names, ["fig9", "fig10", "fig16-17", "table1"]);
    }
}
