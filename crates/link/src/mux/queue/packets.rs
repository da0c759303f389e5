//! Packets in several lists, in one piece of memory that is used again: as many allocations as the most that ever waited.
//!
//! ```text
//!     places   | A1 | B1 | A2 |    | C1 | B2 |        list A: 0 <-> 2      list B: 1 <-> 5      free: 3
//! ```

use alloc::vec::Vec;
use arqway_contract::Packet;

/// Stands for no place.
const NOWHERE: u32 = u32::MAX;

/// The memory of all lists.
#[derive(Debug)]
pub(super) struct Packets {
    places: Vec<Place>,
    /// The first free place; each says which is next.
    free: u32,
    waiting: usize,
    octets: usize,
}

#[derive(Debug)]
struct Place {
    packet: Option<Packet>,
    before: u32,
    after: u32,
}

/// Packets one behind the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    first: u32,
    last: u32,
    packets: u32,
    octets: usize,
}

impl Default for List {
    fn default() -> Self {
        Self { first: NOWHERE, last: NOWHERE, packets: 0, octets: 0 }
    }
}

impl List {
    pub(super) fn is_empty(&self) -> bool {
        self.packets == 0
    }

    /// How many packets it has.
    pub(super) fn len(&self) -> usize {
        self.packets as usize
    }

    /// How many octets its packets have.
    pub(super) fn octets(&self) -> usize {
        self.octets
    }
}

impl Default for Packets {
    fn default() -> Self {
        Self { places: Vec::new(), free: NOWHERE, waiting: 0, octets: 0 }
    }
}

impl Packets {
    /// How many there are in all lists.
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    /// How many octets they have.
    pub(super) fn octets(&self) -> usize {
        self.octets
    }

    pub(super) fn push_back(&mut self, list: &mut List, packet: Packet) {
        self.count_in(list, &packet);
        let place = self.take_place(Place { packet: Some(packet), before: list.last, after: NOWHERE });
        match self.places.get_mut(list.last as usize) {
            Some(last) => last.after = place,
            None => list.first = place,
        }
        list.last = place;
    }

    pub(super) fn push_front(&mut self, list: &mut List, packet: Packet) {
        self.count_in(list, &packet);
        let place = self.take_place(Place { packet: Some(packet), before: NOWHERE, after: list.first });
        match self.places.get_mut(list.first as usize) {
            Some(first) => first.before = place,
            None => list.last = place,
        }
        list.first = place;
    }

    pub(super) fn pop_front(&mut self, list: &mut List) -> Option<Packet> {
        self.take(list, list.first)
    }

    pub(super) fn pop_back(&mut self, list: &mut List) -> Option<Packet> {
        self.take(list, list.last)
    }

    pub(super) fn first(&self, list: &List) -> Option<&Packet> {
        self.places.get(list.first as usize)?.packet.as_ref()
    }

    pub(super) fn last(&self, list: &List) -> Option<&Packet> {
        self.places.get(list.last as usize)?.packet.as_ref()
    }

    /// Puts another packet of the same length in the place of the first.
    pub(super) fn replace_first(&mut self, list: &List, with: Packet) {
        if let Some(place) = self.places.get_mut(list.first as usize) {
            place.packet = Some(with);
        }
    }

    fn take(&mut self, list: &mut List, index: u32) -> Option<Packet> {
        let place = self.places.get_mut(index as usize)?;
        let (before, after) = (place.before, place.after);
        let packet = place.packet.take()?;
        place.after = self.free;
        self.free = index;
        match self.places.get_mut(before as usize) {
            Some(before) => before.after = after,
            None => list.first = after,
        }
        match self.places.get_mut(after as usize) {
            Some(after) => after.before = before,
            None => list.last = before,
        }
        let octets = packet.octets.len();
        (list.packets, list.octets) = (list.packets - 1, list.octets - octets);
        (self.waiting, self.octets) = (self.waiting - 1, self.octets - octets);
        Some(packet)
    }

    fn count_in(&mut self, list: &mut List, packet: &Packet) {
        let octets = packet.octets.len();
        (list.packets, list.octets) = (list.packets + 1, list.octets + octets);
        (self.waiting, self.octets) = (self.waiting + 1, self.octets + octets);
    }

    fn take_place(&mut self, with: Place) -> u32 {
        let index = self.free;
        if let Some(place) = self.places.get_mut(index as usize) {
            self.free = place.after;
            *place = with;
            return index;
        }
        self.places.push(with);
        u32::try_from(self.places.len() - 1).unwrap_or(NOWHERE)
    }
}
