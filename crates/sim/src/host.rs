//! The two hosts at the ends of every conversation.

/// A host: one end of the conversations that the link carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// The host behind the access point. It sends files, pages and media.
    Server,
    /// The user, at the far end of the wireless link.
    Client,
}

impl Host {
    /// The other host.
    #[must_use]
    pub const fn peer(self) -> Self {
        match self {
            Self::Server => Self::Client,
            Self::Client => Self::Server,
        }
    }
}
