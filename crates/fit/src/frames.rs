//! What was observed: frames in the order of sending, each lost or arrived.

use arqway_units::{Octets, Span, Time};
use std::fmt;

/// What was seen of a link in one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frames {
    /// In the order of sending, which the times follow; the first is at [`Time::ZERO`].
    pub frames: Vec<SentFrame>,
    /// How many arrived again.
    pub duplicates: u64,
    /// How many arrived that were never seen being sent.
    pub strangers: u64,
    /// Captures whose end is cut off.
    pub cut: Vec<CutEnd>,
}

/// A capture that ends within a packet, as when whoever wrote it was killed: what comes before is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutEnd {
    /// The file.
    pub file: String,
    /// How many packets it has.
    pub packets: u64,
}

impl fmt::Display for CutEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, packets } = self;
        write!(out, "the end of {file} is cut off: {packets} packets before it were read")
    }
}

/// A frame that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentFrame {
    /// When its first bit went out, or it was handed to what sends it.
    pub at: Time,
    /// Its length on the link.
    pub octets: Octets,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It never arrived.
    Lost,
    /// It arrived, and nobody says when.
    Arrived,
    /// It arrived so many nanoseconds after it was sent. The two clocks may differ, so this may be negative.
    After(i64),
}

impl SentFrame {
    /// Whether it never arrived.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.fate == Fate::Lost
    }
}

impl Frames {
    /// How many were lost.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.frames.iter().filter(|frame| frame.is_lost()).count() as u64
    }

    /// From the first frame sent to the last.
    #[must_use]
    pub fn length(&self) -> Span {
        self.frames.last().map_or(Span::ZERO, |last| last.at.since(Time::ZERO))
    }

    /// The fates alone: whether each is lost.
    #[must_use]
    pub fn losses(&self) -> Vec<bool> {
        self.frames.iter().map(SentFrame::is_lost).collect()
    }
}
