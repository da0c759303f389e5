//! Acknowledged mode of Radio Link Control (3GPP TS 25.322 V7.0.0 §9, §11.3 to §11.6; what later versions added is marked so).
//!
//! ```text
//!     SDUs                                                     SDUs
//!       | segmentation                                           ^ reassembly
//!     sender   VT(A) .. VT(S)                                  receiver   VR(R) .. VR(H)
//!       |  AMD PDU, perhaps with a poll ---------------------->  |
//!       |  <---------------------- STATUS: what is missing, ACK  |   on a poll, a gap, or a timer
//!       |  AMD PDU again -------------------------------------->  |
//!       |  STATUS: MRW (SDUs are given up) -------------------->  |
//!       |  <---------------------------------- STATUS: MRW_ACK   |
//! ```
//!
//! Nothing is sent again by a timer of its own: what the sender knows of losses, reports told it. So which triggers are
//! configured decides whether a loss is found at all; [`Config`] has parameter sets.
//!
//! The state variables are divided among files, one for each procedure. Windows, polls, reports, discards and resets know each
//! other only through `sender.rs`, this file and `service.rs`. A report is read whole into a `Verdict` before any of it is
//! acted on.
//!
//! - SDUs come out in order and at most once; all do, where none is discarded and some timer polls or reports.
//! - The link below must keep the order of frames: the standard's numbers assume it. A frame that comes too late may pass for
//!   another, and a report that comes too late resets both ends.
//! - Not here: ciphering, the local suspend and stop functions, re-establishment (§9.7.5 to §9.7.8), which are asked for by
//!   layers that a link of packets does not have, and `Timer_Reordering` (since V11).

mod as_received;
mod config;
mod discard;
#[cfg(feature = "fuzz")]
mod fuzz;
mod polling;
mod receiver;
mod report;
mod reset;
mod sender;
mod service;
#[cfg(test)]
mod tests;
mod ticket;
mod verdict;
mod window;

pub use config::{
    Config, Discard, MissingAs, MrwConfig, PduSize, PollConfig, Profile, ResetConfig, StatusConfig, TimerStarts,
};

use crate::rlc::pdu;
use crate::rlc::pdu::{AmOptions, Amd, LengthIndicatorSize, Status, Sufi};
use crate::rlc::segmentation::with_status;
use alloc::boxed::Box;
use arqway_arq::Seq;
use arqway_contract::{Counters, Frame};
use arqway_units::{Octets, Time};
use bytes::Bytes;
use config::Settings;
use receiver::{Arrival, Receiver};
use report::{Reporting, StatusPdu};
use reset::{ResetPdu, ResetProcedure};
use sender::{MustReset, Scheduled, Sender};
use ticket::{Handed, What};

/// The sequence number of an AMD PDU.
type Number = Seq<12>;

/// Its two halves, and the procedures that concern both.
#[derive(Debug)]
pub struct AcknowledgedMode {
    /// Apart, for an end of any service is as large as the largest.
    sender: Box<Sender>,
    receiver: Receiver,
    reporting: Reporting,
    reset: ResetProcedure,
    /// How often this end has begun anew: frames from before are not sent.
    epoch: Seq<16>,
    /// A data PDU that must let a report go first.
    held: Option<Frame>,
    indicators: LengthIndicatorSize,
    peer_indicators: LengthIndicatorSize,
    options: AmOptions,
    timer_starts: TimerStarts,
    drop_stale_copies: bool,
    piggyback: bool,
}

impl AcknowledgedMode {
    /// An end with nothing sent and nothing received.
    fn new(settings: &Settings) -> Self {
        Self {
            sender: Box::new(Sender::new(settings)),
            receiver: Receiver::new(settings.window, settings.in_sequence),
            reporting: Reporting::new(settings.status, settings.pdu_size, settings.pad_control_pdus, settings.window),
            reset: ResetProcedure::new(settings.reset),
            epoch: Seq::ZERO,
            held: None,
            indicators: settings.indicators,
            peer_indicators: settings.peer_indicators,
            options: AmOptions {
                ends_here: settings.special_header_extension,
                at_most_fifteen_ends: settings.discard != Discard::Reset,
            },
            timer_starts: settings.timer_starts,
            drop_stale_copies: settings.drop_stale_copies,
            piggyback: settings.piggyback,
        }
    }
}

/// What comes in.
impl AcknowledgedMode {
    fn take_data(&mut self, pdu: Amd, now: Time, counters: &mut Counters) {
        let arrival = self.receiver.receive(pdu.number, pdu.contents, counters);
        // Also one that is dropped asks for a report, and tells of our PDUs (§11.3.4.2, §11.3.4.8).
        self.reporting.heard(pdu.poll, arrival == Arrival::ShowsMissing, now);
        if let Some(status) = pdu.status {
            self.take_status(&status, now, counters);
        }
    }

    fn take_status(&mut self, status: &Status, now: Time, counters: &mut Counters) {
        match self.sender.take_status(status, now, counters) {
            Ok(true) => {}
            // Dropped whole (§10.2).
            Ok(false) => return,
            Err(MustReset) => return self.initiate_reset(counters),
        }
        for sufi in status.sufis() {
            match sufi {
                Sufi::MoveReceivingWindow(request) => {
                    let (n, number) = self.receiver.move_window(&request);
                    self.reporting.answer(n, number);
                }
                Sufi::Poll(number) => {
                    let misses = self.receiver.heard_of(number);
                    self.reporting.heard(true, misses, now);
                }
                Sufi::NoMore
                | Sufi::Window(_)
                | Sufi::Ack(_)
                | Sufi::List(_)
                | Sufi::Bitmap(_)
                | Sufi::RelativeList(_)
                | Sufi::MoveReceivingWindowAck { .. } => {}
            }
        }
    }

