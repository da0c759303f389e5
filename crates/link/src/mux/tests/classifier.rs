//! Compiled rules are the rules: the first that matches counts, whatever tables they were sorted into.

use super::super::classifier::Classifier;
use super::super::flows::{FlowId, Flows};
use super::super::rule::Rule;
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_ip::{Addresses, Ds, FlowLabel, Headers, Ports, Protocol};
use core::net::{IpAddr, SocketAddr};
use proptest::option;
use proptest::prelude::*;

fn id(number: u8) -> ServiceId {
    ServiceId::new(number % 32).expect("below 32")
}

/// Few different addresses, ports and codepoints, so that rules meet packets and each other.
fn addresses_of(version_4: bool) -> impl Strategy<Value = IpAddr> + use<> {
    (0u8..4, 0u8..4).prop_map(move |(net, host)| {
        if version_4 {
            IpAddr::from([10, net, 0, host])
        } else {
            // Its number is that of the IPv4 address, so that only the version tells them apart.
            IpAddr::from(u128::from(u32::from_be_bytes([10, net, 0, host])).to_be_bytes())
        }
    })
}

fn prefix() -> impl Strategy<Value = Addresses> {
    any::<bool>().prop_flat_map(|version_4| {
        let lengths: &'static [u32] = if version_4 { &[0, 8, 16, 31, 32] } else { &[0, 96, 112, 127, 128] };
        (addresses_of(version_4), proptest::sample::select(lengths)).prop_map(|(address, length)| {
            let width = if address.is_ipv4() { 32 } else { 128 };
            let mut length = length;
            loop {
                if let Some(prefix) = Addresses::new(address, length) {
                    return prefix;
                }
                length = (length + 1).min(width);
            }
        })
    })
}

fn ports() -> impl Strategy<Value = Ports> {
    (0u16..40, 0u16..40).prop_map(|(one, other)| Ports::range(one.min(other), one.max(other)).expect("in order"))
}

fn rule() -> impl Strategy<Value = Rule> {
    let protocol = proptest::sample::select(&[6u8, 17, 50][..]).prop_map(Protocol::of_number);
    let ds = (0u8..3).prop_map(|ds| Ds::new(ds).expect("six bits"));
    let label = (0u32..3).prop_map(|label| FlowLabel::new(label).expect("twenty bits"));
    (
        option::weighted(0.4, protocol),
        option::weighted(0.3, prefix()),
        option::weighted(0.3, prefix()),
        (option::weighted(0.2, ports()), option::weighted(0.2, ports()), option::weighted(0.2, ports())),
        option::weighted(0.2, ds),
        option::weighted(0.1, label),
    )
        .prop_map(|(protocol, source, destination, (source_port, destination_port, port), ds, flow_label)| Rule {
            protocol,
            source,
            destination,
            source_port,
            destination_port,
            port,
            ds,
            flow_label,
        })
}

fn headers() -> impl Strategy<Value = Headers> {
    any::<bool>().prop_flat_map(|version_4| {
        (
            (addresses_of(version_4), addresses_of(version_4)),
            proptest::sample::select(&[6u8, 17, 50][..]),
            option::weighted(0.8, (0u16..40, 0u16..40)),
            0u8..3,
            0u32..3,
        )
            .prop_map(move |((source, destination), protocol, ports, ds, label)| Headers {
                source,
                destination,
                ds: Ds::new(ds).expect("six bits"),
                protocol: Protocol::of_number(protocol),
                ports,
                flow_label: FlowLabel::new(label).filter(|_| !version_4),
            })
    })
}

