//! First come, first served: one queue for all, no shares.

use super::LaneId;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// One queue for all.
#[derive(Debug)]
pub struct FirstComeFirstServed<T> {
    queue: VecDeque<(LaneId, T)>,
    waiting: Vec<usize>,
}

impl<T> FirstComeFirstServed<T> {
    /// An empty queue for this many lanes.
    #[must_use]
    pub fn new(lanes: usize) -> Self {
        Self { queue: VecDeque::with_capacity(lanes), waiting: alloc::vec![0; lanes] }
    }

    /// Appends an item.
    pub fn push(&mut self, lane: LaneId, item: T) {
        if let Some(count) = self.waiting.get_mut(lane.0) {
            *count += 1;
        }
        self.queue.push_back((lane, item));
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The item that came first.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.queue.front().map(|(_, item)| item)
    }

    /// Takes the item that came first.
    pub fn pop(&mut self) -> Option<(LaneId, T)> {
        let (lane, item) = self.queue.pop_front()?;
        if let Some(count) = self.waiting.get_mut(lane.0) {
            *count -= 1;
        }
        Some((lane, item))
    }

    /// How many items of this lane wait.
    #[must_use]
    pub fn waiting(&self, lane: LaneId) -> usize {
        self.waiting.get(lane.0).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_leave_in_the_order_they_came() {
        let mut scheduler = FirstComeFirstServed::new(2);
        for (lane, item) in [(0, 'a'), (1, 'b'), (0, 'c')] {
            scheduler.push(LaneId(lane), item);
        }
        assert_eq!((scheduler.waiting(LaneId(0)), scheduler.waiting(LaneId(1))), (2, 1));
        let order: alloc::string::String = core::iter::from_fn(|| scheduler.pop()).map(|(_, item)| item).collect();
        assert_eq!(order, "abc");
        assert_eq!(scheduler.waiting(LaneId(0)), 0);
    }
}
