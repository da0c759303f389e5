//! The sending half: packets that wait, the last ones that were sent, what of them was asked for again, and keepalives.

use super::config::Config;
use super::wire::{self, Missing, Number};
use crate::arq::{Chains, Idle, TcpFilter, Window};
use crate::contract::{Counters, Frame, Ticket};
use alloc::collections::VecDeque;
use arqway_units::{Span, Time};
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Sender {
    /// Packets that were never handed over.
    waiting: VecDeque<Bytes>,
    buffer: usize,
    /// The last packets that were handed over; the oldest makes room for the newest, so nothing ever stalls.
    sent: Window<16, Slot>,
    /// Numbers that were asked for, in the order of the requests; one that was pushed out of `sent` meanwhile is skipped.
    resend: VecDeque<Number>,
    retransmissions: u16,
    idle: Idle,
    keepalives: u16,
    /// How many keepalives are left of this idle time.
    keepalives_left: u16,
    keepalive_due: bool,
    /// Where frames bear links.
    chains: Option<Chains>,
    pub(super) filter: Option<TcpFilter>,
}

#[derive(Debug)]
struct Slot {
    packet: Bytes,
    link: Option<u8>,
    /// How often it was handed over again.
    resent: u16,
    /// It stands in `resend`.
    queued: bool,
}

impl Sender {
    pub(super) fn new(config: &Config) -> Self {
        let window = config.window.as_usize();
        Self {
            waiting: VecDeque::new(),
            buffer: config.buffer.get(),
            sent: Window::new(window),
            resend: VecDeque::with_capacity(window),
            retransmissions: config.retransmissions.get(),
            idle: Idle::new(config.keepalive),
            keepalives: config.keepalives.get(),
            keepalives_left: 0,
            keepalive_due: false,
            chains: config.resequencing.chains(),
            filter: TcpFilter::of(&config.resequencing),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.buffer
    }

    pub(super) fn push(&mut self, packet: Bytes) {
        self.waiting.push_back(packet);
    }

    /// Takes a request. What is no longer kept is answered with how far we are: the peer may have misread a number.
    pub(super) fn request(&mut self, missing: &Missing) {
        for low_bits in missing.numbers() {
            let number = Number::before(self.sent.end(), low_bits);
            match number.and_then(|number| Some((number, self.sent.get_mut(number)?))) {
                Some((number, slot)) if slot.resent < self.retransmissions && !slot.queued => {
                    slot.queued = true;
                    self.resend.push_back(number);
                    if let Some(filter) = &mut self.filter {
                        filter.retransmitted(&slot.packet);
                    }
                }
                Some(_) => {}
                None => self.keepalive_due = true,
            }
        }
    }

    /// The next frame to hand over: what was asked for, then what never went out, then a keepalive.
    pub(super) fn poll(&mut self, counters: &mut Counters) -> Option<Frame> {
        let mut frame = match self.poll_packet(counters) {
            Some(frame) => {
                // It also says how far we are, and opens a new idle time.
                self.keepalives_left = self.keepalives;
                self.keepalive_due = false;
                frame
            }
            None if core::mem::take(&mut self.keepalive_due) => {
                counters.keepalives_sent += 1;
                wire::keepalive(self.sent.end())
            }
            None => return None,
        };
        self.idle.handed_over();
        frame.ticket = Some(Ticket::new(0));
        Some(frame)
    }

    fn poll_packet(&mut self, counters: &mut Counters) -> Option<Frame> {
        while let Some(number) = self.resend.pop_front() {
            if let Some(slot) = self.sent.get_mut(number) {
                slot.queued = false;
                slot.resent += 1;
                counters.frames_resent += 1;
                return Some(wire::repair(number, slot.link, slot.packet.clone()));
            }
        }
        let packet = self.waiting.pop_front()?;
        if self.sent.is_full() {
            self.sent.pop_front();
        }
        counters.frames_sent += 1;
        counters.octets_sent += packet.len() as u64;
        if let Some(filter) = &mut self.filter {
            filter.sent(&packet);
        }
        let link = self.chains.as_mut().and_then(|chains| {
            // What is not kept any more comes no more. No link reaches beyond the window, which has room in an octet.
            chains.acknowledged(self.sent.first().as_u64());
            u8::try_from(chains.link(&packet, self.sent.end().as_u64())).ok()
        });
        let number = self.sent.push(Slot { packet: packet.clone(), link, resent: 0, queued: false });
        Some(wire::data(number, link, packet))
    }

    /// A data frame or a keepalive has left, or was dropped.
    pub(super) fn departed(&mut self, now: Time) {
        self.idle.departed(now);
        if self.keepalives_left == 0 {
            self.idle.stop();
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        if self.idle.fire(now) {
            self.keepalives_left = self.keepalives_left.saturating_sub(1);
            self.keepalive_due = true;
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.idle.get()
    }

    pub(super) fn postpone(&mut self, by: Span) {
        self.idle.postpone(by);
    }
}
