//! What can happen in a world.

use crate::channel::Direction;
use crate::tcp::SlotId;

/// Whom an event concerns; what it is about waits there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The wired link's transmitter is free again.
    WiredDeparture(Direction),
    /// A packet has crossed the wired link.
    WiredArrival(Direction),
    /// The wireless transmitter of this direction is free again.
    FrameDeparture(Direction),
    /// A frame has crossed the wireless link.
    FrameArrival(Direction),
    /// The link layer that sends in this direction wants to be woken.
    ServiceTimer(Direction),
    /// The retransmission timer of a TCP connection.
    TcpTimer(SlotId),
    /// The speaker's next packet.
    MediaSend,
    /// The channel was measured for long enough.
    ChannelEnd,
}
