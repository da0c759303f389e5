//! Events for an owner that may not ask for them.

use alloc::collections::VecDeque;

/// So many are kept.
const MOST: usize = 1024;

/// Events in the order in which they happened. It is bounded: an owner that does not ask learns of the latest only.
#[derive(Debug, Clone)]
pub struct Events<E>(VecDeque<E>);

impl<E> Events<E> {
    /// Something happened.
    pub fn push(&mut self, event: E) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(event);
    }

    /// The first event that has not been asked for.
    pub fn pop(&mut self) -> Option<E> {
        self.0.pop_front()
    }
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_ask_learns_of_the_latest_in_order() {
        let mut events = Events::default();
        (0..MOST + 3).for_each(|event| events.push(event));
        assert!(core::iter::from_fn(|| events.pop()).eq(3..MOST + 3));
        assert_eq!(events.pop(), None);
    }
}
