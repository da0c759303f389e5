//! The transmitting side: SDUs become PDUs, PDUs are sent, reports tell what became of them (§11.3.2, §11.5.3).

use super::Number;
use super::config::{Discard, Settings};
use super::discard::{NotAnswered, SduDiscard};
use super::polling::{Polling, Submitted};
use super::verdict::{Verdict, Wrong};
use super::window::{Exhausted, Pdu, TransmissionWindow};
use crate::rlc::filling::Filling;
use crate::rlc::pdu::Status;
use crate::rlc::segmentation::{Format, Mode, Segmenter};
use arqway_contract::{Clock, Counters, Packet};
use arqway_units::{Octets, Time};

#[derive(Debug)]
pub(super) struct Sender {
    segmenter: Segmenter,
    pub(super) window: TransmissionWindow,
    pub(super) polling: Polling,
    pub(super) discard: SduDiscard,
    verdict: Verdict,
    filling: Filling,
    /// A poll without a PDU to ride on goes into a STATUS PDU.
    poll_due: bool,
    /// How many data PDUs the queue below holds, and may.
    below: usize,
    most_below: usize,
    mode: Discard,
    polls_count: bool,
    polls_by_status: bool,
    buffer: usize,
}

/// The bearer cannot go on as it is: both ends must be reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) struct MustReset;

/// A data PDU to be handed over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scheduled {
    pub(super) number: Number,
    pub(super) poll: bool,
}

