//! Why an emulation cannot go on.

use arqway_net::NetError;

/// Why an emulation cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EmulateError {
    /// An interface is gone, or the system refuses something.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Waiting failed.
    #[error("cannot wait for packets: {0}")]
    Wait(#[from] std::io::Error),
}
