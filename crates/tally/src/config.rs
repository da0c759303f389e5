//! How tally is set up. A configuration that parsed is valid.

use super::wire::LONG_REACH;
use arqway_arq::Resequencing;
use arqway_contract::settings;
use arqway_units::{Span, optional_positive_span};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

settings! {
    /// The settings of one end; both ends need the same `window`, `resequencing` and `compress-headers`.
    // Nothing here has to be tuned to a link.
    #[cfg_attr(feature = "schema", schemars(rename = "TallyConfig"))]
    pub struct Config {
        /// How long a packet is kept and sent again, from its arrival on; by default until it is acknowledged.
        #[serde(deserialize_with = "optional_positive_span")]
        pub persistence: Option<Span> = None,
        /// The order in which packets are released.
        pub resequencing: Resequencing = Resequencing::PerFlow,
        /// The number of packets that may wait while the line accepts no more.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
        /// The maximum number of unacknowledged frames: as many as there is memory for at both ends.
        pub window: WindowSize = WindowSize(WindowSize::MAX),
        /// Whether frames go out from which lost ones can be worked out, where there is nothing else to send.
        pub repair: bool = false,
        /// Whether of TCP's headers only what changes is sent, where packets keep the order of their flow. Both ends need the same.
        pub compress_headers: bool = false,
        /// A mechanism to leave out, in order to see what it is good for.
        pub without: Option<Mechanism> = None,
    }
}

/// What tally is made of, besides sequence numbers and acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// The transmission counter: whether a retransmission was lost is left to the tail probe.
    Counter,
    /// What feedback says of frames beyond the first missing one: all of them are taken for missing.
    Bitmap,
    /// Polls and probes that follow the round trip: what nothing tells of is sent again after a second.
    TailProbe,
    /// The priority of retransmissions: they go behind what is new.
    Priority,
    /// The withdrawal of copies that were acknowledged while they waited.
    StaleCopies,
    /// Timers that start with a frame's departure: they start when it is handed over to the queue below.
    Departure,
    /// Cuts shorter than a frame has room for, where longer ones are lost more often.
    Cuts,
}

/// The window of tally, in frames: from 1 to half of the frame numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct WindowSize(u32);

impl WindowSize {
    /// Half of the frame numbers.
    pub const MAX: u32 = 1 << 17;

    /// A window of so many frames, or `None` outside 1 to [`MAX`](Self::MAX).
    #[must_use]
    pub const fn new(frames: u32) -> Option<Self> {
        if 1 <= frames && frames <= Self::MAX { Some(Self(frames)) } else { None }
    }

    /// How many frames.
    #[must_use]
    pub fn frames(self) -> u64 {
        self.0.into()
    }
}

const _: () = assert!(WindowSize::MAX as u64 == LONG_REACH, "the window is what the numbers allow");

/// A window that the numbers do not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a window of {0} frames: expected 1 to {max}, half of the frame numbers", max = WindowSize::MAX)]
pub struct WindowSizeError(i64);

impl TryFrom<i64> for WindowSize {
    type Error = WindowSizeError;
    fn try_from(frames: i64) -> Result<Self, WindowSizeError> {
        u32::try_from(frames).ok().and_then(Self::new).ok_or(WindowSizeError(frames))
    }
}

impl From<WindowSize> for i64 {
    fn from(window: WindowSize) -> Self {
        window.0.into()
    }
}
