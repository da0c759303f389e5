//! What the system leaves to a network card, done here: checksums, cutting a super-packet into packets, and joining packets into one.
//!
//! The system hands packets about in pieces of up to 64 KiB and lets the card cut them (TSO, UDP GSO), and joins what it
//! receives likewise (GRO). It also leaves the card the last step of the checksum. A packet socket or a TUN device sees packets before or
//! after that, with a note of what is missing: `virtio_net_hdr` (virtio 1.2, section 5.1.6; packet(7), `PACKET_VNET_HDR`).
//!
//! ```text
//!     |headers|.......data.......|     ->  |headers|..data..| |headers|..data..| |headers|data|
//!              <-size-->                    IP: length, number, checksum
//!                                           TCP: sequence number, flags, checksum;  UDP: length, checksum
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `cut.rs` | [`Missing`], the note; [`complete`] and [`Cutter`]: what comes from the system |
//! | `join.rs` | [`Joiner`]: what goes to it |
//! | `headers.rs` | where the headers are |

mod cut;
mod headers;
mod join;
#[cfg(test)]
mod tests;

pub use cut::{Cutter, Missing, Whole, complete};
pub use headers::{Carries, ETHERNET_HEADER};
pub use join::Joiner;

/// The largest packet that there is, with an Ethernet header and tags.
pub const LARGEST: usize = 64 * 1024 + 64;
