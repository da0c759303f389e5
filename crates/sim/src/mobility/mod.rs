//! The user moves: from time to time the wireless link is gone for a while, and then it is another cell's, or another
//! kind of link (multiservice, Section IX).
//!
//! ```toml
//! [mobility]
//! when = { kind = "periodic", stay = "20 s" }       # how long the user stays in reach of one cell
//! change = { kind = "vertical", rate = "64 kbit/s", delay = "50 ms" }
//! outage = "500 ms"
//! hints = true                                      # whether anybody is told,
//! notice = "100 ms"                                 # and how long before
//! ```
//!
//! ```text
//!     |<---------- stay ----------->|<- outage ->|<---------- stay ----------->|<- outage ->|
//!     |                    |<notice>|            |                    |<notice>|            |
//!     | the link           | held   | gone       | the other link     | held   | gone       | the link again ...
//!                          ^                     ^
//!                     HandoffBegins         HandoffEnds
//! ```
//!
//! What is on the air while the link is gone is lost. From the hint on nothing is started, so with a notice as long as a
//! frame takes nothing is on the air then. Hints come to the client and the access point at once, and to the server as
//! soon as a message could. `docs/mobility.md` shows what they are worth.

mod air;
mod config;
mod course;

pub(crate) use air::Air;
pub use config::{Change, Listed, MobilityConfig, Periodic, Random, Vertical, When};
pub(crate) use course::{Course, Outage};
