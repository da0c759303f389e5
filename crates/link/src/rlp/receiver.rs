//! The receiving half: which frames are missing, how often each was asked for, and what waits behind them.

use super::config::{Config, Order};
use super::wire::{self, Missing, Number, REACH};
use crate::counters::Counters;
use crate::frame::{Frame, Ticket};
use crate::timers::TimerQueue;
use crate::window::Window;
use alloc::collections::VecDeque;
use arqway_units::{Span, Time};
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Receiver {
    /// From the oldest frame that still matters to the newest one heard of.
    window: Window<16, Slot>,
    /// For the network layer.
    released: VecDeque<Bytes>,
    /// Of the missing frames whose request has left.
    timers: TimerQueue,
    order: Order,
    retransmissions: u16,
    nack_timeout: Span,
    /// Some frame is to be asked for.
    must_ask: bool,
    /// NACKs handed over.
    nacks: u64,
}

#[derive(Debug)]
enum Slot {
    Missing {
        /// How often it was asked for.
        asked: u16,
        request: Request,
    },
    /// Asked for in vain; if it comes while it still has a place in the order, it is taken.
    GivenUp,
    /// It waits for one before it.
    Held(Bytes),
    Released,
}

/// How far the next request for a missing frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Request {
    /// To be handed over.
    Due,
    /// In this NACK, which waits in the queue below.
    InNack(u64),
    /// Gone; its timer runs.
    Gone,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        let window = config.window.as_usize();
        Self {
            window: Window::new(window),
            released: VecDeque::with_capacity(window),
            timers: TimerQueue::new(window),
            order: config.order,
            retransmissions: config.retransmissions.get(),
            nack_timeout: config.nack_timeout,
            must_ask: false,
            nacks: 0,
        }
    }

    /// Takes a data frame; its number is still the low bits.
    pub(super) fn data(&mut self, low_bits: u64, packet: Bytes, counters: &mut Counters) {
        let number = wire::number_of_data(self.window.end(), low_bits);
        if number >= self.window.end() {
            self.heard_of_all_before(number, counters);
            self.make_room(counters);
            let slot = self.place(packet);
            self.window.push(slot);
        } else if self.order == Order::AsReceived {
            // One that was overtaken.
            self.fill(number, packet, counters);
        } else {
            // A duplicate; or the first after a burst so long that its number reads as an old one. In sequence that must
            // not fill a gap: what was asked for comes as a repair.
            counters.duplicates_received += 1;
        }
        self.release();
    }

    /// Takes a repair; its number is still the low bits.
    pub(super) fn repair(&mut self, low_bits: u64, packet: Bytes, counters: &mut Counters) {
        match wire::number_of_repair(self.window.end(), low_bits) {
            Some(number) => self.fill(number, packet, counters),
            None => counters.duplicates_received += 1,
        }
        self.release();
    }

    /// Takes a keepalive: all before `next` were sent. One that is further ahead than data frames can tell shows that
    /// their numbers were misread: nothing known is worth asking by, and so many were lost, or dropped as old ones.
    pub(super) fn keepalive(&mut self, next: u64, counters: &mut Counters) {
        let next = Number::at_or_after(self.window.end(), next);
        let ahead = next.offset_from(self.window.end()).unwrap_or(0);
        if ahead >= Number::MODULUS / 2 {
            return; // It was overtaken.
        }
        if ahead > REACH {
            while self.window.front().is_some() {
                self.pop_front(counters);
            }
            self.window.restart(next);
            counters.frames_abandoned += ahead;
            counters.packets_missed += ahead;
        }
        self.heard_of_all_before(next, counters);
        self.release();
    }

    fn heard_of_all_before(&mut self, number: Number, counters: &mut Counters) {
        while self.window.end() < number {
            self.make_room(counters);
            self.window.push(Slot::Missing { asked: 0, request: Request::Due });
            self.must_ask = true;
        }
    }

    /// The sender keeps no more frames than this: one further behind can come no more.
    fn make_room(&mut self, counters: &mut Counters) {
        if self.window.is_full() {
            self.pop_front(counters);
        }
    }

    fn pop_front(&mut self, counters: &mut Counters) {
        let timer = self.window.slot_of(self.window.first());
        match self.window.pop_front() {
            Some(Slot::Missing { .. }) => {
                self.timers.stop(timer);
                counters.frames_abandoned += 1;
                counters.packets_missed += 1;
            }
            Some(Slot::Held(packet)) => self.released.push_back(packet),
            Some(Slot::GivenUp | Slot::Released) | None => {}
        }
    }

    /// Puts a packet into its place, if that is still open.
    fn fill(&mut self, number: Number, packet: Bytes, counters: &mut Counters) {
        match self.window.get(number) {
            Some(Slot::Missing { .. }) => self.timers.stop(self.window.slot_of(number)),
            Some(Slot::GivenUp) => counters.frames_recovered += 1,
            Some(Slot::Held(_) | Slot::Released) | None => {
                counters.duplicates_received += 1;
                return;
            }
        }
        let filled = self.place(packet);
        if let Some(slot) = self.window.get_mut(number) {
            *slot = filled;
        }
    }

    /// What stands in the place of a packet that has come.
    fn place(&mut self, packet: Bytes) -> Slot {
        match self.order {
            Order::InSequence => Slot::Held(packet),
            Order::AsReceived => {
                self.released.push_back(packet);
                Slot::Released
            }
        }
    }

    /// Slides the window over all that no longer matters. As received, a frame that was given up may still come, and be
    /// told from a duplicate.
    fn release(&mut self) {
        loop {
            match (self.window.front(), self.order) {
                (Some(Slot::Held(_) | Slot::Released), _) | (Some(Slot::GivenUp), Order::InSequence) => {}
                (Some(Slot::GivenUp | Slot::Missing { .. }) | None, _) => return,
            }
            if let Some(Slot::Held(packet)) = self.window.pop_front() {
                self.released.push_back(packet);
            }
        }
    }

    /// One NACK for all that is to be asked for.
    pub(super) fn poll_nack(&mut self) -> Option<Frame> {
        if !core::mem::take(&mut self.must_ask) {
            return None;
        }
        let (first, end) = (self.window.first().as_u64(), self.window.end().as_u64());
        let mut nack: Option<(Number, Missing)> = None;
        for number in (first..end).map(Number::new) {
            let Some(Slot::Missing { asked, request: request @ Request::Due }) = self.window.get_mut(number) else {
                continue;
            };
            match &mut nack {
                None => nack = Some((number, Missing::only(number))),
                Some((first, missing)) => {
                    let fits = number.offset_from(*first).is_some_and(|ahead| missing.add(ahead));
                    debug_assert!(fits, "a NACK has room for a window");
                }
            }
            *asked += 1;
            *request = Request::InNack(self.nacks);
        }
        let mut frame = wire::nack(&nack?.1);
        frame.ticket = Some(Ticket::new(self.nacks));
        self.nacks += 1;
        Some(frame)
    }

    /// A NACK starts, or was dropped: the wait for the frames that it asks for begins.
    pub(super) fn nack_gone(&mut self, nack: u64, now: Time) {
        let (first, end) = (self.window.first().as_u64(), self.window.end().as_u64());
        for number in (first..end).map(Number::new) {
            if let Some(Slot::Missing { request, .. }) = self.window.get_mut(number)
                && *request == Request::InNack(nack)
            {
                *request = Request::Gone;
                self.timers.start(self.window.slot_of(number), now + self.nack_timeout);
            }
        }
    }

    /// Asks again for what did not come in time, or gives it up.
    pub(super) fn handle_timeout(&mut self, now: Time, counters: &mut Counters) {
        while let Some(timer) = self.timers.fire(now) {
            let Some(slot) = self.window.get_mut(self.window.number_at(timer)) else { continue };
            let Slot::Missing { asked, request } = slot else { continue };
            if *asked < self.retransmissions {
                *request = Request::Due;
                self.must_ask = true;
            } else {
                *slot = Slot::GivenUp;
                counters.frames_abandoned += 1;
                counters.packets_missed += 1;
            }
        }
        self.release();
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.released.pop_front()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timers.get()
    }

    pub(super) fn postpone(&mut self, by: Span) {
        self.timers.postpone(by);
    }
}
