//! How acknowledged mode is set up: parameter sets, and each setting by itself. A configuration that parsed is valid.
//!
//! | profile | what it is |
//! | --- | --- |
//! | `robust` | finds every loss without the help of others: polls at the end of every burst, repeats them, reports gaps at once; PDUs as long as what they carry |
//! | `umts-uniform` | Table I of monet08, what mobimedia07 §5 says in words, for links that lose single frames |
//! | `umts-two-state` | the same for links that lose bursts |

mod check;
mod settings;

use super::AcknowledgedMode;
pub use crate::arq::TimerStarts;
use crate::contract::{Bounded, End, Grammar, Parameter, SchemeName, Service, Side, digits};
use arqway_units::{Ratio, Span, optional_positive_span, optional_timer};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};
pub(super) use settings::{Poll, Reset, Settings, Status};

/// A parameter set, and what is changed of it; both ends need the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcAmConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case", remote = "Self")]
pub struct Config {
    /// Where every setting not given here comes from.
    pub profile: Profile,
    /// The size of a PDU: of every one, padded to it, or of the largest if it is flexible.
    pub pdu_size: Option<PduSize>,
    /// The same towards the access point, where that is another.
    pub uplink_pdu_size: Option<PduSize>,
    /// Whether PDUs are only as long as what they carry (25.322 since V7.3), or all of one size.
    pub flexible_pdu_size: Option<bool>,
    /// Whether STATUS and RESET PDUs are padded to the size of data PDUs, where that is fixed. The standard wants one of the
    /// sizes that their channel has, which may have a smaller one for them (§9.2.1.5).
    pub pad_control_pdus: Option<bool>,
    /// Whether a PDU that ends with its only SDU says so in its header (HE = 10, since V7.3).
    pub special_header_extension: Option<bool>,
    /// How long a PDU that is not full waits for the next SDU.
    pub wait_to_fill: Option<Span>,
    /// How many data PDUs may have been handed over and not departed: as many as the lower layer asks for at a time. What
    /// waits longer shares PDUs with what comes meanwhile.
    pub pdus_below: Option<Bounded<1, 4095>>,
    /// How many PDUs may be unacknowledged at once, at both ends (`Configured_Tx_Window_Size`, `Configured_Rx_Window_Size`).
    pub window: Option<Bounded<1, 4095>>,
    /// What makes the sender ask for a report.
    pub poll: PollConfig,
    /// What makes the receiver report, and how.
    pub status: StatusConfig,
    /// What becomes of SDUs that do not get across (§9.7.3).
    pub discard: Option<Discard>,
    /// How often a PDU is sent again before `discard` says what then. The standard's MaxDAT is two more: it counts how
    /// often a PDU is scheduled, the first time included, and the last time is not carried out (§9.6).
    pub retransmissions: Option<Bounded<0, 62>>,
    /// Whether a PDU that is sent again only to carry a poll counts as scheduled; the standard counts it.
    pub polls_count: Option<bool>,
    /// How the receiver's window is moved over discarded SDUs.
    pub mrw: MrwConfig,
    /// How both ends are reset.
    pub reset: ResetConfig,
    /// At which moment of a PDU that carries a poll, a report, a request to move the window or a reset its timer starts:
    /// handed over in the standard's network, departed in its terminal.
    pub timer_starts: Option<TimerStarts>,
    /// Whether each report that names a PDU as missing makes it be sent again, as in the standard, or only one that can tell of
    /// the last copy: while that waits in a queue, and for a `round-trip` after it has departed, none can.
    pub resend_in_flight: Option<bool>,
    /// The least time between a PDU's departure and a report that can tell of it.
    pub round_trip: Option<Span>,
    /// Whether a copy still queued when its acknowledgement arrives is withdrawn instead of sent.
    pub drop_stale_copies: Option<bool>,
    /// Whether a report rides in the padding of a data PDU where there is room.
    pub piggyback: Option<bool>,
    /// Whether an SDU waits for those before it (in-sequence delivery), or is delivered as soon as all of it is there.
    pub in_sequence_delivery: Option<bool>,
    /// How many packets may wait for a line that takes no more.
    pub buffer: Option<NonZeroUsize>,
}

