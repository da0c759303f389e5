//! What of a captured packet stays the same on its way, so that both ends know it again.
//!
//! On the way an IP packet gets another hop count, maybe another DS field, and so another checksum; the hosts' network cards
//! write checksums of TCP and UDP behind the back of a capture; Ethernet adds its addresses and pads what is short. All of that is left out.
//! Frames of anything else than IP are taken as they are.

/// Of packets that were cut, so much is compared: the headers of IP and TCP are within it.
const HEAD: usize = 64;

/// What two captures have in common of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) all: u64,
    pub(super) head: u64,
}

/// How many octets in front of a packet were never on the link, but are the capture's own.
pub(super) fn pseudo_header(link_type: i32, packet: &[u8]) -> usize {
    let at = |place: usize| usize::from(packet.get(place).copied().unwrap_or_default());
    match link_type {
        LINUX_COOKED => 16,
        LINUX_COOKED_2 => 20,
        NULL | LOOP => 4,
        ENC => 12,
        PPP_WITH_DIRECTION => 1,
        IPNET => 24,
        // These say how long they are; the first one does so without what fills it up.
        PFLOG => at(0).next_multiple_of(4),
        RADIOTAP | PPI => at(2) | at(3) << 8,
        _ => 0,
    }
}

/// The content of a packet captured on a link of this type (tcpdump.org/linktypes.html), without its pseudo-header.
pub(super) fn of(link_type: i32, packet: &[u8], scratch: &mut Vec<u8>) -> Content {
    scratch.clear();
    scratch.extend_from_slice(network_packet(link_type, packet));
    if has_ip(link_type, packet) {
        blank_ip(scratch);
    }
    Content { all: hash(scratch), head: hash(&scratch[..scratch.len().min(HEAD)]) }
}

/// The 64-bit Fowler-Noll-Vo hash, variant 1a.
fn hash(octets: &[u8]) -> u64 {
    octets.iter().fold(0xcbf2_9ce4_8422_2325, |hash, octet| (hash ^ u64::from(*octet)).wrapping_mul(0x0100_0000_01b3))
}

const ETHERNET: i32 = 1;
const LINUX_COOKED: i32 = 113;
const LINUX_COOKED_2: i32 = 276;
/// BSD's loopback, IPsec and packet filter, Solaris' loopback, and what 802.11's cards say of a frame.
const NULL: i32 = 0;
const LOOP: i32 = 108;
const ENC: i32 = 109;
const PFLOG: i32 = 117;
const IPNET: i32 = 226;
const RADIOTAP: i32 = 127;
const PPI: i32 = 192;
const PPP_WITH_DIRECTION: i32 = 204;
/// Those whose packets are IP and nothing else.
const RAW: [i32; 5] = [12, 14, 101, 228, 229];
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;
const TAGS: [u16; 2] = [0x8100, 0x88A8];

fn has_ip(link_type: i32, packet: &[u8]) -> bool {
    match link_type {
        ETHERNET => ethernet(packet).is_some_and(|(kind, _)| [IPV4, IPV6].contains(&kind)),
        LINUX_COOKED | LINUX_COOKED_2 | NULL | LOOP | ENC | PFLOG | IPNET => true,
        _ => RAW.contains(&link_type),
    }
}

/// The packet without what belongs to one link alone.
pub(super) fn network_packet(link_type: i32, packet: &[u8]) -> &[u8] {
    let start = ethernet(packet).filter(|_| link_type == ETHERNET).map_or(0, |(_, start)| start);
    packet.get(start..).unwrap_or_default()
}

/// What an Ethernet frame carries, and where that begins.
fn ethernet(packet: &[u8]) -> Option<(u16, usize)> {
    let mut at = 12;
    loop {
        let kind = u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]);
        if !TAGS.contains(&kind) {
            return Some((kind, at + 2));
        }
        at += 4;
    }
}

/// Blanks what may change on the way, and cuts off what is behind the packet.
fn blank_ip(packet: &mut Vec<u8>) {
    let at = |packet: &[u8], place: usize| usize::from(packet.get(place).copied().unwrap_or_default());
    let (length, payload, protocol) = match at(packet, 0) >> 4 {
        4 => {
            let is_fragment = (at(packet, 6) & 0x1F) << 8 | at(packet, 7);
            let protocol = (is_fragment == 0).then(|| at(packet, 9));
            let (length, head) = (at(packet, 2) << 8 | at(packet, 3), (at(packet, 0) & 0xF) * 4);
            [1, 8, 10, 11].into_iter().for_each(|place| blank(packet, place));
            (length, head, protocol)
        }
        6 => {
            let (length, protocol) = (40 + (at(packet, 4) << 8 | at(packet, 5)), at(packet, 6));
            // The traffic class lies across two octets.
            [(0, 0xF0), (1, 0x0F)].into_iter().for_each(|(place, kept)| {
                if let Some(octet) = packet.get_mut(place) {
                    *octet &= kept;
                }
            });
            blank(packet, 7);
            (length, 40, Some(protocol))
        }
        _ => return,
    };
    let checksum = match protocol {
        Some(6) => Some(payload + 16),
        Some(17) => Some(payload + 6),
        _ => None,
    };
    checksum.into_iter().flat_map(|place| [place, place + 1]).for_each(|place| blank(packet, place));
    // A length of 0 is that of a packet which the network card is to cut up.
    if length > 0 {
        packet.truncate(length);
    }
}

fn blank(packet: &mut [u8], place: usize) {
    if let Some(octet) = packet.get_mut(place) {
        *octet = 0;
    }
}
