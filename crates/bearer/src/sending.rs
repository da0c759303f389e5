//! A datagram made: what it carries, by urgency.

use super::report::Carries;
use super::wire::{self, Content, Name};
use super::{Bearer, Departing, Transit};
use arqway_contract::{Departure, Frame, LinkService, Start, Tag, Ticket};
use arqway_units::{Octets, Span, Time};
use arrayvec::ArrayVec;
use bytes::Bytes;

/// What stands before a frame at most: a name in full, and a length.
pub(super) const MOST_BEFORE: usize = wire::FULL + 2;

/// A frame that is always carried, if need be in pieces: a packet of 1,280 octets (RFC 8200 §5) and what its service writes.
pub(super) const ALWAYS: usize = 1280 + 24;

/// While frames may be too large for a datagram, so often they are asked for first: smaller ones must not keep them out.
const LARGE_FIRST: u8 = 8;

impl<S: LinkService> Bearer<S> {
    /// The next datagram, if there is one of at most `room` octets. The pace lets it go.
    pub(super) fn next_datagram(&mut self, now: Time, room: usize) -> Option<Frame> {
        if room < wire::HELLO.max(MOST_BEFORE + wire::REPORT) {
            return None;
        }
        if let Some(hello) = self.epoch.poll(self.last_input) {
            self.counters.hellos_sent += 1;
            return Some(self.send(hello.write(), now));
        }
        self.epoch.id()?;
        if let Some(size) = self.transit.wants.answer.take() {
            return Some(self.send_full(Content::Answer, &size.to_be_bytes(), Bytes::new(), Carries::Nothing, now));
        }
        if core::mem::take(&mut self.transit.wants.ping) {
            self.counters.pings_sent += 1;
            return Some(self.send_full(Content::Ping, &[], Bytes::new(), Carries::Question, now));
        }
        if self.transit.wants.report && self.is_report_due() {
            return self.report(now);
        }
        if self.is_up {
            let datagram = self.probe(now, room);
            if datagram.is_some() {
                return datagram;
            }
            self.transit.wants.turn = self.path.has_room_at(self.last_input);
            if self.transit.wants.turn.is_none()
                && let Some(datagram) = self.frames(now, room)
            {
                return Some(datagram);
            }
        }
        if self.is_report_due() { self.report(now) } else { None }
    }

    /// A probe, if one is wanted and `room` has room for it.
    fn probe(&mut self, now: Time, room: usize) -> Option<Frame> {
        let size = self.path.mtu.wants_probe(self.last_input)?;
        let octets = self.path.without_overhead(size);
        let before = wire::FULL + wire::PROBE;
        if octets > room || octets < before {
            return None;
        }
        self.counters.probes_sent += 1;
        self.path.mtu.probed(size, self.path.rest_after(Octets::new(size.into())), now);
        let zeros = alloc::vec![0; octets - before].into();
        let octets = u16::try_from(octets).unwrap_or(u16::MAX).to_be_bytes();
        Some(self.send_full(Content::Probe, &octets, zeros, Carries::Probe, now))
    }

    /// Frames of the services, as many as fit, or a piece of one that does not.
    fn frames(&mut self, now: Time, room: usize) -> Option<Frame> {
        let room = room.min(self.path.room());
        loop {
            if let Some(datagram) = self.piece(now, room) {
                return Some(datagram);
            }
            let room = room.checked_sub(if self.writes_in_full() { MOST_BEFORE } else { wire::SHORT })?;
            if self.transit.told_room != room {
                self.transit.told_room = room;
                self.inner.handle_room(Octets::of(room));
            }
            let more_may_come = self.fill(now, room);
            if more_may_come && self.transit.packer.opened()? + self.config.pack_delay > self.last_input {
                return None;
            }
            if self.transit.packer.is_empty() {
                return None;
            }
            let Self { transit: Transit { packer, .. }, inner, .. } = self;
            let count = packer.start(room, |frame| inner.start_frame(frame, now) == Start::Send);
            if count == 0 {
                // All were withdrawn.
                continue;
            }
            if self.transit.packer.first_fits(room) {
                let marks = self.transit.packer.marks(count);
                return Some(self.send_frames(count, room, now).marked(marks));
            }
            let marks = self.transit.packer.marks(1);
            if let Some(frame) = self.transit.packer.first() {
                self.counters.frames_in_pieces += 1;
                self.transit.cutter.cut(&frame, marks);
            }
        }
    }

    /// Takes frames of the services until no more fit. Whether that is for want of frames, not of room.
    fn fill(&mut self, now: Time, room: usize) -> bool {
        // A report that is due finds a place, where frames can be cut for that: by itself it would cost a datagram.
        let report = if self.may_report_beside() { wire::REPORT + 2 } else { 0 };
        let beside = room.saturating_sub(report);
        while let Some(left) = self.transit.packer.room(beside) {
            let frame = if self.transit.packer.is_empty() {
                self.first_frame(now, left, room)
            } else {
                let fits = self.inner.poll_frame(now, Octets::of(left));
                // Where it would be waited for, whether there is one that does not fit: it goes in the next datagram.
                let waits = self.config.pack_delay > Span::ZERO;
                if waits { fits.or_else(|| self.inner.poll_frame(now, Octets::of(room))) } else { fits }
            };
            let Some(frame) = frame else { return true };
            self.transit.packer.push(frame, self.last_input);
        }
        false
    }

