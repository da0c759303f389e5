//! What fuzzing must know of tally.

use super::wire::{self, Form};
use super::{Config, Feedback, Lateness, Mechanism, Pdu, WindowSize, parse};
use arqway_arq::Resequencing;
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways};
use arqway_contract::{Frame, Kind, Tag};
use bytes::BytesMut;

impl Fuzzed for Config {
    const SEGMENTS: bool = true;

    fn any(input: &mut Input<'_>) -> Self {
        let window = if input.flag() { input.between(1, 6) } else { input.between(1, 3000) };
        let first = input.octet();
        let mechanisms = [
            None,
            Some(Mechanism::Counter),
            Some(Mechanism::Bitmap),
            Some(Mechanism::TailProbe),
            Some(Mechanism::Priority),
            Some(Mechanism::StaleCopies),
            Some(Mechanism::Departure),
            Some(Mechanism::Cuts),
        ];
        Self {
            window: WindowSize::new(window.into()).expect("below half of the numbers"),
            persistence: (first % 4 == 3).then(|| input.span(20, 2000)),
            resequencing: Resequencing::any(first >> 2),
            buffer: input.at_least_one(20),
            repair: input.flag(),
            compress_headers: input.flag(),
            without: if input.flag() { input.one_of(&mechanisms) } else { None },
        }
    }

    fn shortens(&self) -> bool {
        self.compress_headers
    }

    fn kept_at_most(&self) -> usize {
        // Every frame outstanding may have begun a packet, at either end.
        self.buffer.get() + 2 * usize::try_from(self.window.frames()).unwrap_or(usize::MAX)
    }

    fn answer(&self, frame: &Frame) -> Option<Frame> {
        let (form, next, newest) = match parse(frame.clone(), self.resequencing.needs_link())? {
            Pdu::Data(cut, _) | Pdu::Piece { cut, is_last: true, .. } => (cut.form, cut.number + 1, cut.counter),
            Pdu::GivenUp { number, counter, count, .. } => (Form::Long, number + u64::from(count), counter),
            Pdu::Feedback(_) | Pdu::Poll { .. } | Pdu::Piece { .. } | Pdu::Repair(_) => return None,
        };
        // Whoever is told that frames come late gives their numbers more bits than the tiny form has, so that they can be told from here.
        let feedback =
            Feedback { form: form.max(Form::Short), next, newest, lateness: Lateness::Few, ..Feedback::default() };
        Some(feedback.frame(0, &mut BytesMut::new()))
    }

    fn speaks_when_link_is_back(&self) -> bool {
        true
    }

    fn promise(&self) -> Promise {
        match (self.persistence, self.resequencing.keeps_udp_in_order()) {
            (None, true) => Promise::AllInOrder,
            (None, false) => Promise::AllOnce,
            (Some(_), true) => Promise::SomeInOrder,
            (Some(_), false) => Promise::SomeOnce,
        }
    }

    fn check_reader(kind: u8, octets: &[u8], split: usize) {
        for is_linked in [false, true] {
            let wire = Frame::from_wire(Tag::of_kind(Kind::new(kind)), octets.to_vec().into());
            let head = match parse(wire, is_linked) {
                Some(Pdu::Data(cut, _) | Pdu::Piece { cut, .. }) => octets.len() - cut.octets.len(),
                Some(Pdu::Repair(repair)) => octets.len() - repair.sum.len(),
                _ => 3,
            };
            let [read, kept] = both_ways(kind, octets, split, head).map(|frame| parse(frame, is_linked));
            assert_eq!(kept, read);
            if let Some(pdu) = read {
                wire::check(kind, octets, is_linked, &pdu);
            }
        }
    }
}
