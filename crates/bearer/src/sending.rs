//! A datagram made: what it carries, by urgency.

use super::Shared;
use super::line::{Departing, Line, Transit};
use super::report::Carries;
use super::wire::{self, Content, Name};
use arqway_contract::{Departure, Frame, LinkService, Start, Tag, Ticket};
use arqway_units::{Octets, Span, Time};
use arrayvec::ArrayVec;
use bytes::Bytes;

/// A frame that is always carried, if need be in pieces: a packet of 1,280 octets (RFC 8200 §5) and what its service writes.
pub(super) const ALWAYS: usize = 1280 + 24;

/// While frames may be too large for a datagram, so often they are asked for first: smaller ones must not keep them out.
const LARGE_FIRST: u8 = 8;

impl Line {
    /// The next datagram, if there is one of at most `room` octets. The pace lets it go.
    pub(super) fn next_datagram<S: LinkService>(
        &mut self,
        end: &mut Shared<S>,
        lines: usize,
        now: Time,
        room: usize,
    ) -> Option<Frame> {
        if room < wire::HELLO.max(wire::MOST_BEFORE + wire::REPORT) {
            return None;
        }
        if end.says_hello(self.id, lines)
            && let Some(hello) = end.epoch.poll(end.last_input)
        {
            end.has_said_hello();
            end.counters.hellos_sent += 1;
            return Some(self.send(end, hello.write(), now));
        }
        end.epoch.id()?;
        if let Some(size) = self.transit.wants.answer.take() {
            return Some(self.send_full(
                end,
                Content::Answer,
                &size.to_be_bytes(),
                Bytes::new(),
                Carries::Nothing,
                now,
            ));
        }
        if core::mem::take(&mut self.transit.wants.ping) {
            end.counters.pings_sent += 1;
            let said = self.say_use(end.last_input);
            return Some(self.send_full(end, Content::Ping, said, Bytes::new(), Carries::Question, now));
        }
        if self.transit.wants.report && self.is_report_due(end) {
            return self.report(end, now);
        }
        if self.is_up && end.is_up {
            let datagram = self.probe(end, now, room);
            if datagram.is_some() {
                return datagram;
            }
            self.transit.wants.turn = self.path.has_room_at(end.last_input);
            if self.transit.wants.turn.is_none()
                && let Some(datagram) = self.frames(end, now, room)
            {
                return Some(datagram);
            }
        }
        if self.is_report_due(end) { self.report(end, now) } else { None }
    }

    /// A probe, if one is wanted and `room` has room for it.
    fn probe<S: LinkService>(&mut self, end: &mut Shared<S>, now: Time, room: usize) -> Option<Frame> {
        let size = self.path.mtu.wants_probe(end.last_input)?;
        let octets = self.path.without_overhead(size);
        let before = wire::FULL + wire::PROBE;
        if octets > room || octets < before {
            return None;
        }
        end.counters.probes_sent += 1;
        self.path.mtu.probed(size, self.path.rest_after(Octets::new(size.into())), now);
        let zeros = alloc::vec![0; octets - before].into();
        let octets = u16::try_from(octets).unwrap_or(u16::MAX).to_be_bytes();
        Some(self.send_full(end, Content::Probe, &octets, zeros, Carries::Probe, now))
    }

    /// Frames of the services, as many as fit, or a piece of one that does not.
    fn frames<S: LinkService>(&mut self, end: &mut Shared<S>, now: Time, room: usize) -> Option<Frame> {
        let room = room.min(self.path.room());
        loop {
            if let Some(datagram) = self.piece(end, now, room) {
                return Some(datagram);
            }
            let room = room.checked_sub(if self.writes_in_full() { wire::MOST_BEFORE } else { wire::SHORT })?;
            if end.told_room != room {
                end.told_room = room;
                end.inner.handle_room(Octets::of(room));
            }
            let more_may_come = self.fill(end, now, room);
            if more_may_come && self.transit.packer.opened()? + end.config.pack_delay > end.last_input {
                return None;
            }
            if self.transit.packer.is_empty() {
                return None;
            }
            let (Self { transit: Transit { packer, .. }, .. }, inner) = (&mut *self, &mut end.inner);
            let count = packer.start(room, |frame| inner.start_frame(frame, now) == Start::Send);
            if count == 0 {
                // All were withdrawn.
                continue;
            }
            if self.transit.packer.first_fits(room) {
                let marks = self.transit.packer.marks(count);
                return Some(self.send_frames(end, count, room, now).marked(marks));
            }
            let marks = self.transit.packer.marks(1);
            if let Some(frame) = self.transit.packer.first() {
                end.counters.frames_in_pieces += 1;
                self.transit.cutter.cut(&frame, marks);
            }
        }
    }

