//! Radio Link Control, the link layer of UMTS: 3GPP TS 25.322.

pub mod am;
mod filling;
pub mod pdu;
mod pdu_size;
mod reassembly;
mod segmentation;
#[cfg(test)]
mod tests;
pub mod tm;
pub mod um;
mod whole;

pub use pdu_size::{PduSize, PduSizeError};
