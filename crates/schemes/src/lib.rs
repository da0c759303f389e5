//! Every service of the link layer, a folder each.
//!
//! A service with two halves has the same files: `mod.rs` joins the halves, `config.rs` says how it is set up, `sender.rs`
//! and `receiver.rs` are the halves, `wire.rs` alone knows its octets. None knows of another.

pub mod fec;
pub mod go_back_n;
pub mod raw;
pub mod rlc;
pub mod rlp;
pub mod selective_repeat;
pub mod snoop;
pub mod sscop;
pub mod tally;
