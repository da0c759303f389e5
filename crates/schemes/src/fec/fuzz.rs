//! What fuzzing must know of forward error correction.

use super::{Config, Parity, Pdu, parse};
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways};

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        Self { block: input.bounded(), idle_timeout: input.span(1, 300), buffer: input.at_least_one(20) }
    }

    fn kept_at_most(&self) -> usize {
        self.buffer.get() + 2 * self.block.as_usize()
    }

    fn promise(&self) -> Promise {
        Promise::SomeOnce
    }

    fn check_reader(kind: u8, octets: &[u8], split: usize) {
        let expected = match (kind, octets) {
            (0, [number, packet @ ..]) if !packet.is_empty() => {
                Some(Pdu::Data { number: *number, packet: packet.to_vec().into() })
            }
            (1, [first, count @ 1..=64, a, b, c, d, e, f, xor @ ..]) if !xor.is_empty() => Some(Pdu::Parity(Parity {
                first: *first,
                count: *count,
                lengths: u16::from_be_bytes([*a, *b]),
                check: u32::from_be_bytes([*c, *d, *e, *f]),
                xor: xor.to_vec().into(),
            })),
            _ => None,
        };
        for frame in both_ways(kind, octets, split, if kind == 0 { 1 } else { 8 }) {
            assert_eq!(parse(frame), expected);
        }
    }
}
