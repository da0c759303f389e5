//! What fuzzing must know of transparent mode.

use super::Config;
use arqway_contract::Tag;
use arqway_contract::fuzz::{Fuzzed, Input, Promise, owes_a_packet};

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        let discard_after = input.flag().then(|| input.span(1, 300));
        Self { discard_after, buffer: input.at_least_one(20) }
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
}
