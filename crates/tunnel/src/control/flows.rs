//! What flows do in a tunnel: `arqway status --flows`, and its JSON.

use crate::hub::{Count, FlowBook, FlowCount};
use arqway_link::Mux;
use arqway_link::mux::Traffic;
use arqway_units::Time;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};

/// What flows have done since this was asked first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowsStatus {
    /// How long ago that was.
    pub counted_s: f64,
    /// Those that carry most first.
    pub flows: Vec<FlowStatus>,
    /// The octets of flows that were too many to tell apart.
    pub others_octets: u64,
}

/// A conversation of a host at this end with one behind the peer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowStatus {
    /// In which place it came since flows are counted.
    pub number: u64,
    /// What the peer is called.
    pub peer: String,
    /// What it carries: `tcp`, `udp`, or its number.
    pub protocol: String,
    /// The host at this end, with its port; for root alone.
    pub here: Option<String>,
    /// The one behind the peer; for root alone.
    pub there: Option<String>,
    /// The service that carries it.
    pub service: String,
    /// What it was found to be by what it does: `rtp`, or `small-and-steady`.
    pub seen_as: Option<String>,
    /// Whether TCP ends at both ends of the link.
    pub is_split: bool,
    /// Packets of this end's host, and their octets.
    pub packets_sent: u64,
    /// Their octets.
    pub octets_sent: u64,
    /// Packets that were delivered to it.
    pub packets_received: u64,
    /// Their octets.
    pub octets_received: u64,
}

impl FlowsStatus {
    /// That of a book, with what is known of each flow's peer: its name, the names of services, and the services themselves.
    pub(crate) fn new<'m>(
        book: &FlowBook,
        with_addresses: bool,
        of_peer: impl Fn(usize) -> Option<(String, &'m Mux)>,
        services: &[(String, &'static str)],
        now: Time,
    ) -> Self {
        let flow = |flow: &FlowCount| {
            let (peer, mux) = of_peer(flow.peer)?;
            Some(FlowStatus::new(peer, mux, flow, with_addresses, services))
        };
        Self {
            counted_s: book.length(now).as_seconds(),
            flows: book.flows().into_iter().filter_map(flow).collect(),
            others_octets: book.others(),
        }
    }
}

impl FlowsStatus {
    /// What flows have done since an earlier answer; those that have done nothing are left out.
    #[must_use]
    pub fn since(mut self, before: &Self) -> Self {
        // It was begun anew meanwhile, where it says less than before.
        if self.counted_s >= before.counted_s {
            self.counted_s -= before.counted_s;
            self.others_octets = self.others_octets.saturating_sub(before.others_octets);
            for flow in &mut self.flows {
                if let Some(before) = before.flows.iter().find(|before| flow.is_same(before)) {
                    flow.packets_sent = flow.packets_sent.saturating_sub(before.packets_sent);
                    flow.octets_sent = flow.octets_sent.saturating_sub(before.octets_sent);
                    flow.packets_received = flow.packets_received.saturating_sub(before.packets_received);
                    flow.octets_received = flow.octets_received.saturating_sub(before.octets_received);
                }
            }
        }
        self.flows.retain(|flow| flow.packets_sent + flow.packets_received > 0);
        self.flows.sort_by_key(|flow| std::cmp::Reverse(flow.octets_sent + flow.octets_received));
        self
    }
}

impl FlowStatus {
    /// Whether it is the same as another one.
    fn is_same(&self, other: &Self) -> bool {
        self.number == other.number
    }

    fn new(
        peer: String,
        mux: &Mux,
        flow: &FlowCount,
        with_addresses: bool,
        services: &[(String, &'static str)],
    ) -> Self {
        let (headers, sample) = (&flow.headers, &flow.sample);
        let (here, there) = headers.ports.unzip();
        let end = |address: IpAddr, port: Option<u16>| {
            let end = port.map_or_else(|| address.to_string(), |port| SocketAddr::new(address, port).to_string());
            with_addresses.then_some(end)
        };
        let service = mux.service_of(sample).index();
        let seen_as = match mux.traffic_of(sample) {
            Traffic::Unknown => None,
            Traffic::Rtp => Some("rtp".to_owned()),
            Traffic::SmallAndSteady => Some("small-and-steady".to_owned()),
        };
        let Count { packets: packets_sent, octets: octets_sent } = flow.sent;
        let Count { packets: packets_received, octets: octets_received } = flow.received;
        Self {
            number: flow.number,
            peer,
            protocol: headers.protocol.to_string(),
            here: end(headers.source, here),
            there: end(headers.destination, there),
            service: services.get(service).map(|(name, _)| name.clone()).unwrap_or_default(),
            seen_as,
            is_split: mux.is_split(sample),
            packets_sent,
            octets_sent,
            packets_received,
            octets_received,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(number: u64, sent: u64) -> FlowStatus {
        FlowStatus {
            number,
            peer: String::new(),
            protocol: "udp".to_owned(),
            here: None,
            there: None,
            service: String::new(),
            seen_as: None,
            is_split: false,
            packets_sent: sent,
            octets_sent: sent * 100,
            packets_received: 0,
            octets_received: 0,
        }
    }

    #[test]
    fn between_two_answers_flows_have_what_they_did_meanwhile_and_those_at_rest_are_left_out() {
        let answer = |counted_s, sent: [u64; 3], others_octets| FlowsStatus {
            counted_s,
            flows: (0..).zip(sent).filter(|(_, sent)| *sent > 0).map(|(number, sent)| flow(number, sent)).collect(),
            others_octets,
        };
        let between = answer(5.0, [7, 9, 4], 30).since(&answer(2.0, [7, 7, 0], 10));
        assert_eq!(between, FlowsStatus { counted_s: 3.0, flows: vec![flow(2, 4), flow(1, 2)], others_octets: 20 });
        // Nobody had asked for so long that it was begun anew.
        assert_eq!(answer(1.0, [1, 0, 0], 5).since(&answer(2.0, [7, 7, 0], 10)), answer(1.0, [1, 0, 0], 5));
    }
}
