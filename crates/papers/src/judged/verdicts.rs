//! Judgements as the report shows them: lines below a figure, the paper's table beside ours, the scores of a paper.

use super::Judged;
use crate::claims::{Claim, ClaimsTable, Column, Judgement, SchemeNames, agreement, score};
use crate::library;
use arqway_lab::experiment::Experiment;
use arqway_lab::report::findings::FigureFinding;
use arqway_lab::report::{FigureVerdicts, PaperTable, PaperVerdicts, SeedVerdict, TableCell, VerdictLine, Verdicts};
use arqway_lab::run::plan::Plan;
use std::collections::BTreeMap;

/// What became of the claims on the figures of a plan.
pub(crate) fn verdicts(judged: &Judged, plan: &Plan) -> Verdicts {
    let figures = judged.findings.figures.iter();
    let figures = figures.map(|figure| (figure.id.clone(), of_figure(judged, plan, figure))).collect();
    let known = library::papers().unwrap_or_default();
    let mut papers = BTreeMap::new();
    for Experiment { paper, .. } in &plan.experiments {
        let judgements = judged.judgements.iter().filter(|judgement| judgement.claim.paper() == paper);
        let citation = known.iter().find(|known| known.id == *paper).map(|known| known.citation.clone());
        papers.entry(paper.clone()).or_insert_with(|| PaperVerdicts {
            citation: citation.unwrap_or_default(),
            score: score(judgements.clone()),
            agreement: agreement(judgements),
            further: judged.further.get(paper).cloned().unwrap_or_default(),
        });
    }
    Verdicts { figures, papers, score: score(&judged.judgements), agreement: agreement(&judged.judgements) }
}

fn of_figure(judged: &Judged, plan: &Plan, figure: &FigureFinding) -> FigureVerdicts {
    let experiment = &plan.experiments[figure.experiment];
    let of_paper = plan.experiments.iter().filter(|other| other.paper == experiment.paper);
    let names = SchemeNames::of(std::iter::once(experiment).chain(of_paper));
    let is_about = |claim: &Claim| claim.figure() == figure.name && claim.paper() == experiment.paper;
    let all = judged.judgements.iter().enumerate().filter(|(_, judgement)| is_about(&judgement.claim));
    let table = if figure.name.starts_with("table") {
        let judgements: Vec<&Judgement> = all.clone().map(|(_, judgement)| judgement).collect();
        paper_table(&figure.table.x_label, &judgements, experiment)
    } else {
        None
    };
    let line = |(index, judgement): (usize, &Judgement)| {
        let others = judged.other_seeds.iter().filter_map(|other| Some((other.seed, other.judgements.get(index)?)));
        let seeds = std::iter::once((experiment.seed, judgement)).chain(others);
        let in_table = table.is_some() && judgement.is_single_number();
        VerdictLine { in_table, ..verdict_line(judgement, &names, seeds.map(seed_verdict).collect()) }
    };
    FigureVerdicts { lines: all.map(line).collect(), table }
}

/// The table of a figure's claims; none where none is a number of its own.
fn paper_table(head: &str, judgements: &[&Judgement], experiment: &Experiment) -> Option<PaperTable> {
    let ClaimsTable { groups, rows } = ClaimsTable::of(judgements)?;
    let label = |name: &str| {
        let plain = experiment.schemes.iter().find(|scheme| scheme.name == name && scheme.variant.is_empty());
        plain.map_or_else(|| name.to_owned(), |scheme| scheme.label.clone())
    };
    let scheme = |column: &Column| label(&column.scheme);
    let title = |columns: &[Column]| columns.first().map_or_else(String::new, |column| column.title(label));
    let cell = |index: &Option<usize>| {
        let number = judgements.get((*index)?)?.number?;
        Some(TableCell { paper: number.paper_bare(), ours: number.ours_bare(), verdict: number.verdict.to_string() })
    };
    Some(PaperTable {
        head: head.to_owned(),
        groups: groups.iter().map(|group| (title(group), group.iter().map(scheme).collect())).collect(),
        rows: rows.iter().map(|row| (row.head.clone(), row.cells.iter().map(cell).collect())).collect(),
        agreement: agreement(judgements.iter().copied()),
    })
}

fn verdict_line(judgement: &Judgement, names: &SchemeNames, seeds: Vec<SeedVerdict>) -> VerdictLine {
    let number = judgement.number;
    VerdictLine {
        id: judgement.claim.about.id.clone(),
        statement: judgement.claim.in_words(names),
        verdict: judgement.verdict().to_string(),
        paper: number.map_or_else(String::new, |number| number.paper_text()),
        ours: number.map_or_else(String::new, |number| number.ours_text()),
        // The verdict of a claim that is nothing but a number is the one on the number.
        number: judgement.statement.and(number).map_or_else(String::new, |number| number.verdict.to_string()),
        rule: number.map_or_else(String::new, |number| number.rule.to_owned()),
        note: names.in_words(&judgement.note),
        in_table: false,
        seeds,
    }
}

fn seed_verdict((seed, judgement): (u64, &Judgement)) -> SeedVerdict {
    SeedVerdict {
        seed,
        verdict: judgement.verdict().to_string(),
        number: judgement.number.map_or_else(String::new, |number| number.ours_text()),
    }
}
