//! What somebody outside knows of a line, such as the script of a modem (multiservice, Section IX: hints of mobility).

use serde::{Deserialize, Serialize};
use std::fmt;

/// What happens to the line to a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineHint {
    /// It goes down, now or so soon that nothing more should be sent.
    Down,
    /// It is up again.
    Up,
    /// It is up, and another one than before: this end may have another address, and nothing that was measured need be true.
    Handoff,
}

impl LineHint {
    pub(crate) fn read(text: &str) -> Option<Self> {
        [Self::Down, Self::Up, Self::Handoff].into_iter().find(|hint| hint.to_string() == text)
    }
}

impl fmt::Display for LineHint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Down => "down",
            Self::Up => "up",
            Self::Handoff => "handoff",
        })
    }
}
