//! What a configuration comes to at one end, and the parameter sets that it is laid over.

use super::{Config, Discard, MissingAs, PduSize, PollConfig, Profile, StatusConfig};
use crate::arq::TimerStarts;
use crate::contract::{Bounded, Side};
use crate::services::rlc::pdu::LengthIndicatorSize;
use arqway_units::{Ratio, Span};
use core::num::NonZeroUsize;

/// What a configuration comes to at one end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::services::rlc::am) struct Settings {
    /// Of the PDUs that this end sends.
    pub(in crate::services::rlc::am) pdu_size: usize,
    pub(in crate::services::rlc::am) indicators: LengthIndicatorSize,
    /// Of those that it receives.
    pub(in crate::services::rlc::am) peer_indicators: LengthIndicatorSize,
    pub(in crate::services::rlc::am) flexible: bool,
    pub(in crate::services::rlc::am) pad_control_pdus: bool,
    pub(in crate::services::rlc::am) special_header_extension: bool,
    pub(in crate::services::rlc::am) wait_to_fill: Span,
    pub(in crate::services::rlc::am) pdus_below: usize,
    pub(in crate::services::rlc::am) window: usize,
    pub(in crate::services::rlc::am) poll: Poll,
    pub(in crate::services::rlc::am) status: Status,
    pub(in crate::services::rlc::am) discard: Discard,
    pub(in crate::services::rlc::am) max_dat: u16,
    pub(in crate::services::rlc::am) polls_count: bool,
    pub(in crate::services::rlc::am) mrw: Mrw,
    pub(in crate::services::rlc::am) reset: Reset,
    pub(in crate::services::rlc::am) timer_starts: TimerStarts,
    pub(in crate::services::rlc::am) resend_in_flight: bool,
    pub(in crate::services::rlc::am) round_trip: Span,
    pub(in crate::services::rlc::am) drop_stale_copies: bool,
    pub(in crate::services::rlc::am) piggyback: bool,
    pub(in crate::services::rlc::am) in_sequence: bool,
    pub(in crate::services::rlc::am) buffer: usize,
}

/// Triggers of the polling function; zero is off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::services::rlc::am) struct Poll {
    pub(in crate::services::rlc::am) last_pdu: bool,
    pub(in crate::services::rlc::am) last_retransmission: bool,
    pub(in crate::services::rlc::am) timer: Span,
    pub(in crate::services::rlc::am) every_pdus: u16,
    pub(in crate::services::rlc::am) every_sdus: u16,
    pub(in crate::services::rlc::am) window: Ratio,
    pub(in crate::services::rlc::am) periodic: Span,
    pub(in crate::services::rlc::am) prohibit: Span,
    pub(in crate::services::rlc::am) by_status: bool,
}

/// Triggers of reports; zero is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::services::rlc::am) struct Status {
    pub(in crate::services::rlc::am) missing: bool,
    pub(in crate::services::rlc::am) periodic: Span,
    pub(in crate::services::rlc::am) periodic_while_idle: bool,
    pub(in crate::services::rlc::am) after_outage: bool,
    pub(in crate::services::rlc::am) prohibit: Span,
    pub(in crate::services::rlc::am) missing_as: MissingAs,
    pub(in crate::services::rlc::am) window: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::services::rlc::am) struct Mrw {
    pub(in crate::services::rlc::am) timer: Span,
    pub(in crate::services::rlc::am) most: u16,
    pub(in crate::services::rlc::am) name_each: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::services::rlc::am) struct Reset {
    pub(in crate::services::rlc::am) timer: Span,
    pub(in crate::services::rlc::am) most: u16,
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
    in_sequence: true,
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
    in_sequence: true,
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
    pub(super) fn is_flexible(&self) -> bool {
        self.flexible_pdu_size.unwrap_or(self.profile.settings().flexible)
    }

    /// What it comes to at one end.
    pub(in crate::services::rlc::am) fn settings(&self, side: Side) -> Settings {
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
            pdus_below: self.pdus_below.map_or(profile.pdus_below, Bounded::as_usize),
            window: self.window.map_or(profile.window, Bounded::as_usize),
            poll: self.poll.over(profile.poll, flexible),
            status: self.status.over(profile.status),
            discard,
            max_dat: if is_timed { u16::MAX } else { max_dat },
            polls_count: self.polls_count.unwrap_or(profile.polls_count),
            mrw: Mrw {
                timer: self.mrw.timer.unwrap_or(profile.mrw.timer),
                most: self.mrw.most.map_or(profile.mrw.most, Bounded::get),
                name_each: self.mrw.name_each.unwrap_or(profile.mrw.name_each),
            },
            reset: Reset {
                timer: self.reset.timer.unwrap_or(profile.reset.timer),
                most: self.reset.most.map_or(profile.reset.most, Bounded::get),
            },
            timer_starts: self.timer_starts.unwrap_or(profile.timer_starts),
            resend_in_flight: self.resend_in_flight.unwrap_or(profile.resend_in_flight),
            round_trip: self.round_trip.unwrap_or(profile.round_trip),
            drop_stale_copies: self.drop_stale_copies.unwrap_or(profile.drop_stale_copies),
            piggyback: self.piggyback.unwrap_or(profile.piggyback),
            in_sequence: self.in_sequence_delivery.unwrap_or(profile.in_sequence),
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
            every_pdus: self.every_pdus.map_or(profile.every_pdus, Bounded::get),
            every_sdus: self.every_sdus.map_or(profile.every_sdus, Bounded::get),
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
            window: self.window.map_or(profile.window, Bounded::get),
        }
    }
}
