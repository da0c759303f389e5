//! In which order packets leave the receiving end of an ARQ service, and what is done where that is not the order in which
//! they were sent (shikama06 §3; the per-flow order is that of the authors' PFRS scheme).
//!
//! ```text
//!     sent      A1  B1  A2  B2  A3        A1 is lost, and comes again at the end
//!
//!     full       .   .   .   .   .  A1 B1 A2 B2 A3     all waits for A1
//!     per-flow   .  B1   .  B2   .  A1 A2 A3           flow A waits, flow B does not
//!     none       .  B1  A2  B2  A3  A1                 nothing waits: TCP puts A in order, and the filter (`tcp_filter`)
//!                                                      drops the duplicate acknowledgements that A2 and A3 cause
//! ```
//!
//! The sender tells each frame its *link*: how many frames back the frame is that must go before it. Under `full` that is
//! always one and under `none` for all packets nothing, so there is no need to say it; else it stands in the frame's head.
//!
//! ```text
//!     number     10  11  12  13  14
//!     packet     A1  B1  A2  B2  A3
//!     link        0   0   2   2   2      0: none, or the peer has it already
//! ```
//!
//! So the receiver needs to know no flows, and of a flow the sender knows only the last frame, while that is unacknowledged:
//! idle flows are forgotten by themselves, and what is known is bounded by the window.

mod chains;
mod order;
#[cfg(test)]
mod tests;

pub(crate) use chains::Chains;
pub use order::Order;

use arqway_contract::settings;
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// The order in which packets are released.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Resequencing {
    /// The order in which they were sent: packets behind a missing one wait until it arrives or is given up.
    #[default]
    Full,
    /// The order in which they were sent, for each flow separately: no flow waits for another.
    PerFlow,
    /// TCP packets in the order in which they arrive.
    None(Unordered),
}

settings! {
    /// What goes with releasing TCP's packets as they arrive.
    // What shikama06 proposes, and order for what TCP does not put in order itself.
    #[derive(Eq)]
    pub struct Unordered {
        /// Whether the sending end withholds the duplicate acknowledgements that TCP's receiver sends because of this.
        pub tcp_filter: bool = true,
        /// The order in which packets are released that the filter cannot handle: not TCP, encrypted, or fragments.
        pub others: Others = Others::PerFlow,
        /// Whether an acknowledgement that follows withheld ones is split into as many steps, so that TCP's window grows as
        /// if they had passed.
        pub regenerate_acknowledgements: bool = false,
        /// The number of TCP connections that the filter tracks; a new one replaces the one that has been idle longest.
        pub connections: NonZeroUsize = const { NonZeroUsize::new(1024).expect("not zero") },
    }
}

/// The order in which packets other than TCP are released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OrderOfOthers"))]
#[serde(rename_all = "kebab-case")]
pub enum Others {
    /// The order in which they were sent.
    Full,
    /// The order in which they were sent, for each flow separately.
    #[default]
    PerFlow,
    /// The order in which they arrive.
    None,
}

impl Resequencing {
    /// Packets as they arrive, whatever they are, and nothing done about it.
    #[must_use]
    pub fn as_received() -> Self {
        Self::None(Unordered { tcp_filter: false, others: Others::None, ..Unordered::default() })
    }

    /// Whether a packet that has arrived waits for another one; or, with the filter, its TCP's sender for the acknowledgement.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        match self {
            Self::Full | Self::PerFlow => true,
            Self::None(unordered) => unordered.tcp_filter || unordered.others != Others::None,
        }
    }

    /// The link that every frame has, where it is the same for all; `None` where each frame has to bear its own.
    #[must_use]
    pub fn common_link(&self) -> Option<u32> {
        match self {
            Self::Full => Some(1),
            Self::None(Unordered { others: Others::None, .. }) => Some(0),
            Self::PerFlow | Self::None(_) => None,
        }
    }

    /// Whether frames bear their links on the wire.
    #[must_use]
    pub fn needs_link(&self) -> bool {
        self.common_link().is_none()
    }

    /// What tells the sending end the links of its frames, where frames bear them.
    pub fn chains(&self) -> Option<Chains> {
        self.needs_link().then(|| Chains::new(self))
    }

    /// The link of a frame that came, which bears it or must not; `None` where that is not as both ends have agreed.
    pub fn link_of(&self, written: Option<u32>) -> Option<u32> {
        match (self.common_link(), written) {
            (Some(link), None) | (None, Some(link)) => Some(link),
            _ => None,
        }
    }
}
