//! One end of a service with its line below, and the books: what was done with it must be what it counted, and it keeps no
//! more than it may.

use super::contents::{self, Alive};
use super::line::Line;
use arqway_link::{Checked, Departure, Frame, Full, LinkService, LinkState, Packet, ServiceConfig, Tag, pump};
use arqway_units::{Span, Time};

/// How many events an end may have until it is at rest, once nothing is asked of it any more.
const MOST_EVENTS: usize = 100_000;

/// What an end may keep, in packets.
#[derive(Clone, Copy, Default)]
pub(crate) struct Limits {
    /// In its services.
    pub(crate) kept: usize,
    /// Frames that wait between the services, which have counted them, and the line.
    pub(crate) in_scheduler: usize,
    /// Its own packets when it is at rest.
    pub(crate) own_at_rest: usize,
    /// A frame may carry a part of a packet, or several.
    pub(crate) segments: bool,
    /// Packets may have fewer octets in frames than before.
    pub(crate) shortens: bool,
}

impl Limits {
    pub(crate) fn of(services: &[&ServiceConfig]) -> Self {
        Self {
            kept: services.iter().map(|service| service.kept_at_most()).sum(),
            in_scheduler: 0,
            own_at_rest: services.iter().map(|service| service.own_kept_at_rest()).sum(),
            segments: services.iter().any(|service| service.segments()),
            shortens: services.iter().any(|service| service.shortens()),
        }
    }
}

/// What was done with an end.
#[derive(Default)]
struct Books {
    taken: u64,
    octets_taken: u64,
    refused: u64,
    empty: u64,
    frames_received: u64,
    delivered: u64,
}

/// An end, its line, and what may be said of both.
pub(crate) struct Harness<S> {
    pub(crate) service: Checked<S>,
    pub(crate) line: Line,
    pub(crate) now: Time,
    /// Of the numbered packets that it delivered, the numbers.
    pub(crate) received: Vec<u32>,
    own: Alive,
    of_peer: Alive,
    limits: Limits,
    owes: Owes,
    books: Books,
}

/// How many packets a frame owes the network layer at once, by its tag and what is behind it; `None` where that depends.
pub(crate) type Owes = fn(Tag, &[u8]) -> Option<u64>;

impl<S: LinkService> Harness<S> {
    /// An end that may keep so much, besides what is in the line's queue.
    pub(crate) fn new(service: S, line: Line, limits: Limits) -> Self {
        Self {
            service: Checked::new(service),
            line,
            now: Time::ZERO,
            received: Vec::new(),
            own: Alive::default(),
            of_peer: Alive::default(),
            limits,
            owes: |_, _| None,
            books: Books::default(),
        }
    }

    /// The same, held to what each frame owes.
    pub(crate) fn with_debts(self, owes: Owes) -> Self {
        Self { owes, ..self }
    }

    /// A packet of the network layer; whether there was room.
    pub(crate) fn packet(&mut self, octets: Vec<u8>) -> bool {
        let length = octets.len() as u64;
        let packet = Packet::new(self.own.octets(octets));
        let taken = match self.service.handle_packet(packet, self.now) {
            Ok(()) if length == 0 => {
                self.books.empty += 1;
                false
            }
            Ok(()) => {
                self.books.taken += 1;
                self.books.octets_taken += length;
                true
            }
            Err(Full { .. }) => {
                self.books.refused += 1;
                false
            }
        };
        self.turn();
        taken
    }

    /// A frame off the wire.
    pub(crate) fn frame(&mut self, tag: Tag, octets: Vec<u8>) {
        let (owed, before) = ((self.owes)(tag, &octets), self.books.delivered);
        self.books.frames_received += 1;
        self.service.handle_frame(Frame::from_wire(tag, self.of_peer.octets(octets)), self.now);
        self.turn();
        if let Some(owed) = owed {
            assert_eq!(self.books.delivered - before, owed, "packets delivered for this frame");
        }
    }

    pub(crate) fn link(&mut self, state: LinkState) {
        self.line.is_down = state == LinkState::Down;
        self.service.handle_link(state, self.now);
        self.turn();
    }

    /// Whoever had the line leaves it, or takes it.
    pub(crate) fn line_is_free(&mut self, is_free: bool) {
        self.line.is_free = is_free;
        self.turn();
    }

    /// Whatever is due by now, told late where it was due before.
    fn happen(&mut self) {
        if let Some((tag, Some(ticket))) = self.line.take_departed(self.now) {
            self.service.handle_departure(tag, ticket, Departure::Sent, self.now);
        }
        if self.line.deadline.is_some_and(|deadline| deadline <= self.now) {
            self.service.handle_timeout(self.now);
        }
        self.turn();
    }

