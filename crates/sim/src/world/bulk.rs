//! Greedy sources at work: when they begin, when they are looked at, and when they stop.

use super::World;
use crate::event::Event;
use crate::probe::Probe;

impl<P: Probe> World<P> {
    pub(super) fn start_bulk(&mut self) {
        let Self { bulk: Some(bulk), connections, tcp, clock_phases, events, .. } = self else { return };
        // Before anything that happens at the same time.
        events.schedule(bulk.end(), Event::BulkEnd);
        if let Some(first) = bulk.first_sample() {
            events.schedule(first, Event::BulkSample);
        }
        bulk.open(tcp, connections, || super::clock_phase(tcp, clock_phases));
        let mut index = 0;
        while let Some(id) = self.bulk.as_ref().and_then(|bulk| bulk.connection(index)) {
            self.start_sender(id);
            index += 1;
        }
    }

    /// Records where the first connection stands.
    pub(super) fn sample_bulk(&mut self) {
        let Self { bulk: Some(bulk), connections, events, now, .. } = self else { return };
        let first = bulk.connection(0).and_then(|id| connections.get_mut(id));
        if let Some(next) = first.and_then(|connection| bulk.sample(&connection.sender, *now)) {
            events.schedule(next, Event::BulkSample);
        }
    }

    /// The time is over: what there is counts, and what is still under way finds nobody.
    pub(super) fn end_bulk(&mut self) {
        let Self { bulk: Some(bulk), connections, now, .. } = self else { return };
        bulk.finish(connections, *now);
        for id in bulk.connections() {
            connections.close(id);
        }
    }
}
