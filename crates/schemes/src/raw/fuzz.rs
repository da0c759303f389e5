//! What fuzzing must know of the raw link.

use super::Config;
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways, owes_a_packet};
use arqway_contract::{LinkService, Packet, Service, Side, Tag};
use arqway_units::Time;

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        Self { buffer: input.at_least_one(20) }
    }

    fn kept_at_most(&self) -> usize {
        self.buffer.get()
    }

    fn owes(tag: Tag, octets: &[u8]) -> Option<u64> {
        owes_a_packet(tag, octets)
    }

    fn promise(&self) -> Promise {
        Promise::WhatArrives
    }

    /// It has no head: a frame of kind 0 is its packet.
    fn check_reader(kind: u8, octets: &[u8], _split: usize) {
        let expected = (kind == 0 && !octets.is_empty()).then(|| Packet::new(octets.to_vec()));
        let mut raw = Self::default().build(&Side::Client.into());
        let [wired, _] = both_ways(kind, octets, 0, 0);
        raw.handle_frame(wired, Time::ZERO);
        assert_eq!((raw.counters().malformed_received == 0, raw.poll_packet()), (expected.is_some(), expected));
    }
}
