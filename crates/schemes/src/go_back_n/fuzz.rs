//! What fuzzing must know of go-back-n.

use super::{Config, Pdu, parse};
use arqway_arq::TimerStarts;
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways};
use arqway_contract::{Frame, Kind};
use bytes::Bytes;

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        Self {
            window: input.bounded(),
            timeout: input.span(20, 2000),
            timer_starts: TimerStarts::any(input),
            delayed_acknowledgement: input.span(0, 600),
            drop_stale_copies: input.flag(),
        }
    }

    fn kept_at_most(&self) -> usize {
        self.window.as_usize()
    }

    fn answer(&self, frame: &Frame) -> Option<Frame> {
        let Pdu::Data { number, .. } = parse(frame.clone())? else { return None };
        let next = u8::try_from((number + 1) % 256).ok()?;
        Some(Frame::new(Kind::new(1), &[next], Bytes::new()))
    }

    fn promise(&self) -> Promise {
        Promise::AllInOrder
    }

    fn check_reader(kind: u8, octets: &[u8], split: usize) {
        let expected = match (kind, octets) {
            (0, [next, number, packet @ ..]) if !packet.is_empty() => {
                Some(Pdu::Data { next: (*next).into(), number: (*number).into(), packet: packet.to_vec().into() })
            }
            (1, [next]) => Some(Pdu::Acknowledgement { next: (*next).into() }),
            _ => None,
        };
        for frame in both_ways(kind, octets, split, 2 - usize::from(kind == 1)) {
            assert_eq!(parse(frame), expected);
        }
    }
}
