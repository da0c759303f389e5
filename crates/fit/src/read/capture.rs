//! Captures: pcapng and classic pcap, through a library; of each packet only when, how long, and a hash of what it is.

use super::blocks::{Blocks, Stop};
use super::content::{self, Content};
use crate::frames::CutEnd;
use arqway_units::Octets;
use pcap_parser::{Block, OptionCode, PcapBlockOwned};

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
    /// Those of this section, as it describes them, and how many interfaces there were before it.
    described: Vec<Described>,
    before: usize,
    is_big_endian: bool,
    /// Its end is not there.
    cut: Option<CutEnd>,
    /// Packets themselves, where somebody wants them.
    packets: Option<Vec<CapturedPacket>>,
}

/// A packet of the network layer, as a capture has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedPacket {
    /// Nanoseconds of the capture's clock.
    pub at: i64,
    /// Its octets, without what belongs to one link alone.
    pub octets: Vec<u8>,
}

/// The packets of all interfaces in the order of time, and where the file ends before its last packet does.
pub(super) fn packets(file: &CaptureFile<'_>) -> Result<(Vec<CapturedPacket>, Option<CutEnd>), CaptureError> {
    let mut held = Held { packets: Some(Vec::new()), ..Held::default() };
    held.fill(file)?;
    let mut packets = held.packets.unwrap_or_default();
    packets.sort_by_key(|packet| packet.at);
    Ok((packets, held.cut))
}

#[derive(Debug)]
struct Interface {
    name: String,
    seen: Vec<(Way, Seen)>,
}

/// How a section's packets of an interface are read.
#[derive(Debug, Clone, Copy, Default)]
struct Described {
    link_type: i32,
    /// What ticks are, as `if_tsresol` has it, and the second that they are counted from.
    resolution: u8,
    offset: i64,
    /// Its place among all interfaces.
    place: usize,
}

/// Which way a packet crossed its interface, if that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
    Unknown,
}

/// What was sent and what arrived, each in the order of time.
#[derive(Debug)]
pub(super) struct Ends {
    pub(super) sent: Vec<Seen>,
    pub(super) arrived: Vec<Seen>,
    /// Which captures have no end, and whether that of the arriving packets has none.
    pub(super) cut: Vec<CutEnd>,
    pub(super) arrivals_are_cut: bool,
}

