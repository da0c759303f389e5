//! Ready-made classes, for those who would rather not write their own. They come after the classes that are written out,
//! which are the exceptions to them.
//!
//! **Best effort** (multiservice, Section VII): a network that says nothing of its packets, so that they are told by their
//! protocols and well-known ports.
//!
//! | packets | service | why |
//! | --- | --- | --- |
//! | TCP, SCTP | reliable | a loss is taken for congestion, and slows them down |
//! | UDP: DNS, TFTP, SNMP, syslog, RADIUS, NFS, SIP, CoAP | reliable | a question and its answer: whoever waits for a timer waits for seconds |
//! | UDP: QUIC (443) | reliable | as TCP |
//! | UDP: RTP (5004-5005, 16384-32767), STUN and TURN (3478-3481), IAX (4569), Zoom (8801-8810), Meet (19302-19309) | low delay | what comes late is lost |
//! | DNS, and the first segments of TCP unless it is `split`, where `rlp` is for low delay and has `copy-after` | low delay | a second copy is there before a request for it |
//! | ICMP and ICMPv6 with `watch` | low delay | an error that is lost is waited for, and nobody asks for it again |
//! | UDP with `watch`: what says EF, VA, AF4x or CS4; RTP on any port; small packets that come steadily | low delay | a call or a game, whatever its port |
//! | all else | default | a wrong guess is worse than none |
//!
//! **Differentiated Services** (Section VIII): each class is divided by one more bit of the DS field. With the bit set a packet
//! wants to arrive, whatever its class; with the bit clear the classes for conversations (EF, VA, AF4x, CS4: RFC 4594,
//! Section 2.3) want to arrive soon, and the others want nothing in particular. Bit 0 is free in nearly all codepoints that
//! have a meaning (RFC 2474, Section 6: pool 1 is `xxxxx0`), so it is the one unless another is set.

use super::rates::Allocation;
use super::rule::Rule;
use crate::registry::ServiceConfig;
use alloc::vec::Vec;
use arqway_ip::{Ds, Ports, Protocol};
use serde::{Deserialize, Serialize};

/// Ready-made classes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClassTable"))]
#[serde(rename_all = "kebab-case")]
pub enum Table {
    /// None.
    #[default]
    None,
    /// By protocol and well-known port.
    BestEffort(BestEffort),
    /// By the DS field, one bit of which asks for reliable delivery.
    DifferentiatedServices(DifferentiatedServices),
}

/// Classes by protocol and well-known port.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BestEffort {
    /// The service for TCP and for UDP requests and replies; by default, the default service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reliable: Option<ServiceConfig>,
    /// The service for voice and video; by default, the default service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_delay: Option<ServiceConfig>,
    /// Whether flows of UDP on other ports are told by what they do, and by their codepoint: RTP on any port, small packets that come
    /// steadily, and what EF, VA, AF4x or CS4 says want low delay, too; so do ICMP and `ICMPv6`.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub watch: bool,
    /// Whether TCP ends at both ends of the link where it goes by `reliable`, which has to be `tally` without `persistence`.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub split: bool,
}

/// Classes by the DS field.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DifferentiatedServices {
    /// The service for packets with the subclass bit; by default, the default service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reliable: Option<ServiceConfig>,
    /// The service for EF, VA, AF4x and CS4 without that bit; by default, the default service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_delay: Option<ServiceConfig>,
    /// The bit of the codepoint that asks for reliable delivery: 0 is the lowest, 5 the highest.
    pub subclass_bit: SubclassBit,
    /// The rate reserved for each codepoint; a service gets the sum of its codepoints.
    pub allocations: Vec<DsAllocation>,
}

/// The rate reserved for a codepoint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DsAllocation {
    /// The codepoint.
    pub ds: Ds,
    /// A rate, or a share of the link.
    pub rate: Allocation,
}

/// A bit of a codepoint, in \[0, 5\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "u8", into = "u8")]
pub struct SubclassBit(u8);

/// A bit that a codepoint does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("bit {0} of six; expected 0, the lowest, to 5")]
pub struct SubclassBitError(u8);

impl TryFrom<u8> for SubclassBit {
    type Error = SubclassBitError;
    fn try_from(bit: u8) -> Result<Self, SubclassBitError> {
        if bit < 6 { Ok(Self(bit)) } else { Err(SubclassBitError(bit)) }
    }
}

impl From<SubclassBit> for u8 {
    fn from(bit: SubclassBit) -> Self {
        bit.0
    }
}

