//! The connections of the browser. An object at a time is fetched in a lane, and a lane has a connection each way:
//!
//! ```text
//!     lane 0   requests: connection   replies: connection
//!     lane 1   requests: connection   replies: connection      new for each message, or kept
//! ```
//!
//! A connection stays open until its lane needs the next one, so that its receiver goes on to answer what comes twice.

use super::{ConnectionUse, Kind, Leg, Object, SERVER_PORT, Web};
use crate::app::{Connections, Hosts, Owner};
use crate::tcp::{ConnectionId, Message, Opening};
use arqway_units::Span;

/// One of the places in which an object at a time is fetched.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) object: Object,
    pub(super) awaited: Option<Kind>,
    requests: Place,
    replies: Place,
}

/// The connection each way, now and before.
#[derive(Debug, Default)]
struct Place {
    current: Option<ConnectionId>,
    /// The one before, where its sender still lacks an acknowledgement although its data are all there.
    lingering: Option<ConnectionId>,
    /// The first packet of one of them had to be sent again.
    lost_start: bool,
}

impl Lane {
    fn place(&mut self, kind: Kind) -> &mut Place {
        match kind {
            Kind::Request => &mut self.requests,
            Kind::Reply => &mut self.replies,
        }
    }
}

impl Web {
    /// Gives a message to the connection that is to carry it, and returns which that is.
    pub(super) fn send(&mut self, leg: Leg, message: Message, hosts: &mut Hosts<'_>) -> Option<ConnectionId> {
        let kept = self.config.connections == ConnectionUse::Kept;
        let current = self.lanes.get_mut(usize::from(leg.lane))?.place(leg.kind).current;
        if let Some(id) = current.filter(|_| kept) {
            let connection = hosts.connections.get_mut(id)?;
            connection.append(message);
            connection.sender.send_more(message.packets, hosts.now);
            return Some(id);
        }
        self.retire(leg, hosts.connections);
        let id = self.open(leg, message, hosts)?;
        hosts.connections.get_mut(id)?.sender.start(hosts.now);
        Some(id)
    }

    fn open(&mut self, leg: Leg, message: Message, hosts: &mut Hosts<'_>) -> Option<ConnectionId> {
        let mut settings = hosts.tcp.settings();
        // Drawn for each connection, as ns-2 does when an agent is reset.
        let drawn = Span::from_seconds(self.clock_phases.uniform() * settings.tick.as_seconds());
        let place = self.lanes.get_mut(usize::from(leg.lane))?.place(leg.kind);
        if self.config.remember_lost_start && place.lost_start {
            settings.initial_window = 1;
        }
        let opening = Opening {
            owner: Owner::Web(leg),
            sender: leg.sender(),
            server_port: SERVER_PORT,
            ds: self.config.ds,
            settings,
            clock_phase: hosts.tcp.clock_phase.unwrap_or(drawn),
            message,
        };
        place.current = hosts.connections.open(&opening);
        self.tally.connections += 1;
        place.current
    }

    /// Makes room for the next connection of a leg: closes the last one, once its sender has nothing more to do, and the
    /// one before it in any case, so that connections do not pile up.
    fn retire(&mut self, leg: Leg, connections: &mut Connections) {
        let Some(lane) = self.lanes.get_mut(usize::from(leg.lane)) else { return };
        let place = lane.place(leg.kind);
        let (before, last) = (place.lingering.take(), place.current.take());
        let is_busy = |id: &ConnectionId| connections.get_mut(*id).is_some_and(|last| !last.sender.is_finished());
        place.lingering = last.filter(is_busy);
        let finished = last.filter(|_| place.lingering.is_none());
        for id in before.into_iter().chain(finished) {
            if let Some(connection) = connections.get_mut(id) {
                self.tally.timeouts += connection.sender.timeouts();
                place.lost_start |= connection.sender.has_lost_start();
            }
            connections.close(id);
        }
    }
}
