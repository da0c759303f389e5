//! The polling function: when a data PDU asks the peer for a report (§9.7.1, timers of §9.5).
//!
//! ```text
//!     trigger ---> wanted ---> on the next data PDU, unless prohibited ---> Timer_Poll, Timer_Poll_Prohibit start
//!                    ^                                                          |
//!                    +------------------ Timer_Poll expires --------------------+
//! ```

use super::Number;
use super::config::Poll;
use super::window::Pdu;
use arqway_arq::Deadline;
use arqway_units::{Span, Time, ToFloat};

#[derive(Debug)]
pub(super) struct Polling {
    config: Poll,
    /// Triggered, and not sent yet.
    wanted: bool,
    /// A poll was handed over, and `Timer_Poll_Prohibit` has not expired since.
    prohibited: bool,
    /// `Timer_Poll_Prohibit`.
    prohibit: Deadline,
    /// `Timer_Poll`.
    timer: Deadline,
    /// VT(S) after the last poll was handed over.
    polled: Number,
    /// `Timer_Poll_Periodic`.
    periodic: Deadline,
    /// VT(PDU).
    pdus: u16,
    /// VT(SDU).
    sdus: u16,
    /// The SDU at whose end there is a poll.
    sdu: Option<u64>,
}

/// What the sender knows of a data PDU that it is about to hand over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Submitted {
    /// VT(A).
    pub(super) first: Number,
    /// VT(S) before it.
    pub(super) end: Number,
    /// VT(WS).
    pub(super) window: usize,
    /// It was never sent before.
    pub(super) new: bool,
    /// There is no further one to send, or none that may be: of new ones if it is new, else of those to be sent again.
    pub(super) last: bool,
}

impl Polling {
    pub(super) fn new(config: Poll) -> Self {
        Self {
            config,
            wanted: false,
            prohibited: false,
            prohibit: Deadline::default(),
            timer: Deadline::default(),
            polled: Number::ZERO,
            periodic: Deadline::default(),
            pdus: 0,
            sdus: 0,
            sdu: None,
        }
    }

    /// Whether a poll is to be sent and may be: also where there is no PDU that it could ride on.
    pub(super) fn is_due(&self) -> bool {
        self.wanted && !self.prohibited
    }

    /// There is nothing that a report could tell of.
    pub(super) fn forget(&mut self) {
        self.wanted = false;
    }

    /// Whether this PDU bears the polling bit (§11.3.2.1.1).
    pub(super) fn polls(&mut self, pdu: &Pdu, submitted: &Submitted) -> bool {
        self.wanted |= self.triggers(pdu, submitted);
        self.is_due()
    }

    fn triggers(&mut self, pdu: &Pdu, submitted: &Submitted) -> bool {
        let Poll { last_pdu, last_retransmission, .. } = self.config;
        let last = submitted.last && if submitted.new { last_pdu } else { last_retransmission };
        // All are asked, for each counts.
        let every_pdus = self.every_pdus();
        let every_sdus = submitted.new && self.every_sdus(pdu);
        last || every_pdus || every_sdus || self.window_is_used(submitted)
    }

    fn every_pdus(&mut self) -> bool {
        self.pdus += 1;
        let due = self.config.every_pdus.get() != 0 && self.pdus >= self.config.every_pdus.get();
        if due || self.config.every_pdus.get() == 0 {
            self.pdus = 0;
        }
        due
    }

    /// VT(SDU) counts an SDU at its first octet; the poll stands at the end of the one that made it full.
    fn every_sdus(&mut self, pdu: &Pdu) -> bool {
        let mut due = self.reaches(pdu);
        if self.config.every_sdus.get() != 0 {
            for sdu in pdu.first_octets.clone() {
                self.sdus += 1;
                if self.sdus >= self.config.every_sdus.get() {
                    self.sdus = 0;
                    self.sdu = Some(sdu);
                    due |= self.reaches(pdu);
                }
            }
        }
        due
    }

    fn reaches(&mut self, pdu: &Pdu) -> bool {
        let reached = self.sdu.is_some_and(|sdu| pdu.last_octets.contains(&sdu));
        if reached {
            self.sdu = None;
        }
        reached
    }

    /// J of §9.6 d), with VT(S) as it is before the PDU.
    fn window_is_used(&self, submitted: &Submitted) -> bool {
        let used = (submitted.end.as_u64() + 1 - submitted.first.as_u64()) % Number::MODULUS;
        let threshold = self.config.window.as_f64();
        threshold > 0.0 && used.to_f64() >= threshold * submitted.window.to_f64()
    }

    /// A poll was handed over; VT(S) is this now.
    pub(super) fn handed_over(&mut self, end: Number) {
        self.wanted = false;
        self.polled = end;
        self.prohibited = self.config.prohibit != Span::ZERO;
    }

    /// The moment of that poll at which its timers start.
    pub(super) fn start_timers(&mut self, now: Time) {
        if self.config.timer != Span::ZERO {
            self.timer.restart(now + self.config.timer);
        }
        if self.prohibited {
            self.prohibit.restart(now + self.config.prohibit);
        }
    }

    /// Something is outstanding.
    pub(super) fn outstanding(&mut self, now: Time) {
        if self.config.periodic != Span::ZERO {
            self.periodic.start_if_stopped(now + self.config.periodic);
        }
    }

    /// Takes a report: VT(A) is this now, and the PDU before VT(S) at the last poll was named as missing or not.
    pub(super) fn reported(&mut self, first: Number, names: impl Fn(Number) -> bool) {
        let last_polled = self.polled.as_u64().checked_sub(1).map(Number::new);
        if first >= self.polled || last_polled.is_some_and(names) {
            self.timer.stop();
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time, is_outstanding: bool) -> bool {
        if self.prohibit.fire(now) {
            self.prohibited = false;
        }
        if self.periodic.fire(now) && is_outstanding {
            self.periodic.restart(now + self.config.periodic);
            self.wanted = true;
        }
        let unanswered = self.timer.fire(now) && is_outstanding;
        self.wanted |= unanswered;
        unanswered
    }

    /// All as in the beginning but what runs on through a reset (§11.4.3).
    pub(super) fn reset(&mut self) {
        *self = Self { periodic: self.periodic, ..Self::new(self.config) };
    }

    pub(super) fn deadlines(&self) -> [Option<Time>; 3] {
        [self.prohibit.get(), self.timer.get(), self.periodic.get()]
    }
}
