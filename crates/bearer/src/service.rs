//! The bearer as a service: its frames are datagrams.

use super::line::{Departing, Line};
use super::{Bearer, Reason};
use arqway_arq::earliest;
use arqway_contract::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket, Turn};
use arqway_units::{Octets, Time};

impl<S: LinkService> LinkService for Bearer<S> {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        self.shared.last_input = now;
        if packet.size() > self.largest_packet_like(&packet, Octets::MAX) {
            // A service that cannot cut would keep it for ever, and others behind it.
            self.shared.counters.packets_too_large += 1;
            // A path that carries nothing else must not stay unknown.
            self.lines.iter_mut().for_each(|line| line.path.mtu.wake());
            return Err(Full::of(packet));
        }
        self.shared.inner.handle_packet(packet, now)
    }

    fn handle_frame(&mut self, datagram: Frame, now: Time) {
        self.shared.last_input = now;
        self.receive(datagram, now);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.shared.last_input = now;
        if !self.shared.outage.is_over() {
            return;
        }
        self.depart_by_pace(now);
        if self.shared.inner.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.shared.inner.handle_timeout(now);
        }
        self.act(now);
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.set_outage(Reason::Announced, state == LinkState::Down, now);
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        if !self.shared.outage.is_over() {
            return None;
        }
        let Line { path, transit, outage, .. } = self.lines.get_mut(self.turn);
        if !outage.is_over() {
            return None;
        }
        let pace = &path.pace;
        transit.wants.turn = (!pace.is_open(self.shared.last_input)).then(|| pace.free_at());
        if transit.wants.turn.is_some() {
            return None;
        }
        // What goes late is out at once. A service that waits for that has another frame, or the line would seem idle.
        self.depart_by_pace(self.shared.last_input);
        let Self { shared, lines, turn } = self;
        let count = lines.count();
        if count > 1 {
            shared.inner.handle_turn(Turn::of(*turn));
        }
        let line = lines.get_mut(*turn);
        let frames = shared.counters.frames_sent;
        let is_agreed = shared.is_up && line.is_up;
        if count > 1 && is_agreed && line.wants_measuring(frames, shared.config.probe_interval, shared.last_input) {
            line.was_measured(frames, shared.last_input);
            line.transit.wants.ping = true;
        }
        let datagram = line.next_datagram(shared, count, now, room.as_usize());
        if datagram.is_none() {
            line.path.pace.is_idle();
        }
        datagram.map(|datagram| datagram.by(line.id))
    }

    fn handle_turn(&mut self, turn: Turn) {
        self.turn = if turn.line.index() < self.lines.count() { turn.line } else { self.turn };
    }

    fn start_frame(&mut self, datagram: &mut Frame, now: Time) -> Start {
        self.shared.last_input = now;
        match datagram.ticket {
            Some(ticket) if ticket.number() < self.shared.first_ticket => Start::Withdraw,
            _ => Start::Send,
        }
    }

    fn handle_departure(&mut self, _: Tag, ticket: Ticket, departure: Departure, now: Time) {
        self.shared.last_input = now;
        let datagram = ticket.number();
        let is_of_it = |departing: &Departing| departing.datagram == datagram && departing.at.is_none();
        for line in self.lines.iter_mut() {
            while let Some(index) = line.transit.departing.iter().position(is_of_it) {
                let Some(Departing { tag, ticket, .. }) = line.transit.departing.remove(index) else { break };
                self.shared.inner.handle_departure(tag, ticket, departure, now);
            }
        }
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        self.shared.last_packets.pop_front().or_else(|| self.shared.inner.poll_packet())
    }

    fn poll_timeout(&self) -> Option<Time> {
        if !self.shared.outage.is_over() {
            return None;
        }
        let is_agreed = self.shared.epoch.id().is_some();
        let kept_at = |line: &Line| line.kept_at(&self.shared.config).filter(|_| self.lines.are_several());
        let deadline = |line: &Line| earliest(self.deadline_of(line, is_agreed), kept_at(line));
        let of_lines = self.lines.iter().filter_map(deadline);
        let hello = self.shared.epoch.deadline().filter(|deadline| *deadline > self.shared.last_input);
        of_lines.chain(hello).chain(self.shared.inner.poll_timeout()).min()
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.shared.inner.wants_packet(self.room_of_frames(room))
    }

    /// What the services carry in a datagram, or in pieces where datagrams are small.
    fn largest_packet(&self, room: Octets) -> Octets {
        self.shared.inner.largest_packet(self.room_of_packets(room))
    }

    fn largest_packet_like(&self, packet: &Packet, room: Octets) -> Octets {
        // Most packets fit whatever service they go by.
        let least = self.largest_packet(room);
        if packet.size() <= least {
            least
        } else {
            self.shared.inner.largest_packet_like(packet, self.room_of_packets(room))
        }
    }

    fn counters(&self) -> Counters {
        let own = Counters {
            malformed_received: self.shared.counters.malformed_received,
            packets_refused: self.shared.counters.packets_too_large,
            ..Counters::default()
        };
        self.shared.counted_before + self.shared.inner.counters() + own
    }
}

impl<S: LinkService> Bearer<S> {
    /// When something is to be done about a line.
    fn deadline_of(&self, line: &Line, is_agreed: bool) -> Option<Time> {
        let Line { path, transit, outage, lost_at, .. } = line;
        if !outage.is_over() {
            return *lost_at;
        }
        // What is due already waits for the pace or for room below, not for time.
        let ahead = [
            path.received.due(),
            transit.packer.opened().map(|opened| opened + self.shared.config.pack_delay),
            transit.wants.turn,
        ];
        let ahead = ahead.into_iter().map(|deadline| deadline.filter(|deadline| *deadline > self.shared.last_input));
        let others = [
            transit.departing.front().and_then(|departing| departing.at),
            self.silence_ends(line).filter(|_| is_agreed),
            path.mtu.deadline(path.round_trip()).filter(|_| line.is_up && self.shared.is_up),
        ];
        ahead.chain(others).flatten().min()
    }
}
