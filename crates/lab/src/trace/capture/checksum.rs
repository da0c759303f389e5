//! The checksums of IPv4, TCP and UDP: the simulator leaves them at zero, and Wireshark would mark every packet of a capture.

use etherparse::{IpNumber, Ipv4Header, TcpHeader, UdpHeader};

/// Where the checksum stands in each header.
const IN_IPV4: usize = 10;
const IN_TCP: usize = 16;
const IN_UDP: usize = 6;

/// Fills in the checksums of a whole IPv4 packet whose header checksum is zero; leaves anything else unchanged.
pub(super) fn fill(packet: &mut [u8]) {
    let Ok((ip, payload)) = Ipv4Header::from_slice(packet) else { return };
    if usize::from(ip.total_len) != packet.len() || ip.header_checksum != 0 {
        return;
    }
    let transport = match ip.protocol {
        IpNumber::TCP => tcp(&ip, payload).map(|checksum| (IN_TCP, checksum)),
        IpNumber::UDP => udp(&ip, payload).map(|checksum| (IN_UDP, checksum)),
        _ => None,
    };
    write(packet, IN_IPV4, ip.calc_header_checksum());
    if let Some((place, checksum)) = transport {
        write(packet, ip.header_len() + place, checksum);
    }
}

fn tcp(ip: &Ipv4Header, payload: &[u8]) -> Option<u16> {
    let (header, data) = TcpHeader::from_slice(payload).ok()?;
    header.calc_checksum_ipv4(ip, data).ok()
}

fn udp(ip: &Ipv4Header, payload: &[u8]) -> Option<u16> {
    let (header, data) = UdpHeader::from_slice(payload).ok()?;
    header.calc_checksum_ipv4(ip, data).ok()
}

fn write(packet: &mut [u8], place: usize, checksum: u16) {
    if let Some(octets) = packet.get_mut(place..place + 2) {
        octets.copy_from_slice(&checksum.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of all 16-bit words, carries folded in: all ones where a checksum in them is right (RFC 1071 §1).
    fn sum(octets: &[u8]) -> u16 {
        let words = octets.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
        let mut sum: u32 = words.sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }

    /// The sum over a segment or datagram and its pseudo-header.
    fn transport_sum(packet: &[u8]) -> u16 {
        let length = (packet.len() - 20) as u16;
        let pseudo = [&packet[12..20], &[0, packet[9]], &length.to_be_bytes()].concat();
        sum(&[&pseudo, &packet[20..]].concat())
    }

    fn packet(protocol: IpNumber, length: u16) -> Vec<u8> {
        let mut packet = Ipv4Header::new(length - 20, 64, protocol, [10, 0, 0, 1], [10, 0, 1, 2])
            .expect("short")
            .to_bytes()
            .to_vec();
        let transport = match protocol {
            IpNumber::TCP => TcpHeader::new(20, 49_152, 7, 500).to_bytes().to_vec(),
            _ => {
                UdpHeader { source_port: 1, destination_port: 2, length: length - 20, checksum: 0 }.to_bytes().to_vec()
            }
        };
        packet.extend(transport);
        packet.resize(usize::from(length), 0x5a);
        packet
    }

    #[test]
    fn every_word_sums_to_all_ones() {
        for (protocol, length) in [(IpNumber::TCP, 250), (IpNumber::TCP, 51), (IpNumber::UDP, 250), (IpNumber::UDP, 29)]
        {
            let mut packet = packet(protocol, length);
            fill(&mut packet);
            assert_eq!((sum(&packet[..20]), transport_sum(&packet)), (0xffff, 0xffff), "{protocol:?} {length}");
        }
    }

    #[test]
    fn what_is_no_whole_packet_stays_as_it_is() {
        let whole = packet(IpNumber::TCP, 250);
        let mut filled = whole.clone();
        filled[10] = 1;
        for octets in [vec![], vec![0x45; 7], whole[..100].to_vec(), [whole, vec![0]].concat(), filled] {
            let mut after = octets.clone();
            fill(&mut after);
            assert_eq!(after, octets);
        }
    }
}
