//! What the headers of a packet say, as it goes with the packet: they are read once, where it enters.
//!
//! ```text
//!     Headers::read_all ---> Outline: flow, where the payload is, protocol, ECN     classifier, queue, compressor,
//!      the whole walk        in two words, beside the packet                        ECN, MSS, ICMP read that
//! ```

use super::fields::Protocol;
use super::headers::{Headers, Payload, ipv4_fields, ipv6_fields, u16_at};
use super::{Ecn, FlowKey};

/// What reading a packet's headers has shown, as it goes with the packet: two words, since packets are moved and kept by the
/// thousand. The fields that it leaves out stand at fixed places, or where it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    flow: FlowKey,
    /// Where what the packet carries begins and ends.
    start: u16,
    end: u32,
    protocol: Protocol,
    flags: Flags,
}

/// What is said in a bit or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Flags(u8);

impl Flags {
    const ECN: u8 = 0b11;
    const HAS_PORTS: u8 = 1 << 2;
    const IS_FRAGMENT: u8 = 1 << 3;
    const IS_AUTHENTICATED: u8 = 1 << 4;
    const STANDS_ALONE: u8 = 1 << 5;

    fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}

const _: () = assert!(size_of::<Option<Outline>>() == 2 * size_of::<u64>());

impl Outline {
    /// That of a packet, or `None` where the octets are none. Nor has a packet one with 64 KiB of headers: it is read each time.
    #[must_use]
    pub fn read(packet: &[u8]) -> Option<Self> {
        Self::read_with_headers(packet)?.1
    }

    /// The same, and all that the headers say.
    #[must_use]
    pub fn read_with_headers(packet: &[u8]) -> Option<(Headers, Option<Self>)> {
        let (headers, payload) = Headers::read_all(packet)?;
        let outline = Self::of(packet, &headers, &payload);
        Some((headers, outline))
    }

    /// That of a packet with these headers.
    fn of(packet: &[u8], headers: &Headers, payload: &Payload) -> Option<Self> {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        Some(Self {
            flow: FlowKey::of(headers, payload),
            start: payload.range.start.try_into().ok()?,
            end: payload.range.end.try_into().ok()?,
            protocol: headers.protocol,
            flags: Flags(
                Ecn::of_packet(packet).bits()
                    | flag(headers.ports.is_some(), Flags::HAS_PORTS)
                    | flag(payload.is_fragment, Flags::IS_FRAGMENT)
                    | flag(payload.is_authenticated, Flags::IS_AUTHENTICATED)
                    | flag(super::alone::stands_alone(packet, headers, payload), Flags::STANDS_ALONE),
            ),
        })
    }

    /// All fields of the packet that it is of, which is not walked through again.
    #[must_use]
    pub fn headers(&self, packet: &[u8]) -> Option<Headers> {
        let start = usize::from(self.start);
        let has_ports = self.flags.has(Flags::HAS_PORTS);
        let ports = if has_ports { Some((u16_at(packet, start)?, u16_at(packet, start + 2)?)) } else { None };
        match packet.first()? >> 4 {
            4 => packet.first_chunk().map(|fixed| ipv4_fields(fixed, self.protocol, ports)),
            6 => packet.first_chunk().map(|fixed| ipv6_fields(fixed, self.protocol, ports)),
            _ => None,
        }
    }

    /// What is behind the headers.
    pub fn payload(&self) -> Payload {
        Payload {
            range: self.start.into()..usize::try_from(self.end).unwrap_or(usize::MAX),
            is_fragment: self.flags.has(Flags::IS_FRAGMENT),
            is_authenticated: self.flags.has(Flags::IS_AUTHENTICATED),
        }
    }

    /// The flow that the packet belongs to.
    #[must_use]
    pub fn flow(&self) -> FlowKey {
        self.flow
    }

    /// What it carries.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Whether nobody sends another packet before it is answered: a message of ICMP, a question or an answer of DNS, a first segment of TCP.
    #[must_use]
    pub fn stands_alone(&self) -> bool {
        self.flags.has(Flags::STANDS_ALONE)
    }

    /// What it says of congestion.
    #[must_use]
    pub fn ecn(&self) -> Ecn {
        Ecn::of_octet(self.flags.0 & Flags::ECN)
    }

    /// All that the headers of the packet say that it is of, and where what they carry is; read now where there is none.
    pub fn all(outline: Option<Self>, packet: &[u8]) -> Option<(Headers, Payload)> {
        match outline {
            Some(outline) => Some((outline.headers(packet)?, outline.payload())),
            None => Headers::read_all(packet),
        }
    }

    /// The same with a [mark](super::mark_congestion) of congestion.
    #[must_use]
    pub fn marked(self) -> Self {
        Self { flags: Flags(self.flags.0 | Ecn::Ce.bits()), ..self }
    }

    /// The same where other octets stand for the packet: what it says holds, where it says it does not.
    #[must_use]
    pub fn of_shortened(self) -> Self {
        Self { start: 0, end: 0, flags: Flags(self.flags.0 & (Flags::ECN | Flags::STANDS_ALONE)), ..self }
    }
}
