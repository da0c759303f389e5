//! How acknowledged mode is set up: parameter sets, and each setting by itself. A configuration that parsed is valid.
//!
//! | profile | what it is |
//! | --- | --- |
//! | `robust` | finds every loss without the help of others: polls at the end of every burst, repeats them, reports gaps at once; PDUs as long as what they carry |
//! | `umts-uniform` | Table I of monet08, what mobimedia07 §5 says in words, for links that lose single frames |
//! | `umts-two-state` | the same for links that lose bursts |

mod check;
mod layered;
mod settings;

use super::AcknowledgedMode;
pub use arqway_arq::TimerStarts;
use arqway_contract::{Bounded, End, Grammar, LinkContext, Parameter, SchemeName, Service, Side, digits};
use arqway_units::{Ratio, Span, optional_positive_span, optional_timer};
use core::num::NonZeroUsize;
use layered::layered;
use serde::{Deserialize, Serialize};
pub(super) use settings::Settings;

/// A parameter set, and changes to it; both ends need the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcAmConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case", remote = "Self")]
pub struct Config {
    /// The parameter set for all settings that are not given here.
    pub profile: Profile,
    /// The size of every PDU, with padding; or the maximum size if it is flexible.
    pub pdu_size: Option<PduSize>,
    /// The size of PDUs toward the access point, if it differs.
    pub uplink_pdu_size: Option<PduSize>,
    /// Whether PDUs are as long as their contents (25.322 since V7.3), or all of one size.
    pub flexible_pdu_size: Option<bool>,
    /// Whether STATUS and RESET PDUs are padded to the size of data PDUs, if that is fixed. The standard requires one
    /// of the sizes of their channel, which may include a smaller one for them (§9.2.1.5).
    pub pad_control_pdus: Option<bool>,
    /// Whether a PDU that ends with its only SDU says so in its header (HE = 10, since V7.3).
    pub special_header_extension: Option<bool>,
    /// How long a PDU that is not full waits for the next SDU.
    pub wait_to_fill: Option<Span>,
    /// The number of data PDUs that may be handed over but not yet departed, as requested by the lower layer. Data that
    /// wait longer share PDUs with data that arrive later.
    pub pdus_below: Option<Bounded<1, 4095>>,
    /// The maximum number of unacknowledged PDUs, at both ends (`Configured_Tx_Window_Size`,
    /// `Configured_Rx_Window_Size`).
    pub window: Option<Bounded<1, 4095>>,
    /// When the sender polls for a report.
    pub poll: PollConfig,
    /// When and how the receiver reports.
    pub status: StatusConfig,
    /// What happens to SDUs that cannot be delivered (§9.7.3).
    pub discard: Option<Discard>,
    /// The maximum number of retransmissions of a PDU, after which `discard` applies. The standard's MaxDAT is two
    /// more: it counts how often a PDU is scheduled, including the first time, and the last time is not carried out
    /// (§9.6).
    pub retransmissions: Option<Bounded<0, 62>>,
    /// Whether a PDU that is retransmitted only to carry a poll counts as scheduled, as in the standard.
    pub polls_count: Option<bool>,
    /// How the receiver's window is moved past discarded SDUs.
    pub mrw: MrwConfig,
    /// How both ends are reset.
    pub reset: ResetConfig,
    /// When the timer of a PDU with a poll, a report, a request to move the window or a reset starts: at hand-over in
    /// the standard's network, at departure in its terminal.
    pub timer_starts: Option<TimerStarts>,
    /// Whether every report of a missing PDU causes a retransmission, as in the standard, or only a report that can
    /// already account for the last copy: not while that copy waits in a queue, nor for a `round-trip` after its
    /// departure.
    pub resend_in_flight: Option<bool>,
    /// The minimum time between a PDU's departure and a report that can account for it.
    pub round_trip: Option<Span>,
    /// Whether a queued copy is withdrawn when its acknowledgement arrives.
    pub drop_stale_copies: Option<bool>,
    /// Whether a report is piggybacked in the padding of a data PDU if there is room.
    pub piggyback: Option<bool>,
    /// Whether an SDU waits for those before it (in-sequence delivery), or is delivered as soon as it is complete.
    pub in_sequence_delivery: Option<bool>,
    /// The number of packets that may wait while the line accepts no more.
    pub buffer: Option<NonZeroUsize>,
}

layered! {
    /// When the sender polls for a report (§9.7.1). A time or a count of zero disables a trigger.
    #[cfg_attr(feature = "schema", schemars(rename = "RlcPollConfig"))]
    pub struct PollConfig over Poll {
        /// The last PDU in the buffer, or the last that the window allows.
        pub last_pdu: bool,
        /// The last PDU to be retransmitted.
        pub last_retransmission: bool,
        /// A poll without a timely answer (`Timer_Poll`).
        #[serde(deserialize_with = "optional_timer")]
        pub timer: Span,
        /// Every given number of PDUs (`Poll_PDU`).
        pub every_pdus: Bounded<0, 1024>,
        /// Every given number of SDUs (`Poll_SDU`).
        pub every_sdus: Bounded<0, 1024>,
        /// Every PDU beyond this share of the window (`Poll_Window`).
        pub window: Ratio,
        /// Periodically, while anything is outstanding (`Timer_Poll_Periodic`).
        #[serde(deserialize_with = "optional_timer")]
        pub periodic: Span,
        /// How long further polls are prohibited after a poll (`Timer_Poll_Prohibit`).
        #[serde(deserialize_with = "optional_timer")]
        pub prohibit: Span,
        /// Whether a poll without a PDU to carry it is a STATUS PDU with a POLL super-field; only with a flexible PDU size.
        pub by_status: bool,
    }
}

