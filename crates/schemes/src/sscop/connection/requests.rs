//! What the user and the management ask for, by state (Q.2110 §7.3, figure 20).

use super::primitives::{Indication, Request};
use super::{Connection, Pdu, State, Timer};
use arqway_units::Time;
use bytes::Bytes;

impl Connection {
    /// Does what is asked for. What the state does not know is without effect, as in the standard's tables.
    pub fn handle_request(&mut self, request: Request, now: Time) {
        match request {
            Request::Establish(uu) => self.establish(uu, now),
            Request::AcceptEstablishment(uu) => self.accept_establishment(uu, now),
            Request::Release(uu) => self.release(uu, now),
            Request::Data(message) => match self.state {
                State::DataTransferReady => self.sender.push(message),
                // What the user gives while both ends begin anew has the fate of what it gave before.
                State::OutgoingRecoveryPending if !self.parameters.clear_buffers => self.sender.push(message),
                _ => self.sender.discarded += 1,
            },
            Request::Resynchronize(uu) => self.resynchronize(uu, now),
            Request::AcceptResynchronization => {
                if self.state == State::IncomingResynchronizationPending {
                    let mr = self.first_credit();
                    self.send(Pdu::Rsak { mr });
                    self.sender.clear_transmitter();
                    self.begin_transfer(now);
                }
            }
            Request::AcceptRecovery => self.accept_recovery(now),
            Request::UnitData(packet) => self.unnumbered.push_back(Pdu::Ud { packet }),
            Request::ManagementData(packet) => self.unnumbered.push_back(Pdu::Md { packet }),
        }
    }

    fn establish(&mut self, uu: Bytes, now: Time) {
        if !matches!(self.state, State::Idle | State::OutgoingDisconnectionPending) {
            return;
        }
        self.sender.clear_transmitter();
        self.ask(uu, State::OutgoingConnectionPending, now);
        self.attempt = self.attempt.next();
        self.send_bgn();
    }

    fn accept_establishment(&mut self, uu: Bytes, now: Time) {
        if self.state != State::IncomingConnectionPending {
            return;
        }
        self.sender.clear_transmitter();
        self.accepted_with = uu;
        self.send_bgak(self.first_credit());
        self.begin_transfer(now);
    }

    fn release(&mut self, uu: Bytes, now: Time) {
        match self.state {
            State::Idle | State::OutgoingDisconnectionPending => return,
            State::IncomingConnectionPending => {
                self.send(Pdu::Bgrej { uu });
                self.state = State::Idle;
                return;
            }
            State::DataTransferReady => self.end_transfer(now),
            State::OutgoingConnectionPending
            | State::OutgoingResynchronizationPending
            | State::IncomingResynchronizationPending
            | State::OutgoingRecoveryPending
            | State::RecoveryResponsePending
            | State::IncomingRecoveryPending => self.receiver.restart(now, &mut self.held),
        }
        self.ended_by_sscop = false;
        self.ask(uu, State::OutgoingDisconnectionPending, now);
        self.send_end(self.ended_by_sscop, self.said.clone());
    }

    fn resynchronize(&mut self, uu: Bytes, now: Time) {
        match self.state {
            State::DataTransferReady => {
                self.end_transfer(now);
                self.sender.clear();
            }
            State::OutgoingRecoveryPending | State::RecoveryResponsePending | State::IncomingRecoveryPending => {
                self.sender.clear_transmitter();
                self.receiver.restart(now, &mut self.held);
            }
            State::Idle
            | State::OutgoingConnectionPending
            | State::IncomingConnectionPending
            | State::OutgoingDisconnectionPending
            | State::OutgoingResynchronizationPending
            | State::IncomingResynchronizationPending => return,
        }
        self.ask(uu, State::OutgoingResynchronizationPending, now);
        self.attempt = self.attempt.next();
        self.send_rs();
    }

    fn accept_recovery(&mut self, now: Time) {
        match self.state {
            State::RecoveryResponsePending => {}
            State::IncomingRecoveryPending => {
                let mr = self.first_credit();
                self.send(Pdu::Erak { mr });
            }
            _ => return,
        }
        self.begin_transfer(now);
    }

    /// Waits for an answer of the peer in this state: VT(CC) is 1.
    fn ask(&mut self, uu: Bytes, state: State, now: Time) {
        self.said = uu;
        self.asked = 1;
        self.timers.set(Timer::Cc, now);
        self.state = state;
    }

    pub(super) fn send_bgn(&mut self) {
        let (sq, mr, uu) = (self.attempt.wire_u8(), self.first_credit(), self.said.clone());
        self.send(Pdu::Bgn { sq, mr, uu });
    }

    pub(super) fn send_rs(&mut self) {
        let (sq, mr, uu) = (self.attempt.wire_u8(), self.first_credit(), self.said.clone());
        self.send(Pdu::Rs { sq, mr, uu });
    }

    pub(super) fn send_bgak(&mut self, mr: u32) {
        let uu = self.accepted_with.clone();
        self.send(Pdu::Bgak { mr, uu });
    }

    /// The peer has answered what was asked: data cross.
    pub(super) fn answered(&mut self, mr: u32, indication: Indication, now: Time) {
        self.timers.stop(Timer::Cc);
        self.grant(mr);
        self.tell(indication);
        self.begin_transfer(now);
    }
}
