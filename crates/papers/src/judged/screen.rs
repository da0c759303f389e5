//! What the reproduction of whole papers came to, on one screen of 24 lines and 80 columns: the score, what is not reproduced, and
//! where to read why.

use super::Judged;
use crate::claims::{Judgement, Record, Verdict, agreement, score};
use arqway_lab::experiment::Effort;
use arqway_lab::report::Score;
use arqway_lab::results::text_table::{Align, text_table};
use std::path::Path;

/// The columns of a terminal.
const WIDTH: usize = 80;

impl Judged {
    /// The screen; `recorded` are the verdicts at full length, and the report lies in `folder`.
    #[must_use]
    pub fn to_screen(&self, recorded: &Record, effort: Effort, folder: &Path) -> String {
        let mut papers: Vec<&str> = self.judgements.iter().map(|judgement| judgement.claim.paper()).collect();
        papers.dedup();
        let of_paper = |paper: &str| -> Vec<&Judgement> {
            self.judgements.iter().filter(|judgement| judgement.claim.paper() == paper).collect()
        };
        let mut lines = vec![
            ["paper", "statements reproduced", "numbers reproduced", "median deviation"].map(str::to_owned).to_vec(),
        ];
        lines.extend(papers.iter().map(|paper| score_line(paper, &of_paper(paper))));
        let align = |column| if column == 0 { Align::Left } else { Align::Right };
        let mut text = text_table("", &lines, align);
        if self.judgements.iter().any(|judgement| judgement.number.is_some()) {
            text.push_str(
                "Median deviation: half of our gaps and improvements (values, where a paper has\n\
                 neither) lie nearer to the paper's than this share of them.\n",
            );
        }
        text.push_str(&self.compared_with_full(recorded, effort));
        let most = if papers.len() == 1 { 6 } else { 1 };
        text.push_str("\n✗ not reproduced, ≈ in direction only, ? undecided (claims, if several):\n");
        for paper in &papers {
            text.push_str(&not_reproduced(paper, &of_paper(paper), most));
        }
        let pages = if let [paper] = papers.as_slice() { format!("{paper}.md") } else { "index.md".to_owned() };
        let report = folder.join("report.html");
        text.push_str(&format!(
            "\nClaim by claim, with what decided: {}, or --verbose\nWhy: docs/papers/{pages}\n",
            report.display()
        ));
        text
    }

    /// What a quick run is, where its score is not that of the runs at full length.
    fn compared_with_full(&self, recorded: &Record, effort: Effort) -> String {
        let (here, full) = (score(&self.judgements), recorded.full_score(&self.judgements));
        let counts = |score: &Score| [score.statements, score.numbers].map(|tally| (tally.reproduced, tally.total()));
        if effort == Effort::Full || counts(&here) == counts(&full) {
            return String::new();
        }
        let [(statements, of_statements), (numbers, of_numbers)] = counts(&full);
        let numbers = if of_numbers == 0 { String::new() } else { format!(", {numbers} of {of_numbers} numbers") };
        format!(
            "\nThis was a quick run: short, and with few replications, so some verdicts differ.\n\
             At full length (--full): {statements} of {of_statements} statements{numbers}, as recorded.\n"
        )
    }
}

/// `monet08`, `48 of 63`, `27 of 36`, `25 %`.
fn score_line(paper: &str, judgements: &[&Judgement]) -> Vec<String> {
    let Score { statements, numbers } = score(judgements.iter().copied());
    let of = |tally: arqway_lab::report::Tally| match tally.total() {
        0 => "none".to_owned(),
        total => format!("{} of {total}", tally.reproduced),
    };
    let deviation = agreement(judgements.iter().copied()).deviation_percent().unwrap_or_default();
    vec![paper.to_owned(), of(statements), of(numbers), deviation]
}

/// The verdicts that are listed, worst first, with the signs of the report.
const LISTED: [(Verdict, &str); 3] =
    [(Verdict::NotReproduced, "✗"), (Verdict::Direction, "≈"), (Verdict::CannotTell, "?")];

