//! State 10, Data Transfer Ready: data, polls, and what they are answered with.

use super::primitives::Error;
use super::receiver::{Arrival, Arriving};
use super::sender::Data;
use super::{Connection, Outgoing, Pdu, State, Timer};
use crate::sscop::pdu::Stat;
use arqway_units::Time;

/// What goes out.
impl Connection {
    pub(super) fn poll_transfer(&mut self, now: Time) -> Option<Outgoing> {
        if self.sender.is_blocked() && self.timers.are_idle() {
            // Without credit nothing else would ask for more.
            self.leave_idle(now);
            self.request_poll();
            self.timers.set(Timer::Poll, now);
        }
        // Polls that come faster than the line goes must not keep data from it.
        if self.poll_is_due && !(self.was_poll && self.sender.has_something_to_send()) {
            return Some(self.poll());
        }
        let data = self.sender.take()?;
        self.was_poll = false;
        self.after_data(&data, now);
        let Data { number, packet, link, was_sent, .. } = data;
        Some(Outgoing { pdu: Pdu::Sd { number: number.wire_u32(), packet }, is_repeated: was_sent, link })
    }

    fn poll(&mut self) -> Outgoing {
        (self.poll_is_due, self.was_poll) = (false, true);
        let (ps, s) = (self.sender.next_poll(), self.sender.next());
        Outgoing::of(Pdu::Poll { ps: ps.wire_u32(), s: s.wire_u32() })
    }

    /// Polls after MaxPD data, or after the last that are sent again; else the first data start the timer.
    fn after_data(&mut self, data: &Data, now: Time) {
        let is_due = self.sender.count_to_poll(self.parameters.max_pd);
        if self.timers.are_idle() {
            self.leave_idle(now);
        }
        let is_due = is_due || data.ends_retransmission && self.parameters.poll_after_retransmission;
        if is_due {
            self.request_poll();
        }
        if is_due || !self.timers.runs(Timer::Poll) {
            self.timers.stop(Timer::KeepAlive);
            self.timers.set(Timer::Poll, now);
        }
    }

    /// There will be polls again, and answers are waited for.
    fn leave_idle(&mut self, now: Time) {
        self.timers.stop(Timer::Idle);
        self.timers.set(Timer::NoResponse, now);
    }

    /// A poll is to be handed over; VT(PD) begins anew.
    pub(super) fn request_poll(&mut self) {
        self.poll_is_due = true;
        self.sender.polled();
    }

    /// "Set POLL timer": data that are on their way are asked after more often than the connection is.
    pub(super) fn set_poll_timer(&mut self, now: Time) {
        let timer = if self.sender.is_done() { Timer::KeepAlive } else { Timer::Poll };
        self.timers.set(timer, now);
    }
}

/// What comes in.
impl Connection {
    pub(super) fn take_data(&mut self, sd: Arriving, now: Time) {
        match self.receiver.take(sd, now, &mut self.held) {
            Arrival::Taken(missing) | Arrival::BeyondWindow(missing) => {
                if let Some(hole) = missing {
                    self.reports.tell_missing(hole);
                }
            }
            Arrival::Twice => return self.recover(Error::SequenceNumber, now),
        }
        self.deliver();
    }

    pub(super) fn take_poll(&mut self, ps: u32, s: u32, now: Time) {
        if self.receiver.hear_of_sent(s) {
            self.reports.answer(ps);
        } else {
            self.recover(Error::SequenceNumber, now);
        }
    }

    pub(super) fn take_ustat(&mut self, [first, end, mr, r]: [u32; 4], now: Time) {
        match self.sender.take_ustat(first, end, mr, r) {
            Ok(count) => self.error(Error::Retransmission(count)),
            Err(error) => self.recover(error, now),
        }
    }

    pub(super) fn take_stat(&mut self, stat: &Stat, now: Time) {
        match self.sender.take_stat(stat) {
            Ok(Some(count)) => self.error(Error::Retransmission(count)),
            Ok(None) => {}
            Err(error) => return self.recover(error, now),
        }
        let has_credit = self.sender.has_credit();
        if has_credit != core::mem::replace(&mut self.had_credit, has_credit) {
            self.error(if has_credit { Error::CreditObtained } else { Error::CreditLost });
        }
        if self.timers.runs(Timer::Poll) {
            self.timers.set(Timer::NoResponse, now);
        } else if !self.timers.runs(Timer::Idle) {
            self.timers.stop(Timer::KeepAlive);
            self.timers.stop(Timer::NoResponse);
            self.timers.set(Timer::Idle, now);
        }
    }

    /// What the peer said cannot be: both ends begin anew (§7.3 "error recovery").
    fn recover(&mut self, error: Error, now: Time) {
        self.error(error);
        self.timers.reset_data_transfer();
        self.asked = 1;
        self.attempt = self.attempt.next();
        self.send_er();
        self.sender.prepare_retrieval();
        self.timers.set(Timer::Cc, now);
        self.state = State::OutgoingRecoveryPending;
    }

    pub(super) fn send_er(&mut self) {
        let (sq, mr) = (self.attempt.wire_u8(), self.first_credit());
        self.send(Pdu::Er { sq, mr });
    }
}
