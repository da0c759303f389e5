//! One run looked into: as a [capture] for Wireshark, as a time-[sequence] plot, as a [timeline] of the link's rate.

pub mod capture;
mod plot;
pub mod sequence;
pub mod timeline;

/// What stands around a plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Names it within a document.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Small print: how to get it again.
    pub source: String,
}