/// What a packet wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// To arrive.
    Reliable,
    /// To arrive soon.
    LowDelay,
}

impl Table {
    /// The services that it brings.
    pub(super) fn service(&self, want: Want) -> Option<&ServiceConfig> {
        let (reliable, low_delay) = match self {
            Self::None => return None,
            Self::BestEffort(table) => (&table.reliable, &table.low_delay),
            Self::DifferentiatedServices(table) => (&table.reliable, &table.low_delay),
        };
        match want {
            Want::Reliable => reliable.as_ref(),
            Want::LowDelay => low_delay.as_ref(),
        }
    }

    /// Whether flows that no rule knows are told by what they do.
    pub(super) fn watches(&self) -> bool {
        matches!(self, Self::BestEffort(BestEffort { watch: true, .. }))
    }

    /// Whether its service for low delay sends packets that stand alone twice, and that for reliable delivery is another.
    pub(super) fn copies(&self) -> bool {
        let Self::BestEffort(BestEffort { reliable: Some(_), low_delay: Some(ServiceConfig::Rlp(rlp)), .. }) = self
        else {
            return false;
        };
        rlp.copy_after.is_some()
    }

    /// Whether TCP ends at both ends of the link where it goes by the reliable service.
    pub(super) fn splits(&self) -> bool {
        matches!(self, Self::BestEffort(BestEffort { split: true, .. }))
    }

    /// Its rules, in order.
    pub(super) fn rules(&self) -> Vec<(Rule, Want)> {
        match self {
            Self::None => Vec::new(),
            Self::BestEffort(table) => best_effort(table.watch),
            Self::DifferentiatedServices(table) => {
                (0..64).filter_map(Ds::new).filter_map(|ds| Some((Rule::of_ds(ds), table.want(ds)?))).collect()
            }
        }
    }

    /// What is set aside, and for what.
    pub(super) fn allocations(&self) -> impl Iterator<Item = (Option<Want>, Allocation)> {
        let table = match self {
            Self::None | Self::BestEffort(_) => None,
            Self::DifferentiatedServices(table) => Some(table),
        };
        table.into_iter().flat_map(|table| table.allocations.iter().map(|of| (table.want(of.ds), of.rate)))
    }
}

impl DifferentiatedServices {
    /// What packets with this codepoint want, if they want anything in particular.
    fn want(&self, ds: Ds) -> Option<Want> {
        if ds.number() >> self.subclass_bit.0 & 1 == 1 {
            return Some(Want::Reliable);
        }
        FOR_CONVERSATIONS.contains(&ds.number()).then_some(Want::LowDelay)
    }
}

/// EF, VA, AF41, AF42, AF43, CS4.
const FOR_CONVERSATIONS: [u8; 6] = [46, 44, 34, 36, 38, 32];

/// Questions and their answers, and QUIC.
const RELIABLE_PORTS: [(u16, u16); 9] =
    [(53, 53), (69, 69), (161, 162), (443, 443), (514, 514), (1812, 1813), (2049, 2049), (5060, 5061), (5683, 5684)];

/// Voice and video. The range of RTP is wide, so all others come before it.
const LOW_DELAY_PORTS: [(u16, u16); 6] =
    [(3478, 3481), (4569, 4569), (5004, 5005), (8801, 8810), (19302, 19309), (16384, 32767)];

fn best_effort(watch: bool) -> Vec<(Rule, Want)> {
    let by_port = |(first, last), want| {
        Ports::range(first, last).map(|port| (Rule { port: Some(port), ..Rule::of_protocol(Protocol::UDP) }, want))
    };
    let mut rules = alloc::vec![
        (Rule::of_protocol(Protocol::TCP), Want::Reliable),
        (Rule::of_protocol(Protocol::SCTP), Want::Reliable),
    ];
    if watch {
        let said = FOR_CONVERSATIONS.into_iter().filter_map(Ds::new);
        rules.extend([Protocol::ICMP, Protocol::ICMPV6].map(|icmp| (Rule::of_protocol(icmp), Want::LowDelay)));
        rules.extend(said.map(|ds| (Rule { ds: Some(ds), ..Rule::of_protocol(Protocol::UDP) }, Want::LowDelay)));
    }
    rules.extend(RELIABLE_PORTS.into_iter().filter_map(|ports| by_port(ports, Want::Reliable)));
    rules.extend(LOW_DELAY_PORTS.into_iter().filter_map(|ports| by_port(ports, Want::LowDelay)));
    rules
}
