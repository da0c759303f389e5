//! From findings to the report: what stands where on the page.

use crate::experiment::Experiment;
use crate::output::{FigureFinding, Findings, Frame, VERSION};
use crate::plan::Plan;
use crate::report::{Agreement, FigureSection, FigureVerdicts, PaperPart, PaperVerdicts, Report, Score, Verdicts};

/// What stands on the page of a run, and above all below its figures on a terminal.
pub(crate) struct Page<'a> {
    pub(crate) findings: &'a Findings,
    pub(crate) plan: &'a Plan,
    pub(crate) verdicts: &'a Verdicts,
}

impl Page<'_> {
    fn experiment(&self, figure: &FigureFinding) -> &Experiment {
        &self.plan.experiments[figure.experiment]
    }

    /// What became of a figure's claims; empty where there are none.
    pub(crate) fn verdicts_on(&self, figure: &FigureFinding) -> FigureVerdicts {
        self.verdicts.figures.get(&figure.id).cloned().unwrap_or_default()
    }

    fn of_paper(&self, paper: &str) -> PaperVerdicts {
        self.verdicts.papers.get(paper).cloned().unwrap_or_default()
    }

    /// The papers, or what experiments without a paper are called, in the order of their figures.
    fn papers(&self) -> Vec<&str> {
        let mut papers: Vec<&str> = Vec::new();
        for figure in &self.findings.figures {
            let paper = self.experiment(figure).paper.as_str();
            if !papers.contains(&paper) {
                papers.push(paper);
            }
        }
        papers
    }

    /// The scores for a terminal: a line or two a paper, then all together.
    pub(crate) fn scores_text(&self) -> String {
        let lines = |name: &str, score: Score, agreement: Agreement| {
            if !score.has_claims() {
                return String::new();
            }
            let agreement = agreement.in_words();
            let agreement = if agreement.is_empty() { agreement } else { format!("  {agreement}\n") };
            format!("{name}{}\n{agreement}", score.in_words())
        };
        let Verdicts { score, agreement, .. } = *self.verdicts;
        match self.papers().as_slice() {
            [_] => lines("", score, agreement),
            papers => {
                let each = papers.iter().map(|paper| (paper, self.of_paper(paper)));
                let each: String =
                    each.map(|(paper, of)| lines(&format!("{paper}: "), of.score, of.agreement)).collect();
                format!("{each}{}", lines("all together: ", score, agreement))
            }
        }
    }

    /// The report.
    pub(crate) fn report(&self, frame: &Frame) -> Report {
        Report {
            title: frame.title.clone(),
            command: frame.command.clone(),
            version: VERSION.to_owned(),
            seed: self.plan.experiments.first().map_or(1, |experiment| experiment.seed),
            summary: format!(
                "Means and 95 % confidence intervals (Student's t) over replications with random streams of their own. \
                 All schemes of a replication meet the same channel and the same users, so differences between them are \
                 compared pair by pair.\n\n{}",
                frame.note
            ),
            score: self.verdicts.score,
            agreement: self.verdicts.agreement,
            papers: self.papers().into_iter().map(|paper| self.part(paper, frame)).collect(),
        }
    }

    fn part(&self, paper: &str, frame: &Frame) -> PaperPart {
        let PaperVerdicts { citation, score, agreement, further } = self.of_paper(paper);
        let figures = self.findings.figures.iter().filter(|figure| self.experiment(figure).paper == paper);
        PaperPart {
            id: paper.to_owned(),
            citation,
            score,
            agreement,
            figures: figures.map(|figure| self.section(figure, frame)).collect(),
            further,
        }
    }

    fn section(&self, figure: &FigureFinding, frame: &Frame) -> FigureSection {
        let experiment = self.experiment(figure);
        let title = heading(experiment);
        let FigureVerdicts { table, lines } = self.verdicts_on(figure);
        FigureSection {
            id: figure.id.clone(),
            title: match experiment.figures.len() {
                0 | 1 => title,
                _ => format!("{title}: {}", figure.table.y_label),
            },
            svg: figure.svg.clone(),
            caption: format!(
                "{} over {}, {}.",
                figure.table.y_label,
                within_a_sentence(&figure.table.x_label),
                figure.table.replications_text()
            ),
            paper_table: table,
            columns: figure.table.columns(),
            rows: figure.table.text_rows(),
            verdicts: lines,
            notes: Vec::new(),
            command: frame.figure_command.as_ref().map_or_else(
                || frame.command.clone(),
                |command| command.replace("PAPER", &experiment.paper).replace("FIGURE", &figure.name),
            ),
            seed: experiment.seed,
            settings: settings(experiment),
        }
    }
}

/// Where a figure comes from and what it shows; once, where an experiment says no more than its id.
fn heading(experiment: &Experiment) -> String {
    let Experiment { source, title, .. } = experiment;
    if source == title { title.clone() } else { format!("{source}: {title}") }
}

/// A label as it stands in the middle of a sentence: `frame loss rate (%)`, but `TCP timeouts`.
fn within_a_sentence(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.as_str()) {
        (Some(first), rest) if rest.starts_with(char::is_lowercase) => {
            first.to_lowercase().chain(rest.chars()).collect()
        }
        _ => label.to_owned(),
    }
}

/// The world of an experiment, and what its schemes change in it.
fn settings(experiment: &Experiment) -> String {
    let mut text = experiment.settings.clone();
    if let Some(swept) = &experiment.swept {
        text.push_str(&format!("\n# Swept: {swept}.\n"));
    }
    for scheme in &experiment.schemes {
        if let Some(changes) = &scheme.world_changes {
            text.push_str(&format!("\n# {} sets, in its world:\n{changes}", scheme.full_name()));
        }
        if let Some(changes) = &scheme.changes {
            text.push_str(&format!("\n# {} sets, in its service:\n{changes}", scheme.full_name()));
        }
    }
    text
}
