//! Who a datagram is for: it names an index of 16 bits, and one look into a table finds whose that is.

use crate::event::PeerId;
use crate::random::{Random, draw};

/// The table has at least so many places, and at most as many as there are indices.
const LEAST: usize = 16;
const MOST: usize = 1 << 16;

/// An index stands at the place that its lower bits name; the upper ones are chance. Where the table is doubled, two never
/// meet: those that differ in fewer bits differ in more.
#[derive(Debug)]
pub(crate) struct Indices {
    places: Vec<Option<(u16, PeerId)>>,
    taken: usize,
}

impl Indices {
    pub(crate) fn new() -> Self {
        Self { places: vec![None; LEAST], taken: 0 }
    }

    fn place(&self, index: u16) -> usize {
        usize::from(index) & (self.places.len() - 1)
    }

    /// Whose an index is.
    pub(crate) fn get(&self, index: u16) -> Option<PeerId> {
        self.places[self.place(index)].filter(|(whole, _)| *whole == index).map(|(_, peer)| peer)
    }

    /// A new index for a peer; none if all are taken.
    pub(crate) fn allocate(&mut self, peer: PeerId, random: &mut dyn Random) -> Option<u16> {
        if self.taken * 2 >= self.places.len() && self.places.len() < MOST {
            self.grow();
        }
        if self.taken == self.places.len() {
            return None;
        }
        let mut index = u16::from_le_bytes(draw(random));
        // Half of the places are free, until there are 65,536: that takes two tries on average.
        while self.places[self.place(index)].is_some() {
            index = index.checked_add(1).unwrap_or(0);
        }
        let place = self.place(index);
        self.places[place] = Some((index, peer));
        self.taken += 1;
        Some(index)
    }

    pub(crate) fn free(&mut self, index: u16) {
        let place = self.place(index);
        if self.places[place].is_some_and(|(whole, _)| whole == index) {
            self.places[place] = None;
            self.taken -= 1;
        }
    }

    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    fn grow(&mut self) {
        let mut places = vec![None; self.places.len() * 2];
        for entry in self.places.iter().flatten() {
            places[usize::from(entry.0) & (self.places.len() * 2 - 1)] = Some(*entry);
        }
        self.places = places;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_index_can_be_given_once_and_again_when_it_is_free() {
        let mut random = |octets: &mut [u8]| octets.fill(0xA5);
        let mut indices = Indices::new();
        let given: BTreeMap<u16, PeerId> = (0..65_536)
            .map(|number| (indices.allocate(PeerId(number), &mut random).expect("a free one"), PeerId(number)))
            .collect();
        assert_eq!((given.len(), indices.allocate(PeerId(7), &mut random)), (65_536, None));
        assert!(given.iter().all(|(index, peer)| indices.get(*index) == Some(*peer)));
        indices.free(0x1234);
        assert_eq!((indices.get(0x1234), indices.allocate(PeerId(7), &mut random)), (None, Some(0x1234)));
    }

    proptest! {
        #[test]
        fn an_index_is_found_until_it_is_freed(
            steps in proptest::collection::vec((any::<u16>(), any::<bool>()), 1..300),
        ) {
            let mut indices = Indices::new();
            let mut model = BTreeMap::new();
            for (number, (chance, frees)) in (0u32..).zip(steps) {
                if frees {
                    if let Some(index) = model.keys().nth(usize::from(chance) % model.len().max(1)).copied() {
                        indices.free(index);
                        model.remove(&index);
                    }
                } else {
                    let mut random = |octets: &mut [u8]| octets.copy_from_slice(&chance.to_le_bytes());
                    let index = indices.allocate(PeerId(number), &mut random).expect("a free one");
                    prop_assert_eq!(model.insert(index, PeerId(number)), None);
                }
                prop_assert!(model.iter().all(|(index, peer)| indices.get(*index) == Some(*peer)));
                prop_assert_eq!(indices.get(chance), model.get(&chance).copied());
            }
        }
    }
}
