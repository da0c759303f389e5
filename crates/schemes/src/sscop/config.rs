//! How SSCOP is set up. A configuration that parsed is valid.

use super::Sscop;
use super::connection::{Lengths, Parameters};
use arqway_arq::{Resequencing, Unordered};
use arqway_contract::{Bounded, End, LinkContext, SchemeName, Service, settings};
use arqway_units::{Span, positive_span};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

settings! {
    /// The settings of one end; both ends need the same `credit` if they are `established`, and the same `order-filter` and
    /// `overhead`.
    // The values of Q.2130 §7, which puts SSCOP to use, but for what binds where a link is better or worse than ATM's: polls are
    // 0.2 s apart, credit is plenty, and packets outlive their connection.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "SscopConfig"))]
    pub struct Config {
        /// The interval of polls while data are outstanding.
        #[serde(deserialize_with = "positive_span")]
        pub timer_poll: Span = Span::from_milliseconds(200),
        /// The interval of polls when everything sent is acknowledged, until an answer confirms it.
        #[serde(deserialize_with = "positive_span")]
        pub timer_keep_alive: Span = Span::from_milliseconds(2000),
        /// The time without an answer to polls after which the connection is released and established again.
        #[serde(deserialize_with = "positive_span")]
        pub timer_no_response: Span = Span::from_milliseconds(7000),
        /// The silence between polls once everything is acknowledged; 0: for ever.
        pub timer_idle: Span = Span::from_milliseconds(15_000),
        /// How long a request for a connection, its end or a recovery waits for its answer.
        #[serde(deserialize_with = "positive_span")]
        pub timer_cc: Span = Span::from_milliseconds(1000),
        /// The maximum number of such requests.
        pub max_cc: Bounded<1, 65_535> = const { Bounded::new(4).expect("not zero") },
        /// The maximum number of data PDUs between polls.
        pub max_pd: Bounded<1, 65_535> = const { Bounded::new(25).expect("not zero") },
        /// The maximum number of elements in a report of missing PDUs: odd, at least 3.
        pub max_stat: ListLength = ListLength(67),
        /// By how many packets the peer may be ahead of the packets delivered here.
        ///
        /// And this end ahead of those acknowledged, where the peer grants more: they are kept here.
        pub credit: Credit = Credit(16_384),
        /// Whether unacknowledged packets are dropped when a connection ends or restarts; otherwise they are sent again on
        /// the next one, and some may arrive twice.
        pub clear_buffers: bool = false,
        /// The order in which packets are released.
        pub resequencing: Resequencing = Resequencing::Full,
        /// Whether there is a poll after the last retransmission.
        pub poll_after_retransmission: bool = true,
        /// Whether a PDU that ends a connection and gives a reason has its S bit set.
        pub end_sets_s_bit: bool = false,
        /// The number of packets that may wait while the line accepts no more.
        ///
        /// Or for credit, or for a connection: all that were not sent yet.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
        /// Whether both ends start with an established connection.
        pub established: bool = false,
        /// Whether a filter hides duplicated and reordered frames from SSCOP.
        pub order_filter: bool = true,
        /// The maximum time by which a frame may arrive after one that was sent later.
        #[serde(deserialize_with = "positive_span")]
        pub longest_reordering: Span = Span::from_milliseconds(1000),
        /// The minimum overhead of a data frame in octets, besides the packet; missing octets are filled with zeros.
        pub overhead: Bounded<0, 18> = const { Bounded::new(0).expect("up to 18") },
    }
}

impl Config {
    /// What the standard's half of it is set up with.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        Parameters {
            timers: Lengths {
                cc: self.timer_cc,
                poll: self.timer_poll,
                keep_alive: self.timer_keep_alive,
                no_response: self.timer_no_response,
                idle: self.timer_idle,
            },
            max_cc: self.max_cc.get(),
            max_pd: self.max_pd.get().into(),
            max_stat: self.max_stat.0,
            credit: self.credit.0,
            clear_buffers: self.clear_buffers,
            resequencing: self.resequencing.clone(),
            poll_after_retransmission: self.poll_after_retransmission,
            end_sets_s_bit: self.end_sets_s_bit,
        }
    }
}

impl Service for Config {
    type End = End<Sscop>;

    /// With the order in which packets are released, as the rows of shikama06 §4 have them.
    const NAMES: &'static [SchemeName] = &[
        SchemeName::plain("sscop"),
        SchemeName::plain("sscop-full"),
        SchemeName::plain("sscop-pfrs"),
        SchemeName::plain("sscop-none"),
    ];

    fn build(&self, _: &LinkContext) -> Self::End {
        End::new(Sscop::new(self))
    }

    fn residual_loss(&self, _: f64) -> f64 {
        0.0
    }

    fn holds_back(&self) -> bool {
        self.resequencing.holds_back()
    }

    fn named(&self, name: &str, _: Option<&str>) -> Option<Self> {
        let resequencing = match name {
            "sscop-full" => Resequencing::Full,
            "sscop-pfrs" => Resequencing::PerFlow,
            // What goes with it is the world's to say.
            "sscop-none" => match &self.resequencing {
                none @ Resequencing::None(_) => none.clone(),
                _ => Resequencing::None(Unordered::default()),
            },
            _ => self.resequencing.clone(),
        };
        Some(Self { resequencing, ..self.clone() })
    }
}

/// How far one end may be ahead of the other: from 1 to one less than the modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct Credit(u32);

impl Credit {
    /// One less than there are numbers.
    pub const MAX: u32 = (1 << 24) - 1;

    /// So many packets, or `None` outside 1 to [`MAX`](Self::MAX).
    #[must_use]
    pub const fn new(packets: u32) -> Option<Self> {
        if 1 <= packets && packets <= Self::MAX { Some(Self(packets)) } else { None }
    }

    /// How many packets.
    #[must_use]
    pub const fn packets(self) -> u32 {
        self.0
    }
}

/// A credit that the numbers do not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a credit of {0} packets: expected 1 to {max}, one less than there are sequence numbers", max = Credit::MAX)]
pub struct CreditError(i64);

impl TryFrom<i64> for Credit {
    type Error = CreditError;
    fn try_from(packets: i64) -> Result<Self, CreditError> {
        u32::try_from(packets).ok().and_then(Self::new).ok_or(CreditError(packets))
    }
}

impl From<Credit> for i64 {
    fn from(credit: Credit) -> Self {
        credit.0.into()
    }
}

/// The maximum length of the list in a STAT PDU: an odd number of elements, at least 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 3, "maximum" = Self::MAX)))]
#[serde(try_from = "i64", into = "i64")]
pub struct ListLength(u16);

impl ListLength {
    /// What a frame of 64 KiB has room for.
    pub const MAX: u16 = 16_379;

    /// So many elements, or `None` where they are even, fewer than 3 or more than [`MAX`](Self::MAX).
    #[must_use]
    pub const fn new(elements: u16) -> Option<Self> {
        if 3 <= elements && elements <= Self::MAX && elements % 2 == 1 { Some(Self(elements)) } else { None }
    }
}

/// A list's length that the standard does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a list of {0} numbers: expected an odd number from 3 to {max}", max = ListLength::MAX)]
pub struct ListLengthError(i64);

impl TryFrom<i64> for ListLength {
    type Error = ListLengthError;
    fn try_from(elements: i64) -> Result<Self, ListLengthError> {
        u16::try_from(elements).ok().and_then(Self::new).ok_or(ListLengthError(elements))
    }
}

impl From<ListLength> for i64 {
    fn from(length: ListLength) -> Self {
        length.0.into()
    }
}
