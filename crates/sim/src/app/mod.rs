//! What the users of the link do.

mod file_transfer;
mod media;

pub use file_transfer::{FileTransfer, FileTransferConfig};
pub use media::{Media, MediaConfig};
