//! One run looked into: as a [capture] for Wireshark, as a time-[sequence] plot, as a [timeline] of the link's rate.

pub mod capture;
mod plot;
pub mod sequence;
pub mod timeline;
