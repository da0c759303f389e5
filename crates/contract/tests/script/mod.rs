//! Scripted exchanges for the tests of services: what one end answers to what it is told, in time order.
//!
//! Crates of services take this file in by its path, since each adds what its own frames need.

#![allow(dead_code, reason = "no crate needs all of it")]

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_contract::{Checked, Counters, Departure, Frame, Kind, LinkService, LinkState, Packet, Start, Tag};
use arqway_units::{Octets, Span, Time};

/// One end whose line is always free: whatever it hands over starts and departs at once.
pub(crate) struct Script<S> {
    pub(crate) service: Checked<S>,
    pub(crate) now: Time,
    /// Tells a frame in words.
    describe: fn(Frame) -> String,
}

impl<S: LinkService> Script<S> {
    pub(crate) fn new(service: S, describe: fn(Frame) -> String) -> Self {
        Self { service: Checked::new(service), now: Time::ZERO, describe }
    }

    pub(crate) fn at(&mut self, milliseconds: u64) -> &mut Self {
        self.now = Time::ZERO + Span::from_milliseconds(milliseconds);
        if self.service.poll_timeout().is_some_and(|deadline| deadline <= self.now) {
            self.service.handle_timeout(self.now);
        }
        self
    }

    /// Gives it a packet a letter.
    pub(crate) fn packets(&mut self, letters: &str) -> &mut Self {
        for letter in letters.bytes() {
            self.service.handle_packet(Packet::new(alloc::vec![letter]), self.now).expect("room for a packet");
        }
        self
    }

    /// Gives it a packet.
    pub(crate) fn packet(&mut self, packet: Packet) -> &mut Self {
        self.service.handle_packet(packet, self.now).expect("room for a packet");
        self
    }

    /// Gives it a frame of the peer.
    pub(crate) fn peer(&mut self, kind: u8, octets: &[u8]) -> &mut Self {
        let frame = Frame::from_wire(Tag::of_kind(Kind::new(kind)), octets.to_vec().into());
        self.service.handle_frame(frame, self.now);
        self
    }

    pub(crate) fn link(&mut self, state: LinkState) -> &mut Self {
        self.service.handle_link(state, self.now);
        self
    }

    /// Takes a frame from it and keeps it, as a queue below does.
    pub(crate) fn hand_over(&mut self) -> Frame {
        self.service.poll_frame(self.now, Octets::MAX).expect("a frame")
    }

    pub(crate) fn depart(&mut self, frame: &Frame, departure: Departure) -> &mut Self {
        if let Some(ticket) = frame.ticket {
            self.service.handle_departure(frame.tag, ticket, departure, self.now);
        }
        self
    }

    /// Checks what goes out, then what is delivered, such as `data 0, deliver a`.
    pub(crate) fn expect(&mut self, expected: &str) -> &mut Self {
        let mut seen = Vec::new();
        while let Some(mut frame) = self.service.poll_frame(self.now, Octets::MAX) {
            if self.service.start_frame(&mut frame, self.now) == Start::Send {
                self.depart(&frame, Departure::Sent);
                seen.push((self.describe)(frame));
            }
        }
        let delivered: String =
            core::iter::from_fn(|| self.service.poll_packet()).map(|packet| char::from(packet.octets[0])).collect();
        if !delivered.is_empty() {
            seen.push(format!("deliver {delivered}"));
        }
        assert_eq!(seen.join(", "), expected, "at {:?}", self.now);
        self
    }

    pub(crate) fn deadline(&self) -> Option<u64> {
        self.service.poll_timeout().map(|deadline| deadline.since(Time::ZERO).as_nanoseconds() / 1_000_000)
    }

    pub(crate) fn counters(&self) -> Counters {
        self.service.counters()
    }
}
