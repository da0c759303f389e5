//! From findings to the report: which figure and which claim stands where on the page.

use crate::claims::{Agreement, Claim, Judgement, Score};
use crate::experiment::Experiment;
use crate::library;
use crate::output::{FigureFinding, Findings, Frame, VERSION};
use crate::plan::Plan;
use crate::report::{FigureSection, PaperPart, PaperTable, Report, SeedVerdict, VerdictLine};

/// What stands on the page of a run, and above all below its figures on a terminal.
pub(crate) struct Page<'a> {
    pub(crate) findings: &'a Findings,
    pub(crate) plan: &'a Plan,
}

impl Page<'_> {
    fn experiment(&self, figure: &FigureFinding) -> &Experiment {
        &self.plan.experiments[figure.experiment]
    }

    /// Whether a claim is about a figure.
    fn is_about(&self, claim: &Claim, figure: &FigureFinding) -> bool {
        claim.figure() == figure.name && claim.paper() == self.experiment(figure).paper
    }

    /// The paper's table beside ours, where the figure is a table.
    pub(crate) fn table_of(&self, figure: &FigureFinding) -> Option<PaperTable> {
        if !figure.name.starts_with("table") {
            return None;
        }
        let judgements = self.findings.judgements.iter().filter(|judgement| self.is_about(&judgement.claim, figure));
        let schemes = &self.experiment(figure).schemes;
        let label = |name: &str| {
            let plain = schemes.iter().find(|scheme| scheme.name == name && scheme.variant.is_empty());
            plain.map_or_else(|| name.to_owned(), |scheme| scheme.label.clone())
        };
        PaperTable::of(&figure.table.x_label, &judgements.collect::<Vec<_>>(), label)
    }

    /// What became of a figure's claims.
    pub(crate) fn verdicts_on(&self, figure: &FigureFinding) -> Vec<VerdictLine> {
        let is_table = self.table_of(figure).is_some();
        let all = self.findings.judgements.iter().enumerate();
        let all = all.filter(|(_, judgement)| self.is_about(&judgement.claim, figure));
        all.map(|(index, judgement)| {
            let mut seeds = vec![seed_verdict(self.experiment(figure).seed, judgement)];
            let others = self.findings.other_seeds.iter();
            seeds.extend(others.filter_map(|other| Some(seed_verdict(other.seed, other.judgements.get(index)?))));
            VerdictLine { in_table: is_table && judgement.is_single_number(), ..verdict_line(judgement, seeds) }
        })
        .collect()
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

    fn judgements_on<'a>(&'a self, paper: &'a str) -> impl Iterator<Item = &'a Judgement> {
        self.findings.judgements.iter().filter(move |judgement| judgement.claim.paper() == paper)
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
        let of_paper = |paper: &&str| {
            let of = Agreement::of(self.judgements_on(paper));
            lines(&format!("{paper}: "), Score::of(self.judgements_on(paper)), of)
        };
        let all = &self.findings.judgements;
        match self.papers().as_slice() {
            [_] => lines("", Score::of(all), Agreement::of(all.iter())),
            papers => {
                let each: String = papers.iter().map(of_paper).collect();
                format!("{each}{}", lines("all together: ", Score::of(all), Agreement::of(all.iter())))
            }
        }
    }

    /// The report.
    pub(crate) fn report(&self, frame: &Frame) -> Report {
        let judgements = &self.findings.judgements;
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
            score: Score::of(judgements),
            agreement: Agreement::of(judgements.iter()),
            papers: self.papers().into_iter().map(|paper| self.part(paper, frame)).collect(),
        }
    }

    fn part(&self, paper: &str, frame: &Frame) -> PaperPart {
        let known = library::papers().unwrap_or_default();
        let citation = known.into_iter().find(|known| known.id == paper).map(|known| known.citation);
        let figures = self.findings.figures.iter().filter(|figure| self.experiment(figure).paper == paper);
        PaperPart {
            id: paper.to_owned(),
            citation: citation.unwrap_or_default(),
            score: Score::of(self.judgements_on(paper)),
            agreement: Agreement::of(self.judgements_on(paper)),
            figures: figures.map(|figure| self.section(figure, frame)).collect(),
            further: self.findings.further.get(paper).cloned().unwrap_or_default(),
        }
    }

    fn section(&self, figure: &FigureFinding, frame: &Frame) -> FigureSection {
        let experiment = self.experiment(figure);
        let title = heading(experiment);
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
            paper_table: self.table_of(figure),
            columns: figure.table.columns(),
            rows: figure.table.text_rows(),
            verdicts: self.verdicts_on(figure),
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

fn verdict_line(judgement: &Judgement, seeds: Vec<SeedVerdict>) -> VerdictLine {
    let number = judgement.number;
    VerdictLine {
        id: judgement.claim.about.id.clone(),
        statement: judgement.claim.in_words(),
        verdict: judgement.verdict().to_string(),
        paper: number.map_or_else(String::new, |number| number.paper_text()),
        ours: number.map_or_else(String::new, |number| number.ours_text()),
        // The verdict of a claim that is nothing but a number is the one on the number.
        number: judgement.statement.and(number).map_or_else(String::new, |number| number.verdict.to_string()),
        note: judgement.note.clone(),
        in_table: false,
        seeds,
    }
}

fn seed_verdict(seed: u64, judgement: &Judgement) -> SeedVerdict {
    SeedVerdict {
        seed,
        verdict: judgement.verdict().to_string(),
        number: judgement.number.map_or_else(String::new, |number| number.ours_text()),
    }
}
