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
//! | `resequencing/` | in which order packets are released |
//! | `tcp_filter/` | the filter of duplicate TCP acknowledgements for links without resequencing |
//!
//! No service is known here.

mod acknowledgement;
#[cfg(feature = "fuzz")]
mod fuzz;
mod idle;
mod resequencing;
mod retransmission;
mod rtt;
mod seq;
pub mod tcp_filter;
mod timers;
mod window;

pub(crate) use acknowledgement::DelayedAcknowledgement;
pub(crate) use idle::Idle;
pub(crate) use resequencing::Order;
pub use resequencing::{Others, Resequencing, Unordered};
pub(crate) use retransmission::RetransmissionBuffer;
pub use rtt::{Arithmetic, DeviatesFrom, FixedPoint, RoundTrip, Smoothing};
pub(crate) use rtt::{Deviation, gain};
pub use seq::Seq;
pub(crate) use seq::TcpNumber;
pub(crate) use tcp_filter::TcpFilter;
pub use timers::TimerStarts;
pub(crate) use timers::{Deadline, TimerQueue, earliest};
pub(crate) use window::Window;
