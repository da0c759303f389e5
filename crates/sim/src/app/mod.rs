//! What the users of the link do.

mod channel;
mod connection_count;
mod downloads;
mod file_transfer;
mod media;
mod tcp_bulk;
mod web;

pub use channel::ChannelConfig;
pub(crate) use channel::Filler;
pub use connection_count::{ConnectionCount, ConnectionCountError};
pub(crate) use downloads::Downloads;
pub(crate) use file_transfer::FileTransfer;
pub use file_transfer::FileTransferConfig;
pub(crate) use media::Media;
pub use media::{Adapts, Ladder, LadderError, MediaConfig, ToLoss, ToTheLink};
pub(crate) use tcp_bulk::TcpBulk;
pub use tcp_bulk::{Samples, SamplesError, TcpBulkConfig};
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
    TcpBulk(u16),
}
