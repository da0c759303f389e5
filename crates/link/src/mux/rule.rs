//! What a class asks of a packet's headers. Every condition that is given must hold.

use alloc::string::String;
use arqway_ip::{Addresses, Ds, FlowLabel, Headers, Ports, Protocol};

/// Conditions on a packet's headers; one that is left out holds for any packet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// What it carries.
    pub protocol: Option<Protocol>,
    /// Where it comes from.
    pub source: Option<Addresses>,
    /// Where it goes.
    pub destination: Option<Addresses>,
    /// Of the sender.
    pub source_port: Option<Ports>,
    /// Of the receiver.
    pub destination_port: Option<Ports>,
    /// Of either: both directions of a conversation.
    pub port: Option<Ports>,
    /// Differentiated Services.
    pub ds: Option<Ds>,
    /// Of IPv6.
    pub flow_label: Option<FlowLabel>,
}

/// Why no packet, or every packet, would match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// No condition at all.
    #[error(
        "a class that matches all packets; expected one or more of protocol, source, destination, source-port, \
         destination-port, port, ds, flow-label: what is in no class goes to the default service anyway"
    )]
    Empty,
    /// Conditions that exclude each other.
    #[error("a class of no packets, which would have to be {0}")]
    Contradiction(String),
}

impl Rule {
    /// All packets of a protocol.
    #[must_use]
    pub fn of_protocol(protocol: Protocol) -> Self {
        Self { protocol: Some(protocol), ..Self::default() }
    }

    /// All packets with a codepoint.
    #[must_use]
    pub fn of_ds(ds: Ds) -> Self {
        Self { ds: Some(ds), ..Self::default() }
    }

    /// Whether every condition holds.
    #[must_use]
    pub fn matches(&self, headers: &Headers) -> bool {
        let holds_port = |wanted: Option<Ports>, seen: &dyn Fn(Ports, (u16, u16)) -> bool| {
            wanted.is_none_or(|wanted| headers.ports.is_some_and(|ports| seen(wanted, ports)))
        };
        self.protocol.is_none_or(|protocol| protocol == headers.protocol)
            && self.source.is_none_or(|addresses| addresses.contains(headers.source))
            && self.destination.is_none_or(|addresses| addresses.contains(headers.destination))
            && holds_port(self.source_port, &|wanted, (source, _)| wanted.contains(source))
            && holds_port(self.destination_port, &|wanted, (_, destination)| wanted.contains(destination))
            && holds_port(self.port, &|wanted, (source, to)| wanted.contains(source) || wanted.contains(to))
            && self.ds.is_none_or(|ds| ds == headers.ds)
            && self.flow_label.is_none_or(|label| headers.flow_label == Some(label))
    }

    /// Refuses what would match every packet, or none.
    pub(super) fn check(&self) -> Result<(), RuleError> {
        if *self == Self::default() {
            return Err(RuleError::Empty);
        }
        let with_ports = self.source_port.or(self.destination_port).or(self.port).is_some();
        let contradiction = match (self.source, self.destination, self.flow_label, self.protocol) {
            (Some(source), Some(destination), _, _) if source.is_ipv4() != destination.is_ipv4() => {
                alloc::format!("from {source} and to {destination}, which are of two versions of IP")
            }
            (Some(of_ipv4), _, Some(_), _) | (_, Some(of_ipv4), Some(_), _) if of_ipv4.is_ipv4() => {
                alloc::format!("of IPv4, like {of_ipv4}, and with a flow label, which only IPv6 has")
            }
            (.., Some(protocol)) if with_ports && !protocol.has_ports() => {
                alloc::format!("of protocol {protocol} and with ports, which only tcp, udp, sctp, 33 and 136 have")
            }
            _ => return Ok(()),
        };
        Err(RuleError::Contradiction(contradiction))
    }
}
