//! What share of this end's own datagrams a path loses, as reports tell it: of the last thousand or two.

use super::rate::Mark;
use arqway_units::{Ratio, ToFloat};

/// A share is told from so many datagrams on.
const LEAST: u64 = 250;
/// After so many the older half counts half.
const MOST: u64 = 2000;

/// Octets that were sent, and that arrived.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// The newest datagram that a report told of: its number, and the octets up to it.
    before: Option<(u64, u64)>,
    /// What has arrived since that.
    delivered: u64,
    datagrams: u64,
    sent: f64,
    arrived: f64,
}

impl Lost {
    /// A report tells that so many octets more have arrived, and of a datagram up to which that is all, if it is known.
    pub(super) fn hear(&mut self, newest: Option<Mark>, delivered: u64) {
        self.delivered += delivered;
        let Some(Mark { number, octets, .. }) = newest else { return };
        let delivered = core::mem::take(&mut self.delivered);
        let Some((number_before, octets_before)) = self.before.replace((number, octets)) else { return };
        self.datagrams += number.saturating_sub(number_before);
        self.sent += octets.saturating_sub(octets_before).to_f64();
        self.arrived += delivered.to_f64();
        if self.datagrams >= MOST {
            (self.datagrams, self.sent, self.arrived) = (self.datagrams / 2, self.sent / 2.0, self.arrived / 2.0);
        }
    }

    /// What is under way now says nothing: the path was gone.
    pub(super) fn interrupt(&mut self) {
        (self.before, self.delivered) = (None, 0);
    }

    /// The share, once there were datagrams enough.
    pub(super) fn share(&self) -> Option<Ratio> {
        if self.datagrams < LEAST || self.sent <= 0.0 {
            return None;
        }
        Ratio::new((1.0 - self.arrived / self.sent).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Time;

    fn mark(number: u64) -> Option<Mark> {
        Some(Mark { number, at: Time::ZERO, octets: 100 * (number + 1), size: 100 })
    }

    fn share(lost: &Lost) -> Option<f64> {
        lost.share().map(Ratio::as_f64)
    }

    #[test]
    fn the_share_is_that_of_the_last_thousand_or_two_datagrams() {
        let mut lost = Lost::default();
        lost.hear(mark(0), 100);
        lost.hear(mark(200), 18_000);
        assert_eq!(share(&lost), None, "of two hundred");
        // A report that names no datagram counts with the next one.
        lost.hear(None, 4000);
        lost.hear(mark(250), 500);
        assert!(share(&lost).is_some_and(|share| (share - 0.1).abs() < 1e-9), "{:?}", share(&lost));
        for number in 6..200 {
            lost.hear(mark(50 * number), 5000);
        }
        assert!(share(&lost).is_some_and(|share| share < 0.01), "{:?}", share(&lost));
    }

    #[test]
    fn what_was_lost_while_the_path_was_gone_does_not_count() {
        let mut lost = Lost::default();
        lost.hear(mark(0), 100);
        lost.hear(mark(300), 30_000);
        lost.interrupt();
        lost.hear(mark(900), 0);
        assert_eq!(share(&lost), Some(0.0));
    }
}
