//! What differs between TCPs of one kind but different years: profiles, and each setting by itself.
//!
//! | profile | what it is |
//! | --- | --- |
//! | `papers` | what fits the papers that speak of "10 ms granularity timers": RFC 2988's timeouts, no limited transmit, no handshake |
//! | `ns235` | the defaults of ns-2 2.35 |
//! | `ns235-minrto1` | the same with RFC 2988's minimum timeout of 1 s |
//! | `pre2004` | ns-2 as it was before four defaults changed in 2004 to 2006 |
//! | `today` | what hosts speak in the 2020s: SACK, RACK-TLP, CUBIC, ten packets at the start, delayed acknowledgements |

use arqway_units::{Span, optional_positive_span, positive_span};
use serde::{Deserialize, Serialize};

/// A TCP by the year it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// What fits the papers.
    #[default]
    Papers,
    /// The defaults of ns-2 2.35.
    Ns235,
    /// The same with a minimum timeout of 1 s.
    #[serde(rename = "ns235-minrto1")]
    Ns235Minrto1,
    /// ns-2 before 2004.
    Pre2004,
    /// What hosts speak in the 2020s.
    Today,
}

/// How a sender learns of losses, other than by its timer, and recovers from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// One loss a window: any new acknowledgement ends the recovery (RFC 5681).
    #[default]
    Reno,
    /// Several: an acknowledgement of a part sends the next missing packet (RFC 6582).
    #[serde(rename = "newreno")]
    NewReno,
    /// The receiver tells which packets it has; one is lost when three behind it have arrived (RFC 2018, 2883, 6675).
    Sack,
    /// The same, but one is lost when another that was sent sufficiently later has arrived, and a probe tells of losses at
    /// the end (RFC 8985).
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
    /// By a packet a round trip, and by half at a loss (RFC 5681).
    #[default]
    Reno,
    /// By a cubic function of the time since the last loss, and by three tenths at a loss (RFC 9438).
    Cubic,
}

/// When a receiver answers packets that come in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Acknowledgements {
    /// Each as it comes.
    #[default]
    EveryPacket,
    /// Every second one, or one that waited for a second for long enough (RFC 9293 §3.8.6.3).
    Delayed(DelayedAcknowledgements),
}

/// Settings of delayed acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DelayedAcknowledgements {
    /// How long a packet waits for a second at most.
    #[serde(deserialize_with = "positive_span")]
    pub delay: Span,
}

/// When a receiver answers packets that come before the one it awaits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateAcknowledgements {
    /// As they come (RFC 5681 §3.2).
    #[default]
    AtOnce,
    /// The first two as they come, later ones when the awaited packet has not come meanwhile.
    Delayed(DelayedDuplicates),
}

/// Settings of delayed duplicate acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DelayedDuplicates {
    /// How long the third is held, and with it all that follow it.
    #[serde(deserialize_with = "positive_span")]
    pub delay: Span,
}

/// What TCP does when it is told that the wireless link goes for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnHints {
    /// What it always does.
    #[default]
    Ignore,
    /// Nothing, until there is a link again: its timers stand still, and the sender sends nothing.
    Freeze,
}

/// A profile, and what a world changes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TcpConfig {
    /// Where every setting not given here comes from.
    pub profile: Profile,
    /// How losses are learnt of and recovered from.
    pub variant: Option<Variant>,
    /// How the congestion window grows and shrinks.
    pub congestion_control: Option<CongestionControl>,
    /// Length of a clock tick: round-trip times are measured in whole ticks.
    #[serde(deserialize_with = "optional_positive_span")]
    pub tick: Option<Span>,
    /// No timeout is shorter.
    pub minimum_timeout: Option<Span>,
    /// The timeout before the first round-trip time was measured.
    #[serde(deserialize_with = "optional_positive_span")]
    pub initial_timeout: Option<Span>,
    /// The congestion window at the start, in packets.
    pub initial_window: Option<PacketWindow>,
    /// The receiver's window, in packets: no more are ever outstanding.
    pub maximum_window: Option<PacketWindow>,
    /// Whether a SYN is exchanged before the first data.
    pub handshake: Option<bool>,
    /// Whether the first two duplicate acknowledgements each send a new packet (RFC 3042).
    pub limited_transmit: Option<bool>,
    /// Whether half a window keeps its fraction.
    pub exact_halving: Option<bool>,
    /// When the receiver answers packets that come in order.
    pub acknowledgements: Option<Acknowledgements>,
    /// When the receiver answers packets that come before the one it awaits.
    pub duplicate_acknowledgements: DuplicateAcknowledgements,
    /// How many packets the window lets out at once at most; any number if it is not given.
    pub maximum_burst: Option<PacketWindow>,
    /// Whether the packets of a window are spread over a smoothed round-trip time.
    pub pacing: bool,
    /// What TCP does about an outage of the wireless link that it is told of.
    pub on_hints: OnHints,
    /// Where in its tick the sender's clock stands at the start; drawn for each replication if it is not given.
    pub clock_phase: Option<Span>,
}

/// A window, or a part of one, in packets: at least one, and so few that their octets stay within half of TCP's sequence numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct PacketWindow(u32);

impl PacketWindow {
    /// 32,767 packets of 65,000 octets are fewer than 2^31.
    pub const MAX: u32 = 32_767;

    /// A window of so many packets, or `None` outside 1 to [`MAX`](Self::MAX).
    #[must_use]
    pub fn new(packets: u32) -> Option<Self> {
        (1..=Self::MAX).contains(&packets).then_some(Self(packets))
    }

    /// How many packets.
    #[must_use]
    pub fn packets(self) -> u32 {
        self.0
    }
}

/// A number of packets that TCP cannot have outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} packets: expected 1 to {max}", max = PacketWindow::MAX)]
pub struct PacketWindowError(i64);

impl TryFrom<i64> for PacketWindow {
    type Error = PacketWindowError;
    fn try_from(packets: i64) -> Result<Self, PacketWindowError> {
        u32::try_from(packets).ok().and_then(Self::new).ok_or(PacketWindowError(packets))
    }
}

impl From<PacketWindow> for i64 {
    fn from(window: PacketWindow) -> Self {
        Self::from(window.0)
    }
}

/// Every setting of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How losses are learnt of and recovered from.
    pub variant: Variant,
    /// How the congestion window grows and shrinks.
    pub congestion_control: CongestionControl,
    /// Length of a clock tick.
    pub tick: Span,
    /// No timeout is shorter.
    pub minimum_timeout: Span,
    /// No timeout is longer, however often it was doubled (RFC 2988 §2.5).
    pub maximum_timeout: Span,
    /// The timeout before the first sample.
    pub initial_timeout: Span,
    /// The congestion window at the start, in packets.
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
            initial_window: self.initial_window.map_or(profile.initial_window, PacketWindow::packets),
            maximum_window: self.maximum_window.map_or(profile.maximum_window, PacketWindow::packets),
            handshake: self.handshake.unwrap_or(profile.handshake),
            limited_transmit: self.limited_transmit.unwrap_or(profile.limited_transmit),
            exact_halving: self.exact_halving.unwrap_or(profile.exact_halving),
            acknowledgements: self.acknowledgements.unwrap_or(profile.acknowledgements),
            duplicate_acknowledgements: self.duplicate_acknowledgements,
            maximum_burst: self.maximum_burst.map(PacketWindow::packets),
            pacing: self.pacing,
        }
    }
}
