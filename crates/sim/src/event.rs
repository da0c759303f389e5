//! What can happen in a world.

use crate::app::Application;
use crate::channel::Direction;
use crate::tcp::ConnectionId;
use arqway_link::LineId;

/// A part of an outage that begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutagePhase {
    /// Its announcement.
    Notice,
    /// The link goes down.
    Falls,
    /// The link is up again.
    Rises,
}

/// Whom an event concerns; what it is about waits there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The wired link's transmitter is free again.
    WiredDeparture(Direction),
    /// A packet has crossed the wired link.
    WiredArrival(Direction),
    /// The transmitter between the wireless link and a forwarding node is free again.
    NodeDeparture(Direction),
    /// A packet has crossed the link between the wireless link and a forwarding node.
    NodeArrival(Direction),
    /// The wireless transmitter of this direction is free again, of this line.
    FrameDeparture(Direction, LineId),
    /// A frame has crossed the wireless link.
    FrameArrival(Direction, LineId),
    /// The link layer that sends in this direction wants to be woken.
    ServiceTimer(Direction),
    /// A timer of a TCP connection, at either end.
    TcpTimer(ConnectionId),
    /// A timer that an application has set.
    Application(Application, u8),
    /// The wireless link goes or comes, or is about to.
    Mobility(OutagePhase),
    /// A hint about the wireless link has come to the server.
    HintAtServer,
    /// Something that is set aside at the access point may have ended.
    Reservation,
}
