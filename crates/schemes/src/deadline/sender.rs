//! The sending half: packets that wait, the last ones that were sent, what of them was asked for in time, and parity.

use super::WINDOW;
use super::config::Config;
use super::losses::Losses;
use super::parity::{self, LENGTH};
use super::wire::{self, HEAD_OF_PARITY, MOST_IN_SUM, Number};
use alloc::collections::VecDeque;
use arqway_arq::linear::coefficient;
use arqway_arq::{Deadline, Window};
use arqway_contract::{Clock, Counters, Frame, Head, Packet, Ticket};
use arqway_units::{Span, Time, ToFloat, truncate};
use bytes::{Bytes, BytesMut};

/// How often it is said how many packets there were, once no more come.
const KEEPALIVES: u8 = 3;
/// No more come where none has for so many times the time between two, ...
const SILENCE: f64 = 1.5;
/// ... but at least this.
const LEAST_SILENCE: Span = Span::from_milliseconds(5);
/// How much the time between two packets tells of the next.
const GAIN: f64 = 1.0 / 8.0;
/// Parity that could not go for want of packets is not saved up beyond so many sums.
const MOST_CREDIT: f64 = 2.0;

#[derive(Debug)]
pub(super) struct Sender {
    waiting: VecDeque<Packet>,
    limit: usize,
    deadline: Span,
    most_parity: f64,
    /// Whether the peer says what is lost.
    is_told: bool,
    /// The last packets that were sent; the oldest makes room for the newest, so nothing ever stalls.
    sent: Window<16, Sent>,
    /// Those that are to go again.
    again: VecDeque<Number>,
    losses: Losses,
    /// Octets of parity that are due.
    credit: f64,
    /// All before this one are in a sum.
    in_sums: Number,
    sums: u64,
    idle: Idle,
    slab: BytesMut,
}

/// A packet that was sent.
#[derive(Debug)]
struct Sent {
    octets: Bytes,
    /// From then on it is worth nothing.
    until: Time,
    is_lost: bool,
    goes_again: bool,
}

/// The time between two packets, and what is said when no more come.
#[derive(Debug)]
struct Idle {
    last: Option<Time>,
    between: Span,
    timer: Deadline,
    /// Handed over and not departed yet.
    below: u32,
    left: u8,
    is_due: bool,
}

