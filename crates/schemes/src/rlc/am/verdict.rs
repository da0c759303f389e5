//! What a STATUS PDU says of the PDUs in the transmission window: read whole, and found right, before anything is done about
//! it (§9.2.2.11, §10.1, §10.2).

use super::Number;
use crate::rlc::pdu::{Status, Sufi};
use alloc::vec::Vec;

/// What it says, kept from report to report so that none allocates.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// Of each PDU from VT(A) on.
    marks: Vec<Mark>,
    first: Number,
    /// LSN.
    pub(super) acknowledged: Option<Number>,
    /// WSN.
    pub(super) window: Option<u16>,
    /// N and `SN_ACK`.
    pub(super) moved: Option<(u8, Number)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unsaid,
    Missing,
    Received,
}

/// Why nothing is done about a STATUS PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It speaks of PDUs that are not in the window: the two ends must be reset (§10.1).
    ErroneousNumber,
    /// It contradicts itself (§10.2).
    Inconsistent,
}

impl Verdict {
    /// Reads a STATUS PDU; the window reaches from VT(A) to VT(S).
    pub(super) fn read(&mut self, status: &Status, first: Number, end: Number) -> Result<(), Wrong> {
        self.first = first;
        self.marks.clear();
        self.marks
            .resize(end.offset_from(first).and_then(|count| usize::try_from(count).ok()).unwrap_or(0), Mark::Unsaid);
        (self.acknowledged, self.window, self.moved) = (None, None, None);
        for sufi in status.sufis() {
            self.take(sufi, end)?;
        }
        Ok(())
    }

    fn take(&mut self, sufi: Sufi<'_>, end: Number) -> Result<(), Wrong> {
        match sufi {
            Sufi::List(list) => self.all_missing(list.missing()),
            Sufi::RelativeList(list) => self.all_missing(list.missing()),
            Sufi::Bitmap(bitmap) => {
                self.all_missing(bitmap.missing())?;
                bitmap.received().try_for_each(|number| self.received(number))
            }
            Sufi::Ack(number) => {
                let number = Number::at_or_after(self.first, u64::from(number));
                self.acknowledged = Some(number);
                if number <= end { Ok(()) } else { Err(Wrong::ErroneousNumber) }
            }
            Sufi::Window(size) => {
                self.window = Some(size);
                Ok(())
            }
            Sufi::MoveReceivingWindowAck { n, number } => {
                self.moved = Some((n, Number::at_or_after(self.first, u64::from(number))));
                Ok(())
            }
            Sufi::NoMore | Sufi::MoveReceivingWindow(_) | Sufi::Poll(_) => Ok(()),
        }
    }

    fn all_missing(&mut self, mut numbers: impl Iterator<Item = u16>) -> Result<(), Wrong> {
        numbers.try_for_each(|number| match self.mark_of(number) {
            None => Err(Wrong::ErroneousNumber),
            Some(Mark::Received) => Err(Wrong::Inconsistent),
            Some(mark) => {
                *mark = Mark::Missing;
                Ok(())
            }
        })
    }

    /// A bit for a PDU outside the window tells that it was received, as bitmaps that reach back below VR(R) do.
    fn received(&mut self, number: u16) -> Result<(), Wrong> {
        match self.mark_of(number) {
            Some(Mark::Missing) => Err(Wrong::Inconsistent),
            Some(mark) => {
                *mark = Mark::Received;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn mark_of(&mut self, number: u16) -> Option<&mut Mark> {
        let ahead = Number::at_or_after(self.first, u64::from(number)).offset_from(self.first)?;
        self.marks.get_mut(usize::try_from(ahead).ok()?)
    }

    fn all(&self, wanted: Mark) -> impl Iterator<Item = Number> {
        let first = self.first;
        let marked = self.marks.iter().enumerate().filter(move |(_, mark)| **mark == wanted);
        marked.map(move |(ahead, _)| first + ahead as u64)
    }

    pub(super) fn missing(&self) -> impl Iterator<Item = Number> {
        self.all(Mark::Missing)
    }

    pub(super) fn is_missing(&self, number: Number) -> bool {
        let ahead = number.offset_from(self.first).and_then(|ahead| usize::try_from(ahead).ok());
        ahead.and_then(|ahead| self.marks.get(ahead)) == Some(&Mark::Missing)
    }

    /// What it says has arrived: bits of a bitmap, and all below LSN that it does not name as missing.
    pub(super) fn received_all(&self) -> impl Iterator<Item = Number> {
        let acknowledged = self.acknowledged.unwrap_or(self.first);
        let unsaid = self.all(Mark::Unsaid).take_while(move |number| *number < acknowledged);
        self.all(Mark::Received).chain(unsaid)
    }

    /// Where VT(A) goes: to LSN or the first PDU that is missing, whichever comes first; nowhere without an ACK.
    pub(super) fn slides_to(&self) -> Option<Number> {
        let acknowledged = self.acknowledged?;
        Some(self.missing().next().map_or(acknowledged, |missing| missing.min(acknowledged)))
    }
}
