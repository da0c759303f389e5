//! How fast datagrams leave: as fast as the path takes them, at a rate that is given, or at one that is found and followed.
//!
//! ```text
//!     a datagram goes  --> (when, how much so far)  --+
//!                                                     +--> pace, and how much may be under way
//!     a report comes   --> (which arrived, and when) -+
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `setting.rs` | what a file says: a rate, `automatic` with or without bounds, `unpaced` |
//! | `automatic/` | the controller of a rate that is found |
//! | `growth.rs` | by how much a pace grows |
//! | `longer.rs` | whether what waits is a queue, or the path has become longer |
//! | `contest.rs` | beside somebody who fills the queue, and whether anybody does |
//! | `drain.rs` | less is sent once in a while until the queue is gone |
//! | `finding.rs` | what is told of it |
//! | `delay.rs` | how long a queue stands on the way, from the one-way delay of the datagrams themselves |
//! | `delivery.rs` | how fast datagrams arrive |
//! | `losses.rs` | which losses are the link's own, and which come of sending too fast |
//! | `breaker.rs` | a given rate of which less than half arrives |
//! | `shortfall.rs` | a line that carries less than a given rate |

mod automatic;
pub(crate) mod breaker;
mod contest;
mod delay;
mod delivery;
mod drain;
mod finding;
mod growth;
mod longer;
mod losses;
mod setting;
pub(crate) mod shortfall;

pub(crate) use automatic::{Automatic, Heard};
pub use finding::{Finding, Found};
pub use setting::{Bounds, BoundsError, Rate};

use arqway_units::Time;

/// A datagram that wants an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Its number.
    pub(crate) number: u64,
    /// When it went.
    pub(crate) at: Time,
    /// How many octets had gone with it, in all.
    pub(crate) octets: u64,
    /// Its own octets.
    pub(crate) size: u32,
}
