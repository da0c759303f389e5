//! The receiving side: PDUs, through whichever function is configured for those out of their order, to SDUs.

use super::config::{Config, Reception};
use super::in_sequence::InSequence;
use super::out_of_sequence::OutOfSequence;
use super::reordering::Reordering;
use crate::rlc::pdu::Umd;
use alloc::collections::VecDeque;
use arqway_contract::Counters;
use arqway_units::Time;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Receiver {
    delivery: Delivery,
    /// For the network layer.
    released: VecDeque<Bytes>,
}

#[derive(Debug)]
enum Delivery {
    AsTheyCome(InSequence),
    Reordered(Reordering, InSequence),
    OutOfSequence(OutOfSequence),
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        let first = super::first_number();
        let delivery = match config.reception {
            Reception::InSequence => Delivery::AsTheyCome(InSequence::new(first, super::Number::MODULUS)),
            Reception::Windowed { window } => Delivery::AsTheyCome(InSequence::new(first, window.get().into())),
            Reception::Reordering { window, timer } => Delivery::Reordered(
                Reordering::new(window.as_usize(), timer),
                InSequence::new(first, super::Number::MODULUS),
            ),
            Reception::OutOfSequence { window, timer } => {
                Delivery::OutOfSequence(OutOfSequence::new(window.as_usize(), timer))
            }
        };
        Self { delivery, released: VecDeque::new() }
    }

    pub(super) fn take(&mut self, pdu: Umd, now: Time, counters: &mut Counters) {
        let mut deliver = |sdu| self.released.push_back(sdu);
        let Umd { number, contents } = pdu;
        let is_new = match &mut self.delivery {
            Delivery::AsTheyCome(in_sequence) => {
                in_sequence.take(number, &contents, counters, &mut deliver);
                true
            }
            Delivery::Reordered(reordering, in_sequence) => {
                reordering.take(number, contents, now, |number, contents| {
                    in_sequence.take_numbered(number, contents, counters, &mut deliver);
                })
            }
            Delivery::OutOfSequence(out_of_sequence) => out_of_sequence.take(number, contents, now, &mut deliver),
        };
        counters.duplicates_received += u64::from(!is_new);
    }

    pub(super) fn handle_timeout(&mut self, now: Time, counters: &mut Counters) {
        let mut deliver = |sdu| self.released.push_back(sdu);
        match &mut self.delivery {
            Delivery::AsTheyCome(_) => {}
            Delivery::Reordered(reordering, in_sequence) => reordering.handle_timeout(now, |number, contents| {
                in_sequence.take_numbered(number, contents, counters, &mut deliver);
            }),
            Delivery::OutOfSequence(out_of_sequence) => out_of_sequence.handle_timeout(now),
        }
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.released.pop_front()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        match &self.delivery {
            Delivery::AsTheyCome(_) => None,
            Delivery::Reordered(reordering, _) => reordering.deadline(),
            Delivery::OutOfSequence(out_of_sequence) => out_of_sequence.deadline(),
        }
    }

    /// How many SDUs were dropped because they grew too long.
    pub(super) fn too_long(&self) -> u64 {
        match &self.delivery {
            Delivery::AsTheyCome(in_sequence) | Delivery::Reordered(_, in_sequence) => in_sequence.too_long(),
            // A window of PDUs cannot hold one.
            Delivery::OutOfSequence(_) => 0,
        }
    }
}
