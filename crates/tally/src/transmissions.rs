//! The sender's record of what it transmitted, in the order of the transmission counter, and the verdict on each: whether it
//! arrived or is lost.
//!
//! ```text
//!     counter        41      42      43      44      45           the peer has seen 44, and frames 7, 9 and 10
//!     frames          7       8       9    again 6   10
//!                  arrived   lost  arrived  arrived   not known yet
//! ```

use super::wire::Counter;
use alloc::collections::VecDeque;
use arqway_units::Time;
use core::ops::Range;

/// What has been transmitted and not been judged.
#[derive(Debug, Clone)]
pub(super) struct Transmissions {
    /// In the order of the counter, from `first` on.
    sent: VecDeque<Transmission>,
    pub(super) first: u64,
    /// The newest one that the peer has told of.
    pub(super) reported: u64,
}

/// One frame that has started.
#[derive(Debug, Clone)]
pub(super) struct Transmission {
    /// The frames that it carried, or that it gave up; none in a poll.
    pub(super) frames: Range<u64>,
    /// How long it was, where it carried data.
    pub(super) octets: usize,
    /// Whether its frames have arrived if it has: a piece is a part of one.
    pub(super) is_whole: bool,
    /// Whether the peer has told that it has, by its counter.
    pub(super) has_arrived: bool,
    /// When its first bit went out.
    pub(super) started: Time,
    /// When its last bit had gone out.
    pub(super) departed: Option<Time>,
}

impl Transmissions {
    /// None; the counter begins at one, so that zero is what a peer tells that has seen nothing.
    pub(super) fn new() -> Self {
        Self { sent: VecDeque::new(), first: 1, reported: 0 }
    }

    /// The counter of the next one.
    pub(super) fn next(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// The newest one that the peer has told of.
    pub(super) fn reported(&self) -> u64 {
        self.reported
    }

    /// The last one that was judged.
    pub(super) fn judged(&self) -> u64 {
        self.first - 1
    }

    /// How many the peer has not told of.
    pub(super) fn unreported(&self) -> u64 {
        self.next() - 1 - self.reported
    }

    /// Whether something has gone of which it is not known whether it arrived.
    pub(super) fn has_unjudged(&self) -> bool {
        !self.sent.is_empty()
    }

    /// A frame starts. Its counter.
    pub(super) fn start(&mut self, frames: Range<u64>, octets: usize, is_whole: bool, now: Time) -> Counter {
        let counter = Counter::new(self.next());
        self.sent.push_back(Transmission {
            frames,
            octets,
            is_whole,
            has_arrived: false,
            started: now,
            departed: None,
        });
        counter
    }

    /// A frame has departed.
    pub(super) fn depart(&mut self, counter: u64, now: Time) {
        if let Some(transmission) = self.get_mut(counter) {
            transmission.departed = Some(now);
        }
    }

    /// The peer tells of the newest that it has seen. When that departed; `None` if it is nothing new, or was never sent.
    pub(super) fn report(&mut self, newest: u64) -> Option<Option<Time>> {
        if newest <= self.reported || newest >= self.next() {
            return None;
        }
        self.reported = newest;
        Some(self.get_mut(newest).and_then(|transmission| transmission.departed))
    }

    /// The next one to be judged of those up to `settled`, with its counter.
    pub(super) fn judge(&mut self, settled: u64) -> Option<(u64, Transmission)> {
        if self.first > settled {
            return None;
        }
        let transmission = self.sent.pop_front()?;
        self.first += 1;
        Some((self.first - 1, transmission))
    }

    /// Nothing that has gone is judged any more: the line is gone by which it went. All of that.
    pub(super) fn give_up(&mut self) -> impl Iterator<Item = Transmission> {
        let next = self.next();
        (self.first, self.reported) = (next, next - 1);
        self.sent.drain(..)
    }

    /// The peer tells that one has arrived. The frames that it has therefore, if it is not judged yet.
    pub(super) fn arrive(&mut self, counter: u64) -> Option<Range<u64>> {
        let transmission = self.get_mut(counter)?;
        let is_news = !core::mem::replace(&mut transmission.has_arrived, true) && transmission.is_whole;
        is_news.then(|| transmission.frames.clone())
    }

    fn get_mut(&mut self, counter: u64) -> Option<&mut Transmission> {
        let index = usize::try_from(counter.checked_sub(self.first)?).ok()?;
        self.sent.get_mut(index)
    }
}
