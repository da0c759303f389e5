//! What the peer's PDUs do in each state (Q.2110 figure 20).
//!
//! Where a state is not named, the PDU comes too late, from before what is pending now, and is dropped without a word.

use super::primitives::{Error, Indication, Kind};
use super::receiver::Arriving;
use super::{Connection, Pdu, State, Timer};
use State::{
    DataTransferReady, Idle, IncomingConnectionPending, IncomingRecoveryPending, IncomingResynchronizationPending,
    OutgoingConnectionPending, OutgoingDisconnectionPending, OutgoingRecoveryPending, OutgoingResynchronizationPending,
    RecoveryResponsePending,
};
use arqway_units::Time;
use bytes::Bytes;

impl Connection {
    /// Takes a PDU of the peer; `None` is one that cannot be read.
    pub fn handle_pdu(&mut self, pdu: Option<Pdu>, now: Time) {
        self.handle_linked(pdu, 1, now);
    }

    /// The same, where an SD PDU has to wait for the one that is so many numbers back; 0 is none.
    pub fn handle_linked(&mut self, pdu: Option<Pdu>, link: u32, now: Time) {
        let crosses = matches!(pdu, Some(Pdu::Sd { .. } | Pdu::Poll { .. } | Pdu::Stat(_) | Pdu::Ustat { .. }));
        self.peer_has_begun |= crosses && self.state == DataTransferReady;
        match pdu {
            None => self.error(Error::Malformed),
            Some(Pdu::Bgn { sq, mr, uu }) => self.take_bgn(sq, mr, uu, now),
            Some(Pdu::Bgak { mr, uu }) => self.take_bgak(mr, uu, now),
            Some(Pdu::Bgrej { uu }) => self.take_bgrej(uu, now),
            Some(Pdu::End { by_sscop, uu }) => self.take_end(by_sscop, uu, now),
            Some(Pdu::Endak) => self.take_endak(now),
            Some(Pdu::Rs { sq, mr, uu }) => self.take_rs(sq, mr, uu, now),
            Some(Pdu::Rsak { mr }) => self.take_rsak(mr, now),
            Some(Pdu::Er { sq, mr }) => self.take_er(sq, mr, now),
            Some(Pdu::Erak { mr }) => self.take_erak(mr, now),
            Some(Pdu::Sd { number, packet }) => match self.state {
                DataTransferReady => self.take_data(Arriving { number, link, packet }, now),
                _ => self.data_without_connection(Kind::Sd, now),
            },
            Some(Pdu::Poll { ps, s }) => match self.state {
                DataTransferReady => self.take_poll(ps, s, now),
                _ => self.data_without_connection(Kind::Poll, now),
            },
            Some(Pdu::Stat(stat)) => match self.state {
                DataTransferReady => self.take_stat(&stat, now),
                _ => self.data_without_connection(Kind::Stat, now),
            },
            Some(Pdu::Ustat { first, end, mr, r }) => match self.state {
                DataTransferReady => self.take_ustat([first, end, mr, r], now),
                _ => self.data_without_connection(Kind::Ustat, now),
            },
            Some(Pdu::Ud { packet }) => self.tell(Indication::UnitData(packet)),
            Some(Pdu::Md { packet }) => self.tell(Indication::ManagementData(packet)),
        }
    }

    fn unexpected(&mut self, kind: Kind) {
        self.error(Error::Unexpected(kind));
    }

    /// Data transfer PDUs where no data may cross: the peer thinks there is a connection.
    fn data_without_connection(&mut self, kind: Kind, now: Time) {
        match self.state {
            Idle => {
                self.unexpected(kind);
                self.send_end(true, Bytes::new());
            }
            IncomingConnectionPending | IncomingResynchronizationPending | IncomingRecoveryPending => {
                self.unexpected(kind);
                self.release_by_itself(now);
            }
            // Only reports on what was sent before the recovery are wrong here: the peer has recovered.
            RecoveryResponsePending if matches!(kind, Kind::Stat | Kind::Ustat) => {
                self.unexpected(kind);
                self.release_by_itself(now);
            }
            _ => {}
        }
    }

