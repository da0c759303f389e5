//! PDUs in a capture file, in the way that tells Wireshark what it cannot know of them: a UDP datagram each, whose payload
//! begins with `umts-rlc` and some tags (`packet-rlc.c`, the heuristic dissector `rlc_udp`).
//!
//! ```text
//!     "umts-rlc" | 03 mode | 04 direction | 05 bearer's owner (4) | 06 bearer | 07 size of length indicators | 01 PDU ...
//! ```

use arqway_link::rlc::pdu::LengthIndicatorSize;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Transparent,
    Unacknowledged,
    Acknowledged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

/// A PDU, and what its octets alone do not tell.
pub(crate) struct Shown {
    pub(crate) mode: Mode,
    pub(crate) direction: Direction,
    pub(crate) size: LengthIndicatorSize,
    pub(crate) octets: Vec<u8>,
}

impl Shown {
    /// One with length indicators of seven bits.
    pub(crate) fn new(mode: Mode, direction: Direction, octets: Vec<u8>) -> Self {
        Self { mode, direction, size: LengthIndicatorSize::Seven, octets }
    }

    /// Where the size is what the standard has for PDUs as long as this one, tshark is to find it out.
    fn size_tag(&self) -> u8 {
        let by_rule = match self.mode {
            Mode::Transparent => self.size,
            Mode::Unacknowledged => LengthIndicatorSize::for_umd(self.octets.len()),
            Mode::Acknowledged => LengthIndicatorSize::for_amd(self.octets.len()),
        };
        match self.size {
            size if size == by_rule => 0,
            LengthIndicatorSize::Seven => 1,
            LengthIndicatorSize::Fifteen => 2,
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:?}, indicators of {:?} bits, ", self.mode, self.size)?;
        self.octets.iter().try_for_each(|octet| write!(to, "{octet:02x}"))
    }
}

/// A capture file (libpcap's, of IPv4 packets). Each PDU is of a bearer of its own, whose owner is its index: so tshark takes
/// none for a duplicate of another.
pub(crate) fn file<'a>(pdus: impl Iterator<Item = &'a Shown>) -> Vec<u8> {
    const MAGIC: u32 = 0xa1b2_c3d4;
    const VERSION: u32 = 0x0004_0002;
    const IPV4: u32 = 228;
    let mut file = Vec::new();
    for word in [MAGIC, VERSION, 0, 0, 0xffff, IPV4] {
        file.extend(word.to_le_bytes());
    }
    for (index, shown) in (0u32..).zip(pdus) {
        let packet = ipv4(&udp(&tagged(index, shown)));
        let length = u32::try_from(packet.len()).expect("a short packet");
        for word in [index, 0, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(packet);
    }
    file
}

fn tagged(index: u32, shown: &Shown) -> Vec<u8> {
    const BEARER: u8 = 5;
    let mode = match shown.mode {
        Mode::Transparent => 0,
        Mode::Unacknowledged => 1,
        Mode::Acknowledged => 2,
    };
    let mut payload = b"umts-rlc".to_vec();
    payload.extend([3, mode, 4, u8::from(shown.direction == Direction::Down), 5]);
    payload.extend(index.to_be_bytes());
    payload.extend([6, BEARER, 7, shown.size_tag(), 1]);
    payload.extend(&shown.octets);
    payload
}

fn udp(payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(8 + payload.len()).expect("a short datagram");
    let [high, low] = length.to_be_bytes();
    // Any ports; no checksum.
    [&[0x13, 0x89, 0x27, 0x0f, high, low, 0, 0], payload].concat()
}

fn ipv4(datagram: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(20 + datagram.len()).expect("a short packet").to_be_bytes();
    let header = [0x45, 0, high, low, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2];
    [&header, datagram].concat()
}
