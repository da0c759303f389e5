//! The options of a study that change its results, and the report's header made from them: a title, and the command that makes
//! the results again. The command and Python share them, so that their reports are equal.

use crate::with;
use arqway_lab::experiment::Effort;
use arqway_lab::report::ReportHeader;
use arqway_link::ShortForm;
use arqway_units::Ratio;
use std::fmt;
use std::num::NonZeroU32;

/// The options that change results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyOptions {
    /// Replications of each cell, instead of the file's.
    pub replications: Option<NonZeroU32>,
    /// Shortened runs and few replications.
    pub quick: bool,
    /// Runs as long and as many as the papers had.
    pub full: bool,
    /// Replications are added until every mean that is drawn is known so well.
    pub until: Option<Ratio>,
    /// Root of all random streams, instead of the file's.
    pub seed: Option<u64>,
    /// From how many seeds each claim is judged.
    pub seeds: Option<NonZeroU32>,
    /// Everything again with today's TCP.
    pub today: bool,
    /// Schemes that are added to the papers' own.
    pub with: Vec<ShortForm>,
}

impl StudyOptions {
    /// As a shell would give them to the command: none has a blank in it.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.to_string().split_whitespace().map(str::to_owned).collect()
    }
}

/// As they are typed behind a command, each with a blank before it.
impl fmt::Display for StudyOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { replications, quick, full, until, seed, seeds, today, ref with } = self;
        replications.map_or(Ok(()), |replications| write!(out, " --replications {replications}"))?;
        out.write_str(if quick { " --quick" } else { "" })?;
        out.write_str(if full { " --full" } else { "" })?;
        until.map_or(Ok(()), |share| write!(out, " --until {}%", share.as_percent()))?;
        seed.map_or(Ok(()), |seed| write!(out, " --seed {seed}"))?;
        seeds.map_or(Ok(()), |seeds| write!(out, " --seeds {seeds}"))?;
        out.write_str(if today { " --today" } else { "" })?;
        with.iter().try_for_each(|scheme| write!(out, " --with {scheme}"))
    }
}

/// Around the results of a paper's figures, or those of all papers; `figures` are as they were asked for.
#[must_use]
pub fn header_of_reproduction(
    paper: Option<&str>,
    figures: &[String],
    effort: Effort,
    asked: &StudyOptions,
) -> ReportHeader {
    let names: String = paper.into_iter().chain(figures.iter().map(String::as_str)).fold(String::new(), join);
    let quick = match effort {
        Effort::Quick => {
            "This is a quick look: runs are shortened and few, so intervals are wide. Use --full for what the papers ran."
        }
        Effort::Full => "",
    };
    let notes = [quick.to_owned(), with::note(&asked.with)];
    let notes = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>();
    ReportHeader {
        title: format!("Arqway reproduces {}", paper.unwrap_or("the papers")),
        command: format!("arqway reproduce{names}{asked}"),
        figure_command: Some(format!("arqway reproduce PAPER FIGURE{asked}")),
        note: notes.join(" "),
    }
}

/// A word as a shell takes it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./:=+,%@^".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn join(text: String, word: &str) -> String {
    text + " " + word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        for (word, typed) in [
            ("asr:3+2", "asr:3+2"),
            ("my study.toml", "'my study.toml'"),
            ("study(1).toml", "'study(1).toml'"),
            ("it's mine.toml", r"'it'\''s mine.toml'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), typed);
        }
    }

    #[test]
    fn options_are_told_as_they_are_typed() {
        let two = NonZeroU32::MIN.saturating_add(1);
        let asked = StudyOptions { replications: Some(two), seed: Some(7), ..StudyOptions::default() };
        assert_eq!(asked.to_string(), " --replications 2 --seed 7");
        let asked = StudyOptions { quick: true, seeds: Some(two), today: true, ..StudyOptions::default() };
        assert_eq!(asked.to_string(), " --quick --seeds 2 --today");
        let with = ["raw", "asr:3+2"].map(|scheme| scheme.parse().expect("a short form")).to_vec();
        let asked = StudyOptions { with, ..StudyOptions::default() };
        assert_eq!(asked.words(), ["--with", "raw", "--with", "asr:3+2"]);
        let header = header_of_reproduction(Some("monet08"), &[], Effort::Full, &asked);
        assert_eq!(
            header.note,
            "The papers do not have `raw` and `asr:3+2` where figures call them “not the paper's”."
        );
        assert_eq!(StudyOptions { full: true, ..StudyOptions::default() }.to_string(), " --full");
        let figures = ["fig2".to_owned(), "fig3".to_owned()];
        let header = header_of_reproduction(Some("monet08"), &figures, Effort::Full, &StudyOptions::default());
        assert_eq!(header.command, "arqway reproduce monet08 fig2 fig3");
    }
}