/// What makes the sender ask for a report (§9.7.1). A time or a count of zero turns a trigger off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcPollConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PollConfig {
    /// The last PDU that there is, or that the window allows.
    pub last_pdu: Option<bool>,
    /// The last PDU that is to be sent again.
    pub last_retransmission: Option<bool>,
    /// A poll that was not answered in time (`Timer_Poll`).
    #[serde(deserialize_with = "optional_timer")]
    pub timer: Option<Span>,
    /// Every so many PDUs (`Poll_PDU`).
    pub every_pdus: Option<Bounded<0, 1024>>,
    /// Every so many SDUs (`Poll_SDU`).
    pub every_sdus: Option<Bounded<0, 1024>>,
    /// Each PDU from this share of the window on (`Poll_Window`).
    pub window: Option<Ratio>,
    /// Time, while anything is outstanding (`Timer_Poll_Periodic`).
    #[serde(deserialize_with = "optional_timer")]
    pub periodic: Option<Span>,
    /// How long after a poll there is no other (`Timer_Poll_Prohibit`).
    #[serde(deserialize_with = "optional_timer")]
    pub prohibit: Option<Span>,
    /// Whether a poll without a PDU to carry it is a STATUS PDU with a POLL super-field; only with a flexible PDU size.
    pub by_status: Option<bool>,
}

/// What makes the receiver report (§9.7.2), and how. A time or a count of zero turns a trigger off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcStatusConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StatusConfig {
    /// A PDU that arrives beyond one that is missing.
    pub missing: Option<bool>,
    /// Time (`Timer_Status_Periodic`).
    #[serde(deserialize_with = "optional_timer")]
    pub periodic: Option<Span>,
    /// Whether that timer also runs where nothing is missing and nothing has arrived since the last report. If not, it is
    /// what the standard calls blocked.
    pub periodic_while_idle: Option<bool>,
    /// The link below that came back ("request from lower layer", only in versions before V7.3).
    pub after_outage: Option<bool>,
    /// How long after a report there is no other (`Timer_Status_Prohibit`).
    #[serde(deserialize_with = "optional_timer")]
    pub prohibit: Option<Span>,
    /// In which super-field missing PDUs are named.
    pub missing_as: Option<MissingAs>,
    /// The window that the peer is told to use (WINDOW super-field).
    pub window: Option<Bounded<0, 4095>>,
}

/// How the receiver's window is moved over discarded SDUs (§11.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcMrwConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MrwConfig {
    /// How long a request waits for its answer before it is repeated (`Timer_MRW`).
    #[serde(deserialize_with = "optional_positive_span")]
    pub timer: Option<Span>,
    /// How many requests there are before both ends are reset (`MaxMRW`).
    pub most: Option<Bounded<1, 64>>,
    /// Whether every discarded SDU whose end was sent is named, up to 15, or the last alone.
    pub name_each: Option<bool>,
}

/// How both ends are reset (§11.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcResetConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ResetConfig {
    /// How long a RESET waits for its answer before it is repeated (`Timer_RST`).
    #[serde(deserialize_with = "optional_positive_span")]
    pub timer: Option<Span>,
    /// One RESET fewer than this, and the error counts as unrecoverable (`MaxRST`).
    pub most: Option<Bounded<2, 64>>,
}

/// A named parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcProfile"))]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Finds every loss by itself.
    #[default]
    Robust,
    /// Table I of monet08, uniform errors.
    UmtsUniform,
    /// Table I of monet08, two-state errors.
    UmtsTwoState,
}

/// What becomes of SDUs that do not get across (§9.7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcDiscard"))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Discard {
    /// They are discarded when a PDU of theirs was sent again in vain so often, and the peer is told (§9.7.3.3).
    AfterTransmissions,
    /// They are discarded so long after they came, and the peer is told (§9.7.3.1).
    Timer {
        /// `Timer_Discard`.
        after: Span,
    },
    /// When a PDU was sent again in vain so often, both ends are reset (§9.7.3.4).
    Reset,
}

/// In which super-field missing PDUs are named; which one is left to the implementation (§9.2.2.11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MissingAs {
    /// A bit for each PDU of the window; what lies beyond the last whole octet of bits stands in a list.
    Bitmap,
    /// Numbers and lengths of runs.
    List,
    /// Distances in code words of four bits.
    RelativeList,
}

/// The size of a PDU, header and all; the data of the largest has 1,503 octets (§9.2.2.9).
pub type PduSize = crate::services::rlc::PduSize<1505>;

impl Service for Config {
    type End = End<AcknowledgedMode>;

    const NAMES: &'static [SchemeName] = &[SchemeName::with(
        "rlc",
        Parameter {
            key: "retransmissions",
            required: false,
            grammar: Grammar::Count { least: 0, most: 62 },
            example: "2",
            means: "at most 2 retransmissions",
        },
    )];

    fn build(&self, side: Side) -> Self::End {
        End::new(AcknowledgedMode::new(&self.settings(side)))
    }

    fn named(&self, _: &str, parameter: Option<&str>) -> Option<Self> {
        let retransmissions = match parameter {
            None => self.retransmissions,
            Some(number) => Some(digits(number)?),
        };
        Some(Self { retransmissions, ..self.clone() })
    }
}
