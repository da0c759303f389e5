//! Segments of TCP in the name of its ends: for whoever stands between them and answers one for the other (RFC 3135, Section 3.1.4).
//!
//! ```text
//!     host --- segment ---> | stand-in | --- segment ---> far host
//!          <-- "I have it" -|          |
//!          <---- retold ----|          | <-- segment ----
//! ```
//!
//! What is retold says of the acknowledgement, window and times what the stand-in has said itself; all else is as it came. Only headers
//! without options of IPv4 or extensions of IPv6 are known.

use super::checksum::{finish, read, sum, updated, write};
use super::segment::header_of;
use super::{Outline, Payload};
use alloc::vec::Vec;
use etherparse::TcpOptionElement::{
    MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp, WindowScale,
};

const TCP: u8 = 6;
/// Of TCP's header without options, and the places in it (RFC 9293, Section 3.1).
const FIXED: usize = 20;
const SEQUENCE: usize = 4;
const ACKNOWLEDGEMENT: usize = 8;
const OFFSET: usize = 12;
const FLAGS: usize = 13;
const WINDOW: usize = 14;
const CHECKSUM: usize = 16;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;
const ECE: u8 = 0x40;
/// The bit of TCP's header that is reserved and that [`set_offer`] uses.
const OFFER: u8 = 0x08;
/// Kinds of options.
const END: u8 = 0;
const NOTHING: u8 = 1;
const BLOCKS: u8 = 5;
const TIMES: u8 = 8;
/// The headers of IPv6 and of TCP, with times and three blocks.
const LONGEST: usize = 40 + FIXED + 12 + 28;

/// What is read of a segment's options (RFC 9293, Section 3.1; RFC 7323; RFC 2018).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpOptions {
    /// By how many bits windows are shifted, in a first segment.
    pub window_scale: Option<u8>,
    /// Whether blocks may be told, in a first segment.
    pub may_tell_blocks: bool,
    /// The time of who sent it, and the one that it echoes.
    pub times: Option<(u32, u32)>,
    /// Whether there is one that is not known here: it may sign the segment, or tie its connection to another one.
    pub has_others: bool,
    /// Its sender has heard of congestion, and sends less.
    pub has_slowed_down: bool,
    /// Whether this segment [offers](set_offer) something.
    pub offers: bool,
}

impl TcpOptions {
    /// Those of a packet; `None` where it carries no whole segment.
    #[must_use]
    pub fn read(packet: &[u8], outline: Outline) -> Option<Self> {
        let payload = outline.payload();
        let header = header_of(packet, outline.protocol(), &payload)?;
        let mut options = Self {
            has_slowed_down: header.cwr(),
            offers: header.slice().get(OFFSET)? & OFFER != 0,
            has_others: payload.is_authenticated,
            ..Self::default()
        };
        for option in header.options_iterator() {
            match option {
                Ok(WindowScale(scale)) => options.window_scale = Some(scale),
                Ok(SelectiveAcknowledgementPermitted) => options.may_tell_blocks = true,
                Ok(Timestamp(own, echo)) => options.times = Some((own, echo)),
                Ok(Noop | MaximumSegmentSize(_) | SelectiveAcknowledgement(..)) => {}
                Err(_) => options.has_others = true,
            }
        }
        Some(options)
    }
}

/// Sets or clears a reserved bit of a segment, by which two ends of a link tell each other something of the connection that it begins. The
/// checksum stays as it was: who set it clears it before a host sees it.
pub fn set_offer(packet: &mut [u8], payload: &Payload, is_set: bool) {
    if let Some(octet) = packet.get_mut(payload.range.start + OFFSET) {
        *octet = if is_set { *octet | OFFER } else { *octet & !OFFER };
    }
}

/// What a segment says of the other direction, and in answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'answer> {
    /// Everything before it has arrived.
    pub acknowledgement: u32,
    /// How much may be sent behind that, shifted.
    pub window: u16,
    /// The time of who sends it, and the one that it echoes.
    pub times: Option<(u32, u32)>,
    /// Whether it tells of congestion (ECE).
    pub tells_congestion: bool,
    /// What has arrived beyond the acknowledgement: three at most.
    pub blocks: &'answer [(u32, u32)],
}

