//! What fuzzing must know of Selective Repeat.

use super::{Config, EstimatorConfig, Pdu, Policy, Rejects, Samples, Timeout, WindowSize, parse};
use arqway_arq::{Resequencing, TimerStarts};
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways};
use arqway_contract::{Frame, Kind};
use bytes::Bytes;

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        let window = if input.flag() { input.between(1, WindowSize::MAX) } else { input.between(1, 8) };
        let mut samples = Samples::EachAcknowledgement;
        let timeout = if input.flag() {
            let [srtt, srttvar] = core::array::from_fn(|_| input.octet());
            if srtt % 2 == 1 {
                samples = Samples::OneAtATime;
            }
            Timeout::Adaptive(Policy { srtt: f64::from(srtt) / 50.0, srttvar: f64::from(srttvar) / 50.0 })
        } else {
            Timeout::Fixed(input.span(20, 2000))
        };
        let mut config = Self {
            window: WindowSize::new(window).expect("from 1 to half the modulus"),
            timeout,
            estimator: EstimatorConfig { samples, floor: input.span(20, 500), ..EstimatorConfig::default() },
            timer_starts: TimerStarts::any(input),
            rejects: input.one_of(&[Rejects::Multireject, Rejects::EachOnce, Rejects::OneAtATime]),
            delayed_acknowledgement: input.span(0, 600),
            ..Self::default()
        };
        let last = input.octet();
        (config.drop_stale_copies, config.resequencing) = (last & 1 == 1, Resequencing::any(last >> 1));
        config
    }

    fn kept_at_most(&self) -> usize {
        2 * self.window.frames()
    }

    fn answer(&self, frame: &Frame) -> Option<Frame> {
        let Pdu::Data { number, .. } = parse(frame.clone())? else { return None };
        let next = u8::try_from((number + 1) % 256).ok()?;
        Some(Frame::new(Kind::new(1), &[next], Bytes::new()))
    }

    fn promise(&self) -> Promise {
        if self.resequencing.keeps_udp_in_order() { Promise::AllInOrder } else { Promise::AllOnce }
    }

    fn check_reader(kind: u8, octets: &[u8], split: usize) {
        let data = |next: u8, number: u8, link, packet: &[u8]| Pdu::Data {
            next: next.into(),
            number: number.into(),
            link,
            packet: packet.to_vec().into(),
        };
        let expected = match (kind, octets) {
            (0, [next, number, packet @ ..]) if !packet.is_empty() => Some(data(*next, *number, None, packet)),
            (3, [next, number, link, packet @ ..]) if !packet.is_empty() => {
                Some(data(*next, *number, Some(*link), packet))
            }
            (1, [next]) => Some(Pdu::Acknowledgement { next: (*next).into() }),
            (2, [next, missing]) => Some(Pdu::Reject { next: (*next).into(), missing: (*missing).into() }),
            _ => None,
        };
        let head = [2, 1, 2, 3].get(usize::from(kind)).copied().unwrap_or(2);
        for frame in both_ways(kind, octets, split, head) {
            assert_eq!(parse(frame), expected);
        }
    }
}
