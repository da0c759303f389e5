//! A plan run in parts: by many processes and machines, or going on where it was interrupted.
//!
//! ```text
//!     Plan --pack--> Task, Task, ...        some runs each, a second or so of work; all they need is in their bytes
//!                      |  to_bytes
//!                      v
//!            a thread, a process, a machine
//!                      |  to_bytes
//!                      v
//!     Results <-- Collected <-- PartialResults, PartialResults, ...       in whatever order they come, also from DIR/pieces/
//! ```
//!
//! A run is identified by what decides its result: the code that measures, the seed, the world, the replication. So results
//! are reused however the runs were batched and wherever they ran; a plan that grew reuses what it shares with the one before.
//! On disk, partial results are the *pieces* of `DIR/pieces`: named by the runs in them, with a checksum. A damaged one is
//! refused, and its runs are run again.

mod batches;
mod collected;
mod envelope;
mod manifest;
mod results;
mod run_index;
mod shard;
mod store;
mod task;
#[cfg(test)]
mod tests;

pub use batches::pack;
pub use collected::Collected;
pub use envelope::PartialError;
pub use manifest::{Manifest, ManifestError, pieces as folder_of};
pub use results::PartialResults;
pub use run_index::RunIndex;
pub use shard::{Shard, ShardError};
pub use store::{Refused, ResultStore, StoreError};
pub use task::Task;

/// The program as pieces know it: its version, and a number of the code that decides what a run measures.
pub const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("ARQWAY_MEASURES"));