/// Who says it to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandIn {
    /// The headers of IP and the ports of a segment between both.
    octets: [u8; 44],
    ip: usize,
}

impl StandIn {
    /// For the sender of this packet; `None` where its headers have options or extensions, or carry no TCP.
    #[must_use]
    pub fn for_sender_of(packet: &[u8]) -> Option<Self> {
        let ip = match packet.first()? {
            0x45 if packet.get(9) == Some(&TCP) => 20,
            0x60..0x70 if packet.get(6) == Some(&TCP) => 40,
            _ => return None,
        };
        let mut octets = [0; 44];
        octets.get_mut(..ip + 4)?.copy_from_slice(packet.get(..ip + 4)?);
        // Neither congestion nor a fragment.
        if ip == 20 {
            octets[1] &= !0b11;
            octets[4..8].copy_from_slice(&[0, 0, 0x40, 0]);
        } else {
            octets[1] &= !0x30;
        }
        Some(Self { octets, ip })
    }

    /// For the other end.
    #[must_use]
    pub fn for_receiver(mut self) -> Self {
        let addresses = if self.ip == 20 { 12 } else { 8 };
        for at in [addresses, self.ip] {
            let half = if at == self.ip { 2 } else { (self.ip - addresses) / 2 };
            let (one, other) = self.octets[at..].split_at_mut(half);
            one.swap_with_slice(&mut other[..half]);
        }
        self
    }

    /// A segment without data that has this number.
    #[must_use]
    pub fn answer(&self, sequence: u32, answer: &Answer<'_>) -> Vec<u8> {
        let flags = if answer.tells_congestion { ACK | ECE } else { ACK };
        self.segment(sequence, flags, answer)
    }

    /// One that ends the connection at once.
    #[must_use]
    pub fn reset(&self, sequence: u32, acknowledgement: u32) -> Vec<u8> {
        let nothing = Answer { acknowledgement, window: 0, times: None, tells_congestion: false, blocks: &[] };
        self.segment(sequence, RST | ACK, &nothing)
    }

    fn segment(&self, sequence: u32, flags: u8, answer: &Answer<'_>) -> Vec<u8> {
        let mut packet = Vec::with_capacity(LONGEST);
        packet.extend_from_slice(&self.octets[..self.ip + 4]);
        packet.extend_from_slice(&sequence.to_be_bytes());
        packet.extend_from_slice(&answer.acknowledgement.to_be_bytes());
        packet.extend_from_slice(&[0, flags]);
        packet.extend_from_slice(&answer.window.to_be_bytes());
        packet.extend_from_slice(&[0; 4]);
        if let Some((own, echo)) = answer.times {
            packet.extend_from_slice(&[NOTHING, NOTHING, TIMES, 10]);
            packet.extend_from_slice(&own.to_be_bytes());
            packet.extend_from_slice(&echo.to_be_bytes());
        }
        let blocks = answer.blocks.get(..3).unwrap_or(answer.blocks);
        if !blocks.is_empty() {
            let length = if blocks.len() == 1 {
                10
            } else if blocks.len() == 2 {
                18
            } else {
                26
            };
            packet.extend_from_slice(&[NOTHING, NOTHING, BLOCKS, length]);
            for (from, to) in blocks {
                packet.extend_from_slice(&from.to_be_bytes());
                packet.extend_from_slice(&to.to_be_bytes());
            }
        }
        self.complete(&mut packet);
        packet
    }

    /// Lengths and checksums, which follow from the rest.
    fn complete(&self, packet: &mut [u8]) {
        let length = packet.len() - self.ip;
        let words = u8::try_from(length / 4).unwrap_or(0);
        let length = u16::try_from(length).unwrap_or(0);
        if let Some(octet) = packet.get_mut(self.ip + OFFSET) {
            *octet = words << 4;
        }
        let addresses = if self.ip == 20 { 12..20 } else { 8..40 };
        if self.ip == 20 {
            write(packet, 2, length + 20);
            write(packet, 10, 0);
            let header = finish(sum(0, &packet[..20]));
            write(packet, 10, header);
        } else {
            write(packet, 4, length);
        }
        let pseudo = sum(u64::from(TCP) + u64::from(length), &packet[addresses]);
        let checksum = finish(sum(pseudo, &packet[self.ip..]));
        write(packet, self.ip + CHECKSUM, checksum);
    }
}