    /// Takes frames of the services until no more fit. Whether that is for want of frames, not of room.
    fn fill<S: LinkService>(&mut self, end: &mut Shared<S>, now: Time, room: usize) -> bool {
        // A report that is due finds a place, where frames can be cut for that: by itself it would cost a datagram.
        let report = if self.may_report_beside(end) { wire::REPORT + 2 } else { 0 };
        let beside = room.saturating_sub(report);
        while let Some(left) = self.transit.packer.room(beside) {
            let frame = if self.transit.packer.is_empty() {
                self.first_frame(end, now, left, room)
            } else {
                let fits = end.inner.poll_frame(now, Octets::of(left));
                // Where it would be waited for, whether there is one that does not fit: it goes in the next datagram.
                let waits = end.config.pack_delay > Span::ZERO;
                if waits { fits.or_else(|| end.inner.poll_frame(now, Octets::of(room))) } else { fits }
            };
            let Some(frame) = frame else { return true };
            self.transit.packer.push(frame, end.last_input);
        }
        false
    }

    /// A frame, of at most `room` octets if possible, and better of at most `beside`.
    fn first_frame<S: LinkService>(
        &mut self,
        end: &mut Shared<S>,
        now: Time,
        beside: usize,
        room: usize,
    ) -> Option<Frame> {
        end.granted = end.granted.max(room);
        let large = end.granted.max(ALWAYS);
        if beside < room
            && let Some(frame) = end.inner.poll_frame(now, Octets::of(beside))
        {
            return Some(frame);
        }
        let [room, large] = [room, large].map(Octets::of);
        if large <= room {
            return end.inner.poll_frame(now, room);
        }
        self.transit.asked = (self.transit.asked + 1) % LARGE_FIRST;
        if self.transit.asked == 0 {
            return end.inner.poll_frame(now, large);
        }
        end.inner.poll_frame(now, room).or_else(|| end.inner.poll_frame(now, large))
    }

    /// A datagram of the first frames that wait, which have started, with a report if one is due and fits.
    fn send_frames<S: LinkService>(&mut self, end: &mut Shared<S>, count: usize, room: usize, now: Time) -> Frame {
        let datagram = end.next_ticket;
        for frame in self.transit.packer.frames(count) {
            let departing = |ticket: Ticket| Departing { datagram, at: None, tag: frame.tag, ticket };
            self.transit.departing.extend(frame.ticket.map(departing));
        }
        end.counters.frames_sent += arqway_units::count(count);
        let has_room = self.transit.packer.octets_of(count) + wire::REPORT <= room;
        let report = if self.may_report_beside(end) && has_room { self.next_report(end) } else { None };
        self.transit.wants.report = self.is_report_due(end);
        if count == 1 && report.is_none() {
            let (tag, name) = self.name(end, Content::One);
            match self.transit.packer.first().map(|frame| frame.enclosed(tag, &name)) {
                Some(Ok(datagram)) => return self.send_numbered(end, datagram, Carries::Frames, now),
                Some(Err(frame)) => self.transit.packer.push_front(frame),
                None => {}
            }
        } else {
            end.counters.frames_packed += arqway_units::count(count);
        }
        let (tag, name) = self.name(end, Content::Several);
        let datagram = self.transit.packer.write(tag, &name, count, report.as_ref());
        self.send_numbered(end, datagram, Carries::Frames, now)
    }

