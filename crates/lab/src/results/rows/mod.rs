//! Tidy result rows: one metric of one cell a row, written as CSV and as Parquet.
//!
//! Everything the laboratory says later (figures, claims, reports) is a query over these rows, and notebooks read the same
//! two files. Column names and their order are a promise; see `COLUMNS`. Both writers are pure functions of their arguments:
//! equal rows give equal bytes.

mod column;
mod csv;
mod means;
mod parquet;

use std::sync::Arc;

pub use column::{COLUMNS, Column, Values};
pub use csv::write_csv;
pub use means::{Mean, means};
pub use parquet::write_parquet;

/// One metric of one cell.
///
/// The words are shared (`Arc<str>`), because a sweep repeats the same few dozen of them in every one of its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The paper, or the experiment's id.
    pub paper: Arc<str>,
    /// The application measured: `file-transfer`, `web`, `media`, `tcp-bulk`, `channel`.
    pub app: Arc<str>,
    /// The error model of the curve: `none`, `uniform`, `two-state`, `four-state`, `bit`, `ber`.
    pub errors: Arc<str>,
    /// What else uses the link: `none`, `media`, `file-transfer`, `web`, `all`.
    pub beside: Arc<str>,
    /// The rate of the lossy link, in bit/s.
    pub rate_bps: u64,
    /// How many TCP connections there are.
    pub connections: u32,
    /// The swept value: a frame loss rate in percent, a bit error rate, octets between corruptions.
    pub point: f64,
    /// Short form of the scheme: `raw`, `sr:1.1`, `rlc:2`.
    pub scheme: Arc<str>,
    /// What this cell changes in the paper's world; empty in the plain one.
    pub variant: Arc<str>,
    /// Which replication of the cell this is.
    pub replication: u32,
    /// What was measured: `throughput`, `delay`, `loss`.
    pub metric: Arc<str>,
    /// The measured number, in SI units (bit/s, s, shares).
    pub value: f64,
}

#[cfg(test)]
mod tests;