/// A packet with the same data that says this, of whose segment the numbers of the other direction are for the stand-in to say: blocks are
/// left out. `None` where it carries no whole segment.
#[must_use]
pub fn retold(packet: &[u8], payload: &Payload, sequence: u32, answer: &Answer<'_>) -> Option<Vec<u8>> {
    let tcp = payload.range.start;
    let end = tcp + usize::from(packet.get(tcp + OFFSET)? >> 4) * 4;
    let before = folded_sum(packet.get(tcp..end).filter(|header| header.len() >= FIXED)?);
    let mut told = packet.to_vec();
    let header = &mut told[tcp..end];
    header[SEQUENCE..SEQUENCE + 4].copy_from_slice(&sequence.to_be_bytes());
    header[ACKNOWLEDGEMENT..ACKNOWLEDGEMENT + 4].copy_from_slice(&answer.acknowledgement.to_be_bytes());
    write(header, WINDOW, answer.window);
    let congestion = if answer.tells_congestion { ECE } else { 0 };
    header[FLAGS] = header[FLAGS] & !ECE | congestion;
    tell_in_options(&mut header[FIXED..], answer.times);
    let after = folded_sum(header);
    let checksum = updated(read(header, CHECKSUM)?, before, after);
    write(header, CHECKSUM, checksum);
    Some(told)
}

/// The sum of a header.
fn folded_sum(header: &[u8]) -> u16 {
    !finish(sum(0, header))
}

