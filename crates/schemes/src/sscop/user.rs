//! The user of a connection, which the standard leaves to others: it establishes one when there is something to send, accepts what the peer
//! wants, and establishes a new one when that is gone, at once and then less and less often.

use super::Config;
use super::connection::{Connection, Message, Request, Retrieve, State};
use alloc::collections::VecDeque;
use arqway_arq::Deadline;
use arqway_contract::Packet;
use arqway_units::{Span, Time};
use bytes::Bytes;

/// After so many attempts in vain they do not become rarer.
const LONGEST_BACKOFF: u32 = 6;

#[derive(Debug)]
pub(super) struct User {
    /// Packets that wait for a connection.
    pending: VecDeque<Message>,
    retry: Deadline,
    /// Since there was a connection last.
    attempts: u32,
    between: Span,
    keeps_packets: bool,
}

impl User {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            pending: VecDeque::new(),
            retry: Deadline::default(),
            attempts: 0,
            between: config.timer_cc,
            keeps_packets: !config.clear_buffers,
        }
    }

    /// How many packets wait for a connection.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn send(&mut self, packet: Packet, connection: &mut Connection, now: Time) {
        let message = Message::new(packet);
        if connection.state() == State::DataTransferReady {
            return connection.handle_request(Request::Data(message), now);
        }
        self.pending.push_back(message);
        if connection.state() == State::Idle && self.retry.get().is_none() {
            self.establish(connection, now);
        }
    }

    fn establish(&mut self, connection: &mut Connection, now: Time) {
        self.attempts += 1;
        connection.handle_request(Request::Establish(Bytes::new()), now);
    }

    /// The peer wants to begin, or to begin anew.
    pub(super) fn accept(&mut self, request: Request, connection: &mut Connection, now: Time) {
        self.take_back(connection);
        connection.handle_request(request, now);
        self.connected(connection, now);
    }

    /// Data may cross: all that waits is sent.
    pub(super) fn connected(&mut self, connection: &mut Connection, now: Time) {
        self.attempts = 0;
        self.retry.stop();
        for message in self.pending.drain(..) {
            connection.handle_request(Request::Data(message), now);
        }
    }

    /// The connection is gone. Another one is wanted as soon as there is something to send.
    pub(super) fn disconnected(&mut self, connection: &mut Connection, now: Time) {
        self.take_back(connection);
        if self.pending.is_empty() || connection.state() != State::Idle {
            return;
        }
        match self.attempts.checked_sub(1) {
            None => self.establish(connection, now),
            Some(in_vain) => self.retry.restart(now + self.between * (1 << in_vain.min(LONGEST_BACKOFF))),
        }
    }

    /// What is not acknowledged goes in front of what was never given to a connection.
    fn take_back(&mut self, connection: &mut Connection) {
        if self.keeps_packets {
            let mut kept = VecDeque::new();
            connection.retrieve(Retrieve::All, &mut kept);
            kept.append(&mut self.pending);
            self.pending = kept;
        }
    }

    pub(super) fn handle_timeout(&mut self, connection: &mut Connection, now: Time) {
        if self.retry.fire(now) && connection.state() == State::Idle {
            self.establish(connection, now);
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.retry.get()
    }
}
