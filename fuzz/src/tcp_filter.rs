//! The filter that knows TCP, told of any packets in any order: it keeps to its bounds, and withholds nothing but bare
//! acknowledgements, as etherparse reads them.

use super::contents;
use arqway_link::fuzz::Input;
use arqway_link::tcp_filter::TcpFilter;
use arqway_link::{Counters, Unordered};
use bytes::Bytes;
use etherparse::{SlicedPacket, TransportSlice};

const MOST_OPERATIONS: usize = 400;

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let settings = Unordered::any(input.octet());
    let mut filter = TcpFilter::new(&settings);
    let mut counters = Counters::default();
    for _ in 0..MOST_OPERATIONS {
        if input.is_empty() {
            break;
        }
        let operation = input.index(6);
        let packet = Bytes::from(contents::packet(&mut input));
        match operation {
            0 => filter.sent(&packet),
            1 => filter.retransmitted(&packet),
            2 => {
                filter.sent(&packet);
                filter.retransmitted(&packet);
            }
            _ => {
                let before = counters;
                let mut received = Some(packet.clone());
                let released: Vec<Bytes> =
                    std::iter::from_fn(|| filter.next(|| received.take(), &mut counters)).collect();
                let made = counters.acknowledgements_regenerated - before.acknowledgements_regenerated;
                let withheld = counters.acknowledgements_withheld - before.acknowledgements_withheld;
                assert_eq!(released.len() as u64 + withheld, 1 + made);
                assert!(settings.regenerate_acknowledgements || made == 0);
                assert!(counters.acknowledgements_regenerated <= counters.acknowledgements_withheld);
                assert!(withheld == 0 || is_bare_acknowledgement(&packet), "withheld: {packet:?}");
                assert!(withheld == 1 || released.last() == Some(&packet), "it passes as it came, and last");
                assert!(released.iter().all(|made| made.len() == packet.len()));
            }
        }
        assert!(filter.is_bounded(&settings));
    }
}

/// It acknowledges and does nothing else.
fn is_bare_acknowledgement(packet: &[u8]) -> bool {
    let Ok(sliced) = SlicedPacket::from_ip(packet) else { return false };
    let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { return false };
    let is_more = tcp.syn() || tcp.fin() || tcp.rst() || tcp.urg() || tcp.window_size() == 0;
    tcp.ack() && !is_more && tcp.payload().is_empty()
}
