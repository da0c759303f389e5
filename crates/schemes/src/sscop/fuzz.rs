//! What fuzzing must know of SSCOP.

use super::pdu::{self, Pdu, Stat};
use super::{Config, Credit, ListLength};
use alloc::vec::Vec;
use arqway_arq::Resequencing;
use arqway_contract::fuzz::{Fuzzed, Input, Promise};
use arqway_contract::{Bounded, Frame, Kind};
use arqway_units::Span;
use bytes::Bytes;

impl Fuzzed for Config {
    /// Without an end to its quiet: it would not come to rest.
    fn any(input: &mut Input<'_>) -> Self {
        let timer_poll = input.span(10, 400);
        Self {
            timer_poll,
            timer_keep_alive: input.span(10, 400),
            timer_no_response: timer_poll * 2 + input.span(400, 3000),
            timer_idle: Span::ZERO,
            timer_cc: input.span(20, 1000),
            max_cc: Bounded::new(input.between(1, 5)).expect("not zero"),
            max_pd: Bounded::new(input.between(1, 30)).expect("not zero"),
            max_stat: ListLength::new(2 * input.between(1, 6) + 1).expect("odd, and 3 or more"),
            credit: Credit::new(input.between(1, 40).into()).expect("not zero"),
            clear_buffers: input.flag(),
            resequencing: Resequencing::any(input.octet()),
            poll_after_retransmission: input.flag(),
            end_sets_s_bit: input.flag(),
            buffer: input.at_least_one(20),
            established: input.flag(),
            order_filter: input.flag(),
            longest_reordering: input.span(1, 1000),
            overhead: input.bounded(),
        }
    }

    /// Its own that wait or are not acknowledged, once more when they wait for the next connection; the peer's that wait for
    /// others.
    fn kept_at_most(&self) -> usize {
        self.buffer.get() + 3 * usize::try_from(self.credit.packets()).unwrap_or(usize::MAX)
    }

    /// What a peer says that has everything that was sent, and agrees to everything.
    fn answer(&self, frame: &Frame) -> Option<Frame> {
        let mut unread = frame.clone();
        // Its frames are in order: as many as it answers.
        let number = if self.order_filter { unread.take::<2>()?.to_vec() } else { Vec::new() };
        let mr = 16;
        let answer = match pdu::parse(unread)? {
            Pdu::Bgn { .. } => Pdu::Bgak { mr, uu: Bytes::new() },
            Pdu::End { .. } => Pdu::Endak,
            Pdu::Rs { .. } => Pdu::Rsak { mr },
            Pdu::Er { .. } => Pdu::Erak { mr },
            Pdu::Poll { ps, s } => Pdu::Stat(Stat::new(Bytes::new(), ps, (s + mr) % (1 << 24), s)),
            _ => return None,
        };
        let answer = pdu::frame(answer, &number);
        Some(Frame::new(Kind::new(0), &answer.parts().concat(), Bytes::new()))
    }

    /// Where a connection may end, packets may go with it; where they do not, they may come twice.
    fn promise(&self) -> Promise {
        Promise::Some
    }
}
