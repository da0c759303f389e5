//! Packets that stand alone go a second time, unless somebody has asked for them before: their loss would cost a round trip and more.
//!
//! ```text
//!     ping --x    a call's packets ---->  ---->       20 ms later, when nothing else is to be sent:   ping ---->
//! ```
//!
//! The time between both is there for losses that come in a row. A copy is the last that a service sends, but for keepalives: what is
//! new does not wait for it, and of a flood of pings none is sent twice.

use super::wire::Number;
use alloc::collections::VecDeque;
use arqway_contract::Packet;
use arqway_units::{Span, Time};

/// So many copies wait at a time, those of the latest packets.
const MOST: usize = 16;

#[derive(Debug)]
pub(super) struct Copies {
    /// `None`: nothing is sent twice.
    after: Option<Span>,
    /// When each goes, the first to go first.
    waiting: VecDeque<(Time, Number)>,
    /// How many of these are due.
    due: usize,
}

impl Copies {
    pub(super) fn new(after: Option<Span>) -> Self {
        Self { after, waiting: VecDeque::new(), due: 0 }
    }

    /// Whether a packet is to be sent a second time.
    pub(super) fn wants(&self, packet: &Packet) -> bool {
        self.after.is_some() && packet.outline().is_some_and(|outline| outline.stands_alone())
    }

    /// The packet has left for the first time.
    pub(super) fn departed(&mut self, number: Number, now: Time) {
        let Some(after) = self.after else { return };
        if self.waiting.len() == MOST {
            self.waiting.pop_front();
            self.due = self.due.saturating_sub(1);
        }
        self.waiting.push_back((now + after, number));
    }

    pub(super) fn handle_timeout(&mut self, now: Time) {
        while self.waiting.get(self.due).is_some_and(|(at, _)| *at <= now) {
            self.due += 1;
        }
    }

    /// The next one that is due.
    pub(super) fn poll(&mut self) -> Option<Number> {
        self.due = self.due.checked_sub(1)?;
        self.waiting.pop_front().map(|(_, number)| number)
    }

    /// When the next one will be due.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.waiting.get(self.due).map(|(at, _)| *at)
    }
}
