//! A sender that is notified of an outage stands still until it is over (as in Freeze-TCP: Goff, Moronski, Phatak and Gupta,
//! INFOCOM 2000, where the receiver closes its window instead).
//!
//! ```text
//!     time      0 ------- 10 | notice ............... back | 10 ------- 20
//!     the sender's clock  10 |          10                 | 10
//! ```
//!
//! Its clock stops at the notice, so that its timer does not expire and no round trip has the outage in it; what it would
//! send stays where it is. When there is a link again it goes on with the window, the threshold and the estimate that it
//! had, and sends at once what the window allows. Acknowledgements that arrive meanwhile count.

use super::Sender;
use arqway_units::Time;

impl Sender {
    /// The link is about to go, or went at `since`; a second hint changes nothing.
    pub fn freeze(&mut self, since: Time) {
        self.frozen.get_or_insert(since);
    }

    /// There is a link again.
    pub fn thaw(&mut self, now: Time) {
        let Some(since) = self.frozen.take() else { return };
        let length = now.since(since);
        self.timer = self.timer.map(|timer| timer + length);
        self.timed = self.timed.map(|(number, sent)| (number, sent + length));
        self.pacer.stand_still(length);
        self.idle_until = self.idle_until.map(|until| until + length);
        if let Some(cubic) = &mut self.cubic {
            cubic.stand_still(length);
        }
        if let Some(selective) = &mut self.selective {
            selective.stand_still(length);
        }
    }

    /// Whether it stands still.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Now, by the clock that stands still in an outage.
    pub(super) fn clock(&self, now: Time) -> Time {
        self.frozen.unwrap_or(now)
    }
}
