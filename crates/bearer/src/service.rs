//! The bearer as a service: its frames are datagrams.

use super::{Bearer, Departing, Reason, room_of_frames};
use arqway_contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use arqway_units::{Octets, Time};

impl<S: LinkService> LinkService for Bearer<S> {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        self.last_input = now;
        if packet.size() > self.largest_packet_like(&packet, Octets::MAX) {
            // A service that cannot cut would keep it for ever, and others behind it.
            self.counters.packets_too_large += 1;
            // A path that carries nothing else must not stay unknown.
            self.path.mtu.wake();
            return Err(Full::of(packet));
        }
        self.inner.handle_packet(packet, now)
    }

    fn handle_frame(&mut self, datagram: Frame, now: Time) {
        self.last_input = now;
        self.receive(datagram, now);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.last_input = now;
        if !self.outage.is_over() {
            return;
        }
        self.depart_by_pace(now);
        if self.inner.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.inner.handle_timeout(now);
        }
        self.act(now);
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.set_outage(Reason::Announced, state == LinkState::Down, now);
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        if !self.outage.is_over() {
            return None;
        }
        let pace = &self.path.pace;
        self.transit.wants.turn = (!pace.is_open(self.last_input)).then(|| pace.free_at());
        if self.transit.wants.turn.is_some() {
            return None;
        }
        // What goes late is out at once. A service that waits for that has another frame, or the line would seem idle.
        self.depart_by_pace(self.last_input);
        let datagram = self.next_datagram(now, room.as_usize());
        if datagram.is_none() {
            self.path.pace.is_idle();
        }
        datagram
    }

    fn start_frame(&mut self, datagram: &mut Frame, now: Time) -> Start {
        self.last_input = now;
        match datagram.ticket {
            Some(ticket) if ticket.number() < self.transit.first_ticket => Start::Withdraw,
            _ => Start::Send,
        }
    }

    fn handle_departure(&mut self, _: Tag, ticket: Ticket, departure: Departure, now: Time) {
        self.last_input = now;
        let datagram = ticket.number();
        let is_of_it = |departing: &Departing| departing.datagram == datagram && departing.at.is_none();
        while let Some(index) = self.transit.departing.iter().position(is_of_it) {
            let Some(Departing { tag, ticket, .. }) = self.transit.departing.remove(index) else { break };
            self.inner.handle_departure(tag, ticket, departure, now);
        }
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        self.last_packets.pop_front().or_else(|| self.inner.poll_packet())
    }

    fn poll_timeout(&self) -> Option<Time> {
        if !self.outage.is_over() {
            return None;
        }
        let path = &self.path;
        let is_agreed = self.epoch.id().is_some();
        let unanswered = path.sent.unanswered_since();
        // What is due already waits for the pace or for room below, not for time.
        let ahead = [
            self.epoch.deadline(),
            path.received.due(),
            self.transit.packer.opened().map(|opened| opened + self.config.pack_delay),
            self.transit.wants.turn,
        ];
        let ahead = ahead.into_iter().map(|deadline| deadline.filter(|deadline| *deadline > self.last_input));
        let others = [
            self.transit.departing.front().and_then(|departing| departing.at),
            self.inner.poll_timeout(),
            path.liveness.deadline(unanswered, path.limits()).filter(|_| is_agreed),
            path.mtu.deadline(path.round_trip()).filter(|_| self.is_up),
        ];
        ahead.chain(others).flatten().min()
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.inner.wants_packet(room_of_frames(&self.path, room))
    }

    /// What the services carry in a datagram, or in pieces where datagrams are small.
    fn largest_packet(&self, room: Octets) -> Octets {
        self.inner.largest_packet(self.room_of_packets(room))
    }

    fn largest_packet_like(&self, packet: &Packet, room: Octets) -> Octets {
        // Most packets fit whatever service they go by.
        let least = self.largest_packet(room);
        if packet.size() <= least { least } else { self.inner.largest_packet_like(packet, self.room_of_packets(room)) }
    }

    fn counters(&self) -> Counters {
        let own = Counters {
            malformed_received: self.counters.malformed_received,
            packets_refused: self.counters.packets_too_large,
            ..Counters::default()
        };
        self.counted_before + self.inner.counters() + own
    }
}
