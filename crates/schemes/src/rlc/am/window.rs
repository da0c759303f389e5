//! The transmission window: PDUs from VT(A) to VT(S), which of them are to be sent again, and how often each was.
//!
//! ```text
//!     VT(A) = 7                     VT(S) = 11        VT(MS) = VT(A) + VT(WS)
//!       | 7 queued | 8 received | 9 below | 10 gone |   room   |
//! ```

use super::Number;
use super::config::Settings;
use crate::rlc::pdu::HeaderExtension;
use crate::rlc::segmentation::{Padding, Segment};
use alloc::collections::VecDeque;
use arqway_arq::Window;
use arqway_units::{Span, Time};
use bytes::Bytes;
use core::ops::Range;

#[derive(Debug)]
pub(super) struct TransmissionWindow {
    pdus: Window<12, Pdu>,
    /// To be sent again, each once; one that was acknowledged or discarded meanwhile is skipped.
    resend: VecDeque<Number>,
    /// `Configured_Tx_Window_Size`.
    configured: usize,
    /// VT(WS) (§9.4 j)).
    size: usize,
    max_dat: u16,
    resend_in_flight: bool,
    round_trip: Span,
}

/// A data PDU that was sent, or is to be for the first time.
#[derive(Debug)]
pub(super) struct Pdu {
    /// All behind the header.
    pub(super) body: Bytes,
    pub(super) extension: HeaderExtension,
    pub(super) padding: Option<Padding>,
    /// The last SDU of which something is in it.
    pub(super) last_sdu: u64,
    /// The SDUs whose end it tells.
    pub(super) ends: Range<u64>,
    /// Behind the end of the last of them another SDU begins.
    pub(super) begins_after_end: bool,
    pub(super) first_octets: Range<u64>,
    pub(super) last_octets: Range<u64>,
    /// VT(DAT) (§9.4 c)).
    scheduled: u16,
    copies: Copies,
    /// The peer has it, or its SDUs are discarded.
    done: bool,
}

/// Where the copies of a PDU are.
#[derive(Debug, Default)]
struct Copies {
    /// One is to be handed over.
    queued: bool,
    /// That one is for a poll to ride on, whether the peer has the PDU or not.
    carries_poll: bool,
    /// So many wait in the queue below.
    below: u16,
    /// The last one departed then.
    departed: Option<Time>,
}

impl Copies {
    /// Whether the last one may be on its way still.
    fn are_in_flight(&self, now: Time, round_trip: Span) -> bool {
        let is_recent = self.departed.is_some_and(|departed| round_trip != Span::ZERO && now < departed + round_trip);
        self.queued || self.below > 0 || is_recent
    }
}

/// A PDU was scheduled as often as it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) struct Exhausted(pub(super) Number);

impl From<Segment> for Pdu {
    fn from(segment: Segment) -> Self {
        Self {
            last_sdu: *segment.touches.end(),
            body: segment.body,
            extension: segment.extension,
            padding: segment.padding,
            ends: segment.ends,
            begins_after_end: segment.begins_after_end,
            first_octets: segment.first_octets,
            last_octets: segment.last_octets,
            scheduled: 1,
            copies: Copies::default(),
            done: false,
        }
    }
}

impl Pdu {
    /// One that is never sent: the rest of an SDU that is discarded before it was in a PDU. Its number is passed over.
    fn passed_over(sdu: u64) -> Self {
        Self {
            body: Bytes::new(),
            extension: HeaderExtension::Data,
            padding: None,
            last_sdu: sdu,
            ends: sdu..sdu + 1,
            begins_after_end: false,
            first_octets: 0..0,
            last_octets: 0..0,
            scheduled: 0,
            copies: Copies::default(),
            done: true,
        }
    }
}

