//! TCP's receiving half: what has arrived, and the acknowledgement for it: at once, or held for a while.

mod delay;
mod delayed;
mod duplicates;
mod sack;
#[cfg(test)]
mod tests;

use super::acknowledgement::Blocks;
use super::settings::Settings;
use alloc::collections::VecDeque;
use arqway_units::Time;
use delayed::Delayed;
use duplicates::Duplicates;
use sack::Ahead;

/// Counts packets as the sender does.
#[derive(Debug)]
pub(crate) struct Receiver {
    /// The first packet not received.
    awaited: i64,
    /// Whether packet `awaited + 1 + index` has arrived.
    ahead: VecDeque<bool>,
    duplicates: Duplicates,
    delayed: Delayed,
    /// Packets ahead are reported to the sender (SACK).
    selective: bool,
    blocks: Ahead,
    /// The first packet is the SYN, which nobody keeps waiting.
    handshake: bool,
}

/// As far ahead as no window reaches: a number there is not one of this connection's.
const FARTHEST: i64 = super::PacketWindow::MAX as i64 + 1;

impl Receiver {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            awaited: 0,
            ahead: VecDeque::new(),
            duplicates: Duplicates::new(settings.duplicate_acknowledgements),
            delayed: Delayed::new(settings.acknowledgements),
            selective: settings.variant.is_selective(),
            blocks: Ahead::default(),
            handshake: settings.handshake,
        }
    }

    /// Begins anew, for another connection.
    pub(crate) fn restart(&mut self, settings: &Settings) {
        let (mut ahead, mut blocks) = (core::mem::take(&mut self.ahead), core::mem::take(&mut self.blocks));
        ahead.clear();
        blocks.clear();
        *self = Self { ahead, blocks, ..Self::new(settings) };
    }

    /// Takes packet `number`; returns the highest packet received in order, for the acknowledgement, unless that is held.
    pub(crate) fn receive(&mut self, number: i64, now: Time) -> Option<i64> {
        let before = self.awaited;
        let goes = if number == before {
            let was_missing = !self.ahead.is_empty();
            self.advance();
            self.duplicates.discard();
            was_missing || (self.handshake && number == 0) || self.delayed.pass(now)
        } else if number > before {
            self.note(number);
            self.duplicates.pass(now)
        } else {
            true
        };
        if self.selective && number - before < FARTHEST {
            self.blocks.note(number, before, self.awaited);
        }
        if goes {
            self.delayed.discard();
        }
        goes.then_some(self.awaited - 1)
    }

    /// What the acknowledgement that goes out now tells beyond that.
    pub(crate) fn tell_blocks(&mut self) -> Blocks {
        if self.selective { self.blocks.tell() } else { Blocks::default() }
    }

    fn advance(&mut self) {
        self.awaited += 1;
        while self.ahead.pop_front().unwrap_or(false) {
            self.awaited += 1;
        }
    }

    /// Remembers a packet that came before the one that is awaited.
    fn note(&mut self, number: i64) {
        if number - self.awaited >= FARTHEST {
            return;
        }
        let Ok(index) = usize::try_from(number - self.awaited - 1) else { return };
        if self.ahead.len() <= index {
            self.ahead.resize(index + 1, false);
        }
        self.ahead[index] = true;
    }

    /// How many packets were received in order.
    pub(crate) fn in_order(&self) -> i64 {
        self.awaited
    }

    /// The next acknowledgement that was held and goes out now: the highest packet received in order.
    pub(crate) fn poll_acknowledgement(&mut self) -> Option<i64> {
        let goes = self.duplicates.poll_released() || self.delayed.poll_released();
        if goes {
            self.delayed.discard();
        }
        goes.then_some(self.awaited - 1)
    }

    /// Releases what was held for long enough.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.duplicates.handle_timeout(now);
        self.delayed.handle_timeout(now);
    }

    /// When `handle_timeout` is due.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        match (self.duplicates.delay().poll_timeout(), self.delayed.delay().poll_timeout()) {
            (Some(duplicates), Some(delayed)) => Some(duplicates.min(delayed)),
            (duplicates, delayed) => duplicates.or(delayed),
        }
    }

    /// The link is about to go, or went at `since`.
    pub(crate) fn freeze(&mut self, since: Time) {
        self.duplicates.delay_mut().freeze(since);
        self.delayed.delay_mut().freeze(since);
    }

    /// There is a link again.
    pub(crate) fn thaw(&mut self, now: Time) {
        self.duplicates.delay_mut().thaw(now);
        self.delayed.delay_mut().thaw(now);
    }
}