    /// Time passes, and everything happens when it is due.
    pub(crate) fn run(&mut self, length: Span) {
        let end = self.now + length;
        let mut events = 0;
        while let Some(next) = self.line.next_event().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.happen();
            events += 1;
            assert!(events < MOST_EVENTS, "timers without end at {:?}", self.now);
        }
        self.now = self.now.max(end);
    }

    /// Time passes while the owner of the service sleeps.
    pub(crate) fn oversleep(&mut self, length: Span) {
        self.now += length;
        self.happen();
    }

    /// The next event happens; whether there is one.
    pub(crate) fn step(&mut self) -> bool {
        let Some(next) = self.line.next_event() else { return false };
        self.now = self.now.max(next);
        self.happen();
        true
    }

    /// How many packets it delivered.
    pub(crate) fn delivered(&self) -> u64 {
        self.books.delivered
    }

    /// The link is up and the line free, and whatever goes out is answered, until nothing is left to do.
    pub(crate) fn come_to_rest(&mut self, answer: impl Fn(&Frame) -> Option<Frame>) {
        self.link(LinkState::Up);
        self.line_is_free(true);
        for _ in 0..MOST_EVENTS {
            // The last one is perhaps still on the line: an answer to what has not left would be a sample of the time before.
            let departed = self.line.sent.len().saturating_sub(usize::from(self.line.is_busy()));
            for sent in self.line.sent.drain(..departed).collect::<Vec<_>>() {
                if let Some(Frame { tag, head, .. }) = answer(&sent) {
                    self.frame(tag, head.to_vec());
                }
            }
            if departed == 0 && !self.step() {
                self.check_at_rest();
                return;
            }
        }
        panic!("the service does not come to rest: {:?}", self.service.counters());
    }

    fn turn(&mut self) {
        self.line.begin_turn();
        pump(&mut self.service, &mut self.line, self.now);
        self.books.delivered += self.line.delivered.len() as u64;
        self.check();
    }

    /// What it counted is what it did.
    fn check(&mut self) {
        let (counters, books, line) = (self.service.counters(), &self.books, &self.line);
        assert_eq!(counters.packets_taken, books.taken, "packets taken: {counters:?}");
        assert_eq!(counters.packets_refused, books.refused, "packets refused: {counters:?}");
        assert_eq!(counters.packets_empty, books.empty, "packets without octets: {counters:?}");
        assert_eq!(counters.packets_delivered, books.delivered, "packets delivered: {counters:?}");
        assert_eq!(counters.frames_withdrawn, line.asked - line.transmitted, "frames withdrawn: {counters:?}");
        let in_scheduler = self.frames_counted().checked_sub(line.handed_over);
        let fits = in_scheduler.is_some_and(|frames| frames <= self.limits.in_scheduler as u64);
        assert!(fits, "{} frames handed over: {counters:?}", line.handed_over);
        if !self.limits.segments {
            assert!(counters.frames_sent <= books.taken, "more packets sent than taken: {counters:?}");
        }
        assert!(counters.octets_sent <= books.octets_taken, "more octets sent than taken: {counters:?}");
        assert!(counters.malformed_received <= books.frames_received, "frames received: {counters:?}");
        let unread = books.frames_received - counters.malformed_received + counters.acknowledgements_regenerated;
        assert!(
            self.limits.segments || books.delivered <= unread,
            "{} packets out of {unread} frames: {counters:?}",
            books.delivered
        );
        self.received.extend(self.line.delivered.drain(..).filter_map(|packet| contents::number_of(&packet.octets)));
        let most = self.limits.kept + self.limits.in_scheduler + self.line.waiting();
        let kept = self.own.count() + self.of_peer.count();
        assert!(kept <= most, "{kept} packets are kept, and {most} may be: {:?}", self.service.counters());
    }

    /// Every packet that was taken has been in a frame, every frame was handed over, and no packet is kept for nothing.
    pub(crate) fn check_at_rest(&self) {
        let counters = self.service.counters();
        if !self.limits.segments {
            // What is given up may have gone out before.
            let gone = counters.frames_sent + counters.packets_discarded;
            let is_right = gone == self.books.taken || counters.packets_discarded > 0 && gone > self.books.taken;
            assert!(is_right, "packets that never went out: {counters:?}");
        }
        if counters.packets_discarded == 0 && !self.limits.shortens {
            assert_eq!(counters.octets_sent, self.books.octets_taken, "octets that never went out: {counters:?}");
        }
        assert_eq!(self.line.handed_over, self.frames_counted(), "frames that never went out: {counters:?}");
        let kept = self.own.count();
        assert!(kept <= self.limits.own_at_rest, "{kept} packets are kept for nothing: {counters:?}");
    }

    fn frames_counted(&self) -> u64 {
        let counters = self.service.counters();
        counters.frames_sent
            + counters.frames_resent
            + counters.acknowledgements_sent
            + counters.rejects_sent
            + counters.keepalives_sent
            + counters.parity_sent
            + counters.control_sent
    }
}
