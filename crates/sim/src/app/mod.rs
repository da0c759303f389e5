//! What the users of the link do.

mod adaptation;
mod bulk;
mod channel;
mod connection_count;
mod downloads;
mod file_transfer;
mod media;
mod web;

pub use adaptation::{Adapts, Ladder, LadderError, ToLoss, ToTheLink};
pub(crate) use bulk::Bulk;
pub use bulk::{BulkConfig, Samples, SamplesError};
pub use channel::ChannelConfig;
pub(crate) use channel::Filler;
pub use connection_count::{ConnectionCount, ConnectionCountError};
pub(crate) use downloads::Downloads;
pub(crate) use file_transfer::FileTransfer;
pub use file_transfer::FileTransferConfig;
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
    /// Greedy sources, and which of their connections it is.
    Bulk(u16),
}
