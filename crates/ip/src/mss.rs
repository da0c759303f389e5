//! The largest segment that TCP's ends allow each other, lowered where a link on the way carries less: "MSS clamping". Without it, the
//! first large segment is lost wherever the answers to packets that are too large are dropped.
//!
//! ```text
//!     SYN, MSS 1460  -->  a link that carries packets of 1,400 octets  -->  SYN, MSS 1360
//! ```
//!
//! Only the first segments of both directions say it (RFC 9293, section 3.7.1). The number leaves out the fixed headers, 40 octets
//! with IPv4 and 60 with IPv6, whatever options there are (RFC 6691). The checksum follows the change (RFC 1624). A packet under an
//! authentication header is left alone: whoever gets it would drop it.

use super::checksum::{read, updated, write};
use super::{Headers, Outline, Payload, Protocol};
use alloc::vec::Vec;
use arqway_units::Octets;
use core::ops::Range;

/// TCP's flags (RFC 9293, section 3.1) and their place; the place of its checksum, and where its options begin.
const FLAGS: usize = 13;
const SYN: u8 = 2;
const CHECKSUM: usize = 16;
const OPTIONS: usize = 20;
/// Kinds of options (section 3.2).
const END: u8 = 0;
const NOTHING: u8 = 1;
const MSS: u8 = 2;
const TCP: u8 = 6;

/// Whether a packet may be the first of a connection's direction: cheap to say, and no more than [`clamp_mss`] needs.
#[must_use]
pub fn may_say_mss(packet: &[u8]) -> bool {
    let tcp = match packet.first().map_or(0, |first| first >> 4) {
        4 if packet.get(9) == Some(&TCP) => usize::from(packet[0] & 0xf) * 4,
        6 if packet.get(6) == Some(&TCP) => 40,
        // Others may have TCP behind headers of extensions.
        6 => return packet.get(6).is_some_and(|next| [0, 43, 44, 60].contains(next)),
        _ => return false,
    };
    packet.get(tcp + FLAGS).is_some_and(|flags| flags & SYN != 0)
}

/// The packet with its MSS lowered to what fits into packets of at most `largest` octets; `None` where it says no more than that, or
/// says none. The outline, where it has been read, is that of the clamped packet, too.
#[must_use]
pub fn clamp_mss(packet: &[u8], outline: Option<Outline>, largest: Octets) -> Option<Vec<u8>> {
    let (headers, payload) = Outline::all(outline, packet)?;
    let before = if headers.source.is_ipv4() { 40 } else { 60 };
    let most = u16::try_from(largest.as_usize().checked_sub(before)?).unwrap_or(u16::MAX);
    let options = options(packet, &headers, &payload)?;
    let tcp = payload.range.start;
    let mut clamped = None;
    for place in mss_places(packet, options) {
        let [old, new] = [read(packet, place)?, most];
        if old > new {
            let clamped = clamped.get_or_insert_with(|| packet.to_vec());
            write(clamped, place, new)?;
            // Words begin at even places; half of one and half of the next add up with their octets swapped (RFC 1071, section 2).
            let is_even = (place - tcp).is_multiple_of(2);
            let [old, new] = [old, new].map(|word| if is_even { word } else { word.swap_bytes() });
            let checksum = updated(read(clamped, tcp + CHECKSUM)?, old, new);
            write(clamped, tcp + CHECKSUM, checksum)?;
        }
    }
    clamped
}

/// Where the options of a first segment are; they may be in a first fragment.
fn options(packet: &[u8], headers: &Headers, payload: &Payload) -> Option<Range<usize>> {
    // Later fragments show no ports.
    if headers.protocol != Protocol::TCP || headers.ports.is_none() || payload.is_authenticated {
        return None;
    }
    let tcp = packet.get(payload.range.clone())?;
    let is_first = tcp.get(FLAGS)? & SYN != 0;
    let end = usize::from(tcp.get(FLAGS - 1)? >> 4) * 4;
    let start = payload.range.start;
    (is_first && end >= OPTIONS && end <= tcp.len()).then_some(start + OPTIONS..start + end)
}

