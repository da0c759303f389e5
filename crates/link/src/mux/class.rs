//! Packets with the same needs, and who carries them, as a file has it:
//!
//! ```toml
//! classes = [
//!     { name = "voice", ds = "ef", service = "raw", rate = "1 Mbit/s" },
//!     { protocol = "udp", port = "5004-5020", with = "voice" },
//!     { source = "10.0.0.0/8", protocol = "tcp", service = "selective-repeat", carries = "2 Mbit/s" },
//!     { protocol = "icmp", with = "default" },
//! ]
//! ```

use super::queue::QueueLimits;
use super::rates::Allocation;
use super::rule::{Rule, RuleError};
use crate::registry::ServiceConfig;
use alloc::string::String;
use arqway_ip::{Addresses, Ds, FlowLabel, Ports, Protocol};
use arqway_units::BitRate;
use serde::{Deserialize, Serialize};

/// Packets with the same needs, and the service that carries them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Form", into = "Form")]
pub struct Class {
    /// How other classes call it.
    pub name: Option<String>,
    /// Which packets.
    pub rule: Rule,
    /// Who carries them.
    pub carrier: Carrier,
    /// What of the link is set aside for them, and for their recovery.
    pub rate: Option<Allocation>,
    /// How much of them is to arrive; their recovery comes on top.
    pub carries: Option<BitRate>,
    /// Where they wait for their service.
    pub queue: Option<QueueLimits>,
    /// Whether TCP ends at both ends of the link.
    pub split: bool,
}

/// Who carries the packets of a class.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a link has a handful of classes")]
pub enum Carrier {
    /// A service of their own.
    Service(ServiceConfig),
    /// The service of the class that is called so, or the [default](DEFAULT) one.
    With(String),
}

/// How classes call the service that carries the packets of no class.
pub const DEFAULT: &str = "default";

impl Class {
    /// The packets that match a rule, with a service of their own.
    #[must_use]
    pub fn new(rule: Rule, service: ServiceConfig) -> Self {
        Self {
            name: None,
            rule,
            carrier: Carrier::Service(service),
            rate: None,
            carries: None,
            queue: None,
            split: false,
        }
    }

    /// The packets that match a rule, carried with those of another class.
    #[must_use]
    pub fn with(rule: Rule, class: impl Into<String>) -> Self {
        Self {
            name: None,
            rule,
            carrier: Carrier::With(class.into()),
            rate: None,
            carries: None,
            queue: None,
            split: false,
        }
    }

    /// All packets of a protocol, with a service of their own.
    #[must_use]
    pub fn of_protocol(protocol: Protocol, service: ServiceConfig) -> Self {
        Self::new(Rule::of_protocol(protocol), service)
    }

    /// The service that this class brings, if it brings one.
    #[must_use]
    pub fn service(&self) -> Option<&ServiceConfig> {
        match &self.carrier {
            Carrier::Service(service) => Some(service),
            Carrier::With(_) => None,
        }
    }
}

/// A class as it is written. A packet belongs to it if all that is said of packets holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Class"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Form {
    /// The name that other classes use in `with`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Matches packets of this protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<Protocol>,
    /// Matches packets from this address or prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Addresses>,
    /// Matches packets to this address or prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    destination: Option<Addresses>,
    /// Matches packets from this port or range of ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_port: Option<Ports>,
    /// Matches packets to this port or range of ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    destination_port: Option<Ports>,
    /// Matches packets from or to this port or range of ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<Ports>,
    /// Matches packets with this Differentiated Services codepoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    ds: Option<Ds>,
    /// Matches IPv6 packets with this flow label.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_label: Option<FlowLabel>,
    /// The service that carries them; either this or `with` is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<ServiceConfig>,
    /// The name of a class whose service carries them too, or `default` for the default service.
    #[serde(skip_serializing_if = "Option::is_none")]
    with: Option<String>,
    /// The rate reserved for their frames, if the scheduler uses configured rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<Allocation>,
    /// The rate at which their packets are to arrive: the rate reserved for their frames follows from the measured effective
    /// goodput of their service.
    #[serde(skip_serializing_if = "Option::is_none")]
    carries: Option<BitRate>,
    /// How many of their packets may wait for their service; without it, as many as the service holds itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<QueueLimits>,
    /// Whether TCP ends at both ends of the link: each acknowledges to its host what goes across, so that the length of the link does not slow
    /// TCP down. The service must give nothing up: `tally` without `persistence`. A host learns that data have arrived before they have.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    split: bool,
}

/// What is wrong with a class by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassError {
    /// No packets, or all.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// Nobody carries its packets.
    #[error(
        "a class without a service; expected `service`, or `with` and the name of a class that has one, or \
         `with = \"default\"`"
    )]
    NoCarrier,
    /// Two ways to carry them.
    #[error("a class with both `service` and `with`; expected one of them")]
    TwoCarriers,
    /// Two ways to set its share.
    #[error(
        "a class with both `rate` and `carries`; expected one of them: `rate` is for frames, `carries` for the packets \
         that arrive"
    )]
    TwoRates,
    /// Its packets wait with those of another class.
    #[error("a class with both `queue` and `with`; expected `queue` at the class that has the service")]
    QueueOfAnother,
    /// Its packets go by the service of another class.
    #[error("a class with both `split` and `with`; expected `split` at the class that has the service")]
    SplitOfAnother,
}

impl TryFrom<Form> for Class {
    type Error = ClassError;
    fn try_from(mut form: Form) -> Result<Self, ClassError> {
        let rule = Rule {
            protocol: form.protocol,
            source: form.source,
            destination: form.destination,
            source_port: form.source_port,
            destination_port: form.destination_port,
            port: form.port,
            ds: form.ds,
            flow_label: form.flow_label,
        };
        rule.check()?;
        let carrier = match (form.service.take(), form.with.take()) {
            (Some(service), None) => Carrier::Service(service),
            (None, Some(with)) => Carrier::With(with),
            (None, None) => return Err(ClassError::NoCarrier),
            (Some(_), Some(_)) => return Err(ClassError::TwoCarriers),
        };
        if form.rate.is_some() && form.carries.is_some() {
            return Err(ClassError::TwoRates);
        }
        if form.queue.is_some() && matches!(carrier, Carrier::With(_)) {
            return Err(ClassError::QueueOfAnother);
        }
        if form.split && matches!(carrier, Carrier::With(_)) {
            return Err(ClassError::SplitOfAnother);
        }
        let Form { name, rate, carries, queue, split, .. } = form;
        Ok(Self { name, rule, carrier, rate, carries, queue, split })
    }
}

impl From<Class> for Form {
    fn from(class: Class) -> Self {
        let rule = class.rule;
        let (service, with) = match class.carrier {
            Carrier::Service(service) => (Some(service), None),
            Carrier::With(with) => (None, Some(with)),
        };
        Self {
            name: class.name,
            protocol: rule.protocol,
            source: rule.source,
            destination: rule.destination,
            source_port: rule.source_port,
            destination_port: rule.destination_port,
            port: rule.port,
            ds: rule.ds,
            flow_label: rule.flow_label,
            service,
            with,
            rate: class.rate,
            carries: class.carries,
            queue: class.queue,
            split: class.split,
        }
    }
}
