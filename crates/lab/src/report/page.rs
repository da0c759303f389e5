//! From findings to the report: what stands where on the page.

use super::header::ReportHeader;
use super::{Agreement, FigureSection, FigureVerdicts, PaperPart, PaperVerdicts, Report, Score, VerdictLine, Verdicts};
use crate::experiment::Experiment;
use crate::figure::Sheet;
use crate::output::{OutputError, VERSION, make, save, write_rows};
use crate::report::findings::{FigureFinding, Findings};
use crate::report::means_table::MeansTable;
use crate::run::plan::Plan;
use std::path::Path;

impl Findings {
    /// The tables and verdicts for a terminal.
    #[must_use]
    pub fn to_text(&self, plan: &Plan, verdicts: &Verdicts) -> String {
        let page = Page { findings: self, plan, verdicts };
        let mut text = String::new();
        for figure in &self.figures {
            text.push_str(&format!(
                "{}: {} ({})\n{}",
                figure.id,
                figure.title,
                figure.table.replications_text(),
                figure.table.to_text()
            ));
            let FigureVerdicts { table, lines } = page.verdicts_on(figure);
            text.extend(table.map(|table| table.to_text()));
            text.extend(lines.iter().map(VerdictLine::to_text));
            text.push('\n');
        }
        text + &page.scores_text()
    }

    /// Writes rows, figures and the report into `directory`.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub fn write(
        &self,
        plan: &Plan,
        verdicts: &Verdicts,
        header: &ReportHeader,
        directory: &Path,
    ) -> Result<(), OutputError> {
        let figures = directory.join("figures");
        make(&figures)?;
        write_rows(&self.rows, &header.command, directory)?;
        for figure in &self.figures {
            save(&figures.join(format!("{}.svg", figure.id)), figure.svg.as_bytes())?;
            save(&figures.join(format!("{}.png", figure.id)), &figure.png()?)?;
        }
        save(&directory.join("report.html"), self.report(plan, verdicts, header)?.as_bytes())
    }

    /// The report as HTML.
    ///
    /// # Errors
    /// The template's.
    pub fn report(&self, plan: &Plan, verdicts: &Verdicts, header: &ReportHeader) -> Result<String, OutputError> {
        Ok(Page { findings: self, plan, verdicts }.report(header).to_html()?)
    }
}

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
    pub(crate) fn report(&self, header: &ReportHeader) -> Report {
        Report {
            title: header.title.clone(),
            command: header.command.clone(),
            version: VERSION.to_owned(),
            seed: self.plan.experiments.first().map_or(1, |experiment| experiment.seed),
            summary: format!(
                "Means and 95 % confidence intervals (Student's t) over replications with random streams of their own. \
                 All schemes of a replication meet the same channel and the same users, so differences between them are \
                 compared pair by pair.\n\n{}",
                header.note
            ),
            score: self.verdicts.score,
            agreement: self.verdicts.agreement,
            papers: self.papers().into_iter().map(|paper| self.part(paper, header)).collect(),
        }
    }

    fn part(&self, paper: &str, header: &ReportHeader) -> PaperPart {
        let PaperVerdicts { citation, score, agreement, further } = self.of_paper(paper);
        let figures = self.findings.figures.iter().filter(|figure| self.experiment(figure).paper == paper);
        PaperPart {
            id: paper.to_owned(),
            citation,
            score,
            agreement,
            figures: figures.map(|figure| self.section(figure, header)).collect(),
            further,
        }
    }

    fn section(&self, figure: &FigureFinding, header: &ReportHeader) -> FigureSection {
        let experiment = self.experiment(figure);
        let title = heading(experiment);
        let FigureVerdicts { table, lines } = self.verdicts_on(figure);
        let MeansTable { schemes, names, .. } = &figure.table;
        let name = |(label, name): (&String, &String)| if label == name { String::new() } else { name.clone() };
        let names = std::iter::once(String::new()).chain(schemes.iter().zip(names).map(name));
        FigureSection {
            id: figure.id.clone(),
            title: match experiment.figures.len() {
                0 | 1 => title,
                _ => format!("{title}: {}", figure.table.y_label),
            },
            drawings: [Sheet::Desk, Sheet::Phone].map(|sheet| figure.figure.drawn_on(sheet)),
            caption: format!("{}.", capital(&figure.figure.caption)),
            paper_table: table,
            columns: figure.table.columns().into_iter().zip(names).collect(),
            rows: figure.table.text_rows(),
            verdicts: lines,
            notes: Vec::new(),
            command: header.figure_command.as_ref().map_or_else(
                || header.command.clone(),
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

/// As a sentence begins.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
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
