//! A capture's blocks, one by one, up to where its end is cut off.
//!
//! ```text
//!     | head | record | record | rec          whoever captured was killed, or the disk was full: all before is as it was
//!     | head | record | rec!!! | record |     a wrong length leads beyond the end, too, but more records lie behind it: damage
//! ```

use pcap_parser::{PcapBlockOwned, PcapError, PcapHeader, nom};
use pcap_parser::{parse_block_be, parse_block_le, parse_pcap_frame, parse_pcap_frame_be, parse_pcap_header};

/// Why there is no further block.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file ends within the next one.
    Cut,
    /// It is none, for this reason.
    Broken(&'static str),
}

/// The blocks of a capture.
pub(super) struct Blocks<'a> {
    octets: &'a [u8],
    /// Where the next one begins.
    pub(super) at: usize,
    format: Format,
}

enum Format {
    Pcap(PcapHeader),
    Pcapng { is_big_endian: bool },
}

/// The first block of a section: a palindrome, so that either order of octets is known by it.
const SECTION: u32 = 0x0A0D_0D0A;
const ENHANCED_PACKET: u32 = 6;
/// What a record of pcap has in front of its packet, and the least that a block of pcapng has.
const RECORD: usize = 16;
const BLOCK: usize = 12;
/// tcpdump's and Wireshark's limit of a packet, and one for other blocks.
const LONGEST_PACKET: u32 = 262_144;
const LONGEST_BLOCK: usize = 1 << 24;
/// Neighbours are not further apart.
const SECONDS_APART: u32 = 365 * 86_400;

type Parsed<'a, T> = Result<(&'a [u8], T), nom::Err<PcapError<&'a [u8]>>>;

impl<'a> Blocks<'a> {
    /// Reads the head; it has to be whole.
    pub(super) fn new(octets: &'a [u8]) -> Result<Self, &'static str> {
        if octets.starts_with(&SECTION.to_le_bytes()) {
            return match parse_block_le(octets) {
                Ok(_) => Ok(Self { octets, at: 0, format: Format::Pcapng { is_big_endian: false } }),
                Err(error) => Err(said_of_head(&error)),
            };
        }
        let (_, header) = parse_pcap_header(octets).map_err(|error| said_of_head(&error))?;
        Ok(Self { octets, at: 0, format: Format::Pcap(header) })
    }

    /// The next block; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<PcapBlockOwned<'a>>, Stop> {
        let rest = &self.octets[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let parsed = match &self.format {
            Format::Pcap(header) if self.at == 0 => {
                self.at = header.size();
                return Ok(Some(header.clone().into()));
            }
            // A file system fills with zeros what was never written.
            _ if rest[..rest.len().min(RECORD)].iter().all(|octet| *octet == 0)
                && rest.iter().all(|octet| *octet == 0) =>
            {
                return Err(Stop::Cut);
            }
            Format::Pcap(header) if header.is_bigendian() => owned(parse_pcap_frame_be(rest)),
            Format::Pcap(_) => owned(parse_pcap_frame(rest)),
            Format::Pcapng { is_big_endian: true } => owned(parse_block_be(rest)),
            Format::Pcapng { .. } => owned(parse_block_le(rest)),
        };
        match parsed {
            Ok((behind, block)) => {
                if let PcapBlockOwned::NG(pcap_parser::Block::SectionHeader(section)) = &block {
                    self.format = Format::Pcapng { is_big_endian: section.big_endian() };
                }
                self.at = self.octets.len() - behind.len();
                Ok(Some(block))
            }
            Err(error) if error.is_incomplete() && self.is_cut(rest) => Err(Stop::Cut),
            Err(error) => Err(Stop::Broken(said(&error))),
        }
    }

    /// Whether a block that the file does not have all of is the last one, and not one with a wrong length.
    fn is_cut(&self, rest: &[u8]) -> bool {
        match &self.format {
            Format::Pcap(header) => {
                let record = |at: usize| Record::at(rest, at, header);
                let Some(cut) = record(0) else { return rest.len() < RECORD };
                let is_whole = |at: usize| {
                    record(at)
                        .filter(|found| found.length > 0 && found.second.abs_diff(cut.second) <= SECONDS_APART)
                        .is_some_and(|found| {
                            let next = at + RECORD + found.length as usize;
                            next == rest.len()
                                || record(next).is_some_and(|after| after.second.abs_diff(cut.second) <= SECONDS_APART)
                        })
                };
                !(RECORD..rest.len()).any(is_whole)
            }
            Format::Pcapng { is_big_endian } => {
                let is_section = rest.starts_with(&SECTION.to_le_bytes());
                let word = |at: usize| word(rest, at, *is_big_endian);
                let length = |at: usize| word(at + 4).map(|length| length as usize);
                let is_length = |length: usize| length.is_multiple_of(4) && (BLOCK..=LONGEST_BLOCK).contains(&length);
                let is_whole = |at: usize| {
                    let length = length(at).filter(|length| word(at) == Some(ENHANCED_PACKET) && is_length(*length));
                    length.is_some_and(|length| word(at + length - 4) == Some(length as u32))
                };
                let is_plausible = is_section || length(0).is_none_or(is_length);
                is_plausible && !(8..rest.len()).step_by(4).any(is_whole)
            }
        }
    }
}

/// The head of a record of pcap.
struct Record {
    second: u32,
    length: u32,
}

impl Record {
    /// What stands here, if it can be the head of one.
    fn at(octets: &[u8], at: usize, header: &PcapHeader) -> Option<Self> {
        let word = |number: usize| word(octets, at + 4 * number, header.is_bigendian());
        let (second, fraction, length, whole) = (word(0)?, word(1)?, word(2)?, word(3)?);
        let longest = header.snaplen.max(LONGEST_PACKET);
        let parts = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
        (fraction < parts && length <= whole && length <= longest).then_some(Self { second, length })
    }
}

fn word(octets: &[u8], at: usize, is_big_endian: bool) -> Option<u32> {
    let word = *octets.get(at..)?.first_chunk()?;
    Some(if is_big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
}

fn owned<'a, T>(parsed: Parsed<'a, T>) -> Parsed<'a, PcapBlockOwned<'a>>
where
    PcapBlockOwned<'a>: From<T>,
{
    parsed.map(|(rest, block)| (rest, block.into()))
}

/// Without all of its head nothing of a file is known.
fn said_of_head(error: &nom::Err<PcapError<&[u8]>>) -> &'static str {
    if error.is_incomplete() { "it ends within its head, or a length is wrong" } else { said(error) }
}

/// What the library's error says, without the octets that it carries along.
fn said(error: &nom::Err<PcapError<&[u8]>>) -> &'static str {
    match error {
        nom::Err::Incomplete(_) => "it ends within a packet, or a length is wrong",
        nom::Err::Error(PcapError::HeaderNotRecognized) | nom::Err::Failure(PcapError::HeaderNotRecognized) => {
            "its head is neither pcap's nor pcapng's"
        }
        nom::Err::Error(_) | nom::Err::Failure(_) => "a block is not what its head says",
    }
}
