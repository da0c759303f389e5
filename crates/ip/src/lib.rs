//! Packets of the network layer: what their headers say, which of them belong together, and what is done to them on a link.
//!
//! ```text
//!     | IP | TCP or UDP | data |
//!       |     |
//!       |     +-- ports, segment, acknowledgement        headers, flow, fields: who a packet is of, and whether a rule means it
//!       |         mss: lowered to what a link carries    ecn: marked where a queue stands
//!       +-- addresses, DS, ECN, flow label               compression: what changes from one segment to the next
//!                                                        icmp_error: the answer to a packet that cannot go on
//!     checksum: RFC 1071, over any of them               offload: one packet of 64 KiB <-> many as a wire carries them
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `headers.rs` | addresses, DS field, protocol, ports and flow label of an IP packet |
//! | `outline.rs` | what goes with a packet of these, so that they are read once |
//! | `fields/` | each of these as people write it: `"udp"`, `"10.0.0.0/8"`, `"5004-5020"`, `"af41"` |
//! | `ecn.rs` | marks of congestion |
//! | `segment.rs` | the TCP segment that a packet carries |
//! | `stand_in.rs` | segments in the name of TCP's ends, by whoever stands between them |
//! | `acknowledgement.rs` | whether it only acknowledges, and makes another one needless |
//! | `alone.rs` | packets that nobody sends another behind before they are answered |
//! | `compression/` | headers shortened to what changes from one segment to the next |
//! | `templates/` | headers of UDP shortened to the octets that change, for services that lose packets |
//! | `mss.rs` | the largest segment that TCP's ends allow, lowered to what a link carries |
//! | `flow.rs` | the flow that a packet belongs to, and tables by flow |
//! | `datagram.rs` | a packet around a payload |
//! | `icmp_error.rs` | the answer to a packet that cannot go on |
//! | `hash.rs` | the hash of those tables, the same in every run |
//! | `checksum.rs`, `offload/` | what the system leaves to a network card |
//!
//! No service and no multiplexer is known here.

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

mod acknowledgement;
mod alone;
mod checksum;
mod compression;
mod datagram;
mod ecn;
mod fields;
mod flow;
mod hash;
mod headers;
mod icmp_error;
mod mss;
pub mod offload;
mod outline;
mod segment;
mod stand_in;
pub mod templates;
#[cfg(test)]
mod tests;

pub use acknowledgement::{acknowledges_only, supersedes};
pub use compression::{Compressor, Decompressor, in_front, is_left};
pub use datagram::datagram;
pub use ecn::{Ecn, mark_congestion};
pub use fields::{
    Addresses, AddressesError, Ds, DsError, FlowLabel, FlowLabelError, Ports, PortsError, Protocol, ProtocolError,
    bits_of,
};
pub use flow::{Flow, FlowKey, FlowTable};
pub use hash::KeyHasher;
pub use headers::{Headers, Payload};
pub use icmp_error::{IcmpError, icmp_error};
pub use mss::{clamp_mss, may_say_mss};
pub use outline::Outline;
pub use segment::{Segment, is_whole_segment};
pub use stand_in::{Answer, StandIn, TcpOptions, retold, set_offer};
