//! Acknowledged mode as a service of a link.

use super::ticket::{Handed, What};
use super::{AcknowledgedMode, Number};
use crate::rlc::pdu;
use crate::rlc::pdu::AmPdu;
use arqway_arq::TimerStarts;
use arqway_contract::{Clock, Counters, Deadlines, Departure, Entity, Frame, Packet, Start, Tag, Ticket};
use arqway_units::Octets;
use bytes::Bytes;

impl Entity for AcknowledgedMode {
    fn has_room(&self) -> bool {
        !self.sender.is_full()
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.sender.wants_sdu(room)
    }

    fn push(&mut self, packet: Packet, now: Clock, counters: &mut Counters) {
        self.sender.push(packet, now, counters);
    }

    fn receive(&mut self, frame: Frame, Clock { timers: now, .. }: Clock, counters: &mut Counters) -> Option<()> {
        let end = self.sender.window.end();
        match pdu::parse_am(frame, self.peer_indicators, self.options)? {
            // §11.4.2: ignored until the RESET is answered.
            AmPdu::Data(_) | AmPdu::Status(_) if self.reset.is_pending() => counters.out_of_sequence_received += 1,
            AmPdu::Data(data) => self.take_data(data, now, counters),
            AmPdu::Status(status) => self.take_status(&status, now, counters),
            AmPdu::Reset(reset) => {
                let begins_anew = self.reset.asked(reset, end);
                self.take_reset(begins_anew, now, counters);
            }
            AmPdu::ResetAck(answer) => {
                let begins_anew = self.reset.acknowledged(answer, end);
                self.take_reset(begins_anew, now, counters);
            }
        }
        Some(())
    }

    fn expire(&mut self, now: Clock, counters: &mut Counters) {
        counters.unrecoverable_errors += u64::from(self.reset.handle_timeout(now.timers));
        self.reporting.handle_timeout(now.timers, self.receiver.misses_any());
        if self.sender.handle_timeout(now, counters).is_err() {
            self.initiate_reset(counters);
        }
    }

    fn link_is_back(&mut self) {
        self.reporting.link_is_back(self.receiver.end() > Number::ZERO);
    }

    fn poll(&mut self, Clock { timers: now, .. }: Clock, room: Octets, counters: &mut Counters) -> Option<Frame> {
        if let Some(frame) = self.poll_reset(now) {
            return Some(frame);
        }
        if self.reset.is_pending() {
            return None;
        }
        if self.sender.schedule_poll(now, counters).is_err() {
            self.initiate_reset(counters);
            return self.poll_reset(now);
        }
        if let Some(frame) = self.held.take() {
            return Some(frame);
        }
        self.poll_piggybacked(now, room, counters)
            .or_else(|| self.poll_status(now, counters))
            .or_else(|| self.held.take())
            .or_else(|| self.poll_data(now, room, counters))
    }

    fn start(&mut self, frame: &mut Frame, Clock { timers: now, .. }: Clock, counters: &mut Counters) -> Start {
        let Some(handed) = frame.ticket.map(Handed::of) else { return Start::Send };
        if self.is_of_before(handed) || self.is_stale(handed.what) {
            counters.frames_withdrawn += 1;
            if matches!(handed.what, What::Data { .. }) {
                self.sender.departed();
            }
            return Start::Withdraw;
        }
        if self.timer_starts == TimerStarts::Start {
            self.start_timers(handed.what, now);
        }
        Start::Send
    }

    fn departed(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, Clock { timers: now, .. }: Clock) {
        let handed = Handed::of(ticket);
        if matches!(handed.what, What::Data { .. }) {
            self.sender.departed();
        }
        if self.is_of_before(handed) {
            return;
        }
        if let What::Data { number, .. } = handed.what {
            self.sender.window.departed(number, (departure == Departure::Sent).then_some(now));
        }
        if self.timer_starts.at(departure) {
            self.start_timers(handed.what, now);
        }
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        self.sender.largest_sdu(room)
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.receiver.poll_packet()
    }

    fn deadlines(&self) -> Deadlines {
        let reports = self.reporting.deadlines().into_iter().flatten();
        let timers = self.sender.deadlines().chain(reports).chain(self.reset.deadline()).min();
        Deadlines { now: self.sender.discard.expiry(), timers }
    }
}
