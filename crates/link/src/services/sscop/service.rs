//! SSCOP as a service of a link.

use super::Sscop;
use super::connection::{Error, Indication, Outgoing, Request};
use super::pdu::{self, InFront, Pdu};
use crate::contract::{Counters, Departure, Frame, Full, Head, LinkService, LinkState, Packet, Start, Tag, Ticket};
use arqway_units::Time;
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

    /// Takes a frame's number off it; `None` where SSCOP is not to see it.
    fn let_through(&mut self, frame: &mut Frame, now: Time) -> Option<()> {
        let Some(filter) = &mut self.filter else { return Some(()) };
        let Some(number) = frame.take::<2>() else {
            self.counters.malformed_received += 1;
            return None;
        };
        let takes = filter.takes(number, now);
        self.counters.out_of_sequence_received += u64::from(!takes);
        takes.then_some(())
    }

    /// Does for the connection what its user and its management do.
    fn attend(&mut self, now: Time) {
        while let Some(indication) = self.connection.poll_indication() {
            let (user, connection) = (&mut self.user, &mut *self.connection);
            match indication {
                Indication::Data { packet, .. } => self.released.push_back(packet),
                Indication::Establish(_) => user.accept(Request::AcceptEstablishment(Bytes::new()), connection, now),
                Indication::Established(_) | Indication::Resynchronized(_) => user.connected(connection, now),
                Indication::Resynchronize(_) => user.accept(Request::AcceptResynchronization, connection, now),
                Indication::Recover => {
                    self.counters.resets += 1;
                    user.accept(Request::AcceptRecovery, connection, now);
                }
                Indication::Release { .. } | Indication::Released(_) => {
                    self.counters.resets += 1;
                    user.disconnected(connection, now);
                }
                // Nobody here speaks to the peer but by packets.
                Indication::UnitData(_) | Indication::ManagementData(_) => self.counters.malformed_received += 1,
                Indication::Error(error) => self.count(error),
            }
        }
    }

    fn count(&mut self, error: Error) {
        match error {
            Error::Malformed => self.counters.malformed_received += 1,
            Error::NoAnswer | Error::NoResponse => self.counters.unrecoverable_errors += 1,
            error if error.is_wrong() => self.counters.protocol_errors += 1,
            _ => {}
        }
    }

    fn count_out(&mut self, Outgoing { pdu, is_repeated, .. }: &Outgoing) {
        match pdu {
            Pdu::Sd { .. } if *is_repeated => self.counters.frames_resent += 1,
            Pdu::Sd { packet, .. } => {
                self.counters.frames_sent += 1;
                self.counters.octets_sent += packet.len() as u64;
            }
            Pdu::Stat(_) => self.counters.acknowledgements_sent += 1,
            Pdu::Ustat { .. } => self.counters.rejects_sent += 1,
            Pdu::Poll { .. } => self.counters.keepalives_sent += 1,
            _ => self.counters.control_sent += 1,
        }
    }

    /// What goes in front of a PDU.
    fn head_of(&mut self, Outgoing { pdu, link, .. }: &Outgoing) -> Head {
        let mut head = Head::new();
        if let Some(filter) = &mut self.filter {
            head.extend(filter.number());
        }
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

impl LinkService for Sscop {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let has_room = self.user.pending() + self.connection.waiting() < self.buffer;
        if let Some(octets) = self.counters.admit(packet, has_room)? {
            let now = self.outage.timer_time(now);
            self.user.send(octets, &mut self.connection, now);
        }
        Ok(())
    }

    fn handle_frame(&mut self, mut frame: Frame, now: Time) {
        let now = self.outage.timer_time(now);
        if self.let_through(&mut frame, now).is_some() {
            let (pdu, link) = self.read(frame);
            self.connection.handle_linked(pdu, link, now);
            self.attend(now);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.outage.is_on() {
            return;
        }
        while let Some((_, timer)) = self.connection.next_timer().filter(|(at, _)| *at <= now) {
            self.connection.handle_timer(timer, now);
            self.attend(now);
        }
        self.user.handle_timeout(&mut self.connection, now);
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let Some(length) = self.outage.change(state, now) {
            self.connection.postpone(length);
            self.user.postpone(length);
            if let Some(filter) = &mut self.filter {
                filter.postpone(length);
            }
        }
    }

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        let outgoing = self.connection.poll_pdu(now)?;
        self.count_out(&outgoing);
        let head = self.head_of(&outgoing);
        Some(pdu::frame(outgoing.pdu, &head))
    }

    fn start_frame(&mut self, _frame: &mut Frame, _now: Time) -> Start {
        Start::Send
    }

    fn handle_departure(&mut self, _: Tag, _: Ticket, _: Departure, _: Time) {}

    fn poll_packet(&mut self) -> Option<Packet> {
        let Self { connection, released, counters, .. } = self;
        let octets = match connection.filter() {
            Some(filter) => filter.next(|| released.pop_front(), counters),
            None => released.pop_front(),
        }?;
        self.counters.packets_delivered += 1;
        Some(Packet::new(octets))
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() {
            return None;
        }
        let timer = self.connection.next_timer().map(|(at, _)| at);
        timer.into_iter().chain(self.user.deadline()).min()
    }

    fn counters(&self) -> Counters {
        self.counters + self.connection.counters()
    }
}
