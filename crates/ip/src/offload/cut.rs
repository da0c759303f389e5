//! Cutting a super-packet into packets, and completing checksums.

use super::headers::{Carries, Headers, Protocol, Version, headers};
use crate::checksum::{finish, read, sum, write};

/// What is missing from a packet: `virtio_net_hdr`, in the machine's own order of octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    flags: u8,
    kind: u8,
    size: u16,
    checksum_start: u16,
    checksum_offset: u16,
}

impl Missing {
    /// Octets of the note.
    pub const LENGTH: usize = 10;
    /// Nothing is missing.
    pub const NOTHING: [u8; Self::LENGTH] = [0; Self::LENGTH];
    const NEEDS_CHECKSUM: u8 = 1;
    const TCP_IPV4: u8 = 1;
    const TCP_IPV6: u8 = 4;
    const UDP: u8 = 5;
    /// Set beside the kind where TCP negotiated ECN; the first segment alone keeps CWR in any case.
    const ECN: u8 = 0x80;

    /// What is missing from a super-packet of TCP whose checksum has the sum of the pseudo-header.
    pub(super) fn of_tcp(headers: &Headers, size: usize) -> Option<[u8; Self::LENGTH]> {
        let kind = if headers.version == Version::V4 { Self::TCP_IPV4 } else { Self::TCP_IPV6 };
        let numbers = [headers.data, size, headers.transport, 16];
        let mut note = [0; Self::LENGTH];
        (note[0], note[1]) = (Self::NEEDS_CHECKSUM, kind);
        for (place, number) in note[2..].as_chunks_mut().0.iter_mut().zip(numbers) {
            *place = u16::try_from(number).ok()?.to_ne_bytes();
        }
        Some(note)
    }

    /// Reads a note.
    #[must_use]
    pub fn parse(note: &[u8; Self::LENGTH]) -> Self {
        // Octets 2 and 3 are the length of the headers, a hint that is not always right.
        let [flags, kind, _, _, size @ .., d, e, f, g] = note;
        let number = |high: &u8, low: &u8| u16::from_ne_bytes([*high, *low]);
        Self {
            flags: *flags,
            kind: *kind,
            size: u16::from_ne_bytes(*size),
            checksum_start: number(d, e),
            checksum_offset: number(f, g),
        }
    }
}

/// A super-packet that is being cut, or a whole packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cutter {
    headers: Headers,
    /// The sum of the pseudo-header without its length.
    pseudo: u64,
    /// Octets of data in each packet but the last.
    size: usize,
    /// Where the next packet's data begins, and its number.
    at: usize,
    number: u16,
}

/// What becomes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// It is a packet as it stands.
    AsItIs,
    /// It has to be cut.
    Cut(Cutter),
    /// Nobody can make a packet of it.
    Broken,
}

/// Completes a frame of which the first `shift` octets are more than its note knows of, or says how it is to be cut.
pub fn complete(frame: &mut [u8], carries: Carries, missing: Missing, shift: usize) -> Whole {
    match missing.kind & !Missing::ECN {
        0 if missing.flags & Missing::NEEDS_CHECKSUM == 0 => Whole::AsItIs,
        0 => complete_checksum(frame, missing, shift).map_or(Whole::Broken, |()| Whole::AsItIs),
        kind => cutter(frame, carries, kind, missing).map_or(Whole::Broken, Whole::Cut),
    }
}

/// Adds up what the checksum covers: its field holds the sum of the pseudo-header already.
fn complete_checksum(frame: &mut [u8], missing: Missing, shift: usize) -> Option<()> {
    let start = usize::from(missing.checksum_start) + shift;
    let at = start + usize::from(missing.checksum_offset);
    let checksum = finish(sum(0, frame.get(start..)?));
    // RFC 768: in UDP, zero would say that there is none. No other protocol minds the other zero.
    write(frame, at, if checksum == 0 { 0xffff } else { checksum })
}

fn cutter(frame: &[u8], carries: Carries, kind: u8, missing: Missing) -> Option<Cutter> {
    let headers = headers(frame, carries)?;
    let expected = match kind {
        Missing::TCP_IPV4 => (Some(Version::V4), Protocol::Tcp),
        Missing::TCP_IPV6 => (Some(Version::V6), Protocol::Tcp),
        Missing::UDP => (None, Protocol::Udp),
        _ => return None,
    };
    let fits = expected.0.is_none_or(|version| version == headers.version) && expected.1 == headers.protocol;
    let size = usize::from(missing.size);
    let pseudo = pseudo_of_whole(frame, &headers, missing)?;
    (fits && size > 0).then_some(Cutter { headers, pseudo, size, at: headers.data, number: 0 })
}

