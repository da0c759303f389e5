//! Status reports: when the receiver sends one, and what it says (§9.7.2, §11.5; timers of §9.5).
//!
//! A report names every PDU missing below VR(H). Where it fits into one STATUS PDU, its ACK says VR(H), else VR(R) in each.
//! It is written when it can be handed over, not when it was triggered, so that it says the latest.

use super::Number;
use super::config::{MissingAs, Status};
use super::discard::MrwContents;
use super::receiver::Receiver;
use crate::rlc::pdu::StatusWriter;
use alloc::collections::VecDeque;
use arqway_arq::Deadline;
use arqway_units::{Span, Time};
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Reporting {
    config: Status,
    /// How long a STATUS PDU may be.
    limit: usize,
    /// How long it must be.
    pad_to: Option<usize>,
    /// The receiving window reaches half the numbers: a bitmap may not begin before VR(R).
    half_window: bool,
    /// A report is to be sent.
    triggered: bool,
    /// A report was handed over, and `Timer_Status_Prohibit` has not expired since.
    prohibited: bool,
    /// `Timer_Status_Prohibit`.
    prohibit: Deadline,
    /// `Timer_Status_Periodic`.
    periodic: Deadline,
    /// Since the last report PDUs have arrived.
    heard: bool,
    /// N and `SN_ACK` of the answer to the last MRW, to be sent.
    answer: Option<(u8, Number)>,
    /// Further PDUs of a report that did not fit into one.
    rest: VecDeque<Bytes>,
}

/// A STATUS PDU, and what is in it.
#[derive(Debug)]
pub(super) struct StatusPdu {
    pub(super) octets: Bytes,
    /// It is the last one of a report.
    pub(super) ends_report: bool,
    /// It carries the request to move the peer's window.
    pub(super) moves_window: bool,
    /// It asks for a report.
    pub(super) polls: bool,
}

impl Reporting {
    pub(super) fn new(config: Status, pdu_size: usize, pads: bool, window: usize) -> Self {
        let mut periodic = Deadline::default();
        if config.periodic != Span::ZERO && config.periodic_while_idle {
            periodic.restart(Time::ZERO + config.periodic);
        }
        Self {
            config,
            limit: pdu_size,
            pad_to: pads.then_some(pdu_size),
            half_window: window as u64 >= Number::MODULUS / 2,
            triggered: false,
            prohibited: false,
            prohibit: Deadline::default(),
            periodic,
            heard: false,
            answer: None,
            rest: VecDeque::new(),
        }
    }

    /// A PDU has arrived; whether it asks for a report, or lies beyond one that is missing.
    pub(super) fn heard(&mut self, polled: bool, misses: bool, now: Time) {
        self.heard = true;
        if self.config.periodic != Span::ZERO {
            self.periodic.start_if_stopped(now + self.config.periodic);
        }
        self.triggered |= polled || (misses && self.config.missing);
    }

    /// The link below came back.
    pub(super) fn link_is_back(&mut self, has_heard_anything: bool) {
        self.triggered |= self.config.after_outage && has_heard_anything;
    }

    /// An MRW is to be answered: also one that is old, for its answer may have been lost (§11.6.6.1).
    pub(super) fn answer(&mut self, n: u8, number: Number) {
        self.answer = Some((n, number));
    }

    fn may_report(&self) -> bool {
        self.triggered && !self.prohibited
    }

    /// Whether something is to be sent, beside an MRW or a poll.
    pub(super) fn is_due(&self) -> bool {
        !self.rest.is_empty() || self.answer.is_some() || self.may_report()
    }

    pub(super) fn pad_to(&self) -> Option<usize> {
        self.pad_to
    }

    /// The next STATUS PDU.
    pub(super) fn poll(
        &mut self,
        receiver: &Receiver,
        mrw: Option<MrwContents>,
        poll: Option<Number>,
    ) -> Option<StatusPdu> {
        if let Some(octets) = self.rest.pop_front() {
            return Some(StatusPdu { octets, ends_report: self.rest.is_empty(), moves_window: false, polls: false });
        }
        let mut writer = StatusWriter::new(self.limit);
        let (moves_window, polls) = self.write_others(&mut writer, mrw, poll);
        let reports = self.may_report();
        if !reports {
            let is_needed = !writer.is_empty();
            let octets = is_needed.then(|| writer.finish(self.pad_to))?;
            return Some(StatusPdu { octets, ends_report: false, moves_window, polls });
        }
        self.write_report(writer, receiver);
        self.reported();
        let octets = self.rest.pop_front()?;
        Some(StatusPdu { octets, ends_report: self.rest.is_empty(), moves_window, polls })
    }

    /// The same for the padding of a data PDU, of so many octets: only where all that there is to say fits in.
    pub(super) fn poll_piggybacked(
        &mut self,
        room: usize,
        receiver: &Receiver,
        mrw: Option<MrwContents>,
        poll: Option<Number>,
    ) -> Option<StatusPdu> {
        if !self.rest.is_empty() || room == 0 {
            return None;
        }
        let mut writer = StatusWriter::new(room);
        let (wants_mrw, wants_poll, answer) = (mrw.is_some(), poll.is_some(), self.answer);
        let (moves_window, polls) = self.write_others(&mut writer, mrw, poll);
        let reports = self.may_report();
        let fits_report = !reports
            || writer.keep_room_for_ack()
                && self.write_missing(&mut writer, receiver, receiver.first()) == receiver.end()
                && writer.push_ack(receiver.end().wire_u16());
        if !fits_report || moves_window != wants_mrw || polls != wants_poll || self.answer.is_some() {
            self.answer = answer;
            return None;
        }
        if reports {
            self.reported();
        }
        let octets = writer.finish_piggybacked();
        Some(StatusPdu { octets, ends_report: reports, moves_window, polls })
    }

