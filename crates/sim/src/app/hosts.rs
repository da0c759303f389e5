//! What applications may use of the hosts that they run on.
//!
//! An application opens connections and makes packets itself. What it wants to happen in the world is an [`Action`]; the
//! world carries the actions out, in their order, when the application has returned.

use super::{Application, Connections};
use crate::host::Host;
use crate::kernel::Random;
use crate::packet::Memory;
use crate::tcp::{ConnectionId, TcpConfig};
use alloc::collections::VecDeque;
use arqway_units::{Span, Time};
use bytes::Bytes;

/// What is left for the world to do.
pub(crate) type Actions = VecDeque<Action>;

/// Something that an application wants to happen.
#[derive(Debug)]
pub(crate) enum Action {
    /// A host sends a packet.
    Send(Host, Bytes),
    /// A connection sends what its window allows.
    SendSegments(ConnectionId),
    /// A packet goes out on the link toward the client, if that has nothing to send.
    FillLink(Bytes),
    /// A timer is set.
    WakeAt(Time, Application, u8),
    /// A user has got something, this long after it was sent or asked for.
    Delivered(Application, Span),
}

/// The hosts, at one moment.
pub(crate) struct Hosts<'a> {
    pub(crate) now: Time,
    pub(crate) tcp: &'a TcpConfig,
    pub(crate) connections: &'a mut Connections,
    pub(crate) memory: &'a mut Memory,
    pub(crate) clock_phases: &'a mut Random,
    pub(crate) actions: &'a mut Actions,
    /// The application that is called.
    pub(crate) application: Application,
}

impl Hosts<'_> {
    /// The same hosts for another application.
    pub(super) fn of(&mut self, application: Application) -> &mut Self {
        self.application = application;
        self
    }

    /// Where in its tick the clock of a new sender stands: as the settings say, or drawn.
    pub(super) fn clock_phase(&mut self) -> Span {
        let tick = self.tcp.settings().tick;
        self.tcp.clock_phase.unwrap_or_else(|| Span::from_seconds(self.clock_phases.uniform() * tick.as_seconds()))
    }

    /// A new connection begins to send.
    pub(super) fn start_sender(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id) {
            connection.sender.start(self.now);
            self.send_segments(id);
        }
    }

    /// A connection sends what its window allows.
    pub(super) fn send_segments(&mut self, id: ConnectionId) {
        self.actions.push_back(Action::SendSegments(id));
    }

    /// A host sends a packet.
    pub(super) fn send(&mut self, from: Host, packet: Bytes) {
        self.actions.push_back(Action::Send(from, packet));
    }

    /// Sends a packet on the link toward the client, if that has nothing to send.
    pub(super) fn fill_link(&mut self, packet: Bytes) {
        self.actions.push_back(Action::FillLink(packet));
    }

    /// Sets a timer.
    pub(super) fn wake_at(&mut self, at: Time, timer: u8) {
        self.actions.push_back(Action::WakeAt(at, self.application, timer));
    }

    /// The user has got something, this long after it was sent or asked for.
    pub(super) fn record_delivery(&mut self, delay: Span) {
        self.actions.push_back(Action::Delivered(self.application, delay));
    }
}
