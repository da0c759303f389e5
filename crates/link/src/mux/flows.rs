//! Flows that somebody outside has given a service: a reservation's state at this link (multiservice, Section V: packets can
//! be told by flow state that higher layers maintain). They come before every rule.

use super::cells::{Cell, Key};
use super::classifier::Cells;
use super::rule::Rule;
use arqway_contract::ServiceId;
use arqway_ip::{FlowLabel, Headers, Ports, Protocol};
use core::net::{IpAddr, SocketAddr};

/// One flow, in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowId {
    /// A conversation between two ports.
    Ports {
        /// TCP, UDP or another with ports.
        protocol: Protocol,
        /// Who sends.
        source: SocketAddr,
        /// Who receives.
        destination: SocketAddr,
    },
    /// All that one address sends another by a protocol; where ports are encrypted, as under ESP.
    Protocol {
        /// The protocol.
        protocol: Protocol,
        /// Who sends.
        source: IpAddr,
        /// Who receives.
        destination: IpAddr,
    },
    /// A flow of IPv6 by its label.
    Label {
        /// The label.
        label: FlowLabel,
        /// Who sends, and chose the label.
        source: IpAddr,
        /// Who receives.
        destination: IpAddr,
    },
}

impl FlowId {
    /// As a cell; `None` for ends of two versions of IP, between which no packet goes.
    fn cell(&self) -> Option<Cell> {
        match *self {
            Self::Ports { protocol, source, destination } => {
                let told_by = Rule {
                    source_port: Some(Ports::one(source.port())),
                    destination_port: Some(Ports::one(destination.port())),
                    ..Rule::of_protocol(protocol)
                };
                Cell::between(source.ip(), destination.ip(), &told_by)
            }
            Self::Protocol { protocol, source, destination } => {
                Cell::between(source, destination, &Rule::of_protocol(protocol))
            }
            Self::Label { label, source, destination } => {
                Cell::between(source, destination, &Rule { flow_label: Some(label), ..Rule::default() })
            }
        }
    }
}

/// The flows that are installed: one lookup a kind of flow, however many there are.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// By what they are told by.
    kinds: [Option<(Key, Cells<ServiceId>)>; 3],
}

impl Flows {
    /// Gives a flow a service; returns the one it had.
    pub(super) fn install(&mut self, flow: &FlowId, service: ServiceId) -> Option<ServiceId> {
        let Cell { mask, value } = flow.cell()?;
        self.kinds[kind(flow)].get_or_insert_with(|| (mask, Cells::default())).1.insert(value, service)
    }

    /// Forgets a flow; returns the service it had.
    pub(super) fn remove(&mut self, flow: &FlowId) -> Option<ServiceId> {
        self.kinds[kind(flow)].as_mut()?.1.remove(&flow.cell()?.value)
    }

    /// The service of the flow that a packet belongs to.
    pub(super) fn find(&self, headers: &Headers) -> Option<ServiceId> {
        let key = Key::from(headers);
        self.kinds.iter().flatten().find_map(|(mask, flows)| flows.get(&key.under(*mask)).copied())
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.iter().flatten().all(|(_, flows)| flows.is_empty())
    }
}

/// The kinds have one mask each. Flows by their ports are looked for first.
fn kind(flow: &FlowId) -> usize {
    match flow {
        FlowId::Ports { .. } => 0,
        FlowId::Label { .. } => 1,
        FlowId::Protocol { .. } => 2,
    }
}
