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
//! [`Tunnel`] has no socket and no clock: [`turn`](Tunnel::turn) is told the time, and given the line and the network layer.
//! So a test runs it in virtual time. `link` is used unchanged; nothing in this crate knows a recovery scheme.
//!
//! | file | what |
//! | --- | --- |
//! | `tunnel/` | [`Tunnel`]: one end of links to any number of peers |
//! | `new_peer.rs` | [`NewPeer`]: what is told of a peer, and why it may not do |
//! | `peer.rs` | one of them: its link, and the port below it |
//! | `outbox.rs` | datagrams sealed where they are sent from, in batches |
//! | `congestion.rs` | marks of congestion, from datagrams to packets |
//! | `allowed.rs` | whose an address is |
//! | `answers.rs` | errors of ICMP to whoever sends what cannot go on |
//! | `line/` | [`Line`]: what carries datagrams: UDP, a serial line |
//! | `network.rs` | [`NetworkLayer`]: what has the packets: a TUN device |
//! | `settings/` | [`settings`]: what a file says |
//! | `names.rs` | where peers are whose address has changed |
//! | `machine.rs` | what is set on the machine besides the device |
//! | `run.rs` | [`RunningTunnel`]: the loop in real time |
//! | `start_error.rs` | [`StartError`]: why it cannot begin |
//! | `hint.rs` | [`LineHint`]: what somebody outside knows of a line |
//! | `control/` | [`ask`]: talking to a tunnel that runs |
//! | `status.rs`, `events.rs`, `counters.rs` | what it says of itself |

mod allowed;
mod answers;
mod congestion;
mod control;
mod counters;
mod events;
mod hint;
mod line;
mod machine;
mod names;
mod network;
mod new_peer;
mod outbox;
mod peer;
mod run;
pub mod settings;
mod start_error;
mod status;
mod tunnel;

pub use control::{Answers, AskError, BindError, ask};
pub use counters::Counters;
pub use events::{EventLine, What};
pub use hint::LineHint;
pub use line::Line;
pub use network::{NetworkLayer, TunDevice};
pub use new_peer::{AddError, NewPeer};
pub use peer::NewLink;
pub use run::RunningTunnel;
pub use start_error::StartError;
pub use status::{CountersStatus, PeerStatus, ServiceStatus, Status};
pub use tunnel::{Event, Next, Tunnel};
