//! The keys of a peer, of which old and new ones overlap, so that nothing under way is lost (whitepaper §6.1, §6.2).
//!
//! ```text
//!     initiator:  establish         next -> (previous),  current -> previous,  new -> current
//!     responder:  offer             new -> next: it may receive, and does not send
//!                 confirm           something came with next: current -> previous, next -> current
//! ```
//!
//! Two previous ones are kept: where both ends began at the same time, each may seal with what the other has as its previous key
//! already, until keys are new again. Keys of another incarnation of the peer never become previous ones: what comes late from it
//! is not opened.

use arrayvec::ArrayVec;

/// What the slots must know of a key.
pub(crate) trait Key {
    /// By what the peer names it.
    fn index(&self) -> u16;
    /// Which incarnation of the peer has it.
    fn boot(&self) -> u64;
}

/// How many keys are kept that are not sealed with any more.
const PREVIOUS: usize = 2;

/// Up to four keys of a peer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slots<K> {
    /// The newest first.
    previous: ArrayVec<K, PREVIOUS>,
    current: Option<K>,
    next: Option<K>,
}

impl<K> Default for Slots<K> {
    fn default() -> Self {
        Self { previous: ArrayVec::new(), current: None, next: None }
    }
}

impl<K: Key> Slots<K> {
    /// The key to seal with.
    pub(crate) fn current(&self) -> Option<&K> {
        self.current.as_ref()
    }

    /// The key to seal with.
    pub(crate) fn current_mut(&mut self) -> Option<&mut K> {
        self.current.as_mut()
    }

    /// The key that has this index.
    pub(crate) fn find(&mut self, index: u16) -> Option<&mut K> {
        let slots = [&mut self.current, &mut self.next].into_iter().flatten();
        slots.chain(&mut self.previous).find(|key| key.index() == index)
    }

    /// All keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &K> {
        self.previous.iter().chain(&self.current).chain(&self.next)
    }

    /// We began, and the peer has answered: it has this key as its next one.
    pub(crate) fn establish(&mut self, key: K, mut dropped: impl FnMut(K)) {
        // The peer may have made our next key its current one meanwhile, and seal with it: that one is kept before others.
        let next = self.next.take();
        self.replace(key, next, &mut dropped);
    }

    /// A key becomes the current one; those before it, `newest` first, become previous ones as far as they may.
    fn replace(&mut self, key: K, newest: Option<K>, dropped: &mut impl FnMut(K)) {
        let boot = key.boot();
        let before = std::mem::take(&mut self.previous);
        for key in newest.into_iter().chain(self.current.replace(key)).chain(before) {
            if key.boot() == boot && !self.previous.is_full() {
                self.previous.push(key);
            } else {
                dropped(key);
            }
        }
    }

    /// The peer began, and is answered with this key.
    pub(crate) fn offer(&mut self, key: K, dropped: impl FnMut(K)) {
        self.next.replace(key).into_iter().for_each(dropped);
    }

    /// Something came with the key that has this index. Whether that made it the current one.
    pub(crate) fn confirm(&mut self, index: u16, mut dropped: impl FnMut(K)) -> bool {
        let Some(key) = self.next.take_if(|key| key.index() == index) else { return false };
        self.replace(key, None, &mut dropped);
        true
    }

    /// Drops the keys that are done with.
    pub(crate) fn retire(&mut self, is_done: impl Fn(&K) -> bool, mut dropped: impl FnMut(K)) {
        for slot in [&mut self.current, &mut self.next] {
            slot.take_if(|key| is_done(key)).into_iter().for_each(&mut dropped);
        }
        let previous = std::mem::take(&mut self.previous);
        for key in previous {
            if is_done(&key) { dropped(key) } else { self.previous.push(key) }
        }
    }
}
