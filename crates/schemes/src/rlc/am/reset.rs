//! The reset procedure: both ends begin anew, with numbers from zero (§11.4).
//!
//! ```text
//!     this end                              the peer
//!       | RESET  RSN = 0  ---------x           |
//!       |   Timer_RST                          |
//!       | RESET  RSN = 0  ------------------>  | begins anew
//!       |            x------ RESET ACK RSN = 0 |
//!       | RESET  RSN = 0  ------------------>  | answers again, and does not begin anew
//!       |  <---------------- RESET ACK RSN = 0 |
//!       | begins anew                          |
//! ```

use super::Number;
use super::config;
use crate::rlc::pdu;
use arqway_arq::Deadline;
use arqway_units::Time;

#[derive(Debug)]
pub(super) struct ResetProcedure {
    config: config::Reset,
    /// RSN of the next procedure, or of this one.
    number: bool,
    /// A RESET waits for its answer: the state `RESET_PENDING`.
    pending: bool,
    /// VT(RST).
    scheduled: u16,
    /// `Timer_RST`.
    timer: Deadline,
    /// A RESET is to be handed over.
    due: bool,
    /// RSN of the last RESET that was received, and what was answered.
    answered: Option<pdu::Reset>,
    answer_due: bool,
    sent: HyperFrameNumber,
}

/// HFN of what this end sends: how often its numbers have begun at zero again. It keeps the two ends of a cipher in step;
/// without one, nobody needs that of the peer.
#[derive(Debug, Clone, Copy, Default)]
struct HyperFrameNumber(u32);

impl HyperFrameNumber {
    /// Of the last of so many PDUs (§11.4.1); what crosses the link has 20 bits.
    fn of_last(self, end: Number) -> u32 {
        let wraps = end.as_u64().saturating_sub(1) / Number::MODULUS;
        u32::try_from((u64::from(self.0) + wraps) % (1 << 20)).unwrap_or(0)
    }

    fn next(number: u32) -> Self {
        Self((number + 1) % (1 << 20))
    }
}

/// What the reset procedure has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResetPdu {
    Reset(pdu::Reset),
    ResetAck(pdu::Reset),
}

impl ResetProcedure {
    pub(super) fn new(config: config::Reset) -> Self {
        Self {
            config,
            number: false,
            pending: false,
            scheduled: 0,
            timer: Deadline::default(),
            due: false,
            answered: None,
            answer_due: false,
            sent: HyperFrameNumber::default(),
        }
    }

    /// While it is, no data and no STATUS is sent or taken.
    pub(super) fn is_pending(&self) -> bool {
        self.pending
    }

    /// Begins the procedure (§11.4.2), unless it is going on. Whether the error is unrecoverable.
    pub(super) fn initiate(&mut self) -> bool {
        if self.pending {
            return false;
        }
        self.pending = true;
        self.schedule()
    }

    /// Who would establish the bearer afresh after an unrecoverable error is not here: the procedure goes on, and the
    /// error is counted once more for each `MaxRST`.
    fn schedule(&mut self) -> bool {
        self.due = true;
        self.scheduled += 1;
        let unrecoverable = self.scheduled >= self.config.most.get();
        if unrecoverable {
            self.scheduled = 1;
        }
        unrecoverable
    }

    /// The next control PDU of the procedure; VT(S) is this now. The answer goes first: where both ends ask, more often than the line
    /// takes a PDU, neither would ever be answered.
    pub(super) fn poll(&mut self, end: Number) -> Option<ResetPdu> {
        if core::mem::take(&mut self.answer_due) {
            return self.answered.map(ResetPdu::ResetAck);
        }
        if core::mem::take(&mut self.due) {
            let hyper_frame_number = self.sent.of_last(end);
            return Some(ResetPdu::Reset(pdu::Reset { number: self.number, hyper_frame_number }));
        }
        None
    }

    /// The moment of a RESET at which its timer starts.
    pub(super) fn start_timer(&mut self, now: Time) {
        if self.pending {
            self.timer.restart(now + self.config.timer);
        }
    }

    /// Takes a RESET; VT(S) is this now. Whether this end begins anew.
    pub(super) fn asked(&mut self, reset: pdu::Reset, end: Number) -> bool {
        self.answer_due = true;
        if self.answered.is_some_and(|answered| answered.number == reset.number) {
            return false;
        }
        let highest = self.sent.of_last(end);
        self.answered = Some(pdu::Reset { number: reset.number, hyper_frame_number: highest });
        // Where our own waits for its answer, that will count on (§11.4.5.3).
        self.sent = if self.pending { HyperFrameNumber(highest) } else { HyperFrameNumber::next(highest) };
        true
    }

    /// Takes a RESET ACK; VT(S) is this now. Whether this end begins anew.
    pub(super) fn acknowledged(&mut self, answer: pdu::Reset, end: Number) -> bool {
        if !self.pending || answer.number != self.number {
            return false;
        }
        self.sent = HyperFrameNumber::next(self.sent.of_last(end));
        self.pending = false;
        self.due = false;
        self.scheduled = 0;
        self.number = !self.number;
        self.timer.stop();
        true
    }

    /// Whether the error is unrecoverable.
    pub(super) fn handle_timeout(&mut self, now: Time) -> bool {
        self.timer.fire(now) && self.pending && self.schedule()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timer.get()
    }
}
