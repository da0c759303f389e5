//! What the questions promise, in tiny worlds.

use super::*;
use crate::claims::{self, Claim};
use crate::library;
use arqway_config::{Mistakes, Source};
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::scenarios;
use arqway_lab::experiment::{Effort, Experiment, Files};
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::Request;
use arqway_lab::run::run;
use std::num::NonZeroUsize;

const WORLD: &str = "headers = \"count-as-data\"\n[tcp]\nmaximum-window = 17\n[file-transfer]\nsize = \"10 kB\"\n\
                     [wireless]\nrate = \"64 kbit/s\"\nqueue = { kind = \"drop-tail\", packets = 50 }\n\
                     [services.selective-repeat]\ntimeout = \"1.1 s\"\n[quick]\nreplications = 3\n";

fn questions(text: &str) -> Result<Questions, Mistakes> {
    read(&Source::new("sensitivity/paper.toml", text), &Source::new("scenarios/paper.toml", WORLD))
}

fn told(text: &str) -> String {
    questions(text).expect_err("a mistake").to_string()
}

/// A parameter with one alternative, which sets this.
fn asks(set: &str) -> String {
    format!(
        "[[parameter]]\nname = \"One\"\nsilent = \"s\"\nchosen = \"c\"\n\
         [[parameter.alternative]]\nlabel = \"other\"\nset = {{ {set} }}\n"
    )
}

#[test]
fn every_paper_is_asked_only_what_its_world_leaves_open_to_change() {
    let mut mistakes = Mistakes::new();
    let mut asked = 0;
    for paper in library::papers().expect("a list") {
        let (Some(source), Some(scenario)) = (library::sensitivity(&paper.id), scenarios::scenario(&paper.id)) else {
            continue;
        };
        asked += 1;
        match read(&source, &scenario) {
            Ok(questions) => assert!(!questions.parameters.is_empty(), "{}", paper.id),
            Err(found) => mistakes.extend(found),
        }
    }
    assert!(mistakes.is_empty(), "{mistakes}");
    assert!(asked >= 4, "{asked}");
}

#[test]
fn a_value_that_the_world_has_already_is_no_alternative() {
    assert!(questions(&asks("\"tcp.maximum-window\" = 8")).is_ok());
    let same = told(&asks("\"tcp.maximum-window\" = 17"));
    assert!(
        same.starts_with("sensitivity/paper.toml:7:9: `tcp.maximum-window` already has this value in the scenario"),
        "{same}"
    );
    let short = told(&asks("\"wireless.queue.packets\" = 50"));
    assert!(short.contains("`wireless.queue.packets` already has this value in the scenario"), "{short}");
}

#[test]
fn a_path_that_does_not_exist_is_told_where_it_is_written() {
    let unknown = told(&asks("\"tcp.maximum-windwo\" = 8"));
    assert!(unknown.starts_with("sensitivity/paper.toml:7:9:"), "{unknown}");
    assert!(unknown.contains("did you mean `maximum-window`?"), "{unknown}");
    assert!(told(&asks("\"tcp.maximum-window\" = \"much\"")).contains("maximum-window"));
    assert!(told(&asks("")).contains("an alternative must set something"));
    let twice = format!("{0}{0}", asks("\"tcp.maximum-window\" = 8"));
    assert!(told(&twice).contains("a parameter is called `One` already"));
}

