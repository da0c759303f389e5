//! The report of a run: one HTML page with figures, tables, and what became of the papers' claims.
//!
//! The page is whole in itself: it loads nothing, runs no script, follows dark mode, fits a phone and can be printed. It is a
//! pure function of its input, in which nothing depends on the time, the host or a path. Layout and style are in
//! `templates/report.html`.

use crate::claims::Score;
use crate::figure::number::significant;
use askama::Template;
use std::collections::BTreeMap;

/// Everything the page says.
#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "report.html")]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// What to type to get the same page again.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// Root of all random streams.
    pub seed: u64,
    /// What was run and how, in a few sentences; an empty line begins a paragraph.
    pub summary: String,
    /// What became of the claims: statements and numbers apart.
    pub score: Score,
    /// In the order of the page.
    pub figures: Vec<FigureSection>,
    /// What else is said of a paper, by the paper's id.
    pub further: BTreeMap<String, Vec<Further>>,
}

/// A section of a paper beside its figures: whoever has one renders it from a template of his own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Further {
    /// Names it within its paper: `today`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What stands below the heading: HTML, which goes into the page as it is.
    pub html: String,
}

/// How many claims got each verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The claim holds in our results.
    pub reproduced: usize,
    /// The direction is the paper's, the amount is not.
    pub direction: usize,
    /// Our results contradict the claim.
    pub not_reproduced: usize,
    /// Our results do not decide it.
    pub cannot_tell: usize,
}

/// One figure, what the paper says of it, and what we found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureSection {
    /// As in the figure's file name: `monet08-fig3`.
    pub id: String,
    /// Heading of the section.
    pub title: String,
    /// The drawing; goes into the page as it is.
    pub svg: String,
    /// Heads of the table: the swept parameter, then a curve each.
    pub columns: Vec<String>,
    /// The table: a value of the swept parameter, then `mean ± half width` of each curve.
    pub rows: Vec<Vec<String>>,
    /// What the paper says of it, and what became of that.
    pub verdicts: Vec<VerdictLine>,
    /// What a reader must know to judge the figure.
    pub notes: Vec<String>,
    /// What to type to draw this figure alone.
    pub command: String,
    /// Root of its random streams.
    pub seed: u64,
    /// The world behind it, as TOML.
    pub settings: String,
}

/// One claim and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictLine {
    /// Of the claim.
    pub id: String,
    /// The claim in words.
    pub statement: String,
    /// `reproduced`, `direction`, `not-reproduced` or `cannot-tell`.
    pub verdict: String,
    /// The paper's number; empty where there is none.
    pub paper: String,
    /// Our number with its interval; empty where there is none.
    pub ours: String,
    /// The verdict on the number, where the one above is on a statement; else empty.
    pub number: String,
    /// Why the verdict is what it is; may be empty.
    pub note: String,
    /// The same from several seeds, that of the page first.
    pub seeds: Vec<SeedVerdict>,
}

/// What became of a claim where everything was drawn from one seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedVerdict {
    /// Root of all random streams.
    pub seed: u64,
    /// As in [`VerdictLine::verdict`].
    pub verdict: String,
    /// Our number with its interval; empty where there is none.
    pub number: String,
}

impl Report {
    /// The page.
    ///
    /// # Errors
    ///
    /// None that the template itself can cause.
    pub fn to_html(&self) -> Result<String, askama::Error> {
        self.render()
    }

    fn paragraphs(&self) -> impl Iterator<Item = &str> {
        self.summary.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
    }

    /// The rows of the summary: a verdict, how many statements got it, how many numbers.
    fn tallies(&self) -> impl Iterator<Item = (Badge, usize, usize)> {
        let pairs = self.score.statements.counts().into_iter().zip(self.score.numbers.counts());
        pairs.map(|((badge, of_statements), (_, of_numbers))| (badge, of_statements, of_numbers))
    }

    fn has_claims(&self) -> bool {
        self.score.statements.total() + self.score.numbers.total() > 0
    }

    /// The median deviation of the numbers, in percent.
    fn deviation(&self) -> Option<String> {
        self.score.median_deviation.map(|share| significant(share * 100.0, 2))
    }

