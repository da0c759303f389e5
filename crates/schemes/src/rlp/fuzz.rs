//! What fuzzing must know of RLP.

use super::{Config, Form, Pdu, parse};
use arqway_arq::Resequencing;
use arqway_contract::Bounded;
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways};

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        Self {
            resequencing: Resequencing::any(input.octet()),
            retransmissions: input.bounded(),
            nack_timeout: input.span(1, 500),
            window: input.bounded(),
            keepalive: input.span(1, 100),
            // That is for the multiplexer.
            duplicate: false,
            copy_after: input.octet().is_multiple_of(2).then(|| input.span(1, 100)),
            keepalives: Bounded::new(input.between(0, 20)).expect("below 10,000"),
            buffer: input.at_least_one(20),
        }
    }

    fn kept_at_most(&self) -> usize {
        self.buffer.get() + 2 * self.window.as_usize()
    }

    /// What was sent last, for requests that may still come.
    fn own_kept_at_rest(&self) -> usize {
        self.window.as_usize()
    }

    fn promise(&self) -> Promise {
        if self.resequencing.keeps_udp_in_order() { Promise::SomeInOrder } else { Promise::SomeOnce }
    }

    fn check_reader(kind: u8, octets: &[u8], split: usize) {
        let head = [1, 1, 9, 9, 3, 3, 2, 2].get(usize::from(kind)).copied().unwrap_or(9);
        let [read, kept] = both_ways(kind, octets, split, head).map(parse);
        assert_eq!(kept, read);
        match (kind, octets, read) {
            (0, [first, rest @ ..], Some(Pdu::Data { number, form: Form::Short, packet }))
            | (1, [first, rest @ ..], Some(Pdu::Repair { number, form: Form::Short, packet }))
                if !rest.is_empty() =>
            {
                assert_eq!((number, &packet[..]), (u64::from(*first), rest));
            }
            (6, [high, low, rest @ ..], Some(Pdu::Data { number, form: Form::Long, packet }))
            | (7, [high, low, rest @ ..], Some(Pdu::Repair { number, form: Form::Long, packet }))
                if !rest.is_empty() =>
            {
                assert_eq!((number, &packet[..]), (u16::from_be_bytes([*high, *low]).into(), rest));
            }
            (4, [high, low, third, rest @ ..], Some(Pdu::Data { number, form: Form::Linked(link), packet }))
            | (5, [high, low, third, rest @ ..], Some(Pdu::Repair { number, form: Form::Linked(link), packet }))
                if !rest.is_empty() =>
            {
                assert_eq!((number, link, &packet[..]), (u16::from_be_bytes([*high, *low]).into(), *third, rest));
            }
            (2, [high, low, bits @ ..], Some(Pdu::Nack(missing))) if bits.len() <= 16 && bits.last() != Some(&0) => {
                let first = u16::from_be_bytes([*high, *low]);
                let is_set = |ahead: &u16| {
                    let place = usize::from(*ahead - 1);
                    bits[place / 8] << (place % 8) & 0x80 != 0
                };
                let most = u16::try_from(bits.len() * 8).expect("at most 128");
                let others = (1..=most).filter(is_set).map(|ahead| u64::from(first.wrapping_add(ahead)));
                assert!(missing.numbers().eq(core::iter::once(u64::from(first)).chain(others)));
            }
            (3, [high, low], Some(Pdu::Keepalive { next })) => {
                assert_eq!(next, u64::from(u16::from_be_bytes([*high, *low])));
            }
            (_, _, Some(unit)) => panic!("{octets:?} of kind {kind} was read as {unit:?}"),
            (0 | 1, [_, _, ..], None)
            | (4 | 5, [_, _, _, _, ..], None)
            | (6 | 7, [_, _, _, ..], None)
            | (2, [_, _], None)
            | (3, [_, _], None) => {
                panic!("{octets:?} of kind {kind} was not read")
            }
            (2, [_, _, bits @ ..], None) if bits.len() <= 16 && bits.last() != Some(&0) => {
                panic!("the NACK {octets:?} was not read")
            }
            (_, _, None) => {}
        }
    }
}
