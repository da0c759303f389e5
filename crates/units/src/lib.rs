//! The quantities of a link as types: nothing in Arqway passes a bare number of "milliseconds" about.
//!
//! | type | unit inside | text |
//! | --- | --- | --- |
//! | [`Time`] | nanoseconds since the start of the run | - |
//! | [`Span`] | nanoseconds | `50 ms`, `1.35 s` |
//! | [`BitRate`] | bits per second | `64 kbit/s`, `10 Mbit/s` |
//! | [`Octets`] | octets | `250 octets`, `10 MB` |
//! | [`Ratio`] | a share or a probability in \[0, 1\] | `5.4 %`, `0.054` |
//!
//! Beside them stands [`LineId`], which line of a link something is about, and [`PerLine`], one of something for each.
//!
//! Every quantity reads and prints text (`FromStr`, `Display`), and serde uses that text, so a configuration file always
//! says its units. With the feature `schema` they also describe that text to editors, as JSON schemas.

#![no_std]
#![warn(
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod line;
mod number;
mod octets;
mod rate;
mod ratio;
#[cfg(feature = "schema")]
mod schema;
mod text;
mod time;

pub use line::{LineId, PerLine, list_of_lines};
pub use number::{ToFloat, count, halves, remainder, truncate};
pub use octets::Octets;
pub use rate::{BitRate, Pacer};
pub use ratio::Ratio;
pub use text::{SHORTEST_TIMER, UnitError, optional_positive_span, optional_timer, positive_span};
pub use time::{Span, Time};
