//! A writer of pcapng, as far as captures need it (draft-ietf-opsawg-pcapng): Wireshark opens what it writes.
//!
//! Written here because three kinds of blocks are all it takes.
//!
//! ```text
//!     Section Header Block         what the file is about                        once
//!     Interface Description Block  link type, name, nanoseconds                  once for each interface
//!     Enhanced Packet Block        interface, time, octets, direction, comment   once for each packet
//! ```
//!
//! Every block is its type, its length, its body in units of four octets, and its length again. Octets are in the order
//! of little-endian machines, whatever the machine: same packets, same bytes.
//!
//! ```
//! use arqway_pcapng::{LinkType, Packet, Way, Writer};
//! use arqway_units::Time;
//!
//! # fn main() -> std::io::Result<()> {
//! let mut writer = Writer::new(Vec::new(), "my program 1.0", "a ping over a bad link")?;
//! let client = writer.interface(LinkType::RawIp, "client", "packets of the network layer")?;
//! let mut ping = Packet { interface: client, at: Time::ZERO, way: Way::Out, comment: None, octets: &[0x45, 0, 0, 28] };
//! writer.packet(&ping)?;
//! (ping.at, ping.comment) = (Time::from_nanoseconds(1_000_000_000), Some("lost on the link"));
//! writer.packet(&ping)?;
//! let file = writer.finish()?;
//! assert_eq!(file[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
//! # Ok(())
//! # }
//! ```

#![warn(
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

use arqway_units::Time;
use std::io::{self, Write};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

/// A reader finds the order of octets by it.
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
const VERSION: (u16, u16) = (1, 0);
/// The section's length is left open: it may be read while it grows.
const LENGTH_UNKNOWN: u64 = u64::MAX;
/// Packets are never cut.
const NO_SNAP_LENGTH: u32 = 0;

/// Options; the number of one means different things in different blocks.
mod option {
    pub(super) const END: u16 = 0;
    pub(super) const COMMENT: u16 = 1;
    pub(super) const SECTION_APPLICATION: u16 = 4;
    pub(super) const INTERFACE_NAME: u16 = 2;
    pub(super) const INTERFACE_DESCRIPTION: u16 = 3;
    pub(super) const INTERFACE_TIME_RESOLUTION: u16 = 9;
    pub(super) const PACKET_FLAGS: u16 = 2;
}

/// Time stamps are in units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// What the octets of an interface's packets are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkType {
    /// Ethernet frames, without preamble and check sequence.
    Ethernet,
    /// IPv4 or IPv6, told apart by the first four bits.
    RawIp,
    /// The first of the types that are left to users. Arqway's frames have it, and its dissector for Wireshark expects it.
    User0,
}

impl LinkType {
    fn number(self) -> u16 {
        match self {
            Self::Ethernet => 1,
            Self::RawIp => 101,
            Self::User0 => 147,
        }
    }
}

/// An interface of the file, as [`Writer::interface`] numbered it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interface(u32);

/// Which way a packet crossed its interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It was received.
    In,
    /// It was sent.
    Out,
}

/// A packet seen at an interface.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    /// Where.
    pub interface: Interface,
    /// When; Wireshark shows the start of a run as the start of 1970.
    pub at: Time,
    /// Sent or received.
    pub way: Way,
    /// What a reader should know of it; cut after 65,535 octets.
    pub comment: Option<&'a str>,
    /// All of it, beginning with the header that the link type says.
    pub octets: &'a [u8],
}

/// Writes a file block by block, and keeps no more than one in memory.
///
/// `out` gets a block in four pieces, so it should be buffered. After an error, the file may end within a block: write nothing more.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    block: Vec<u8>,
    interfaces: u32,
}

impl<W: Write> Writer<W> {
    /// Begins a file: `application` is what writes it, `comment` what it is about.
    ///
    /// # Errors
    /// What `out` says.
    pub fn new(out: W, application: &str, comment: &str) -> io::Result<Self> {
        let mut writer = Self { out, block: Vec::new(), interfaces: 0 };
        writer.put(&BYTE_ORDER_MAGIC.to_le_bytes());
        writer.put(&VERSION.0.to_le_bytes());
        writer.put(&VERSION.1.to_le_bytes());
        writer.put(&LENGTH_UNKNOWN.to_le_bytes());
        writer.option(option::COMMENT, comment.as_bytes());
        writer.option(option::SECTION_APPLICATION, application.as_bytes());
        writer.option(option::END, &[]);
        writer.finish_block(SECTION_HEADER)?;
        Ok(writer)
    }

    /// Describes the next interface; a file may begin with all of them, or describe each before its first packet.
    ///
    /// # Errors
    /// What `out` says.
    pub fn interface(&mut self, link: LinkType, name: &str, description: &str) -> io::Result<Interface> {
        self.put(&link.number().to_le_bytes());
        self.put(&0u16.to_le_bytes());
        self.put(&NO_SNAP_LENGTH.to_le_bytes());
        self.option(option::INTERFACE_NAME, name.as_bytes());
        self.option(option::INTERFACE_DESCRIPTION, description.as_bytes());
        self.option(option::INTERFACE_TIME_RESOLUTION, &[NANOSECONDS]);
        self.option(option::END, &[]);
        self.finish_block(INTERFACE_DESCRIPTION)?;
        self.interfaces += 1;
        Ok(Interface(self.interfaces - 1))
    }

    /// Writes a packet.
    ///
    /// # Errors
    /// What `out` says, or that the packet is longer than the format can tell (4 GB).
    pub fn packet(&mut self, packet: &Packet<'_>) -> io::Result<()> {
        let length = u32::try_from(packet.octets.len()).map_err(io::Error::other)?;
        self.put(&packet.interface.0.to_le_bytes());
        // The upper half goes first, each half in the file's order.
        let at = packet.at.as_nanoseconds().to_le_bytes();
        self.put(&at[4..]);
        self.put(&at[..4]);
        // Captured, and on the wire.
        self.put(&length.to_le_bytes());
        self.put(&length.to_le_bytes());
        self.put(packet.octets);
        self.pad();
        let flags: u32 = match packet.way {
            Way::In => 1,
            Way::Out => 2,
        };
        self.option(option::PACKET_FLAGS, &flags.to_le_bytes());
        if let Some(comment) = packet.comment {
            self.option(option::COMMENT, comment.as_bytes());
        }
        self.option(option::END, &[]);
        self.finish_block(ENHANCED_PACKET)
    }

    /// Writes what `out` has still buffered, for whoever reads the file while it grows.
    ///
    /// # Errors
    /// What `out` says.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what `out` has still buffered, and gives it back.
    ///
    /// # Errors
    /// What `out` says.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn put(&mut self, octets: &[u8]) {
        self.block.extend_from_slice(octets);
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// An option; a value longer than its length can tell is cut.
    fn option(&mut self, code: u16, value: &[u8]) {
        let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
        self.put(&code.to_le_bytes());
        self.put(&length.to_le_bytes());
        self.put(&value[..usize::from(length)]);
        self.pad();
    }

    fn finish_block(&mut self, kind: u32) -> io::Result<()> {
        /// Its type, and its length twice.
        const AROUND: usize = 12;
        let length = u32::try_from(self.block.len() + AROUND).map_err(io::Error::other)?.to_le_bytes();
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&length)?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&length)?;
        self.block.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