impl TransmissionWindow {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            // One number more, to be passed over; even then an ACK of all must not read as an ACK of none.
            pdus: Window::new(settings.window.min(4094) + 1),
            configured: settings.window,
            resend: VecDeque::new(),
            size: settings.window,
            max_dat: settings.max_dat,
            resend_in_flight: settings.resend_in_flight,
            round_trip: settings.round_trip,
        }
    }

    /// VT(A).
    pub(super) fn first(&self) -> Number {
        self.pdus.first()
    }

    /// VT(S) (§9.4 a)).
    pub(super) fn end(&self) -> Number {
        self.pdus.end()
    }

    /// VT(WS).
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// `Configured_Tx_Window_Size`.
    pub(super) fn configured(&self) -> usize {
        self.configured
    }

    /// Takes VT(WS) from the peer: zero is no window, and none is larger than what is configured (§9.2.2.11.3).
    pub(super) fn resize(&mut self, size: u16) {
        if size != 0 {
            self.size = usize::from(size).min(self.configured());
        }
    }

    pub(super) fn get(&self, number: Number) -> Option<&Pdu> {
        self.pdus.get(number)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first() == self.end()
    }

    /// Whether a PDU that was never sent may be: VT(S) < VT(MS) (§9.4 d)).
    pub(super) fn has_room(&self) -> bool {
        let most = self.size.min(self.pdus.limit() - 1);
        self.end() < self.first() + most as u64
    }

    /// §11.3.2.2: below VT(MS), or the last one that was sent.
    fn may_be_sent(&self, number: Number) -> bool {
        number < self.first() + self.size as u64 || number.next() == self.end()
    }

    /// Whether the peer may still lack it.
    pub(super) fn is_outstanding(&self, number: Number) -> bool {
        self.pdus.get(number).is_some_and(|pdu| !pdu.done)
    }

    /// Whether it is to be sent again.
    pub(super) fn is_queued(&self, number: Number) -> bool {
        self.pdus.get(number).is_some_and(|pdu| pdu.copies.queued)
    }

    /// Appends a PDU, which is about to be handed over.
    pub(super) fn push(&mut self, pdu: Pdu) -> Number {
        self.pdus.push(pdu)
    }

    /// The next PDU to be sent again, and whether another follows.
    pub(super) fn pop_resend(&mut self) -> Option<(Number, bool)> {
        let number = self.next_resend()?;
        self.resend.pop_front();
        self.unqueue(number);
        Some((number, self.next_resend().is_some()))
    }

    fn unqueue(&mut self, number: Number) {
        if let Some(pdu) = self.pdus.get_mut(number) {
            pdu.copies.queued = false;
            pdu.copies.carries_poll = false;
        }
    }

    /// Whether one is to be sent again.
    pub(super) fn has_resend(&mut self) -> bool {
        self.next_resend().is_some()
    }

    /// Drops what need not be sent again from the head of the queue.
    fn next_resend(&mut self) -> Option<Number> {
        while let Some(&number) = self.resend.front() {
            let is_wanted = self.pdus.get(number).is_some_and(|pdu| !pdu.done || pdu.copies.carries_poll);
            if is_wanted && self.may_be_sent(number) {
                return Some(number);
            }
            self.resend.pop_front();
            self.unqueue(number);
        }
        None
    }

    /// A report names it as missing: it is sent again, unless a copy is on its way that the report cannot tell of.
    pub(super) fn missing(&mut self, number: Number, now: Time) -> Result<(), Exhausted> {
        let may_be_sent = self.may_be_sent(number);
        let Some(pdu) = self.pdus.get(number) else { return Ok(()) };
        if pdu.done || !may_be_sent || !self.resend_in_flight && pdu.copies.are_in_flight(now, self.round_trip) {
            return Ok(());
        }
        self.schedule(number, true)
    }

    /// Schedules a PDU once more (§11.3.2).
    fn schedule(&mut self, number: Number, counts: bool) -> Result<(), Exhausted> {
        let Some(pdu) = self.pdus.get_mut(number) else { return Ok(()) };
        pdu.scheduled = pdu.scheduled.saturating_add(u16::from(counts));
        if counts && pdu.scheduled == self.max_dat {
            return Err(Exhausted(number));
        }
        if !core::mem::replace(&mut pdu.copies.queued, true) {
            self.resend.push_back(number);
        }
        Ok(())
    }

    /// The PDU that can carry a poll where none is to be sent (§11.3.2): the last one that the peer may lack and that may be
    /// sent; or the very last, alone allowed where the window is half of all numbers or more. `None`: it lacks none, or the last
    /// was passed over, and the peer is being told.
    fn for_poll(&self) -> Option<Number> {
        let (first, end) = (self.first().as_u64(), self.end().as_u64());
        let mut lacked = (first..end).rev().map(Number::new).filter(|number| self.is_outstanding(*number)).peekable();
        lacked.peek()?;
        let last = Some(Number::new(end - 1)).filter(|last| self.get(*last).is_some_and(|pdu| pdu.scheduled > 0));
        let is_half = self.configured() as u64 >= Number::MODULUS / 2;
        if is_half { last } else { lacked.find(|number| self.may_be_sent(*number)).or(last) }
    }

    /// Schedules the PDU that can carry a poll; whether there is one.
    pub(super) fn schedule_for_poll(&mut self, counts: bool) -> Result<bool, Exhausted> {
        let Some(number) = self.for_poll() else { return Ok(false) };
        self.schedule(number, counts)?;
        if let Some(pdu) = self.pdus.get_mut(number) {
            pdu.copies.carries_poll = true;
        }
        Ok(true)
    }

    /// A POLL super-field is scheduled in place of the last PDU that was sent (§11.3.5); whether there is anything to ask of.
    pub(super) fn count_poll(&mut self, counts: bool) -> Result<bool, Exhausted> {
        if self.for_poll().is_none() {
            return Ok(false);
        }
        let last = Number::new(self.end().as_u64() - 1);
        if counts && let Some(pdu) = self.pdus.get_mut(last) {
            pdu.scheduled = pdu.scheduled.saturating_add(1);
            if !pdu.done && pdu.scheduled == self.max_dat {
                return Err(Exhausted(last));
            }
        }
        Ok(true)
    }

    pub(super) fn handed_over(&mut self, number: Number) {
        if let Some(pdu) = self.pdus.get_mut(number) {
            pdu.copies.below += 1;
        }
    }

    /// A copy is no longer below: sent, dropped or withdrawn.
    pub(super) fn departed(&mut self, number: Number, sent: Option<Time>) {
        if let Some(pdu) = self.pdus.get_mut(number) {
            pdu.copies.below = pdu.copies.below.saturating_sub(1);
            pdu.copies.departed = sent.or(pdu.copies.departed);
        }
    }

    /// The peer has it, though perhaps not all before it.
    pub(super) fn received(&mut self, number: Number) {
        if let Some(pdu) = self.pdus.get_mut(number) {
            pdu.done = true;
        }
    }

    /// The end of an SDU that is discarded is in no PDU, and will be in none: the number of the one that would have had it is
    /// passed over, so VT(S) rises (§11.6.2), and the peer's window cannot come to lie beyond it without being told.
    pub(super) fn pass_over(&mut self, sdu: u64) {
        if self.end_of(sdu).is_none() && !self.pdus.is_full() {
            self.pdus.push(Pdu::passed_over(sdu));
        }
    }

    /// Its SDUs up to this one are discarded: PDUs with nothing else are not sent again. How many they are.
    pub(super) fn discard_through(&mut self, sdu: u64) -> u64 {
        let mut discarded = 0;
        for number in (self.first().as_u64()..self.end().as_u64()).map(Number::new) {
            match self.pdus.get_mut(number) {
                Some(pdu) if pdu.last_sdu > sdu => break,
                Some(pdu) if !pdu.done => {
                    pdu.done = true;
                    // Behind the request to move the window it would pass for a new one.
                    pdu.copies.carries_poll = false;
                    discarded += 1;
                }
                _ => {}
            }
        }
        discarded
    }

    /// The PDU that tells the end of an SDU.
    pub(super) fn end_of(&self, sdu: u64) -> Option<(Number, &Pdu)> {
        let numbers = (self.first().as_u64()..self.end().as_u64()).map(Number::new);
        numbers.filter_map(|number| Some((number, self.pdus.get(number)?))).find(|(_, pdu)| pdu.ends.contains(&sdu))
    }

    /// Slides VT(A); the number of SDUs, from the first one of all, whose ends were told below it now.
    pub(super) fn slide(&mut self, first: Number) -> Option<u64> {
        let mut ended = None;
        while self.first() < first {
            let Some(pdu) = self.pdus.pop_front() else { break };
            if !pdu.ends.is_empty() {
                ended = Some(pdu.ends.end);
            }
        }
        ended
    }

    /// All as in the beginning; the number of SDUs of which something was sent is what the segmenter knows.
    pub(super) fn reset(&mut self) {
        self.pdus.restart(Number::ZERO);
        self.resend.clear();
        self.size = self.configured();
    }
}
