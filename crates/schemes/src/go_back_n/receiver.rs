//! The receiving half: it takes the one frame that is next, and says which that is.

use super::config::Config;
use super::wire::Number;
use alloc::collections::VecDeque;
use arqway_arq::DelayedAcknowledgement;
use arqway_contract::Counters;
use arqway_units::Time;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Receiver {
    expected: Number,
    /// For the network layer.
    released: VecDeque<Bytes>,
    pub(super) acknowledgement: DelayedAcknowledgement,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            expected: Number::ZERO,
            released: VecDeque::with_capacity(1),
            acknowledgement: DelayedAcknowledgement::new(config.delayed_acknowledgement),
        }
    }

    /// Takes a data frame; its number is still the low bits.
    ///
    /// With a window of nearly the modulus nobody can tell an early frame from an old one, so both are answered alike: the
    /// old one because its acknowledgement may have been lost.
    pub(super) fn receive(&mut self, number: u64, packet: Bytes, now: Time, counters: &mut Counters) {
        if self.expected.wire() == number {
            self.expected = self.expected.next();
            self.released.push_back(packet);
        } else {
            counters.out_of_sequence_received += 1;
        }
        self.acknowledgement.want(now);
    }

    /// The number to write into a frame that starts: it acknowledges all there is to acknowledge.
    pub(super) fn acknowledge(&mut self) -> Number {
        self.acknowledgement.ride();
        self.expected
    }

    pub(super) fn poll_packet(&mut self) -> Option<Bytes> {
        self.released.pop_front()
    }
}