    /// The seeds that verdicts are shown for.
    fn seeds(&self) -> Vec<u64> {
        let lines = self.figures.iter().flat_map(|figure| &figure.verdicts);
        let most = lines.max_by_key(|line| line.seeds.len());
        most.map(|line| line.seeds.iter().map(|seed| seed.seed).collect()).unwrap_or_default()
    }
}

impl Tally {
    /// How many claims there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts().iter().map(|(_, count)| count).sum()
    }

    /// The verdicts, best first, with their counts.
    fn counts(&self) -> [(Badge, usize); 4] {
        [
            (Badge::REPRODUCED, self.reproduced),
            (Badge::DIRECTION, self.direction),
            (Badge::NOT_REPRODUCED, self.not_reproduced),
            (Badge::CANNOT_TELL, self.cannot_tell),
        ]
    }
}

impl FigureSection {
    /// How many claims of this figure got each verdict; only verdicts that occur.
    fn counts(&self) -> Vec<(Badge, usize)> {
        let count = |badge: Badge| self.verdicts.iter().filter(|line| line.badge() == badge).count();
        let all = Tally::default().counts().map(|(badge, _)| (badge, count(badge)));
        all.into_iter().filter(|&(_, count)| count > 0).collect()
    }
}

impl VerdictLine {
    fn badge(&self) -> Badge {
        Badge::of(&self.verdict)
    }

    fn number_badge(&self) -> Badge {
        Badge::of(&self.number)
    }

    /// For a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("  {}: {} [{}]\n", self.id, self.statement, self.verdict);
        if !self.note.is_empty() {
            text.push_str(&format!("    {}\n", self.note));
        }
        if !self.paper.is_empty() {
            let ours = if self.ours.is_empty() { "nothing" } else { &self.ours };
            let verdict = if self.number.is_empty() { String::new() } else { format!(" [{}]", self.number) };
            text.push_str(&format!("    the paper says {}, we got {ours}{verdict}\n", self.paper));
        }
        if self.seeds.len() > 1 {
            let seed = |one: &SeedVerdict| format!("{} {} {}", one.seed, one.verdict, one.number).trim_end().to_owned();
            let seeds: Vec<String> = self.seeds.iter().map(seed).collect();
            text.push_str(&format!("    by seed: {}\n", seeds.join("; ")));
        }
        text
    }
}

impl SeedVerdict {
    fn badge(&self) -> Badge {
        Badge::of(&self.verdict)
    }
}

/// How a verdict is shown: by a sign and by words; its colour only repeats them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Badge {
    /// As in `claims.csv`, and a class of the style sheet.
    name: &'static str,
    sign: &'static str,
    words: &'static str,
}

impl Badge {
    const REPRODUCED: Self = Self { name: "reproduced", sign: "✓", words: "reproduced" };
    const DIRECTION: Self = Self { name: "direction", sign: "≈", words: "direction only" };
    const NOT_REPRODUCED: Self = Self { name: "not-reproduced", sign: "✗", words: "not reproduced" };
    const CANNOT_TELL: Self = Self { name: "cannot-tell", sign: "?", words: "cannot tell" };

