//! What may wait in a class's queue, as a file has it.
//!
//! ```toml
//! queue = { half-round-trips = 2, drop-from-front = true, fair = { between = "flows" }, codel = { target = "5 ms" } }
//! queue = { half-round-trips = 2, l4s = { step = "1 ms", target = "15 ms" } }
//! ```

use arqway_units::{Span, optional_positive_span, positive_span};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// How much may wait in a class's queue; where one of these is exceeded, a packet is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClassQueue"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QueueLimits {
    /// The number of packets that may wait.
    pub packets: NonZeroUsize,
    /// The octets that may wait; unlimited by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub octets: Option<NonZeroUsize>,
    /// How long a packet may wait, in the queue or in a service that discards by age; unlimited by default.
    #[serde(deserialize_with = "optional_positive_span", skip_serializing_if = "Option::is_none")]
    pub time: Option<Span>,
    /// As much as the link carries in so many halves of a round trip may wait, at least ten packets: under a bearer that has a
    /// pace and so knows how much that is, this is the limit instead of `packets`. Where the service sends frames again that
    /// are lost, a round trip is what it takes until all frames of one have arrived. A burst that is not TCP's, and finds the queue
    /// empty, may be as long as 200 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_round_trips: Option<NonZeroUsize>,
    /// Whether a full queue drops the packets that have waited longest, not the one that comes. The least queue of
    /// `half_round_trips`, of ten packets, drops the one that comes all the same.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub drop_from_front: bool,
    /// Whether an acknowledgement of TCP takes the place of one in front of it that says no more.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub ack_filter: bool,
    /// A queue for each flow, which take turns; without it all packets wait in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fair: Option<Fair>,
    /// Drops or marks packets before the queue is full, so that none stands: `CoDel`, of each flow where these have queues of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codel: Option<Codel>,
    /// Marks packets with ECT(1) as soon as they have waited, for ends that heed each mark (L4S, RFC 9330): in a queue of their own that is
    /// coupled with that of all others (RFC 9332); with `fair`, in the queues of their flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l4s: Option<L4s>,
}

impl Default for QueueLimits {
    /// As many packets as services may hold themselves.
    fn default() -> Self {
        Self {
            packets: const { NonZeroUsize::new(256).expect("not zero") },
            octets: None,
            time: None,
            half_round_trips: None,
            drop_from_front: false,
            ack_filter: false,
            fair: None,
            codel: None,
            l4s: None,
        }
    }
}

impl QueueLimits {
    /// What of it says two things at once, or nothing.
    pub(in crate::mux) fn fault(&self) -> Option<QueueFault> {
        match self.l4s? {
            L4s { target: Some(_), .. } if self.fair.is_some() => Some(QueueFault::TargetWithFair),
            _ if self.codel.is_some() && self.fair.is_none() => Some(QueueFault::TwoRules),
            _ => None,
        }
    }
}

/// What of a queue says two things at once, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueueFault {
    /// Two rules by which packets of one queue are dropped.
    #[error(
        "a queue with both `codel` and `l4s`; expected one of them, or `fair`, with which `codel` is for those without ECT(1)"
    )]
    TwoRules,
    /// A target for a queue that there is not.
    #[error(
        "`l4s.target` beside `fair`, where nobody waits in a queue beside those with ECT(1); expected `step` alone, and `codel` for the others"
    )]
    TargetWithFair,
}

/// Flows in queues of their own, which take turns by deficit round robin; those first that come anew (RFC 8290).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FairQueue"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fair {
    /// Who has equal shares.
    pub between: Between,
    /// The octets that each may send in a turn.
    pub quantum: NonZeroUsize,
    /// How many flows have queues of their own at once, at most; further ones share those of others.
    pub queues: Queues,
}

impl Default for Fair {
    /// The packet of an Ethernet, and as many queues as Linux has.
    fn default() -> Self {
        Self {
            between: Between::Flows,
            quantum: const { NonZeroUsize::new(1514).expect("not zero") },
            queues: const { Queues::new(1024).expect("a multiple of 8") },
        }
    }
}

/// Who has equal shares of what a class has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Between {
    /// Flows: addresses, protocol and ports.
    #[default]
    Flows,
    /// The hosts that send, and the flows of each: at the end of a boat, or of a bus.
    Sources,
    /// The hosts that receive, and the flows of each: at the other end.
    Destinations,
}

/// A number of queues: a multiple of 8, from 8 to 32,768.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub struct Queues(usize);

impl Queues {
    /// So many; `None` if there are not so many.
    #[must_use]
    pub const fn new(queues: usize) -> Option<Self> {
        if queues >= 8 && queues <= 32_768 && queues.is_multiple_of(8) { Some(Self(queues)) } else { None }
    }

    /// How many.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

impl From<Queues> for usize {
    fn from(queues: Queues) -> Self {
        queues.0
    }
}

/// Another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} queues; expected a multiple of 8 from 8 to 32768")]
pub struct QueuesError(usize);

impl TryFrom<usize> for Queues {
    type Error = QueuesError;

    fn try_from(queues: usize) -> Result<Self, QueuesError> {
        Self::new(queues).ok_or(QueuesError(queues))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Queues {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Queues".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": 8, "maximum": 32768, "multipleOf": 8 })
    }
}

/// When a queue stands (RFC 8289). Under a bearer that has a pace both are longer where the round trip is that long, also with recovery:
/// the interval is no less than it, the target no less than a twentieth of that, and than one and a half packets take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Codel {
    /// How long packets may wait all the time.
    #[serde(deserialize_with = "positive_span")]
    pub target: Span,
    /// How long they may wait longer than that.
    #[serde(deserialize_with = "positive_span")]
    pub interval: Span,
}

impl Default for Codel {
    /// Those of RFC 8289, Section 4.
    fn default() -> Self {
        Self { target: Span::from_milliseconds(5), interval: Span::from_milliseconds(100) }
    }
}

/// How long packets wait before they are marked whose ends say ECT(1); and how long others do in the queue beside theirs. Under a bearer that
/// has a pace neither is less than two largest packets take, and the target grows with a round trip beyond 100 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct L4s {
    /// Those with ECT(1) are marked where they have waited longer.
    #[serde(deserialize_with = "positive_span")]
    pub step: Span,
    /// What others wait, about; 15 ms by default. Not with `fair`, where each flow waits in its own queue.
    #[serde(deserialize_with = "optional_positive_span", skip_serializing_if = "Option::is_none")]
    pub target: Option<Span>,
}

impl Default for L4s {
    /// The step of RFC 9332, Appendix A.
    fn default() -> Self {
        Self { step: Span::from_milliseconds(1), target: None }
    }
}
