//! The receiving half: which frames are missing, how often each was asked for, and what waits behind them.

use super::config::Config;
use super::wire::{self, Form, Missing, Number, REACH};
use arqway_arq::{Order, Resequencing, TimerQueue, Window};
use arqway_contract::{Clock, Counters, Frame, Ticket};
use arqway_units::{Span, Time};
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Receiver {
    /// From the oldest frame that still matters to the newest one heard of.
    window: Window<16, Slot>,
    order: Order<Bytes>,
    /// Of the missing frames whose request has left.
    timers: TimerQueue,
    resequencing: Resequencing,
    retransmissions: u16,
    nack_timeout: Span,
    /// Some frame is to be asked for.
    must_ask: bool,
    /// NACKs handed over.
    nacks: u64,
}

/// A packet as it came.
#[derive(Debug)]
pub(super) struct Received {
    /// It was asked for.
    pub(super) is_repair: bool,
    /// Still the low bits.
    pub(super) number: u64,
    pub(super) form: Form,
    pub(super) packet: Bytes,
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
    Arrived,
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
            order: Order::with_capacity(window),
            timers: TimerQueue::new(window),
            resequencing: config.resequencing.clone(),
            retransmissions: config.retransmissions.get(),
            nack_timeout: config.nack_timeout,
            must_ask: false,
            nacks: 0,
        }
    }

    /// Whether there is no order that one which comes late could break.
    fn has_no_order(&self) -> bool {
        self.resequencing.common_link() == Some(0)
    }

    /// Takes a data frame, or a repair; its number is still the low bits. `None` where it bears a link and should not, or the
    /// other way round.
    pub(super) fn receive(&mut self, unit: Received, now: Time, counters: &mut Counters) -> Option<()> {
        let Received { is_repair, number: low_bits, form, packet } = unit;
        let link = self.resequencing.link_of(form.link().map(u32::from))?;
        let number = if is_repair {
            wire::number_of_repair(self.window.end(), low_bits, form)
        } else {
            let number = wire::number_of_data(self.window.end(), low_bits, form);
            if number >= self.window.end() {
                if !self.hear_of_all_before(number, counters) {
                    counters.duplicates_received += 1;
                    return Some(());
                }
                self.make_room(counters);
                self.window.push(Slot::Arrived);
                self.order.advance(self.window.first().as_u64(), now, counters);
                self.order.arrive(number.as_u64(), link, packet, now, counters);
                self.slide(now, counters);
                return Some(());
            }
            // An old one: it was overtaken; or it is a duplicate; or the first after a burst so long that its number reads as
            // an old one. Where there is an order that must not fill a gap: what was asked for comes as a repair. A long number is read aright.
            Some(number).filter(|_| form == Form::Long || self.has_no_order())
        };
        match number {
            Some(number) => self.fill(number, link, packet, now, counters),
            None => counters.duplicates_received += 1,
        }
        self.slide(now, counters);
        Some(())
    }

    /// Takes a keepalive: all before `next` were sent.
    pub(super) fn keepalive(&mut self, next: u64, now: Time, counters: &mut Counters) {
        let next = Number::at_or_after(self.window.end(), next);
        if self.hear_of_all_before(next, counters) {
            self.slide(now, counters);
        }
    }

    /// All before `next`, which does not lie before the newest, were sent; `false` where that reads so because it is an old
    /// one. If it is further ahead than short numbers can tell, those of data were misread: nothing known is worth asking by,
    /// and so many were lost, or dropped as old ones. Linked data bear long numbers: what the sender keeps is worth asking for.
    fn hear_of_all_before(&mut self, next: Number, counters: &mut Counters) -> bool {
        let ahead = next.offset_from(self.window.end()).unwrap_or(0);
        if ahead >= Number::MODULUS / 2 {
            return false; // It was overtaken.
        }
        if ahead > REACH {
            while self.window.front().is_some() {
                self.pop_front(counters);
            }
            let kept = if self.resequencing.needs_link() { self.window.limit() as u64 } else { 0 };
            self.window.restart(Number::new(next.as_u64() - kept));
            counters.frames_abandoned += ahead - kept;
            counters.packets_missed += ahead - kept;
        }
        while self.window.end() < next {
            self.make_room(counters);
            self.window.push(Slot::Missing { asked: 0, request: Request::Due });
            self.must_ask = true;
        }
        true
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
            Some(Slot::GivenUp | Slot::Arrived) | None => {}
        }
    }

    /// Puts a packet into its place, if that is still open.
    fn fill(&mut self, number: Number, link: u32, packet: Bytes, now: Time, counters: &mut Counters) {
        let timer = self.window.slot_of(number);
        let Some(slot) = self.window.get_mut(number).filter(|slot| !matches!(slot, Slot::Arrived)) else {
            counters.duplicates_received += 1;
            return;
        };
        match core::mem::replace(slot, Slot::Arrived) {
            Slot::GivenUp => counters.frames_recovered += 1,
            _ => self.timers.stop(timer),
        }
        self.order.arrive(number.as_u64(), link, packet, now, counters);
    }

    /// Slides the window over all that no longer matters. Where there is no order, a frame that was given up may still come,
    /// and be told from a duplicate.
    fn slide(&mut self, now: Time, counters: &mut Counters) {
        let keeps_given_up = self.has_no_order();
        while let Some(front) = self.window.front()
            && (matches!(front, Slot::Arrived) || matches!(front, Slot::GivenUp) && !keeps_given_up)
        {
            self.window.pop_front();
        }
        self.order.advance(self.window.first().as_u64(), now, counters);
    }

    /// One NACK for all that is to be asked for.
    pub(super) fn poll_nack(&mut self) -> Option<Frame> {
        if !core::mem::take(&mut self.must_ask) {
            return None;
        }
        let mut nack: Option<(Number, Missing)> = None;
        for number in self.window.numbers() {
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
        for number in self.window.numbers() {
            if let Some(Slot::Missing { request, .. }) = self.window.get_mut(number)
                && *request == Request::InNack(nack)
            {
                *request = Request::Gone;
                self.timers.start(self.window.slot_of(number), now + self.nack_timeout);
            }
        }
    }

    /// Asks again for what did not come in time, or gives it up.
    pub(super) fn handle_timeout(&mut self, Clock { now, timers }: Clock, counters: &mut Counters) {
        while let Some(timer) = self.timers.fire(timers) {
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
        self.slide(now, counters);
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.order.poll()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timers.get()
    }
}
