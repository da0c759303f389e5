//! How many new acknowledgements come to a sender close together (shikama06, Fig. 18: 22 of them within 26 ms, after a
//! receiver that holds packets in order has let many go at once).

use alloc::collections::VecDeque;
use arqway_units::{Span, Time, count};

/// This close together is a burst.
const WITHIN: Span = Span::from_milliseconds(30);

/// The new acknowledgements of one sender.
#[derive(Debug)]
pub(super) struct AckBurst {
    /// When the last ones came: none of them longer ago than a burst lasts.
    recent: VecDeque<Time>,
    most: usize,
}

impl Default for AckBurst {
    fn default() -> Self {
        Self { recent: VecDeque::with_capacity(64), most: 0 }
    }
}

impl AckBurst {
    /// One has come.
    pub(super) fn count(&mut self, now: Time) {
        while self.recent.front().is_some_and(|first| now.since(*first) > WITHIN) {
            self.recent.pop_front();
        }
        self.recent.push_back(now);
        self.most = self.most.max(self.recent.len());
    }

    /// The most that came in one burst.
    pub(super) fn most(&self) -> u64 {
        count(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_within_30_milliseconds_is_a_burst_wherever_they_begin() {
        let mut burst = AckBurst::default();
        assert_eq!(burst.most(), 0);
        for milliseconds in [0, 10, 20, 31, 40, 50, 90] {
            burst.count(Time::ZERO + Span::from_milliseconds(milliseconds));
        }
        assert_eq!(burst.most(), 4, "20 to 50");
    }
}
