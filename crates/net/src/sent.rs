//! What became of datagrams that were to be sent.

use arqway_units::Span;

/// What became of datagrams that were to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Sent {
    /// The system has the first so many octets of them.
    Taken(usize),
    /// It has no room for them now: none was sent, and the same can be tried again.
    NoRoom(Again),
    /// The first so many octets will never leave: too large for the interface, or no route, or nobody there.
    Lost(usize),
}

/// When what found no room can be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// When the descriptor can be written.
    WhenWritable,
    /// So much later: the descriptor does not tell.
    After(Span),
}
