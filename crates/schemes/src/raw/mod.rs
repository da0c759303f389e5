//! No recovery: every packet is one frame, sent once, delivered if it arrives. The head is empty.
//!
//! It is what the papers call *Raw Link*, and what carries the traffic that would rather lose a packet than wait.

#[cfg(feature = "fuzz")]
mod fuzz;

use alloc::collections::VecDeque;
use arqway_contract::{Clock, Counters, End, Entity, Frame, Kind, LinkContext, Packet, SchemeName, Service, settings};
use arqway_units::Octets;
use bytes::Bytes;
use core::num::NonZeroUsize;

const DATA: Kind = Kind::new(0);

settings! {
    /// The settings of the service.
    #[derive(Eq)]
    #[cfg_attr(feature = "schema", schemars(rename = "RawConfig"))]
    pub struct Config {
        /// The number of packets that may wait while the line accepts no more.
        // As many as the queues of the papers' access points.
        pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
    }
}

impl Service for Config {
    type End = End<Raw>;

    const NAMES: &'static [SchemeName] = &[SchemeName::plain("raw")];

    fn build(&self, _: &LinkContext) -> End<Raw> {
        End::new(Raw { buffer: self.buffer.get(), outgoing: VecDeque::new(), incoming: VecDeque::new() })
    }
}

/// Packets out, packets in.
#[derive(Debug)]
pub struct Raw {
    buffer: usize,
    outgoing: VecDeque<Bytes>,
    incoming: VecDeque<Bytes>,
}

impl Entity for Raw {
    fn has_room(&self) -> bool {
        self.outgoing.len() < self.buffer
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        self.outgoing.is_empty()
    }

    fn push(&mut self, packet: Packet, _now: Clock, _counters: &mut Counters) {
        self.outgoing.push_back(packet.octets);
    }

    fn receive(&mut self, frame: Frame, _now: Clock, _counters: &mut Counters) -> Option<()> {
        if frame.tag.kind() != DATA {
            return None;
        }
        self.incoming.push_back(frame.into_packet()?);
        Some(())
    }

    fn poll(&mut self, _now: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        let packet = self.outgoing.pop_front()?;
        counters.sent(&packet);
        Some(Frame::new(DATA, &[], packet))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        room - Frame::TAG
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.incoming.pop_front()
    }
}