    fn initiate_reset(&mut self, counters: &mut Counters) {
        counters.unrecoverable_errors += u64::from(self.reset.initiate());
    }

    /// Takes a RESET or its answer: in both cases perhaps all begins anew.
    fn take_reset(&mut self, begins_anew: bool, now: Time, counters: &mut Counters) {
        if begins_anew {
            counters.resets += 1;
            self.sender.reset(now, counters);
            self.receiver.reset();
            self.reporting.reset();
            if self.held.take().is_some() {
                self.sender.departed();
            }
            self.epoch = self.epoch.next();
        }
    }
}

/// What goes out, in the order of §11.4.1, §11.5.1 and §11.3.2.2: RESET, STATUS, PDUs that are sent again, new ones.
impl AcknowledgedMode {
    fn poll_reset(&mut self, now: Time) -> Option<Frame> {
        let pad_to = self.reporting.pad_to();
        let (octets, what) = match self.reset.poll(self.sender.window.end())? {
            ResetPdu::Reset(reset) => (pdu::reset(reset, pad_to), What::Reset),
            ResetPdu::ResetAck(answer) => (pdu::reset_ack(answer, pad_to), What::ResetAck),
        };
        Some(self.hand_over(&[], octets, what, now))
    }

    fn poll_status(&mut self, now: Time, counters: &mut Counters) -> Option<Frame> {
        let poll = self.sender.poll_by_status();
        let mrw = self.sender.discard.due();
        let StatusPdu { octets, ends_report, moves_window, polls } = self.reporting.poll(&self.receiver, mrw, poll)?;
        self.status_goes(moves_window, polls);
        counters.acknowledgements_sent += 1;
        Some(self.hand_over(&[], octets, What::Status { ends_report, moves_window, polls }, now))
    }

    fn status_goes(&mut self, moves_window: bool, polls: bool) {
        if moves_window {
            self.sender.discard.handed_over();
        }
        if polls {
            self.sender.polled_by_status();
        }
    }

    /// A data PDU with all that there is to say in its padding; where that has no room, the PDU is held until it is said.
    fn poll_piggybacked(&mut self, now: Time, room: Octets, counters: &mut Counters) -> Option<Frame> {
        let (poll, mrw) = (self.sender.poll_by_status(), self.sender.discard.due());
        if !self.piggyback || !(self.reporting.is_due() || mrw.is_some() || poll.is_some()) {
            return None;
        }
        let mut frame = self.poll_data(now, room, counters)?;
        let Some(Handed { what: What::Data { number, .. }, .. }) = frame.ticket.map(Handed::of) else {
            return Some(frame);
        };
        let padding = self.sender.window.get(number).and_then(|pdu| pdu.padding);
        let padded = padding.map_or(0, |padding| frame.body.len() - padding.from);
        let status = self.reporting.poll_piggybacked(padded, &self.receiver, mrw, poll);
        let Some((status, padding)) = status.zip(padding) else {
            self.held = Some(frame);
            return None;
        };
        if let Some(body) = with_status(&frame.body, padding, self.indicators, &status.octets) {
            frame.body = body;
        }
        self.status_goes(status.moves_window, status.polls);
        self.start_timers(
            What::Status { ends_report: status.ends_report, moves_window: status.moves_window, polls: status.polls },
            now,
        );
        Some(frame)
    }

    fn poll_data(&mut self, now: Time, room: Octets, counters: &mut Counters) -> Option<Frame> {
        let Scheduled { number, poll } = self.sender.poll(now, room, counters)?;
        let pdu = self.sender.window.get(number)?;
        let head = pdu::amd_head(number.wire_u16(), poll, pdu.extension);
        let body = pdu.body.clone();
        Some(self.hand_over(&head, body, What::Data { number, poll }, now))
    }

    /// Whether a frame means nothing any more because all has begun anew since; a reset of its own goes on.
    fn is_of_before(&self, Handed { epoch, what }: Handed) -> bool {
        epoch != self.epoch.wire_u16() && !matches!(what, What::Reset | What::ResetAck)
    }

    /// Whether its peer has a data PDU by now; one that polls goes nevertheless.
    fn is_stale(&mut self, what: What) -> bool {
        let What::Data { number, poll: false } = what else { return false };
        let stale = self.drop_stale_copies && !self.sender.window.is_outstanding(number);
        if stale {
            self.sender.window.departed(number, None);
        }
        stale
    }

    fn hand_over(&mut self, head: &[u8], body: Bytes, what: What, now: Time) -> Frame {
        let mut frame = Frame::new(pdu::KIND, head, body);
        frame.ticket = Some(Handed { epoch: self.epoch.wire_u16(), what }.ticket());
        if self.timer_starts == TimerStarts::HandOver {
            self.start_timers(what, now);
        }
        frame
    }

    fn start_timers(&mut self, what: What, now: Time) {
        match what {
            What::Data { poll, .. } => {
                if poll {
                    self.sender.polling.start_timers(now);
                }
            }
            What::Status { ends_report, moves_window, polls } => {
                if ends_report {
                    self.reporting.start_timer(now);
                }
                if moves_window {
                    self.sender.discard.start_timer(now);
                }
                if polls {
                    self.sender.polling.start_timers(now);
                }
            }
            What::Reset => self.reset.start_timer(now),
            What::ResetAck => {}
        }
    }
}
