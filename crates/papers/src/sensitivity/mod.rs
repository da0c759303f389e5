//! What the papers leave unsaid, and what hangs on it.
//!
//! A paper says which link it simulated and seldom which window its TCP had. The worlds in `scenarios/` choose; here each choice
//! is put in question. `sensitivity/<paper>.toml` lists what a paper is silent about, and what else it could have meant:
//!
//! ```toml
//! [[parameter]]
//! name = "TCP: maximum window"
//! silent = "TCP is named, its window is not."
//! chosen = "17 packets"
//!
//! [[parameter.alternative]]
//! label = "8 packets"
//! set = { "tcp.maximum-window" = 8 }
//! ```
//!
//! In the world of each alternative every claim is judged again, with the same seeds, so with the same losses and the same users:
//!
//! ```text
//!     claims --> cells that decide them --+--> plain world      --> verdicts --+
//!                                         +--> window 8         --> verdicts --+--> matrix: claim x alternative
//!                                         +--> window 32        --> verdicts --+
//! ```
//!
//! An alternative lies below what an experiment sets itself ([`Overlay`](arqway_lab::experiment::overlay::Overlay)), so a figure that is
//! about timeouts keeps its timeouts. Cells that stay as they are, are not run again; a claim all of whose cells
//! stay is one that the alternative cannot touch.
//!
//! | file | concept |
//! | --- | --- |
//! | `questions.rs` | the file: parameters and alternatives, and mistakes in them |
//! | `worlds.rs` | the plain world and the changed ones in one plan, each cell once |
//! | `matrix.rs` | verdicts by claim and alternative, and which of them flip |
//! | `text.rs`, `csv.rs` | the matrix for a terminal, and for programs |
//! | `heat_map.rs` | the matrix drawn |
//! | `page.rs` | all of it as one page |

mod csv;
mod heat_map;
mod matrix;
mod page;
mod questions;
#[cfg(test)]
mod tests;
mod text;
mod worlds;

pub use csv::write_csv;
pub use matrix::{AlternativeFinding, Line, Matrix, Part};
pub use page::{FILES, OutputError, Page, write};
pub use questions::{Alternative, Parameter, Questions, read};
pub use worlds::Worlds;