/// The figures with claims that are not reproduced, in so many lines at most.
fn not_reproduced(paper: &str, judgements: &[&Judgement], most_lines: usize) -> String {
    let mut words: Vec<String> = Vec::new();
    for (verdict, sign) in LISTED {
        let mut figures: Vec<(&str, usize)> = Vec::new();
        for judgement in judgements {
            let verdicts = [judgement.statement, judgement.number.map(|number| number.verdict)];
            let count = verdicts.into_iter().filter(|found| *found == Some(verdict)).count();
            match figures.iter_mut().find(|(figure, _)| *figure == judgement.claim.figure()) {
                Some((_, verdicts)) => *verdicts += count,
                None => figures.push((judgement.claim.figure(), count)),
            }
        }
        words.extend(figures.into_iter().filter(|(_, count)| *count > 0).map(|(figure, count)| match count {
            1 => format!("{sign} {figure}"),
            several => format!("{sign} {figure} ({several})"),
        }));
    }
    let mut lines = vec![format!("  {paper}: ")];
    for (index, word) in words.iter().enumerate() {
        let word = if index + 1 < words.len() { format!("{word}, ") } else { word.clone() };
        let left = format!("and {} more", words.len() - index);
        let is_last_line = lines.len() == most_lines;
        let Some(line) = lines.last_mut() else { break };
        let room = WIDTH.saturating_sub(line.chars().count() + if is_last_line { left.len() + 2 } else { 0 });
        if word.trim_end().chars().count() <= room {
            line.push_str(&word);
        } else if is_last_line {
            line.push_str(&left);
            break;
        } else {
            lines.push(format!("    {word}"));
        }
    }
    if words.is_empty() {
        lines = vec![format!("  {paper}: all is reproduced")];
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{self, Evidence};
    use crate::library;
    use arqway_config::Source;
    use arqway_lab::report::findings::Findings;
    use std::collections::BTreeMap;

    /// All claims of some papers, as they are where nothing was run.
    fn undecided(papers: &[&str]) -> (Judged, Record) {
        let mut record = Record::default();
        let mut judgements = Vec::new();
        for paper in papers {
            record.extend(Record::read(&library::recorded(paper).expect("recorded")).expect("readable"));
            let claims = claims::read(&library::claims(paper).expect("claims")).expect("readable");
            judgements.extend(claims.iter().map(|claim| claim.judge(&Evidence::of(&[]))));
        }
        let findings = Findings { rows: Vec::new(), figures: Vec::new() };
        (Judged { findings, judgements, other_seeds: Vec::new(), further: BTreeMap::new() }, record)
    }

    #[test]
    fn whatever_came_out_it_is_one_screen_that_says_where_to_read_on() {
        let all = library::papers().expect("a list");
        let all: Vec<&str> = all.iter().map(|paper| paper.id.as_str()).collect();
        for papers in [&all[..], &["monet08"], &["aina06"], &["multiservice"]] {
            let (judged, record) = undecided(papers);
            let screen = judged.to_screen(&record, Effort::Quick, Path::new("results"));
            // Three lines of remarks follow it on stderr.
            assert!(screen.lines().count() <= 21, "{screen}");
            assert!(screen.lines().all(|line| line.chars().count() <= WIDTH), "{screen}");
            assert!(papers.iter().all(|paper| screen.contains(paper)), "{screen}");
            assert!(screen.contains("results/report.html") && screen.contains("Why: docs/papers/"), "{screen}");
            assert!(
                screen.contains("This was a quick run") && screen.contains("At full length (--full): "),
                "{screen}"
            );
            let full = judged.to_screen(&record, Effort::Full, Path::new("results"));
            assert!(!full.contains("quick"), "{full}");
        }
    }

    #[test]
    fn what_is_not_reproduced_is_named_with_its_verdict() {
        let (judged, record) = undecided(&["multiservice"]);
        let screen = judged.to_screen(&record, Effort::Full, Path::new("out"));
        assert!(screen.contains("  multiservice: ? fig2"), "{screen}");
        let nothing = Judged { judgements: Vec::new(), ..judged };
        assert!(nothing.to_screen(&record, Effort::Full, Path::new("out")).contains("out/report.html"));
        let claim = "[[claim]]\nid = \"p.fig1\"\nwhere = \"Fig. 1\"\napp = \"web\"\nerrors = \"none\"\nbeside = \"none\"\n\
                     metric = \"delay\"\nkind = \"value\"\nflr = 0\nscheme = \"raw\"\nvalue = 1\ninferred = [\"at\", \"many\"]\n";
        let claims = claims::read(&Source::new("claims.toml", claim)).expect("a claim");
        assert!(
            claims[0]
                .in_words(&claims::SchemeNames::default())
                .contains("(Our reading of the paper: at which points and what it means by “many”.)")
        );
    }
}
