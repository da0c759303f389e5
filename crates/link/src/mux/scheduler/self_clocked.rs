//! Self-clocked fair queueing (Golestani, INFOCOM 1994; multiservice, Section V, Fig. 7).
//!
//! ```text
//!     rate 1/2 |  100: 400   100: 200   |          stamp = size / rate + stamp of the one before it in its lane;
//!     rate 1/4 |             100: 400   | --> link           with none before it, + the virtual time
//!     rate 1/4 |                        |          the smallest stamp goes first, and is the virtual time then
//! ```
//!
//! Over any time in which two lanes always have something waiting, what each has sent, divided by its rate, differs by at
//! most one largest frame of each, divided by its rate. The link is never idle while something waits, and what an idle
//! lane leaves is shared by the others in proportion to their rates.
//!
//! The arithmetic is exact enough to keep that promise on a link that never rests: a stamp is a 128-bit number of 2^-32
//! octets over the weight; what a division rounds off is carried to the lane's next frame; and at a terabit a second on
//! the smallest weight it would take longer than the age of the universe to run over. When nothing waits, everything
//! starts at zero again.
//!
//! Entering costs O(1), or O(log lanes) where the lane was empty; leaving costs O(log lanes).

use super::LaneId;
use alloc::collections::VecDeque;
use alloc::collections::binary_heap::{BinaryHeap, PeekMut};
use alloc::vec::Vec;
use arqway_units::Octets;
use core::cmp::Reverse;

/// A lane for each service, and the virtual time.
#[derive(Debug)]
pub struct SelfClocked<T> {
    lanes: Vec<State<T>>,
    /// The stamp of the first item of every lane that has one, and the lane.
    heads: BinaryHeap<Reverse<(u128, usize)>>,
    /// The stamp of the item that was taken last.
    virtual_time: u128,
}

#[derive(Debug)]
struct State<T> {
    weight: u32,
    items: VecDeque<(u128, T)>,
    /// The stamp of the last item in it.
    last: u128,
    /// What the division for that stamp rounded off, in units of a stamp over the weight.
    remainder: u64,
}

/// An octet in stamps at weight 1, as a power of two.
const OCTET_BITS: u32 = 32;

impl<T> SelfClocked<T> {
    /// Empty lanes whose rates are to each other as these weights; a weight of zero counts as one.
    #[must_use]
    pub fn new(weights: &[u32]) -> Self {
        let state = |weight: &u32| State { weight: (*weight).max(1), items: VecDeque::new(), last: 0, remainder: 0 };
        Self {
            lanes: weights.iter().map(state).collect(),
            heads: BinaryHeap::with_capacity(weights.len()),
            virtual_time: 0,
        }
    }

    /// Items that enter from now on are stamped by these weights.
    pub fn set_weights(&mut self, weights: &[u32]) {
        for (lane, weight) in self.lanes.iter_mut().zip(weights) {
            lane.weight = (*weight).max(1);
            lane.remainder = 0;
        }
    }

    /// Appends an item to its lane.
    pub fn push(&mut self, lane: LaneId, size: Octets, item: T) {
        let Some(state) = self.lanes.get_mut(lane.0) else { return };
        let was_empty = state.items.is_empty();
        if was_empty {
            (state.last, state.remainder) = (self.virtual_time, 0);
        }
        let size = u64::from(u32::try_from(size.as_u64()).unwrap_or(u32::MAX));
        let work = (size << OCTET_BITS) + state.remainder;
        let weight = u64::from(state.weight);
        state.last += u128::from(work / weight);
        state.remainder = work % weight;
        state.items.push_back((state.last, item));
        if was_empty {
            self.heads.push(Reverse((state.last, lane.0)));
        }
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The item that [`pop`](Self::pop) takes next.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        let Reverse((_, lane)) = self.heads.peek()?;
        self.lanes.get(*lane)?.items.front().map(|(_, item)| item)
    }

    /// Takes the item with the smallest stamp; of several that of the first lane.
    pub fn pop(&mut self) -> Option<(LaneId, T)> {
        let mut head = self.heads.peek_mut()?;
        let Reverse((stamp, lane)) = *head;
        let items = &mut self.lanes.get_mut(lane)?.items;
        let (_, item) = items.pop_front()?;
        self.virtual_time = stamp;
        match items.front() {
            // The heap is put in order again when `head` goes.
            Some((next, _)) => {
                *head = Reverse((*next, lane));
                drop(head);
            }
            None => drop(PeekMut::pop(head)),
        }
        if self.heads.is_empty() {
            self.virtual_time = 0;
        }
        Some((LaneId(lane), item))
    }

    /// How many items of this lane wait.
    #[must_use]
    pub fn waiting(&self, lane: LaneId) -> usize {
        self.lanes.get(lane.0).map_or(0, |state| state.items.len())
    }
}
