//! The sending half: packets that wait, and the block that they make.

use super::block::Sum;
use super::config::Config;
use super::wire::{self, Number};
use alloc::collections::VecDeque;
use arqway_arq::Idle;
use arqway_contract::{Counters, Frame, Packet, Ticket};
use arqway_units::Time;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Sender {
    /// Packets that were never handed over.
    pub(super) waiting: VecDeque<Bytes>,
    buffer: usize,
    /// The number of the next data frame.
    next: Number,
    /// The number of the block's first one.
    first: Number,
    /// What was handed over of the block.
    sum: Sum,
    block: u16,
    idle: Idle,
    /// The line was idle: the block ends early.
    ends_early: bool,
}

impl Sender {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            waiting: VecDeque::new(),
            buffer: config.buffer.get(),
            next: Number::ZERO,
            first: Number::ZERO,
            sum: Sum::default(),
            block: config.block.get(),
            idle: Idle::new(config.idle_timeout),
            ends_early: false,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.buffer
    }

    pub(super) fn push(&mut self, packet: Packet) {
        self.waiting.push_back(packet.octets);
    }

    /// The next frame to hand over: the parity of a block that has ended, else a packet.
    pub(super) fn poll(&mut self, counters: &mut Counters) -> Option<Frame> {
        let ends_early = core::mem::take(&mut self.ends_early) && self.sum.count() > 0;
        if ends_early || u16::from(self.sum.count()) >= self.block {
            let parity = self.sum.parity(self.first.wire_u8());
            self.sum.clear();
            self.first = self.next;
            self.idle.stop();
            counters.parity_sent += 1;
            return Some(wire::parity(parity));
        }
        let (number, packet) = (self.next, self.waiting.pop_front()?);
        self.next = number.next();
        self.sum.add(number.wire_u8(), &packet);
        counters.sent(&packet);
        self.idle.handed_over();
        let mut frame = wire::data(number, packet);
        frame.ticket = Some(Ticket::new(0));
        Some(frame)
    }

    /// A data frame has left, or was dropped: one way or the other its block's parity may be needed.
    pub(super) fn departed(&mut self, now: Time) {
        self.idle.departed(now);
        if self.sum.count() == 0 {
            self.idle.stop();
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.ends_early |= self.idle.fire(now);
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.idle.get()
    }
}
