//! IP packets, as octets.
//!
//! ```text
//!     | Ethernet | IP | TCP or UDP | data |         checksum:  RFC 1071, over any of them
//!                                                   offload:   one packet of 64 KiB <-> many as a wire carries them
//! ```

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod checksum;
pub mod offload;
