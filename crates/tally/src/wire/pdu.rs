//! What the frames say, apart from their octets.

use super::feedback::Feedback;
use super::layout::{Form, Number};
use bytes::Bytes;

/// A frame as received: numbers are still the low bits, for whoever knows the windows to expand.
#[derive(Debug, PartialEq, Eq)]
pub enum Pdu {
    /// A cut of a packet, or all of it.
    Data(Cut, Option<Feedback>),
    /// A piece of a cut that did not fit into a frame any more.
    Piece {
        /// The cut; its octets are those of the piece.
        cut: Cut,
        /// Where in the cut the piece begins.
        offset: u16,
        /// Whether it is the last piece.
        is_last: bool,
    },
    /// What has arrived at who sends this.
    Feedback(Feedback),
    /// Wants feedback at once.
    Poll {
        /// The transmission counter of this frame.
        counter: u64,
    },
    /// Frames of one packet that will not come.
    GivenUp {
        /// The first of them.
        number: u64,
        /// The transmission counter of this frame.
        counter: u64,
        /// The packet starts with the first of them.
        starts: bool,
        /// How many.
        count: u16,
    },
    /// A sum of frames.
    Repair(Repair),
}

/// A sum of frames, from which one that was lost can be worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The first frame of the sum.
    pub first: u64,
    /// The transmission counter of this frame.
    pub counter: u64,
    /// How many frames it is the sum of.
    pub count: u16,
    /// With the number of a frame, how many times that is taken.
    pub key: u8,
    /// The sum.
    pub sum: Bytes,
}

/// What a data frame carries, and its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// How wide its numbers are.
    pub form: Form,
    /// The frame number.
    pub number: u64,
    /// The transmission counter.
    pub counter: u64,
    /// A packet starts with it.
    pub starts: bool,
    /// A packet ends with it.
    pub ends: bool,
    /// How many frames back the one is that must go before the packet, where the frame says so.
    pub link: Option<u32>,
    /// A part of a packet.
    pub octets: Bytes,
}

/// What of a data frame's head is known when it is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The narrowest form that its numbers may have.
    pub(crate) narrowest: Form,
    pub(crate) number: Number,
    pub(crate) starts: bool,
    pub(crate) ends: bool,
    /// Where the frame bears one.
    pub(crate) link: Option<u32>,
    /// Room that is set aside for feedback: none, without runs, or with so many octets of runs.
    pub(crate) feedback: Option<usize>,
}

impl Cut {
    pub(super) fn of(form: Form, number: u64, counter: u64, starts: bool, ends: bool) -> Self {
        Self { form, number, counter, starts, ends, link: None, octets: Bytes::new() }
    }
}
