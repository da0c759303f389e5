//! The receiving window, from VR(R) to VR(H): which PDUs have arrived, and the SDUs that they make (§11.3.3, §11.6.3).

use super::Number;
use super::as_received::AsReceived;
use crate::rlc::pdu::{Contents, MoveReceivingWindow};
use crate::rlc::reassembly::Reassembler;
use alloc::collections::VecDeque;
use arqway_arq::Window;
use arqway_contract::Counters;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Receiver {
    /// What has arrived out of order, and gaps.
    pdus: Window<12, Option<Contents>>,
    missing: usize,
    delivery: Delivery,
    /// For the network layer.
    released: VecDeque<Bytes>,
}

/// When SDUs are delivered.
#[derive(Debug)]
enum Delivery {
    /// As soon as those before them are there or given up.
    InSequence(Reassembler),
    /// As soon as they are whole.
    AsReceived(AsReceived),
}

/// What a PDU is to the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The next one, or one that was missing.
    Taken,
    /// It lies beyond one that is missing, and shows that.
    ShowsMissing,
    /// It was received before, or lies outside the window.
    Dropped,
}

impl Receiver {
    pub(super) fn new(window: usize, in_sequence: bool) -> Self {
        let delivery = if in_sequence {
            Delivery::InSequence(Reassembler::of_amd())
        } else {
            Delivery::AsReceived(AsReceived::default())
        };
        Self { pdus: Window::new(window), missing: 0, delivery, released: VecDeque::new() }
    }

    /// VR(R).
    pub(super) fn first(&self) -> Number {
        self.pdus.first()
    }

    /// VR(H).
    pub(super) fn end(&self) -> Number {
        self.pdus.end()
    }

    /// VR(MR).
    fn limit(&self) -> Number {
        self.first() + self.pdus.limit() as u64
    }

    pub(super) fn misses_any(&self) -> bool {
        self.missing > 0
    }

    pub(super) fn has(&self, number: Number) -> bool {
        self.pdus.get(number).is_some_and(Option::is_some)
    }

    /// The numbers below VR(H) that have not arrived.
    pub(super) fn missing_from(&self, number: Number) -> impl Iterator<Item = Number> {
        let numbers = (number.as_u64()..self.end().as_u64()).map(Number::new);
        numbers.filter(|number| !self.has(*number))
    }

    /// Takes a data PDU; its number is still the low bits.
    pub(super) fn receive(&mut self, low_bits: u16, contents: Contents, counters: &mut Counters) -> Arrival {
        let number = Number::at_or_after(self.first(), u64::from(low_bits));
        if number >= self.limit() || self.has(number) {
            counters.duplicates_received += 1;
            return Arrival::Dropped;
        }
        let shows_missing = number > self.end();
        self.heard_of_all_before(number.next());
        if let Some(place) = self.pdus.get_mut(number) {
            *place = Some(contents);
            self.missing -= 1;
        }
        if let Delivery::AsReceived(delivery) = &self.delivery {
            delivery.arrived(&self.pdus, number, &mut self.released);
        }
        self.deliver();
        if shows_missing { Arrival::ShowsMissing } else { Arrival::Taken }
    }

    /// VR(H) moves there: what is not held is missing. Whether any is.
    pub(super) fn heard_of(&mut self, low_bits: u16) -> bool {
        let number = Number::at_or_after(self.first(), u64::from(low_bits));
        if number < self.limit() {
            self.heard_of_all_before(number.next());
        }
        self.misses_any()
    }

    fn heard_of_all_before(&mut self, end: Number) {
        while self.end() < end && !self.pdus.is_full() {
            self.pdus.push(None);
            self.missing += 1;
        }
    }

    /// Slides the window over all that follows without a gap.
    fn deliver(&mut self) {
        while let Some(Some(_)) = self.pdus.front() {
            self.pass_one();
        }
    }

    /// Moves the window over SDUs that the peer has discarded; N and `SN_ACK` of the answer (§11.6.3, §11.6.6.1). What is
    /// whole before that is delivered first.
    pub(super) fn move_window(&mut self, request: &MoveReceivingWindow<'_>) -> (u8, Number) {
        let Some(target) = self.target(request) else { return (0, self.first()) };
        while self.first() < target {
            self.pass_one();
        }
        // Where the PDU is here already it is read as it is: it tells itself where SDUs end.
        match &mut self.delivery {
            Delivery::InSequence(reassembler) => {
                if request.n == 0 || !self.pdus.get(target).is_some_and(Option::is_some) {
                    reassembler.begin_after(request.n);
                }
            }
            Delivery::AsReceived(delivery) => {
                if request.n == 0 {
                    delivery.begins_with(&self.pdus, target, &mut self.released);
                }
            }
        }
        self.deliver();
        (if self.first() == target { request.n } else { 0 }, self.first())
    }

    /// Where the window is to go, unless it is there.
    fn target(&self, request: &MoveReceivingWindow<'_>) -> Option<Number> {
        let mut numbers = request.numbers().map(u64::from);
        let first = numbers.next()?;
        let first = if request.beyond_window {
            Number::at_or_after(self.first(), first)
        } else {
            Number::before(self.limit(), first)?
        };
        let target = numbers.fold(first, Number::at_or_after);
        (target >= self.first()).then_some(target)
    }

    /// Moves the window by one PDU, arrived or not.
    fn pass_one(&mut self) {
        let number = self.first();
        let passed = self.pdus.pop_front();
        match &passed {
            Some(Some(_)) => {}
            Some(None) => self.missing -= 1,
            None => self.pdus.restart(number.next()),
        }
        let released = &mut self.released;
        match (&mut self.delivery, passed.flatten()) {
            (Delivery::InSequence(reassembler), Some(contents)) => {
                reassembler.take(&contents, &mut |sdu| released.push_back(sdu));
            }
            (Delivery::InSequence(reassembler), None) => reassembler.lose(),
            (Delivery::AsReceived(delivery), contents) => delivery.passed(number, contents),
        }
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.released.pop_front()
    }

    /// All as in the beginning; what was released stays.
    pub(super) fn reset(&mut self) {
        self.pdus.restart(Number::ZERO);
        self.missing = 0;
        match &mut self.delivery {
            Delivery::InSequence(reassembler) => reassembler.reset(),
            Delivery::AsReceived(delivery) => *delivery = AsReceived::default(),
        }
    }
}
