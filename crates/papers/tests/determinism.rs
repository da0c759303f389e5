//! Same version, same arguments, same bytes: however many threads run a plan, whether a cell runs alone or among others,
//! and whether or not somebody stops it half way.

mod small;

use arqway_config::Source;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::report::ReportHeader;
use arqway_lab::report::findings::Findings;
use arqway_lab::results::rows::Row;
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::{Results, run};
use arqway_papers::Judged;
use arqway_papers::claims::{self, Claim};
use arqway_papers::library::{self, FigureName};
use arqway_papers::other_seeds::{self, SeedFinding};
use arqway_units::Octets;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn same_seed_same_bytes_whatever_the_number_of_threads() {
    let plan = plan(&Request { replications: Some(2), ..Request::default() });
    let one_thread = files_written(&plan, 1);
    let names: Vec<&str> = one_thread.keys().map(String::as_str).collect();
    let figures = ["monet08-fig2.png", "monet08-fig2.svg", "monet08-fig3.png", "monet08-fig3.svg"];
    assert_eq!(names, [&["claims.csv"], &figures[..], &["report.html", "rows.csv", "rows.parquet"]].concat());
    for threads in [2, 5] {
        let several = files_written(&plan, threads);
        assert!(several.keys().eq(one_thread.keys()), "{threads} threads write other files");
        for (name, octets) in &one_thread {
            // Not `assert_eq`: nobody wants to read a picture.
            assert!(several[name] == *octets, "{name} differs between 1 and {threads} threads");
        }
    }
}

#[test]
fn tables_agreement_and_other_seeds_are_the_same_whatever_the_number_of_threads() {
    let plan = Plan::new(small::experiments(), &Request::default()).expect("the cells exist");
    let claims = small::claims();
    let [one_thread, two, five] = [1, 2, 5].map(|threads| everything_said(&plan, &claims, threads));
    for word in ["Kendall tau-b", "median deviation", "right in direction", "by seed: 1 "] {
        assert!(one_thread["text"].windows(word.len()).any(|window| window == word.as_bytes()), "{word}");
    }
    for several in [two, five] {
        for (name, octets) in &one_thread {
            assert!(several[name] == *octets, "{name} differs");
        }
    }
}

#[test]
fn one_cell_run_alone_gives_the_rows_it_has_in_the_whole() {
    let whole = rows(&plan(&Request { replications: Some(3), ..Request::default() }));
    for (scheme, point, replication) in [("raw", 0.0, 0), ("sr:0.9", 5.4, 2), ("sr:1.3", 9.8, 1)] {
        let cell = |row: &&Row| &*row.scheme == scheme && row.point == point && row.replication == replication;
        let in_the_whole: Vec<Row> = whole.iter().filter(cell).cloned().collect();
        let request = Request {
            scheme: Some(scheme.to_owned()),
            point: Some(point),
            replication: Some(replication),
            ..Request::default()
        };
        let alone = rows(&plan(&request));
        assert!(!alone.is_empty(), "{scheme} at {point} has no rows");
        assert_eq!(alone, in_the_whole);
    }
}

#[test]
fn a_replication_beyond_those_of_the_file_is_the_one_that_more_replications_would_have_had() {
    let only = |replication| Request { replication, point: Some(5.4), replications: Some(2), ..Request::default() };
    let alone = rows(&plan(&only(Some(3))));
    let four = rows(&plan(&Request { replications: Some(4), ..only(None) }));
    let fourth: Vec<Row> = four.into_iter().filter(|row| row.replication == 3).collect();
    assert!(!alone.is_empty());
    assert_eq!(alone, fourth);
}

#[test]
fn another_seed_gives_other_rows() {
    let rows_of = |seed| {
        rows(&plan(&Request { seed, point: Some(5.4), replications: Some(2), ..Request::default() }))
            .into_iter()
            .filter(|row| &*row.metric == "throughput")
            .collect::<Vec<_>>()
    };
    let [of_the_file, first, second] = [None, Some(1), Some(2)].map(rows_of);
    assert_eq!(of_the_file, first, "the files say seed = 1");
    assert!(!first.is_empty() && first.len() == second.len());
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(Row { value: 0.0, ..first.clone() }, Row { value: 0.0, ..second.clone() });
        assert_ne!(first.value, second.value, "{} at {} beside {}", first.scheme, first.point, first.beside);
    }
}

