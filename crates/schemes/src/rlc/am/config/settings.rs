//! What a configuration comes to at one end, and the parameter sets that it is laid over.

use super::{Config, Discard, MissingAs, Mrw, PduSize, Poll, Profile, Reset, Status};
use crate::rlc::pdu::LengthIndicatorSize;
use arqway_arq::TimerStarts;
use arqway_contract::{Bounded, Side};
use arqway_units::{Ratio, Span};
use core::num::NonZeroUsize;

/// What a configuration comes to at one end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::rlc::am) struct Settings {
    /// Of the PDUs that this end sends.
    pub(in crate::rlc::am) pdu_size: usize,
    pub(in crate::rlc::am) indicators: LengthIndicatorSize,
    /// Of those that it receives.
    pub(in crate::rlc::am) peer_indicators: LengthIndicatorSize,
    pub(in crate::rlc::am) flexible: bool,
    pub(in crate::rlc::am) pad_control_pdus: bool,
    pub(in crate::rlc::am) special_header_extension: bool,
    pub(in crate::rlc::am) wait_to_fill: Span,
    pub(in crate::rlc::am) pdus_below: usize,
    pub(in crate::rlc::am) window: usize,
    pub(in crate::rlc::am) poll: Poll,
    pub(in crate::rlc::am) status: Status,
    pub(in crate::rlc::am) discard: Discard,
    pub(in crate::rlc::am) max_dat: u16,
    pub(in crate::rlc::am) polls_count: bool,
    pub(in crate::rlc::am) mrw: Mrw,
    pub(in crate::rlc::am) reset: Reset,
    pub(in crate::rlc::am) timer_starts: TimerStarts,
    pub(in crate::rlc::am) resend_in_flight: bool,
    pub(in crate::rlc::am) round_trip: Span,
    pub(in crate::rlc::am) drop_stale_copies: bool,
    pub(in crate::rlc::am) piggyback: bool,
    pub(in crate::rlc::am) in_sequence: bool,
    pub(in crate::rlc::am) buffer: usize,
}

const fn milliseconds(count: u64) -> Span {
    Span::from_milliseconds(count)
}

const fn count<const LEAST: u16, const MOST: u16>(count: u16) -> Bounded<LEAST, MOST> {
    Bounded::new(count).expect("a number between the bounds")
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
        every_pdus: count(32),
        every_sdus: count(0),
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
        window: count(0),
    },
    discard: Discard::AfterTransmissions,
    max_dat: 10,
    polls_count: false,
    mrw: Mrw { timer: milliseconds(300), most: count(32), name_each: false },
    reset: Reset { timer: milliseconds(500), most: count(8) },
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
        every_pdus: count(0),       // Table I
        every_sdus: count(0),       // Table I
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
        window: count(0),
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
    pub(in crate::rlc::am) fn settings(&self, side: Side) -> Settings {
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
        let poll = self.poll.over(profile.poll);
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
            poll: Poll { by_status: flexible && poll.by_status, ..poll },
            status: self.status.over(profile.status),
            discard,
            max_dat: if is_timed { u16::MAX } else { max_dat },
            polls_count: self.polls_count.unwrap_or(profile.polls_count),
            mrw: self.mrw.over(profile.mrw),
            reset: self.reset.over(profile.reset),
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
