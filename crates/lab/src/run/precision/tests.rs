use super::*;
use crate::run::small_study::{STUDY, plan};
use crate::run::{run, run_these};
use std::num::NonZeroUsize;

fn until(plan: &mut Plan, percent: f64, threads: usize) -> (Results, Vec<UnsettledMean>) {
    let share = Ratio::new(percent / 100.0).expect("a share");
    let threads = NonZeroUsize::new(threads).expect("a thread");
    until_stopped(plan, share, threads, &Cancellation::new())
}

fn until_stopped(
    plan: &mut Plan,
    share: Ratio,
    threads: NonZeroUsize,
    stop: &Cancellation,
) -> (Results, Vec<UnsettledMean>) {
    let run = |plan: &Plan, runs: &[Run]| run_these(plan, runs, threads, stop, || {});
    run_to_precision(plan, share, stop, |_| {}, |_| {}, run).expect("worlds")
}

/// The replications of each setting: by point, then scheme.
fn replications(plan: &Plan) -> Vec<u32> {
    plan.settings.iter().map(|setting| setting.replications).collect()
}

#[test]
fn every_interval_is_within_the_share_and_the_schemes_of_a_point_stay_paired() {
    let mut plan = plan(&[STUDY]);
    let (results, wide) = until(&mut plan, 5.0, 2);
    assert_eq!(wide, []);
    assert_eq!(results.finished(), results.planned);
    let counts = replications(&plan);
    assert_eq!((counts[0], counts[2]), (counts[1], counts[3]), "all schemes of a point go on together");
    assert!(counts[2] > counts[0], "without errors nothing varies: {counts:?}");
    for (setting, count) in counts.iter().enumerate() {
        let rows = results.rows_of_setting(&plan, setting, plan.settings[setting].uses[0]);
        let throughput = rows.iter().filter(|row| &*row.metric == "throughput").map(|row| row.value);
        let mean = summarise(&throughput.collect::<Vec<_>>()).expect("values");
        assert_eq!(mean.n as u32, *count);
        assert!(half_width_as_share(&mean) <= 0.05, "{mean:?}");
    }
}

#[test]
fn nothing_is_added_where_the_first_replications_are_enough() {
    let mut plan = plan(&[&STUDY.replace("replications = 2", "replications = 40")]);
    let (results, _) = until(&mut plan, 99.0, 2);
    assert_eq!((results.planned, replications(&plan)), (160, vec![40; 4]));
}

#[test]
fn how_many_are_added_does_not_depend_on_threads() {
    let (mut one, mut five) = (plan(&[STUDY]), plan(&[STUDY]));
    let (of_one, of_five) = (until(&mut one, 8.0, 1).0, until(&mut five, 8.0, 5).0);
    assert_eq!(one.runs, five.runs);
    assert_eq!(of_one.rows(&one, 0), of_five.rows(&five, 0));
}

#[test]
fn points_of_two_figures_that_share_a_cell_go_on_together() {
    let other = STUDY.replace("\"study\"", "\"other\"").replace("use = \"sr:0.9\"", "use = \"sr:1.3\"");
    let mut plan = plan(&[STUDY, &other]);
    assert_eq!(plan.settings.len(), 6, "raw is one cell for both");
    until(&mut plan, 5.0, 2);
    let at_errors: Vec<u32> = plan
        .settings
        .iter()
        .filter(|setting| setting.uses.iter().any(|shown| shown.point == 1))
        .map(|setting| setting.replications)
        .collect();
    assert_eq!(at_errors.len(), 3);
    assert!(at_errors.iter().all(|count| *count == at_errors[0]), "{at_errors:?}");
}

#[test]
fn what_cannot_be_settled_is_told_after_the_first_replications_and_not_waited_for() {
    let mut plan = plan(&[&STUDY.replace("replications = 2", "replications = 10").replace("20 kB", "1 kB")]);
    let share = Ratio::new(0.00001).expect("a share");
    let mut told = Vec::new();
    let run = |plan: &Plan, runs: &[Run]| run_these(plan, runs, NonZeroUsize::MIN, &Cancellation::new(), || {});
    let out_of_reach = |means: &[UnsettledMean]| told.extend(means.iter().map(ToString::to_string));
    let (results, wide) =
        run_to_precision(&mut plan, share, &Cancellation::new(), |_| {}, out_of_reach, run).expect("worlds");
    assert_eq!((results.planned, replications(&plan)), (40, vec![10; 4]), "nothing is added");
    assert!(!told.is_empty() && told.len() == wide.len(), "{told:?}");
    let first = &told[0];
    assert!(first.starts_with("study: file-transfer.throughput of raw at 5.4 is known to "), "{first}");
    assert!(first.contains(" % after 10 replications; it would take about "), "{first}");
}

#[test]
fn the_runs_that_are_expected_are_those_that_are_run_in_the_end() {
    let mut plan = plan(&[&STUDY.replace("replications = 2", "replications = 20")]);
    let share = Ratio::new(0.02).expect("a share");
    let expected = std::cell::RefCell::new(Vec::new());
    let run = |plan: &Plan, runs: &[Run]| run_these(plan, runs, NonZeroUsize::MIN, &Cancellation::new(), || {});
    let planned = |runs| expected.borrow_mut().push(runs);
    run_to_precision(&mut plan, share, &Cancellation::new(), planned, |_| {}, run).expect("worlds");
    let (expected, in_the_end) = (expected.into_inner(), plan.runs.len() as u64);
    assert_eq!(expected.last(), Some(&in_the_end), "{expected:?}");
    let first = expected[0];
    assert!(first > 80 && first.abs_diff(in_the_end) * 2 < in_the_end, "from the start about right: {expected:?}");
}

fn stopped() -> Cancellation {
    let stop = Cancellation::new();
    stop.after_current_runs();
    stop
}

#[test]
fn stopping_adds_nothing() {
    let mut plan = plan(&[STUDY]);
    let share = Ratio::new(0.001).expect("a share");
    let (results, _) = until_stopped(&mut plan, share, NonZeroUsize::MIN, &stopped());
    assert_eq!((results.finished(), plan.runs.len()), (0, 8));
}

#[test]
fn a_quantity_that_two_figures_draw_is_told_once() {
    let wide_means = |text: &str| {
        let plan = plan(&[text]);
        let results = run(&plan, NonZeroUsize::MIN, &Cancellation::new(), || {}).expect("worlds");
        wide(&plan, &results, Ratio::ZERO)
    };
    let again = "\n[[figure]]\nid = \"again\"\ny = \"file-transfer.throughput\"\n";
    let once = wide_means(STUDY);
    assert!(!once.is_empty());
    assert_eq!(wide_means(&format!("{STUDY}{again}")), once);
}

#[test]
fn a_mean_of_a_single_value_is_told_as_what_is_not_known() {
    let cell = ("study".to_owned(), "raw".to_owned(), 5.4);
    let single = UnsettledMean {
        setting: 0,
        cell,
        quantity: "channel.burst".to_owned(),
        share: f64::INFINITY,
        replications: 10,
        needed: 20.0,
    };
    assert_eq!(single.to_string(), "study: channel.burst of raw at 5.4 is not known at all");
}
