//! Captures: pcapng and classic pcap, through a library; of each packet only when, how long, and a hash of what it is.

use super::content::{self, Content};
use arqway_units::Octets;
use pcap_parser::{Block, PcapBlockOwned, PcapError, create_reader};
use std::io::Cursor;

/// A capture, read into memory.
#[derive(Debug, Clone, Copy)]
pub struct CaptureFile<'a> {
    /// Its name, for what is said about it.
    pub name: &'a str,
    /// What is in it.
    pub octets: &'a [u8],
}

/// Which interfaces of captures are the two ends of the link, by their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Where frames are sent: the first, unless it is said.
    pub from: Option<String>,
    /// Where they arrive: the other one, unless it is said.
    pub to: Option<String>,
}

/// Why captures cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The file is broken from the start, or somewhere within.
    #[error("{file} cannot be read as a capture, at octet {at}: {why}")]
    Broken {
        /// Which.
        file: String,
        /// How many octets could be read.
        at: usize,
        /// What the reader said.
        why: String,
    },
    /// No interface has this name.
    #[error("{file} has no interface `{name}`; expected one of {known}")]
    Unknown {
        /// Which.
        file: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A capture by itself does not say which two of its interfaces are meant.
    #[error("{file} has {}; expected a second capture from the other end, or two interfaces named by --from and --to", interfaces(.known))]
    Ends {
        /// Which.
        file: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Nothing was sent.
    #[error("{file} has no packets that were sent{}", at_place(.place))]
    Empty {
        /// Which.
        file: String,
        /// The interface, if one is meant.
        place: Option<String>,
    },
    /// Nothing that was sent was seen to arrive.
    #[error(
        "none of the {sent} packets sent is among the {arrived} that arrived: the captures are from different times or directions, or a router in between rewrites addresses; expected captures at both ends of the link itself"
    )]
    Unmatched {
        /// How many were sent.
        sent: usize,
        /// How many arrived.
        arrived: usize,
    },
}

fn interfaces(known: &[String]) -> String {
    match known {
        [] => "no interfaces".to_owned(),
        [one] => format!("the interface {one} alone"),
        many => format!("{} interfaces, {}", many.len(), many.join(", ")),
    }
}

fn at_place(place: &Option<String>) -> String {
    place.as_ref().map_or_else(String::new, |place| format!(" at {place}"))
}

/// A packet at one end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Nanoseconds of the capture's clock.
    pub(super) at: i64,
    pub(super) octets: Octets,
    pub(super) content: Content,
    /// Whether the capture has not all of it.
    pub(super) cut: bool,
}

/// What a capture holds: its interfaces, and what each saw.
#[derive(Debug, Default)]
struct Held {
    interfaces: Vec<Interface>,
}

#[derive(Debug)]
struct Interface {
    name: String,
    link_type: i32,
    /// Ticks a second, and the second that ticks are counted from.
    resolution: u64,
    offset: i64,
    seen: Vec<(Way, Seen)>,
}

/// Which way a packet crossed its interface, if that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
    Unknown,
}

/// What was sent and what arrived, each in the order of time.
pub(super) fn read(
    sent: &CaptureFile<'_>,
    arrived: Option<&CaptureFile<'_>>,
    places: &Places,
) -> Result<(Vec<Seen>, Vec<Seen>), CaptureError> {
    let mut near = hold(sent)?;
    let (from, to) = match arrived {
        Some(arrived) => {
            let far = hold(arrived)?;
            (take(sent, near, places.from.as_deref(), Way::In)?, take(arrived, far, places.to.as_deref(), Way::Out)?)
        }
        None => {
            let (from, to) = ends(sent, &near, places)?;
            let mut of = |place: usize, not: Way| keep(std::mem::take(&mut near.interfaces[place].seen), not);
            (of(from, Way::In), of(to, Way::Out))
        }
    };
    if from.is_empty() {
        return Err(CaptureError::Empty { file: sent.name.to_owned(), place: places.from.clone() });
    }
    Ok((from, to))
}

/// What one interface saw, or all of them, but not what crossed it this way.
fn take(file: &CaptureFile<'_>, held: Held, name: Option<&str>, not: Way) -> Result<Vec<Seen>, CaptureError> {
    let only = name.map(|name| find(file, &held, name)).transpose()?;
    let chosen = held.interfaces.into_iter().enumerate().filter(|(place, _)| only.is_none_or(|only| only == *place));
    Ok(keep(chosen.flat_map(|(_, interface)| interface.seen).collect(), not))
}

fn keep(seen: Vec<(Way, Seen)>, not: Way) -> Vec<Seen> {
    let mut kept: Vec<Seen> = seen.into_iter().filter(|(way, _)| *way != not).map(|(_, seen)| seen).collect();
    kept.sort_by_key(|seen| seen.at);
    kept
}

fn find(file: &CaptureFile<'_>, held: &Held, name: &str) -> Result<usize, CaptureError> {
    held.interfaces.iter().position(|interface| interface.name == name).ok_or_else(|| CaptureError::Unknown {
        file: file.name.to_owned(),
        name: name.to_owned(),
        known: held.interfaces.iter().map(|interface| interface.name.clone()).collect::<Vec<_>>().join(", "),
    })
}

