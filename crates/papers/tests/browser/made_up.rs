//! Reports that no run wrote, with whatever is hard to set: many claims, long words, long sentences, empty places.

use arqway_lab::figure::{Axis, Curve, Figure, Mark, Point, Scale, Sheet};
use arqway_lab::report::{
    Agreement, FigureSection, PaperPart, PaperTable, Report, Score, SeedVerdict, TableCell, Tally, VerdictLine,
};

const VERDICTS: [&str; 4] = ["reproduced", "direction", "not-reproduced", "cannot-tell"];
const LONG_WORD: &str = "selective-repeat:window=127,timeout=adaptive(srtt=3,srttvar=2),rejects=multireject,depth=4";
const LONG_SENTENCE: &str = "At 1.5, 2.5, 5.4 and 9.8 %, of sr:0.9, sr:1.0, sr:1.1, sr:1.2, sr:1.3, asr:1+4, asr:2+4, \
    asr:3+2, asr:4+0 and asr:4+2, asr:3+2 is the best, 228.0625 % above sr:0.9, the worst. With contention from the media, \
    over a link with two states, it also delays the lecture least, which nobody would have expected of a scheme that sends \
    more. (Our reading: flr, best, worst, schemes.)";

/// Five papers with 92 figures, ten of them tables, and 306 claims.
pub(crate) fn report() -> Report {
    let papers = ["monet08", "aina06", "mobimedia07", "shikama06", "a-study-with-a-name-as-long-as-they-come-in-files"];
    let figures = [40, 12, 16, 14, 10];
    let mut parts: Vec<PaperPart> = papers.iter().zip(figures).map(|(id, figures)| paper(id, figures)).collect();
    let of_paper = |part: &PaperPart| part.figures.iter().map(|figure| figure.verdicts.len()).sum::<usize>();
    let claims: usize = parts.iter().map(of_paper).sum();
    let last = &mut parts[0].figures[0];
    last.verdicts.extend((claims..306).map(|index| verdict(&format!("monet08.fig0.{index}"), index, false)));
    Report { papers: parts, ..frame() }
}

/// One paper with two figures.
pub(crate) fn short_report() -> Report {
    Report { papers: vec![paper("paper", 2)], ..frame() }
}

fn frame() -> Report {
    Report {
        title: "Arqway reproduces the papers".to_owned(),
        command: format!("arqway reproduce --replications 30 --out {LONG_WORD}/{LONG_WORD}/{LONG_WORD}"),
        version: "0.1.0".to_owned(),
        seed: u64::MAX,
        summary: format!("{LONG_SENTENCE}\n\n{LONG_WORD}{LONG_WORD}{LONG_WORD}"),
        score: score(),
        agreement: agreement(),
        papers: Vec::new(),
    }
}

fn score() -> Score {
    Score {
        statements: Tally { reproduced: 121, direction: 1, not_reproduced: 12, cannot_tell: 7 },
        numbers: Tally { reproduced: 0, direction: 140, not_reproduced: 24, cannot_tell: 1 },
    }
}

fn agreement() -> Agreement {
    Agreement {
        numbers: 165,
        right: 140,
        median_deviation: Some(12.345),
        deviations: 120,
        of_percentages: true,
        tau: Some(-1.0 / 3.0),
        ranked: 120,
    }
}

fn paper(id: &str, figures: usize) -> PaperPart {
    PaperPart {
        id: id.to_owned(),
        citation: format!("{LONG_SENTENCE} {LONG_WORD}"),
        score: score(),
        agreement: agreement(),
        figures: (0..figures).map(|index| section(id, index)).collect(),
        further: Vec::new(),
    }
}

fn section(paper: &str, index: usize) -> FigureSection {
    let is_table = index % 10 == 1;
    let id = format!("{paper}-{}{index}", if is_table { "table" } else { "fig" });
    let columns = 2 + index % 12;
    let heads = |column: usize| if column.is_multiple_of(5) { LONG_WORD.to_owned() } else { format!("SR 1.{column}") };
    let claim = |number: usize| verdict(&format!("{id}.{number}.{LONG_WORD}"), number, is_table && number > 0);
    FigureSection {
        title: format!("{paper}, Fig. {index}: {}", if index.is_multiple_of(3) { LONG_SENTENCE } else { "Throughput" }),
        drawings: [Sheet::Desk, Sheet::Phone].map(|sheet| figure(&id, index).drawn_on(sheet)),
        caption: LONG_SENTENCE.to_owned(),
        paper_table: is_table.then(table),
        columns: (0..columns)
            .map(|column| (heads(column), if column == 0 { String::new() } else { LONG_WORD.to_owned() }))
            .collect(),
        rows: vec![vec!["(−1.2345 ± 0.0012)×10⁻¹²".to_owned(); columns]; 1 + index % 5],
        verdicts: (0..3).map(claim).collect(),
        notes: vec![LONG_SENTENCE.to_owned(), LONG_WORD.repeat(3)],
        command: format!("arqway reproduce {paper} {LONG_WORD} --replications 30"),
        seed: 1,
        settings: format!("[link]\nservice = \"{}\"\n", LONG_WORD.repeat(4)),
        id,
    }
}

