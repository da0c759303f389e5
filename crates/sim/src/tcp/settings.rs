//! What differs between TCPs of one kind but different years: profiles, and each setting by itself.
//!
//! | profile | what it is |
//! | --- | --- |
//! | `papers` | what fits the papers that speak of "10 ms granularity timers": RFC 2988's timeouts, no limited transmit, no handshake |
//! | `ns235` | the defaults of ns-2 2.35 |
//! | `ns235-minrto1` | the same with RFC 2988's minimum timeout of 1 s |
//! | `pre2004` | ns-2 as it was before four defaults changed in 2004 to 2006 |
//! | `today` | what hosts speak in the 2020s: SACK, RACK-TLP, CUBIC, ten packets at the start, delayed acknowledgements |

use crate::count_setting::count_setting;
use arqway_units::{Span, optional_positive_span, positive_span};
use serde::{Deserialize, Serialize};

/// The year or implementation of TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The TCP that matches the papers.
    #[default]
    Papers,
    /// The defaults of ns-2 2.35.
    Ns235,
    /// The same, with a minimum timeout of 1 s.
    #[serde(rename = "ns235-minrto1")]
    Ns235Minrto1,
    /// ns-2 before 2004.
    Pre2004,
    /// What hosts use in the 2020s.
    Today,
}

/// How a sender detects losses without its timer, and recovers from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// One loss per window: any new acknowledgement ends recovery (RFC 5681).
    #[default]
    Reno,
    /// Several losses per window: a partial acknowledgement sends the next missing packet (RFC 6582).
    #[serde(rename = "newreno")]
    NewReno,
    /// The receiver reports which packets it has; a packet counts as lost when three later ones have arrived (RFC 2018,
    /// 2883, 6675).
    Sack,
    /// The same, but a packet counts as lost when one that was sent sufficiently later has arrived, and a probe detects
    /// tail losses (RFC 8985).
    RackTlp,
}

impl Variant {
    /// Whether the receiver tells which packets it has.
    pub(crate) fn is_selective(self) -> bool {
        matches!(self, Self::Sack | Self::RackTlp)
    }
}

/// How the congestion window grows and shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CongestionControl {
    /// It grows by one packet per round trip and is halved after a loss (RFC 5681).
    #[default]
    Reno,
    /// It grows as a cubic function of the time since the last loss and shrinks by three tenths after a loss (RFC
    /// 9438).
    Cubic,
}

/// When a receiver acknowledges packets that arrive in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Acknowledgements {
    /// Every packet at once.
    #[default]
    EveryPacket,
    /// Every second packet, or a single packet after a delay (RFC 9293 §3.8.6.3).
    Delayed(DelayedAcknowledgements),
}

/// Settings of delayed acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DelayedAcknowledgements {
    /// The longest time for which a packet waits for a second one.
    #[serde(deserialize_with = "positive_span")]
    pub delay: Span,
}

/// When a receiver sends duplicate acknowledgements for packets that arrive out of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateAcknowledgements {
    /// At once (RFC 5681 §3.2).
    #[default]
    AtOnce,
    /// The first two at once; later ones after a delay, unless the missing packet arrives in the meantime.
    Delayed(DelayedDuplicates),
}

/// Settings of delayed duplicate acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DelayedDuplicates {
    /// How long the third and all that follow are held.
    #[serde(deserialize_with = "positive_span")]
    pub delay: Span,
}

/// What TCP does when it is notified of an outage of the wireless link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnHints {
    /// It ignores the notification.
    #[default]
    Ignore,
    /// It freezes until the link is back: its timers stop, and the sender sends nothing.
    Freeze,
}

/// A profile, and a world's changes to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TcpConfig {
    /// The parameter set for all settings that are not given here.
    pub profile: Profile,
    /// How losses are detected and recovered from.
    pub variant: Option<Variant>,
    /// How the congestion window grows and shrinks.
    pub congestion_control: Option<CongestionControl>,
    /// The length of a clock tick: round-trip times are measured in whole ticks.
    #[serde(deserialize_with = "optional_positive_span")]
    pub tick: Option<Span>,
    /// The minimum timeout.
    pub minimum_timeout: Option<Span>,
    /// The timeout before the first round-trip sample.
    #[serde(deserialize_with = "optional_positive_span")]
    pub initial_timeout: Option<Span>,
    /// The initial congestion window, in packets.
    pub initial_window: Option<PacketWindow>,
    /// The receiver's window: the maximum number of outstanding packets.
    pub maximum_window: Option<PacketWindow>,
    /// Whether a connection starts with a SYN exchange.
    pub handshake: Option<bool>,
    /// Whether each of the first two duplicate acknowledgements sends a new packet (RFC 3042).
    pub limited_transmit: Option<bool>,
    /// Whether a halved window keeps its fraction.
    pub exact_halving: Option<bool>,
    /// When the receiver acknowledges packets that arrive in order.
    pub acknowledgements: Option<Acknowledgements>,
    /// When the receiver sends duplicate acknowledgements for packets that arrive out of order.
    pub duplicate_acknowledgements: DuplicateAcknowledgements,
    /// The maximum number of packets that the window releases at once; unlimited by default.
    pub maximum_burst: Option<PacketWindow>,
    /// Whether the packets of a window are spread over a smoothed round-trip time.
    pub pacing: bool,
    /// What TCP does about an announced outage of the wireless link.
    pub on_hints: OnHints,
    /// The phase of the sender's clock tick at the start; by default, drawn for each replication.
    pub clock_phase: Option<Span>,
}

