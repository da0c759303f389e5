//! The multiplexer as a service: its frames are those of its services, with their numbers.

use super::lane::Lane;
use super::{Mux, Set};
use arqway_contract::{
    Counters, Departure, Frame, Full, LineId, LineState, LinkService, LinkState, Packet, Start, Tag, Ticket, Turn,
};
use arqway_units::{BitRate, Octets, Span, Time};

impl<S: LinkService> LinkService for Mux<S> {
    fn handle_packet(&mut self, mut packet: Packet, now: Time) -> Result<(), Full> {
        let id = self.carrier(&mut packet, now);
        let size = packet.size();
        self.keep_time(now);
        self.with_frames.add(id.index());
        let Some(lane) = self.told(id.index()) else { return Err(Full { packet, service: id }) };
        lane.handle_packet(packet, now)?;
        if let Some(meter) = &mut self.meter {
            meter.count(id.index(), size);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        self.keep_time(now);
        let index = frame.tag.service().index();
        match self.told(index) {
            Some(lane) => {
                lane.handle_frame(frame, now);
                if let Some(carried) = &mut self.carried {
                    carried.answer(index);
                }
            }
            None => {
                let learned = self.carried.as_mut().and_then(|carried| carried.learn(frame));
                self.unknown_tags += u64::from(learned.is_none());
            }
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        for index in 0..self.lanes.len() {
            if self.lanes[index].poll_timeout().is_some_and(|deadline| deadline <= now)
                && let Some(lane) = self.told(index)
            {
                lane.handle_timeout(now);
            }
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.down = state == LinkState::Down;
        for lane in &mut self.lanes {
            lane.handle_link(state, now);
        }
        (self.with_frames, self.with_packets) = (self.all(), self.all());
    }

    fn handle_capacity(&mut self, rate: BitRate, round_trip: Span) {
        self.lanes.iter_mut().for_each(|lane| lane.handle_capacity(rate, round_trip));
    }

    fn handle_restart(&mut self) {
        self.lanes.iter_mut().for_each(Lane::handle_restart);
        self.with_packets = self.all();
    }

    fn handle_room(&mut self, whole: Octets) {
        self.lanes.iter_mut().for_each(|lane| lane.service.handle_room(whole));
        self.with_frames = self.all();
    }

    fn handle_turn(&mut self, turn: Turn) {
        self.turn_to(turn.line);
    }

    fn handle_line(&mut self, line: LineId, state: LineState, now: Time) {
        self.know_line(line, state, now);
    }

    fn spans_lines(&self) -> bool {
        true
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        if self.down {
            return None;
        }
        self.keep_time(now);
        self.widen(room);
        if !self.goes_by_order || !self.schedulers.get(self.line()).is_empty() {
            return self.scheduled_frame(now, room);
        }
        let to_ask = self.to_ask();
        match to_ask.only() {
            Some(index) => self.only_frame(index, now, room),
            None if to_ask == Set::NONE => None,
            None => self.scheduled_frame(now, room),
        }
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        let index = frame.tag.service().index();
        self.told(index).map_or(Start::Send, |lane| lane.start_frame(frame, now))
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        if let Some(lane) = self.told(tag.service().index()) {
            lane.service.handle_departure(tag, ticket, departure, now);
        }
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        while let Some(index) = self.with_packets.first() {
            let packet = self.lanes.get_mut(index).and_then(Lane::poll_packet);
            if packet.is_some() {
                return packet;
            }
            self.with_packets.remove(index);
        }
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.lanes.iter().filter_map(Lane::poll_timeout).min()
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.lanes.iter().any(|lane| lane.service.wants_packet(room))
    }

    /// What each of them carries.
    fn largest_packet(&self, room: Octets) -> Octets {
        self.lanes.iter().map(|lane| lane.service.largest_packet(room)).min().unwrap_or_default()
    }

    fn largest_packet_like(&self, packet: &Packet, room: Octets) -> Octets {
        let lane = self.lanes.get(self.service_like(&packet.octets, packet.headers).index());
        lane.map_or_else(|| self.largest_packet(room), |lane| lane.service.largest_packet(room))
    }

    /// What all services have counted together; frames of no service count as malformed.
    fn counters(&self) -> Counters {
        let of_mux = Counters { malformed_received: self.unknown_tags, ..Counters::default() };
        self.lanes.iter().map(Lane::counters).fold(of_mux, |sum, counters| sum + counters)
    }
}