layered! {
    /// When and how the receiver reports (§9.7.2). A time or a count of zero disables a trigger.
    #[cfg_attr(feature = "schema", schemars(rename = "RlcStatusConfig"))]
    pub struct StatusConfig over Status {
        /// A PDU that arrives beyond a missing one.
        pub missing: bool,
        /// Periodically (`Timer_Status_Periodic`).
        #[serde(deserialize_with = "optional_timer")]
        pub periodic: Span,
        /// Whether that timer also runs if nothing is missing and nothing has arrived since the last report. If not, it is
        /// blocked, in the standard's terms.
        pub periodic_while_idle: bool,
        /// The return of the link below after an outage ("request from lower layer", only in versions before V7.3).
        pub after_outage: bool,
        /// How long further reports are prohibited after a report (`Timer_Status_Prohibit`).
        #[serde(deserialize_with = "optional_timer")]
        pub prohibit: Span,
        /// The super-field that reports missing PDUs.
        pub missing_as: MissingAs,
        /// The window size announced to the peer (WINDOW super-field).
        pub window: Bounded<0, 4095>,
    }
}

layered! {
    /// How the receiver's window is moved past discarded SDUs (§11.6).
    #[cfg_attr(feature = "schema", schemars(rename = "RlcMrwConfig"))]
    pub struct MrwConfig over Mrw {
        /// How long a request waits for its answer before it is repeated (`Timer_MRW`).
        #[serde(deserialize_with = "optional_positive_span")]
        pub timer: Span,
        /// The number of requests before both ends are reset (`MaxMRW`).
        pub most: Bounded<1, 64>,
        /// Whether every discarded SDU whose end was sent is named, up to 15, or only the last one.
        pub name_each: bool,
    }
}

layered! {
    /// How both ends are reset (§11.4).
    #[cfg_attr(feature = "schema", schemars(rename = "RlcResetConfig"))]
    pub struct ResetConfig over Reset {
        /// How long a RESET waits for its answer before it is repeated (`Timer_RST`).
        #[serde(deserialize_with = "optional_positive_span")]
        pub timer: Span,
        /// After one RESET fewer than this, the error counts as unrecoverable (`MaxRST`).
        pub most: Bounded<2, 64>,
    }
}

/// A named parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcProfile"))]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Finds every loss on its own.
    #[default]
    Robust,
    /// Table I of monet08, uniform errors.
    UmtsUniform,
    /// Table I of monet08, two-state errors.
    UmtsTwoState,
}

/// What happens to SDUs that cannot be delivered (§9.7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RlcDiscard"))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Discard {
    /// They are discarded after the maximum number of retransmissions of one of their PDUs, and the peer is notified
    /// (§9.7.3.3).
    AfterTransmissions,
    /// They are discarded after a time, and the peer is notified (§9.7.3.1).
    Timer {
        /// `Timer_Discard`.
        after: Span,
    },
    /// Both ends are reset after the maximum number of retransmissions of a PDU (§9.7.3.4).
    Reset,
}

/// The super-field that reports missing PDUs, which the standard leaves to the implementation (§9.2.2.11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MissingAs {
    /// One bit for each PDU of the window; a list reports those beyond the last whole octet of bits.
    Bitmap,
    /// Numbers and run lengths.
    List,
    /// Distances in code words of four bits.
    RelativeList,
}

/// The size of a PDU, header and all; the data of the largest has 1,503 octets (§9.2.2.9).
pub type PduSize = crate::rlc::PduSize<1505>;

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

    fn build(&self, context: &LinkContext) -> Self::End {
        End::new(AcknowledgedMode::new(&self.settings(context.side)))
    }

    /// The PDU is lost, and so is each of its retransmissions: one less than MaxDAT times in all.
    fn residual_loss(&self, frame_loss: f64) -> f64 {
        let max_dat = self.settings(Side::AccessPoint).max_dat;
        libm::pow(frame_loss, f64::from(max_dat.saturating_sub(1)))
    }

    fn holds_back(&self) -> bool {
        [Side::AccessPoint, Side::Client].into_iter().any(|side| self.settings(side).in_sequence)
    }

    fn named(&self, _: &str, parameter: Option<&str>) -> Option<Self> {
        let retransmissions = match parameter {
            None => self.retransmissions,
            Some(number) => Some(digits(number)?),
        };
        Some(Self { retransmissions, ..self.clone() })
    }
}
