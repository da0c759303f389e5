//! What the report and the terminal say of a paper with today's TCP.

use super::ModernTcp;
use super::headline::{Headline, percent};
use crate::claims::{Judgement, SchemeNames, score};
use crate::judged::Judged;
use arqway_lab::report::Further;
use arqway_lab::run::plan::Plan;
use askama::Template;

/// A paper's section of the report. Layout is in `templates/modern_tcp.html`.
#[derive(Debug)]
pub struct Section {
    /// `monet08`
    pub paper: String,
    /// What stands below the heading: HTML.
    pub html: String,
    /// The same in short, for a terminal.
    pub text: String,
}

/// Its heading.
const TITLE: &str = "Does it still matter?";

#[derive(Debug, Template)]
#[template(path = "modern_tcp.html")]
struct Body<'a> {
    paper: &'a str,
    sentences: &'a [String],
    turned: Vec<Turned>,
    /// Claims whose verdicts are as before, by their ids.
    kept: Vec<String>,
    headlines: &'a [Headline],
}

/// A claim whose verdict is another today.
#[derive(Debug)]
struct Turned {
    id: String,
    says: String,
    then: String,
    today: String,
    number_then: String,
    number_today: String,
}

impl Section {
    /// As the report takes it.
    #[must_use]
    pub fn further(&self) -> Further {
        Further { id: "today".to_owned(), title: TITLE.to_owned(), html: self.html.clone() }
    }

    pub(super) fn new(paper: &str, today: &ModernTcp, plan: &Plan, plain: &Judged) -> Result<Self, askama::Error> {
        let headlines: Vec<Headline> = headlines(paper, today, plan, plain);
        let of_paper = |judgement: &&Judgement| judgement.claim.paper() == paper;
        let then: Vec<Judgement> = plain.judgements.iter().filter(of_paper).cloned().collect();
        let now: Vec<Judgement> = today.judgements.iter().filter(of_paper).cloned().collect();
        let names = SchemeNames::of(plan.experiments.iter().filter(|experiment| experiment.paper == paper));
        let mut sentences = Vec::new();
        sentences.extend(leads(&headlines));
        sentences.extend(scores(&then, &now));
        let pairs = || then.iter().zip(&now);
        let turned: Vec<Turned> =
            pairs().filter(|(then, now)| is_turned(then, now)).map(|pair| turned(pair, &names)).collect();
        let kept = pairs().filter(|(then, now)| !is_turned(then, now)).map(|(then, _)| then.claim.about.id.clone());
        let mut text = format!("{paper} with today's TCP: {}\n", sentences.join(" "));
        for one in &turned {
            text.push_str(&format!("  {}: {} with the paper's TCP, {} today\n", one.id, one.then, one.today));
        }
        let body = Body { paper, sentences: &sentences, turned, kept: kept.collect(), headlines: &headlines };
        Ok(Self { paper: paper.to_owned(), html: body.render()?, text })
    }
}

/// The paper's figures that have means with both TCPs.
fn headlines(paper: &str, today: &ModernTcp, plan: &Plan, plain: &Judged) -> Vec<Headline> {
    let of_today = today.tables.iter().filter(|(of, _, _)| of == paper);
    let headline = |(_, name, table): &(String, String, arqway_lab::report::means_table::MeansTable)| {
        let of_same = |figure: &&arqway_lab::report::findings::FigureFinding| {
            figure.name == *name && plan.experiments[figure.experiment].paper == paper
        };
        let then = plain.findings.figures.iter().find(of_same)?;
        let schemes = &plan.experiments[then.experiment].schemes;
        Headline::new(name, &then.table, table, schemes.iter().filter(|scheme| !scheme.is_added).count())
    };
    of_today.filter_map(headline).collect()
}

/// How far the best scheme leads the raw link, in the median of the figures.
fn leads(headlines: &[Headline]) -> Option<String> {
    let best: Vec<_> = headlines.iter().filter_map(|headline| headline.best).collect();
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let [low, high] = [(values.len().checked_sub(1)?) / 2, values.len() / 2];
        Some(f64::midpoint(values[low], values[high]))
    };
    let then = median(best.iter().map(|best| best.then).collect())?;
    let now = median(best.iter().map(|best| best.today).collect())?;
    let apart = best.iter().filter(|best| best.is_apart).count();
    let figures = best.len();
    let answer = match apart * 2 {
        0 => "It no longer matters for throughput",
        twice if twice < figures => "It matters for throughput in few figures",
        _ => "It still matters for throughput",
    };
    let of =
        if figures == 1 { "in the one figure".to_owned() } else { format!("in the median of the {figures} figures") };
    Some(format!(
        "{answer}: where links help most, the best scheme carries {} over the raw link with the paper's TCP and {} with today's, \
         {of} that have both; today its interval lies above the raw link's in {apart}.",
        percent(then),
        percent(now),
    ))
}

/// How many statements and numbers hold with either TCP.
fn scores(then: &[Judgement], now: &[Judgement]) -> Option<String> {
    let [then, now] = [score(then), score(now)];
    let part = |word: &str, then: arqway_lab::report::Tally, now: arqway_lab::report::Tally| {
        let (before, after, all) = (then.reproduced, now.reproduced, now.total());
        (all > 0).then(|| format!("{after} of {all} {word} ({before} with the paper's TCP)"))
    };
    let statements = part("statements", then.statements, now.statements);
    let parts: Vec<String> = statements.into_iter().chain(part("numbers", then.numbers, now.numbers)).collect();
    (!parts.is_empty()).then(|| format!("With today's TCP {} are reproduced.", parts.join(" and ")))
}

fn is_turned(then: &Judgement, now: &Judgement) -> bool {
    let number = |judgement: &Judgement| judgement.number.map(|number| number.verdict);
    then.statement != now.statement || number(then) != number(now)
}

fn turned((then, now): (&Judgement, &Judgement), names: &SchemeNames) -> Turned {
    let verdict = |judgement: &Judgement| match (judgement.statement, judgement.number) {
        (Some(statement), Some(number)) => format!("{statement}, the number {}", number.verdict),
        _ => judgement.verdict().to_string(),
    };
    let number = |judgement: &Judgement| judgement.number.map_or_else(String::new, |number| number.ours_text());
    Turned {
        id: then.claim.about.id.clone(),
        says: then.claim.in_words(names),
        then: verdict(then).replace("not-", "not ").replace("cannot-", "cannot "),
        today: verdict(now).replace("not-", "not ").replace("cannot-", "cannot "),
        number_then: number(then),
        number_today: number(now),
    }
}
