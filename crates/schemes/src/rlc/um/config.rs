//! How unacknowledged mode is set up. A configuration that parsed is valid.

use super::UnacknowledgedMode;
use crate::rlc::pdu::LengthIndicatorSize;
use crate::rlc::pdu_size::PduSize;
use crate::rlc::segmentation::{Format, Mode};
use arqway_contract::{Bounded, End, LinkContext, SchemeName, Service, Side, settings};
use arqway_units::{Span, optional_positive_span, positive_span};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// The size of a UMD PDU: one octet of header, and 1,503 behind it (§9.2.2.9).
pub type UmdSize = PduSize<1504>;

settings! {
    /// The settings of one end; both ends need the same sizes and the same `alternative-e-bit`.
    // For packets, as later versions of the standard allow it: a lost PDU costs what it carried and nothing else. What the first
    // versions have is a fixed size, without the alternative interpretation.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "RlcUmConfig"))]
    pub struct Config {
        /// The size of every PDU, with padding; or the maximum size if it is flexible. Length indicators have 7 bits up to
        /// 125 octets, and 15 beyond (§9.2.2.8).
        pub pdu_size: UmdSize = const { UmdSize::new(1504).expect("from 8 to 1,504") },
        /// The size of PDUs toward the access point, if it differs.
        pub uplink_pdu_size: Option<UmdSize> = None,
        /// Whether PDUs are as long as their contents (since V7.3), or all of one size.
        pub flexible_pdu_size: bool = true,
        /// Whether every PDU shows where its SDUs begin, at the cost of a length indicator unless it is one whole SDU: the
        /// "alternative E-bit interpretation" (§9.2.2.5, since V7.0).
        pub alternative_e_bit: bool = true,
        /// How long a PDU that is not full waits for the next SDU.
        pub wait_to_fill: Span = Span::ZERO,
        /// How long an SDU may wait to be handed over before it is dropped (`Timer_Discard`); unlimited by default.
        #[serde(deserialize_with = "optional_positive_span")]
        pub discard_after: Option<Span> = None,
        /// What happens to PDUs that arrive out of order.
        pub reception: Reception = Reception::InSequence,
        /// The number of packets that may wait while the line accepts no more.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
        /// What happens to an SDU when the buffer is full.
        pub when_full: WhenFull = WhenFull::Refuse,
    }
}

/// What happens to PDUs that arrive out of order (§11.2.3, §9.7.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcUmReception"))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reception {
    /// PDUs are processed as they arrive; the link below must preserve their order. A late PDU looks like one behind a
    /// long gap, and costs the unfinished SDU.
    #[default]
    InSequence,
    /// The same, but a PDU outside the window is dropped ("out-of-sequence reception", since V8).
    Windowed {
        /// `Configured_Rx_Window_Size`: beyond this, of 128 numbers, a PDU counts as late.
        window: Bounded<1, 127>,
    },
    /// Duplicate PDUs are dropped, and PDUs that arrive early wait for those before them ("duplicate avoidance and
    /// reordering").
    Reordering {
        /// `DAR_Window_Size`.
        window: Bounded<1, 64>,
        /// `Timer_DAR`: how long they wait.
        #[serde(deserialize_with = "positive_span")]
        timer: Span,
    },
    /// An SDU is delivered as soon as all its PDUs have arrived, in any order ("out of sequence SDU delivery").
    OutOfSequence {
        /// `OSD_Window_Size`.
        window: Bounded<1, 64>,
        /// `Timer_OSD`: how long incomplete SDUs are kept after the newest PDU.
        #[serde(deserialize_with = "positive_span")]
        timer: Span,
    },
}

/// What happens to an SDU when the buffer is full (§9.7.3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcUmWhenFull"))]
#[serde(rename_all = "kebab-case")]
pub enum WhenFull {
    /// It is handed back.
    #[default]
    Refuse,
    /// The one that has waited longest is dropped.
    DiscardOldest,
}

impl Config {
    /// What the PDUs of one side look like.
    pub(super) fn format(&self, from: Side) -> Format {
        let is_uplink = from == Side::Client;
        let octets = self.uplink_pdu_size.filter(|_| is_uplink).unwrap_or(self.pdu_size).octets();
        Format {
            octets,
            fixed: !self.flexible_pdu_size,
            header: 1,
            size: LengthIndicatorSize::for_umd(octets),
            most_ends: usize::MAX,
            mode: Mode::Unacknowledged { alternative: self.alternative_e_bit, marks_first: is_uplink },
        }
    }
}

impl Service for Config {
    type End = End<UnacknowledgedMode>;

    const NAMES: &'static [SchemeName] = &[SchemeName::plain("rlc-um")];

    fn build(&self, context: &LinkContext) -> Self::End {
        End::new(UnacknowledgedMode::new(self, context.side))
    }
}
