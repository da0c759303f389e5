//! How packet numbers of a connection map to sequence numbers, which count octets.
//!
//! ```text
//!     message      |------- first -------|--- second ---|
//!     packets      | 1  |  2  |  3  | 4  |  5  |   6    |
//!     octets       0                    800           1100    a last packet may be short
//! ```

use crate::packet::PacketSize;
use alloc::collections::VecDeque;

/// How many messages of a kept connection are distinguished: the exact number of an older packet does not matter.
const REMEMBERED: usize = 4;

/// Packets of equal length, but for the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    /// How many packets it takes.
    pub(crate) packets: u64,
    /// Octets behind the headers of each of them but the last.
    pub(crate) payload: u32,
    /// Octets behind the headers of the last.
    pub(crate) last: u32,
}

impl Message {
    /// So many octets in whole packets.
    pub(crate) fn padded(octets: u64, size: PacketSize) -> Self {
        let payload = u32::try_from(size.payload()).unwrap_or(u32::MAX);
        Self { packets: octets.div_ceil(size.counted.max(1)).max(1), payload, last: payload }
    }

    /// So many octets in packets of which the last holds what is left.
    pub(crate) fn exact(octets: u64, size: PacketSize) -> Self {
        let padded = Self::padded(octets, size);
        let missing = (padded.packets * size.counted).saturating_sub(octets);
        // A packet whose headers count as data has one octet behind them at least.
        let last = u64::from(padded.payload).saturating_sub(missing).max(1);
        Self { last: u32::try_from(last).unwrap_or(u32::MAX), ..padded }
    }

    /// More than any run can send.
    pub(crate) fn endless(size: PacketSize) -> Self {
        Self { packets: u64::MAX >> 2, ..Self::padded(1, size) }
    }

    fn octets(self) -> i64 {
        let full = i64::try_from(self.packets.saturating_sub(1)).unwrap_or(i64::MAX);
        full.saturating_mul(self.payload.into()).saturating_add(self.last.into())
    }
}

/// A message, where it begins, and where the next one would.
#[derive(Debug)]
struct Begun {
    message: Message,
    packet: i64,
    octet: i64,
    end_packet: i64,
    end_octet: i64,
}

impl Begun {
    fn at(message: Message, packet: i64, octet: i64) -> Self {
        let packets = i64::try_from(message.packets).unwrap_or(i64::MAX);
        let (end_packet, end_octet) = (packet.saturating_add(packets), octet.saturating_add(message.octets()));
        Self { message, packet, octet, end_packet, end_octet }
    }
}

/// The numbers of one direction of a connection; the initial sequence number is 0.
#[derive(Debug)]
pub(crate) struct Numbering {
    /// Whether packet 0 is the SYN, which takes one number.
    handshake: bool,
    newest: Begun,
    /// Those before it, the latest last.
    older: VecDeque<Begun>,
}

impl Numbering {
    pub(super) fn new(message: Message, handshake: bool) -> Self {
        let first = i64::from(handshake);
        Self { handshake, newest: Begun::at(message, first, first), older: VecDeque::new() }
    }

    /// Begins anew, for another connection.
    pub(super) fn restart(&mut self, message: Message, handshake: bool) {
        let first = i64::from(handshake);
        self.handshake = handshake;
        self.newest = Begun::at(message, first, first);
        self.older.clear();
    }

    /// Another message follows.
    pub(super) fn append(&mut self, message: Message) {
        let next = Begun::at(message, self.newest.end_packet, self.newest.end_octet);
        if self.older.len() == REMEMBERED {
            self.older.pop_front();
        }
        self.older.push_back(core::mem::replace(&mut self.newest, next));
    }

    /// Whether a packet is the SYN.
    #[inline]
    pub(super) fn is_syn(&self, packet: i64) -> bool {
        self.handshake && packet == 0
    }

    /// How many octets stand behind a packet's headers.
    #[inline]
    pub(super) fn payload(&self, packet: i64) -> u32 {
        if self.is_syn(packet) {
            return 0;
        }
        let of = self.begun(|begun| begun.packet <= packet);
        if packet + 1 == of.end_packet { of.message.last } else { of.message.payload }
    }

