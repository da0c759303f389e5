//! What happens when a timer expires (Q.2110 §7.6).

use super::primitives::{Error, Indication};
use super::{Connection, State, Timer};
use arqway_units::Time;
use bytes::Bytes;

impl Connection {
    /// A timer has expired: it stops, and what it was for is done.
    pub fn handle_timer(&mut self, timer: Timer, now: Time) {
        self.timers.stop(timer);
        match timer {
            Timer::Cc => self.ask_again(now),
            Timer::Poll | Timer::KeepAlive => self.poll_again(now),
            Timer::Idle => {
                self.timers.set(Timer::NoResponse, now);
                self.poll_again(now);
            }
            Timer::NoResponse => {
                self.error(Error::NoResponse);
                self.end_transfer(now);
                self.release_by_itself(now);
            }
        }
    }

    fn poll_again(&mut self, now: Time) {
        self.request_poll();
        self.set_poll_timer(now);
    }

    /// Asks once more, or gives up after MaxCC times.
    fn ask_again(&mut self, now: Time) {
        if self.asked >= self.parameters.max_cc {
            self.error(Error::NoAnswer);
            return match self.state {
                State::OutgoingDisconnectionPending => self.go_idle(Indication::Released(Bytes::new()), now),
                _ => self.release_by_itself(now),
            };
        }
        self.asked += 1;
        match self.state {
            State::OutgoingConnectionPending => self.send_bgn(),
            State::OutgoingDisconnectionPending => self.send_end(self.ended_by_sscop, self.said.clone()),
            State::OutgoingResynchronizationPending => self.send_rs(),
            State::OutgoingRecoveryPending => self.send_er(),
            State::Idle
            | State::IncomingConnectionPending
            | State::IncomingResynchronizationPending
            | State::RecoveryResponsePending
            | State::IncomingRecoveryPending
            | State::DataTransferReady => return,
        }
        self.timers.set(Timer::Cc, now);
    }
}