#[test]
fn stopping_keeps_what_is_finished_and_whole_replications_first() {
    let plan = plan(&Request { replications: Some(3), ..Request::default() });
    let full = rows(&plan);
    let cells = plan.settings.len();
    let stopped = results_stopped_after(cells + 2, &plan, 1);
    assert_eq!((stopped.finished(), stopped.planned), (cells + 2, 3 * cells));
    let kept = Findings::new(&plan, &stopped).rows;
    let of_replication = |rows: &[Row], replication| -> Vec<Row> {
        rows.iter().filter(|row| row.replication == replication).cloned().collect()
    };
    assert_eq!(of_replication(&kept, 0), of_replication(&full, 0));
    let second = of_replication(&kept, 1);
    assert_eq!(second.iter().map(|row| &row.scheme).collect::<BTreeSet<_>>().len(), 2, "two cells: {second:?}");
    assert!(second.iter().all(|row| full.contains(row)));
    assert!(of_replication(&kept, 2).is_empty());
}

#[test]
fn stopping_at_once_gives_up_the_runs_under_way_and_keeps_the_finished() {
    let plan = plan(&Request { replications: Some(3), ..Request::default() });
    let full = rows(&plan);
    let (stop, finished) = (Cancellation::new(), AtomicUsize::new(0));
    let count = || {
        finished.fetch_add(1, Ordering::SeqCst);
        stop.at_once();
    };
    let stopped = run(&plan, NonZeroUsize::new(4).expect("four"), &stop, count).expect("the worlds can be built");
    assert_eq!(stopped.finished(), finished.load(Ordering::SeqCst));
    assert!((1..=4).contains(&stopped.finished()), "{} runs", stopped.finished());
    assert!(Findings::new(&plan, &stopped).rows.iter().all(|row| full.contains(row)));
}

#[test]
fn stopping_several_threads_lets_each_finish_the_run_under_way() {
    let plan = plan(&Request { replications: Some(3), ..Request::default() });
    let full = rows(&plan);
    for threads in [2, 5] {
        let stopped = results_stopped_after(7, &plan, threads);
        let finished = stopped.finished();
        assert!((7..7 + threads).contains(&finished), "{finished} runs finished on {threads} threads");
        let kept = Findings::new(&plan, &stopped).rows;
        assert!(!kept.is_empty() && kept.iter().all(|row| full.contains(row)), "a row that the full run does not have");
    }
}

#[test]
fn two_figures_that_show_the_same_cell_run_it_once() {
    let throughput = source("fig3");
    let text = throughput.text().replace("file-transfer.throughput", "media.delay");
    let delay = Source::new("delay.toml", text.replace("id = \"fig3\"", "id = \"delay\""));
    let request = Request { replications: Some(1), ..Request::default() };
    let plan_of = |sources: &[&Arc<Source>]| {
        Plan::new(sources.iter().map(|source| shortened(source)).collect(), &request).expect("all cells")
    };
    let (one, both) = (plan_of(&[&throughput]), plan_of(&[&throughput, &delay]));
    assert_eq!(both.runs, one.runs);
    let findings = Findings::new(&both, &results(&both, 2));
    assert_eq!(findings.rows, rows(&one));
    let ids: Vec<&str> = findings.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["monet08-fig3", "monet08-delay"]);
    let means = findings.figures.iter().flat_map(|figure| figure.table.means.iter().flatten());
    assert_eq!(means.filter(|mean| mean.is_some()).count(), 2 * one.settings.len(), "no cell is missing in either");
}

/// Figures 2 and 3 of monet08, with and without contention, of a file so short that all of it takes no second.
#[test]
fn a_point_without_errors_is_one_cell_that_each_curve_shows_under_its_own_errors() {
    let request = Request { replications: Some(1), ..Request::default() };
    let experiments = ["fig2", "fig4"].map(|figure| shortened(&source(figure))).to_vec();
    let schemes = experiments[0].schemes.len();
    let plan = Plan::new(experiments, &request).expect("all cells");
    assert_eq!(plan.runs.len(), (2 * 5 - 1) * schemes, "five points each, of which both share the first");
    let rows = rows(&plan);
    let values = |errors: &str| -> Vec<f64> {
        let free = rows.iter().filter(|row| row.point == 0.0 && &*row.errors == errors && &*row.metric == "throughput");
        free.map(|row| row.value).collect()
    };
    assert_eq!(values("uniform").len(), schemes);
    assert_eq!(values("uniform"), values("two-state"));
}

#[test]
fn how_a_service_would_be_set_up_that_nobody_has_makes_no_second_world() {
    let request = Request { replications: Some(1), ..Request::default() };
    let plain = source("fig2");
    let settings_with = |set: &str| {
        let text = plain.text().replace("\"media.enabled\" = false", &format!("\"media.enabled\" = false, {set}"));
        let changed = Source::new("changed.toml", text);
        let plan = Plan::new(vec![shortened(&plain), shortened(&changed)], &request).expect("all cells");
        plan.settings.len()
    };
    let settings = Plan::new(vec![shortened(&plain)], &request).expect("all cells").settings.len();
    assert_eq!(settings_with("\"services.rlp.window\" = 9"), settings, "its schemes are raw and SR");
    assert_ne!(settings_with("\"services.selective-repeat.window\" = 9"), settings);
}

