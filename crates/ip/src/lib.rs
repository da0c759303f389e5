//! Packets of the network layer: what their headers say, and which of them belong together.
//!
//! | file | what |
//! | --- | --- |
//! | `headers.rs` | addresses, DS field, protocol, ports and flow label of an IP packet, read once |
//! | `fields/` | each of these as people write it: `"udp"`, `"10.0.0.0/8"`, `"5004-5020"`, `"af41"` |
//! | `ecn.rs` | marks of congestion |
//! | `segment.rs` | the TCP segment that a packet carries |
//! | `acknowledgement.rs` | whether it only acknowledges, and makes another one needless |
//! | `compression/` | headers shortened to what changes from one segment to the next |
//! | `mss.rs` | the largest segment that TCP's ends allow, lowered to what a link carries |
//! | `flow.rs` | the flow that a packet belongs to, and tables by flow |
//! | `icmp_error.rs` | the answer to a packet that cannot go on |
//! | `hash.rs` | the hash of those tables, the same in every run |
//!
//! No service and no multiplexer is known here.

mod acknowledgement;
mod compression;
mod ecn;
mod fields;
mod flow;
mod hash;
mod headers;
mod icmp_error;
mod mss;
mod segment;
#[cfg(test)]
mod tests;

pub(crate) use acknowledgement::{acknowledges_only, supersedes};
pub(crate) use compression::{Compressor, Decompressor, in_front};
pub use ecn::{Ecn, mark_congestion};
pub use fields::{
    Addresses, AddressesError, Ds, DsError, FlowLabel, FlowLabelError, Ports, PortsError, Protocol, ProtocolError,
};
pub(crate) use fields::{bits_of, serde_as_text};
pub use flow::FlowKey;
pub(crate) use flow::{Flow, FlowTable};
pub(crate) use hash::KeyHasher;
pub use headers::Headers;
pub(crate) use headers::Payload;
pub use icmp_error::{IcmpError, icmp_error};
pub use mss::{clamp_mss, may_say_mss};
pub(crate) use segment::{Segment, is_whole_segment};