fn verdict(id: &str, index: usize, in_table: bool) -> VerdictLine {
    let verdict = VERDICTS[index % 4].to_owned();
    let has_number = index.is_multiple_of(2);
    let seed = |seed: u64| SeedVerdict { seed, verdict: verdict.clone(), number: "−228.1 ± 0.0012 %".to_owned() };
    VerdictLine {
        id: id.to_owned(),
        statement: if index % 5 == 4 { LONG_WORD.repeat(3) } else { LONG_SENTENCE.to_owned() },
        paper: if has_number { "-228.0625 %".to_owned() } else { String::new() },
        ours: if has_number { "(−1.2345 ± 0.0012)×10⁻¹² kbit/s".to_owned() } else { String::new() },
        number: if has_number { VERDICTS[(index + 1) % 4].to_owned() } else { String::new() },
        rule: if has_number { "the same sign, but more than a third of it away".to_owned() } else { String::new() },
        note: if index.is_multiple_of(3) { String::new() } else { format!("{LONG_SENTENCE} {LONG_WORD}") },
        in_table,
        seeds: [1, 2, u64::MAX].map(seed).to_vec(),
        verdict,
    }
}

fn table() -> PaperTable {
    let cell = |column: usize| {
        let cell = TableCell {
            paper: "-228.0625".to_owned(),
            ours: if column == 2 { String::new() } else { "(−1.2345 ± 0.0012)×10⁻¹²".to_owned() },
            verdict: VERDICTS[column % 4].to_owned(),
        };
        (column != 3).then_some(cell)
    };
    PaperTable {
        head: "Frame loss rate (%)".to_owned(),
        groups: vec![
            ("Web Browsing throughput (kbit/s)".to_owned(), vec!["SR 1.1".to_owned()]),
            (LONG_SENTENCE.to_owned(), ["ASR 2+4", "ASR 3+2", "", LONG_WORD, "ASR 4+4"].map(str::to_owned).to_vec()),
        ],
        rows: ["1.5", "2.5, two-state errors, beside media, 10 connections", LONG_WORD, "9.8"]
            .map(|head| (head.to_owned(), (0..6).map(cell).collect()))
            .to_vec(),
        agreement: agreement(),
    }
}

/// Figures of every kind: linear and logarithmic axes, deviations, marks, one curve or twelve, gaps, tiny and huge values.
fn figure(id: &str, index: usize) -> Figure {
    let logarithmic = index % 4 == 2;
    let scale = if logarithmic { Scale::Logarithmic } else { Scale::Linear };
    let size = [1.0, 1e-9, 1e9, 64.0][index % 4];
    let point = |curve: usize, step: usize| Point {
        x: if logarithmic { [1e-8, 1e-7, 1e-6, 1e-5, 1e-4][step] } else { [0.0, 1.5, 2.5, 5.4, 9.8][step] },
        y: if (curve, step) == (1, 2) { f64::NAN } else { size * (1.0 + curve as f64 - 0.1 * step as f64) },
        half_width: (step != 3).then_some(size * 0.3),
        deviation: (index.is_multiple_of(5)).then_some(size),
    };
    let label = |curve: usize| if curve == 4 { LONG_WORD.to_owned() } else { format!("SR 1.{curve}") };
    let curve = |curve: usize| Curve {
        label: label(curve),
        scheme: label(curve),
        points: (0..if index % 8 == 7 { 1 } else { 5 }).map(|step| point(curve, step)).collect(),
    };
    let mark = Mark { x: if logarithmic { 1e-6 } else { 5.4 }, label: "the bound".to_owned(), curve: None };
    Figure {
        id: id.to_owned(),
        title: if index.is_multiple_of(6) { LONG_SENTENCE.to_owned() } else { "Throughput".to_owned() },
        x: Axis { label: "Frame loss rate (%)".to_owned(), scale, from_zero: true },
        y: Axis { label: LONG_WORD.to_owned(), scale: Scale::Linear, from_zero: index.is_multiple_of(2) },
        curves: (0..index % 12).map(curve).collect(),
        marks: if index % 7 == 3 { vec![mark] } else { Vec::new() },
        difference: None,
        source: LONG_SENTENCE.to_owned(),
        caption: LONG_WORD.to_owned(),
    }
}
