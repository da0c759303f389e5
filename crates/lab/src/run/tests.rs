//! Which rows a run has.

use crate::experiment::{Effort, Experiment};
use crate::results::rows::Row;
use crate::run::cancellation::Cancellation;
use crate::run::plan::{MOST_RUNS, Plan, Request, RequestError};
use crate::run::run;
use arqway_config::Source;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

fn rows_of(set: &str) -> Vec<Row> {
    rows_of_text(format!(
        "[experiment]\nid = 'apps'\nreplications = 1\n[scenario.set]\nduration = '60 s'\n{set}\n[[scheme]]\nuse = 'raw'\n"
    ))
}

fn rows_of_text(text: String) -> Vec<Row> {
    let experiment = Experiment::read(&Source::new("apps.toml", text), std::path::Path::new(""), Effort::Full);
    let experiment = experiment.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let plan = Plan::new(vec![experiment], &Request::default()).expect("one cell");
    let results = run(&plan, NonZeroUsize::MIN, &Cancellation::new(), || ()).expect("a world");
    results.rows(&plan, 0)
}

fn value(rows: &[Row], app: &str, metric: &str) -> Option<f64> {
    rows.iter().find(|row| (&*row.app, &*row.metric) == (app, metric)).map(|row| row.value)
}

#[test]
fn rows_say_what_runs_beside_an_application_and_over_how_many_connections() {
    let beside = |set: &str| {
        let rows = rows_of(set);
        let apps: BTreeSet<_> =
            rows.iter().map(|row| (row.app.to_string(), row.beside.to_string(), row.connections)).collect();
        apps.into_iter().map(|(app, beside, connections)| format!("{app} {beside} {connections}")).collect::<Vec<_>>()
    };
    let alone = "file-transfer.enabled = false\nweb.enabled = true";
    assert_eq!(beside(alone), ["web none 1"]);
    assert_eq!(beside(&format!("{alone}\nmedia.enabled = true")), ["media web 1", "web media 1"]);
    let everything = "file-transfer.connections = 3\nweb.enabled = true\nmedia.enabled = true";
    assert_eq!(beside(everything), ["file-transfer all 3", "media all 3", "web all 3"]);
}

#[test]
fn greedy_sources_have_their_number_and_their_samples_in_rows() {
    let bulk = "file-transfer.enabled = false\ntcp-bulk = { enabled = true, connections = 5, duration = '20 s', \
                samples = { from = '15 s', until = '15.02 s', every = '10 ms' } }";
    let rows = rows_of(bulk);
    assert!(rows.iter().all(|row| (row.connections, &*row.app, &*row.beside) == (5, "tcp-bulk", "none")));
    let (throughput, share) = (value(&rows, "tcp-bulk", "throughput"), value(&rows, "tcp-bulk", "utilisation"));
    assert!(throughput.zip(share).is_some_and(|(bps, share)| bps == share * 64_000.0 && share > 0.5), "{share:?}");
    let sampled: Vec<&str> = rows
        .iter()
        .map(|row| &*row.metric)
        .filter(|metric| metric.contains('@') && !metric.starts_with("bursts"))
        .collect();
    let expected = ["15", "15.01", "15.02"].map(|at| ["window", "sent", "acknowledged"].map(|of| format!("{of}@{at}")));
    assert_eq!(sampled, expected.as_flattened());
    let beside = rows_of("tcp-bulk = { enabled = true, connections = 5 }");
    assert!(beside.iter().all(|row| row.connections == 6), "with the file");
    assert_eq!(value(&beside, "tcp-bulk", "node-drops"), None);
}

#[test]
fn the_variant_of_rows_is_what_the_experiment_and_then_the_scheme_changes_in_the_world() {
    let rows = rows_of_text(
        "[experiment]\nid = 'fig'\nreplications = 1\nvariant = 'forwarding-node'\n[scenario]\nbase = 'shikama06'\n\
         set = { 'forwarding-node.enabled' = true, 'tcp-bulk.duration' = '5 s' }\n\
         [[scheme]]\nuse = 'raw'\n\
         [[scheme]]\nuse = 'raw'\nvariant = 'buffer=10'\nworld = { 'forwarding-node.queue' = { packets = 10 } }\n\
         [[scheme]]\nuse = 'raw'\nvariant = 'wired-loss=0.5'\nworld = { 'wired.loss' = '50 %' }\n"
            .to_owned(),
    );
    let of = |variant: &str| -> Vec<Row> { rows.iter().filter(|row| &*row.variant == variant).cloned().collect() };
    let variants = ["forwarding-node", "forwarding-node buffer=10", "forwarding-node wired-loss=0.5"];
    let throughput = variants.map(|variant| value(&of(variant), "tcp-bulk", "throughput").expect(variant));
    assert!(throughput[2] < throughput[0] / 2.0, "each ran in its own world: {throughput:?}");
    assert_eq!(rows.len(), variants.iter().map(|variant| of(variant).len()).sum::<usize>());
}

