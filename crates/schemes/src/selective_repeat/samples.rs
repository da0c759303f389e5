//! Which frames are timed to measure the round-trip time: one for each acknowledgement, or one at a time, as TCP without
//! time stamps does it (RFC 6298 §3).
//!
//! ```text
//!     sent           1   2   3   1 again          4
//!     acknowledged                       up to 2       up to 4
//!     each acknowledgement               2             4
//!     one at a time                      none          4         1 was timed, until it was sent again
//! ```

use super::wire::Number;
use arqway_units::Time;
use serde::{Deserialize, Serialize};

/// Which frames give samples of the round-trip time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RoundTripSamples"))]
#[serde(rename_all = "kebab-case")]
pub enum Samples {
    /// The last frame that an acknowledgement covers, from its last transmission on.
    EachAcknowledgement,
    /// One frame at a time, and none that was retransmitted (Karn's rule; RFC 6298 §3), as in ns-2's TCP.
    OneAtATime,
}

/// Times one new frame after the other.
#[derive(Debug, Default)]
pub(super) struct OneAtATime {
    timed: Option<(Number, Time)>,
    /// The first number that was never sent.
    unsent: Number,
}

impl OneAtATime {
    /// A frame is sent. It is timed if it is new, and no other is.
    pub(super) fn sent(&mut self, number: Number, now: Time) {
        if number >= self.unsent {
            self.unsent = number.next();
            self.timed.get_or_insert((number, now));
        }
    }

    /// A frame is handed over again: its acknowledgement will not say which of its copies it answers.
    pub(super) fn sent_again(&mut self, number: Number) {
        self.timed.take_if(|(timed, _)| *timed == number);
    }

    /// Everything below a number is acknowledged: when the timed frame was sent, if it is covered.
    pub(super) fn acknowledged(&mut self, next: Number) -> Option<Time> {
        self.timed.take_if(|(timed, _)| *timed < next).map(|(_, sent)| sent)
    }
}
