//! One end of an SSCOP connection, as Q.2110 §7 has it: primitives, PDUs and timers in; PDUs, indications and the next deadline out.
//!
//! ```text
//!       Request | ^ Indication            user, management
//!               v |
//!           Connection      handle_timer <-- next_timer
//!               | ^
//!      poll_pdu v | handle_pdu            peer, in order and once
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `sender.rs`, `receiver.rs` | the two halves of data transfer |
//! | `status.rs` | STAT and USTAT PDUs |
//! | `transfer.rs` | the state in which data cross, polls among them |
//! | `requests.rs`, `peer.rs`, `expiry.rs` | what primitives, the peer's control PDUs and timers do in each state |
//! | `timers.rs`, `primitives.rs` | the five timers; what is asked for and told |

mod expiry;
mod peer;
mod primitives;
mod receiver;
mod requests;
mod sender;
mod status;
mod timers;
mod transfer;

pub use primitives::{Error, Indication, Kind, Message, Request, Retrieve};
pub use timers::{Lengths, Timer};

use super::pdu::Pdu;
use alloc::collections::VecDeque;
use arqway_arq::{Resequencing, Seq};
use arqway_contract::Counters;
use arqway_units::Time;
use bytes::Bytes;
use receiver::Receiver;
use sender::Sender;
use status::Reports;
use timers::Timers;

/// N(S), N(R), N(MR), N(PS): 24 bits.
type Number = Seq<24>;

/// The ten states (Q.2110 §7.1), by their numbers there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// There is no connection.
    Idle = 1,
    /// A BGN PDU waits for its answer.
    OutgoingConnectionPending = 2,
    /// The user is asked whether it accepts a connection.
    IncomingConnectionPending = 3,
    /// An END PDU waits for its answer.
    OutgoingDisconnectionPending = 4,
    /// An RS PDU waits for its answer.
    OutgoingResynchronizationPending = 5,
    /// The user is asked whether it begins anew with the peer's.
    IncomingResynchronizationPending = 6,
    /// An ER PDU waits for its answer.
    OutgoingRecoveryPending = 7,
    /// The peer has recovered; the user is waited for.
    RecoveryResponsePending = 8,
    /// The peer wants to recover; the user is waited for.
    IncomingRecoveryPending = 9,
    /// Data cross.
    DataTransferReady = 10,
}

/// What a connection is set up with (Q.2110 §7.6, §7.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// The timers' lengths.
    pub timers: Lengths,
    /// MaxCC: how often a BGN, END, ER or RS PDU is sent.
    pub max_cc: u16,
    /// MaxPD: how many SD PDUs there are between polls.
    pub max_pd: u32,
    /// MaxSTAT: how many elements a STAT PDU's list has; odd, from 3 on.
    pub max_stat: u16,
    /// How many SD PDUs the peer may be ahead of what was delivered here, and this end of what was acknowledged.
    pub credit: u32,
    /// "Clear-buffers": packets go with their connection.
    pub clear_buffers: bool,
    /// After the last SD PDU that is sent again there is a poll.
    pub poll_after_retransmission: bool,
    /// An END PDU that bears what the user has to say has its bit S set.
    pub end_sets_s_bit: bool,
    /// In which order packets are released; the standard's is [`Full`](Resequencing::Full).
    pub resequencing: Resequencing,
}

/// The state variables that tell how far both ends are, for tests and traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variables {
    /// VT(S), VT(A), VT(MS).
    pub sender: [u64; 3],
    /// VR(R), VR(H), VR(MR).
    pub receiver: [u64; 3],
}

/// A PDU to hand over.
#[derive(Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The PDU.
    pub pdu: Pdu,
    /// Its packet was sent before.
    pub is_repeated: bool,
    /// How many numbers back the SD PDU is that has to go before this one, where that is to be said; 0 is none.
    pub link: Option<u32>,
}

