//! A study of four cells that is over in a moment: what tests of runs, pieces and stopping run.

use crate::experiment::{Effort, Experiment};
use crate::run::plan::{Plan, Request};
use arqway_config::Source;
use std::path::Path;

pub(crate) const STUDY: &str = r#"
[experiment]
id = "study"
replications = 2

[scenario]
base = "monet08"
set = { "file-transfer.size" = "20 kB", "wireless.errors" = { kind = "uniform", loss = "0 %" } }

[sweep]
"wireless.errors.loss" = ["0 %", "5.4 %"]

[[scheme]]
use = "raw"

[[scheme]]
use = "sr:0.9"

[[figure]]
id = "throughput"
y = "file-transfer.throughput"
"#;

/// What is asked by these texts together.
pub(crate) fn plan(texts: &[&str]) -> Plan {
    let read = |text: &&str| {
        Experiment::read(&Source::new("study.toml", *text), Path::new(""), Effort::Full)
            .unwrap_or_else(|m| panic!("{m}"))
    };
    Plan::new(texts.iter().map(read).collect(), &Request::default()).expect("all cells")
}
