//! The papers: what they claim, whether our rows agree, and how far that holds.
//!
//! ```text
//!     experiments/<paper>/*.toml --> plan --> rows --+
//!     claims/<paper>.toml ---------------------------+--> verdicts --> report, claims.csv
//!     sensitivity/<paper>.toml --> other worlds -----+
//!     scenarios/<paper>.toml [today] --> other TCP --+
//! ```
//!
//! `arqway-lab` runs experiments and knows no paper; all that is about papers is here, as data and as rules that know none by name.

mod cells_of_claims;
pub mod claims;
mod judged;
pub mod library;
pub mod modern_tcp;
pub mod options;
pub mod other_seeds;
pub mod sensitivity;
pub mod with;

pub use judged::Judged;
