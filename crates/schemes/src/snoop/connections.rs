//! The connections that are watched: so many and no more, each found by addresses and ports.

use super::config::Config;
use super::connection::{Connection, Verdict};
use super::wire::{self, ConnectionId};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use arqway_units::Time;
use bytes::Bytes;

/// The table. Nothing in it allocates for a packet of a connection that it knows, once the cache has had its length.
#[derive(Debug, Default)]
pub(super) struct Connections {
    index: BTreeMap<ConnectionId, usize>,
    slots: Vec<Slot>,
    /// Of each slot, when something is to be done there. Apart and dense: the soonest is looked for after each packet.
    deadlines: Vec<Time>,
    free: Vec<usize>,
    /// Duplicates of all connections, where they count together.
    duplicates: u32,
    evicted: u64,
}

#[derive(Debug)]
struct Slot {
    flow: ConnectionId,
    connection: Connection,
}

/// Marks a slot where nothing is to be done.
const NEVER: Time = Time::MAX;

impl Connections {
    /// Reads a packet on its way to the client.
    pub(super) fn pass_down(&mut self, packet: &Bytes, config: &Config, now: Time) {
        let Some((flow, segment)) = wire::toward_client(packet) else { return };
        if segment.reset {
            self.forget(&flow);
            return;
        }
        if segment.length == 0 {
            return;
        }
        let slot = self.find(&flow, config, now).unwrap_or_else(|| self.begin(flow, config, now));
        let connection = &mut self.slots[slot].connection;
        connection.heard = now;
        connection.data(&segment, packet, config, now);
        self.note_deadline(slot, config);
    }

    /// Reads a packet that comes from the client, and says what becomes of it.
    pub(super) fn pass_up(&mut self, packet: &[u8], room: bool, config: &Config, now: Time) -> Verdict {
        let Some((flow, segment)) = wire::from_client(packet) else { return Verdict::Pass };
        if segment.reset {
            self.forget(&flow);
            return Verdict::Pass;
        }
        let Some(slot) = self.find(&flow, config, now) else { return Verdict::Pass };
        let connection = &mut self.slots[slot].connection;
        connection.heard = now;
        let shared = config.shared_duplicate_counter.then_some(&mut self.duplicates);
        let verdict = connection.acknowledge(&segment, shared, room, config, now);
        if connection.is_finished() {
            self.forget(&flow);
        } else {
            self.note_deadline(slot, config);
        }
        verdict
    }

    /// Acts on one deadline that has come. Says whether there was one, and what is to be sent again for it.
    pub(super) fn handle_timeout(&mut self, room: bool, config: &Config, now: Time) -> Option<Option<Bytes>> {
        let slot = self.deadlines.iter().position(|deadline| *deadline <= now)?;
        let Slot { flow, connection } = &mut self.slots[slot];
        if connection.is_forgotten(config, now) {
            let flow = *flow;
            self.forget(&flow);
            return Some(None);
        }
        let packet = connection.handle_timeout(room, config, now);
        self.note_deadline(slot, config);
        Some(packet)
    }

    /// When the next deadline comes.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.deadlines.iter().min().copied().filter(|deadline| *deadline != NEVER)
    }

    /// How many connections had to go for others.
    pub(super) fn evicted(&self) -> u64 {
        self.evicted
    }

    fn find(&mut self, flow: &ConnectionId, config: &Config, now: Time) -> Option<usize> {
        let slot = *self.index.get(flow)?;
        let connection = &mut self.slots[slot].connection;
        if connection.is_forgotten(config, now) {
            connection.renew(config, now);
        }
        Some(slot)
    }

    /// A connection that is not watched yet.
    fn begin(&mut self, flow: ConnectionId, config: &Config, now: Time) -> usize {
        if self.index.len() >= config.connections.get() {
            self.evict(config, now);
        }
        let slot = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(slot) {
            Some(free) => {
                free.flow = flow;
                free.connection.renew(config, now);
            }
            None => {
                self.slots.push(Slot { flow, connection: Connection::new(config, now) });
                self.deadlines.push(NEVER);
            }
        }
        self.index.insert(flow, slot);
        slot
    }

    /// Makes room: the connection that has been silent longest goes.
    fn evict(&mut self, config: &Config, now: Time) {
        let silent = self.index.values().min_by_key(|slot| self.slots[**slot].connection.heard).copied();
        let Some(Slot { flow, connection }) = silent.map(|slot| &self.slots[slot]) else { return };
        self.evicted += u64::from(!connection.is_forgotten(config, now));
        let flow = *flow;
        self.forget(&flow);
    }

    fn forget(&mut self, flow: &ConnectionId) {
        let Some(slot) = self.index.remove(flow) else { return };
        self.slots[slot].connection.start_over();
        self.deadlines[slot] = NEVER;
        self.free.push(slot);
    }

    fn note_deadline(&mut self, slot: usize, config: &Config) {
        self.deadlines[slot] = self.slots[slot].connection.deadline(config).unwrap_or(NEVER);
    }
}

#[cfg(test)]
impl Connections {
    /// How many connections are watched.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// How many segments are kept.
    pub(super) fn cached(&self) -> usize {
        self.slots.iter().map(|slot| slot.connection.cached()).sum()
    }
}
