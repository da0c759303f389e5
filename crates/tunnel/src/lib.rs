//! The second driver of `arqway-link`: real sockets, the real clock, one thread an end.
//!
//! The simulator is the first. Both call the same `handle_*` methods and the same [`pump`](arqway_link::pump), so what
//! was simulated is what runs here; nothing in this crate knows a protocol.
//!
//! ```text
//!     network layer (TUN, memory)
//!       |  poll_packet      ^  deliver
//!    +--v-------------------|--+
//!    |        Endpoint         |   one turn: ppoll, read the clock, tell the service, pump
//!    |  LinkService  ->  Port  |
//!    +--|-------------------^--+
//!       v  one frame, one datagram
//!     UDP socket, connected to the peer
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | `daemon` | [`Endpoint`] and its loop |
//! | `network` | [`NetworkLayer`]: what it needs of whoever has the packets |
//! | `port` | the [`Port`](arqway_link::Port): where an endpoint's outputs go |
//! | `udp` | frames to datagrams and back |

mod daemon;
mod network;
mod port;
#[cfg(test)]
mod tests;
mod udp;

pub use daemon::{Endpoint, TunnelError};
pub use network::NetworkLayer;
pub use udp::UdpCounters;