    fn reported(&mut self) {
        self.triggered = false;
        self.heard = false;
        self.prohibited = self.config.prohibit != Span::ZERO;
    }

    /// What tells nothing of data PDUs is never prohibited. Whether a request to move the window and a poll are among it.
    fn write_others(
        &mut self,
        writer: &mut StatusWriter,
        mrw: Option<MrwContents>,
        poll: Option<Number>,
    ) -> (bool, bool) {
        if let Some((n, number)) = self.answer
            && writer.push_move_receiving_window_ack(n, number.wire_u16())
        {
            self.answer = None;
        }
        let moves_window =
            mrw.is_some_and(|mrw| writer.push_move_receiving_window(&mrw.numbers, mrw.n, mrw.beyond_window));
        let polls = poll.is_some_and(|number| writer.push_poll(number.wire_u16()));
        if self.config.window.get() != 0 && self.may_report() {
            writer.push_window(self.config.window.get());
        }
        (moves_window, polls)
    }

    /// Writes the report, into as many PDUs as it takes.
    fn write_report(&mut self, mut writer: StatusWriter, receiver: &Receiver) {
        let end = receiver.end();
        let mut next = receiver.first();
        loop {
            let has_room = writer.keep_room_for_ack();
            let told = if has_room { self.write_missing(&mut writer, receiver, next) } else { next };
            let is_whole = told == end;
            let is_one = self.rest.is_empty();
            // A part of a report may not speak of what the others do.
            let acknowledged = if is_whole && is_one { end } else { receiver.first() };
            writer.push_ack(acknowledged.wire_u16());
            self.rest.push_back(core::mem::replace(&mut writer, StatusWriter::new(self.limit)).finish(self.pad_to));
            if is_whole || (told == next && !is_one) {
                return;
            }
            next = told;
        }
    }

    /// Names what is missing from `next` on, as far as it fits: all before the number returned is told.
    fn write_missing(&self, writer: &mut StatusWriter, receiver: &Receiver, next: Number) -> Number {
        let mut next = receiver.missing_from(next).next().unwrap_or(receiver.end());
        while next < receiver.end() {
            let told = match self.config.missing_as {
                MissingAs::Bitmap => self.write_bitmap(writer, receiver, next),
                MissingAs::List | MissingAs::RelativeList => self.write_list(writer, receiver, next),
            };
            if told == next {
                break;
            }
            next = receiver.missing_from(told).next().unwrap_or(receiver.end());
        }
        next
    }

    fn write_bitmap(&self, writer: &mut StatusWriter, receiver: &Receiver, next: Number) -> Number {
        let count = next_offset(receiver.end(), next);
        // Reaching back is allowed as far as VR(R) - 7, and must say of what is told already that it is not missing.
        let may_reach_back = !self.half_window && next == receiver.first();
        let told = writer.push_bitmap(next.wire_u16(), count, may_reach_back, |number| {
            receiver.has(Number::at_or_after(next, u64::from(number)))
        });
        if told == 0 { self.write_list(writer, receiver, next) } else { next + u64::from(told) }
    }

    /// Names missing PDUs one by one: all before the number returned is told.
    fn write_list(&self, writer: &mut StatusWriter, receiver: &Receiver, next: Number) -> Number {
        let missing = receiver.missing_from(next).map(Number::wire_u16);
        let told = match self.config.missing_as {
            MissingAs::RelativeList => writer.push_relative_list(missing),
            MissingAs::List | MissingAs::Bitmap => writer.push_list(missing),
        };
        let last = told.checked_sub(1).and_then(|told| receiver.missing_from(next).nth(told));
        last.map_or(next, Number::next)
    }

    /// The moment of a report's last PDU at which its timer starts.
    pub(super) fn start_timer(&mut self, now: Time) {
        if self.prohibited {
            self.prohibit.restart(now + self.config.prohibit);
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time, misses: bool) {
        if self.prohibit.fire(now) {
            self.prohibited = false;
        }
        if self.periodic.fire(now) {
            let is_idle = !self.heard && !misses;
            if self.config.periodic_while_idle || !is_idle {
                self.periodic.restart(now + self.config.periodic);
                self.triggered = true;
            }
        }
    }

    /// All as in the beginning but what runs on through a reset (§11.4.3).
    pub(super) fn reset(&mut self) {
        self.triggered = false;
        self.prohibited = false;
        self.prohibit.stop();
        self.heard = false;
        self.answer = None;
        self.rest.clear();
    }

    pub(super) fn deadlines(&self) -> [Option<Time>; 2] {
        [self.prohibit.get(), self.periodic.get()]
    }
}

fn next_offset(end: Number, from: Number) -> u16 {
    end.offset_from(from).and_then(|count| u16::try_from(count).ok()).unwrap_or(0)
}
