//! The receiving end's part: packets leave when the frame that they are linked to has gone before them.
//!
//! ```text
//!     first = 10 (missing)
//!       | 10 missing | 11 gone | 12 held, link 2 | 13 gone | 14 held, link 2 |
//!            +--------------------------^ +----------------------^             10 comes: 10, 12, 14 leave
//! ```
//!
//! A frame that is given up bore a link that nobody has read: what must go before it may be any frame before it. So who
//! follows it waits until all of those are there or given up too.

use alloc::collections::VecDeque;
use arqway_contract::Counters;
use arqway_units::Time;

/// Puts packets into the order that their links say. A packet costs constant time, and memory is had once: as much as the
/// widest range of numbers that was ever open.
///
/// Numbers do not wrap. Its owner asks for, acknowledges and gives up frames, and says by [`advance`](Self::advance) which
/// are settled; so it bounds how far a number may be ahead, too.
#[derive(Debug, Clone)]
pub struct Order<P> {
    /// From the first number that is not settled to the highest one that has come.
    slots: VecDeque<Slot<P>>,
    first: u64,
    released: VecDeque<P>,
    /// How many packets are held.
    held: u64,
    /// Up to when the time held is counted.
    counted: Time,
}

#[derive(Debug, Clone)]
struct Slot<P> {
    state: State<P>,
    /// How far ahead the frame is that waits for this one; 0 where none does.
    follower: u32,
}

#[derive(Debug, Clone)]
enum State<P> {
    Missing,
    Held(P),
    /// Its packet has left.
    Gone,
}

impl<P> Order<P> {
    /// Nothing has come; memory for `frames` numbers.
    pub fn with_capacity(frames: usize) -> Self {
        Self {
            slots: VecDeque::with_capacity(frames),
            first: 0,
            released: VecDeque::with_capacity(frames),
            held: 0,
            counted: Time::ZERO,
        }
    }

    /// Takes the packet of frame `number`, which is linked to the one so many frames back, or to none where that is 0. Says
    /// whether it was taken: one that came before, or whose place in the order is over, is not.
    pub fn arrive(&mut self, number: u64, link: u32, packet: P, now: Time, counters: &mut Counters) -> bool {
        let Some(index) = number.checked_sub(self.first).and_then(|ahead| usize::try_from(ahead).ok()) else {
            return false;
        };
        while self.slots.len() <= index {
            self.slots.push_back(Slot { state: State::Missing, follower: 0 });
        }
        if !matches!(self.slots[index].state, State::Missing) {
            return false;
        }
        let before = usize::try_from(link).ok().filter(|back| *back > 0).and_then(|back| index.checked_sub(back));
        match before.map(|before| &mut self.slots[before]) {
            Some(before) if !matches!(before.state, State::Gone) => {
                before.follower = link;
                self.slots[index].state = State::Held(packet);
                counters.packets_held += 1;
                self.count(now, counters);
                self.held += 1;
            }
            Some(_) | None => {
                self.released.push_back(packet);
                self.slots[index].state = State::Gone;
                self.release_followers(index, now, counters);
            }
        }
        true
    }

    /// All before `edge` are there or given up: nothing waits for them any more. Says nothing new where `edge` is an old one.
    pub fn advance(&mut self, edge: u64, now: Time, counters: &mut Counters) {
        while self.first < edge {
            match self.slots.front_mut() {
                None => {
                    self.first = edge;
                    return;
                }
                Some(Slot { state: State::Gone, .. }) => {}
                Some(slot) => {
                    // Given up; or held, for one that had another follower after it, which no sender of ours does.
                    if let State::Held(packet) = core::mem::replace(&mut slot.state, State::Gone) {
                        self.released.push_back(packet);
                        self.count(now, counters);
                        self.held -= 1;
                    }
                    self.release_followers(0, now, counters);
                }
            }
            self.slots.pop_front();
            self.first += 1;
        }
    }

    /// The next packet for the network layer.
    pub fn poll(&mut self) -> Option<P> {
        self.released.pop_front()
    }

    /// Both ends begin anew, from `first` on: what is held is dropped; what was released still leaves.
    pub fn restart(&mut self, first: u64, now: Time, counters: &mut Counters) {
        self.count(now, counters);
        self.held = 0;
        self.slots.clear();
        self.first = first;
    }

    /// Whoever waits for this one, whoever waits for that, and so on.
    fn release_followers(&mut self, mut index: usize, now: Time, counters: &mut Counters) {
        self.count(now, counters);
        while let Some(ahead) = self.slots.get_mut(index).map(|slot| core::mem::take(&mut slot.follower))
            && ahead > 0
        {
            index += ahead as usize;
            let Some(slot) = self.slots.get_mut(index) else { return };
            match core::mem::replace(&mut slot.state, State::Gone) {
                State::Held(packet) => {
                    self.released.push_back(packet);
                    self.held -= 1;
                }
                other => {
                    slot.state = other;
                    return;
                }
            }
        }
    }

    /// Adds up the time that packets were held since it was last done.
    fn count(&mut self, now: Time, counters: &mut Counters) {
        counters.held_nanoseconds += self.held * now.since(self.counted).as_nanoseconds();
        self.counted = self.counted.max(now);
    }
}
