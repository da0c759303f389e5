//! The connections that the filter knows: so many and no more. The one that has been silent longest makes room.

use super::connection::Connection;
use alloc::vec::Vec;
use arqway_ip::{Flow, FlowTable};
use core::hash::{Hash, Hasher};

/// The table. All it does takes constant time, and nothing allocates once it is full.
#[derive(Debug, Clone)]
pub(super) struct Connections {
    index: FlowTable<usize>,
    slots: Vec<Slot>,
    limit: usize,
    /// The ends of a list of all slots by when they were looked for last; forgotten ones stand at its old end.
    newest: usize,
    oldest: usize,
    pub(super) evicted: u64,
}

#[derive(Debug, Clone)]
struct Slot {
    /// `None`: free.
    flow: Option<Flow>,
    connection: Connection,
    newer: usize,
    older: usize,
}

/// Two tables are the same that know the same: which connection was heard of last matters only where one is evicted.
impl PartialEq for Connections {
    fn eq(&self, other: &Self) -> bool {
        self.known().eq(other.known())
    }
}

impl Eq for Connections {}

impl Hash for Connections {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.known().for_each(|known| known.hash(state));
    }
}

/// No slot.
const NONE: usize = usize::MAX;

impl Connections {
    pub(super) fn new(limit: usize) -> Self {
        Self { index: FlowTable::default(), slots: Vec::new(), limit, newest: NONE, oldest: NONE, evicted: 0 }
    }

    /// The connection of a flow, new where it is not known.
    pub(super) fn of(&mut self, flow: Flow) -> &mut Connection {
        let slot = match self.index.get(&flow) {
            Some(slot) => *slot,
            None => self.begin(flow),
        };
        if slot != self.newest {
            self.unlink(slot);
            self.link_newest(slot);
        }
        &mut self.slots[slot].connection
    }

    /// A connection is over, or its numbers begin anew.
    pub(super) fn forget(&mut self, flow: &Flow) {
        let Some(slot) = self.index.remove(flow) else { return };
        self.slots[slot].flow = None;
        self.unlink(slot);
        self.link_oldest(slot);
    }

    fn known(&self) -> impl Iterator<Item = (Option<Flow>, &Connection)> {
        self.slots.iter().map(|slot| (slot.flow, &slot.connection))
    }

    /// A slot in the list, of a connection of which nothing is known.
    fn begin(&mut self, flow: Flow) -> usize {
        let is_oldest_free = self.slots.get(self.oldest).is_some_and(|slot| slot.flow.is_none());
        let slot = if is_oldest_free || self.slots.len() >= self.limit {
            self.oldest
        } else {
            self.slots.push(Slot { flow: None, connection: Connection::default(), newer: NONE, older: NONE });
            self.link_oldest(self.slots.len() - 1);
            self.slots.len() - 1
        };
        if let Some(evicted) = self.slots[slot].flow.replace(flow) {
            self.index.remove(&evicted);
            self.evicted += 1;
        }
        self.slots[slot].connection.start_over();
        self.index.insert(flow, slot);
        slot
    }

    fn unlink(&mut self, slot: usize) {
        let Slot { newer, older, .. } = self.slots[slot];
        match self.slots.get_mut(newer) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        match self.slots.get_mut(older) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn link_newest(&mut self, slot: usize) {
        (self.slots[slot].newer, self.slots[slot].older) = (NONE, self.newest);
        match self.slots.get_mut(self.newest) {
            Some(newest) => newest.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
    }

    fn link_oldest(&mut self, slot: usize) {
        (self.slots[slot].newer, self.slots[slot].older) = (self.oldest, NONE);
        match self.slots.get_mut(self.oldest) {
            Some(oldest) => oldest.older = slot,
            None => self.newest = slot,
        }
        self.oldest = slot;
    }

    /// How many connections are known.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// The most that is known of one: pieces that were sent again, ends of segments.
    pub(super) fn largest(&self) -> (usize, usize) {
        let sizes = self.slots.iter().map(|slot| slot.connection.size());
        sizes.fold((0, 0), |most, size| (most.0.max(size.0), most.1.max(size.1)))
    }
}
