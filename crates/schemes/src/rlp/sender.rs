//! The sending half: packets that wait, the last ones that were sent, what of them was asked for again, copies of those that stand
//! alone, and keepalives.

use super::config::Config;
use super::copies::Copies;
use super::wire::{self, Form, LOOKBACK, Missing, Number};
use alloc::collections::VecDeque;
use arqway_arq::{Idle, RetransmissionBuffer, Window, earliest};
use arqway_contract::{Counters, Frame, Packet, Ticket};
use arqway_units::{Octets, Time};

/// On the ticket of a frame that is not sent a second time unless somebody asks.
const NO_COPY: u64 = u64::MAX - 1;

#[derive(Debug)]
pub(super) struct Sender {
    /// Packets that were never handed over.
    pub(super) waiting: VecDeque<Packet>,
    limit: usize,
    /// The last packets that were handed over, and how often each was handed over again; the oldest makes room for the newest,
    /// so nothing ever stalls.
    pub(super) buffer: RetransmissionBuffer<16, u16>,
    retransmissions: u16,
    copies: Copies,
    /// The link has several lines, which do not keep their order among each other.
    has_lines: bool,
    idle: Idle,
    keepalives: u16,
    /// How many keepalives are left of this idle time.
    keepalives_left: u16,
    keepalive_due: bool,
}

impl Sender {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            waiting: VecDeque::new(),
            limit: config.buffer.get(),
            buffer: RetransmissionBuffer::new(Window::new(config.window.as_usize()), &config.resequencing),
            retransmissions: config.retransmissions.get(),
            copies: Copies::new(config.copy_after),
            has_lines: false,
            idle: Idle::new(config.keepalive),
            keepalives: config.keepalives.get(),
            keepalives_left: 0,
            keepalive_due: false,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.limit
    }

    pub(super) fn push(&mut self, packet: Packet) {
        self.waiting.push_back(packet);
    }

    /// Takes a request. What is no longer kept is answered with how far we are: the peer may have misread a number.
    pub(super) fn request(&mut self, missing: &Missing) {
        for low_bits in missing.numbers() {
            let number =
                Number::before(self.buffer.end(), low_bits).filter(|number| self.buffer.get(*number).is_some());
            match number {
                Some(number) => {
                    self.buffer.send_again(number, |resent| *resent < self.retransmissions);
                }
                None => self.keepalive_due = true,
            }
        }
    }

    /// The next frame to hand over: what was asked for, then what never went out, then a copy, then a keepalive.
    pub(super) fn poll(&mut self, counters: &mut Counters) -> Option<Frame> {
        let mut frame = if let Some(frame) = self.poll_packet(counters) {
            // It also says how far we are, and opens a new idle time.
            self.keepalives_left = self.keepalives;
            self.keepalive_due = false;
            frame
        } else if let Some(frame) = self.poll_copy(counters) {
            frame
        } else if core::mem::take(&mut self.keepalive_due) {
            counters.keepalives_sent += 1;
            wire::keepalive(self.buffer.end())
        } else {
            return None;
        };
        self.idle.handed_over();
        frame.ticket.get_or_insert(Ticket::new(NO_COPY));
        Some(frame)
    }

    /// The next packet that is due for a second time. It goes as what it was, with the number that it had: whoever has it knows it by
    /// that, and for whoever has not, and has nothing behind it, it is the next one.
    fn poll_copy(&mut self, counters: &mut Counters) -> Option<Frame> {
        loop {
            let number = self.copies.poll()?;
            // A number that lies far behind reads as one far ahead.
            let is_near = self.buffer.end().offset_from(number).is_some_and(|behind| behind <= LOOKBACK / 2);
            let Some(frame) = self.buffer.get(number).filter(|frame| is_near && frame.state == 0) else {
                continue; // It was asked for, and went again, or too many have gone since.
            };
            counters.frames_resent += 1;
            return Some(wire::data(number, self.form(frame.link), frame.packet.clone()));
        }
    }

    fn poll_packet(&mut self, counters: &mut Counters) -> Option<Frame> {
        if let Some((number, frame)) = self.buffer.next_again() {
            frame.state += 1;
            counters.frames_resent += 1;
            return Some(wire::repair(number, Form::of(frame.link, self.has_lines), frame.packet.clone()));
        }
        let packet = self.waiting.pop_front()?;
        if self.buffer.window().is_full() {
            self.buffer.pop_front();
        }
        counters.sent(&packet.octets);
        self.buffer.announce(&packet.octets, false);
        // What is not kept any more comes no more.
        self.buffer.unlink_before(self.buffer.first());
        let octets = packet.octets.clone();
        let is_copied = self.copies.wants(&packet);
        let number = self.buffer.push(packet, 0);
        let link = self.buffer.get(number).and_then(|frame| frame.link);
        let mut frame = wire::data(number, self.form(link), octets);
        if is_copied {
            frame.ticket = Some(Ticket::new(number.as_u64()));
        }
        Some(frame)
    }

    /// How a packet bears its number now.
    fn form(&self, link: Option<u32>) -> Form {
        Form::of(link, self.has_lines)
    }

    /// The link has several lines.
    pub(super) fn learn_lines(&mut self) {
        self.has_lines = true;
    }

    /// What stands in front of a packet.
    pub(super) fn head_of_data(&self) -> Octets {
        wire::head_of_data(self.buffer.bears_links(), self.has_lines)
    }

    /// A data frame or a keepalive has left, or was dropped.
    pub(super) fn departed(&mut self, ticket: Ticket, now: Time) {
        if ticket.number() != NO_COPY {
            self.copies.departed(Number::new(ticket.number()), now);
        }
        self.idle.departed(now);
        if self.keepalives_left == 0 {
            self.idle.stop();
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.copies.handle_timeout(now);
        if self.idle.fire(now) {
            self.keepalives_left = self.keepalives_left.saturating_sub(1);
            self.keepalive_due = true;
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        earliest(self.idle.get(), self.copies.deadline())
    }
}
