//! Every service of the link layer, a folder each.
//!
//! A service with two halves has the same files: `mod.rs` joins the halves, `config.rs` says how it is set up, `sender.rs`
//! and `receiver.rs` are the halves, `wire.rs` alone knows its octets. None knows of another.

#![no_std]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_lossless,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
    )
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(test)]
#[path = "../../contract/tests/script/mod.rs"]
mod script;

pub mod deadline;
pub mod fec;
pub mod go_back_n;
pub mod raw;
pub mod rlc;
pub mod rlp;
pub mod selective_repeat;
pub mod snoop;
pub mod sscop;