/// The sum of the pseudo-header of a super-packet without its length. The system has written it with the length of the whole, and knows
/// best: behind a routing header, or a home address among the options, the addresses are not those of the IP header (RFC 8200, section
/// 8.1; RFC 6275, section 6.3).
fn pseudo_of_whole(frame: &[u8], headers: &Headers, missing: Missing) -> Option<u64> {
    let length = u16::try_from(frame.len() - headers.transport).ok()?;
    let has_extensions = headers.version == Version::V6 && headers.transport > headers.network + 40;
    if missing.flags & Missing::NEEDS_CHECKSUM != 0 {
        let at = headers.transport + if headers.protocol == Protocol::Tcp { 16 } else { 6 };
        Some(u64::from(read(frame, at)?) + u64::from(!length))
    } else if has_extensions {
        None
    } else {
        Some(pseudo_header(frame, headers)? + u64::from(!length))
    }
}

impl Cutter {
    /// Whether all of a frame of this length has been cut.
    #[must_use]
    pub fn is_done(&self, length: usize) -> bool {
        self.at >= length
    }

    /// Writes the next packet of a super-packet into `room`, which is asked for so many octets; how many that are. `None` after the last.
    pub fn next<'r>(&mut self, frame: &[u8], room: impl FnOnce(usize) -> &'r mut [u8]) -> Option<usize> {
        let Headers { data, .. } = self.headers;
        let end = self.at.saturating_add(self.size).min(frame.len());
        let is_first = self.number == 0;
        if self.at >= end && !is_first {
            return None;
        }
        let length = data + (end - self.at);
        let packet = room(length).get_mut(..length)?;
        packet[..data].copy_from_slice(frame.get(..data)?);
        packet[data..].copy_from_slice(frame.get(self.at..end)?);
        let before = self.at - data;
        self.write_network(packet)?;
        self.write_transport(packet, before, end == frame.len())?;
        (self.at, self.number) = (end, self.number.wrapping_add(1).max(1));
        Some(length)
    }

    /// The IP header: its length; in IPv4 also the number, which goes up, and the checksum.
    fn write_network(&self, packet: &mut [u8]) -> Option<()> {
        let Headers { network, version, transport, .. } = self.headers;
        let length = |from: usize| u16::try_from(packet.len() - from).ok();
        match version {
            Version::V6 => write(packet, network + 4, length(network + 40)?),
            Version::V4 => {
                write(packet, network + 2, length(network)?)?;
                let number = read(packet, network + 4)?.wrapping_add(self.number);
                write(packet, network + 4, number)?;
                write(packet, network + 10, 0)?;
                let checksum = finish(sum(0, &packet[network..transport]));
                write(packet, network + 10, checksum)
            }
        }
    }

    /// The transport header of the packet that has `before` octets of data before it.
    fn write_transport(&self, packet: &mut [u8], before: usize, is_last: bool) -> Option<()> {
        let Headers { transport, protocol, .. } = self.headers;
        match protocol {
            Protocol::Tcp => {
                let sequence = packet.get_mut(transport + 4..)?.first_chunk_mut()?;
                let first = u32::from_be_bytes(*sequence);
                *sequence = first.wrapping_add(u32::try_from(before).ok()?).to_be_bytes();
                // RFC 9293, section 3.1: CWR says something once, FIN and PSH of the end.
                let (cwr, psh, fin) = (0x80, 0x08, 0x01);
                let cleared = if before > 0 { cwr } else { 0 } | if is_last { 0 } else { psh | fin };
                *packet.get_mut(transport + 13)? &= !cleared;
                self.write_checksum(packet, transport + 16)
            }
            Protocol::Udp => {
                write(packet, transport + 4, u16::try_from(packet.len() - transport).ok()?)?;
                // RFC 768: zero says that there is none.
                if read(packet, transport + 6)? == 0 { Some(()) } else { self.write_checksum(packet, transport + 6) }
            }
        }
    }

    /// The checksum over pseudo-header, header and data.
    fn write_checksum(&self, packet: &mut [u8], at: usize) -> Option<()> {
        write(packet, at, 0)?;
        let covered = &packet[self.headers.transport..];
        let checksum = finish(sum(self.pseudo + u64::try_from(covered.len()).ok()?, covered));
        // RFC 768: zero would say that there is none.
        let is_none = checksum == 0 && self.headers.protocol == Protocol::Udp;
        write(packet, at, if is_none { 0xffff } else { checksum })
    }
}

/// The sum of the pseudo-header: RFC 9293, section 3.1; RFC 8200, section 8.1.
pub(super) fn pseudo_header(packet: &[u8], headers: &Headers) -> Option<u64> {
    let &Headers { network, version, transport, protocol, .. } = headers;
    let addresses = match version {
        Version::V4 => network + 12..network + 20,
        Version::V6 => network + 8..network + 40,
    };
    let length = u64::try_from(packet.len() - transport).ok()?;
    Some(sum(length + u64::from(protocol.number()), packet.get(addresses)?))
}
