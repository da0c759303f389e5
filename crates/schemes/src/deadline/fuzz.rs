//! What fuzzing must know of recovery with a deadline.

use super::{Config, Parity, Pdu, WINDOW, parse, wire};
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways};
use arqway_units::Ratio;

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        Self {
            deadline: input.span(1, 300),
            parity: Ratio::new(f64::from(input.between(0, 100)) / 100.0).unwrap_or(Ratio::ONE),
            buffer: input.at_least_one(20),
            requests: input.between(0, 3) > 0,
        }
    }

    fn kept_at_most(&self) -> usize {
        self.buffer.get() + 2 * WINDOW
    }

    fn own_kept_at_rest(&self) -> usize {
        WINDOW
    }

    fn promise(&self) -> Promise {
        Promise::SomeOnce
    }

    fn check_reader(kind: u8, octets: &[u8], split: usize) {
        let head = if kind == 3 { 4 } else { 1 };
        for frame in both_ways(kind, octets, split, head) {
            let expected = match (kind, octets) {
                (0, [number, packet @ ..]) if !packet.is_empty() => {
                    Some(Pdu::Data { number: u64::from(*number), packet: packet.to_vec().into() })
                }
                (1, [number, packet @ ..]) if !packet.is_empty() => {
                    Some(Pdu::Again { number: u64::from(*number), packet: packet.to_vec().into() })
                }
                (2, numbers) if (2..=20).contains(&numbers.len()) && numbers.len() % 2 == 0 => {
                    Some(Pdu::Nack(numbers.iter().copied().collect()))
                }
                (3, [high, low, count @ 1..=64, key, sum @ ..]) if sum.len() > 2 => Some(Pdu::Parity(Parity {
                    first: u64::from(u16::from_be_bytes([*high, *low])),
                    count: *count,
                    key: *key,
                    sum: sum.to_vec().into(),
                })),
                (4, [high, low]) => Some(Pdu::Keepalive { next: u64::from(u16::from_be_bytes([*high, *low])) }),
                _ => None,
            };
            let read = parse(frame);
            assert_eq!(read, expected, "{octets:?} of kind {kind}");
            if let Some(Pdu::Nack(numbers)) = read {
                let pairs = octets.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(pair[1]));
                assert!(wire::numbers(&numbers).eq(pairs));
            }
        }
    }
}
