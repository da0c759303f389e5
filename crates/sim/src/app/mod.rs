//! What the users of the link do.

mod adaptation;
mod channel;
mod file_transfer;
mod media;
mod web;

pub use adaptation::{Adapts, Ladder, LadderError, ToLoss, ToTheLink};
pub use channel::ChannelConfig;
pub(crate) use channel::Filler;
pub(crate) use file_transfer::FileTransfer;
pub use file_transfer::{ConnectionCount, ConnectionCountError, FileTransferConfig};
pub(crate) use media::Media;
pub use media::MediaConfig;
pub use web::{ConnectionUse, Counted, LastPacket, NextStep, Parallel, ParallelError, Requests, WebConfig};
pub(crate) use web::{Leg, Web};

/// Whose data a connection carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// File Transfer.
    File,
    /// Web Browsing, and which of its connections it is.
    Web(Leg),
}