    fn take_bgn(&mut self, sq: u8, mr: u32, uu: Bytes, now: Time) {
        // A peer that lost its memory counts its attempts from the beginning again, so N(SQ) may be what it was. But one whose data have
        // crossed has its BGAK PDU, and does not repeat its BGN PDU.
        let has_begun = self.state == DataTransferReady && self.peer_has_begun;
        let is_repeated = self.is_repeated(sq) && !has_begun;
        match (self.state, is_repeated) {
            (Idle, true) => self.send(Pdu::Bgrej { uu: Bytes::new() }),
            (OutgoingConnectionPending, false) => {
                self.accepted_with = Bytes::new();
                self.send_bgak(self.first_credit());
                self.answered(mr, Indication::Established(uu), now);
            }
            (OutgoingDisconnectionPending, true) => {
                self.accepted_with = Bytes::new();
                self.send_bgak(self.edge());
                self.send_end(self.ended_by_sscop, self.said.clone());
            }
            (OutgoingResynchronizationPending, true) => {
                self.send_bgak(self.first_credit());
                self.send_rs();
            }
            (DataTransferReady, true) => {
                self.timers.set(Timer::NoResponse, now);
                self.send_bgak(self.edge());
            }
            (
                IncomingResynchronizationPending
                | OutgoingRecoveryPending
                | RecoveryResponsePending
                | IncomingRecoveryPending,
                true,
            ) => {
                self.unexpected(Kind::Bgn);
            }
            (OutgoingConnectionPending | IncomingConnectionPending, true) => {}
            (_, false) => self.incoming_connection(mr, uu, now),
        }
    }

    /// The peer wants a connection, and thinks that there is none.
    fn incoming_connection(&mut self, mr: u32, uu: Bytes, now: Time) {
        self.timers.stop(Timer::Cc);
        match self.state {
            Idle => {}
            OutgoingDisconnectionPending => self.tell(Indication::Released(Bytes::new())),
            _ => self.tell(Indication::Release { uu: Bytes::new(), by_sscop: false }),
        }
        if self.state == DataTransferReady {
            self.end_transfer(now);
        }
        self.receiver.restart(now, &mut self.held);
        self.grant(mr);
        self.tell(Indication::Establish(uu));
        self.state = IncomingConnectionPending;
    }

    fn take_bgak(&mut self, mr: u32, uu: Bytes, now: Time) {
        match self.state {
            OutgoingConnectionPending => self.answered(mr, Indication::Established(uu), now),
            Idle => {
                self.unexpected(Kind::Bgak);
                self.send_end(true, Bytes::new());
            }
            IncomingConnectionPending
            | IncomingResynchronizationPending
            | OutgoingRecoveryPending
            | RecoveryResponsePending
            | IncomingRecoveryPending => self.unexpected(Kind::Bgak),
            OutgoingDisconnectionPending | OutgoingResynchronizationPending | DataTransferReady => {}
        }
    }

    fn take_bgrej(&mut self, uu: Bytes, now: Time) {
        match self.state {
            Idle => self.unexpected(Kind::Bgrej),
            OutgoingConnectionPending => self.go_idle(Indication::Release { uu, by_sscop: false }, now),
            OutgoingDisconnectionPending => self.go_idle(Indication::Released(uu), now),
            _ => self.released_unasked(Kind::Bgrej, now),
        }
    }

    fn take_endak(&mut self, now: Time) {
        match self.state {
            Idle | OutgoingConnectionPending => {}
            OutgoingDisconnectionPending => self.go_idle(Indication::Released(Bytes::new()), now),
            _ => self.released_unasked(Kind::Endak, now),
        }
    }

    /// The peer answers a release that nobody asked for: it has no connection.
    fn released_unasked(&mut self, kind: Kind, now: Time) {
        self.unexpected(kind);
        if self.state == DataTransferReady {
            self.end_transfer(now);
        }
        self.tell_release(now);
    }

    fn take_end(&mut self, by_sscop: bool, uu: Bytes, now: Time) {
        let indication = match self.state {
            OutgoingConnectionPending => return,
            Idle => return self.send(Pdu::Endak),
            OutgoingDisconnectionPending => Indication::Released(uu),
            _ => Indication::Release { uu, by_sscop },
        };
        if self.state == DataTransferReady {
            self.end_transfer(now);
        }
        self.send(Pdu::Endak);
        self.go_idle(indication, now);
    }

