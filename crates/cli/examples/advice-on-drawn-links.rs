//! How often `arqway advise` is right: on twenty links drawn at random its advice is held against a full experiment, with all
//! candidates, 30 replications, runs twice as long, and another seed. It takes five minutes on two cores, and prints the table of
//! `docs/advise.md`; it fails where what was advised is significantly worse than the best by more than the 1 % that counts as good,
//! and where tally is that much worse than the best of the other services.
//!
//! ```text
//!     cargo run --release -p arqway --example advice-on-drawn-links            all of them
//!     cargo run --release -p arqway --example advice-on-drawn-links 2 10       the second and the tenth
//! ```

#[path = "../tests/drawn/mod.rs"]
mod drawn;

use arqway_advise::MAX_REPLICATIONS;
use arqway_lab::results::stats::{Summary, summarise};
use drawn::{AS_GOOD, Draw, Found, advice, draw, held_against_all, is_tally};
use std::process::ExitCode;

const HEADS: &str = "| | rate | delay | frame loss rate | advised | best in the full experiment | difference (%) | runs \
                     | best without tally | tally above that (%) |\n\
                     | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

fn main() -> ExitCode {
    let mut random = Draw(2026);
    println!("{HEADS}");
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let mut all = Vec::new();
    for number in 1..=20 {
        let link = draw(&mut random, 1e8, "30 MB");
        if !asked.is_empty() && !asked.contains(&number.to_string()) {
            continue;
        }
        let advice = advice(&link, MAX_REPLICATIONS);
        let runs: usize = advice.results.iter().map(|results| results.finished()).sum();
        let found = held_against_all(&advice, 30);
        let Found { advised, best, other, behind, tally } = &found;
        let (told, behind, above) = (link.told, percent(*behind), percent(*tally));
        println!("| {number} | {told} | {advised} | {best} | {behind} | {runs} | {other} | {above} |");
        all.push(found);
    }
    let count = |is_so: fn(&Found) -> bool| all.iter().filter(|found| is_so(found)).count();
    // By the paired test at 95 %, however little it is.
    let is_worse =
        |found: &Found| found.behind.and_then(|behind| behind.interval()).is_some_and(|(_, high)| high < 0.0);
    let (wrong, tally_behind) = (count(Found::is_wrong), count(|found| high(found.tally) < -AS_GOOD));
    println!(
        "the same: {}; significantly worse at all: {}; by more than 1 %: {wrong}",
        count(|found| found.behind.is_none()),
        count(is_worse)
    );
    let advised: Vec<f64> = all
        .iter()
        .filter(|found| is_tally(&found.advised))
        .filter_map(|found| Some(found.tally?.mean * 100.0))
        .collect();
    let gain = summarise(&advised).map_or(0.0, |gains| gains.mean);
    println!(
        "tally: advised on {}, {gain:.1} % above the best other service there on average; significantly ahead on {}; significantly behind by \
         more than 1 % on {tally_behind}",
        advised.len(),
        count(|found| found.tally.and_then(|above| above.interval()).is_some_and(|(low, _)| low > 0.0)),
    );
    if wrong + tally_behind == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `-1.38 ± 2.05`
fn percent(difference: Option<Summary>) -> String {
    let Some(Summary { mean, half_width, .. }) = difference else { return "the same".to_owned() };
    format!("{:.2} ± {:.2}", mean * 100.0, half_width.unwrap_or(0.0) * 100.0)
}

/// The upper end of a difference's interval.
fn high(difference: Option<Summary>) -> f64 {
    difference.and_then(|difference| difference.interval()).map_or(0.0, |(_, high)| high)
}