    /// A piece of the frame that is being cut.
    fn piece<S: LinkService>(&mut self, end: &mut Shared<S>, now: Time, room: usize) -> Option<Frame> {
        let Some(piece) = self.transit.cutter.next(room.saturating_sub(wire::FULL + wire::PIECE)) else {
            if let Some((tag, ticket)) = self.transit.cutter.give_up() {
                end.inner.handle_departure(tag, ticket, Departure::Dropped, now);
            }
            return None;
        };
        let datagram = end.next_ticket;
        let departing = piece.departure.map(|(tag, ticket)| Departing { datagram, at: None, tag, ticket });
        end.counters.frames_sent += u64::from(piece.is_last());
        self.transit.departing.extend(departing);
        // A piece has no room for one.
        self.transit.wants.report = self.is_report_due(end);
        let marks = piece.marks;
        Some(self.send_full(end, Content::Piece, &piece.head, piece.octets, Carries::Frames, now).marked(marks))
    }

    fn is_report_due<S: LinkService>(&self, end: &Shared<S>) -> bool {
        self.path.received.due().is_some_and(|due| due <= end.last_input)
    }

    fn may_report_beside<S: LinkService>(&self, end: &Shared<S>) -> bool {
        self.path.received.may_go_beside(end.last_input)
    }

    fn next_report<S: LinkService>(&mut self, end: &mut Shared<S>) -> Option<wire::Report> {
        let takes_short = end.epoch.takes_short(end.config.datagram_lifetime, end.last_input);
        let report = self.path.received.report(takes_short, end.last_input)?;
        end.counters.reports_sent += 1;
        Some(report)
    }

    /// A datagram with a report and nothing else.
    fn report<S: LinkService>(&mut self, end: &mut Shared<S>, now: Time) -> Option<Frame> {
        let report = self.next_report(end)?;
        self.transit.wants.report = false;
        let (tag, name) = self.name(end, Content::Several);
        let datagram = self.transit.packer.write(tag, &name, 0, Some(&report));
        Some(self.send_numbered(end, datagram, Carries::Nothing, now))
    }

    /// Whether the next datagram names its epoch and number in full.
    fn writes_in_full(&self) -> bool {
        !self.transit.wants.short || self.path.sent.next().1
    }

    fn full_name<S: LinkService>(&self, end: &Shared<S>) -> Name {
        let number = self.path.sent.next().0 & u64::from(u32::MAX);
        Name::Full { epoch: end.epoch.id().unwrap_or(0), number: u32::try_from(number).unwrap_or(0) }
    }

    fn name<S: LinkService>(&self, end: &Shared<S>, content: Content) -> (Tag, ArrayVec<u8, 8>) {
        if self.writes_in_full() {
            return wire::write_name(content, self.full_name(end));
        }
        let number = self.path.sent.next().0 % (1 << wire::NUMBER_BITS);
        let epoch = wire::short_epoch(end.epoch.id().unwrap_or(0));
        wire::write_name(content, Name::Short { epoch, number: u16::try_from(number).unwrap_or(0) })
    }

    fn send_full<S: LinkService>(
        &mut self,
        end: &mut Shared<S>,
        content: Content,
        head: &[u8],
        body: Bytes,
        carries: Carries,
        now: Time,
    ) -> Frame {
        let (tag, name) = wire::write_name(content, self.full_name(end));
        let mut datagram = wire::datagram(tag, &name, body);
        datagram.head.extend(head.iter().copied());
        self.send_numbered(end, datagram, carries, now)
    }

    fn send_numbered<S: LinkService>(
        &mut self,
        end: &mut Shared<S>,
        mut datagram: Frame,
        carries: Carries,
        now: Time,
    ) -> Frame {
        self.path.sent.send(datagram.size(), carries, now);
        if carries == Carries::Frames {
            let size = self.path.with_overhead(datagram.size());
            self.path.mtu.send(size, now);
        }
        datagram.ticket = Some(Ticket::new(end.next_ticket));
        end.next_ticket += 1;
        self.send(end, datagram, now)
    }

    fn send<S: LinkService>(&mut self, end: &mut Shared<S>, datagram: Frame, now: Time) -> Frame {
        end.counters.datagrams_sent += 1;
        end.counters.octets_sent += datagram.size().as_u64();
        self.sent += datagram.size() + end.config.overhead;
        self.sent_at = now;
        let out_at = self.path.pace.send(datagram.size(), now);
        let number = datagram.ticket.map(Ticket::number);
        let of_it = self.transit.departing.iter_mut().rev().take_while(|departing| Some(departing.datagram) == number);
        of_it.for_each(|departing| departing.at = out_at);
        datagram
    }
}