/// The raw link of monet08 and that of mobimedia07, whose worlds differ only in what their services would be and in what a
/// measurement of the link would be, which neither figure has.
#[test]
fn a_cell_that_two_papers_share_runs_once_and_is_in_the_rows_of_both() {
    let request = Request { replications: Some(1), scheme: Some("raw".to_owned()), ..Request::default() };
    let of_paper = |paper: &str| {
        let name = FigureName { paper: paper.to_owned(), figure: "fig2".to_owned() };
        shortened(&library::experiment(&name).expect("built in"))
    };
    let both = ["monet08", "mobimedia07"].map(of_paper);
    let alone = both.clone().map(|one| rows(&Plan::new(vec![one], &request).expect("all cells")));
    let plan = Plan::new(both.to_vec(), &request).expect("all cells");
    assert_eq!((plan.runs.len(), plan.spared()), (5, 5), "five points, which both papers have");
    assert_eq!(rows(&plan), alone.concat());
}

fn plan(request: &Request) -> Plan {
    let experiments = ["fig2", "fig3"].map(|figure| shortened(&source(figure)));
    Plan::new(experiments.into(), request).expect("the cells exist")
}

fn source(figure: &str) -> Arc<Source> {
    let name = FigureName { paper: "monet08".to_owned(), figure: figure.to_owned() };
    library::experiment(&name).expect("built in")
}

fn shortened(source: &Arc<Source>) -> Experiment {
    let mut experiment = Experiment::read(source, Path::new(""), Effort::Full).expect("no mistakes");
    for point in &mut experiment.points {
        point.scenario.file_transfer.size = Octets::new(200_000);
    }
    experiment
}

fn results(plan: &Plan, threads: usize) -> Results {
    let threads = NonZeroUsize::new(threads).expect("a thread");
    run(plan, threads, &Cancellation::new(), || ()).expect("the worlds can be built")
}

fn rows(plan: &Plan) -> Vec<Row> {
    Findings::new(plan, &results(plan, 2)).rows
}

/// The results of a plan that is stopped as soon as so many runs are finished.
fn results_stopped_after(runs: usize, plan: &Plan, threads: usize) -> Results {
    let (stop, finished) = (Cancellation::new(), AtomicUsize::new(0));
    let count = || {
        if finished.fetch_add(1, Ordering::SeqCst) + 1 == runs {
            stop.after_current_runs();
        }
    };
    run(plan, NonZeroUsize::new(threads).expect("a thread"), &stop, count).expect("the worlds can be built")
}

/// Everything that a run leaves behind, by file name, and as `text` what it prints; judged from three seeds.
fn everything_said(plan: &Plan, claims: &[Claim], threads: usize) -> BTreeMap<String, Vec<u8>> {
    let of_plan = results(plan, threads);
    let mut findings = Judged::new(plan, &of_plan, claims);
    let others = other_seeds::plans(plan, claims, NonZeroU32::MIN.saturating_add(2));
    findings.other_seeds = others.iter().map(|plan| SeedFinding::new(plan, &results(plan, threads), claims)).collect();
    let mut said = written(plan, &findings, &format!("small-{threads}"));
    said.insert("text".to_owned(), findings.to_text(plan).into_bytes());
    said
}

/// Everything that a run leaves behind, by file name.
fn files_written(plan: &Plan, threads: usize) -> BTreeMap<String, Vec<u8>> {
    let claims = claims::read(&library::claims("monet08").expect("built in")).expect("no mistakes");
    written(plan, &Judged::new(plan, &results(plan, threads), &claims), &threads.to_string())
}

fn written(plan: &Plan, findings: &Judged, name: &str) -> BTreeMap<String, Vec<u8>> {
    let header = ReportHeader {
        title: "Twice the same".to_owned(),
        command: "arqway reproduce monet08".to_owned(),
        figure_command: None,
        note: String::new(),
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("determinism-{}-{name}", std::process::id()));
    findings.write(plan, &header, &folder).expect("a folder of our own");
    let files = [folder.join("figures"), folder.clone()].iter().flat_map(|folder| files_in(folder)).collect();
    fs::remove_dir_all(&folder).expect("a folder of our own");
    files
}

fn files_in(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.filter(|path| path.is_file()).map(|path| (name(&path), fs::read(&path).expect("a file"))).collect()
}