// 32,767 packets of 65,000 octets are fewer than 2^31.
count_setting! {
    /// A window, or a part of one, in packets: at least one, and within half of TCP's sequence number space.
    PacketWindow(u32), 32_767 "packets",
    /// A number of packets that TCP cannot have outstanding.
    PacketWindowError
}

/// Every setting of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How losses are detected and recovered from.
    pub variant: Variant,
    /// How the congestion window grows and shrinks.
    pub congestion_control: CongestionControl,
    /// Length of a clock tick.
    pub tick: Span,
    /// The minimum timeout.
    pub minimum_timeout: Span,
    /// No timeout is longer, however often it was doubled (RFC 2988 §2.5).
    pub maximum_timeout: Span,
    /// The timeout before the first sample.
    pub initial_timeout: Span,
    /// The initial congestion window, in packets.
    pub initial_window: u32,
    /// No more packets are ever outstanding.
    pub maximum_window: u32,
    /// A SYN goes first.
    pub handshake: bool,
    /// RFC 3042.
    pub limited_transmit: bool,
    /// Half a window keeps its fraction.
    pub exact_halving: bool,
    /// When packets in order are answered.
    pub acknowledgements: Acknowledgements,
    /// When packets that come before the awaited one are answered.
    pub duplicate_acknowledgements: DuplicateAcknowledgements,
    /// How many packets the window lets out at once, if not any number.
    pub maximum_burst: Option<u32>,
    /// The packets of a window are spread over a round-trip time.
    pub pacing: bool,
}

impl Profile {
    fn settings(self) -> Settings {
        let papers = Settings {
            variant: Variant::Reno,
            congestion_control: CongestionControl::Reno,
            tick: Span::from_milliseconds(10),
            minimum_timeout: Span::from_milliseconds(1000),
            maximum_timeout: Span::from_milliseconds(60_000),
            initial_timeout: Span::from_milliseconds(3000),
            initial_window: 2,
            maximum_window: 20,
            handshake: false,
            limited_transmit: false,
            exact_halving: true,
            acknowledgements: Acknowledgements::EveryPacket,
            duplicate_acknowledgements: DuplicateAcknowledgements::AtOnce,
            maximum_burst: None,
            pacing: false,
        };
        let ns235_minrto1 = Settings { handshake: true, limited_transmit: true, ..papers };
        match self {
            Self::Papers => papers,
            Self::Ns235Minrto1 => ns235_minrto1,
            Self::Ns235 => Settings { minimum_timeout: Span::from_milliseconds(200), ..ns235_minrto1 },
            Self::Pre2004 => {
                Settings { initial_timeout: Span::from_milliseconds(6000), exact_halving: false, ..ns235_minrto1 }
            }
            // What each stands for: docs/applications.md.
            Self::Today => Settings {
                variant: Variant::RackTlp,
                congestion_control: CongestionControl::Cubic,
                tick: Span::from_milliseconds(1),
                minimum_timeout: Span::from_milliseconds(200),
                initial_timeout: Span::from_milliseconds(1000),
                initial_window: 10,
                acknowledgements: Acknowledgements::Delayed(DelayedAcknowledgements {
                    delay: Span::from_milliseconds(40),
                }),
                ..ns235_minrto1
            },
        }
    }
}

impl TcpConfig {
    /// The profile with the changes made.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let profile = self.profile.settings();
        let minimum_timeout = self.minimum_timeout.unwrap_or(profile.minimum_timeout);
        Settings {
            variant: self.variant.unwrap_or(profile.variant),
            congestion_control: self.congestion_control.unwrap_or(profile.congestion_control),
            tick: self.tick.unwrap_or(profile.tick),
            minimum_timeout,
            maximum_timeout: profile.maximum_timeout.max(minimum_timeout),
            initial_timeout: self.initial_timeout.unwrap_or(profile.initial_timeout),
            initial_window: self.initial_window.map_or(profile.initial_window, PacketWindow::get),
            maximum_window: self.maximum_window.map_or(profile.maximum_window, PacketWindow::get),
            handshake: self.handshake.unwrap_or(profile.handshake),
            limited_transmit: self.limited_transmit.unwrap_or(profile.limited_transmit),
            exact_halving: self.exact_halving.unwrap_or(profile.exact_halving),
            acknowledgements: self.acknowledgements.unwrap_or(profile.acknowledgements),
            duplicate_acknowledgements: self.duplicate_acknowledgements,
            maximum_burst: self.maximum_burst.map(PacketWindow::get),
            pacing: self.pacing,
        }
    }
}
