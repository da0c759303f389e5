//! Of which queue most waits, to a factor of two, in O(1): it is the one that gives way in a full class.
//!
//! ```text
//!     2^14 ..  |  C          queues in lists by the power of two of what waits in them; a bit for each list says whether
//!     2^10 ..  |  A - F      it has any
//!     2^6  ..  |  B
//! ```

use alloc::vec::Vec;

/// Stands for no queue.
const NONE: u16 = u16::MAX;
/// The power of two of a queue that is empty.
const EMPTY: u8 = u8::MAX;

/// Queues by how much waits in them.
#[derive(Debug)]
pub(super) struct Largest {
    queues: Vec<Links>,
    first: [u16; 64],
    /// The lists that have queues, a bit each.
    has: u64,
}

#[derive(Debug, Clone, Copy)]
struct Links {
    before: u16,
    after: u16,
    power: u8,
}

/// The power of two that a number of octets is, or more.
fn power(octets: usize) -> u8 {
    octets.checked_ilog2().map_or(EMPTY, |power| u8::try_from(power).unwrap_or(63))
}

impl Largest {
    pub(super) fn new(queues: usize) -> Self {
        let empty = Links { before: NONE, after: NONE, power: EMPTY };
        Self { queues: alloc::vec![empty; queues], first: [NONE; 64], has: 0 }
    }

    /// So many octets wait in this queue.
    pub(super) fn set(&mut self, queue: u16, octets: usize) {
        let power = power(octets);
        let Some(links) = self.queues.get(usize::from(queue)) else { return };
        if links.power != power {
            self.leave(queue, *links);
            self.enter(queue, power);
        }
    }

    /// One in which as much waits as in any, or more than half of that; not this one, where it would have so many octets and no other as
    /// many: then it is the one.
    pub(super) fn get(&self, queue: u16, octets: usize) -> u16 {
        let power = power(octets);
        match self.has.checked_ilog2() {
            Some(most) if power == EMPTY || u32::from(power) < most => {
                self.first.get(most as usize).copied().unwrap_or(queue)
            }
            _ => queue,
        }
    }

    fn leave(&mut self, queue: u16, Links { before, after, power }: Links) {
        if power == EMPTY {
            return;
        }
        let list = usize::from(power);
        match self.queues.get_mut(usize::from(before)) {
            Some(before) => before.after = after,
            None => self.first[list] = after,
        }
        if let Some(after) = self.queues.get_mut(usize::from(after)) {
            after.before = before;
        }
        if self.first[list] == NONE {
            self.has &= !(1 << list);
        }
        self.queues[usize::from(queue)].power = EMPTY;
    }

    fn enter(&mut self, queue: u16, power: u8) {
        if power == EMPTY {
            return;
        }
        let list = usize::from(power);
        let after = self.first[list];
        if let Some(after) = self.queues.get_mut(usize::from(after)) {
            after.before = queue;
        }
        self.queues[usize::from(queue)] = Links { before: NONE, after, power };
        self.first[list] = queue;
        self.has |= 1 << list;
    }
}
