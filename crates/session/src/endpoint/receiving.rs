//! A datagram comes.

use super::{Endpoint, get_mut};
use crate::control::Control;
use crate::event::{Event, PeerId};
use crate::handshake::wire::{self, Message};
use crate::peer::attempt::Attempt;
use crate::peer::path::Path;
use crate::random::{Random, draw};
use crate::transport::{Head, NotOpened};
use arqway_units::{LineId, Time};
use std::net::SocketAddr;
use std::ops::Range;

/// What a datagram was.
#[expect(clippy::large_enum_variant, reason = "an allocation for an answer would be any stranger's to ask for")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// A packet of a peer, opened in place: this part of the datagram.
    Packet {
        /// Who sealed it.
        peer: PeerId,
        /// The line that it went by.
        line: LineId,
        /// Where it stands.
        payload: Range<usize>,
    },
    /// A message that wants this answer, at the address it came from. It is never longer than what it answers.
    Answer(Message),
    /// Nothing for the owner; why, the counters say.
    Nothing,
}

/// Where and when a datagram came.
pub(super) struct Arrival<'r> {
    pub(super) from: SocketAddr,
    pub(super) octets: usize,
    pub(super) now: Time,
    pub(super) random: &'r mut dyn Random,
}

impl Endpoint {
    /// Takes a datagram that came from an address, and opens it in place. Afterwards there may be events, and datagrams to send.
    pub fn handle_datagram(
        &mut self,
        datagram: &mut [u8],
        from: SocketAddr,
        now: Time,
        random: &mut dyn Random,
    ) -> Received {
        let mut arrival = Arrival { from, octets: datagram.len(), now, random };
        if let Some(head) = Head::read(datagram) {
            return match self.handle_sealed(datagram, &head, &mut arrival) {
                Some((peer, payload)) => Received::Packet { peer, line: head.line, payload },
                None => Received::Nothing,
            };
        }
        match wire::parse(datagram) {
            Some(message) => self.handle_message(&message, &mut arrival).map_or(Received::Nothing, Received::Answer),
            None => {
                self.counters.malformed += 1;
                Received::Nothing
            }
        }
    }

    fn handle_sealed(
        &mut self,
        datagram: &mut [u8],
        head: &Head,
        arrival: &mut Arrival<'_>,
    ) -> Option<(PeerId, Range<usize>)> {
        let found = self.indices.get(head.index).and_then(|id| Some((id, get_mut(&mut self.peers, id)?)));
        // The index may be that of a handshake under way.
        let Some((id, keys)) = found.and_then(|(id, peer)| Some((id, peer.slots.find(head.index)?))) else {
            self.counters.unknown_index += 1;
            return None;
        };
        if keys.is_done(&self.config, arrival.now) {
            self.counters.expired += 1;
            return None;
        }
        let opened = match keys.transport.open(datagram, head) {
            Ok(opened) => opened,
            Err(NotOpened::Replayed) => {
                self.counters.replayed += 1;
                return None;
            }
            Err(NotOpened::Forged) => {
                self.counters.forged += 1;
                return None;
            }
        };
        self.counters.genuine += 1;
        self.confirm(id, head.index, arrival);
        let is_packet = !head.is_control && !opened.payload.is_empty();
        let control = head.is_control.then(|| Control::read(&datagram[opened.payload.clone()])).flatten();
        let heard = Heard { line: head.line, is_packet, control, is_newest: opened.is_newest };
        self.heard(id, head.index, &heard, arrival);
        self.schedule(id, arrival.now);
        is_packet.then_some((id, opened.payload))
    }

    /// Something genuine came with a key: if that was the next one, both ends have it now.
    fn confirm(&mut self, id: PeerId, index: u16, arrival: &Arrival<'_>) {
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        if !peer.slots.confirm(index, |keys| self.indices.free(keys.index)) {
            return;
        }
        // What we began ourselves is not needed any more.
        peer.attempt.take().iter().flat_map(Attempt::indices).for_each(|index| self.indices.free(index));
        let Some((boot, began_at, born)) = peer.slots.current().map(|keys| (keys.boot, keys.began_at, keys.born))
        else {
            return;
        };
        // It confirms them as soon as it has our answer, but that may have been lost.
        let took = arrival.now.since(born);
        peer.round_trip = Some(peer.round_trip.map_or(took, |known| known.min(took)));
        let before = peer.paths.first.address();
        let moved = began_at == Some(arrival.from) && peer.moved_to(arrival.from);
        let restarted = self.meet(id, boot, before, arrival);
        self.counters.handshakes += 1;
        self.events.push(Event::Established { peer: id, boot, restarted });
        if moved {
            self.events.push(Event::Moved { peer: id, line: LineId::FIRST, to: arrival.from });
        }
    }

    /// A genuine datagram says where the peer is, that it lives, and more if it is a control message.
    fn heard(&mut self, id: PeerId, index: u16, heard: &Heard, arrival: &mut Arrival<'_>) {
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        let &mut Arrival { from, octets, now, ref mut random } = arrival;
        peer.activity.heard(heard.is_packet, &self.config, now);
        peer.heard_by = heard.line;
        peer.paths.reach(heard.line, |_| Path::new(None));
        let path = peer.paths.get_mut(heard.line);
        path.heard(from, heard.is_newest, octets, || u64::from_le_bytes(draw(*random)), now);
        if let Some(keys) = peer.slots.find(index) {
            if let Some(Control::Report(next)) = heard.control {
                keys.transport.report(next);
            }
            if keys.transport.owes_report() {
                peer.wants.report = Some(index);
            }
        }
        match heard.control {
            Some(Control::Challenge(token)) => peer.wants.answer = Some((heard.line, token, from)),
            Some(Control::Answer(token)) => {
                if let Some(to) = peer.paths.get_mut(heard.line).answered(token) {
                    self.events.push(Event::Moved { peer: id, line: heard.line, to });
                }
            }
            Some(Control::Report(_)) | None => {}
        }
    }
}

/// A genuine datagram.
struct Heard {
    line: LineId,
    is_packet: bool,
    control: Option<Control>,
    is_newest: bool,
}
