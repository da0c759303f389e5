//! A turn of a tunnel: all that is to be done at a time, in this order.
//!
//! ```text
//!     turn(now):  what the line has         -> opened -> the link of the peer that sealed it
//!                 what the session has to say of peers
//!                 timers that are due       -> session, links
//!                 packets of the network    -> the link of the peer that has their destination
//!                 the session's own datagrams
//!                 links that were touched   -> pumped: datagrams sealed, packets delivered
//!                 all of it to the line, in batches
//! ```
//!
//! What has arrived is read before a timer fires: where this process was kept from running, the acknowledgement that the timer
//! waits for is likely among it. Each kind of input has a budget, so that none starves the others.

use super::network::NetworkLayer;
use super::path_query;
use super::peer::{Served, Shared};
use super::{Event, FlowBook, ForRoom, Hub, Next};
use crate::line::Line;
use arqway_link::{Ecn, Frame, Holds, IcmpError, LineId, LinkService, Packet, Tag, bearer};
use arqway_net::{Again, Arrival, Datagrams, NetError};
use arqway_session::{self as session, PeerId, Random, Received};
use arqway_units::{Octets, Time};
use bytes::{Bytes, BytesMut};
use std::net::SocketAddr;
use std::ops::Range;

/// How often a turn reads the line, each time up to 64 datagrams, and how many packets it takes.
const READS: usize = 16;
const PACKETS: usize = 128;
/// A payload that is so small is copied out of what was read with it, which it would keep alive.
const SMALL: usize = 256;

impl<R: Random> Hub<R> {
    /// Does all that is to be done at this time.
    ///
    /// # Errors
    /// The line or the network layer is gone.
    pub fn turn(
        &mut self,
        lines: &mut [&mut dyn Line],
        network: &mut impl NetworkLayer,
        now: Time,
    ) -> Result<Next, NetError> {
        self.outboxes.reach(lines.len());
        if self.outboxes.flush(lines)? && lines.len() > 1 {
            // Each may have something for the line that has room again.
            (0..self.peers.len()).for_each(|index| self.agenda.make_ready(index));
        }
        let mut more = false;
        for (place, line) in LineId::first(lines.len()).zip(&mut *lines) {
            more |= self.read_line(place, *line, now)?;
        }
        self.act(now);
        FlowBook::end_if_forgotten(&mut self.flows, now);
        more |= self.read_packets(network, now)?;
        // Twice: on a line that is full, what keeps the keys alive goes before packets; and these may want keys.
        self.send_own(lines, now)?;
        self.serve(lines, network, now)?;
        let not_taken = network.finish()?;
        self.counters.packets_delivered = self.counters.packets_delivered.saturating_sub(not_taken);
        self.counters.packets_refused_here += not_taken;
        self.send_own(lines, now)?;
        self.outboxes.flush(lines)?;
        // There is room again for peers that found none.
        more |= !self.outboxes.are_blocked() && self.agenda.has_ready();
        if more {
            return Ok(Next::Turn);
        }
        let again = self.outboxes.blocked().filter_map(|(_, blocked)| match blocked {
            Again::WhenWritable => None,
            Again::After(span) => Some(now + span),
        });
        let until = [self.session.poll_timeout(), self.agenda.deadline(), again.min()];
        let until = until.into_iter().flatten().min();
        let for_room = self.outboxes.blocked().filter(|(_, blocked)| *blocked == Again::WhenWritable);
        let for_room = for_room.fold(0, |lines, (place, _)| lines | 1 << place);
        Ok(Next::Wait { until, for_room: ForRoom(for_room) })
    }

    /// The session's own datagrams.
    fn send_own(&mut self, lines: &mut [&mut dyn Line], now: Time) -> Result<(), NetError> {
        loop {
            while self.outboxes.have_room_for_own() {
                let Some((line, to, message)) = self.session.poll_datagram(now, &mut self.random) else {
                    return Ok(());
                };
                self.outboxes.of_mut(line).push(to, None, &message);
            }
            self.outboxes.flush(lines)?;
            if self.outboxes.are_blocked() {
                return Ok(());
            }
        }
    }

