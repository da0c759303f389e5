//! How often `arqway advise` is right: on twenty links drawn at random its advice is held against a full experiment, with all
//! candidates, 30 replications, runs twice as long, and another seed. It takes five minutes on two cores, and prints the table of
//! `docs/advise.md`; it fails where what was advised is significantly worse than the best by more than the 1 % that counts as good.
//!
//! ```text
//!     cargo run --release -p arqway --example advice-on-drawn-links            all of them
//!     cargo run --release -p arqway --example advice-on-drawn-links 2 10       the second and the tenth
//! ```

#[path = "../tests/drawn/mod.rs"]
mod drawn;

use arqway_advise::MAX_REPLICATIONS;
use arqway_lab::results::stats::Summary;
use drawn::{Draw, advice, draw, held_against_all};
use std::process::ExitCode;

const HEADS: &str = "| | rate | delay | lost | advised | best in the full experiment | difference (%) | runs |\n\
                     | --- | --- | --- | --- | --- | --- | --- | --- |";

fn main() -> ExitCode {
    let mut random = Draw(2026);
    println!("{HEADS}");
    let (mut same, mut worse, mut wrong) = (0, 0, Vec::new());
    let asked: Vec<String> = std::env::args().skip(1).collect();
    for number in 1..=20 {
        let link = draw(&mut random, 1e8, "30 MB");
        if !asked.is_empty() && !asked.contains(&number.to_string()) {
            continue;
        }
        let advice = advice(&link, MAX_REPLICATIONS);
        let runs: usize = advice.results.iter().map(|results| results.finished()).sum();
        let found = held_against_all(&advice, 30);
        let percent =
            |behind: Summary| format!("{:.2} ± {:.2}", behind.mean * 100.0, behind.half_width.unwrap_or(0.0) * 100.0);
        let behind = found.behind.map_or_else(|| "the same".to_owned(), percent);
        println!("| {number} | {} | {} | {} | {behind} | {runs} |", link.told, found.advised, found.best);
        same += u32::from(found.behind.is_none());
        // By the paired test at 95 %, however little it is.
        worse += u32::from(found.behind.and_then(|behind| behind.interval()).is_some_and(|(_, high)| high < 0.0));
        if found.is_wrong() {
            wrong.push(link.told);
        }
    }
    println!("the same: {same}; significantly worse at all: {worse}; by more than 1 %: {}", wrong.len());
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
