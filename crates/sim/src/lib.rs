//! The simulator: virtual time, modelled hosts and links, and the very link layer that a tunnel deploys.
//!
//! ```text
//!     server ---- wired ---- access point )))  wireless  ((( client
//!     sends files, pages     its end of the              its end, and
//!     and media              link layer                  the user
//! ```
//!
//! A [`Scenario`] is the world as data, a [`World`] runs it once, a [`Probe`] watches it, an [`Outcome`] says what the
//! users got. The same scenario, seed and replication give the same events, whatever else runs beside them.
//!
//! ```
//! use arqway_sim::{NoProbe, Scenario, Streams, World};
//! let mut scenario = Scenario::default();
//! scenario.file_transfer.size = "100 kB".parse().unwrap();
//! let outcome = World::new(&scenario, &Streams::new(1, 0), NoProbe).unwrap().run();
//! assert!(outcome.applications.file_transfer.unwrap().throughput_bps > 60_000.0);
//! ```

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

pub mod app;
pub mod channel;
mod count_setting;
mod delay;
mod event;
mod frame_loss;
mod host;
mod kernel;
mod line;
mod link;
pub mod mobility;
mod network_outcome;
mod outcome;
mod packet;
mod probe;
mod rate;
mod recorded;
mod scenario;
#[cfg(feature = "schema")]
mod schema;
mod service_outcome;
pub mod tcp;
mod wired;
mod wireless;
mod world;

pub use delay::{Delay, DelayFile, DelayStep, DelayTrace};
pub use host::Host;
pub use kernel::{Random, Streams};
pub use line::{Queue, Room};
pub use link::{BareLink, Cause, LinkEvent, LinkEventKind, Pipe, PipeEvent, Start};
pub use network_outcome::NetworkOutcome;
pub use outcome::Outcome;
pub use packet::{Headers, PacketLength, PacketLengthError};
pub use probe::{NoProbe, Probe};
pub use rate::{Rate, RateFile, RateFormat, RateStep, RateTrace, StepRate, Wandering, WanderingError};
pub use recorded::{Recorded, Trace, TraceEnd, TraceError, TraceStep};
pub use scenario::{ForwardingNode, Scenario};
pub use service_outcome::ServiceOutcome;
pub use wired::Wired;
pub use wireless::{Absence, Differences, MtuStep, Wireless, WirelessLine};
pub use world::World;
