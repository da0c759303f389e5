//! TCP's receiving half: what has arrived, and the acknowledgement for each packet. No acknowledgement of a packet in order
//! is delayed.

mod duplicates;
#[cfg(test)]
mod tests;

use super::settings::DuplicateAcknowledgements;
use alloc::collections::VecDeque;
use arqway_units::Time;
use duplicates::Duplicates;

/// Counts packets as the sender does.
#[derive(Debug)]
pub(crate) struct Receiver {
    /// The first packet not received.
    awaited: i64,
    /// Whether packet `awaited + 1 + index` has arrived.
    ahead: VecDeque<bool>,
    duplicates: Duplicates,
}

/// As far ahead as no window reaches: a number there is not one of this connection's.
const FARTHEST: i64 = super::PacketWindow::MAX as i64 + 1;

impl Receiver {
    pub(crate) fn new(duplicates: DuplicateAcknowledgements) -> Self {
        Self { awaited: 0, ahead: VecDeque::new(), duplicates: Duplicates::new(duplicates) }
    }

    /// Begins anew, for another connection.
    pub(crate) fn restart(&mut self, duplicates: DuplicateAcknowledgements) {
        self.awaited = 0;
        self.ahead.clear();
        self.duplicates = Duplicates::new(duplicates);
    }

    /// Takes packet `number`; returns the highest packet received in order, for the acknowledgement, unless that is held.
    pub(crate) fn receive(&mut self, number: i64, now: Time) -> Option<i64> {
        if number == self.awaited {
            self.advance();
            self.duplicates.discard();
        } else if number > self.awaited {
            self.note(number);
            if !self.duplicates.pass(now) {
                return None;
            }
        }
        Some(self.awaited - 1)
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
        let index = (number - self.awaited - 1) as usize;
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
        self.duplicates.poll_released().then_some(self.awaited - 1)
    }

    /// Releases what was held for long enough.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.duplicates.handle_timeout(now);
    }

    /// When `handle_timeout` is due.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.duplicates.poll_timeout()
    }

    /// The link is about to go, or went at `since`.
    pub(crate) fn freeze(&mut self, since: Time) {
        self.duplicates.freeze(since);
    }

    /// There is a link again.
    pub(crate) fn thaw(&mut self, now: Time) {
        self.duplicates.thaw(now);
    }
}
