//! Packets that stand alone: whoever sent one waits for its answer, and sends nothing behind it that would show that it was lost. What
//! waits is a person: for a name, for a connection, for an answer to a ping.
//!
//! | packet | waits, where it is lost |
//! | --- | --- |
//! | ICMP and `ICMPv6`: a ping, an error, a neighbour's address | 1 s, or for ever |
//! | DNS: a question or an answer, UDP of port 53 | 5 s (resolv.conf) |
//! | the first segment of TCP in each direction, without data | 1 s (RFC 6298, section 2) |

use super::{Headers, Payload, Protocol};

/// The port of DNS (RFC 1035, section 4.2.1).
const DNS: u16 = 53;
/// The longest packet of these: what DNS carries without asking whether more fits, and headers.
const LONGEST: usize = 576;
/// In TCP's header (RFC 9293, section 3.1): where it says its own length, in words, and where its flags are.
const DATA_OFFSET: usize = 12;
const FLAGS: usize = 13;
const SYN: u8 = 2;
const RST: u8 = 4;

pub(super) fn stands_alone(packet: &[u8], headers: &Headers, payload: &Payload) -> bool {
    if payload.is_fragment || packet.len() > LONGEST {
        return false;
    }
    match headers.protocol {
        Protocol::ICMP | Protocol::ICMPV6 => true,
        Protocol::UDP => headers.ports.is_some_and(|(from, to)| from == DNS || to == DNS),
        Protocol::TCP => packet.get(payload.range.clone()).is_some_and(is_first_segment),
        _ => false,
    }
}

fn is_first_segment(tcp: &[u8]) -> bool {
    let (Some(offset), Some(flags)) = (tcp.get(DATA_OFFSET), tcp.get(FLAGS)) else { return false };
    flags & (SYN | RST) == SYN && usize::from(offset >> 4) * 4 == tcp.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outline;
    use alloc::vec::Vec;

    fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
        let length = u16::try_from(20 + payload.len()).expect("a packet").to_be_bytes();
        let mut packet =
            alloc::vec![0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        packet.extend(payload);
        packet
    }

    fn udp(from: u16, to: u16, octets: usize) -> Vec<u8> {
        let mut udp = [from, to].map(u16::to_be_bytes).concat();
        udp.resize(8 + octets, 0);
        ipv4(17, &udp)
    }

    fn tcp(flags: u8, octets: usize) -> Vec<u8> {
        let mut tcp = alloc::vec![0; 24 + octets];
        (tcp[DATA_OFFSET], tcp[FLAGS]) = (6 << 4, flags);
        ipv4(6, &tcp)
    }

    #[test]
    fn a_ping_a_question_of_dns_and_a_first_segment_stand_alone_and_nothing_else() {
        let stands_alone = |packet: &[u8]| Outline::read(packet).expect("a packet").stands_alone();
        assert!(stands_alone(&ipv4(1, &[8; 64])));
        assert!(stands_alone(&udp(40_000, 53, 40)) && stands_alone(&udp(53, 40_000, 400)));
        assert!(stands_alone(&tcp(SYN, 0)) && stands_alone(&tcp(SYN | 0x10, 0)));
        assert!(!stands_alone(&tcp(SYN, 8)), "data in a first segment are followed by others");
        assert!(!stands_alone(&tcp(0x10, 0)) && !stands_alone(&tcp(SYN | RST, 0)));
        assert!(!stands_alone(&udp(40_000, 443, 40)) && !stands_alone(&udp(53, 40_000, 1200)));
        assert!(!stands_alone(&ipv4(1, &[8; 1000])));
        let mut fragment = ipv4(1, &[8; 64]);
        fragment[6] = 0x20;
        assert!(!stands_alone(&fragment));
        let ping = Outline::read(&ipv4(1, &[8; 64])).expect("a packet");
        assert!(ping.of_shortened().stands_alone(), "however its headers are carried");
    }
}