    /// The sequence number of a packet's first octet.
    #[inline]
    pub(super) fn sequence(&self, packet: i64) -> u32 {
        lower_half(self.octet(packet))
    }

    /// The packet whose first octet has this sequence number, given that it lies near packet `near`.
    #[inline]
    pub(super) fn packet(&self, sequence: u32, near: i64) -> i64 {
        if self.handshake && sequence == 0 && near < i64::from(u16::MAX) {
            return 0;
        }
        let near = self.octet(near);
        let octet = near + i64::from(sequence.wrapping_sub(lower_half(near)).cast_signed());
        let of = self.begun(|begun| begun.octet <= octet);
        if octet >= of.end_octet {
            return of.end_packet;
        }
        of.packet + (octet - of.octet).div_euclid(i64::from(of.message.payload.max(1)))
    }

    #[inline]
    fn octet(&self, packet: i64) -> i64 {
        if self.is_syn(packet) {
            return 0;
        }
        let of = self.begun(|begun| begun.packet <= packet);
        if packet >= of.end_packet {
            of.end_octet
        } else {
            of.octet + (packet - of.packet) * i64::from(of.message.payload)
        }
    }

    /// The newest message of those that began before something, or the oldest of all.
    #[inline]
    fn begun(&self, before: impl Fn(&Begun) -> bool) -> &Begun {
        if self.older.is_empty() || before(&self.newest) {
            return &self.newest;
        }
        self.older.iter().rev().find(|begun| before(begun)).or(self.older.front()).unwrap_or(&self.newest)
    }
}

/// The lower 32 bits: what a sequence number keeps of the place of an octet (RFC 9293 §3.4).
#[inline]
fn lower_half(octet: i64) -> u32 {
    u32::try_from(octet & i64::from(u32::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    const SIZE: PacketSize = PacketSize { on_wire: 250, counted: 250 };

    #[test]
    fn a_message_takes_the_packets_it_needs_and_ends_as_asked() {
        let lengths = |message: Message| (message.packets, message.payload, message.last);
        assert_eq!(lengths(Message::padded(1000, SIZE)), (4, 210, 210));
        assert_eq!(lengths(Message::padded(1001, SIZE)), (5, 210, 210));
        assert_eq!(lengths(Message::exact(1100, SIZE)), (5, 210, 60));
        assert_eq!(lengths(Message::exact(1001, SIZE)), (5, 210, 1), "headers are longer than the data left");
        assert_eq!(lengths(Message::exact(0, SIZE)), (1, 210, 1));
        let on_top = PacketSize { on_wire: 290, counted: 250 };
        assert_eq!(lengths(Message::exact(1001, on_top)), (5, 250, 1));
    }

    proptest! {
        #[test]
        fn every_packet_of_any_messages_is_found_by_its_number(
            lengths in proptest::collection::vec((1u64..5000, any::<bool>()), 1..=REMEMBERED), handshake: bool, behind in 0i64..60,
        ) {
            let messages: Vec<_> = lengths.iter().map(|(octets, padded)| {
                if *padded { Message::padded(*octets, SIZE) } else { Message::exact(*octets, SIZE) }
            }).collect();
            let mut numbering = Numbering::new(messages[0], handshake);
            messages[1..].iter().for_each(|message| numbering.append(*message));
            let packets = messages.iter().map(|message| message.packets as i64).sum::<i64>() + i64::from(handshake);
            let mut awaited = 0;
            for packet in 0..packets {
                let near = (packet - behind).max(0);
                prop_assert_eq!(numbering.sequence(packet), awaited);
                prop_assert_eq!(numbering.packet(awaited, near), packet);
                awaited += numbering.payload(packet) + u32::from(numbering.is_syn(packet));
            }
            prop_assert_eq!(numbering.packet(awaited, packets - 1), packets, "what the last acknowledgement awaits");
        }
    }
}