    fn take_rs(&mut self, sq: u8, mr: u32, uu: Bytes, now: Time) {
        match self.state {
            Idle => {
                self.unexpected(Kind::Rs);
                return self.send_end(true, Bytes::new());
            }
            IncomingConnectionPending => return self.unexpected(Kind::Rs),
            OutgoingConnectionPending | OutgoingDisconnectionPending => return,
            _ => {}
        }
        let is_repeated = self.is_repeated(sq);
        match (self.state, is_repeated) {
            (OutgoingResynchronizationPending, false) => {
                let credit = self.first_credit();
                self.send(Pdu::Rsak { mr: credit });
                self.answered(mr, Indication::Resynchronized(uu), now);
            }
            (OutgoingResynchronizationPending | IncomingResynchronizationPending, true) => {}
            (DataTransferReady, true) => {
                self.timers.set(Timer::NoResponse, now);
                let mr = self.edge();
                self.send(Pdu::Rsak { mr });
            }
            (IncomingResynchronizationPending, false) | (_, true) => self.unexpected(Kind::Rs),
            (_, false) => {
                if self.state == DataTransferReady {
                    self.end_transfer(now);
                }
                self.timers.stop(Timer::Cc);
                self.receiver.restart(now, &mut self.held);
                self.grant(mr);
                self.tell(Indication::Resynchronize(uu));
                self.state = IncomingResynchronizationPending;
            }
        }
    }

    fn take_rsak(&mut self, mr: u32, now: Time) {
        match self.state {
            OutgoingResynchronizationPending => self.answered(mr, Indication::Resynchronized(Bytes::new()), now),
            OutgoingConnectionPending | OutgoingDisconnectionPending | DataTransferReady => {}
            Idle => {
                self.unexpected(Kind::Rsak);
                self.send_end(true, Bytes::new());
            }
            _ => self.unexpected(Kind::Rsak),
        }
    }

    fn take_er(&mut self, sq: u8, mr: u32, now: Time) {
        match self.state {
            Idle => {
                self.unexpected(Kind::Er);
                return self.send_end(true, Bytes::new());
            }
            IncomingConnectionPending | IncomingResynchronizationPending => return self.unexpected(Kind::Er),
            OutgoingConnectionPending | OutgoingDisconnectionPending | OutgoingResynchronizationPending => return,
            OutgoingRecoveryPending | RecoveryResponsePending | IncomingRecoveryPending | DataTransferReady => {}
        }
        let is_repeated = self.is_repeated(sq);
        match (self.state, is_repeated) {
            (OutgoingRecoveryPending, false) => {
                self.send_erak(self.first_credit());
                self.recovered(mr, RecoveryResponsePending, now);
            }
            (RecoveryResponsePending, true) => self.send_erak(self.first_credit()),
            (IncomingRecoveryPending, true) => {}
            (DataTransferReady, true) => {
                self.timers.set(Timer::NoResponse, now);
                self.send_erak(self.edge());
            }
            (DataTransferReady, false) => {
                self.timers.reset_data_transfer();
                // "Prepare recovery": as retrieval, but what has arrived is still to be delivered.
                self.sender.prepare_retrieval();
                self.recovered(mr, IncomingRecoveryPending, now);
            }
            _ => self.unexpected(Kind::Er),
        }
    }

    fn take_erak(&mut self, mr: u32, now: Time) {
        match self.state {
            OutgoingRecoveryPending => self.recovered(mr, RecoveryResponsePending, now),
            Idle => {
                self.unexpected(Kind::Erak);
                self.send_end(true, Bytes::new());
            }
            IncomingConnectionPending | IncomingResynchronizationPending | IncomingRecoveryPending => {
                self.unexpected(Kind::Erak);
            }
            _ => {}
        }
    }

    fn send_erak(&mut self, mr: u32) {
        self.send(Pdu::Erak { mr });
    }

    /// Both ends know that they begin anew; the users are asked.
    fn recovered(&mut self, mr: u32, state: State, now: Time) {
        self.timers.stop(Timer::Cc);
        self.grant(mr);
        self.deliver_rest(now);
        self.tell(Indication::Recover);
        self.state = state;
    }
}
