//! What can happen in a world.

use crate::channel::Direction;
use crate::tcp::SlotId;

/// A moment of an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// It is announced.
    Notice,
    /// The link goes.
    Falls,
    /// There is a link again.
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
    /// The wireless transmitter of this direction is free again.
    FrameDeparture(Direction),
    /// A frame has crossed the wireless link.
    FrameArrival(Direction),
    /// The link layer that sends in this direction wants to be woken.
    ServiceTimer(Direction),
    /// A timer of a TCP connection, at either end.
    TcpTimer(SlotId),
    /// The speaker's next packet.
    MediaSend,
    /// The listener tells the speaker how the lecture arrives.
    MediaReport,
    /// The wireless link goes or comes, or is about to.
    Mobility(Moment),
    /// A hint about the wireless link has come to the server.
    HintAtServer,
    /// The channel was measured for long enough.
    ChannelEnd,
    /// It is to be recorded where a greedy source stands.
    BulkSample,
    /// Greedy sources have sent for long enough.
    BulkEnd,
}