    /// How a verdict is shown, by its name in `claims.csv`.
    fn of(verdict: &str) -> Self {
        let known = [Self::REPRODUCED, Self::DIRECTION, Self::NOT_REPRODUCED];
        known.into_iter().find(|badge| badge.name == verdict).unwrap_or(Self::CANNOT_TELL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, verdict: &str) -> VerdictLine {
        VerdictLine {
            id: id.to_owned(),
            statement: "SR beats the raw link at every loss rate".to_owned(),
            verdict: verdict.to_owned(),
            paper: "+60 %".to_owned(),
            ours: "+58 % (55 to 61)".to_owned(),
            number: "direction".to_owned(),
            note: String::new(),
            seeds: [(1, verdict), (2, "direction")]
                .map(|(seed, verdict)| SeedVerdict { seed, verdict: verdict.to_owned(), number: "+57 %".to_owned() })
                .to_vec(),
        }
    }

    fn report() -> Report {
        Report {
            title: "Reproduction of monet08".to_owned(),
            command: "arqway reproduce monet08 --replications 30".to_owned(),
            version: "0.1.0".to_owned(),
            seed: 1,
            summary: "All runs have their full length.\n\nSecond paragraph.".to_owned(),
            score: Score {
                statements: Tally { reproduced: 21, direction: 3, not_reproduced: 2, cannot_tell: 1 },
                numbers: Tally { reproduced: 5, direction: 4, not_reproduced: 0, cannot_tell: 0 },
                median_deviation: Some(0.183),
            },
            figures: vec![FigureSection {
                id: "monet08-fig3".to_owned(),
                title: "Throughput over frame loss".to_owned(),
                svg: "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".to_owned(),
                columns: vec!["Frame loss rate (%)".to_owned(), "Raw Link".to_owned()],
                rows: vec![vec!["0".to_owned(), "52.1 ± 0.6".to_owned()]],
                verdicts: ["reproduced", "reproduced", "not-reproduced", "cannot-tell"]
                    .map(|verdict| line("monet08.fig3.order", verdict))
                    .to_vec(),
                notes: vec!["The paper does not give the buffer.".to_owned()],
                command: "arqway reproduce monet08 fig3".to_owned(),
                seed: 1,
                settings: "[link]\nrate = \"64 kbit/s\"".to_owned(),
            }],
            further: BTreeMap::new(),
        }
    }

    #[test]
    fn equal_reports_are_equal_pages_and_load_nothing() {
        let html = report().to_html().unwrap();
        assert_eq!(html, report().to_html().unwrap());
        let foreign = html.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for word in ["http://", "https://", "<script", "<link", "@import", "url(", "src="] {
            assert!(!foreign.contains(word), "{word}");
        }
    }

    #[test]
    fn everything_given_is_on_the_page() {
        let html = report().to_html().unwrap();
        for text in [
            "Reproduction of monet08",
            "arqway reproduce monet08 --replications 30",
            "<p>All runs have their full length.</p>",
            "<p>Second paragraph.</p>",
            "<svg xmlns=",
            "52.1 ± 0.6",
            "SR beats the raw link at every loss rate",
            "+58 % (55 to 61)",
            "21 of 27",
            "5 of 9",
            "18 %",
            "<th scope=\"col\">seed 2</th>",
            "The paper does not give the buffer.",
            "rate = &#34;64 kbit/s&#34;",
        ] {
            assert!(html.contains(text), "{text}");
        }
    }

    #[test]
    fn every_text_but_the_drawing_is_escaped() {
        let rude = "<i>&\"'";
        let mut report = report();
        let figure = &mut report.figures[0];
        let verdict = &mut figure.verdicts[0];
        for text in [&mut verdict.id, &mut verdict.statement, &mut verdict.verdict, &mut verdict.paper] {
            *text = rude.to_owned();
        }
        for text in [&mut verdict.ours, &mut verdict.note, &mut figure.id, &mut figure.title, &mut figure.command] {
            *text = rude.to_owned();
        }
        let another = &mut verdict.seeds[1];
        for text in [&mut verdict.number, &mut another.verdict, &mut another.number] {
            *text = rude.to_owned();
        }
        for texts in [&mut figure.columns, &mut figure.rows[0], &mut figure.notes] {
            texts[0] = rude.to_owned();
        }
        for text in [&mut figure.settings, &mut report.title, &mut report.command] {
            *text = rude.to_owned();
        }
        for text in [&mut report.version, &mut report.summary] {
            *text = rude.to_owned();
        }
        let html = report.to_html().unwrap();
        assert!(!html.contains("<i>") && html.contains("&#60;i&#62;&#38;"), "{html}");
    }

    #[test]
    fn a_verdict_has_a_sign_and_words() {
        let html = report().to_html().unwrap();
        for (sign, words) in
            [("✓", "reproduced"), ("✗", "not reproduced"), ("?", "cannot tell"), ("≈", "direction only")]
        {
            assert!(html.contains(sign) && html.contains(words), "{words}");
        }
        let counts: Vec<_> = report().figures[0].counts().iter().map(|(badge, count)| (badge.name, *count)).collect();
        assert_eq!(counts, [("reproduced", 2), ("not-reproduced", 1), ("cannot-tell", 1)]);
        assert_eq!((report().score.statements.total(), report().score.numbers.total()), (27, 9));
    }

    #[test]
    fn an_empty_report_is_a_page() {
        let mut report = report();
        report.figures.clear();
        report.score = Score::default();
        let html = report.to_html().unwrap();
        assert!(!html.contains("<table") && !html.contains("<details") && !html.contains("<nav"));
    }
}
