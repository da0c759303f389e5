//! The files under `experiments/`, `scenarios/` and `claims/`: all can be read, they agree with each other, and each
//! says only what belongs there: a paper's world stands once, in its scenario, and a figure's file has only what
//! distinguishes the figure.

use arqway_config::{Mistakes, Node, Source, Table, parse};
use arqway_lab::experiment::scenarios;
use arqway_lab::experiment::{Effort, Experiment, Files, Scheme};
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::partial::Task;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::run;
use arqway_papers::claims::{self, Cell, Claim, Record};
use arqway_papers::library::{self, FigureName};
use arqway_papers::{Judged, modern_tcp, sensitivity};
use arqway_sim::channel::Direction;
use arqway_units::{Octets, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[test]
fn every_file_under_experiments_scenarios_and_claims_can_be_read() {
    let mut mistakes = Mistakes::new();
    for path in files("experiments") {
        mistakes.extend(mistakes_in(&source(&path), path.parent().expect("a folder")));
    }
    for path in files("scenarios") {
        let base = path.file_stem().expect("a name").to_string_lossy();
        let text = format!("[experiment]\nid = \"{base}\"\n[scenario]\nbase = \"{base}\"\n[[scheme]]\nuse = \"raw\"\n");
        mistakes.extend(mistakes_in(&Source::new("any.toml", text.as_str()), Path::new("")));
    }
    for path in files_of_claims() {
        mistakes.extend(claims::read(&source(&path)).err().unwrap_or_default());
    }
    assert!(mistakes.is_empty(), "{mistakes}");
}

/// What is wrong with an experiment, in full or quick. A world need not say what is quick.
fn mistakes_in(source: &Arc<Source>, folder: &Path) -> Mistakes {
    let [full, quick] =
        [Effort::Full, Effort::Quick].map(|effort| Experiment::read(source, folder, effort).err().unwrap_or_default());
    let says_nothing_of_quick = quick.to_string().contains("a quick run needs `[quick]`");
    if full.is_empty() && !says_nothing_of_quick { quick } else { full }
}

#[test]
fn every_figure_can_be_read_in_the_world_of_today_and_in_that_of_every_alternative() {
    let mut mistakes = Mistakes::new();
    for paper in library::papers().expect("a list") {
        let figures = library::figures().into_iter().filter(|name| name.paper == paper.id);
        let sources: Vec<_> = figures.filter_map(|name| library::experiment(&name)).collect();
        let mut overlays = Vec::new();
        overlays.extend(modern_tcp::overlay(&paper.id).unwrap_or_else(|mistakes| panic!("{mistakes}")));
        assert_eq!(overlays.len(), usize::from(!sources.is_empty()), "{} has no [today]", paper.id);
        if let Some((asked, scenario)) = library::sensitivity(&paper.id).zip(scenarios::scenario(&paper.id)) {
            let questions = sensitivity::read(&asked, &scenario).unwrap_or_else(|mistakes| panic!("{mistakes}"));
            let all = questions.overlays(&questions.quick).into_iter().map(|(_, _, overlay)| overlay);
            overlays.extend(all);
        }
        for (source, overlay) in sources.iter().flat_map(|source| overlays.iter().map(move |overlay| (source, overlay)))
        {
            let found = Experiment::read_over(source, &Files::default(), Effort::Quick, overlay);
            mistakes.extend(found.err().unwrap_or_default());
        }
    }
    assert!(mistakes.is_empty(), "{mistakes}");
}

#[test]
fn the_first_example_of_an_experiment_can_be_read() {
    let page = include_str!("../../../docs/experiments.md");
    let example = page.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```")).expect("an example").0;
    let study = Experiment::read(&Source::new("experiments.md", example), Path::new(""), Effort::Full);
    assert_eq!(study.unwrap_or_else(|mistakes| panic!("{mistakes}")).points.len(), 4);
}

#[test]
fn every_figure_of_a_paper_is_asked_for_by_the_name_of_its_file() {
    let names = library::figures();
    let built_in = names.iter().map(|name| format!("{}/{}.toml", name.paper, name.figure)).collect::<BTreeSet<_>>();
    let root = repository().join("experiments");
    let below_root = |path: PathBuf| path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
    let on_disk = files("experiments").into_iter().map(below_root).filter(|path| path.contains('/'));
    assert_eq!(built_in, on_disk.collect());
    for name in names {
        let experiment = figure(&name);
        let expected = (format!("{}-{}", name.paper, name.figure), name.paper.clone());
        assert_eq!((experiment.id.clone(), experiment.paper.clone()), expected);
        let drawn: Vec<&str> = experiment.figures.iter().map(|figure| figure.id.as_str()).collect();
        assert!(drawn.contains(&name.figure.as_str()), "{} does not draw the figure of its name", experiment.id);
    }
}

#[test]
fn every_claim_has_an_id_of_its_own_that_names_paper_and_figure() {
    let mut ids = BTreeSet::new();
    for (paper, claim) in all_claims() {
        let parts: Vec<&str> = claim.about.id.split('.').collect();
        assert!(parts.len() >= 2 && parts[0] == paper, "{} stands in claims/{paper}.toml", claim.about.id);
        assert!(ids.insert(claim.about.id.clone()), "two claims are called {}", claim.about.id);
    }
}

#[test]
fn a_claim_on_a_figure_speaks_of_cells_of_that_figure() {
    for (claim, experiments) in claims_on_built_figures() {
        let id = &claim.about.id;
        for cell in claim.cells() {
            let shown = |experiment: &Experiment| {
                let is_cells = |known: &Scheme| {
                    known.name == cell.scheme && experiment.variant_of(known) == cell.place.variant.as_str()
                };
                let has_scheme = experiment.schemes.iter().any(is_cells);
                has_scheme && experiment.points.iter().any(|point| point.value == cell.point)
            };
            let (Cell { scheme, point, .. }, variant) = (cell, &cell.place.variant);
            assert!(experiments.iter().any(shown), "{id} speaks of {scheme} {variant} at {point}: no figure shows it");
        }
    }
}

#[test]
fn a_claim_on_a_figure_is_decided_by_the_rows_of_that_figure() {
    let mut figures: BTreeMap<String, (Vec<Experiment>, Vec<Claim>)> = BTreeMap::new();
    for (claim, experiments) in claims_on_built_figures() {
        figures.entry(experiments[0].id.clone()).or_insert((experiments, Vec::new())).1.push(claim);
    }
    for (id, (mut experiments, claims)) in figures {
        for point in experiments.iter_mut().flat_map(|experiment| &mut experiment.points) {
            // Some ten seconds: nobody has said anything yet when a shorter file is there.
            let rate = point.scenario.wireless.rate(Direction::Down).mean().as_bits_per_second();
            point.scenario.file_transfer.size = Octets::new(rate * 10 / 8);
            // Nor has a greedy source timed out that soon: it has a minute at 5 Mbit/s, and less at more.
            point.scenario.tcp_bulk.duration = Span::from_seconds(60.0 * (5e6 / rate as f64).min(1.0));
            point.scenario.duration = point.scenario.duration.min(Span::from_milliseconds(60_000));
        }
        // A look at one connection is cheap, and rare is what it looks for.
        let looks_at_one =
            experiments.iter().any(|experiment| experiment.points[0].scenario.tcp_bulk.samples.is_some());
        let request = Request { replications: Some(if looks_at_one { 6 } else { 2 }), ..Request::default() };
        let plan = Plan::new(experiments, &request).expect("all cells");
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let results = run(&plan, cores, &Cancellation::new(), || ()).expect("the worlds can be built");
        let findings = Judged::new(&plan, &results, &claims);
        for judgement in &findings.judgements {
            // Pairs may be open where two runs of a few packets are all there is; missing rows are told as such.
            let lacking = ["no rows", "no two replications"].iter().any(|words| judgement.note.contains(words));
            assert!(!lacking, "{} by the rows of {id}: {}", judgement.claim.about.id, judgement.note);
        }
    }
}

#[test]
fn every_world_that_is_built_in_can_be_sent_and_is_the_same_there() {
    for name in library::figures() {
        let source = library::experiment(&name).expect("built in");
        let experiment = Experiment::read(&source, Path::new(""), Effort::Full).expect("no mistakes");
        let plan =
            Plan::new(vec![experiment], &Request { replications: Some(1), ..Request::default() }).expect("cells");
        let task = Task::new(&plan, &plan.runs).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        let there = Task::from_bytes(&task.to_bytes()).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        assert!(there.is_that_of(&plan), "{name:?}");
    }
}

#[test]
fn what_is_recorded_is_about_claims_that_exist() {
    let ids: BTreeSet<String> = all_claims().into_iter().map(|(_, claim)| claim.about.id).collect();
    for paper in library::papers().expect("a list") {
        let Some(source) = library::recorded(&paper.id) else { continue };
        let record = Record::read(&source).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let gone: Vec<&str> = record.ids().filter(|id| !ids.contains(*id)).collect();
        assert!(gone.is_empty(), "claims/recorded/{}.toml records {gone:?}", paper.id);
    }
}

#[test]
fn a_figures_file_sets_only_what_the_papers_figure_sets() {
    for name in library::figures() {
        let misplaced = misplaced(&name.paper, &library::experiment(&name).expect("built in"));
        assert!(misplaced.is_empty(), "{}/{}.toml has {misplaced:#?}", name.paper, name.figure);
    }
}

#[test]
fn what_belongs_into_a_papers_world_is_found_in_a_figures_file() {
    let figure = |set: &str, sweep: &str, scheme: &str| {
        let base = "[experiment]\nid = \"monet08-fig9\"\n[scenario]\nbase = \"monet08\"\n";
        let text = format!("{base}set = {{ {set} }}\n[sweep]\n\"{sweep}\" = [1]\n[[scheme]]\n{scheme}\n");
        misplaced("monet08", &Source::new("doctored.toml", text))
    };
    let (set, sweep, scheme) = ("\"media.enabled\" = true", "wireless.errors.loss", "use = \"raw\"");
    assert_eq!(figure(set, sweep, scheme), [""; 0]);
    assert_eq!(figure("\"services.rlc-am.profile\" = \"umts-two-state\"", sweep, scheme), [""; 0]);
    for set in ["\"tcp.maximum-window\" = 20", "\"media.rate\" = \"9 kbit/s\"", "media.enabled = true", "wireless = {}"]
    {
        let path = set.split([' ', '.']).next().expect("a word").trim_matches('"');
        let found = figure(set, sweep, scheme);
        assert!(found.len() == 1 && found[0].contains(path), "{set} goes unnoticed: {found:?}");
    }
    assert_eq!(figure(set, "wireless.rate", scheme), ["the sweep `wireless.rate`"]);
    let written_out = "label = \"Raw\"\nservice = \"raw\"";
    assert_eq!(figure(set, sweep, written_out), ["a scheme that is no short form"]);
    for path in ["rejects", "\"estimator.smoothing.arithmetic\"", "window"] {
        let changed = format!("use = \"sr:1.1\"\nvariant = \"changed\"\nset = {{ {path} = 1 }}");
        let told = format!("a scheme that sets `{}`", path.trim_matches('"'));
        assert_eq!(figure(set, sweep, &changed), [told], "only some sections change a scheme");
    }
    for path in ["media.enabled", "wired.rate"] {
        let changed = format!("use = \"raw\"\nvariant = \"changed\"\nworld = {{ \"{path}\" = 1 }}");
        let told = format!("a scheme that sets `{path}` in the world");
        assert_eq!(figure(set, sweep, &changed), [told], "only where two worlds are compared");
    }
    let elsewhere = Source::new("doctored.toml", "[experiment]\nid = \"x\"\n[scenario]\nbase = \"clean\"\n");
    assert_eq!(misplaced("monet08", &elsewhere), ["another base than monet08"]);
}

/// What a figure's file has and its paper's scenario ought to have.
fn misplaced(paper: &str, source: &Arc<Source>) -> Vec<String> {
    let tree = parse(source, &mut Mistakes::new()).expect("TOML");
    let paths = |of: &str| -> Vec<String> {
        let table = tree.get_path(of).and_then(Node::as_table);
        table.into_iter().flat_map(Table::iter).map(|(path, _)| path.to_owned()).collect()
    };
    let mut misplaced = Vec::new();
    if tree.get_path("scenario.base").and_then(Node::as_text) != Some(paper) {
        misplaced.push(format!("another base than {paper}"));
    }
    for (part, what) in [("scenario.set", "the setting"), ("sweep", "the sweep")] {
        let wrong = paths(part).into_iter().filter(|path| !distinguishes_figures(paper, path));
        misplaced.extend(wrong.map(|path| format!("{what} `{path}`")));
    }
    let schemes = tree.get_path("scheme").and_then(Node::as_array).unwrap_or_default();
    let set = schemes.iter().filter_map(|scheme| scheme.get_path("set").and_then(Node::as_table)).flat_map(Table::iter);
    let figure = tree.get_path("experiment.id").and_then(Node::as_text).unwrap_or_default();
    let wrong = set.filter(|(path, _)| !section_compares(figure, path));
    misplaced.extend(wrong.map(|(path, _)| format!("a scheme that sets `{path}`")));
    let changed =
        schemes.iter().filter_map(|scheme| scheme.get_path("world").and_then(Node::as_table)).flat_map(Table::iter);
    let wrong = changed.filter(|(path, _)| !compares_worlds(figure, path));
    misplaced.extend(wrong.map(|(path, _)| format!("a scheme that sets `{path}` in the world")));
    // A receiver that delays its duplicates is not a service: the scheme says what it goes with.
    let delays = |scheme: &Node| {
        let world = scheme.get_path("world").and_then(Node::as_table);
        world.into_iter().flat_map(Table::iter).any(|(path, _)| path == "tcp.duplicate-acknowledgements")
    };
    let written_out = schemes.iter().filter(|scheme| scheme.get_path("use").is_none() && !delays(scheme));
    misplaced.extend(written_out.map(|_| "a scheme that is no short form".to_owned()));
    misplaced
}

/// Within a paper, figures differ in the application, in what shares the link, in its errors, and in which of the columns of
/// monet08's Table I goes with these; in nothing else. Those of shikama06 have two networks, links of two rates and losses on
/// the wire besides; and a look at one connection over time is a matter of what is measured.
fn distinguishes_figures(paper: &str, path: &str) -> bool {
    let exactly = ["channel.enabled", "file-transfer.enabled", "media.enabled", "web.enabled", "wireless.errors"];
    let networks =
        ["wireless.rate", "wireless.delay", "wired.rate", "wired.delay", "wired.loss", "forwarding-node.enabled"];
    let users = ["tcp-bulk.connections", "tcp-bulk.samples"];
    exactly.contains(&path)
        || path.starts_with("wireless.errors.")
        || path == "services.rlc-am.profile"
        || (paper == "shikama06" && (networks.contains(&path) || users.contains(&path)))
}

/// Sections IV and V of monet08, V of aina06 and 4.6 of shikama06 compare what is not a scheme of their figures.
fn section_compares(figure: &str, path: &str) -> bool {
    let of_figures = [
        ("monet08-secIV", "rejects"),
        ("monet08-secV", "estimator.smoothing.arithmetic"),
        ("aina06-secV", "estimator.initial-srtt"),
        ("aina06-secV", "estimator.initial-timeout"),
        ("aina06-secV-two-state", "estimator.initial-srtt"),
        ("aina06-secV-two-state", "estimator.initial-timeout"),
        ("shikama06-sec4-6", "resequencing"),
    ];
    of_figures.contains(&(figure, path))
}

/// Three papers say of all their figures that another wire changes no conclusion; shikama06 compares buffers of a node, how many
/// connections there are, and receivers that delay their duplicates.
fn compares_worlds(figure: &str, path: &str) -> bool {
    let of_figures = [
        ("shikama06-fig11", "tcp.duplicate-acknowledgements"),
        ("shikama06-fig12", "tcp.duplicate-acknowledgements"),
        ("shikama06-fig14", "forwarding-node.queue"),
        ("shikama06-fig15", "tcp-bulk.connections"),
        ("shikama06-sec4-6", "tcp.maximum-burst"),
        ("shikama06-sec4-6", "tcp.pacing"),
    ];
    of_figures.contains(&(figure, path))
        || (figure.contains("slow-wire") && ["wired.rate", "wired.delay"].contains(&path))
}

fn figure(name: &FigureName) -> Experiment {
    let source = library::experiment(name).expect("built in");
    Experiment::read(&source, Path::new(""), Effort::Full).expect("no mistakes")
}

/// Every claim, with the paper in whose file it stands.
fn all_claims() -> Vec<(String, Claim)> {
    let of_file = |path: PathBuf| {
        let paper = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let claims = claims::read(&source(&path)).expect("no mistakes");
        claims.into_iter().map(move |claim| (paper.clone(), claim))
    };
    files_of_claims().into_iter().flat_map(of_file).collect()
}

/// The files of claims, without what is recorded of them.
fn files_of_claims() -> Vec<PathBuf> {
    files("claims")
        .into_iter()
        .filter(|path| !path.parent().is_some_and(|folder| folder.ends_with("recorded")))
        .collect()
}

/// The claims whose figure can be made, each with the experiments that `arqway reproduce` runs for that figure.
fn claims_on_built_figures() -> Vec<(Claim, Vec<Experiment>)> {
    let figures = library::figures();
    let with_figure = |(paper, claim): (String, Claim)| {
        let name = figures.iter().find(|name| name.paper == paper && name.figure == claim.figure())?;
        let mut experiments = vec![figure(name)];
        let read = experiments[0].reads.clone().into_iter();
        experiments.extend(read.map(|figure_read| figure(&FigureName { paper: paper.clone(), figure: figure_read })));
        Some((claim, experiments))
    };
    let claims: Vec<_> = all_claims().into_iter().filter_map(with_figure).collect();
    assert!(!claims.is_empty(), "no claim is on a figure that can be made");
    claims
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The TOML files of a folder and those below it.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![repository().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "{folder} is empty");
    files
}

/// A file under its path in the repository.
fn source(path: &Path) -> Arc<Source> {
    let name = path.strip_prefix(repository()).expect("below").to_string_lossy();
    Source::new(name, fs::read_to_string(path).expect("a text"))
}
