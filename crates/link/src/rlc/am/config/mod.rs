//! How acknowledged mode is set up: parameter sets, and each setting by itself. A configuration that parsed is valid.
//!
//! | profile | what it is |
//! | --- | --- |
//! | `robust` | finds every loss without the help of others: polls at the end of every burst, repeats them, reports gaps at once; PDUs as long as what they carry |
//! | `umts-uniform` | Table I of monet08, what mobimedia07 §5 says in words, for links that lose single frames |
//! | `umts-two-state` | the same for links that lose bursts |

mod check;

use super::AcknowledgedMode;
use crate::count::Count;
use crate::form::{Form, Service, Value, ValueOf, count};
use crate::rlc::pdu::LengthIndicatorSize;
use crate::service::Side;
pub use crate::timers::TimerStarts;
use arqway_units::{Ratio, Span, optional_positive_span, optional_timer};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

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
    pub pdus_below: Option<Count<1, 4095>>,
    /// How many PDUs may be unacknowledged at once, at both ends (`Configured_Tx_Window_Size`, `Configured_Rx_Window_Size`).
    pub window: Option<Count<1, 4095>>,
    /// What makes the sender ask for a report.
    pub poll: PollConfig,
    /// What makes the receiver report, and how.
    pub status: StatusConfig,
    /// What becomes of SDUs that do not get across (§9.7.3).
    pub discard: Option<Discard>,
    /// How often a PDU is sent again before `discard` says what then. The standard's MaxDAT is two more: it counts how
    /// often a PDU is scheduled, the first time included, and the last time is not carried out (§9.6).
    pub retransmissions: Option<Count<0, 62>>,
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
    pub every_pdus: Option<Count<0, 1024>>,
    /// Every so many SDUs (`Poll_SDU`).
    pub every_sdus: Option<Count<0, 1024>>,
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
    pub window: Option<Count<0, 4095>>,
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
    pub most: Option<Count<1, 64>>,
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
    pub most: Option<Count<2, 64>>,
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
pub type PduSize = crate::rlc::PduSize<1505>;

/// What a configuration comes to at one end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Settings {
    /// Of the PDUs that this end sends.
    pub(super) pdu_size: usize,
    pub(super) indicators: LengthIndicatorSize,
    /// Of those that it receives.
    pub(super) peer_indicators: LengthIndicatorSize,
    pub(super) flexible: bool,
    pub(super) pad_control_pdus: bool,
    pub(super) special_header_extension: bool,
    pub(super) wait_to_fill: Span,
    pub(super) pdus_below: usize,
    pub(super) window: usize,
    pub(super) poll: Poll,
    pub(super) status: Status,
    pub(super) discard: Discard,
    pub(super) max_dat: u16,
    pub(super) polls_count: bool,
    pub(super) mrw: Mrw,
    pub(super) reset: Reset,
    pub(super) timer_starts: TimerStarts,
    pub(super) resend_in_flight: bool,
    pub(super) round_trip: Span,
    pub(super) drop_stale_copies: bool,
    pub(super) piggyback: bool,
    pub(super) buffer: usize,
}

/// Triggers of the polling function; zero is off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Poll {
    pub(super) last_pdu: bool,
    pub(super) last_retransmission: bool,
    pub(super) timer: Span,
    pub(super) every_pdus: u16,
    pub(super) every_sdus: u16,
    pub(super) window: Ratio,
    pub(super) periodic: Span,
    pub(super) prohibit: Span,
    pub(super) by_status: bool,
}