pub(super) fn read(
    sent: &CaptureFile<'_>,
    arrived: Option<&CaptureFile<'_>>,
    places: &Places,
) -> Result<Ends, CaptureError> {
    let mut near = hold(sent)?;
    let mut cut: Vec<CutEnd> = near.cut.take().into_iter().collect();
    let mut arrivals_are_cut = !cut.is_empty();
    let (from, to) = match arrived {
        Some(arrived) => {
            let mut far = hold(arrived)?;
            arrivals_are_cut = far.cut.is_some();
            cut.extend(far.cut.take());
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
    Ok(Ends { sent: from, arrived: to, cut, arrivals_are_cut })
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

fn hold(file: &CaptureFile<'_>) -> Result<Held, CaptureError> {
    let mut held = Held::default();
    held.fill(file)?;
    Ok(held)
}

const NANOSECONDS: u128 = 1_000_000_000;
/// Microseconds and nanoseconds, as `if_tsresol` has them.
const MICRO: u8 = 6;
const NANO: u8 = 9;

/// Ticks in nanoseconds. A tick is 10^-N s, or 2^-N s where the highest bit is set (`if_tsresol`, draft-ietf-opsawg-pcapng, section 4.2).
fn nanoseconds(ticks: u128, resolution: u8) -> u128 {
    let (ticks, power) = (ticks * NANOSECONDS, resolution & 0x7F);
    match resolution {
        0x80.. => ticks >> power,
        // What has no such power is less than a nanosecond.
        _ => 10u128.checked_pow(power.into()).map_or(0, |unit| ticks / unit),
    }
}

impl Held {
    /// Reads all of a file, or up to where it was cut.
    fn fill(&mut self, file: &CaptureFile<'_>) -> Result<(), CaptureError> {
        let broken =
            |at: usize, why: &str| CaptureError::Broken { file: file.name.to_owned(), at, why: why.to_owned() };
        let mut blocks = Blocks::new(file.octets).map_err(|why| broken(0, why))?;
        let mut scratch = Vec::new();
        loop {
            let at = blocks.at;
            match blocks.next() {
                Ok(Some(block)) => self.take(&block, &mut scratch).map_err(|why| broken(at, why))?,
                Ok(None) => return Ok(()),
                Err(Stop::Cut) => {
                    self.cut = Some(CutEnd { file: file.name.to_owned(), packets: self.seen() });
                    return Ok(());
                }
                Err(Stop::Broken(why)) => return Err(broken(at, why)),
            }
        }
    }

    fn take(&mut self, block: &PcapBlockOwned<'_>, scratch: &mut Vec<u8>) -> Result<(), &'static str> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                let resolution = if header.is_nanosecond_precision() { NANO } else { MICRO };
                // The upper half says how long the check sequence of frames is.
                self.add(None, Described { link_type: header.network.0 & 0xFFFF, resolution, ..Described::default() });
                Ok(())
            }
            PcapBlockOwned::Legacy(packet) => {
                let described = *self.described.last().ok_or("a packet comes before the head")?;
                let in_second = if described.resolution == NANO { 1_000_000_000 } else { 1_000_000 };
                let ticks = u128::from(packet.ts_sec) * in_second + u128::from(packet.ts_usec);
                let octets = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
                self.saw(described, Way::Unknown, ticks, packet.origlen, octets, scratch)
            }
            PcapBlockOwned::NG(Block::SectionHeader(section)) => {
                self.described.clear();
                (self.is_big_endian, self.before) = (section.big_endian(), self.interfaces.len());
                Ok(())
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                let name = interface.if_name().and_then(Result::ok).map(str::to_owned);
                let offset = interface.options.iter().find(|option| option.code == OptionCode::IfTsoffset);
                let offset = offset.and_then(|option| option.value.first_chunk::<8>()).map_or(0, |octets| {
                    if self.is_big_endian { i64::from_be_bytes(*octets) } else { i64::from_le_bytes(*octets) }
                });
                let (link_type, resolution) = (interface.linktype.0, interface.if_tsresol);
                self.add(name, Described { link_type, resolution, offset, place: 0 });
                Ok(())
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let flags = packet.options.iter().find(|option| option.code == OptionCode(2));
                let flags = flags.and_then(|option| option.value.first_chunk::<4>());
                let way = match flags.map(|flags| flags[if self.is_big_endian { 3 } else { 0 }] & 3) {
                    Some(1) => Way::In,
                    Some(2) => Way::Out,
                    _ => Way::Unknown,
                };
                let ticks = u128::from(packet.ts_high) << 32 | u128::from(packet.ts_low);
                let described = self.described.get(packet.if_id as usize);
                let described = *described.ok_or("a packet is of an interface that is not described")?;
                let octets = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
                self.saw(described, way, ticks, packet.origlen, octets, scratch)
            }
            // Blocks without a time say nothing of a link, and neither do statistics and comments.
            PcapBlockOwned::NG(_) => Ok(()),
        }
    }

    /// An interface, which may be one that an earlier section described, too: captures one behind the other are one.
    fn add(&mut self, name: Option<String>, described: Described) {
        let name = name.unwrap_or_else(|| self.described.len().to_string());
        let known = self.interfaces[..self.before].iter().position(|interface| interface.name == name);
        let place = known.unwrap_or(self.interfaces.len());
        if known.is_none() {
            self.interfaces.push(Interface { name, seen: Vec::new() });
        }
        self.described.push(Described { place, ..described });
    }

    fn saw(
        &mut self,
        described: Described,
        way: Way,
        ticks: u128,
        length: u32,
        octets: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        let Described { link_type, resolution, offset, place } = described;
        let far = |_| "a packet's time lies centuries away";
        let at = i128::try_from(nanoseconds(ticks, resolution)).map_err(far)?;
        let at = i64::try_from(at + i128::from(offset) * 1_000_000_000)
            .map_err(|_| "a packet's time lies centuries away")?;
        let cut = octets.len() < length as usize;
        let pseudo_header = content::pseudo_header(link_type, octets);
        let octets = octets.get(pseudo_header..).unwrap_or_default();
        if let Some(packets) = &mut self.packets {
            packets.push(CapturedPacket { at, octets: content::network_packet(link_type, octets).to_vec() });
        }
        let content = content::of(link_type, octets, scratch);
        let length = u64::from(length).saturating_sub(pseudo_header as u64).max(1);
        self.interfaces[place].seen.push((way, Seen { at, octets: Octets::new(length), content, cut }));
        Ok(())
    }

    fn seen(&self) -> u64 {
        self.interfaces.iter().map(|interface| interface.seen.len() as u64).sum()
    }
}
