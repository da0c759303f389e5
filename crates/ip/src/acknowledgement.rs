//! TCP's acknowledgements that carry nothing else. Each says all that those before it said, so they need neither be in order nor
//! all arrive (RFC 9293 §3.10.7.4; RFC 3449 §5.2.1, "ACK filtering").

use super::segment::header_of;
use super::{Flow, Outline};
use etherparse::{TcpHeaderSlice, TcpOptionElement};

/// The headers of IPv4 or IPv6 and of TCP, with all options that they have room for. What is longer need not be read.
const LONGEST: usize = 60 + 60;

/// Whether a packet is an acknowledgement and nothing else: no data, and neither beginning nor end of a connection.
pub fn acknowledges_only(packet: &[u8], outline: Option<Outline>) -> bool {
    read(packet, outline).is_some()
}

/// Whether nobody misses `earlier` who gets `later`: both only acknowledge, the later one more, and the earlier one says nothing
/// besides: no duplicate, no blocks (SACK), no congestion (ECE). Each with its outline, where it has been read.
pub fn supersedes(later: (&[u8], Option<Outline>), earlier: (&[u8], Option<Outline>)) -> bool {
    let (of_later, of_earlier) = (later.0, earlier.0);
    let Some((outline, later)) = read(later.0, later.1) else { return false };
    let Some((outline_before, earlier)) = read(earlier.0, earlier.1) else { return false };
    // Most are told apart by their digests; two flows may have the same one.
    let flow = |packet: &[u8], outline: Outline| Some(Flow::of(&outline.headers(packet)?, &outline.payload()));
    let is_of_flow =
        outline.flow() == outline_before.flow() && flow(of_later, outline) == flow(of_earlier, outline_before);
    let ahead = later.acknowledgment_number().wrapping_sub(earlier.acknowledgment_number());
    is_of_flow && (1..1 << 31).contains(&ahead) && is_plain(&earlier)
}

fn read(packet: &[u8], outline: Option<Outline>) -> Option<(Outline, TcpHeaderSlice<'_>)> {
    if packet.len() > LONGEST {
        return None;
    }
    let outline = outline.or_else(|| Outline::read(packet))?;
    let payload = outline.payload();
    let tcp = header_of(packet, outline.protocol(), &payload)?;
    let only = tcp.ack() && !tcp.syn() && !tcp.fin() && !tcp.rst() && tcp.slice().len() == payload.range.len();
    only.then_some((outline, tcp))
}

/// Whether it has a number, a window and perhaps a time stamp, and no more.
fn is_plain(tcp: &TcpHeaderSlice<'_>) -> bool {
    use TcpOptionElement::{Noop, Timestamp};
    let has_flags = tcp.ece() || tcp.cwr() || tcp.ns() || tcp.urg() || tcp.psh();
    !has_flags && tcp.options_iterator().all(|option| matches!(option, Ok(Noop | Timestamp(..))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use etherparse::{PacketBuilder, TcpHeader};

    /// A packet of host 1's with this many octets of data.
    fn packet(number: u32, data: usize, change: impl FnOnce(&mut TcpHeader)) -> Vec<u8> {
        let mut header = TcpHeader::new(80, 4000, 7, 1000);
        (header.ack, header.acknowledgment_number) = (true, number);
        header.set_options(&[Noop, Noop, Timestamp(number, 1)]).expect("room");
        change(&mut header);
        let mut octets = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp_header(header);
        builder.write(&mut octets, &alloc::vec![0; data]).expect("memory");
        octets
    }

    /// Whether the packet was read before makes no difference.
    fn only(packet: &[u8]) -> bool {
        let only = acknowledges_only(packet, None);
        assert_eq!(acknowledges_only(packet, Outline::read(packet)), only);
        only
    }

    fn goes_for(later: &[u8], earlier: &[u8]) -> bool {
        let supersedes_it = supersedes((later, None), (earlier, None));
        let outlines = [later, earlier].map(Outline::read);
        assert_eq!(supersedes((later, outlines[0]), (earlier, outlines[1])), supersedes_it);
        supersedes_it
    }

    use TcpOptionElement::{Noop, SelectiveAcknowledgement, Timestamp};

    #[test]
    fn an_acknowledgement_alone_is_told_from_data_and_from_the_beginning_and_end_of_a_connection() {
        assert!(only(&packet(5, 0, |_| ())));
        let blocks = SelectiveAcknowledgement((1, 2), [None; 3]);
        assert!(only(&packet(5, 0, |tcp| tcp.set_options(&[blocks]).expect("room"))));
        assert!(!only(&packet(5, 1, |_| ())));
        let changes: [fn(&mut TcpHeader); 4] =
            [|tcp| tcp.syn = true, |tcp| tcp.fin = true, |tcp| tcp.rst = true, |tcp| tcp.ack = false];
        for (index, change) in changes.into_iter().enumerate() {
            assert!(!only(&packet(5, 0, change)), "{index}");
        }
        assert!(!only(&packet(5, 0, |_| ())[..50]) && !only(b""));
    }

    #[test]
    fn one_that_acknowledges_more_stands_for_one_before_it_that_says_no_more_than_its_number() {
        let plain = |number| packet(number, 0, |_| ());
        assert!(goes_for(&plain(6), &plain(5)) && goes_for(&plain(3), &plain(u32::MAX - 3)));
        // A duplicate tells of a loss, an old one comes late.
        assert!(!goes_for(&plain(5), &plain(5)) && !goes_for(&plain(4), &plain(5)));
        assert!(!goes_for(&packet(6, 1, |_| ()), &plain(5)) && !goes_for(&plain(6), &packet(5, 1, |_| ())));
        assert!(!goes_for(&packet(6, 0, |tcp| tcp.source_port = 81), &plain(5)), "of another flow");
        // What else it says is lost with it; what the later one says is not.
        let with_blocks = |tcp: &mut TcpHeader| {
            tcp.set_options(&[SelectiveAcknowledgement((1, 2), [None; 3])]).expect("room");
        };
        let with_congestion = |tcp: &mut TcpHeader| tcp.ece = true;
        assert!(!goes_for(&plain(6), &packet(5, 0, with_blocks)));
        assert!(!goes_for(&plain(6), &packet(5, 0, with_congestion)));
        assert!(goes_for(&packet(6, 0, with_blocks), &plain(5)));
        assert!(goes_for(&packet(6, 0, with_congestion), &plain(5)));
    }
}
