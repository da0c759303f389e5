//! A scheme that a paper does not have, in its figures: `arqway reproduce monet08 --with tally`.
//!
//! Figures, tables and rows have it beside the paper's own; claims and their verdicts are not about it. Whatever a reader sees calls
//! it "not the paper's".

use crate::claims::listed;
use arqway_config::did_you_mean;
use arqway_lab::experiment::Experiment;
use arqway_link::{ShortForm, ShortFormError, scheme_names};

/// What legends say of it.
const REMARK: &str = "not the paper's";

/// Reads the short form of a scheme.
///
/// # Errors
/// The nearest name that there is, and all others.
pub fn read(text: &str) -> Result<ShortForm, String> {
    text.parse().map_err(|_: ShortFormError| {
        let known: Vec<String> = scheme_names().flat_map(|(_, name)| name.examples()).map(|(short, _)| short).collect();
        let help = did_you_mean(text, &known.iter().map(String::as_str).collect::<Vec<_>>());
        format!("`{text}` is not a scheme; {help}")
    })
}

/// What the report says of such schemes; empty where there are none.
pub(crate) fn note(schemes: &[ShortForm]) -> String {
    let names: Vec<String> = schemes.iter().map(|scheme| format!("`{scheme}`")).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    match names.as_slice() {
        [] => String::new(),
        names => format!("The papers do not have {} where figures call {them} “{REMARK}”.", listed(names)),
    }
}

/// Why a scheme cannot be added.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WithError {
    /// It is asked for twice.
    #[error("`{0}` is asked for twice")]
    Twice(ShortForm),
    /// All of the figures have it.
    #[error("`{0}` is in all of these figures already, as the paper's; leave it out")]
    Everywhere(ShortForm),
    /// A figure's world has no such service.
    #[error("{experiment}: {error}")]
    World {
        /// The id of the experiment.
        experiment: String,
        /// What is wrong.
        error: ShortFormError,
    },
}

/// Adds schemes to experiments. Returns what the user should know: which figures already have one.
///
/// # Errors
/// A scheme is asked for twice, no figure lacks it, or a figure's world cannot have it.
pub fn add(experiments: &mut [Experiment], schemes: &[ShortForm]) -> Result<Vec<String>, WithError> {
    let mut told = Vec::new();
    for (index, scheme) in schemes.iter().enumerate() {
        if schemes.iter().take(index).any(|earlier| earlier == scheme) {
            return Err(WithError::Twice(scheme.clone()));
        }
        let mut there = Vec::new();
        let mut count = 0;
        for experiment in experiments.iter_mut() {
            let added = experiment.add_scheme(scheme, REMARK);
            let added = added.map_err(|error| WithError::World { experiment: experiment.id.clone(), error })?;
            count += added;
            if added == 0 && !there.contains(&experiment.id) {
                there.push(experiment.id.clone());
            }
        }
        if count == 0 && !there.is_empty() {
            return Err(WithError::Everywhere(scheme.clone()));
        }
        if !there.is_empty() {
            told.push(format!("`{scheme}` is already in {}, as the paper's", listed(&there)));
        }
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{self, FigureName};
    use arqway_lab::experiment::Effort;
    use arqway_lab::experiment::overlay::Overlay;

    fn figures(names: &[&str]) -> Vec<Experiment> {
        let name = |figure: &&str| FigureName { paper: "monet08".to_owned(), figure: (*figure).to_owned() };
        let names: Vec<FigureName> = names.iter().map(name).collect();
        library::experiments_of(&names, Effort::Quick, &Overlay::default()).expect("built in")
    }

    fn forms(schemes: &[&str]) -> Vec<ShortForm> {
        schemes.iter().map(|scheme| read(scheme).expect("a short form")).collect()
    }

    #[test]
    fn a_name_that_no_scheme_has_is_told_with_the_nearest() {
        let told = read("snop").expect_err("misspelt");
        assert!(told.starts_with("`snop` is not a scheme; did you mean `snoop`?  (known here: raw, "), "{told}");
    }

    #[test]
    fn figures_that_have_the_scheme_are_told_and_the_others_get_it() {
        let mut experiments = figures(&["fig2", "fig10"]);
        let told = add(&mut experiments, &forms(&["asr:3+2"])).expect("fig2 lacks it");
        assert_eq!(told, ["`asr:3+2` is already in monet08-fig10, as the paper's"]);
        let labels = experiments.iter().flat_map(|experiment| &experiment.schemes).map(|scheme| &*scheme.label);
        let marked = labels.filter(|label| label.starts_with("ASR 3+2")).collect::<Vec<_>>();
        assert_eq!(marked, ["ASR 3+2 (not the paper's)", "ASR 3+2"]);
    }

    #[test]
    fn what_would_add_nothing_is_refused() {
        let error = |names: &[&str], schemes: &[&str]| {
            add(&mut figures(names), &forms(schemes)).expect_err("nothing to add").to_string()
        };
        assert_eq!(
            error(&["fig2"], &["sr:0.9"]),
            "`sr:0.9` is in all of these figures already, as the paper's; leave it out"
        );
        assert_eq!(error(&["fig2"], &["snoop", "snoop"]), "`snoop` is asked for twice");
    }

    #[test]
    fn every_figure_of_every_paper_takes_every_scheme() {
        let all = library::experiments_of(&library::figures(), Effort::Quick, &Overlay::default()).expect("built in");
        for (_, name) in scheme_names() {
            for (short, _) in name.examples() {
                let told = add(&mut all.clone(), &forms(&[&short]));
                assert!(told.is_ok(), "{short}: {told:?}");
            }
        }
    }
}