impl Outgoing {
    /// One that bears no packet.
    fn of(pdu: Pdu) -> Self {
        Self { pdu, is_repeated: false, link: None }
    }
}

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    parameters: Parameters,
    state: State,
    /// VT(SQ), VR(SQ).
    attempt: Seq<8>,
    peer_attempt: u8,
    /// VT(CC).
    asked: u16,
    sender: Sender,
    receiver: Receiver,
    reports: Reports,
    timers: Timers,
    /// A poll is to be handed over; the PDU before was one.
    poll_is_due: bool,
    was_poll: bool,
    /// What the peer sends in data transfer has come on this connection.
    peer_has_begun: bool,
    /// What W and X tell the management.
    had_credit: bool,
    /// What the user said with the request that waits for its answer, and with its last acceptance.
    said: Bytes,
    accepted_with: Bytes,
    /// Bit S of the END PDU that waits for its answer.
    ended_by_sscop: bool,
    /// What is counted of packets that wait for others.
    held: Counters,
    control: VecDeque<Pdu>,
    unnumbered: VecDeque<Pdu>,
    indications: VecDeque<Indication>,
}

impl Connection {
    /// An end in state 1.
    #[must_use]
    pub fn new(parameters: Parameters) -> Self {
        Self {
            state: State::Idle,
            attempt: Seq::ZERO,
            peer_attempt: 0,
            asked: 0,
            sender: Sender::new(parameters.credit, parameters.clear_buffers, &parameters.resequencing),
            receiver: Receiver::new(parameters.credit),
            reports: Reports::new(parameters.max_stat),
            timers: Timers::new(parameters.timers),
            poll_is_due: false,
            was_poll: false,
            peer_has_begun: false,
            had_credit: true,
            said: Bytes::new(),
            accepted_with: Bytes::new(),
            ended_by_sscop: false,
            held: Counters::default(),
            control: VecDeque::new(),
            unnumbered: VecDeque::new(),
            indications: VecDeque::new(),
            parameters,
        }
    }

    /// An end of a permanent connection: in state 10, with the credit that it grants itself, and all quiet.
    #[must_use]
    pub fn established(parameters: Parameters) -> Self {
        let mut connection = Self::new(parameters);
        connection.state = State::DataTransferReady;
        connection.grant(connection.first_credit());
        connection
    }

    /// In which state it is.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// How far both ends are.
    #[must_use]
    pub fn variables(&self) -> Variables {
        Variables {
            sender: [self.sender.next(), self.sender.first(), self.sender.edge].map(Number::as_u64),
            receiver: [self.receiver.next(), self.receiver.highest(), self.receiver.edge()].map(Number::as_u64),
        }
    }

    /// How many packets wait to be sent for the first time on this connection.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.sender.waiting()
    }

    /// What it counts of packets that wait for others, or that are dropped with their connection.
    pub(crate) fn counters(&self) -> Counters {
        Counters { packets_discarded: self.sender.discarded, ..self.held }
    }

    /// The next packet for the network layer of those received: where something watches over TCP, it withholds some.
    pub(crate) fn next_packet(
        &mut self,
        received: impl FnMut() -> Option<Bytes>,
        counters: &mut Counters,
    ) -> Option<Bytes> {
        self.sender.release(received, counters)
    }

    /// The next thing that the user or the management is told.
    pub fn poll_indication(&mut self) -> Option<Indication> {
        self.indications.pop_front()
    }

    /// The timer that expires first, and when.
    #[must_use]
    pub fn next_timer(&self) -> Option<(Time, Timer)> {
        self.timers.next()
    }

    /// AA-RETRIEVE: moves packets that were not acknowledged back into a queue, in order. They are there once a connection has ended or
    /// is about to begin anew, without "clear-buffers".
    pub fn retrieve(&mut self, from: Retrieve, into: &mut VecDeque<Message>) {
        let peer_delivers = matches!(self.state, State::RecoveryResponsePending | State::IncomingRecoveryPending);
        self.sender.retrieve(from, peer_delivers, into);
    }

    /// The next PDU to hand over: first what concerns the connection, then what is told of what has arrived, then a poll that is due, then
    /// data.
    pub fn poll_pdu(&mut self, now: Time) -> Option<Outgoing> {
        if let Some(pdu) = self.control.pop_front().or_else(|| self.unnumbered.pop_front()) {
            return Some(Outgoing::of(pdu));
        }
        if self.state != State::DataTransferReady {
            return None;
        }
        if let Some(pdu) = self.reports.take(&self.receiver) {
            return Some(Outgoing::of(pdu));
        }
        self.poll_transfer(now)
    }

    fn tell(&mut self, indication: Indication) {
        self.indications.push_back(indication);
    }

    fn error(&mut self, error: Error) {
        self.tell(Indication::Error(error));
    }

    /// N(MR): what VR(MR) is.
    fn edge(&self) -> u32 {
        self.receiver.edge().wire_u32()
    }
}

