//! The receiving half: which packets are missing, since when, and what follows from parity.
//!
//! ```text
//!     came      due                     given up at the sender, which the request has to reach half a round trip before
//!      |---------|------------------------|
//!                |-- request -- ... ------| latest      there is no time to ask again after an answer that does not come:
//!                        ^ and here once more           so the request is made twice, as far apart as half the time left
//! ```
//!
//! To spend more on a packet the less time there is for another try is Hairpin's idea (Meng et al., NSDI 2024).

use super::WINDOW;
use super::config::Config;
use super::parity;
use super::wire::{self, MOST_ASKED, MOST_IN_SUM, Number, Parity, REACH};
use alloc::collections::VecDeque;
use arqway_arq::linear::{Equations, coefficient};
use arqway_arq::{Deadline, RoundTrip, Smoothing, Window};
use arqway_contract::{Counters, Frame};
use arqway_units::{Span, Time};
use bytes::{Bytes, BytesMut};

/// Packets are kept for sums at first, and until so many have come behind the last sum.
const KEPT_FOR: u64 = 8192;
/// So many round trips and deviations after a request another one goes, as TCP's timeout has it (RFC 6298).
const TIMEOUT: (f64, f64) = (1.0, 4.0);
/// How much the time between two packets tells of the next.
const GAIN: f64 = 1.0 / 8.0;

#[derive(Debug)]
pub(super) struct Receiver {
    /// From the oldest packet that still matters to the newest one heard of.
    window: Window<16, Slot>,
    outgoing: VecDeque<Bytes>,
    /// A packet that is missing for so long comes no more.
    deadline: Span,
    asks: bool,
    /// When the newest packet was heard of, and how far apart they are.
    heard_at: Option<Time>,
    between: Span,
    smoothing: Smoothing,
    round_trip: RoundTrip,
    has_round_trip: bool,
    must_ask: bool,
    timer: Deadline,
    equations: Equations,
    /// Packets before this one are kept when they arrive.
    keeps_until: u64,
    slab: BytesMut,
}

#[derive(Debug)]
enum Slot {
    Missing(Missing),
    /// It is counted as missed.
    GivenUp,
    /// With its octets, where they are kept.
    Arrived(Option<Bytes>),
}

