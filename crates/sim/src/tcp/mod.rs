//! TCP between the modelled hosts: Reno and NewReno with the behaviour of ns-2's one-way agents (`Agent/TCP/Reno`,
//! `Agent/TCP/Newreno` and `TCPSink` of 2.35), which the papers used; and what hosts speak today: SACK, RACK-TLP and CUBIC
//! by their RFCs. Windows count packets, a timer counts ticks.
//!
//! ```text
//!     sender --- packet n, real IPv4 and TCP headers ---> receiver
//!       ^                                                    |
//!       +------- ACK: next octet awaited, blocks <-----------+   one for each packet or two, at once or later
//! ```
//!
//! A connection carries data one way, as ns-2's agents do; what goes the other way has a connection of its own.
//!
//! `sim/tests/ns2_traces.rs` holds the first two to ns-2 packet by packet, the tests beside the code the others to the RFCs.

mod acknowledgement;
mod connection;
mod connections;
mod numbering;
mod options;
mod receiver;
mod segment;
mod sender;
mod settings;

pub use acknowledgement::{Acknowledgement, Block, Blocks};
pub(crate) use connection::Opening;
pub(crate) use connections::{ConnectionId, Connections};
pub(crate) use numbering::Message;
pub use sender::{Sender, Transmission};
pub use settings::{
    Acknowledgements, CongestionControl, DelayedAcknowledgements, DelayedDuplicates, DuplicateAcknowledgements,
    OnHints, PacketWindow, PacketWindowError, Profile, Settings, TcpConfig, Variant,
};
