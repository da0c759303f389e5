//! Radio Link Control, the link layer of UMTS: 3GPP TS 25.322.

pub mod am;
pub mod pdu;
mod reassembly;
mod segmentation;
#[cfg(test)]
mod tests;
