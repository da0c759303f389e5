//! `Headers::read` of any octets: it does not panic, and etherparse, which the readers here do not use for this, reads the
//! same. They differ where [`differs`] says so and why; there only the absence of a panic is asserted.

use super::contents;
use arqway_link::fuzz::Input;
use arqway_link::mux::Headers;
use etherparse::{Ipv4Slice, Ipv6Slice};
use std::net::IpAddr;

const HOP_BY_HOP: u8 = 0;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    // Half of the inputs are the packet itself, which is what a fuzzer changes best.
    if input.flag() {
        check(&contents::packet(&mut input));
    } else {
        check(input.rest());
    }
}

fn check(packet: &[u8]) {
    let read = Headers::read(packet);
    if differs(packet) {
        return;
    }
    let read = read.map(|headers| Fields {
        ends: (headers.source, headers.destination),
        ds: headers.ds.number(),
        protocol: headers.protocol.number(),
        ports: headers.ports,
        flow_label: headers.flow_label.map(arqway_link::mux::FlowLabel::number),
    });
    assert_eq!(read, second_opinion(packet), "ours, and etherparse's, of {packet:?}");
}

#[derive(Debug, PartialEq, Eq)]
struct Fields {
    ends: (IpAddr, IpAddr),
    ds: u8,
    protocol: u8,
    ports: Option<(u16, u16)>,
    flow_label: Option<u32>,
}

fn second_opinion(packet: &[u8]) -> Option<Fields> {
    let (fields, payload, is_first) = match packet.first()? >> 4 {
        4 => {
            let slice = Ipv4Slice::from_slice(packet).ok()?;
            let header = slice.header();
            let fields = Fields {
                ends: (header.source_addr().into(), header.destination_addr().into()),
                ds: header.dcp().value(),
                protocol: slice.payload_ip_number().0,
                ports: None,
                flow_label: None,
            };
            (fields, slice.payload().payload, header.fragments_offset().value() == 0)
        }
        6 => {
            let slice = Ipv6Slice::from_slice(packet).ok()?;
            let header = slice.header();
            let fields = Fields {
                ends: (header.source_addr().into(), header.destination_addr().into()),
                ds: header.traffic_class() >> 2,
                protocol: slice.payload().ip_number.0,
                ports: None,
                flow_label: Some(header.flow_label().value()),
            };
            (fields, slice.payload().payload, true)
        }
        _ => return None,
    };
    let has_ports = is_first && matches!(fields.protocol, 6 | 17 | 33 | 132 | 136);
    let ports = if has_ports {
        let [a, b, c, d] = *payload.first_chunk()?;
        Some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
    } else {
        None
    };
    Some(Fields { ports, ..fields })
}

/// Where the two are known to differ:
///
/// - Etherparse reads what follows in a later fragment as headers if its number is that of one; it is data (RFC 8200,
///   Section 4.5).
/// - It reads one authentication header of IPv4, and takes a second one for the payload.
/// - It refuses hop-by-hop options that do not stand first, as a host must (RFC 8200, Section 4.1). Here nothing is done with
///   them, and a packet that its receiver refuses may be carried.
/// - It takes a payload length of zero for all that is there, also without a jumbogram's option.
fn differs(packet: &[u8]) -> bool {
    match (packet.first().map(|first| first >> 4), packet) {
        (Some(4), [first, ..]) if packet.len() >= 20 && packet[9] == AUTHENTICATION => {
            let is_later = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff != 0;
            let twice = packet.get(usize::from(first & 0xf) * 4) == Some(&AUTHENTICATION);
            is_later || twice
        }
        (Some(6), _) if packet.len() >= 40 => {
            let no_length = packet[4..6] == [0, 0] && packet[6] != HOP_BY_HOP;
            no_length || chain_differs(packet[6], &packet[40..])
        }
        _ => false,
    }
}

fn chain_differs(mut number: u8, mut octets: &[u8]) -> bool {
    let mut is_behind = false;
    loop {
        let [next, length, third, fourth, ..] = *octets else { return false };
        let units = usize::from(length);
        let length = match number {
            HOP_BY_HOP if is_behind => return true,
            FRAGMENT if u16::from_be_bytes([third, fourth]) >> 3 != 0 => return true,
            FRAGMENT => 8,
            AUTHENTICATION => (units + 2) * 4,
            HOP_BY_HOP | 43 | 60 => (units + 1) * 8,
            _ => return false,
        };
        let Some(rest) = octets.get(length..) else { return false };
        (number, octets, is_behind) = (next, rest, true);
    }
}
