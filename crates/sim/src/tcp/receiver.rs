//! TCP's receiving half: what has arrived, and the acknowledgement for each packet. No delayed acknowledgements.

use alloc::collections::VecDeque;

/// Counts packets as the sender does.
#[derive(Debug, Default)]
pub(crate) struct Receiver {
    /// The first packet not received.
    awaited: i64,
    /// Whether packet `awaited + 1 + index` has arrived.
    ahead: VecDeque<bool>,
}

/// As far ahead as no window reaches: a number there is not one of this connection's.
const FARTHEST: i64 = super::PacketWindow::MAX as i64 + 1;

impl Receiver {
    /// Takes packet `number`; returns the highest packet received in order, for the acknowledgement.
    pub(crate) fn receive(&mut self, number: i64) -> i64 {
        if number == self.awaited {
            self.awaited += 1;
            while self.ahead.pop_front().unwrap_or(false) {
                self.awaited += 1;
            }
        } else if number > self.awaited && number - self.awaited < FARTHEST {
            let index = (number - self.awaited - 1) as usize;
            if self.ahead.len() <= index {
                self.ahead.resize(index + 1, false);
            }
            self.ahead[index] = true;
        }
        self.awaited - 1
    }

    /// Begins anew, for another connection.
    pub(crate) fn restart(&mut self) {
        self.awaited = 0;
        self.ahead.clear();
    }

    /// How many packets were received in order.
    pub(crate) fn in_order(&self) -> i64 {
        self.awaited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_packet_is_answered_with_the_highest_in_order() {
        let mut receiver = Receiver::default();
        let answers: [i64; 6] = [0, 2, 3, 2, 1, 4].map(|number| receiver.receive(number));
        assert_eq!(answers, [0, 0, 0, 0, 3, 4]);
    }

    #[test]
    fn another_connection_knows_nothing_of_what_the_last_one_had_ahead() {
        let mut receiver = Receiver::default();
        assert_eq!([0, 2, 3].map(|number| receiver.receive(number)), [0, 0, 0]);
        receiver.restart();
        assert_eq!([0, 1, 2].map(|number| receiver.receive(number)), [0, 1, 2]);
        assert_eq!(receiver.in_order(), 3);
    }

    proptest! {
        #[test]
        fn any_order_of_arrival_ends_complete(order in Just((0..40i64).collect::<std::vec::Vec<_>>()).prop_shuffle()) {
            let mut receiver = Receiver::default();
            let last = order.iter().map(|number| receiver.receive(*number)).max();
            prop_assert_eq!((last, receiver.in_order()), (Some(39), 40));
        }
    }
}
