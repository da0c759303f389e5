//! SSCOP as a service of a link.

use super::Sscop;
use super::connection::{Error, Indication, Outgoing, Request};
use super::pdu::{self, InFront, Pdu};
use arqway_arq::earliest;
use arqway_contract::{Clock, Counters, Deadlines, Entity, Frame, Head, Packet};
use arqway_units::{Octets, Time};
use bytes::Bytes;

impl Sscop {
    /// What stands in front of a packet behind the number of the filter.
    fn in_front(&self) -> InFront {
        let number = if self.filter.is_some() { 2 } else { 0 };
        let link = if self.resequencing.needs_link() { 2 } else { 0 };
        InFront { meaning: link, overhead: self.overhead.saturating_sub(number) }
    }

    /// Takes a frame that came in order: `None` is a PDU that cannot be read.
    fn read(&self, frame: Frame) -> (Option<Pdu>, u32) {
        let Some((pdu, link)) = pdu::read(frame, self.in_front()) else { return (None, 0) };
        let written = link.as_slice().try_into().ok().map(|octets| u16::from_be_bytes(octets).into());
        match pdu {
            Pdu::Sd { .. } => {
                let link = self.resequencing.link_of(written);
                (link.map(|_| pdu), link.unwrap_or(0))
            }
            _ => (Some(pdu), 0),
        }
    }

    /// Takes a frame's number off it; whether SSCOP is to see it. `None`: it has none.
    fn let_through(&mut self, frame: &mut Frame, now: Time, counters: &mut Counters) -> Option<bool> {
        let Some(filter) = &mut self.filter else { return Some(true) };
        let takes = filter.takes(frame.take::<2>()?, now);
        counters.out_of_sequence_received += u64::from(!takes);
        Some(takes)
    }

    /// Does for the connection what its user and its management do.
    fn attend(&mut self, now: Time, counters: &mut Counters) {
        while let Some(indication) = self.connection.poll_indication() {
            let (user, connection) = (&mut self.user, &mut *self.connection);
            match indication {
                Indication::Data { packet, .. } => self.released.push_back(packet),
                Indication::Establish(_) => user.accept(Request::AcceptEstablishment(Bytes::new()), connection, now),
                Indication::Established(_) | Indication::Resynchronized(_) => user.connected(connection, now),
                Indication::Resynchronize(_) => user.accept(Request::AcceptResynchronization, connection, now),
                Indication::Recover => {
                    counters.resets += 1;
                    user.accept(Request::AcceptRecovery, connection, now);
                }
                Indication::Release { .. } | Indication::Released(_) => {
                    counters.resets += 1;
                    user.disconnected(connection, now);
                }
                // Nobody here speaks to the peer but by packets.
                Indication::UnitData(_) | Indication::ManagementData(_) => counters.malformed_received += 1,
                Indication::Error(error) => count(error, counters),
            }
        }
    }

    /// What goes in front of a PDU.
    fn head_of(&mut self, Outgoing { pdu, link, .. }: &Outgoing) -> Head {
        let mut head = Head::new();
        if let Some(filter) = &mut self.filter {
            head.extend(filter.number());
        }
        // No link reaches beyond what may be outstanding, which has room in two octets.
        if let Some(link) = link.and_then(|link| u16::try_from(link).ok()) {
            head.extend(link.to_be_bytes());
        }
        if let Pdu::Sd { packet, .. } = pdu {
            let filling = self.in_front().filling(pdu::padding_of(packet.len()));
            head.extend(core::iter::repeat_n(0, filling));
        }
        head
    }
}

fn count(error: Error, counters: &mut Counters) {
    match error {
        Error::Malformed => counters.malformed_received += 1,
        Error::NoAnswer | Error::NoResponse => counters.unrecoverable_errors += 1,
        error if error.is_wrong() => counters.protocol_errors += 1,
        _ => {}
    }
}

fn count_out(Outgoing { pdu, is_repeated, .. }: &Outgoing, counters: &mut Counters) {
    match pdu {
        Pdu::Sd { .. } if *is_repeated => counters.frames_resent += 1,
        Pdu::Sd { packet, .. } => counters.sent(packet),
        Pdu::Stat(_) => counters.acknowledgements_sent += 1,
        Pdu::Ustat { .. } => counters.rejects_sent += 1,
        Pdu::Poll { .. } => counters.keepalives_sent += 1,
        _ => counters.control_sent += 1,
    }
}

impl Entity for Sscop {
    fn has_room(&self) -> bool {
        self.user.pending() + self.connection.waiting() < self.buffer
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        self.user.pending() + self.connection.waiting() == 0
    }

    fn push(&mut self, packet: Packet, Clock { timers, .. }: Clock, _counters: &mut Counters) {
        self.user.send(packet, &mut self.connection, timers);
    }

    fn receive(&mut self, mut frame: Frame, Clock { timers, .. }: Clock, counters: &mut Counters) -> Option<()> {
        if self.let_through(&mut frame, timers, counters)? {
            let (pdu, link) = self.read(frame);
            self.connection.handle_linked(pdu, link, timers);
            self.attend(timers, counters);
        }
        Some(())
    }

    fn expire(&mut self, Clock { timers: now, .. }: Clock, counters: &mut Counters) {
        while let Some((_, timer)) = self.connection.next_timer().filter(|(at, _)| *at <= now) {
            self.connection.handle_timer(timer, now);
            self.attend(now, counters);
        }
        self.user.handle_timeout(&mut self.connection, now);
    }

    fn poll(&mut self, Clock { timers, .. }: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        let outgoing = self.connection.poll_pdu(timers)?;
        count_out(&outgoing, counters);
        let head = self.head_of(&outgoing);
        Some(pdu::frame(outgoing.pdu, &head))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        // With more padding a shorter packet fills the room.
        let with_padding = |padding: usize| {
            let before = self.in_front();
            let filter = if self.filter.is_some() { 2 } else { 0 };
            let head = filter + before.meaning + before.filling(padding) + padding + pdu::LAST_WORD;
            let packet = (room - Frame::TAG - Octets::of(head)).as_usize();
            Some(packet).filter(|packet| pdu::padding_of(*packet) <= padding)
        };
        Octets::of((0..4).find_map(with_padding).unwrap_or(0))
    }

    fn release(&mut self, counters: &mut Counters) -> Option<Bytes> {
        let Self { connection, released, .. } = self;
        connection.next_packet(|| released.pop_front(), counters)
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines::of_timers(earliest(self.connection.next_timer().map(|(at, _)| at), self.user.deadline()))
    }

    fn counters(&self, counted: Counters) -> Counters {
        counted + self.connection.counters()
    }
}
