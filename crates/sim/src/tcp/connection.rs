//! A connection: both of its ends, which in the simulator lie side by side.
//!
//! It carries data one way. Both ends share one alarm: a receiver seldom has a deadline, and the event finds out whose it was.

use super::acknowledgement::Acknowledgement;
use super::numbering::Message;
use super::receiver::Receiver;
use super::segment::{Ports, SegmentFactory};
use super::sender::{Sender, Transmission};
use super::settings::Settings;
use crate::host::Host;
use crate::packet::Memory;
use arqway_link::mux::Ds;
use arqway_units::{Span, Time};
use bytes::Bytes;

/// What a connection is opened with; it gets its port at the client from the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<O> {
    /// Whose data it carries; TCP hands it back, and knows no applications.
    pub(crate) owner: O,
    /// Which host sends them.
    pub(crate) sender: Host,
    /// The port at the server, by which others know the application.
    pub(crate) server_port: u16,
    pub(crate) ds: Ds,
    pub(crate) settings: Settings,
    /// How far into its tick the sender's clock stands at time zero.
    pub(crate) clock_phase: Span,
    pub(crate) message: Message,
}

/// Data one way, acknowledgements the other.
#[derive(Debug)]
pub(crate) struct Connection<O> {
    pub(crate) sender: Sender,
    receiver: Receiver,
    segments: SegmentFactory,
    pub(super) ports: Ports,
    pub(crate) from: Host,
    pub(crate) owner: O,
    handshake: bool,
}

impl<O: Copy> Connection<O> {
    pub(super) fn new(opening: &Opening<O>, client_port: u16) -> Self {
        let ports = Ports { server: opening.server_port, client: client_port };
        let (message, handshake) = (opening.message, opening.settings.handshake);
        Self {
            sender: Sender::new(opening.settings, message.packets, opening.clock_phase),
            receiver: Receiver::new(&opening.settings),
            segments: SegmentFactory::new(message, &opening.settings, opening.sender, ports, opening.ds),
            ports,
            from: opening.sender,
            owner: opening.owner,
            handshake,
        }
    }

    /// Becomes another connection, in the same memory.
    pub(super) fn restart(&mut self, opening: &Opening<O>, client_port: u16) {
        self.ports = Ports { server: opening.server_port, client: client_port };
        self.handshake = opening.settings.handshake;
        self.sender.restart(opening.settings, opening.message.packets, opening.clock_phase);
        self.receiver.restart(&opening.settings);
        self.segments.restart(opening.message, &opening.settings, opening.sender, self.ports, opening.ds);
        self.from = opening.sender;
        self.owner = opening.owner;
    }

    /// More data follow; the caller also gives them to [`sender`](Self::sender).
    pub(crate) fn append(&mut self, message: Message) {
        self.segments.append(message);
    }

    /// The packet for a transmission of the sender.
    pub(crate) fn packet(&self, transmission: Transmission, memory: &mut Memory) -> Bytes {
        self.segments.data(transmission, memory)
    }

    /// Which packet this is, of those that carry data.
    pub(crate) fn number_of(&self, packet: &[u8]) -> Option<i64> {
        self.segments.read_data(packet, self.receiver.in_order())
    }

    /// The receiving host takes a data packet and answers with an acknowledgement, unless that is held.
    pub(crate) fn receive(&mut self, packet: &[u8], memory: &mut Memory, now: Time) -> Option<Bytes> {
        let number = self.number_of(packet)?;
        let answer = self.receiver.receive(number, now)?;
        Some(self.segments.acknowledgement(answer, &self.receiver.tell_blocks(), memory))
    }

    /// The next acknowledgement of the receiving host that was held and goes out now.
    pub(crate) fn poll_acknowledgement(&mut self, memory: &mut Memory) -> Option<Bytes> {
        let answer = self.receiver.poll_acknowledgement()?;
        Some(self.segments.acknowledgement(answer, &self.receiver.tell_blocks(), memory))
    }

    /// Both ends act on deadlines that have come.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.sender.handle_timeout(now);
        self.receiver.handle_timeout(now);
    }

    /// When `handle_timeout` is due.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        match (self.sender.poll_timeout(), self.receiver.poll_timeout()) {
            (Some(sender), Some(receiver)) => Some(sender.min(receiver)),
            (sender, receiver) => sender.or(receiver),
        }
    }

    /// The end at this host stands still from now on.
    pub(super) fn freeze(&mut self, host: Host, since: Time) {
        if self.from == host {
            self.sender.freeze(since);
        } else {
            self.receiver.freeze(since);
        }
    }

    /// The end at this host goes on where it was.
    pub(super) fn thaw(&mut self, host: Host, now: Time) {
        if self.from == host {
            self.sender.thaw(now);
        } else {
            self.receiver.thaw(now);
        }
    }

    /// The sending host gets an acknowledgement: what it says.
    pub(crate) fn acknowledgement(&self, packet: &[u8]) -> Option<Acknowledgement> {
        self.segments.read_acknowledgement(packet, self.sender.acknowledged())
    }

    /// Whether the receiver has everything that was given to the sender so far.
    pub(crate) fn is_received(&self) -> bool {
        let packets = self.sender.packets().saturating_add(u64::from(self.handshake));
        u64::try_from(self.receiver.in_order()).is_ok_and(|received| received >= packets)
    }
}
