//! The emulator: real packets over a modelled link, with the simulator's own channel code.
//!
//! ```text
//!     client                                                                 server
//!     (namespace, TAP, interface)                          (namespace, TAP, interface)
//!        |  receive      offer -> [ queue, rate, delay, errors ] -> due     send  |
//!        +--------------->                  up                      --------------+
//!        +<---------------                 down                     <-------------+
//!           send          due <- [ queue, rate, delay, errors ] <- offer
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | `link` | both directions of the modelled link: two pipes of the simulator |
//! | `emulation`, `run` | a turn in any time, and the loop in real time |
//! | `end` | what it needs of an interface |
//! | `counters`, `lateness`, `statistics` | what it says of itself |
//! | `fate_log`, `capture`, `file_writer` | its files |
//! | `servers` | something at the other end |

mod capture;
mod counters;
mod emulation;
mod end;
mod fate_log;
mod file_writer;
mod lateness;
mod link;
mod run;
mod servers;
mod statistics;

pub use counters::Counters;
pub use emulation::{Emulation, Now};
pub use end::End;
pub use file_writer::FileError;
pub use lateness::{LatenessSummary, TOO_LATE};
pub use link::{EmulatedLink, LinkSettings, QUEUE};
pub use run::{Outcome, Progress};
pub use servers::{DISCARD, ECHO, serve};
pub use statistics::{Report, Way};