    /// Opens what has arrived. Whether there may be more.
    fn read_line(&mut self, place: LineId, line: &mut dyn Line, now: Time) -> Result<bool, NetError> {
        for _ in 0..READS {
            let Some(Datagrams { mut octets, each, from, at, is_congested }) = line.receive()? else {
                return Ok(false);
            };
            let (is_crowded, genuine) = (line.is_crowded(), self.session.counters().genuine);
            while !octets.is_empty() {
                let mut datagram = octets.split_to(each.min(octets.len()));
                if let Some((peer, line, payload)) = self.open(&mut datagram, (from, place, at), now) {
                    let octets = self.kept(datagram, payload, is_crowded);
                    self.receive((peer, line), octets, is_congested, now);
                }
            }
            // Anybody can write a peer's address on a datagram, and any of ours.
            if let Some(at) = at.filter(|_| self.session.counters().genuine > genuine) {
                line.heard(from, at);
            }
        }
        Ok(true)
    }

    /// Opens a datagram in place. Who sealed it, the line that it went by, and where what was sealed stands.
    fn open(
        &mut self,
        datagram: &mut [u8],
        (from, by, at): (SocketAddr, LineId, Option<Arrival>),
        now: Time,
    ) -> Option<(PeerId, LineId, Range<usize>)> {
        let received = self.session.handle_datagram(datagram, from, now, &mut self.random);
        if let Received::Answer(message) = &received {
            self.outboxes.of_mut(by).push(from, at, message);
        }
        // New keys say which incarnation of the peer a packet comes from.
        self.hear_session(now);
        if let Received::Packet { peer, line, payload } = received { Some((peer, line, payload)) } else { None }
    }

    /// A part of a datagram, to be held for as long as need be. It may be all that is left of what was read with it: where that happens
    /// too often, whoever forges datagrams, or sends them and withholds one that the others wait for, would have all our memory.
    fn kept(&mut self, datagram: BytesMut, part: Range<usize>, is_crowded: bool) -> Bytes {
        let is_small = part.len() < SMALL;
        if is_small && !self.small.is_crowded() {
            self.small.copy(&datagram[part])
        } else if is_small || is_crowded {
            Bytes::copy_from_slice(&datagram[part])
        } else {
            datagram.freeze().slice(part)
        }
    }

    fn receive(&mut self, (peer, line): (PeerId, LineId), octets: Bytes, is_congested: bool, now: Time) {
        let (Some(index), Some(tag)) = (self.index(peer), octets.first().copied()) else { return };
        self.counters.datagrams_received += 1;
        if is_congested {
            self.peers[index].congestion.met(octets.len(), now);
        }
        let frame = Frame::from_wire(Tag::from_octet(tag), octets.slice(1..)).by(line);
        let frame = if is_congested { frame.holding(Holds::Packets(Ecn::Ce)) } else { frame };
        self.peers[index].bearer.handle_frame(frame, now);
        self.agenda.make_ready(index);
    }

    /// What the session has to say of peers.
    fn hear_session(&mut self, now: Time) {
        while let Some(event) = self.session.poll_event() {
            if let Some(index) = event.peer().and_then(|peer| self.index(peer)) {
                match event {
                    session::Event::Established { peer, boot, .. } => {
                        let address = self.session.status(peer, now).and_then(|status| status.address);
                        address.into_iter().for_each(|address| self.peers[index].is_at(LineId::FIRST, address));
                        self.peers[index].meet(boot, now);
                        self.agenda.make_ready(index);
                    }
                    session::Event::Moved { to, line, .. } => self.peers[index].is_at(line, to),
                    _ => {}
                }
            }
            self.events.push(Event::Session(event));
        }
    }

    /// Acts on timers that are due.
    fn act(&mut self, now: Time) {
        if self.session.poll_timeout().is_some_and(|due| due <= now) {
            self.session.handle_timeout(now);
            self.hear_session(now);
        }
        while let Some(index) = self.agenda.next_due(now) {
            let Some(peer) = self.peers.get_mut(index) else { continue };
            peer.handle_timeout(now);
            self.agenda.make_ready(index);
        }
    }

