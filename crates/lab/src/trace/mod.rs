//! One run looked into: as a [capture] for Wireshark, as a time-[sequence] plot.

pub mod capture;
pub mod sequence;