/// What several events have in common (Q.2110 figure 20, the macros at its end).
impl Connection {
    /// "Detect retransmission": whether N(SQ) is that of the last attempt, which it becomes.
    fn is_repeated(&mut self, sq: u8) -> bool {
        core::mem::replace(&mut self.peer_attempt, sq) == sq
    }

    /// "Initialize state variables" and "set data transfer timers": data may cross.
    fn begin_transfer(&mut self, now: Time) {
        self.sender.restart();
        self.receiver.restart(now, &mut self.held);
        self.reports.clear();
        (self.poll_is_due, self.was_poll, self.had_credit, self.peer_has_begun) = (false, false, true, false);
        self.timers.set_data_transfer(now);
        self.state = State::DataTransferReady;
    }

    /// Data do not cross any more: "prepare retrieval" (figure 20). What was to be told of them, or asked, goes when they cross again.
    fn end_transfer(&mut self, now: Time) {
        self.timers.reset_data_transfer();
        self.sender.prepare_retrieval();
        self.receiver.restart(now, &mut self.held);
    }

    /// "Deliver data": what waits behind gaps that will never be filled, in order; with "clear-buffers" it goes.
    fn deliver_rest(&mut self, now: Time) {
        if !self.parameters.clear_buffers {
            self.receiver.give_up(now, &mut self.held);
            self.deliver();
        }
        self.receiver.restart(now, &mut self.held);
    }

    fn deliver(&mut self) {
        while let Some((number, packet)) = self.receiver.deliver() {
            self.tell(Indication::Data { number: number.as_u64(), packet });
        }
    }

    fn grant(&mut self, mr: u32) {
        self.sender.edge = Number::new(mr.into());
    }

    /// The credit that begins a connection: what VR(MR) is when VR(R) is zero.
    fn first_credit(&self) -> u32 {
        self.parameters.credit
    }

    /// Has a PDU that concerns the connection sent; one that waits to be sent already says it all.
    fn send(&mut self, pdu: Pdu) {
        if !self.control.contains(&pdu) {
            self.control.push_back(pdu);
        }
    }

    fn send_end(&mut self, by_sscop: bool, uu: Bytes) {
        let by_sscop = by_sscop || self.parameters.end_sets_s_bit && !uu.is_empty();
        self.send(Pdu::End { by_sscop, uu });
    }

    /// SSCOP releases the connection by itself.
    fn release_by_itself(&mut self, now: Time) {
        self.send_end(true, Bytes::new());
        self.tell_release(now);
    }

    /// The connection is gone, and no user released it.
    fn tell_release(&mut self, now: Time) {
        self.go_idle(Indication::Release { uu: Bytes::new(), by_sscop: true }, now);
    }

    fn go_idle(&mut self, indication: Indication, now: Time) {
        self.tell(indication);
        self.timers.stop(Timer::Cc);
        self.receiver.restart(now, &mut self.held);
        self.state = State::Idle;
    }
}