#[derive(Debug, Clone, Copy)]
struct Missing {
    since: Time,
    /// How long before that it would have come, about.
    late: Span,
    /// When it was last asked for, and how often: a request that is made twice is one.
    asked_at: Time,
    asked: u32,
    /// When it is to be asked for next, if ever; and whether that is the same request once more.
    next: Option<Time>,
    is_repeated: bool,
    is_due: bool,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        let smoothing = Smoothing::default();
        Self {
            window: Window::new(WINDOW),
            outgoing: VecDeque::new(),
            deadline: config.deadline,
            asks: config.requests,
            heard_at: None,
            between: Span::ZERO,
            round_trip: RoundTrip::new(smoothing, 0.0, 0.0),
            smoothing,
            has_round_trip: false,
            must_ask: false,
            timer: Deadline::default(),
            equations: Equations::new(MOST_IN_SUM),
            keeps_until: KEPT_FOR,
            slab: BytesMut::new(),
        }
    }

    /// Takes a packet that was sent for the first time.
    pub(super) fn data(&mut self, low_bits: u64, packet: Bytes, now: Time, counters: &mut Counters) {
        let number = wire::number_of_data(self.window.end(), low_bits);
        if number >= self.window.end() {
            self.measure(number, now);
            self.hear_of_all_before(number, now, counters);
            self.expect(now, Span::ZERO, counters);
        }
        self.fill(number, packet, counters);
        self.work_out(counters);
    }

    /// Takes a packet that was asked for.
    pub(super) fn again(&mut self, low_bits: u64, packet: Bytes, now: Time, counters: &mut Counters) {
        let number = wire::number_of_again(self.window.end(), low_bits);
        let Some(number) = number.filter(|number| self.window.get(*number).is_some()) else {
            counters.out_of_sequence_received += 1;
            return;
        };
        if let Some(Slot::Missing(Missing { asked: 1, asked_at, .. })) = self.window.get(number) {
            let ticks = self.smoothing.arithmetic.ticks(now.since(*asked_at));
            self.round_trip.sample(ticks);
            self.has_round_trip = true;
        }
        self.fill(number, packet, counters);
        self.work_out(counters);
    }

    /// Takes a sum of packets.
    pub(super) fn parity(&mut self, parity: &Parity, now: Time, counters: &mut Counters) {
        let count = u64::from(parity.count);
        let first = Number::nearest(self.window.end(), parity.first);
        let end = first + count;
        if end > self.window.end() && !self.hear_of_all_before(end, now, counters) {
            return;
        }
        self.keeps_until = self.keeps_until.max(end.as_u64() + KEPT_FOR);
        if !self.equations.has_room() {
            return;
        }
        let mut equation = self.equations.begin(&parity.sum);
        let mut is_new = false;
        for number in first.as_u64()..end.as_u64() {
            let times = coefficient(Number::new(number).wire(), parity.key);
            let is_known = match self.window.get(Number::new(number)) {
                Some(Slot::Arrived(Some(octets))) => parity::add(equation.sum(), times, octets),
                Some(Slot::Missing(_) | Slot::GivenUp) => {
                    equation.lacks(number, times);
                    is_new = true;
                    Some(())
                }
                Some(Slot::Arrived(None)) | None => None,
            };
            if is_known.is_none() {
                self.equations.discard(equation);
                return;
            }
        }
        if is_new {
            self.equations.add(equation);
            self.work_out(counters);
        } else {
            self.equations.discard(equation);
        }
    }

    /// All before `next` were sent.
    pub(super) fn keepalive(&mut self, next: u64, now: Time, counters: &mut Counters) {
        let next = Number::at_or_after(self.window.end(), next);
        self.hear_of_all_before(next, now, counters);
    }

    /// All before `next`, which does not lie before the newest, were sent; `false` where that reads so because it is an old one. If it
    /// is further ahead than short numbers can tell, those of data were misread: nothing known is worth asking by.
    fn hear_of_all_before(&mut self, next: Number, now: Time, counters: &mut Counters) -> bool {
        let ahead = next.offset_from(self.window.end()).unwrap_or(0);
        if ahead >= Number::MODULUS / 2 {
            return false; // It was overtaken.
        }
        if ahead > REACH {
            while self.window.front().is_some() {
                self.pop_front(counters);
            }
            self.window.restart(next);
            counters.frames_abandoned += ahead;
            counters.packets_missed += ahead;
        }
        while let Some(behind) = next.offset_from(self.window.end()).filter(|behind| *behind > 0) {
            self.expect(now, self.between * behind, counters);
            self.must_ask = self.asks;
            self.timer.start_if_stopped(now + self.deadline);
        }
        true
    }

    /// A packet comes that is newer than all others: how far apart they are.
    fn measure(&mut self, number: Number, now: Time) {
        let packets = number.offset_from(self.window.end()).unwrap_or(0) + 1;
        if let Some(last) = self.heard_at.replace(now) {
            let sample = (now.since(last) / packets).min(self.deadline).as_seconds();
            let so_far = self.between.as_seconds();
            self.between = Span::from_seconds(so_far + GAIN * (sample - so_far));
        }
    }

    /// The next packet was sent, and would have come about so long ago.
    fn expect(&mut self, now: Time, late: Span, counters: &mut Counters) {
        if self.window.is_full() {
            self.pop_front(counters);
        }
        let missing =
            Missing { since: now, late, asked_at: now, asked: 0, next: None, is_repeated: false, is_due: true };
        self.window.push(Slot::Missing(missing));
    }

    /// The oldest packet does not matter any more.
    fn pop_front(&mut self, counters: &mut Counters) {
        let number = self.window.first().as_u64();
        match self.window.pop_front() {
            Some(Slot::Missing(_)) => {
                give_up(counters);
                self.equations.put_in(number, |_, _| None);
            }
            Some(Slot::GivenUp) => self.equations.put_in(number, |_, _| None),
            Some(Slot::Arrived(_)) | None => {}
        }
    }

    /// A packet has come, or was worked out.
    fn fill(&mut self, number: Number, packet: Bytes, counters: &mut Counters) {
        let keeps = number.as_u64() < self.keeps_until;
        let Some(slot) = self.window.get_mut(number) else {
            counters.duplicates_received += 1;
            return;
        };
        match slot {
            Slot::Arrived(_) => {
                counters.duplicates_received += 1;
                return;
            }
            Slot::GivenUp => counters.frames_recovered += 1,
            Slot::Missing(_) => {}
        }
        *slot = Slot::Arrived(keeps.then(|| parity::copied(&packet, &mut self.slab)));
        self.equations.put_in(number.as_u64(), |sum, times| parity::add(sum, times, &packet));
        self.outgoing.push_back(packet);
    }

    /// What follows from sums has come, too.
    fn work_out(&mut self, counters: &mut Counters) {
        loop {
            let Self { equations, slab, .. } = self;
            let Some((number, packet)) = equations.poll(|sum| parity::read(sum, slab)) else { break };
            match packet {
                Some(packet) => self.fill(Number::new(number), packet, counters),
                None => counters.protocol_errors += 1,
            }
        }
    }

    /// What is missing and was not asked for, or not lately.
    pub(super) fn poll_nack(&mut self, now: Time) -> Option<Frame> {
        if !self.must_ask {
            return None;
        }
        let (first, end) = (self.window.first().as_u64(), self.window.end().as_u64());
        let is_due =
            |number: &Number| matches!(self.window.get(*number), Some(Slot::Missing(missing)) if missing.is_due);
        let due: arrayvec::ArrayVec<Number, MOST_ASKED> =
            (first..end).map(Number::new).filter(is_due).take(MOST_ASKED).collect();
        self.must_ask = due.is_full();
        if due.is_empty() {
            return None;
        }
        for number in &due {
            let Some(Slot::Missing(missing)) = self.window.get(*number) else { continue };
            let asked = self.asked(missing, now);
            if let Some(slot) = self.window.get_mut(*number) {
                *slot = Slot::Missing(asked);
            }
        }
        self.set_timer(now);
        Some(wire::nack(due.into_iter()))
    }

    /// The same packet, now that it is asked for.
    fn asked(&self, missing: &Missing, now: Time) -> Missing {
        if missing.is_repeated {
            return Missing { is_due: false, is_repeated: false, next: None, ..*missing };
        }
        let patience = self.patience();
        // From here it is half a round trip to the sender, and the packet would have been as long on its way.
        let used = missing.late + now.since(missing.since) + self.time_of(self.round_trip.timeout(1.0, 0.0));
        let left = self.deadline - used;
        let has_time = self.has_round_trip && left > Span::ZERO;
        let is_repeated = has_time && left < patience;
        let next = has_time.then(|| now + if is_repeated { left / 2 } else { patience });
        Missing { is_due: false, asked_at: now, asked: missing.asked + 1, next, is_repeated, ..*missing }
    }

    /// After how long a packet is asked for again.
    fn patience(&self) -> Span {
        let (srtts, srttvars) = TIMEOUT;
        self.time_of(self.round_trip.timeout(srtts, srttvars))
    }

    fn time_of(&self, ticks: f64) -> Span {
        Span::from_seconds(self.smoothing.arithmetic.tick().as_seconds() * ticks)
    }

    pub(super) fn handle_timeout(&mut self, now: Time, counters: &mut Counters) {
        if !self.timer.fire(now) {
            return;
        }
        for number in self.window.numbers() {
            let Some(slot) = self.window.get_mut(number) else { continue };
            let Slot::Missing(missing) = slot else { continue };
            if missing.since + self.deadline <= now {
                give_up(counters);
                *slot = Slot::GivenUp;
            } else if !missing.is_due && missing.next.is_some_and(|next| next <= now) {
                missing.is_due = true;
                self.must_ask = self.asks;
            }
        }
        self.set_timer(now);
    }

    /// The timer runs to the next time that something is to be asked for again, or given up.
    fn set_timer(&mut self, now: Time) {
        let due = self.window.numbers().filter_map(|number| match self.window.get(number)? {
            Slot::Missing(missing) => {
                let end = missing.since + self.deadline;
                Some(missing.next.filter(|_| !missing.is_due).map_or(end, |next| end.min(next)))
            }
            Slot::GivenUp | Slot::Arrived(_) => None,
        });
        match due.min() {
            Some(due) => self.timer.restart(due.max(now)),
            None => self.timer.stop(),
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timer.get()
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.outgoing.pop_front()
    }
}

fn give_up(counters: &mut Counters) {
    counters.packets_missed += 1;
    counters.frames_abandoned += 1;
}
