//! What the page promises whatever is on it. How it looks is for `tests/browser`.

use super::*;

fn line(id: &str, verdict: &str) -> VerdictLine {
    VerdictLine {
        id: id.to_owned(),
        statement: "SR beats the raw link at every loss rate".to_owned(),
        verdict: verdict.to_owned(),
        paper: "+60 %".to_owned(),
        ours: "+58 % (55 to 61)".to_owned(),
        number: "direction".to_owned(),
        rule: "within a third of the paper's number".to_owned(),
        note: String::new(),
        in_table: false,
        seeds: [(1, verdict), (2, "direction")]
            .map(|(seed, verdict)| SeedVerdict { seed, verdict: verdict.to_owned(), number: "+57 %".to_owned() })
            .to_vec(),
    }
}

fn table() -> PaperTable {
    let cell = |verdict: &str| TableCell {
        paper: "41.1".to_owned(),
        ours: "40.3 ± 0.5".to_owned(),
        verdict: verdict.to_owned(),
    };
    PaperTable {
        head: "Frame loss rate (%)".to_owned(),
        groups: vec![
            ("Web Browsing throughput (kbit/s)".to_owned(), vec!["SR 1.1".to_owned()]),
            ("Web Browsing throughput, above SR 1.1 (%)".to_owned(), vec!["ASR 2+4".to_owned()]),
        ],
        rows: vec![("1.5".to_owned(), vec![Some(cell("reproduced")), None])],
        agreement: Agreement {
            numbers: 2,
            right: 1,
            median_deviation: Some(0.018),
            deviations: 2,
            of_percentages: true,
            tau: Some(-0.5),
            ranked: 2,
        },
    }
}