proptest! {
    #[test]
    fn compiled_rules_find_what_a_search_through_the_rules_finds(
        rules in proptest::collection::vec(rule(), 0..24),
        packets in proptest::collection::vec(headers(), 1..40),
    ) {
        let numbered: Vec<(&Rule, ServiceId)> = rules.iter().zip((0..).map(id)).collect();
        let classifier = Classifier::new(numbered.iter().copied());
        for packet in packets {
            let searched = numbered.iter().find(|(rule, _)| rule.matches(&packet)).map(|(_, service)| *service);
            prop_assert_eq!(classifier.classify(&packet), searched);
        }
    }

    #[test]
    fn an_installed_flow_is_found_and_no_other_and_removing_it_leaves_nothing(
        mut packets in proptest::collection::vec(headers(), 2..20), by in 0usize..3,
    ) {
        // Most go between the same two ends, so that only ports, label or protocol tell them apart.
        let first = packets[0];
        for packet in packets.iter_mut().skip(4).filter(|packet| packet.source.is_ipv4() == first.source.is_ipv4()) {
            (packet.source, packet.destination) = (first.source, first.destination);
        }
        let flow_of = |headers: &Headers| flow_of(headers, by);
        let mut flows = Flows::default();
        let Some(flow) = flow_of(&packets[0]) else { return Ok(()) };
        prop_assert_eq!(flows.install(&flow, id(3)), None);
        prop_assert_eq!(flows.install(&flow, id(4)), Some(id(3)));
        for packet in &packets {
            let is_of_flow = flow_of(packet) == Some(flow);
            prop_assert_eq!(flows.find(packet), is_of_flow.then_some(id(4)));
        }
        prop_assert_eq!(flows.remove(&flow), Some(id(4)));
        prop_assert!(flows.is_empty() && flows.find(&packets[0]).is_none());
        prop_assert_eq!(flows.remove(&flow), None);
    }
}

/// The flow that a packet belongs to, told by ports, by label, or by protocol.
fn flow_of(headers: &Headers, by: usize) -> Option<FlowId> {
    let Headers { source, destination, protocol, .. } = *headers;
    Some(match by {
        0 => {
            let (from, to) = headers.ports?;
            let (source, destination) = (SocketAddr::new(source, from), SocketAddr::new(destination, to));
            FlowId::Ports { protocol, source, destination }
        }
        1 => FlowId::Label { label: headers.flow_label?, source, destination },
        _ => FlowId::Protocol { protocol, source, destination },
    })
}

#[test]
fn flows_of_both_versions_live_side_by_side() {
    let flow = |source: &str, destination: &str| FlowId::Ports {
        protocol: Protocol::UDP,
        source: source.parse().expect("an address"),
        destination: destination.parse().expect("an address"),
    };
    let headers = |source: &str, destination: &str| {
        let (source, destination): (SocketAddr, SocketAddr) =
            (source.parse().expect("an address"), destination.parse().expect("an address"));
        Headers {
            source: source.ip(),
            destination: destination.ip(),
            ds: Ds::EF,
            protocol: Protocol::UDP,
            ports: Some((source.port(), destination.port())),
            flow_label: None,
        }
    };
    let mut flows = Flows::default();
    flows.install(&flow("10.0.0.1:1", "10.0.0.2:2"), id(1));
    flows.install(&flow("[2001:db8::1]:1", "[2001:db8::2]:2"), id(2));
    assert_eq!(flows.find(&headers("10.0.0.1:1", "10.0.0.2:2")), Some(id(1)));
    assert_eq!(flows.find(&headers("[2001:db8::1]:1", "[2001:db8::2]:2")), Some(id(2)));
    assert_eq!(flows.find(&headers("[2001:db8::3]:1", "[2001:db8::2]:2")), None);
}

#[test]
fn rules_under_one_mask_cost_one_lookup_however_many_they_are() {
    let of_port = |port| Rule { port: Some(Ports::one(port)), ..Rule::of_protocol(Protocol::UDP) };
    let rules: Vec<Rule> = (0..2000).map(of_port).collect();
    let classifier = Classifier::new(rules.iter().map(|rule| (rule, id(1))));
    assert_eq!(classifier.lookups(), 2); // as source port, and as destination port
}
