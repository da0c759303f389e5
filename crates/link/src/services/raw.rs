//! No recovery: every packet is one frame, sent once, delivered if it arrives. The head is empty.
//!
//! It is what the papers call *Raw Link*, and what carries the traffic that would rather lose a packet than wait.

use crate::contract::{
    Counters, Departure, Form, Frame, Full, Kind, LinkService, LinkState, Packet, Service, Side, Start, Tag, Ticket,
    Value,
};
use alloc::collections::VecDeque;
use arqway_units::Time;
use bytes::Bytes;
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

const DATA: Kind = Kind::new(0);

/// How the service is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RawConfig"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// How many packets may wait for a line that takes no more.
    pub buffer: NonZeroUsize,
}

/// As many packets as the queues of the papers' access points.
const BUFFER: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

impl Default for Config {
    fn default() -> Self {
        Self { buffer: BUFFER }
    }
}

impl Service for Config {
    type End = Raw;

    const SHORT_FORMS: &'static [Form] = &[Form { name: "raw", legend: "Raw Link", value: Value::None }];

    fn build(&self, _: Side) -> Raw {
        Raw::new(self.clone())
    }

    fn named(&self, _: &str, _: Option<&str>) -> Option<Self> {
        Some(self.clone())
    }
}

/// One end of a raw link.
#[derive(Debug)]
pub struct Raw {
    config: Config,
    outgoing: VecDeque<Bytes>,
    incoming: VecDeque<Packet>,
    down: bool,
    counters: Counters,
}

impl Raw {
    /// An end with nothing waiting.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            outgoing: VecDeque::new(),
            incoming: VecDeque::new(),
            down: false,
            counters: Counters::default(),
        }
    }
}

impl LinkService for Raw {
    fn handle_packet(&mut self, packet: Packet, _now: Time) -> Result<(), Full> {
        let has_room = self.outgoing.len() < self.config.buffer.get();
        if let Some(octets) = self.counters.admit(packet, has_room)? {
            self.outgoing.push_back(octets);
        }
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, _now: Time) {
        if frame.tag.kind() != DATA || !frame.head.is_empty() || frame.body.is_empty() {
            self.counters.malformed_received += 1;
            return;
        }
        self.incoming.push_back(Packet::new(frame.body));
    }

    fn handle_timeout(&mut self, _now: Time) {}

    fn handle_link(&mut self, state: LinkState, _now: Time) {
        self.down = state == LinkState::Down;
    }

    fn poll_frame(&mut self, _now: Time) -> Option<Frame> {
        if self.down {
            return None;
        }
        let octets = self.outgoing.pop_front()?;
        self.counters.frames_sent += 1;
        self.counters.octets_sent += octets.len() as u64;
        Some(Frame::new(DATA, &[], octets))
    }

    fn start_frame(&mut self, _frame: &mut Frame, _now: Time) -> Start {
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, _now: Time) {}

    fn poll_packet(&mut self) -> Option<Packet> {
        let packet = self.incoming.pop_front()?;
        self.counters.packets_delivered += 1;
        Some(packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
