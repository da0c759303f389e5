//! Joining packets of TCP into super-packets, which the system takes at once: what a network card's receive offload does (GRO).
//!
//! ```text
//!     |headers|..data..| |headers|..data..| |headers|data|     ->     |headers|..data..|..data..|data|
//! ```
//!
//! Joined is only what the system would cut into the very same packets again: one connection, in sequence, all of one size but
//! the last, with equal headers and valid checksums. A packet that does not follow is the first of the next.

use super::LARGEST;
use super::cut::{Missing, pseudo_header};
use super::headers::{Carries, Headers, Protocol, Version, headers};
use crate::checksum::{finish, read, sum, write};
use alloc::boxed::Box;
use alloc::vec;

/// The largest IP packet.
const LONGEST: usize = 65_535;
const ACK: u8 = 0x10;
const PSH: u8 = 0x08;

/// Packets that are handed over together, behind a note of what is missing from them.
#[derive(Debug)]
pub struct Joiner {
    buffer: Box<[u8]>,
    /// Where the packets end.
    end: usize,
    /// How many there are.
    count: u64,
    /// What another has to follow, if one may.
    run: Option<Run>,
}

/// Packets of a connection in sequence.
#[derive(Debug)]
struct Run {
    headers: Headers,
    /// Octets of data in each packet but the last.
    size: usize,
    /// The sequence number of what follows.
    next: u32,
}

impl Default for Joiner {
    fn default() -> Self {
        Self::new()
    }
}

impl Joiner {
    /// One that holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self { buffer: vec![0; Missing::LENGTH + LARGEST].into_boxed_slice(), end: 0, count: 0, run: None }
    }

    /// Appends a packet, if it follows those that are there.
    pub fn append(&mut self, packet: &[u8]) -> bool {
        let Some(run) = &mut self.run else { return false };
        let first = &self.buffer[Missing::LENGTH..self.end];
        let data = packet.len().saturating_sub(run.headers.data);
        let follows = sequence(packet, &run.headers) == Some(run.next)
            && data > 0
            && data <= run.size
            && first.len() + data <= LONGEST
            && is_alike(first, packet, &run.headers, self.count)
            && joinable(packet).as_ref() == Some(&run.headers);
        if !follows {
            return false;
        }
        let is_last = data < run.size || is_pushed(packet, &run.headers);
        run.next = run.next.wrapping_add(u32::try_from(data).unwrap_or(u32::MAX));
        let flags = Missing::LENGTH + run.headers.transport + 13;
        self.buffer[flags] |= packet[run.headers.transport + 13];
        self.buffer[self.end..self.end + data].copy_from_slice(&packet[run.headers.data..]);
        self.end += data;
        self.count += 1;
        if is_last {
            self.close();
        }
        true
    }

    /// Begins with a packet. Those before have been [taken](Self::take). `false` where it is larger than any packet.
    pub fn begin(&mut self, packet: &[u8]) -> bool {
        let end = Missing::LENGTH + packet.len();
        let Some(room) = self.buffer.get_mut(..end) else { return false };
        room[..Missing::LENGTH].copy_from_slice(&Missing::NOTHING);
        room[Missing::LENGTH..].copy_from_slice(packet);
        (self.end, self.count) = (end, 1);
        self.run = joinable(packet).filter(|headers| !is_pushed(packet, headers)).and_then(|headers| {
            let size = packet.len() - headers.data;
            let next = sequence(packet, &headers)?.wrapping_add(u32::try_from(size).ok()?);
            Some(Run { headers, size, next })
        });
        true
    }

    /// What there is, with the note before it, and how many packets that is.
    pub fn take(&mut self) -> Option<(&[u8], u64)> {
        self.close();
        let (end, count) = (core::mem::take(&mut self.end), core::mem::take(&mut self.count));
        (count > 0).then(|| (&self.buffer[..end], count))
    }

    /// No other packet may follow: writes what a super-packet's headers say.
    fn close(&mut self) {
        let Some(Run { headers, size, .. }) = self.run.take().filter(|_| self.count > 1) else { return };
        let (note, packet) = self.buffer[..self.end].split_at_mut(Missing::LENGTH);
        if complete(packet, &headers).is_some()
            && let Some(missing) = Missing::of_tcp(&headers, size)
        {
            note.copy_from_slice(&missing);
        }
    }
}

/// Writes the lengths and checksums of a super-packet; that of TCP has the sum of the pseudo-header alone.
fn complete(packet: &mut [u8], headers: &Headers) -> Option<()> {
    let length = packet.len();
    match headers.version {
        Version::V6 => write(packet, 4, u16::try_from(length - 40).ok()?)?,
        Version::V4 => {
            write(packet, 2, u16::try_from(length).ok()?)?;
            write(packet, 10, 0)?;
            let checksum = finish(sum(0, &packet[..headers.transport]));
            write(packet, 10, checksum)?;
        }
    }
    let pseudo = !finish(pseudo_header(packet, headers)?);
    write(packet, headers.transport + 16, pseudo)
}

/// The headers of a packet that may be one of many: TCP with data and nothing but an acknowledgement beside it, whole and valid,
/// without options of IP.
fn joinable(packet: &[u8]) -> Option<Headers> {
    let headers = headers(packet, Carries::Packets)?;
    let (length, is_plain) = match headers.version {
        Version::V4 => (usize::from(read(packet, 2)?), headers.transport == 20),
        Version::V6 => (usize::from(read(packet, 4)?) + 40, headers.transport == 40),
    };
    let flags = *packet.get(headers.transport + 13)?;
    let is_data = headers.protocol == Protocol::Tcp && flags & !PSH == ACK && packet.len() > headers.data;
    let is_whole = is_plain && is_data && length == packet.len();
    let is_valid = || {
        let network = if headers.version == Version::V4 { finish(sum(0, &packet[..20])) } else { 0 };
        let transport = sum(pseudo_header(packet, &headers)?, &packet[headers.transport..]);
        Some(network == 0 && finish(transport) == 0)
    };
    (is_whole && is_valid()?).then_some(headers)
}

fn is_pushed(packet: &[u8], headers: &Headers) -> bool {
    packet.get(headers.transport + 13).is_some_and(|flags| flags & PSH != 0)
}

fn sequence(packet: &[u8], headers: &Headers) -> Option<u32> {
    packet.get(headers.transport + 4..)?.first_chunk().map(|number| u32::from_be_bytes(*number))
}

/// Whether the headers of a packet are those of the first but for lengths, numbers, checksums and PSH, where `count` packets are
/// there already.
fn is_alike(first: &[u8], packet: &[u8], headers: &Headers, count: u64) -> bool {
    let Headers { version, transport, data, .. } = *headers;
    let same = |range: core::ops::Range<usize>| packet.get(range.clone()).is_some_and(|octets| octets == &first[range]);
    let network = match version {
        // Version and service; fragments; lifetime and protocol; addresses.
        Version::V4 => {
            let number = |packet: &[u8]| read(packet, 4).map(u64::from);
            let follows = number(first).map(|number| (number + count) & 0xffff) == number(packet);
            same(0..2) && follows && same(6..10) && same(12..20)
        }
        Version::V6 => same(0..4) && same(6..40),
    };
    // Ports; acknowledgement and data offset; window; urgent pointer and options.
    network
        && same(transport..transport + 4)
        && same(transport + 8..transport + 13)
        && same(transport + 14..transport + 16)
        && same(transport + 18..data)
}
