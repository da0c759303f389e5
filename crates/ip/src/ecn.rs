//! Congestion notification: what a packet says of it, and a mark for it (RFC 3168).

use alloc::vec::Vec;

/// The last two bits of IPv4's type of service and IPv6's traffic class (RFC 3168, section 5; RFC 8311).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ecn {
    /// Its ends know nothing of marks: congestion shows by its loss.
    #[default]
    NotEct,
    /// Its ends understand marks, those of L4S.
    Ect1,
    /// Its ends understand marks.
    Ect0,
    /// It met congestion.
    Ce,
}

impl Ecn {
    /// What an octet says that has them as its last two bits.
    #[must_use]
    pub const fn of_octet(octet: u8) -> Self {
        match octet & 3 {
            0 => Self::NotEct,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// The two bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// What an IP packet says; nothing where it is none.
    #[must_use]
    pub fn of_packet(packet: &[u8]) -> Self {
        match *packet {
            [first, octet, ..] if first >> 4 == 4 => Self::of_octet(octet),
            [first, octet, ..] if first >> 4 == 6 => Self::of_octet(octet >> 4),
            _ => Self::NotEct,
        }
    }

    /// The same, if the octets are a packet from its beginning to its end.
    pub fn of_whole_packet(octets: &[u8]) -> Option<Self> {
        let length = match *octets {
            [first, _, high, low, ..] if first >> 4 == 4 => usize::from(u16::from_be_bytes([high, low])),
            [first, _, _, _, high, low, ..] if first >> 4 == 6 => 40 + usize::from(u16::from_be_bytes([high, low])),
            _ => return None,
        };
        (length == octets.len()).then(|| Self::of_packet(octets))
    }

    /// What may be said of something that holds packets which say this and that: it may be marked only if both may, since a mark on it
    /// is one on each (RFC 9599, section 4.6).
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::NotEct, _) | (_, Self::NotEct) => Self::NotEct,
            (Self::Ce, _) | (_, Self::Ce) => Self::Ce,
            (Self::Ect1, Self::Ect1) => Self::Ect1,
            _ => Self::Ect0,
        }
    }
}

/// A packet with the mark that it met congestion; `None` where it has that already, or would not be understood.
#[must_use]
pub fn mark_congestion(packet: &[u8]) -> Option<Vec<u8>> {
    if !matches!(Ecn::of_packet(packet), Ecn::Ect0 | Ecn::Ect1) {
        return None;
    }
    let mut marked = packet.to_vec();
    let (first, octet) = (*marked.first()?, marked.get_mut(1)?);
    if first >> 4 == 6 {
        *octet |= 0x30;
        return Some(marked);
    }
    let added = u16::from(3 - (*octet & 3));
    *octet |= 3;
    // The header's checksum: RFC 1624, equation 3, where the old word and the new one differ by so much.
    let checksum: &mut [u8; 2] = marked.get_mut(10..)?.first_chunk_mut()?;
    let (sum, carry) = (!u16::from_be_bytes(*checksum)).overflowing_add(added);
    *checksum = (!(sum + u16::from(carry))).to_be_bytes();
    Some(marked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{IpHeaders, Ipv4Header, PacketBuilder};
    use proptest::prelude::*;

    fn packet(is_ipv4: bool, octet: u8, identification: u16) -> Vec<u8> {
        let mut packet = Vec::new();
        if is_ipv4 {
            let mut header =
                Ipv4Header::new(12, 64, etherparse::IpNumber::UDP, [10, 0, 0, 1], [10, 0, 0, 2]).expect("short");
            header.identification = identification;
            header.ecn = etherparse::IpEcn::try_new(octet & 3).expect("two bits");
            header.dscp = etherparse::IpDscp::try_new(octet >> 2).expect("six bits");
            let builder = PacketBuilder::ip(IpHeaders::Ipv4(header, etherparse::Ipv4Extensions::default())).udp(7, 9);
            builder.write(&mut packet, b"data").expect("memory");
        } else {
            PacketBuilder::ipv6([1; 16], [2; 16], 64).udp(7, 9).write(&mut packet, b"data").expect("memory");
            packet[0] |= octet >> 4;
            packet[1] |= octet << 4;
        }
        packet
    }

    #[test]
    fn packets_say_what_their_header_has() {
        for is_ipv4 in [true, false] {
            for (bits, said) in [(0, Ecn::NotEct), (1, Ecn::Ect1), (2, Ecn::Ect0), (3, Ecn::Ce)] {
                let packet = packet(is_ipv4, 46 << 2 | bits, 7);
                assert_eq!((Ecn::of_packet(&packet), said.bits()), (said, bits));
                assert_eq!(Ecn::of_whole_packet(&packet), Some(said));
                assert_eq!(Ecn::of_whole_packet(&packet[..packet.len() - 1]), None);
            }
        }
        assert_eq!((Ecn::of_packet(b""), Ecn::of_whole_packet(b"\x45")), (Ecn::NotEct, None));
    }

    #[test]
    fn what_holds_several_may_be_marked_if_each_may() {
        use Ecn::{Ce, Ect0, Ect1, NotEct};
        for (one, other, both) in [
            (Ect0, NotEct, NotEct),
            (Ce, NotEct, NotEct),
            (Ect0, Ect0, Ect0),
            (Ect1, Ect1, Ect1),
            (Ect1, Ect0, Ect0),
            (Ect0, Ce, Ce),
        ] {
            assert_eq!((one.with(other), other.with(one)), (both, both));
        }
    }

    proptest! {
        #[test]
        fn a_marked_packet_differs_by_its_mark_and_its_checksum_is_right(is_ipv4: bool, octet: u8, identification: u16) {
            let packet = packet(is_ipv4, octet, identification);
            let understands = matches!(octet & 3, 1 | 2);
            let marked = mark_congestion(&packet);
            prop_assert_eq!(marked.is_some(), understands);
            if let Some(marked) = marked {
                prop_assert_eq!(marked, self::packet(is_ipv4, octet | 3, identification));
            }
        }

        #[test]
        fn whatever_octets_there_are_they_are_read_without_harm(octets in proptest::collection::vec(any::<u8>(), 0..30)) {
            prop_assert_eq!(mark_congestion(&octets).is_none_or(|marked| marked.len() == octets.len()), true);
            prop_assert!(Ecn::of_whole_packet(&octets).is_none_or(|said| said == Ecn::of_packet(&octets)));
        }
    }
}
