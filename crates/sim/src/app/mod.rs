//! What the users of the link do.

mod file_transfer;
mod media;

pub(crate) use file_transfer::FileTransfer;
pub use file_transfer::FileTransferConfig;
pub(crate) use media::Media;
pub use media::MediaConfig;
