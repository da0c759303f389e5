//! Acknowledged mode as a service of a link.

use super::ticket::{Handed, What};
use super::{AcknowledgedMode, Number};
use crate::arq::TimerStarts;
use crate::contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use crate::services::rlc::pdu;
use crate::services::rlc::pdu::AmPdu;
use arqway_units::Time;

impl LinkService for AcknowledgedMode {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        if let Some(octets) = self.counters.admit(packet, !self.sender.is_full())? {
            self.sender.push(octets, self.outage.timer_time(now));
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        let now = self.outage.timer_time(now);
        let end = self.sender.window.end();
        match pdu::parse_am(frame, self.peer_indicators, self.options) {
            // §11.4.2: ignored until the RESET is answered.
            Some(AmPdu::Data(_) | AmPdu::Status(_)) if self.reset.is_pending() => {
                self.counters.out_of_sequence_received += 1
            }
            Some(AmPdu::Data(data)) => self.take_data(data, now),
            Some(AmPdu::Status(status)) => self.take_status(&status, now),
            Some(AmPdu::Reset(reset)) => {
                let begins_anew = self.reset.asked(reset, end);
                self.take_reset(begins_anew, now);
            }
            Some(AmPdu::ResetAck(answer)) => {
                let begins_anew = self.reset.acknowledged(answer, end);
                self.take_reset(begins_anew, now);
            }
            None => self.counters.malformed_received += 1,
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.outage.is_on() {
            return;
        }
        self.counters.unrecoverable_errors += u64::from(self.reset.handle_timeout(now));
        self.reporting.handle_timeout(now, self.receiver.misses_any());
        if self.sender.handle_timeout(now, &mut self.counters).is_err() {
            self.initiate_reset();
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.sender.postpone(length);
            self.reporting.timers().into_iter().for_each(|timer| timer.postpone(length));
            self.reset.timer().postpone(length);
            self.reporting.outage_is_over(self.receiver.end() > Number::ZERO);
        }
    }

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        if let Some(frame) = self.poll_reset(now) {
            return Some(frame);
        }
        if self.reset.is_pending() {
            return None;
        }
        if self.sender.schedule_poll(now, &mut self.counters).is_err() {
            self.initiate_reset();
            return self.poll_reset(now);
        }
        if let Some(frame) = self.held.take() {
            return Some(frame);
        }
        self.poll_piggybacked(now)
            .or_else(|| self.poll_status(now))
            .or_else(|| self.held.take())
            .or_else(|| self.poll_data(now))
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        let Some(handed) = frame.ticket.map(Handed::of) else { return Start::Send };
        if self.is_of_before(handed) || self.is_stale(handed.what) {
            self.counters.frames_withdrawn += 1;
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

    fn handle_departure(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        let now = self.outage.timer_time(now);
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
        let starts_now = match departure {
            Departure::Sent => self.timer_starts == TimerStarts::Departure,
            // It will never start: only a timer can bring it back.
            Departure::Dropped => self.timer_starts != TimerStarts::HandOver,
        };
        if starts_now {
            self.start_timers(handed.what, now);
        }
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        let octets = self.receiver.poll_packet()?;
        self.counters.packets_delivered += 1;
        Some(Packet::new(octets))
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() {
            return None;
        }
        let reports = self.reporting.deadlines().into_iter().flatten();
        self.sender.deadlines().chain(reports).chain(self.reset.deadline()).min()
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
