//! Tally: recovery without a timeout to tune.
//!
//! The papers' schemes wait for a frame's timer, and monet08 shows that no timeout, fixed or adaptive, suits all links. Tally
//! counts *transmissions*: since a link keeps their order, a frame is lost as soon as a later transmission is known to have
//! arrived. That also tells of a retransmission that was lost, which sequence numbers alone do not (RFC 8985 has the same idea
//! for TCP, with time instead of a counter).
//!
//! ```text
//!     sender                                    receiver
//!       | frame 7, transmission 41 --------->     | deliver 7
//!       | frame 8, transmission 42 ---x           |
//!       | frame 9, transmission 43 --------->     | keep 9; transmission 42 is missing: tell
//!       |   <------- next 8, 9 arrived, newest 43 |
//!       | frame 8, transmission 44 ---x           |                    goes before what is new
//!       | frame 10, transmission 45 -------->     | keep 10; 44 is missing: tell
//!       |   <--- next 8, 9 to 10 arrived, newest 45
//!       | frame 8, transmission 46 --------->     | deliver 8, 9, 10
//!       |      (quiet for a quarter of a round trip)
//!       | poll, transmission 47 ------------>     | tell
//!       |   <-------------------- next 11, newest 47
//! ```
//!
//! - Feedback rides on data where there are some, and is written when the frame starts. It says what the peer has, so any one
//!   makes up for all that were lost.
//! - At the end of a burst, where nothing later shows a loss, a poll asks; only if that remains unanswered a timer matters.
//! - Retransmissions go first, and at most two frames wait in the queue below, where they could not be overtaken. A copy that
//!   was acknowledged while it waited is withdrawn.
//! - Where the line has nothing else to carry, sums of frames go out, if that is set, from which lost ones are worked out at once.
//! - On links that change the order, the receiver learns by how many transmissions they come late, and the sender waits for
//!   that many.
//! - Packets are cut to the room that a frame has, unless that is a small part of a transmission. A packet whose time is over is
//!   given up, and the peer is told.

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

mod arrivals;
mod below;
mod config;
mod cut;
#[cfg(feature = "fuzz")]
mod fuzz;
mod holes;
#[cfg(test)]
mod model;
mod packets;
mod reassembly;
mod receiver;
mod repair;
mod sender;
mod service;
#[cfg(test)]
mod tests;
mod timing;
mod transmissions;
mod wire;

pub use config::{Config, Mechanism, WindowSize, WindowSizeError};
pub use service::Tally;
pub use wire::{Cut, Feedback, Form, Lateness, Pdu, Repair, Runs, parse};
