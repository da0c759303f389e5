//! The tunnel: IP between hosts across bad links, by the very protocols that the simulator runs.
//!
//! ```text
//!     packets of the network layer (TUN)                      datagrams of the line (UDP, serial)
//!            |                                                          ^
//!            v   by destination                                         |
//!     +-- peer ----------------------------------+                      |
//!     | Bearer< Mux< services > >   arqway-link   | -- datagrams --> session: sealed, arqway-session
//!     +-------------------------------------------+
//! ```
//!
//! [`Hub`] has no socket and no clock: [`turn`](Hub::turn) is told the time, and given the line and the network layer.
//! So a test runs it in virtual time. `link` is used unchanged; nothing in this crate knows a recovery scheme.
//!
//! | folder | what |
//! | --- | --- |
//! | `hub/` | [`Hub`]: one end of links to any number of peers, sans-IO |
//! | `line/` | [`Line`]: what carries datagrams: UDP, a serial line |
//! | `host/` | what it needs of this machine: TUN device, routes, name servers, names of hosts |
//! | `settings/` | [`settings`]: what a file says |
//! | `control/` | [`ask`]: talking to a tunnel that runs; its status and events |
//! | `metrics/` | its status for Prometheus, over HTTP |
//! | `running/` | [`RunningTunnel`]: all of it in real time |
//! | `start_error.rs` | [`StartError`]: why it cannot begin |

mod control;
mod host;
mod hub;
mod line;
mod metrics;
mod running;
pub mod settings;
mod start_error;

pub use control::{
    Answers, AskError, BindError, CountersStatus, EventLine, FlowStatus, FlowsStatus, LineStatus, PathLinkStatus,
    PathServiceStatus, PathStatus, PeerStatus, ServiceStatus, Status, What, ask, running,
};
pub use hub::{
    AddError, Counters, Event, ForRoom, Hub, LineHint, LinkServiceMetrics, NetworkLayer, NewLink, NewPeer, Next,
    NoPath, PathAnswer, PathEnd, PathLink, PathNames,
};
pub use line::Line;
pub use line::budgets::BudgetError;
pub use running::RunningTunnel;
pub use start_error::StartError;
