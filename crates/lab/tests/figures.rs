//! Every figure of every experiment in the repository, drawn from numbers that are made up: all its texts are whole, stand on the
//! paper and apart from each other, none is a key of our data, and a scheme looks the same wherever it stands.

use arqway_config::Source;
use arqway_lab::experiment::{Effort, Experiment, FigurePlan, Scheme};
use arqway_lab::figure::text::width;
use arqway_lab::figure::{Figure, Sheet};
use arqway_lab::report::means_table::MeansTable;
use arqway_lab::results::rows::Row;
use arqway_sim::channel::Direction;
use resvg::usvg::roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder of the repository").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

fn experiments() -> Vec<Experiment> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file of the repository");
        let source = Source::new(path.display().to_string(), text);
        Experiment::read(&source, &folder, Effort::Full).unwrap_or_else(|told| panic!("{told}"))
    };
    let all: Vec<Experiment> = files(&folder).into_iter().map(read).collect();
    assert!(all.len() > 100, "{} experiments", all.len());
    all
}

/// Rows of three replications, in which the schemes spread over the axis, or coincide.
fn rows(experiment: &Experiment, figure: &FigurePlan, spread: f64) -> Vec<Row> {
    let places: Vec<String> = match figure.quantity.along {
        Some(_) => (1..30).map(|place| format!("{}@{place}", figure.quantity.metric())).collect(),
        None => vec![figure.metric()],
    };
    let mut rows = Vec::new();
    for (number, scheme) in (1..).zip(&experiment.schemes) {
        for (index, point) in experiment.points.iter().enumerate() {
            let scenario = scheme.scenario(index, point).expect("a world at each point");
            for (replication, metric) in
                (0..3).flat_map(|replication| places.iter().map(move |metric| (replication, metric)))
            {
                rows.push(Row {
                    paper: experiment.paper.as_str().into(),
                    app: figure.quantity.app().into(),
                    errors: experiment.errors.into(),
                    beside: "none".into(),
                    rate_bps: scenario.wireless.rate(Direction::Down).mean().as_bits_per_second(),
                    connections: scenario.connections(),
                    point: point.value,
                    scheme: scheme.name.as_str().into(),
                    variant: experiment.variant_of(scheme).as_str().into(),
                    replication,
                    metric: metric.as_str().into(),
                    value: (1.0 + spread * f64::from(number) + 0.01 * f64::from(replication)) / figure.quantity.factor,
                });
            }
        }
    }
    rows
}

/// Every figure twice: once with curves far apart, once with curves that coincide.
fn figures() -> Vec<(Experiment, Figure)> {
    let mut figures = Vec::new();
    for experiment in experiments() {
        for plan in &experiment.figures {
            for spread in [20.0, 0.001] {
                let table = MeansTable::new(&experiment, plan, &rows(&experiment, plan, spread));
                let id = format!("{}-{}", experiment.paper, plan.id);
                figures.push((experiment.clone(), table.figure(&experiment, &id)));
            }
        }
    }
    figures
}

/// Where a text stands: left, top, right, bottom.
type Extent = [f64; 4];

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or_default()
}

fn extent(text: Node<'_, '_>) -> Extent {
    let size = number(text, "font-size");
    let wide = width(text.text().unwrap_or_default(), size);
    let left = match text.attribute("text-anchor") {
        Some("middle") => number(text, "x") - wide / 2.0,
        Some("end") => number(text, "x") - wide,
        _ => number(text, "x"),
    };
    let (y, right) = (number(text, "y"), left + wide);
    let turned = text.parent().and_then(|group| group.attribute("transform"));
    let Some(turned) = turned else { return [left, y - 0.76 * size, right, y + 0.24 * size] };
    // All that is ever turned is turned a quarter to the left, after it was moved.
    let moved = turned.strip_prefix("translate(").and_then(|rest| rest.strip_suffix(") rotate(-90)")).expect(turned);
    let (across, down) = moved.split_once(' ').expect("two numbers");
    let [across, down]: [f64; 2] = [across, down].map(|one| one.parse().expect("a number"));
    [across - 0.76 * size, down - right, across + 0.24 * size, down - left]
}

/// What is wrong with the texts of a drawing.
fn complaints(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("an SVG document");
    let paper = document.root_element();
    let [wide, high] = ["width", "height"].map(|side| number(paper, side));
    let texts = document.descendants().filter(|node| node.has_tag_name("text") || node.tag_name().name() == "text");
    let texts: Vec<(&str, Extent)> = texts.map(|node| (node.text().unwrap_or_default(), extent(node))).collect();
    let mut complaints = Vec::new();
    for (index, (text, [left, top, right, bottom])) in texts.iter().enumerate() {
        if text.contains('…') {
            complaints.push(format!("`{text}` is cut"));
        }
        if *left < 0.0 || *top < 0.0 || *right > wide || *bottom > high {
            complaints
                .push(format!("`{text}` leaves the paper: {left} to {right} of {wide}, {top} to {bottom} of {high}"));
        }
        for (other, its) in &texts[..index] {
            let across = right.min(its[2]) - left.max(its[0]);
            let down = bottom.min(its[3]) - top.max(its[1]);
            if across > 1.0 && down > 1.5 {
                complaints.push(format!("`{text}` covers `{other}`"));
            }
        }
    }
    complaints
}

