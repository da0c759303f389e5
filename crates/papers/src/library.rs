//! The papers' experiments, claims and alternatives that are built into the program, by their paths in the repository.

use crate::claims::{self, Claim};
use arqway_config::{Mistakes, Source, read_source};
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::{Effort, Experiment, Files, read_all};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

static EXPERIMENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../experiments");
static CLAIMS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../claims");
static SENSITIVITY: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../sensitivity");

/// A figure of a paper that the program can make.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FigureName {
    /// `monet08`
    pub paper: String,
    /// `fig3`
    pub figure: String,
}

/// A paper whose figures belong here, whether they are built yet or not.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// `monet08`
    pub id: String,
    /// Authors, title, where and when.
    pub citation: String,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Papers {
    paper: Vec<Paper>,
}

/// The papers.
///
/// # Errors
/// Mistakes in the list, which a test rules out.
pub fn papers() -> Result<Vec<Paper>, Mistakes> {
    let source = Source::new("papers.toml", include_str!("../../../papers.toml"));
    read_source::<Papers>(&source, &[]).map(|papers| papers.paper)
}

/// The claims of this paper.
#[must_use]
pub fn claims(paper: &str) -> Option<Arc<Source>> {
    text(&CLAIMS, "claims", &format!("{paper}.toml"))
}

/// What became of them when that was last written down.
#[must_use]
pub fn recorded(paper: &str) -> Option<Arc<Source>> {
    text(&CLAIMS, "claims", &format!("recorded/{paper}.toml"))
}

/// What this paper leaves unsaid, and what else it could have meant.
#[must_use]
pub fn sensitivity(paper: &str) -> Option<Arc<Source>> {
    text(&SENSITIVITY, "sensitivity", &format!("{paper}.toml"))
}

/// The experiment that makes a figure.
#[must_use]
pub fn experiment(name: &FigureName) -> Option<Arc<Source>> {
    text(&EXPERIMENTS, "experiments", &format!("{}/{}.toml", name.paper, name.figure))
}

/// The experiments behind these figures, and behind those that their claims read too.
///
/// # Errors
/// Every mistake in all of them.
pub fn experiments_of(names: &[FigureName], effort: Effort, overlay: &Overlay) -> Result<Vec<Experiment>, Mistakes> {
    let read = |names: &[FigureName]| {
        let sources: Vec<_> = names.iter().filter_map(experiment).collect();
        read_all(&sources, &Files::default(), effort, overlay)
    };
    let mut experiments = read(names)?;
    let also = names.iter().zip(&experiments).flat_map(|(name, experiment)| {
        experiment.reads.iter().map(|figure| FigureName { paper: name.paper.clone(), figure: figure.clone() })
    });
    let also: BTreeSet<FigureName> = also.filter(|name| !names.contains(name)).collect();
    experiments.extend(read(&also.into_iter().collect::<Vec<_>>())?);
    Ok(experiments)
}

/// The claims on these figures.
///
/// # Errors
/// Every mistake in a paper's claims.
pub fn claims_of(names: &[FigureName]) -> Result<Vec<Claim>, Mistakes> {
    let mut papers: Vec<&str> = names.iter().map(|name| name.paper.as_str()).collect();
    papers.dedup();
    let mut all = Vec::new();
    for paper in papers {
        let Some(source) = claims(paper) else { continue };
        let is_on = |claim: &Claim| names.iter().any(|name| name.paper == paper && name.figure == claim.figure());
        all.extend(claims::read(&source)?.into_iter().filter(is_on));
    }
    Ok(all)
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
pub(crate) fn by_number(figure: &str) -> (String, u32, String) {
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
    fn every_figure_belongs_to_a_paper_that_is_listed() {
        let papers = papers().expect("a list without mistakes");
        assert!(figures().iter().all(|figure| papers.iter().any(|paper| paper.id == figure.paper)));
    }

    #[test]
    fn figures_are_in_the_order_of_their_numbers() {
        let mut names = ["fig10", "fig9", "table1", "fig16-17"];
        names.sort_by_key(|name| by_number(name));
        assert_eq!(names, ["fig9", "fig10", "fig16-17", "table1"]);
    }
}