    /// Takes packets of the network layer. Whether there may be more.
    fn read_packets(&mut self, network: &mut impl NetworkLayer, now: Time) -> Result<bool, NetError> {
        for _ in 0..PACKETS {
            let Some(packet) = network.poll_packet()? else { return Ok(false) };
            self.take(packet, network, now)?;
        }
        Ok(true)
    }

    fn take(&mut self, octets: Bytes, network: &mut impl NetworkLayer, now: Time) -> Result<(), NetError> {
        let Some((packet, headers)) = Packet::read(octets) else {
            self.counters.not_packets_sent += 1;
            return Ok(());
        };
        let Some(index) = self.allowed.find(headers.destination) else {
            self.counters.packets_without_peer += 1;
            return self.icmp_errors.send(&packet, IcmpError::NoRoute, network, now);
        };
        let Some(peer) = self.peers.get_mut(index) else { return Ok(()) };
        if !peer.bearer.is_up() && !peer.bearer.outage().is_known() {
            if !self.session.has_address(peer.id) {
                self.counters.packets_without_address += 1;
                return self.icmp_errors.send(&packet, IcmpError::NoHost, network, now);
            }
            // Whoever sends while the peer does not answer wants it to be asked again.
            self.session.begin(peer.id, now);
        }
        if path_query::may_be_message(&packet.octets)
            && let Some((message, source, destination)) = path_query::read(&packet)
        {
            self.send_query(index, message, (source, destination), now);
            return Ok(());
        }
        let packet = peer.clamp(packet, network.mtu());
        let largest = peer.bearer.largest_packet_like(&packet, Octets::MAX);
        let is_too_large = packet.size() > largest;
        if is_too_large {
            self.icmp_errors.send(&packet, IcmpError::TooBig(largest), network, now)?;
        }
        if let Some(flows) = &mut self.flows {
            flows.sends(index, &packet, headers);
        }
        match peer.bearer.handle_packet(packet, now) {
            Err(_) if is_too_large => self.counters.packets_too_large += 1,
            // The queue counts which one it has no room for: this one, or one that it took before.
            Ok(()) | Err(_) => self.offered += 1,
        }
        self.agenda.make_ready(index);
        Ok(())
    }

    /// Pumps the links to which something happened: each in its turn sends as much as one call of the system takes, and comes again
    /// behind all the others if it has more, until the line is full. Then everyone keeps its place.
    fn serve(
        &mut self,
        lines: &mut [&mut dyn Line],
        network: &mut impl NetworkLayer,
        now: Time,
    ) -> Result<(), NetError> {
        while self.outboxes.make_room(lines)? {
            let Some(index) = self.agenda.next_ready() else { return Ok(()) };
            if self.pump(index, network, now)? == Served::HasMore {
                self.agenda.make_ready(index);
            }
        }
        // What has arrived is delivered although nothing can be sent.
        let mut place = 0;
        while let Some(index) = self.agenda.ready_at(place) {
            self.pump(index, network, now)?;
            place += 1;
        }
        Ok(())
    }

    /// Pumps the link to a peer.
    fn pump(&mut self, index: usize, network: &mut impl NetworkLayer, now: Time) -> Result<Served, NetError> {
        let Self { session, peers, allowed, agenda, outboxes, counters, events, flows, queries, .. } = self;
        let Some(peer) = peers.get_mut(index) else { return Ok(Served::Wholly) };
        let (served, deadline) =
            peer.serve(index, &mut Shared { session, outboxes, allowed, network, counters, flows, queries }, now)?;
        agenda.set_deadline(index, deadline);
        while let Some((line, event)) = peer.bearer.poll_event() {
            if (line, event) == (None, bearer::Event::Down) && !peer.bearer.outage().is_known() {
                session.begin(peer.id, now);
            }
            // Of that the session has told.
            if event != bearer::Event::PeerRestarted {
                events.push(Event::Link(peer.id, line, event));
            }
        }
        while let Some((index, packet)) = self.queries.pop() {
            self.receive_query(index, packet, network, now)?;
        }
        Ok(served)
    }
}
