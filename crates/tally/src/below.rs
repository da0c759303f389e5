//! Our frames in the queue below: few, so that what is sent again overtakes what is new.
//!
//! One frame on a slow line, which is busy until whoever drives us has had time to ask for the next; two where a frame takes
//! less time than that. Where hardly a frame is lost there is nothing to overtake, and a queue that others share gives most to
//! whoever has most in it: then there are more.

use super::wire::{Form, Head};
use alloc::collections::VecDeque;
use arqway_contract::{LineId, Ticket};
use arqway_units::{Span, Time};
use core::ops::Range;

/// So many frames with data, polls included, keep a fast line busy: one on it and one behind.
const FAST: usize = 2;
/// A line on which a frame takes so long is slow.
pub(super) const SLOW: Span = Span::from_milliseconds(5);
/// So many where hardly a frame is lost.
const MOST_OF_DATA: usize = 16;

/// Frames that were handed over and have not departed.
#[derive(Debug, Clone, Default)]
pub(super) struct Below {
    pub(super) frames: VecDeque<InQueue>,
    next: u64,
}

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct InQueue {
    ticket: u64,
    /// By which line it goes.
    pub(super) line: LineId,
    pub(super) what: What,
    pub(super) handed_over: Time,
    /// Its transmission counter and when it started, if it has.
    pub(super) started: Option<(u64, Time)>,
}

/// What a frame is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A frame with a cut.
    Data(Head),
    /// A piece of that frame.
    Piece(u64),
    /// These frames are given up.
    GivenUp(Range<u64>),
    /// A poll.
    Poll,
    /// The repair frame of this serial number.
    Repair(u64),
    /// A copy of a frame that went by another line, of which nobody minds what becomes.
    Copy(Head),
    /// Feedback alone, in this form.
    Feedback(Form),
}

impl What {
    /// Whether it is feedback alone.
    pub(super) fn is_feedback(&self) -> bool {
        matches!(self, Self::Feedback(_))
    }
}

impl Below {
    /// Whether another frame of data, or a poll, may be handed over for a line, where a frame takes so long on it.
    pub(super) fn has_room_for_data(&self, line: LineId, frame_time: Span, loses_frames: bool) -> bool {
        let most = match loses_frames {
            false => MOST_OF_DATA,
            true if frame_time < SLOW => FAST,
            true => 1,
        };
        self.data(line).count() < most
    }

    /// Whether a frame of data, or a poll, is below that goes by this line.
    pub(super) fn has_data(&self, line: LineId) -> bool {
        self.data(line).next().is_some()
    }

    fn data(&self, line: LineId) -> impl Iterator<Item = &InQueue> {
        self.frames.iter().filter(move |frame| frame.line == line && !frame.what.is_feedback())
    }

    /// Whether the last frame with data, or the last poll, has not started on this line.
    pub(super) fn is_last_unstarted(&self, line: LineId) -> bool {
        self.data(line).last().is_some_and(|frame| frame.started.is_none())
    }

    /// How many have not started.
    pub(super) fn unstarted(&self) -> u64 {
        self.frames.iter().filter(|frame| frame.started.is_none()).count() as u64
    }

    /// Whether a frame that has not started will carry feedback.
    pub(super) fn carries_feedback(&self) -> bool {
        self.frames.iter().any(|frame| match &frame.what {
            What::Feedback(_) => frame.started.is_none(),
            What::Data(head) => frame.started.is_none() && head.feedback.is_some(),
            What::Piece(_) | What::GivenUp(_) | What::Poll | What::Repair(_) | What::Copy(_) => false,
        })
    }

    /// Whether feedback alone is below.
    pub(super) fn has_feedback(&self) -> bool {
        self.frames.iter().any(|frame| frame.what.is_feedback())
    }

    /// A frame is handed over for a line. Its ticket.
    pub(super) fn push(&mut self, line: LineId, what: What, now: Time) -> Ticket {
        let ticket = self.next;
        self.next += 1;
        self.frames.push_back(InQueue { ticket, line, what, handed_over: now, started: None });
        Ticket::new(ticket)
    }

    /// The frame of this ticket.
    pub(super) fn get_mut(&mut self, ticket: Ticket) -> Option<&mut InQueue> {
        self.frames.iter_mut().find(|frame| frame.ticket == ticket.number())
    }

    /// The frame of this ticket has left the queue.
    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<InQueue> {
        let index = self.frames.iter().position(|frame| frame.ticket == ticket.number())?;
        self.frames.remove(index)
    }
}