    /// A frame, of at most `room` octets if possible, and better of at most `beside`.
    fn first_frame(&mut self, now: Time, beside: usize, room: usize) -> Option<Frame> {
        self.transit.granted = self.transit.granted.max(room);
        let large = self.transit.granted.max(ALWAYS);
        if beside < room
            && let Some(frame) = self.inner.poll_frame(now, Octets::of(beside))
        {
            return Some(frame);
        }
        let [room, large] = [room, large].map(Octets::of);
        if large <= room {
            return self.inner.poll_frame(now, room);
        }
        self.transit.asked = (self.transit.asked + 1) % LARGE_FIRST;
        if self.transit.asked == 0 {
            return self.inner.poll_frame(now, large);
        }
        self.inner.poll_frame(now, room).or_else(|| self.inner.poll_frame(now, large))
    }

    /// A datagram of the first frames that wait, which have started, with a report if one is due and fits.
    fn send_frames(&mut self, count: usize, room: usize, now: Time) -> Frame {
        let datagram = self.next_ticket;
        for frame in self.transit.packer.frames(count) {
            let departing = |ticket: Ticket| Departing { datagram, at: None, tag: frame.tag, ticket };
            self.transit.departing.extend(frame.ticket.map(departing));
        }
        self.counters.frames_sent += arqway_units::count(count);
        let has_room = self.transit.packer.octets_of(count) + wire::REPORT <= room;
        let report = if self.may_report_beside() && has_room { self.next_report() } else { None };
        self.transit.wants.report = self.is_report_due();
        if count == 1 && report.is_none() {
            let (tag, name) = self.name(Content::One);
            match self.transit.packer.first().map(|frame| frame.enclosed(tag, &name)) {
                Some(Ok(datagram)) => return self.send_numbered(datagram, Carries::Frames, now),
                Some(Err(frame)) => self.transit.packer.push_front(frame),
                None => {}
            }
        } else {
            self.counters.frames_packed += arqway_units::count(count);
        }
        let (tag, name) = self.name(Content::Several);
        let datagram = self.transit.packer.write(tag, &name, count, report.as_ref());
        self.send_numbered(datagram, Carries::Frames, now)
    }

    /// A piece of the frame that is being cut.
    fn piece(&mut self, now: Time, room: usize) -> Option<Frame> {
        let Some(piece) = self.transit.cutter.next(room.saturating_sub(wire::FULL + wire::PIECE)) else {
            if let Some((tag, ticket)) = self.transit.cutter.give_up() {
                self.inner.handle_departure(tag, ticket, Departure::Dropped, now);
            }
            return None;
        };
        let datagram = self.next_ticket;
        let departing = piece.departure.map(|(tag, ticket)| Departing { datagram, at: None, tag, ticket });
        self.counters.frames_sent += u64::from(piece.is_last());
        self.transit.departing.extend(departing);
        // A piece has no room for one.
        self.transit.wants.report = self.is_report_due();
        let marks = piece.marks;
        Some(self.send_full(Content::Piece, &piece.head, piece.octets, Carries::Frames, now).marked(marks))
    }

    fn is_report_due(&self) -> bool {
        self.path.received.due().is_some_and(|due| due <= self.last_input)
    }

    fn may_report_beside(&self) -> bool {
        self.path.received.may_go_beside(self.last_input)
    }

    fn next_report(&mut self) -> Option<wire::Report> {
        let takes_short = self.epoch.takes_short(self.config.datagram_lifetime, self.last_input);
        let report = self.path.received.report(takes_short, self.last_input)?;
        self.counters.reports_sent += 1;
        Some(report)
    }

    /// A datagram with a report and nothing else.
    fn report(&mut self, now: Time) -> Option<Frame> {
        let report = self.next_report()?;
        self.transit.wants.report = false;
        let (tag, name) = self.name(Content::Several);
        let datagram = self.transit.packer.write(tag, &name, 0, Some(&report));
        Some(self.send_numbered(datagram, Carries::Nothing, now))
    }

    /// Whether the next datagram names its epoch and number in full.
    fn writes_in_full(&self) -> bool {
        !self.transit.wants.short || self.path.sent.next().1
    }

    fn full_name(&self) -> Name {
        let number = self.path.sent.next().0 & u64::from(u32::MAX);
        Name::Full { epoch: self.epoch.id().unwrap_or(0), number: u32::try_from(number).unwrap_or(0) }
    }

    fn name(&self, content: Content) -> (Tag, ArrayVec<u8, 8>) {
        if self.writes_in_full() {
            return wire::write_name(content, self.full_name());
        }
        let number = self.path.sent.next().0 % (1 << wire::NUMBER_BITS);
        let epoch = wire::short_epoch(self.epoch.id().unwrap_or(0));
        wire::write_name(content, Name::Short { epoch, number: u16::try_from(number).unwrap_or(0) })
    }

    fn send_full(&mut self, content: Content, head: &[u8], body: Bytes, carries: Carries, now: Time) -> Frame {
        let (tag, name) = wire::write_name(content, self.full_name());
        let mut datagram = wire::datagram(tag, &name, body);
        datagram.head.extend(head.iter().copied());
        self.send_numbered(datagram, carries, now)
    }

    fn send_numbered(&mut self, mut datagram: Frame, carries: Carries, now: Time) -> Frame {
        self.path.sent.send(datagram.size(), carries, now);
        if carries == Carries::Frames {
            let size = self.path.with_overhead(datagram.size());
            self.path.mtu.send(size, now);
        }
        datagram.ticket = Some(Ticket::new(self.next_ticket));
        self.next_ticket += 1;
        self.send(datagram, now)
    }

    fn send(&mut self, datagram: Frame, now: Time) -> Frame {
        self.counters.datagrams_sent += 1;
        self.counters.octets_sent += datagram.size().as_u64();
        let out_at = self.path.pace.send(datagram.size(), now);
        let number = datagram.ticket.map(Ticket::number);
        let of_it = self.transit.departing.iter_mut().rev().take_while(|departing| Some(departing.datagram) == number);
        of_it.for_each(|departing| departing.at = out_at);
        datagram
    }
}
