//! What the users of the link do.

mod channel;
mod file_transfer;
mod media;

pub use channel::ChannelConfig;
pub(crate) use channel::Filler;
pub(crate) use file_transfer::FileTransfer;
pub use file_transfer::FileTransferConfig;
pub(crate) use media::Media;
pub use media::MediaConfig;
