//! Duplicate segments that an acknowledgement reports (D-SACK, RFC 2883).

use super::super::TcpNumber;
use arqway_ip::Payload;
use etherparse::{TcpHeaderSlice, TcpOptionElement};

/// Whether an acknowledgement says that a segment came more than once (D-SACK): the first of its blocks is acknowledged
/// already, or lies in the second one (RFC 2883 §4).
pub(super) fn is_reported(packet: &[u8], payload: &Payload) -> bool {
    let Some(octets) = packet.get(payload.range.clone()) else { return false };
    let Ok(tcp) = TcpHeaderSlice::from_slice(octets) else { return false };
    let acknowledged = TcpNumber::new(1 << 32 | u64::from(tcp.acknowledgment_number()));
    let number = |wire: u32| TcpNumber::nearest(acknowledged, wire.into());
    tcp.options_iterator().flatten().any(|option| {
        let TcpOptionElement::SelectiveAcknowledgement((left, right), more) = option else { return false };
        let is_inside = |(from, to): (u32, u32)| number(from) <= number(left) && number(right) <= number(to);
        number(right) <= acknowledged || more[0].is_some_and(is_inside)
    })
}
