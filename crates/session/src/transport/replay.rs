//! Which counters were seen: each opens a datagram once (RFC 6479 has the same idea with another bitmap).

/// How far behind the newest a datagram may be.
pub const REPLAY_WINDOW: u64 = 8192;
const WORD: u64 = u64::BITS as u64;
const WORDS: usize = 128;

/// The counters of one key, the newest 8,192 of which it remembers: 1 kB.
#[derive(Debug, Clone)]
pub struct ReplayWindow {
    /// The one after the newest that was seen.
    next: u64,
    seen: [u64; WORDS],
}

impl Default for ReplayWindow {
    fn default() -> Self {
        Self { next: 0, seen: [0; WORDS] }
    }
}

/// Where the bit of a counter is: its word, and its place there.
fn place(counter: u64) -> (usize, u32) {
    let word = usize::try_from(counter / WORD % WORDS as u64).unwrap_or(0);
    (word, u32::try_from(counter % WORD).unwrap_or(0))
}

impl ReplayWindow {
    /// The counter after the newest that was seen.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether a counter has not been seen, and is not too old to say.
    #[must_use]
    pub fn is_new(&self, counter: u64) -> bool {
        if counter >= self.next {
            return true;
        }
        let (word, bit) = place(counter);
        self.next - counter <= REPLAY_WINDOW && self.seen[word] >> bit & 1 == 0
    }

    /// A datagram with this counter has proven genuine.
    pub fn mark(&mut self, counter: u64) {
        if counter >= self.next {
            self.forget(counter);
            self.next = counter.saturating_add(1);
        }
        let (word, bit) = place(counter);
        self.seen[word] |= 1 << bit;
    }

    /// The bits of what is ahead, up to this counter, stand for old ones: they are cleared.
    fn forget(&mut self, counter: u64) {
        if counter - self.next >= REPLAY_WINDOW {
            self.seen = [0; WORDS];
            return;
        }
        let mut from = self.next;
        while from <= counter {
            let (word, bit) = place(from);
            let end = (from - u64::from(bit)).saturating_add(WORD - 1).min(counter);
            let ahead = u64::MAX << bit;
            let up_to = u64::MAX >> (WORD - 1 - end % WORD);
            self.seen[word] &= !(ahead & up_to);
            let Some(next) = end.checked_add(1) else { break };
            from = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// What a window must say, from a set of all that was ever marked.
    fn by_set(seen: &BTreeSet<u64>, counter: u64) -> bool {
        let newest = seen.last().copied();
        !seen.contains(&counter) && newest.is_none_or(|newest| counter.saturating_add(REPLAY_WINDOW) > newest)
    }

    proptest! {
        #[test]
        fn the_window_says_what_a_set_of_all_counters_says(
            steps in proptest::collection::vec((0u64..5, 0u64..20_000, any::<bool>()), 1..200),
            start in prop_oneof![Just(0u64), Just(u64::MAX - 30_000), any::<u64>()],
        ) {
            let mut window = ReplayWindow::default();
            let mut seen = BTreeSet::new();
            let mut at = start;
            for (far, step, ahead) in steps {
                // Mostly close by, at times just beyond the window.
                let step = match far { 0 => step, 1 => step % 100, 2 => 8190 + step % 5, 3 => 63 + step % 3, _ => step % 3 };
                let counter = if ahead { at.saturating_add(step) } else { at.saturating_sub(step) }.min(u64::MAX - 1);
                prop_assert_eq!(window.is_new(counter), by_set(&seen, counter), "{} after {:?}", counter, seen.last());
                if window.is_new(counter) {
                    window.mark(counter);
                    seen.insert(counter);
                    prop_assert_eq!(window.next(), seen.last().expect("one") + 1);
                }
                at = seen.last().copied().unwrap_or(start);
            }
            for counter in at.saturating_sub(8300)..=at {
                prop_assert_eq!(window.is_new(counter), by_set(&seen, counter), "{}", counter);
            }
        }
    }

    #[test]
    fn a_counter_is_new_once() {
        let mut window = ReplayWindow::default();
        for counter in [5, 0, 8191, 8196] {
            assert!(window.is_new(counter));
            window.mark(counter);
            assert!(!window.is_new(counter));
        }
        // 8,192 counters, the newest one included: 5 is the oldest of them, 4 is none.
        assert!(!window.is_new(4) && window.is_new(6));
    }
}
