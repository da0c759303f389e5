//! In which order the frames of several services go to the link.
//!
//! A scheduler knows flows and items and nothing else, so it is tested with integers.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Who an item belongs to: the index of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Flow(pub(crate) usize);

/// First come, first served: one queue for all, no shares.
#[derive(Debug)]
pub(crate) struct FirstComeFirstServed<T> {
    queue: VecDeque<(Flow, T)>,
    waiting: Vec<usize>,
}

impl<T> FirstComeFirstServed<T> {
    /// An empty queue for this many flows.
    pub(crate) fn new(flows: usize) -> Self {
        Self { queue: VecDeque::with_capacity(flows), waiting: alloc::vec![0; flows] }
    }

    /// Appends an item.
    pub(crate) fn push(&mut self, flow: Flow, item: T) {
        if let Some(count) = self.waiting.get_mut(flow.0) {
            *count += 1;
        }
        self.queue.push_back((flow, item));
    }

    /// Takes the item that came first.
    pub(crate) fn pop(&mut self) -> Option<(Flow, T)> {
        let (flow, item) = self.queue.pop_front()?;
        if let Some(count) = self.waiting.get_mut(flow.0) {
            *count -= 1;
        }
        Some((flow, item))
    }

    /// How many items of this flow wait.
    pub(crate) fn waiting(&self, flow: Flow) -> usize {
        self.waiting.get(flow.0).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_leave_in_the_order_they_came() {
        let mut scheduler = FirstComeFirstServed::new(2);
        for (flow, item) in [(0, 'a'), (1, 'b'), (0, 'c')] {
            scheduler.push(Flow(flow), item);
        }
        assert_eq!((scheduler.waiting(Flow(0)), scheduler.waiting(Flow(1))), (2, 1));
        let order: alloc::string::String = core::iter::from_fn(|| scheduler.pop()).map(|(_, item)| item).collect();
        assert_eq!(order, "abc");
        assert_eq!(scheduler.waiting(Flow(0)), 0);
    }
}