#[test]
fn every_metric_of_greedy_sources_has_a_name_for_figures() {
    let rows = rows_of(
        "file-transfer.enabled = false\ntcp-bulk = { enabled = true, samples = { from = '0 s', until = '1 s', every = '1 s' } }\nforwarding-node.enabled = true\nwired.loss = '2 %'\n\
         wireless = { rate = '5 Mbit/s', errors = { kind = 'uniform', loss = '2 %' } }",
    );
    let names: Vec<String> = rows.iter().map(|row| format!("{}.{}", row.app, row.metric)).collect();
    let known = |name: &str| crate::quantity::Quantity::of(name.split('@').next().unwrap_or(name));
    for name in &names {
        let along = known(name).unwrap_or_else(|| panic!("{name}")).along;
        assert_eq!(along.is_some(), name.contains('@'), "{name}");
    }
    let known = crate::quantity::Quantity::names().into_iter().filter(|name| name.starts_with("tcp-bulk."));
    for name in known {
        let measured = |row: &String| row.split('@').next() == Some(name);
        assert!(names.iter().any(measured), "{name} is never measured");
    }
}

#[test]
fn a_delay_with_deviations_on_top_has_its_mean_beside_it() {
    let media = |deviations: &str| rows_of(&format!("media = {{ enabled = true, delay-deviations = {deviations} }}"));
    let (none, one, two) = (media("0"), media("1"), media("2"));
    let [mean, more, most] = [&none, &one, &two].map(|rows| value(rows, "media", "delay").expect("a delay"));
    assert!(more > mean && ((most - more) - (more - mean)).abs() < 1e-9, "{mean}, {more}, {most}");
    let beside = [&none, &one, &two].map(|rows| value(rows, "media", "delay-mean"));
    assert_eq!(beside, [None, Some(mean), Some(mean)]);
}

#[test]
fn rows_have_what_services_did_only_where_a_figure_asks_for_it_and_are_otherwise_the_same() {
    let rows_with = |figures: &str| {
        rows_of_text(format!(
            "[experiment]\nid = 'services'\nreplications = 1\n[scenario.set]\nduration = '60 s'\nmedia.enabled = true\n\
             'link-layer.classes' = [{{ name = 'media', protocol = 'udp', service = 'xor-fec' }}]\n\
             [[scheme]]\nuse = 'sr'\n[[figure]]\nid = 'file'\ny = 'file-transfer.throughput'\n{figures}"
        ))
    };
    let plain = rows_with("");
    let (services, rest): (Vec<Row>, Vec<Row>) =
        rows_with("[[figure]]\nid = 'loss'\ny = 'service.loss'\nservice = 'media'\n")
            .into_iter()
            .partition(|row| &*row.app == "service");
    assert_eq!(plain, rest);
    let names: Vec<&str> = services.iter().map(|row| &*row.metric).collect();
    let metrics = ["goodput", "loss", "delay", "effective-goodput", "delivered", "resent"];
    let expected = ["default", "media"].map(|name| metrics.map(|metric| format!("{metric}@{name}")));
    assert_eq!(names, expected.as_flattened(), "without shares there is no throughput");
    assert!(services.iter().all(|row| &*row.beside == "all"));
    assert_eq!(value(&services, "service", "loss@media"), Some(0.0));
    // A packet of 250 octets has a tag and a number; each twelve have a parity.
    let goodput = value(&services, "service", "goodput@media").expect("packets");
    assert!((0.90..250.0 / 252.0).contains(&goodput), "{goodput}");
}

#[test]
fn every_metric_of_a_browser_has_a_name_for_figures() {
    let rows = rows_of("file-transfer.enabled = false\nweb.enabled = true\nmedia.enabled = true");
    assert!(value(&rows, "web", "transactions") > Some(1.0) && value(&rows, "web", "response-p95") > Some(0.1));
    for row in rows {
        let name = format!("{}.{}", row.app, row.metric);
        assert!(crate::quantity::Quantity::of(&name).is_some(), "{name}");
    }
}

#[test]
fn a_study_of_more_runs_than_fit_into_memory_is_refused_before_they_are_planned() {
    let planned = |replications: u32, request: Request| {
        let text = format!("[experiment]\nid = 'many'\nreplications = {replications}\n[[scheme]]\nuse = 'raw'\n");
        let experiment = Experiment::read(&Source::new("many.toml", text), std::path::Path::new(""), Effort::Full);
        Plan::new(vec![experiment.expect("an experiment")], &request).map(|plan| plan.runs.len())
    };
    assert_eq!(planned(1_000_000, Request::default()), Ok(1_000_000));
    let most = u32::try_from(MOST_RUNS).expect("a million");
    assert_eq!(planned(most + 1, Request::default()), Err(RequestError::Runs { runs: MOST_RUNS + 1 }));
    let asked = Request { replications: Some(u32::MAX), replication: Some(3), ..Request::default() };
    assert_eq!(planned(1, asked), Err(RequestError::Runs { runs: u32::MAX.into() }), "also of one of them");
}