/// The two ends within one capture.
fn ends(file: &CaptureFile<'_>, held: &Held, places: &Places) -> Result<(usize, usize), CaptureError> {
    let place = |name: &Option<String>| name.as_ref().map(|name| find(file, held, name)).transpose();
    let unclear = || CaptureError::Ends {
        file: file.name.to_owned(),
        known: held.interfaces.iter().map(|interface| interface.name.clone()).collect(),
    };
    let of_two = |not: usize| (held.interfaces.len() == 2).then_some(1 - not.min(1));
    let (from, to) = match (place(&places.from)?, place(&places.to)?) {
        (Some(from), Some(to)) => (from, to),
        (Some(from), None) => (from, of_two(from).ok_or_else(unclear)?),
        (None, Some(to)) => (of_two(to).ok_or_else(unclear)?, to),
        (None, None) => (0, of_two(0).ok_or_else(unclear)?),
    };
    if from == to { Err(unclear()) } else { Ok((from, to)) }
}

/// Room for the longest block at first; it grows where one is longer.
const BUFFER: usize = 1 << 16;
/// A block of this size is no packet.
const LARGEST_BUFFER: usize = 1 << 26;

fn hold(file: &CaptureFile<'_>) -> Result<Held, CaptureError> {
    let broken = |at: usize, why: &str| CaptureError::Broken { file: file.name.to_owned(), at, why: why.to_owned() };
    let mut reader = create_reader(BUFFER, Cursor::new(file.octets)).map_err(|error| broken(0, &said(&error)))?;
    let (mut held, mut scratch, mut room, mut at, mut waited_at) = (Held::default(), Vec::new(), BUFFER, 0, None);
    loop {
        match reader.next() {
            Ok((length, block)) => {
                held.take(&block, &mut scratch).map_err(|why| broken(at, why))?;
                drop(block);
                reader.consume(length);
                at += length;
                waited_at = None;
            }
            Err(PcapError::Eof) => return Ok(held),
            Err(PcapError::Incomplete(_)) => {
                // StudyOptions again at the same place: the buffer is too small for the block, or the file ends within it.
                if waited_at == Some(at) {
                    room *= 2;
                    if reader.reader_exhausted() || room > LARGEST_BUFFER || !reader.grow(room) {
                        return Err(broken(at, "it ends within a packet"));
                    }
                }
                waited_at = Some(at);
                reader.refill().map_err(|error| broken(at, &said(&error)))?;
            }
            Err(PcapError::BufferTooSmall) => {
                room *= 2;
                if room > LARGEST_BUFFER || !reader.grow(room) {
                    return Err(broken(at, "no packet is so long"));
                }
                reader.refill().map_err(|error| broken(at, &said(&error)))?;
            }
            Err(PcapError::UnexpectedEof) => return Err(broken(at, "it ends within a packet")),
            Err(error) => return Err(broken(at, &said(&error))),
        }
    }
}

/// What the library's error says, without the octets that it carries along.
fn said(error: &PcapError<&[u8]>) -> String {
    match error {
        PcapError::HeaderNotRecognized => "its head is neither pcap's nor pcapng's".to_owned(),
        PcapError::NomError(..) | PcapError::OwnedNomError(..) => "a block is not what its head says".to_owned(),
        PcapError::Incomplete(_) | PcapError::Eof | PcapError::UnexpectedEof => "it ends too early".to_owned(),
        PcapError::ReadError | PcapError::BufferTooSmall => "it could not be read".to_owned(),
    }
}

const NANOSECONDS: i128 = 1_000_000_000;

impl Held {
    fn take(&mut self, block: &PcapBlockOwned<'_>, scratch: &mut Vec<u8>) -> Result<(), &'static str> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                let resolution = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
                self.add(None, header.network.0, resolution, 0);
                Ok(())
            }
            PcapBlockOwned::Legacy(packet) => {
                let interface = self.interfaces.last_mut().ok_or("a packet comes before the head")?;
                let ticks = i128::from(packet.ts_sec) * i128::from(interface.resolution) + i128::from(packet.ts_usec);
                let octets = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
                interface.saw(Way::Unknown, ticks, packet.origlen, octets, scratch)
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(described)) => {
                let name = described.if_name().and_then(Result::ok).map(str::to_owned);
                let resolution = described
                    .ts_resolution()
                    .filter(|ticks| *ticks > 0)
                    .ok_or("an interface counts time in units of none")?;
                self.add(name, described.linktype.0, resolution, described.ts_offset());
                Ok(())
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let flags = packet.options.iter().find(|option| option.code.0 == 2);
                let flags = flags.and_then(|option| option.value.first_chunk::<4>());
                // The lowest octet, in either order: the three others hold nothing in these two bits.
                let way = match flags.map(|flags| (flags[0] | flags[3]) & 3) {
                    Some(1) => Way::In,
                    Some(2) => Way::Out,
                    _ => Way::Unknown,
                };
                let ticks = i128::from(u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low));
                let interface = self
                    .interfaces
                    .get_mut(packet.if_id as usize)
                    .ok_or("a packet is of an interface that is not described")?;
                let octets = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
                interface.saw(way, ticks, packet.origlen, octets, scratch)
            }
            // Blocks without a time say nothing of a link, and neither do statistics and comments.
            PcapBlockOwned::NG(_) => Ok(()),
        }
    }

    fn add(&mut self, name: Option<String>, link_type: i32, resolution: u64, offset: i64) {
        let name = name.unwrap_or_else(|| self.interfaces.len().to_string());
        self.interfaces.push(Interface { name, link_type, resolution, offset, seen: Vec::new() });
    }
}

impl Interface {
    fn saw(
        &mut self,
        way: Way,
        ticks: i128,
        length: u32,
        octets: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        let at = ticks * NANOSECONDS / i128::from(self.resolution) + i128::from(self.offset) * NANOSECONDS;
        let at = i64::try_from(at).map_err(|_| "a packet's time lies centuries away")?;
        let content = content::of(self.link_type, octets, scratch);
        let cut = octets.len() < length as usize;
        self.seen.push((way, Seen { at, octets: Octets::new(u64::from(length.max(1))), content, cut }));
        Ok(())
    }
}
