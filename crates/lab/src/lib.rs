//! The laboratory: experiments as data, run in parallel, turned into rows, figures, verdicts and a report.
//!
//! ```text
//!     experiment.toml --+                                       +--> rows.csv, rows.parquet
//!     scenario.toml   --+--> Experiment --> Plan --> run --> rows --> figures
//!                        (all mistakes       cells              +--> verdicts on claims.toml
//!                         at once)                              +--> report.html
//! ```
//!
//! What stands on it has crates of its own: the channel behind a trace (`arqway-fit`), the service that suits a link (`arqway-advise`).
//! One [cell](run::cell) can be run again and looked into: as a [capture](trace::capture) for Wireshark, as a time-[sequence](trace::sequence) plot,
//! as a [timeline](trace::timeline) of the link's rate.
//!
//! Nothing about a particular paper is in the code: a figure of a paper is a file under `experiments/`, its world one
//! under `scenarios/`, what it claims one under `claims/`.

pub mod experiment;
pub mod figure;
pub mod output;
pub mod output_folder;
pub mod quantity;
pub mod report;
pub mod results;
pub mod run;
pub mod schema;
pub mod trace;
pub mod whole_file;
