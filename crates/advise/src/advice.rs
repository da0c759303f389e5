//! What is advised, and what a reader must know of it.

use super::length::Losses;
use super::link::Link;
use super::question::Question;
use super::race::{Ended, MARGIN, Standing, Verdict};
use super::second::Second;
use arqway_config::Mistakes;
use arqway_lab::figure::number::percentage;
use arqway_lab::results::rows::Row;
use arqway_lab::run::plan::RequestError;
use arqway_lab::run::{Results, RunError};

/// How much worse than the best is still as good, in percent.
pub(super) const MARGIN_PERCENT: f64 = MARGIN * 100.0;

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
pub enum AdviseError {
    /// What the candidates make of the world cannot be read: its own settings of services forbid one.
    #[error("the scenario's settings rule out a candidate:\n{0}")]
    Candidates(Mistakes),
    /// No cells.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The runs failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Not one candidate carries anything.
    #[error("the link is dead: {}, and no service carries anything across; expected a link on which some frames arrive both ways", .0.map_or_else(|| "no frame arrived at the client".to_owned(), in_words))]
    Dead(Option<Losses>),
    /// It was stopped before every candidate had a replication.
    #[error("stopped before every candidate had a run: there is no advice")]
    Nothing,
}

/// `it loses 99.9 % of the frames toward the client`
fn in_words(losses: Losses) -> String {
    format!("it loses {} % of the frames toward the client", percentage(losses.share * 100.0, 2))
}

/// What is advised.
#[derive(Debug)]
pub struct Advice {
    /// The question.
    pub question: Question,
    /// The facts of its link.
    pub link: Link,
    /// What its errors are like, toward the client.
    pub losses: Option<Losses>,
    /// What was decided, in that order.
    pub stages: Vec<Stage>,
    /// The link layer with all of that, as files have it, where it has classes, or was asked whether it should.
    pub link_layer: Option<String>,
    /// What a reader must know.
    pub cautions: Vec<Caution>,
    /// All runs as rows.
    pub rows: Vec<Row>,
    /// The experiment that confirms it.
    pub confirm: String,
    /// What was run, in all stages.
    pub results: Vec<Results>,
    /// What a second line would bring, where that was asked.
    pub second: Option<Second>,
}

/// One decision: which service carries what.
#[derive(Debug)]
pub struct Stage {
    /// The class, as people call it; none for the packets of no class.
    pub class: Option<String>,
    /// The candidates in their order; empty if nothing of this traffic is carried here, or nothing of it arrived.
    pub standings: Vec<Standing>,
    /// Why the race ended.
    pub ended: Ended,
    /// What each entry is called, and what to write for it.
    pub(super) names: Vec<(String, String)>,
}

impl Stage {
    /// What a candidate is called.
    #[must_use]
    pub fn label(&self, standing: &Standing) -> &str {
        self.names.get(standing.entry).map_or("", |(label, _)| label)
    }

    /// What to write into a file for it.
    #[must_use]
    pub fn block(&self, standing: &Standing) -> &str {
        self.names.get(standing.entry).map_or("", |(_, block)| block)
    }

    /// The one that is advised, those that are as good, and those that are without a significant difference from the best.
    pub fn leaders(&self) -> impl Iterator<Item = &Standing> {
        self.standings.iter().filter(|standing| standing.verdict != Verdict::Behind)
    }
}

/// What a reader must know of an advice.
#[derive(Debug, Clone, PartialEq)]
pub enum Caution {
    /// So many others are without a significant difference from the best.
    NotTold {
        /// The class, if it is about one.
        class: Option<String>,
        /// How many others.
        others: usize,
    },
    /// The runs of the best saw so few losses.
    FewLosses(u64),
    /// TCP's window of so many packets is smaller than what a round trip has room for.
    Window(u64, u64),
    /// So many of so many runs were cut before the file was there.
    Cut(usize, usize),
    /// It was stopped.
    Stopped,
}