impl Sender {
    pub(super) fn new(settings: &Settings) -> Self {
        let tells_peer = settings.discard != Discard::Reset;
        let format = Format {
            octets: settings.pdu_size,
            fixed: !settings.flexible,
            header: 2,
            size: settings.indicators,
            most_ends: if tells_peer { 15 } else { usize::MAX },
            mode: Mode::Acknowledged { special_end: settings.special_header_extension },
        };
        Self {
            segmenter: Segmenter::new(format),
            window: TransmissionWindow::new(settings),
            polling: Polling::new(settings.poll),
            discard: SduDiscard::new(settings),
            verdict: Verdict::default(),
            filling: Filling::new(settings.wait_to_fill),
            poll_due: false,
            below: 0,
            most_below: settings.pdus_below,
            mode: settings.discard,
            polls_count: settings.polls_count,
            polls_by_status: settings.poll.by_status,
            buffer: settings.buffer,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.segmenter.waiting() >= self.buffer
    }

    pub(super) fn largest_sdu(&self, room: Octets) -> Octets {
        self.segmenter.largest_sdu(room)
    }

    pub(super) fn wants_sdu(&self, room: Octets) -> bool {
        self.segmenter.wants_sdu(room)
    }

    pub(super) fn push(&mut self, packet: Packet, Clock { now, timers }: Clock, counters: &mut Counters) {
        if let Some(lifetime) = self.discard.lifetime() {
            let Some(left) = packet.left_of(lifetime, now) else { return counters.packets_discarded += 1 };
            self.discard.takes(self.segmenter.next_id(), now + left);
        }
        self.segmenter.push(packet.octets);
        self.filling.changed(&self.segmenter, timers);
    }

    /// The next data PDU: one that is sent again, or a new one.
    pub(super) fn poll(&mut self, now: Time, room: Octets, counters: &mut Counters) -> Option<Scheduled> {
        if self.below >= self.most_below {
            return None;
        }
        if let Some((number, more)) = self.window.pop_resend() {
            counters.frames_resent += 1;
            return Some(self.submit(number, false, !more, now));
        }
        if !self.may_send_new() {
            return None;
        }
        let segment = self.segmenter.next(room)?;
        counters.frames_sent += 1;
        counters.octets_sent += segment.octets as u64;
        let number = self.window.push(Pdu::from(segment));
        self.filling.changed(&self.segmenter, now);
        let last = !self.segmenter.has_data() || !self.window.has_room();
        Some(self.submit(number, true, last, now))
    }

    fn has_pdu(&mut self) -> bool {
        self.window.has_resend() || self.may_send_new()
    }

    fn may_send_new(&self) -> bool {
        self.window.has_room() && self.filling.is_ready(&self.segmenter)
    }

    /// Sees to a poll that is due while nothing is to be sent that it could ride on (§11.3.2).
    pub(super) fn schedule_poll(&mut self, now: Time, counters: &mut Counters) -> Result<(), MustReset> {
        if !self.polling.is_due() || self.poll_due || self.has_pdu() {
            return Ok(());
        }
        let asks = if self.polls_by_status {
            self.window.count_poll(self.polls_count)
        } else {
            self.window.schedule_for_poll(self.polls_count)
        };
        match asks {
            Ok(true) => self.poll_due = self.polls_by_status,
            Ok(false) => self.polling.forget(),
            Err(exhausted) => {
                self.exhausted(exhausted, counters)?;
                self.filling.changed(&self.segmenter, now);
            }
        }
        Ok(())
    }

    /// VT(S) - 1, where a STATUS PDU is to ask for a report.
    pub(super) fn poll_by_status(&self) -> Option<Number> {
        let last = self.window.end().as_u64().checked_sub(1).map(Number::new);
        last.filter(|_| self.poll_due && self.polling.is_due())
    }

    /// That STATUS PDU is handed over.
    pub(super) fn polled_by_status(&mut self) {
        self.poll_due = false;
        self.polling.handed_over(self.window.end());
    }

    fn submit(&mut self, number: Number, new: bool, last: bool, now: Time) -> Scheduled {
        let end = if new { number } else { self.window.end() };
        let submitted = Submitted { first: self.window.first(), end, window: self.window.size(), new, last };
        self.window.handed_over(number);
        self.below += 1;
        self.polling.outstanding(now);
        let poll = self.window.get(number).is_some_and(|pdu| self.polling.polls(pdu, &submitted));
        if poll {
            self.poll_due = false;
            self.polling.handed_over(self.window.end());
        }
        Scheduled { number, poll }
    }

    /// A data PDU is no longer below: sent, dropped or withdrawn, be it of before a reset.
    pub(super) fn departed(&mut self) {
        self.below = self.below.saturating_sub(1);
    }

    /// A PDU was scheduled as often as it may be (§11.3.3a).
    fn exhausted(&mut self, Exhausted(number): Exhausted, counters: &mut Counters) -> Result<(), MustReset> {
        match self.mode {
            Discard::Reset => return Err(MustReset),
            Discard::AfterTransmissions => {
                if let Some(sdu) = self.window.get(number).map(|pdu| pdu.last_sdu) {
                    self.discard_through(sdu, counters);
                }
            }
            Discard::Timer { .. } => {}
        }
        Ok(())
    }

    /// Gives SDUs up to this one up, and tells the peer.
    fn discard_through(&mut self, sdu: u64, counters: &mut Counters) {
        self.segmenter.discard_through(sdu);
        self.window.pass_over(sdu);
        counters.frames_abandoned += self.window.discard_through(sdu);
        counters.packets_discarded += self.discard.discard_through(sdu, &self.window);
    }

    /// Takes what a STATUS PDU says of our PDUs, all of it or nothing. Whether the rest of it is to be taken as well.
    pub(super) fn take_status(
        &mut self,
        status: &Status,
        now: Time,
        counters: &mut Counters,
    ) -> Result<bool, MustReset> {
        let (first, end) = (self.window.first(), self.window.end());
        match self.verdict.read(status, first, end) {
            Ok(()) => {}
            Err(Wrong::ErroneousNumber) => {
                counters.malformed_received += 1;
                return Err(MustReset);
            }
            Err(Wrong::Inconsistent) => {
                counters.malformed_received += 1;
                return Ok(false);
            }
        }
        self.verdict.received_all().for_each(|number| self.window.received(number));
        let mut slides_to = self.verdict.slides_to().unwrap_or(first);
        if let Some((n, number)) = self.verdict.moved
            && number <= end
            && self.discard.acknowledged(number, n)
        {
            slides_to = slides_to.max(number);
        }
        if let Some(size) = self.verdict.window {
            self.window.resize(size);
        }
        self.slide(slides_to);
        let verdict = core::mem::take(&mut self.verdict);
        let resent = verdict.missing().try_for_each(|number| match self.window.missing(number, now) {
            Ok(()) => Ok(()),
            Err(exhausted) => self.exhausted(exhausted, counters),
        });
        // One that is on its way already is no answer to the poll: the timer goes on.
        self.polling.reported(slides_to, |number| verdict.is_missing(number) && self.window.is_queued(number));
        self.verdict = verdict;
        self.filling.changed(&self.segmenter, now);
        resent.map(|()| true)
    }

    fn slide(&mut self, first: Number) {
        if let Some(ended) = self.window.slide(first) {
            self.discard.done_before(ended);
        }
        self.discard.slid(&self.window);
    }

    pub(super) fn handle_timeout(
        &mut self,
        Clock { now, timers }: Clock,
        counters: &mut Counters,
    ) -> Result<(), MustReset> {
        self.filling.handle_timeout(timers);
        if self.polling.handle_timeout(timers, !self.window.is_empty()) {
            counters.timeouts += 1;
        }
        while let Some(sdu) = self.discard.expired(now) {
            self.expire(sdu, counters);
        }
        self.filling.changed(&self.segmenter, timers);
        self.discard.handle_timeout(timers).map_err(|NotAnswered| MustReset)
    }

    /// `Timer_Discard` of an SDU has expired (§9.7.3.1): the peer is told where it may have a part of it.
    fn expire(&mut self, sdu: u64, counters: &mut Counters) {
        if self.segmenter.is_untouched(sdu) {
            self.segmenter.discard_through(sdu);
            counters.packets_discarded += self.discard.done_before(sdu + 1);
        } else {
            self.discard_through(sdu, counters);
        }
    }

    /// All as in the beginning: SDUs of which anything was sent are dropped, the others stay (§11.4.3).
    pub(super) fn reset(&mut self, now: Time, counters: &mut Counters) {
        self.window.reset();
        self.polling.reset();
        self.discard.reset();
        self.poll_due = false;
        self.segmenter.restart();
        self.filling.changed(&self.segmenter, now);
        counters.packets_discarded += self.discard.done_before(self.segmenter.first_untouched());
    }

    pub(super) fn deadlines(&self) -> impl Iterator<Item = Time> {
        let all = self.polling.deadlines().into_iter().chain([self.filling.deadline(), self.discard.deadline()]);
        all.flatten()
    }
}