/// Where the values of MSS options are: one, in what is sane.
fn mss_places(packet: &[u8], Range { start: mut at, end }: Range<usize>) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        while at < end {
            let (kind, place) = (*packet.get(at)?, at + 2);
            let length = match kind {
                END => return None,
                NOTHING => 1,
                // One that is shorter than itself, or reaches beyond the header, ends it.
                _ => usize::from(*packet.get(at + 1)?).checked_sub(2)? + 2,
            };
            at += length;
            if at > end {
                return None;
            }
            if kind == MSS && length == 4 {
                return Some(place);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use etherparse::{NetHeaders, PacketBuilder, PacketHeaders, TcpHeader, TransportHeader};
    use proptest::prelude::*;

    /// A first segment with these octets for options.
    fn syn(is_ipv4: bool, options: &[u8], data: usize, change: impl FnOnce(&mut TcpHeader)) -> Vec<u8> {
        let mut header = TcpHeader::new(4000, 80, 7, 1000);
        header.syn = true;
        header.set_options_raw(options).expect("room");
        change(&mut header);
        let mut octets = Vec::new();
        if is_ipv4 {
            let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp_header(header);
            builder.write(&mut octets, &vec![0xa5; data]).expect("memory");
        } else {
            let builder = PacketBuilder::ipv6([1; 16], [2; 16], 64).tcp_header(header);
            builder.write(&mut octets, &vec![0xa5; data]).expect("memory");
        }
        octets
    }

    /// MSS, window scale, what stands between.
    fn options(mss: u16) -> [u8; 8] {
        let [high, low] = mss.to_be_bytes();
        [MSS, 4, high, low, NOTHING, 3, 3, 7]
    }

    /// What etherparse reads of it: whether the checksum is right, and the options.
    fn read(packet: &[u8]) -> (bool, Vec<u8>) {
        let headers = PacketHeaders::from_ip_slice(packet).expect("a packet");
        let (Some(NetHeaders::Ipv4(..) | NetHeaders::Ipv6(..)), Some(TransportHeader::Tcp(tcp))) =
            (&headers.net, &headers.transport)
        else {
            panic!("TCP")
        };
        let payload = headers.payload.slice();
        let expected = match headers.net.expect("a header") {
            NetHeaders::Ipv4(ip, _) => tcp.calc_checksum_ipv4(&ip, payload),
            NetHeaders::Ipv6(ip, _) => tcp.calc_checksum_ipv6(&ip, payload),
            NetHeaders::Arp(_) => panic!("no address resolution here"),
        };
        (expected.expect("a length") == tcp.checksum, tcp.options.as_slice().to_vec())
    }

    #[test]
    fn what_is_more_than_fits_is_lowered_and_nothing_else_changes() {
        for (is_ipv4, mss) in [(true, 1360), (false, 1340)] {
            for data in [0, 1, 100] {
                let packet = syn(is_ipv4, &options(1460), data, |_| ());
                assert!(may_say_mss(&packet));
                let clamped = clamp_mss(&packet, None, Octets::new(1400)).expect("another one");
                assert_eq!(read(&clamped), (true, options(mss).to_vec()));
                let changed = packet.iter().zip(&clamped).filter(|(old, new)| old != new).count();
                assert!(packet.len() == clamped.len() && changed <= 4, "{changed} octets");
                assert_eq!(clamp_mss(&clamped, None, Octets::new(1400)), None, "it fits");
            }
        }
    }

    #[test]
    fn what_fits_or_says_nothing_stays() {
        for options in [&options(1360)[..], &options(536), &[], &[NOTHING; 4], &[END, MSS, 4, 0xff, 0xff, 0, 0, 0]] {
            assert_eq!(clamp_mss(&syn(true, options, 0, |_| ()), None, Octets::new(1400)), None, "{options:?}");
        }
        let later = syn(true, &options(1460), 10, |tcp| tcp.syn = false);
        assert!(!may_say_mss(&later) && clamp_mss(&later, None, Octets::new(1400)).is_none());
        let back = syn(true, &options(1460), 0, |tcp| tcp.ack = true);
        assert!(may_say_mss(&back) && clamp_mss(&back, None, Octets::new(1400)).is_some());
        assert_eq!(clamp_mss(&back, None, Octets::new(30)), None, "less than the headers");
    }

    #[test]
    fn a_first_fragment_is_lowered_and_a_later_one_is_not() {
        let mut packet = syn(true, &options(1460), 16, |_| ());
        packet[6] = 0x20;
        let clamped = clamp_mss(&packet, None, Octets::new(1400)).expect("another one");
        packet[6] = 0;
        let whole = clamp_mss(&packet, None, Octets::new(1400)).expect("another one");
        assert_eq!(clamped[20..], whole[20..]);
        packet[7] = 1;
        assert_eq!(clamp_mss(&packet, None, Octets::new(1400)), None);
    }

    #[test]
    fn odd_places_and_options_that_cannot_be_are_no_trouble() {
        let odd = syn(false, &[NOTHING, MSS, 4, 0x12, 0x34, NOTHING, NOTHING, NOTHING], 3, |_| ());
        let clamped = clamp_mss(&odd, None, Octets::new(1280)).expect("another one");
        assert_eq!(read(&clamped), (true, vec![NOTHING, MSS, 4, 4, 0xc4, NOTHING, NOTHING, NOTHING]));
        for options in [[MSS, 0, 255, 255], [MSS, 1, 255, 255], [MSS, 3, 255, 255], [MSS, 5, 255, 255], [8, 200, 2, 4]]
        {
            let packet = syn(true, &options, 40, |_| ());
            assert_eq!(clamp_mss(&packet, None, Octets::new(1280)), None, "{options:?}");
        }
        // Under an authentication header (RFC 4302).
        let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 51];
        packet.resize(20, 1);
        packet.extend([6, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
        packet.extend(&syn(true, &options(1460), 0, |_| ())[20..]);
        packet[3] = u8::try_from(packet.len()).expect("short");
        assert!(Headers::read(&packet).is_some_and(|headers| headers.protocol == Protocol::TCP));
        assert_eq!(clamp_mss(&packet, None, Octets::new(1280)), None);
    }

    proptest! {
        #[test]
        fn whatever_arrives_is_left_as_long_as_it_was_and_is_not_raised(
            mut packet in proptest::collection::vec(any::<u8>(), 0..120),
            is_ipv4: bool,
            options in proptest::collection::vec(any::<u8>(), 0..40),
            damage in proptest::collection::vec((0usize..120, any::<u8>()), 0..6),
            largest in 0u64..2000,
            is_built: bool,
        ) {
            if is_built {
                let options: Vec<u8> = options.iter().copied().chain([0; 3]).take(options.len().next_multiple_of(4)).collect();
                packet = syn(is_ipv4, &options, 8, |_| ());
                for (at, octet) in damage {
                    if let Some(damaged) = packet.get_mut(at) { *damaged = octet }
                }
            }
            if let Some(clamped) = clamp_mss(&packet, None, Octets::new(largest)) {
                prop_assert!(may_say_mss(&packet));
                prop_assert_eq!(clamped.len(), packet.len());
                prop_assert_eq!(clamp_mss(&clamped, None, Octets::new(largest)), None);
                let outline = Outline::read(&packet);
                prop_assert_eq!(Outline::read(&clamped), outline);
                prop_assert_eq!(clamp_mss(&packet, outline, Octets::new(largest)), Some(clamped));
            }
        }

        #[test]
        fn checksums_stay_right(is_ipv4: bool, mss: u16, largest in 61u64..3000, padding in 0usize..4, data in 0usize..50) {
            let [high, low] = mss.to_be_bytes();
            let mut options = vec![NOTHING; padding];
            options.extend([MSS, 4, high, low]);
            options.resize(8, NOTHING);
            let packet = syn(is_ipv4, &options, data, |_| ());
            let clamped = clamp_mss(&packet, None, Octets::new(largest));
            let most = u16::try_from(largest - if is_ipv4 { 40 } else { 60 }).expect("small");
            prop_assert_eq!(clamped.is_some(), mss > most);
            if let Some(clamped) = clamped {
                prop_assert!(read(&clamped).0);
                let place = packet.len() - data - 8 + padding + 2;
                prop_assert_eq!(crate::checksum::read(&clamped, place), Some(most));
            }
        }
    }
}