/// Triggers of reports; zero is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) missing: bool,
    pub(super) periodic: Span,
    pub(super) periodic_while_idle: bool,
    pub(super) after_outage: bool,
    pub(super) prohibit: Span,
    pub(super) missing_as: MissingAs,
    pub(super) window: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mrw {
    pub(super) timer: Span,
    pub(super) most: u16,
    pub(super) name_each: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reset {
    pub(super) timer: Span,
    pub(super) most: u16,
}

const fn milliseconds(count: u64) -> Span {
    Span::from_milliseconds(count)
}

const fn percent(count: u8) -> Ratio {
    Ratio::new(count as f64 / 100.0).expect("a share")
}

impl Profile {
    fn settings(self) -> Settings {
        match self {
            Self::Robust => ROBUST,
            Self::UmtsUniform => UMTS_UNIFORM,
            Self::UmtsTwoState => UMTS_TWO_STATE,
        }
    }
}

const ROBUST: Settings = Settings {
    pdu_size: 1505,
    indicators: LengthIndicatorSize::Fifteen,
    peer_indicators: LengthIndicatorSize::Fifteen,
    flexible: true,
    pad_control_pdus: false,
    special_header_extension: true,
    wait_to_fill: Span::ZERO,
    pdus_below: 4095,
    window: 512,
    poll: Poll {
        last_pdu: true,
        last_retransmission: true,
        timer: milliseconds(300),
        every_pdus: 32,
        every_sdus: 0,
        window: percent(50),
        periodic: Span::ZERO,
        prohibit: milliseconds(50),
        by_status: true,
    },
    status: Status {
        missing: true,
        periodic: Span::ZERO,
        periodic_while_idle: false,
        after_outage: true,
        prohibit: milliseconds(20),
        missing_as: MissingAs::Bitmap,
        window: 0,
    },
    discard: Discard::AfterTransmissions,
    max_dat: 10,
    polls_count: false,
    mrw: Mrw { timer: milliseconds(300), most: 32, name_each: false },
    reset: Reset { timer: milliseconds(500), most: 8 },
    timer_starts: TimerStarts::Departure,
    resend_in_flight: false,
    round_trip: Span::ZERO,
    drop_stale_copies: true,
    piggyback: true,
    buffer: 256,
};

/// What Table I leaves unsaid is as the standard has it, or as the page on RLC says that it was found.
const UMTS_UNIFORM: Settings = Settings {
    pdu_size: 252,
    flexible: false,
    pad_control_pdus: true,
    special_header_extension: false,
    window: 128, // Table I
    poll: Poll {
        last_pdu: false,            // Table I
        last_retransmission: false, // Table I
        timer: milliseconds(200),   // Table I
        every_pdus: 0,              // Table I
        every_sdus: 0,              // Table I
        window: percent(70),        // Table I
        periodic: Span::ZERO,
        prohibit: milliseconds(100), // Table I
        by_status: false,
    },
    status: Status {
        missing: true,               // Table I
        periodic: milliseconds(400), // Table I
        periodic_while_idle: true,
        after_outage: false,
        prohibit: Span::ZERO,          // Table I
        missing_as: MissingAs::Bitmap, // named in monet08 §VI
        window: 0,
    },
    discard: Discard::AfterTransmissions, // Table I
    max_dat: 4,
    polls_count: true,
    mrw: Mrw { timer: milliseconds(500), ..ROBUST.mrw }, // Table I
    timer_starts: TimerStarts::HandOver,
    resend_in_flight: true,
    drop_stale_copies: false,
    piggyback: false, // Table I
    ..ROBUST
};

const UMTS_TWO_STATE: Settings = Settings {
    poll: Poll { last_retransmission: true, window: percent(80), ..UMTS_UNIFORM.poll }, // Table I
    status: Status { periodic: milliseconds(500), prohibit: milliseconds(90), ..UMTS_UNIFORM.status }, // Table I
    max_dat: 3,
    mrw: Mrw { timer: milliseconds(110), ..UMTS_UNIFORM.mrw }, // Table I
    ..UMTS_UNIFORM
};

impl Config {
    /// Whether PDUs are only as long as what they carry.
    fn is_flexible(&self) -> bool {
        self.flexible_pdu_size.unwrap_or(self.profile.settings().flexible)
    }

    /// What it comes to at one end.
    pub(super) fn settings(&self, side: Side) -> Settings {
        let profile = self.profile.settings();
        let downlink = self.pdu_size.map_or(profile.pdu_size, PduSize::octets);
        let uplink = self.uplink_pdu_size.map_or(downlink, PduSize::octets);
        let (pdu_size, peer) = match side {
            Side::AccessPoint => (downlink, uplink),
            Side::Client => (uplink, downlink),
        };
        let flexible = self.is_flexible();
        let discard = self.discard.unwrap_or(profile.discard);
        // By time alone: PDUs are sent again as often as it takes.
        let is_timed = matches!(discard, Discard::Timer { .. });
        let max_dat = self.retransmissions.map_or(profile.max_dat, |count| count.get() + 2);
        Settings {
            pdu_size,
            indicators: LengthIndicatorSize::for_amd(pdu_size),
            peer_indicators: LengthIndicatorSize::for_amd(peer),
            flexible,
            pad_control_pdus: !flexible && self.pad_control_pdus.unwrap_or(profile.pad_control_pdus),
            special_header_extension: self.special_header_extension.unwrap_or(profile.special_header_extension),
            wait_to_fill: self.wait_to_fill.unwrap_or(profile.wait_to_fill),
            pdus_below: self.pdus_below.map_or(profile.pdus_below, Count::as_usize),
            window: self.window.map_or(profile.window, Count::as_usize),
            poll: self.poll.over(profile.poll, flexible),
            status: self.status.over(profile.status),
            discard,
            max_dat: if is_timed { u16::MAX } else { max_dat },
            polls_count: self.polls_count.unwrap_or(profile.polls_count),
            mrw: Mrw {
                timer: self.mrw.timer.unwrap_or(profile.mrw.timer),
                most: self.mrw.most.map_or(profile.mrw.most, Count::get),
                name_each: self.mrw.name_each.unwrap_or(profile.mrw.name_each),
            },
            reset: Reset {
                timer: self.reset.timer.unwrap_or(profile.reset.timer),
                most: self.reset.most.map_or(profile.reset.most, Count::get),
            },
            timer_starts: self.timer_starts.unwrap_or(profile.timer_starts),
            resend_in_flight: self.resend_in_flight.unwrap_or(profile.resend_in_flight),
            round_trip: self.round_trip.unwrap_or(profile.round_trip),
            drop_stale_copies: self.drop_stale_copies.unwrap_or(profile.drop_stale_copies),
            piggyback: self.piggyback.unwrap_or(profile.piggyback),
            buffer: self.buffer.map_or(profile.buffer, NonZeroUsize::get),
        }
    }
}

impl PollConfig {
    fn over(&self, profile: Poll, flexible: bool) -> Poll {
        Poll {
            last_pdu: self.last_pdu.unwrap_or(profile.last_pdu),
            last_retransmission: self.last_retransmission.unwrap_or(profile.last_retransmission),
            timer: self.timer.unwrap_or(profile.timer),
            every_pdus: self.every_pdus.map_or(profile.every_pdus, Count::get),
            every_sdus: self.every_sdus.map_or(profile.every_sdus, Count::get),
            window: self.window.unwrap_or(profile.window),
            periodic: self.periodic.unwrap_or(profile.periodic),
            prohibit: self.prohibit.unwrap_or(profile.prohibit),
            // §9.2.2.11.9 allows the super-field with flexible sizes alone.
            by_status: flexible && self.by_status.unwrap_or(profile.by_status),
        }
    }
}

impl StatusConfig {
    fn over(&self, profile: Status) -> Status {
        Status {
            missing: self.missing.unwrap_or(profile.missing),
            periodic: self.periodic.unwrap_or(profile.periodic),
            periodic_while_idle: self.periodic_while_idle.unwrap_or(profile.periodic_while_idle),
            after_outage: self.after_outage.unwrap_or(profile.after_outage),
            prohibit: self.prohibit.unwrap_or(profile.prohibit),
            missing_as: self.missing_as.unwrap_or(profile.missing_as),
            window: self.window.map_or(profile.window, Count::get),
        }
    }
}

impl Service for Config {
    type End = AcknowledgedMode;

    const SHORT_FORMS: &'static [Form] = &[Form {
        name: "rlc",
        legend: "RLC",
        value: Value::Optional(ValueOf {
            key: "retransmissions",
            example: "2",
            means: "at most 2 retransmissions",
            pattern: "([0-9]|[1-5][0-9]|6[0-2])",
            unit: "",
        }),
    }];

    fn build(&self, side: Side) -> AcknowledgedMode {
        AcknowledgedMode::new(&self.settings(side))
    }

    fn named(&self, _: &str, value: Option<&str>) -> Option<Self> {
        let retransmissions = match value {
            None => self.retransmissions,
            Some("0") => Count::new(0),
            Some(digits) => Some(count(digits)?),
        };
        Some(Self { retransmissions, ..self.clone() })
    }
}
