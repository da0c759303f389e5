//! What monet08 is about, held at full length: without contention the longest timeout of Selective Repeat is the worst
//! (Fig. 2), beside media the shortest one collapses (Fig. 3); the adaptive timeout needs no such choice (Figs. 18 to 21),
//! but not TCP's own policy (Figs. 10 to 13). All at 5.4 % of frames lost.

use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::report::findings::Findings;
use arqway_lab::results::stats::{Comparison, compare, summarise};
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::run;
use arqway_papers::library::{self, FigureName};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

/// Roots of the random streams: what the paper found is no accident of one of them.
const SEEDS: [u64; 3] = [1, 2, 3];
const REPLICATIONS: u32 = 12;
const TIMEOUTS: [&str; 5] = ["sr:0.9", "sr:1.0", "sr:1.1", "sr:1.2", "sr:1.3"];

#[test]
fn fig2_no_timeout_is_significantly_above_0_9_s_and_1_3_s_is_significantly_the_worst() {
    let mut of_all_seeds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for seed in SEEDS {
        let throughput = throughput_of("fig2", &TIMEOUTS, seed);
        for timeout in &TIMEOUTS[1..] {
            let versus_shortest = compare(&throughput[timeout], &throughput["sr:0.9"]);
            assert_ne!(versus_shortest, Comparison::Above, "{timeout} versus sr:0.9, seed {seed}: {throughput:?}");
        }
        let ends = compare(&throughput["sr:0.9"], &throughput["sr:1.3"]);
        assert_eq!(ends, Comparison::Above, "sr:0.9 versus sr:1.3, seed {seed}: {throughput:?}");
        throughput.into_iter().for_each(|(timeout, values)| of_all_seeds.entry(timeout).or_default().extend(values));
    }
    // The last two are about 1 % apart: 36 pairs tell them apart for certain, 12 only most of the time.
    for timeout in &TIMEOUTS[..4] {
        let versus_longest = compare(&of_all_seeds[timeout], &of_all_seeds["sr:1.3"]);
        assert_eq!(versus_longest, Comparison::Above, "{timeout} versus sr:1.3: {of_all_seeds:?}");
    }
}

#[test]
fn fig3_1_3_s_is_above_0_9_s_by_a_factor_of_two_to_four() {
    for seed in SEEDS {
        let throughput = throughput_of("fig3", &["sr:0.9", "sr:1.3"], seed);
        let mean = |timeout| summarise(&throughput[timeout]).expect("values").mean;
        let factor = mean("sr:1.3") / mean("sr:0.9");
        assert!((2.0..=4.0).contains(&factor), "a factor of {factor} with seed {seed}: {throughput:?}");
    }
}

/// Figs. 18 to 21: the paper's gains at 5.4 % in percent, and how near ours must come: 5 points or a third.
#[test]
fn figs18_to_21_adaptive_selective_repeat_gains_what_the_paper_says_over_the_raw_link() {
    let gains = [
        ("fig18", "asr:3+2", 76.73),
        ("fig19", "asr:3+2", 45.11),
        ("fig20", "asr:4+0", 13.84),
        ("fig21", "asr:4+0", 15.46),
    ];
    for (figure, adaptive, paper) in gains {
        for seed in SEEDS {
            let throughput = throughput_of(figure, &[adaptive, "raw"], seed);
            assert_eq!(compare(&throughput[adaptive], &throughput["raw"]), Comparison::Above, "{figure}, seed {seed}");
            let mean = |scheme| summarise(&throughput[scheme]).expect("values").mean;
            let gain = 100.0 * (mean(adaptive) / mean("raw") - 1.0);
            let near = f64::max(5.0, paper / 3.0);
            assert!((gain - paper).abs() <= near, "{figure}, seed {seed}: {gain} % instead of {paper} %");
        }
    }
}

/// Figs. 10 to 13: TCP's own policy leaves a timeout too little room, on every kind of link.
#[test]
fn figs10_to_13_the_policy_1_4_is_below_the_papers_choice_and_above_none() {
    let policies = ["asr:1+4", "asr:2+4", "asr:3+2", "asr:4+0", "asr:4+2"];
    for (figure, best) in [("fig10", "asr:3+2"), ("fig11", "asr:3+2"), ("fig12", "asr:4+0"), ("fig13", "asr:4+0")] {
        let throughput = throughput_of(figure, &policies, SEEDS[0]);
        let versus_tcp = |policy| compare(&throughput[policy], &throughput["asr:1+4"]);
        assert_eq!(versus_tcp(best), Comparison::Above, "{figure}: {throughput:?}");
        for policy in &policies[1..] {
            assert_ne!(versus_tcp(policy), Comparison::Below, "{figure}, {policy}: {throughput:?}");
        }
    }
}

/// The throughput of each scheme at 5.4 %, replication by replication.
fn throughput_of(figure: &str, schemes: &[&'static str], seed: u64) -> BTreeMap<&'static str, Vec<f64>> {
    let name = FigureName { paper: "monet08".to_owned(), figure: figure.to_owned() };
    let source = library::experiment(&name).expect("built in");
    let mut experiment = Experiment::read(&source, Path::new(""), Effort::Full).expect("no mistakes");
    experiment.schemes.retain(|scheme| schemes.contains(&scheme.name.as_str()));
    let request =
        Request { seed: Some(seed), replications: Some(REPLICATIONS), point: Some(5.4), ..Request::default() };
    let plan = Plan::new(vec![experiment], &request).expect("the point exists");
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let results = run(&plan, cores, &Cancellation::new(), || ()).expect("the worlds can be built");
    let rows = Findings::new(&plan, &results).rows;
    let values = |scheme: &&'static str| {
        let cell = rows.iter().filter(|row| &*row.metric == "throughput" && &*row.scheme == *scheme);
        let values: Vec<f64> = cell.map(|row| row.value).collect();
        assert_eq!(values.len(), REPLICATIONS as usize, "replications of {scheme}");
        (*scheme, values)
    };
    schemes.iter().map(values).collect()
}
