//! How a rate was found, for whoever looks.

use arqway_units::Span;

/// What holds the pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Finding {
    /// Nothing yet: it grows.
    #[default]
    Probing,
    /// It is what the line carries.
    Steady,
    /// It is lower, since a queue stands on the way.
    Delay,
    /// It is our part beside others who fill the queue.
    Others,
    /// It is lower, since the path has marked datagrams: it is congested.
    Marks,
    /// It is lower, since faster only loses more.
    Losses,
    /// Nobody has more to send.
    Application,
}

impl Finding {
    /// A word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Probing => "probing",
            Self::Steady => "steady",
            Self::Delay => "delay",
            Self::Others => "others",
            Self::Marks => "marks",
            Self::Losses => "losses",
            Self::Application => "application",
        }
    }
}

/// How a rate was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// What holds it.
    pub finding: Finding,
    /// How long a queue stands on the way.
    pub queue: Span,
}