#[test]
fn no_text_of_any_figure_is_cut_or_leaves_the_paper_or_covers_another() {
    let mut all = Vec::new();
    for (_, figure) in figures() {
        for sheet in Sheet::ALL {
            let found = complaints(&figure.drawn_on(sheet));
            all.extend(found.into_iter().map(|complaint| format!("{} on a {sheet:?}: {complaint}", figure.id)));
        }
    }
    assert!(all.is_empty(), "{} complaints\n{}", all.len(), all.join("\n"));
    let spoilt = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\"><text x=\"2\" y=\"20\" font-size=\"10\">a…</text>\
                  <text x=\"3\" y=\"22\" font-size=\"10\">far too long for it</text></svg>";
    assert_eq!(complaints(spoilt).len(), 3, "what is out of order is seen");
}

/// Whether a text looks like a key of our data: `buffer=50`, `dda:1.0`, `services.rlp.nack-timeout`, `50ms`, `sscop-pfrs`.
fn looks_raw(text: &str) -> bool {
    let names: BTreeSet<&str> = arqway_link::scheme_names().map(|(_, scheme)| scheme.name).collect();
    let between = |word: &str, sign: char, sides: [fn(&char) -> bool; 2]| {
        let letters: Vec<char> = word.chars().collect();
        letters.windows(3).any(|three| three[1] == sign && sides[0](&three[0]) && sides[1](&three[2]))
    };
    let glued = |word: &str| {
        let letters: Vec<char> = word.trim_end_matches("th").chars().collect();
        letters.windows(2).any(|two| two[0].is_ascii_digit() && two[1].is_ascii_alphabetic())
    };
    text.contains(['=', '_'])
        || text.split([' ', ',', '(', ')']).any(|word| {
            between(word, ':', [|before| before.is_alphanumeric(), |after| after.is_alphanumeric()])
                || between(word, '.', [|before| before.is_alphabetic(), |after| after.is_alphabetic()])
                || glued(word)
                || (word.contains('-') && names.contains(word))
                || (word.matches('-').count() > 1
                    && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'))
        })
}

#[test]
fn no_legend_and_no_axis_shows_a_key_of_our_data() {
    for raw in [
        "buffer=50",
        "SSCOP, arithmetic=float",
        "dda:1.0",
        "services.rlp.timeout (s)",
        "SR, wired 2M/50ms",
        "sscop-pfrs",
    ] {
        assert!(looks_raw(raw), "{raw}");
    }
    let mut raw = BTreeSet::new();
    for (_, figure) in figures() {
        let curves = figure.curves.iter().map(|curve| &curve.label);
        let marks = figure.marks.iter().map(|mark| &mark.label);
        let difference = figure.difference.iter().map(|difference| &difference.label);
        let texts = [&figure.x.label, &figure.y.label].into_iter().chain(curves).chain(marks).chain(difference);
        raw.extend(texts.filter(|text| looks_raw(text)).map(|text| format!("{}: {text}", figure.id)));
    }
    assert!(raw.is_empty(), "{raw:#?}");
}

/// The look of each entry of a legend: colour, dash, and marker without its place.
fn legend(svg: &str) -> Vec<(String, [String; 3])> {
    let document = Document::parse(svg).expect("an SVG document");
    let mut entries = Vec::new();
    for text in document.descendants().filter(|node| node.tag_name().name() == "text") {
        let mut before = text.prev_siblings().skip(1).filter(Node::is_element);
        let Some(sample) = before.next().filter(|node| node.attribute("stroke-width") == Some("1.6")) else { continue };
        let of = |node: Node<'_, '_>, name: &str| node.attribute(name).unwrap_or_default().to_owned();
        let Some(marker) = sample.children().filter(Node::is_element).nth(1) else { continue };
        let shape: String = of(marker, "d").chars().filter(|letter| letter.is_ascii_alphabetic()).collect();
        let corners = marker_corners(&of(marker, "d"));
        let marker = format!("{} {shape} {corners} {}", marker.tag_name().name(), of(marker, "fill"));
        let label = text.text().unwrap_or_default().to_owned();
        entries.push((label, [of(sample, "class"), of(sample, "stroke-dasharray"), marker]));
    }
    entries
}

/// The corners of a marker, from its first one.
fn marker_corners(path: &str) -> String {
    let numbers: Vec<f64> = path
        .split(|letter: char| letter.is_ascii_alphabetic() || letter == ' ')
        .filter_map(|one| one.parse().ok())
        .collect();
    let corner = |pair: &[f64]| format!("{:.0},{:.0}", pair[0] - numbers[0], pair[1] - numbers[1]);
    numbers.chunks_exact(2).map(corner).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_scheme_has_one_colour_dash_and_marker_in_all_figures_and_shares_none_of_them_within_a_papers_figure() {
    let mut looks: BTreeMap<String, BTreeSet<[String; 3]>> = BTreeMap::new();
    for (experiment, figure) in figures() {
        let entries = legend(&figure.drawn_on(Sheet::Desk));
        let is_plain = |scheme: &&Scheme| scheme.full_name() == scheme.name && !scheme.name.contains(' ');
        let plain: BTreeSet<&str> =
            experiment.schemes.iter().filter(is_plain).map(|scheme| scheme.label.as_str()).collect();
        let entries: Vec<_> = entries.into_iter().filter(|(label, _)| plain.contains(label.as_str())).collect();
        let parts = |part: usize| entries.iter().map(|(_, look)| look[part].clone()).collect::<BTreeSet<_>>().len();
        if experiment.paper != experiment.id {
            let distinct = [parts(0), parts(1), parts(2)];
            assert_eq!(distinct, [entries.len(); 3], "{}: {entries:#?}", figure.id);
        }
        for (label, look) in entries {
            looks.entry(label).or_default().insert(look);
        }
    }
    assert!(looks.len() > 25, "{looks:#?}");
    let several: Vec<_> = looks.iter().filter(|(_, looks)| looks.len() > 1).collect();
    assert!(several.is_empty(), "{several:#?}");
}
