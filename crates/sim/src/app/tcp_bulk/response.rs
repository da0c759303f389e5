//! How long a sender takes to answer a loss on the wire (shikama06, Fig. 12): from the moment when the packet would have
//! arrived until it is sent again. Such a loss means congestion, so it is to be answered soon, whatever the wireless link
//! does meanwhile.
//!
//! Losses that are not answered when the run ends are left out, and so are those that nobody has to answer: another copy of
//! the packet arrived, or was on its way before this one would have been there.

use alloc::vec::Vec;
use arqway_units::Time;

/// A packet that was lost, and when it would have arrived.
#[derive(Debug, Clone, Copy)]
struct Loss {
    number: i64,
    at: Time,
}

/// The losses of one connection.
#[derive(Debug)]
pub(super) struct Response {
    open: Vec<Loss>,
    answered: u64,
    taken: u128,
}

impl Default for Response {
    fn default() -> Self {
        Self { open: Vec::with_capacity(32), answered: 0, taken: 0 }
    }
}

impl Response {
    /// A packet was lost that would have arrived then.
    pub(super) fn lost(&mut self, number: i64, at: Time) {
        self.open.push(Loss { number, at });
    }

    /// The sender sends a packet again.
    pub(super) fn sent_again(&mut self, number: i64, now: Time) {
        let Some(place) = self.open.iter().position(|loss| loss.number == number) else { return };
        let loss = self.open.swap_remove(place);
        if now >= loss.at {
            self.answered += 1;
            self.taken += u128::from(now.since(loss.at).as_nanoseconds());
        }
    }

    /// Everything up to and with this packet has arrived.
    pub(super) fn acknowledged(&mut self, number: i64) {
        if !self.open.is_empty() {
            self.open.retain(|loss| loss.number > number);
        }
    }

    /// The mean of all answers, on all connections.
    pub(super) fn mean_s<'a>(of: impl Iterator<Item = &'a Self>) -> Option<f64> {
        super::mean_s(of.map(|one| (one.answered, one.taken)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Span;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(1000 * seconds)
    }

    #[test]
    fn a_loss_is_answered_when_its_packet_is_sent_again() {
        let mut response = Response::default();
        response.lost(7, at(10));
        response.lost(9, at(11));
        response.sent_again(8, at(12));
        response.sent_again(7, at(13));
        response.sent_again(9, at(18));
        response.sent_again(9, at(19));
        assert_eq!(Response::mean_s([response, Response::default()].iter()), Some(5.0), "3 s and 7 s");
    }

    #[test]
    fn a_loss_that_nobody_answers_or_has_to_answer_is_left_out() {
        let mut response = Response::default();
        response.lost(1, at(1));
        response.acknowledged(1);
        response.sent_again(1, at(2));
        response.lost(2, at(5));
        response.sent_again(2, at(4));
        response.lost(3, at(6));
        assert_eq!(Response::mean_s([response].iter()), None);
    }
}