fn report() -> Report {
    let score = Score {
        statements: Tally { reproduced: 21, direction: 3, not_reproduced: 2, cannot_tell: 1 },
        numbers: Tally { reproduced: 5, direction: 4, not_reproduced: 0, cannot_tell: 0 },
    };
    let figure = FigureSection {
        id: "monet08-table1".to_owned(),
        title: "Throughput over frame loss".to_owned(),
        drawings: ["desk", "phone"]
            .map(|sheet| format!("<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{sheet}\"></svg>")),
        caption: "30 replications.".to_owned(),
        paper_table: Some(table()),
        columns: [("Frame loss rate (%)", ""), ("Raw Link", "raw")]
            .map(|(label, name)| (label.to_owned(), name.to_owned()))
            .to_vec(),
        rows: vec![vec!["0".to_owned(), "52.1 ± 0.6".to_owned()]],
        verdicts: ["reproduced", "reproduced", "not-reproduced", "cannot-tell"]
            .map(|verdict| line("monet08.table1.order", verdict))
            .to_vec(),
        notes: vec!["The paper does not give the buffer.".to_owned()],
        command: "arqway reproduce monet08 table1".to_owned(),
        seed: 1,
        settings: "[link]\nrate = \"64 kbit/s\"".to_owned(),
    };
    let further = Further {
        id: "more".to_owned(),
        title: "What follows from it".to_owned(),
        html: "<p>A section of <em>somebody else</em>.</p>".to_owned(),
    };
    let paper = PaperPart {
        id: "monet08".to_owned(),
        citation: "Somebody: Something. 2008".to_owned(),
        score,
        agreement: Agreement::default(),
        figures: vec![figure.clone(), FigureSection { id: "monet08-fig3".to_owned(), paper_table: None, ..figure }],
        further: vec![further],
    };
    Report {
        title: "Reproduction of monet08".to_owned(),
        command: "arqway reproduce monet08 --replications 30".to_owned(),
        version: "0.1.0".to_owned(),
        seed: 1,
        summary: "All runs have their full length.\n\nSecond paragraph.".to_owned(),
        score,
        agreement: Agreement::default(),
        papers: vec![paper.clone(), PaperPart { id: "study".to_owned(), further: Vec::new(), ..paper }],
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
        "<div class=\"desk\"><svg",
        "<div class=\"phone\"><svg",
        "<figcaption>30 replications.</figcaption>",
        "52.1 ± 0.6",
        "<th scope=\"col\">Raw Link <code>raw</code></th>",
        "SR beats the raw link at every loss rate",
        "+58 % (55 to 61)",
        "21 of 27",
        "5 of 9",
        "seed 2: ",
        "The paper does not give the buffer.",
        "rate = &#34;64 kbit/s&#34;",
        "<h2 id=\"paper-monet08-title\">monet08</h2>",
        "Somebody: Something. 2008",
        "<h3>What follows from it</h3>\n<p>A section of <em>somebody else</em>.</p>",
        "href=\"#section-monet08-more\"",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn a_table_has_the_papers_numbers_beside_ours_and_says_how_far_they_agree() {
    let html = report().to_html().unwrap();
    for text in [
        "<th scope=\"col\" rowspan=\"2\">Frame loss rate (%)</th>",
        "<th scope=\"colgroup\" colspan=\"1\">Web Browsing throughput, above SR 1.1 (%)</th>",
        "<th scope=\"row\">1.5</th>",
        "<span class=\"whose\">paper</span> <b>41.1</b>",
        "<span class=\"whose\">ours</span> 40.3 ± 0.5",
        "<li>median deviation 1.8 %: half of our 2 gaps and improvements lie within 1.8 % of the paper&#39;s</li>",
        "<li>1 of 2 numbers right in direction</li>",
        "<li>Kendall tau-b −0.50 (n = 2)</li>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    insta::assert_snapshot!(table().to_text());
}

#[test]
fn every_text_but_the_drawing_and_what_others_rendered_is_escaped() {
    let rude = "<i>&\"'";
    let mut report = report();
    for text in [&mut report.title, &mut report.command, &mut report.version, &mut report.summary] {
        *text = rude.to_owned();
    }
    let paper = &mut report.papers[0];
    let Further { id, title, .. } = &mut paper.further[0];
    for text in [&mut paper.id, &mut paper.citation, id, title] {
        *text = rude.to_owned();
    }
    let figure = &mut paper.figures[0];
    let table = figure.paper_table.as_mut().unwrap();
    let (group, schemes) = &mut table.groups[0];
    let (row, cells) = &mut table.rows[0];
    for text in [&mut table.head, group, &mut schemes[0], row] {
        *text = rude.to_owned();
    }
    let cell = cells[0].as_mut().unwrap();
    *cell = TableCell { paper: rude.to_owned(), ours: rude.to_owned(), verdict: rude.to_owned() };
    for text in [&mut figure.id, &mut figure.title, &mut figure.command, &mut figure.caption, &mut figure.settings] {
        *text = rude.to_owned();
    }
    for texts in [&mut figure.rows[0], &mut figure.notes] {
        texts[0] = rude.to_owned();
    }
    figure.columns[0] = (rude.to_owned(), rude.to_owned());
    let verdict = &mut figure.verdicts[0];
    for text in [&mut verdict.id, &mut verdict.statement, &mut verdict.verdict, &mut verdict.paper] {
        *text = rude.to_owned();
    }
    for text in [&mut verdict.ours, &mut verdict.number, &mut verdict.note, &mut verdict.seeds[1].number] {
        *text = rude.to_owned();
    }
    verdict.seeds[1].verdict = rude.to_owned();
    let html = report.to_html().unwrap();
    assert!(!html.contains("<i>") && html.contains("&#60;i&#62;&#38;"), "{html}");
}

#[test]
fn a_verdict_has_a_sign_and_words() {
    let html = report().to_html().unwrap();
    for (sign, words) in [("✓", "reproduced"), ("✗", "not reproduced"), ("?", "cannot tell"), ("≈", "direction only")]
    {
        assert!(html.contains(&format!("{sign} {words}")), "{words}");
    }
    let figure = &report().papers[0].figures[0];
    let counts: Vec<_> = figure.counts().iter().map(|(badge, count)| (badge.name, *count)).collect();
    assert_eq!(counts, [("reproduced", 2), ("not-reproduced", 1), ("cannot-tell", 1)]);
    assert_eq!((report().score.statements.total(), report().score.numbers.total()), (27, 9));
}

#[test]
fn a_bar_is_as_long_as_its_verdicts_together_and_can_be_read_without_colour() {
    let pieces = Tally { reproduced: 2, direction: 0, not_reproduced: 1, cannot_tell: 1 }.bar();
    let pieces: Vec<_> = pieces.iter().map(|piece| (&*piece.left, &*piece.width, piece.height)).collect();
    assert_eq!(pieces, [("0.00", "50.00", 100), ("50.00", "25.00", 50), ("75.00", "25.00", 28)]);
    assert!(Tally::default().bar().is_empty());
}

#[test]
fn an_empty_report_is_a_page() {
    let mut report = report();
    report.papers.clear();
    report.score = Score::default();
    let html = report.to_html().unwrap();
    assert!(!html.contains("<table") && !html.contains("<details") && !html.contains("<nav"));
}