/// Times as they are to be, and no blocks.
fn tell_in_options(options: &mut [u8], times: Option<(u32, u32)>) {
    let mut at = 0;
    while let Some(kind) = options.get(at).copied().filter(|kind| *kind != END) {
        let length = if kind == NOTHING { 1 } else { options.get(at + 1).copied().map_or(0, usize::from).max(2) };
        let Some(option) = options.get_mut(at..at + length) else { return };
        match (kind, times) {
            (BLOCKS, _) => option.fill(NOTHING),
            (TIMES, Some((own, echo))) if length == 10 => {
                option[2..6].copy_from_slice(&own.to_be_bytes());
                option[6..].copy_from_slice(&echo.to_be_bytes());
            }
            _ => {}
        }
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{NetHeaders, PacketBuilder, PacketHeaders, TcpHeader, TransportHeader};
    use proptest::prelude::*;

    fn packet(is_ipv4: bool, data: usize, change: impl FnOnce(&mut TcpHeader)) -> Vec<u8> {
        let mut header = TcpHeader::new(80, 4000, 7, 1000);
        (header.ack, header.acknowledgment_number) = (true, 99);
        change(&mut header);
        let mut octets = Vec::new();
        if is_ipv4 {
            let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp_header(header);
            builder.write(&mut octets, &alloc::vec![0xa5; data]).expect("memory");
        } else {
            let builder = PacketBuilder::ipv6([1; 16], [2; 16], 64).tcp_header(header);
            builder.write(&mut octets, &alloc::vec![0xa5; data]).expect("memory");
        }
        octets
    }

    /// What a parser reads that is not ours, which finds checksums right.
    fn parsed(packet: &[u8]) -> (TcpHeader, usize) {
        let headers = PacketHeaders::from_ip_slice(packet).expect("a packet");
        let Some(TransportHeader::Tcp(tcp)) = headers.transport else { panic!("no segment") };
        let payload = headers.payload.slice();
        match headers.net {
            Some(NetHeaders::Ipv4(ip, _)) => {
                assert_eq!(ip.header_checksum, ip.calc_header_checksum());
                assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(&ip, payload).expect("short"));
                assert_eq!(usize::from(ip.total_len), packet.len());
            }
            Some(NetHeaders::Ipv6(ip, _)) => {
                assert_eq!(tcp.checksum, tcp.calc_checksum_ipv6(&ip, payload).expect("short"));
                assert_eq!(usize::from(ip.payload_length) + 40, packet.len());
            }
            other => panic!("{other:?}"),
        }
        (tcp, payload.len())
    }

    #[test]
    fn options_of_a_first_segment_are_read_and_unknown_ones_are_noticed() {
        use etherparse::TcpOptionElement::*;
        let read =
            |packet: &[u8]| TcpOptions::read(packet, Outline::read(packet).expect("a packet")).expect("a segment");
        let syn = packet(true, 0, |tcp| {
            tcp.set_options(&[
                MaximumSegmentSize(1460),
                SelectiveAcknowledgementPermitted,
                Timestamp(5, 6),
                Noop,
                WindowScale(7),
            ])
            .expect("room");
        });
        let expected =
            TcpOptions { window_scale: Some(7), may_tell_blocks: true, times: Some((5, 6)), ..TcpOptions::default() };
        assert_eq!(read(&syn), expected);
        // Multipath TCP (RFC 8684).
        let multipath = packet(true, 0, |tcp| tcp.set_options_raw(&[30, 4, 0, 0]).expect("room"));
        assert!(read(&multipath).has_others && !read(&packet(true, 0, |_| ())).has_others);
        let mut offer = packet(false, 0, |_| ());
        let payload = Outline::read(&offer).expect("a packet").payload();
        set_offer(&mut offer, &payload, true);
        assert!(read(&offer).offers);
        set_offer(&mut offer, &payload, false);
        assert_eq!(offer, packet(false, 0, |_| ()));
    }

    #[test]
    fn an_answer_comes_from_whom_it_stands_for_with_what_it_is_to_say() {
        use etherparse::TcpOptionElement::*;
        for is_ipv4 in [true, false] {
            let of_host = packet(is_ipv4, 10, |_| ());
            let stand_in = StandIn::for_sender_of(&of_host).expect("usual headers").for_receiver();
            let answer = Answer {
                acknowledgement: 17,
                window: 500,
                times: Some((8, 9)),
                tells_congestion: true,
                blocks: &[(20, 30), (40, 50), (60, 70)],
            };
            let (tcp, data) = parsed(&stand_in.answer(99, &answer));
            assert_eq!((tcp.source_port, tcp.destination_port, data), (4000, 80, 0));
            assert_eq!((tcp.sequence_number, tcp.acknowledgment_number, tcp.window_size), (99, 17, 500));
            assert!(tcp.ack && tcp.ece && !tcp.syn && !tcp.rst);
            let options: Vec<_> = tcp.options_iterator().map(|option| option.expect("known")).collect();
            let blocks = SelectiveAcknowledgement((20, 30), [Some((40, 50)), Some((60, 70)), None]);
            assert_eq!(options, [Noop, Noop, Timestamp(8, 9), Noop, Noop, blocks]);
            let (tcp, _) = parsed(&stand_in.for_receiver().reset(7, 99));
            assert!(tcp.rst && (tcp.source_port, tcp.sequence_number) == (80, 7));
        }
        assert_eq!(StandIn::for_sender_of(&[0x46; 40]), None);
    }

    proptest! {
        #[test]
        fn what_is_retold_has_its_data_and_a_right_checksum(is_ipv4: bool, data in 0usize..50, numbers: [u32; 6], window: u16, congestion: bool, has_times: bool) {
            use etherparse::TcpOptionElement::*;
            let of_host = packet(is_ipv4, data, |tcp| {
                tcp.ece = true;
                tcp.set_options(&[Noop, Timestamp(1, 2), Noop, SelectiveAcknowledgement((1, 2), [None; 3])]).expect("room");
            });
            let [sequence, acknowledgement, own, echo, ..] = numbers;
            let times = has_times.then_some((own, echo));
            let answer = Answer { acknowledgement, window, times, tells_congestion: congestion, blocks: &[] };
            let payload = Outline::read(&of_host).expect("a packet").payload();
            let (tcp, length) = parsed(&retold(&of_host, &payload, sequence, &answer).expect("a segment"));
            prop_assert_eq!((tcp.sequence_number, tcp.acknowledgment_number, tcp.window_size), (sequence, acknowledgement, window));
            prop_assert_eq!((length, tcp.ece), (data, congestion));
            let options: Vec<_> = tcp.options_iterator().map(|option| option.expect("known")).filter(|option| *option != Noop).collect();
            let (own, echo) = times.unwrap_or((1, 2));
            prop_assert_eq!(options, [Timestamp(own, echo)]);
        }
    }
}
