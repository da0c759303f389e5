//! The headers of a segment, and what of them changes.

use super::changes::{Changes, take, take_number};
use core::ops::Range;
use etherparse::checksum::Sum16BitWords;

/// The headers of IPv6, and of TCP with time stamps.
const LONGEST: usize = 40 + LONGEST_TCP;
const LONGEST_TCP: usize = 32;
/// Two operations that do nothing, and a time stamp of ten octets (RFC 7323, Appendix A).
const TIME_STAMP: [u8; 4] = [1, 1, 8, 10];
/// Of the DS field. What of it a frame carries is read in the packet, so that of a shortened one has to be none.
const ECN: u8 = 0b11;
const DO_NOT_FRAGMENT: u8 = 0x40;
const TCP: u8 = 6;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const URG: u8 = 0x20;

/// What changes from one segment to the next, in the order of the mask's bits, the lowest first.
#[derive(Debug, Clone, Copy)]
enum Field {
    /// Of IPv4: one more than before.
    Identification,
    /// As many more as the segment before it had octets.
    Sequence,
    Acknowledgement,
    Window,
    Flags,
    TimeStamp,
    Echo,
}

impl Field {
    const ALL: [Self; 7] = [
        Self::Identification,
        Self::Sequence,
        Self::Acknowledgement,
        Self::Window,
        Self::Flags,
        Self::TimeStamp,
        Self::Echo,
    ];
}

/// The headers of a segment with data, of which all but the fields above stays as it is.
#[derive(Debug, Clone)]
pub(super) struct SegmentHeaders {
    octets: [u8; LONGEST],
    /// How many of them are those of IP.
    ip: usize,
    /// How many of them there are.
    length: usize,
    payload: u32,
}

impl SegmentHeaders {
    /// The headers of a packet, if it is a segment with data and has nothing unusual.
    pub(super) fn read(packet: &[u8]) -> Option<Self> {
        let ip = match packet.first()? {
            0x45 => 20,
            0x60..0x70 => 40,
            _ => return None,
        };
        let tcp: &[u8; 20] = packet.get(ip..)?.first_chunk()?;
        let length = ip + usize::from(tcp[12] >> 4) * 4;
        let payload = packet.len().checked_sub(length).filter(|payload| *payload > 0)?;
        let payload = u32::try_from(payload).ok()?;
        let is_whole = if ip == 20 {
            usize::from(u16::from_be_bytes([packet[2], packet[3]])) == packet.len()
                && packet[1] & ECN == 0
                && packet[6] & !DO_NOT_FRAGMENT == 0
                && packet[7] == 0
                && packet[9] == TCP
        } else {
            usize::from(u16::from_be_bytes([packet[4], packet[5]])) == packet.len() - ip
                && packet[1] >> 4 & ECN == 0
                && packet[6] == TCP
        };
        let options = packet.get(ip + tcp.len()..length)?;
        let is_usual = tcp[13] & (SYN | RST | URG) == 0
            && (options.is_empty() || (options.len() == 12 && options.starts_with(&TIME_STAMP)));
        if !is_whole || !is_usual {
            return None;
        }
        let mut octets = [0; LONGEST];
        octets[..length].copy_from_slice(&packet[..length]);
        Some(Self { octets, ip, length, payload })
    }

    pub(super) fn as_octets(&self) -> &[u8] {
        &self.octets[..self.length]
    }

    /// Where a field is, if there is one.
    fn place(&self, field: Field) -> Option<Range<usize>> {
        let is_ipv4 = self.ip == 20;
        let has_times = self.length - self.ip == LONGEST_TCP;
        let (at, octets, is_there) = match field {
            Field::Identification => (4, 2, is_ipv4),
            Field::Sequence => (self.ip + 4, 4, true),
            Field::Acknowledgement => (self.ip + 8, 4, true),
            Field::Window => (self.ip + 14, 2, true),
            Field::Flags => (self.ip + 13, 1, true),
            Field::TimeStamp => (self.ip + 24, 4, has_times),
            Field::Echo => (self.ip + 28, 4, has_times),
        };
        is_there.then_some(at..at + octets)
    }

    fn value(&self, place: Range<usize>) -> u32 {
        self.octets[place].iter().fold(0, |value, octet| value << 8 | u32::from(*octet))
    }

    /// Adds to a field, modulo what it holds.
    fn add(&mut self, place: Range<usize>, difference: u32) {
        let octets = (self.value(place.clone()).wrapping_add(difference)).to_be_bytes();
        let width = place.len();
        self.octets[place].copy_from_slice(&octets[octets.len() - width..]);
    }

    /// What comes next if nothing unforeseen happens.
    fn next(&self) -> Self {
        let mut next = self.clone();
        if let Some(place) = self.place(Field::Identification) {
            next.add(place, 1);
        }
        if let Some(place) = self.place(Field::Sequence) {
            next.add(place, self.payload);
        }
        next
    }

    /// Its length, and the checksum of IPv4's header, which follow from the rest.
    fn complete(&mut self, payload: usize) -> Option<()> {
        self.payload = u32::try_from(payload).ok()?;
        let all = self.length + payload;
        let counted = if self.ip == 20 { all } else { all - self.ip };
        let counted = u16::try_from(counted).ok()?.to_be_bytes();
        if self.ip == 20 {
            self.octets[2..4].copy_from_slice(&counted);
            self.octets[10..12].fill(0);
            let sum = Sum16BitWords::new().add_slice(&self.octets[..20]).ones_complement();
            self.octets[10..12].copy_from_slice(&sum.to_ne_bytes());
        } else {
            self.octets[4..6].copy_from_slice(&counted);
        }
        Some(())
    }

    fn checksum(&self) -> Range<usize> {
        self.ip + 16..self.ip + 18
    }

    /// What the other end must be told, which has these headers, to get those of `segment`; `None` where it could not.
    pub(super) fn changes(&self, segment: &Self) -> Option<Changes> {
        let mut next = self.next();
        let mut changes = Changes::default();
        for (bit, field) in Field::ALL.into_iter().enumerate() {
            let Some(place) = next.place(field) else { continue };
            let difference = signed(segment.value(place.clone()).wrapping_sub(next.value(place.clone())), place.len());
            if difference != 0 {
                changes.mark(bit);
                changes.push_number((difference << 1 ^ difference >> 31).cast_unsigned());
                next.add(place, difference.cast_unsigned());
            }
        }
        for index in segment.checksum() {
            changes.push(*segment.octets.get(index)?);
            next.octets[index] = segment.octets[index];
        }
        next.complete(usize::try_from(segment.payload).ok()?)?;
        (next.octets == segment.octets && next.length == segment.length && next.ip == segment.ip).then_some(changes)
    }

    /// The headers that follow these, by what the other end tells, and with the payload that is left behind that.
    pub(super) fn changed(&self, told: &mut &[u8]) -> Option<Self> {
        let mut next = self.next();
        let mask = take(told)?;
        for (bit, field) in Field::ALL.into_iter().enumerate() {
            if mask & 1 << bit != 0 {
                let number = take_number(told)?;
                next.add(next.place(field)?, number >> 1 ^ (number & 1).wrapping_neg());
            }
        }
        for index in next.checksum() {
            next.octets[index] = take(told)?;
        }
        next.complete(told.len())?;
        (mask < 1 << Field::ALL.len() && next.payload > 0).then_some(next)
    }
}

/// A difference of numbers of so many octets, as near to 0 as it can be taken.
fn signed(difference: u32, octets: usize) -> i32 {
    let unused = 32 - 8 * octets;
    (difference << unused).cast_signed() >> unused
}
