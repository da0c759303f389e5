//! The parts that services with automatic repeat request (ARQ) are built of.
//!
//! | file | what |
//! | --- | --- |
//! | `seq.rs`, `window.rs` | sequence numbers that never wrap inside, and a window over them |
//! | `retransmission.rs` | the retransmission buffer: what may have to go out again |
//! | `timers.rs` | one deadline, and a queue of retransmission timers |
//! | `idle.rs` | a timer that runs while the line below is idle |
//! | `acknowledgement.rs` | the delayed acknowledgement |
//! | `rtt.rs` | the smoothed round-trip time and its deviation |
//! | `linear/` | sums of frames, from which lost ones follow |
//! | `resequencing/` | in which order packets are released |
//! | `tcp_filter/` | the filter of duplicate TCP acknowledgements for links without resequencing |
//!
//! No service is known here.

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

mod acknowledgement;
#[cfg(feature = "fuzz")]
mod fuzz;
mod idle;
pub mod linear;
mod resequencing;
mod retransmission;
mod rtt;
mod seq;
pub mod tcp_filter;
mod timers;
mod window;

pub use acknowledgement::DelayedAcknowledgement;
pub use idle::Idle;
pub use resequencing::{Order, Others, Resequencing, Unordered};
pub use retransmission::RetransmissionBuffer;
pub use rtt::{Arithmetic, DeviatesFrom, Deviation, FixedPoint, RoundTrip, Smoothing, gain};
pub use seq::{Seq, TcpNumber};
pub use tcp_filter::TcpFilter;
pub use timers::{Deadline, TimerQueue, TimerStarts, earliest};
pub use window::Window;