impl Sender {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            waiting: VecDeque::new(),
            limit: config.buffer.get(),
            deadline: config.deadline,
            most_parity: config.parity.as_f64(),
            is_told: config.requests,
            sent: Window::new(WINDOW),
            again: VecDeque::with_capacity(WINDOW),
            losses: Losses::new(),
            credit: 0.0,
            in_sums: Number::ZERO,
            sums: 0,
            idle: Idle {
                last: None,
                between: config.deadline / 4,
                timer: Deadline::default(),
                below: 0,
                left: 0,
                is_due: false,
            },
            slab: BytesMut::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.limit
    }

    pub(super) fn wants_packet(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes a packet, whose time runs from when it came to the link layer.
    pub(super) fn push(&mut self, packet: Packet, Clock { now, .. }: Clock, counters: &mut Counters) {
        match packet.left_of(self.deadline, now) {
            Some(left) => self.waiting.push_back(Packet { deadline: Some(now + left), ..packet }),
            None => counters.packets_discarded += 1,
        }
    }

    /// The peer lacks packets. They go again, if they are in time when their turn comes; each tells what the losses are.
    pub(super) fn request(&mut self, asked: &Head, Clock { now, .. }: Clock) {
        for low_bits in wire::numbers(asked) {
            let Some(number) = Number::before(self.sent.end(), low_bits) else { continue };
            let follows_a_loss = number
                .as_u64()
                .checked_sub(1)
                .and_then(|before| self.sent.get(Number::new(before)))
                .is_some_and(|sent| sent.is_lost);
            let Some(sent) = self.sent.get_mut(number) else { continue };
            let is_in_time = sent.until > now;
            if !sent.is_lost {
                sent.is_lost = true;
                self.losses.lost(!follows_a_loss, is_in_time);
            }
            if !sent.goes_again {
                sent.goes_again = true;
                self.again.push_back(number);
            }
        }
    }

    /// The next frame to hand over: what was asked for, parity that is due, then what never went out; and when nothing more comes, how
    /// many there were.
    pub(super) fn poll(&mut self, clock: Clock, counters: &mut Counters) -> Option<Frame> {
        let frame = self.poll_again(clock.now, counters);
        let frame = frame.or_else(|| self.poll_parity(clock.now, counters));
        let frame = frame.or_else(|| self.poll_new(clock, counters));
        let mut frame = frame.or_else(|| self.poll_end(clock.now, counters))?;
        frame.ticket = Some(Ticket::new(0));
        self.idle.below += 1;
        self.idle.timer.stop();
        Some(frame)
    }

    fn poll_again(&mut self, now: Time, counters: &mut Counters) -> Option<Frame> {
        while let Some(number) = self.again.pop_front() {
            let Some(sent) = self.sent.get_mut(number) else { continue };
            sent.goes_again = false;
            if sent.until > now {
                counters.frames_resent += 1;
                return Some(wire::again(number, sent.octets.clone()));
            }
        }
        None
    }

    fn poll_new(&mut self, Clock { now, timers }: Clock, counters: &mut Counters) -> Option<Frame> {
        let packet = loop {
            let packet = self.waiting.pop_front()?;
            if !packet.has_expired(now) {
                break packet;
            }
            counters.packets_discarded += 1;
        };
        if self.sent.is_full() {
            self.sent.pop_front();
        }
        let octets = packet.octets;
        counters.sent(&octets);
        let until = packet.deadline.unwrap_or(now);
        let number = self.sent.push(Sent { octets: octets.clone(), until, is_lost: false, goes_again: false });
        self.losses.sent();
        self.idle.came(timers, self.deadline);
        let frame = wire::data(number, octets);
        self.credit += self.share(now) * frame.size().as_u64().to_f64();
        Some(frame)
    }

    /// The octets of parity for each octet of packets.
    fn share(&self, now: Time) -> f64 {
        if self.is_told { self.losses.parity(self.in_time(now).1, self.most_parity) } else { self.most_parity }
    }

    /// The packets that are younger than their deadline: the first, and how many.
    fn in_time(&self, now: Time) -> (Number, usize) {
        let end = self.sent.end();
        let is_in_time = |number: &u64| {
            self.sent.get(Number::new(*number)).is_some_and(|sent| sent.until > now && parity::fits(&sent.octets))
        };
        let first = end.as_u64().saturating_sub(MOST_IN_SUM as u64);
        let count = (first..end.as_u64()).rev().take_while(is_in_time).count();
        (Number::new(end.as_u64() - count as u64), count)
    }

    /// The sum of all packets that are in time, once as much parity is due, and there is one that is in no sum. It waits until the packets
    /// have left: in one datagram with the last of them it would be lost with that.
    fn poll_parity(&mut self, now: Time, counters: &mut Counters) -> Option<Frame> {
        if self.credit <= 0.0 || self.idle.below > 0 {
            return None;
        }
        let size = self.size_of_parity(now)?;
        if self.credit < size {
            return None;
        }
        self.parity(now, counters)
    }

    /// How many octets a sum of what is in time has, where one of these is in no sum yet.
    fn size_of_parity(&self, now: Time) -> Option<f64> {
        let (first, count) = self.in_time(now);
        let longest = self.longest(first).filter(|_| count > 0 && self.in_sums < self.sent.end())?;
        Some((Frame::TAG + HEAD_OF_PARITY).as_u64().to_f64() + longest.to_f64())
    }

    fn longest(&self, first: Number) -> Option<usize> {
        (first.as_u64()..self.sent.end().as_u64())
            .filter_map(|number| Some(self.sent.get(Number::new(number))?.octets.len()))
            .max()
    }

    fn parity(&mut self, now: Time, counters: &mut Counters) -> Option<Frame> {
        let (first, count) = self.in_time(now);
        let [.., key] = self.sums.to_be_bytes();
        self.sums += 1;
        let mut sum = parity::zeros(LENGTH + self.longest(first)?, &mut self.slab);
        for number in first.as_u64()..self.sent.end().as_u64() {
            let number = Number::new(number);
            parity::add(&mut sum, coefficient(number.wire(), key), &self.sent.get(number)?.octets)?;
        }
        let frame = wire::parity(first, u8::try_from(count).ok()?, key, sum.freeze());
        let size = frame.size().as_u64().to_f64();
        self.credit = (self.credit - size).clamp(-MOST_CREDIT * size, MOST_CREDIT * size);
        self.in_sums = self.sent.end();
        counters.parity_sent += 1;
        Some(frame)
    }

    /// Nothing more comes: parity of what is in no sum, where losses ask for any; or how many packets there were.
    fn poll_end(&mut self, now: Time, counters: &mut Counters) -> Option<Frame> {
        if !core::mem::take(&mut self.idle.is_due) {
            return None;
        }
        if self.share(now) > 0.0 && self.size_of_parity(now).is_some() {
            return self.parity(now, counters);
        }
        counters.keepalives_sent += 1;
        Some(wire::keepalive(self.sent.end()))
    }

    /// A frame has left, or was dropped.
    pub(super) fn departed(&mut self, now: Time) {
        let idle = &mut self.idle;
        idle.below = idle.below.saturating_sub(1);
        if idle.below == 0 && idle.left > 0 {
            idle.timer.restart(now + idle.silence());
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.idle.timer.fire(now) {
            self.idle.left = self.idle.left.saturating_sub(1);
            self.idle.is_due = true;
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.idle.timer.get()
    }
}

impl Idle {
    /// A packet goes out, so long after the one before it as packets do.
    fn came(&mut self, now: Time, most: Span) {
        if let Some(last) = self.last.replace(now) {
            let [so_far, sample] = [self.between, now.since(last).min(most)].map(Span::as_seconds);
            self.between = Span::from_seconds(so_far + GAIN * (sample - so_far));
        }
        (self.left, self.is_due) = (KEEPALIVES, false);
    }

    fn silence(&self) -> Span {
        let nanoseconds = self.between.as_nanoseconds().to_f64() * SILENCE;
        Span::from_nanoseconds(truncate(nanoseconds)).max(LEAST_SILENCE)
    }
}