#[test]
fn a_parameter_is_asked_about_alone_by_its_name() {
    let two =
        format!("{}{}", asks("\"tcp.maximum-window\" = 8"), asks("\"tcp.tick\" = \"5 ms\"").replace("One", "Two"));
    let only = questions(&two).unwrap_or_else(|told| panic!("{told}")).only("tWO").expect("it exists");
    assert_eq!(only.parameters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Two"]);
    let help = questions(&two).unwrap_or_else(|told| panic!("{told}")).only("Twos").expect_err("none");
    assert!(help.contains("did you mean `Two`?"), "{help}");
}

/// Two figures, their points called otherwise: one keeps the world's window, the other sets its own.
const FIGURE: &str = "[experiment]\nid = \"paper-FIG\"\npaper = \"paper\"\nreplications = 5\n[scenario]\nbase = \"monet08\"\n\
     set = { \"file-transfer.size\" = \"100 kB\"SET }\n[sweep]\n\"wireless.errors\" = [\n\
     { point = POINT, value = { kind = \"uniform\", loss = \"9.8 %\" } } ]\n[[scheme]]\nuse = \"raw\"\n[[scheme]]\nuse = \"SCHEME\"\n";

const CLAIMS: &str = r#"
[[claim]]
id = "paper.own.sr-over-raw"
where = "Fig. 1"
app = "file-transfer"
errors = "uniform"
beside = "none"
metric = "throughput"
kind = "order"
order = ["sr", "raw"]
at = [9.8]

[[claim]]
id = "paper.kept"
where = "Fig. 2"
app = "file-transfer"
errors = "uniform"
beside = "none"
metric = "throughput"
kind = "gain"
flr = 5.4
a = "sr:0.9"
b = "raw"
percent = 50
"#;

fn experiments(overlay: &Overlay) -> Vec<Experiment> {
    let figures = [("own", "sr", "9.8", ""), ("kept", "sr:0.9", "5.4", ", \"tcp.maximum-window\" = 5")];
    let read = |(id, scheme, point, set): &(&str, &str, &str, &str)| {
        let text = FIGURE.replace("FIG", id).replace("SCHEME", scheme).replace("POINT", point).replace("SET", set);
        let read = Experiment::read_over(&Source::new("figure.toml", text), &Files::default(), Effort::Full, overlay);
        read.unwrap_or_else(|mistakes| panic!("{mistakes}"))
    };
    figures.iter().map(read).collect()
}

fn claims() -> Vec<Claim> {
    claims::read(&Source::new("claims.toml", CLAIMS)).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn answer(text: &str, jobs: usize) -> (Worlds, Matrix) {
    let source = Source::new("sensitivity/monet08.toml", text);
    let questions = read(&source, &scenarios::scenario("monet08").expect("built in"));
    let questions = questions.unwrap_or_else(|told| panic!("{told}"));
    let request = Request::default();
    let mut worlds = Worlds::new(experiments(&Overlay::default()), claims(), &request).expect("all cells");
    let overlays = questions.overlays(&Overlay::default());
    overlays.iter().for_each(|(_, _, overlay)| worlds.add(experiments(overlay), &request).expect("all cells"));
    let jobs = NonZeroUsize::new(jobs).expect("some");
    worlds.finish(run(worlds.plan(), jobs, &Cancellation::new(), || ()).expect("worlds that can be built"));
    assert!((0..worlds.len()).all(|world| worlds.is_whole(world)));
    let found = overlays.iter().enumerate().map(|(index, (parameter, alternative, _))| AlternativeFinding {
        parameter: *parameter,
        label: alternative.label.clone(),
        judgements: worlds.judge(index + 1),
        touched: worlds.touched(index + 1),
    });
    let alternatives: Vec<_> = found.collect();
    let asked = alternatives.len();
    let parameters = questions.parameters;
    let matrix =
        Matrix { paper: "paper".to_owned(), parameters, plain: worlds.judge(0), is_whole: true, alternatives, asked };
    (worlds, matrix)
}

fn csv(matrix: Matrix) -> String {
    let mut text = Vec::new();
    write_csv(&[matrix], &mut text).expect("memory");
    String::from_utf8(text).expect("text")
}

#[test]
fn what_a_figure_sets_itself_no_alternative_touches() {
    let (worlds, matrix) = answer(&asks("\"tcp.maximum-window\" = 2"), 1);
    let touched = &matrix.alternatives[0].touched;
    assert_eq!(touched, &[true, false], "the second figure has a window of its own");
    // Raw is one cell of both plain figures only as long as their windows are the same: they are not.
    assert_eq!(worlds.plan().runs.len(), 5 * (2 + 2) + 5 * 2, "only the first figure's cells are run again");
    let number = |judgements: &[crate::claims::Judgement]| judgements[1].number.and_then(|number| number.ours);
    assert_eq!(number(&matrix.plain), number(&matrix.alternatives[0].judgements), "the same rows");
    assert!(number(&matrix.plain).is_some(), "there are rows");
}

#[test]
fn a_cell_that_becomes_that_of_another_figure_is_touched_and_not_run_again() {
    let (worlds, matrix) = answer(&asks("\"tcp.maximum-window\" = 5"), 1);
    assert_eq!(matrix.alternatives[0].touched, [true, false]);
    assert_eq!(
        worlds.plan().runs.len(),
        5 * (2 + 2) + 5,
        "the second figure has the raw link with that window already"
    );
}

#[test]
fn the_verdict_in_an_alternatives_world_is_that_of_its_own_rows() {
    // So short a timeout sends everything twice and more: Selective Repeat falls below the raw link.
    let text = asks("\"services.selective-repeat.timeout\" = \"0.02 s\"");
    let (_, matrix) = answer(&text, 2);
    let flips = matrix.flips(&matrix.alternatives[0]);
    assert_eq!(flips.len(), 1, "{}", matrix.to_text());
    assert!(matrix.to_text().contains("One: other: farther from it: own.sr-over-raw"), "{}", matrix.to_text());
    let csv = csv(matrix);
    let row = "paper,One,other,paper.own.sr-over-raw,order,not-reproduced,reproduced,,,statement,yes";
    assert!(csv.lines().any(|line| line == row), "{csv}");
    assert!(
        csv.lines().any(|line| line.starts_with("paper,One,other,paper.kept,gain,") && line.ends_with(",number,no"))
    );
}

#[test]
fn equal_questions_have_equal_answers_on_any_number_of_threads() {
    let text = asks("\"tcp.maximum-window\" = 2");
    let of = |jobs| {
        let (_, matrix) = answer(&text, jobs);
        (matrix.to_svg(), matrix.to_text(), csv(matrix))
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn a_strip_of_few_alternatives_is_broken_into_blocks_each_with_its_labels() {
    let (_, mut matrix) = answer(&asks("\"tcp.maximum-window\" = 2"), 1);
    let heads = |svg: &str| svg.matches(">One: other</text>").count();
    assert_eq!(heads(&matrix.to_svg()), 1, "few lines are one block");
    let lines = matrix.lines().len();
    matrix.plain = matrix.plain.iter().cycle().take(30 * matrix.plain.len()).cloned().collect();
    for found in &mut matrix.alternatives {
        found.judgements = found.judgements.iter().cycle().take(matrix.plain.len()).cloned().collect();
        found.touched = found.touched.iter().cycle().take(matrix.plain.len()).copied().collect();
    }
    let svg = matrix.to_svg();
    assert!(heads(&svg) > 2, "{}", heads(&svg));
    assert_eq!(svg.matches(">own.sr-over-raw</text>").count(), 30, "every line has its name");
    let size = |name: &str| -> f64 {
        let rest = svg.split_once(&format!(" {name}=\"")).expect("a size").1;
        rest.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let (width, height, all) = (size("width"), size("height"), 30.0 * lines as f64 * 15.0);
    assert!(width <= 900.0 && height < all * 2.0 / 3.0, "{width} by {height}, not {all} high");
}

#[test]
fn the_page_says_in_words_what_the_heat_map_says_in_colours() {
    let text = asks("\"services.selective-repeat.timeout\" = \"0.02 s\"").replace("\"s\"", "\"<s>\"");
    let (_, matrix) = answer(&text, 1);
    let folder = std::env::temp_dir().join(format!("arqway-sensitivity-{}", std::process::id()));
    write(&[matrix], "arqway sensitivity paper", "Quick.", &folder).expect("a folder that can be written");
    let page = std::fs::read_to_string(folder.join("sensitivity.html")).expect("a page");
    for words in
        ["&#60;s&#62;", "<code>own.sr-over-raw</code>", "<caption>", "role=\"img\"", "<td>✗</td>", "<td>·</td>"]
    {
        assert!(page.contains(words), "{words}");
    }
    let foreign = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!["http:", "https:", "<script", "src=", "<s>"].iter().any(|word| foreign.contains(word)));
    for file in ["sensitivity.csv", "figures/paper-sensitivity.svg", "figures/paper-sensitivity.png"] {
        assert!(folder.join(file).exists(), "{file}");
    }
    std::fs::remove_dir_all(&folder).expect("ours");
}
