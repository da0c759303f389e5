//! Which losses are the link's own, and which come of sending too fast for a queue that is too short to be seen.
//!
//! ```text
//!                       sent more              sent less, for a round
//!     radio             more arrives           as large a share is lost: it is the usual one from now on
//!     policer           no more arrives        a smaller share is lost: what arrived is the rate
//! ```
//!
//! A share of losses says nothing; whether it moves with the rate does.

use arqway_units::ToFloat;

/// A share is judged from so many datagrams.
const DATAGRAMS: u64 = 24;
/// So much more than usual asks for a trial.
const UNUSUAL: f64 = 0.05;
/// So much more than usual in a window, which chance does not make, is a queue that overflows until a trial says otherwise.
const MUCH: f64 = 0.12;
/// One round lowers the pace to no less than this part.
const LEAST_PART: f64 = 0.1;
/// As much may be lost by the link without anybody knowing yet.
const A_TENTH: f64 = 0.1;
/// A trial is over after so many rounds, whatever is known.
const LONGEST_TRIAL: u32 = 8;
/// No larger share is taken for usual.
const MOST_USUAL: f64 = 0.4;

/// What a round says of losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    /// Nothing of the rate.
    Nothing,
    /// The pace is lowered to this part of what the round had, to see whether less is lost.
    Try(f64),
    /// So much of what is sent arrives: the rest is lost for being sent.
    TooFast(f64),
    /// The trial has lost as much: the rate before was right.
    Innocent,
}

/// What is known of losses.
#[derive(Debug, Default)]
pub(super) struct Losses {
    usual: f64,
    sent: u64,
    delivered: u64,
    datagrams: u64,
    /// How fast datagrams were sent in the round before, and what share of it arrived.
    before: Option<(f64, f64)>,
    /// The share that was lost when a trial began, and whether its first round, in which old datagrams arrive, is over.
    trial: Option<(f64, bool)>,
    /// Rounds of a trial that had too few datagrams.
    waited: u32,
}

impl Losses {
    /// Of so many octets in so many datagrams so many arrived.
    pub(super) fn hear(&mut self, sent: u64, datagrams: u64, delivered: u64) {
        self.sent += sent;
        self.datagrams += datagrams;
        self.delivered += delivered;
    }

    /// A round is over, in which datagrams were sent so fast. Before the capacity is known the pace is doubled each round, and tells by
    /// itself.
    pub(super) fn judge(&mut self, rate: f64, is_known: bool) -> Verdict {
        if self.datagrams < DATAGRAMS || self.sent == 0 {
            return self.wait();
        }
        let arrived = (self.delivered.to_f64() / self.sent.to_f64()).min(1.0);
        let unusual = self.usual + UNUSUAL.max(self.chance(self.datagrams));
        (self.sent, self.datagrams, self.delivered) = (0, 0, 0);
        let lost = 1.0 - arrived;
        if let Some((lost_before, is_judged)) = &mut self.trial {
            if !*is_judged {
                *is_judged = true;
                return Verdict::Nothing;
            }
            let is_ours = lost < self.usual + 0.3 * (*lost_before - self.usual);
            self.trial = None;
            self.before = None;
            if is_ours {
                return Verdict::TooFast(1.0);
            }
            self.usual = lost.min(MOST_USUAL);
            return Verdict::Innocent;
        }
        let before = self.before.replace((rate, arrived));
        if let Some((rate_before, arrived_before)) = before {
            let (more_sent, more_arrived) = (rate / rate_before, rate * arrived / (rate_before * arrived_before));
            if more_sent > if is_known { 1.15 } else { 1.5 }
                && lost > unusual
                && more_arrived < 1.0 + 0.4 * (more_sent - 1.0)
            {
                self.before = None;
                return Verdict::TooFast((arrived / (1.0 - self.usual)).max(LEAST_PART));
            }
        }
        if !is_known {
            self.usual += (lost.min(MOST_USUAL) - self.usual) / 2.0;
            return Verdict::Nothing;
        }
        if lost > unusual {
            (self.trial, self.waited) = (Some((lost, false)), 0);
            return Verdict::Try((arrived / (1.0 - self.usual)).max(LEAST_PART) * 0.95);
        }
        self.usual += (lost.min(MOST_USUAL) - self.usual) / if lost < self.usual { 4.0 } else { 16.0 };
        Verdict::Nothing
    }

    /// The share that is lost at any rate.
    pub(super) fn usual(&self) -> f64 {
        self.usual
    }

    /// Where much more than usual is lost, what share of it all was carried.
    pub(super) fn carried(&self, lost: f64, datagrams: u64) -> f64 {
        if lost > self.usual + MUCH.max(self.chance(datagrams)) { (1.0 - lost) / (1.0 - self.usual) } else { 1.0 }
    }

    /// By how much the share that is lost of so many datagrams exceeds the usual one by chance: three standard deviations.
    fn chance(&self, datagrams: u64) -> f64 {
        let usual = self.usual.max(A_TENTH);
        3.0 * libm::sqrt(usual * (1.0 - usual) / datagrams.max(1).to_f64())
    }

    /// Too few datagrams to say: no trial takes for ever.
    fn wait(&mut self) -> Verdict {
        let Some((lost, _)) = self.trial else { return Verdict::Nothing };
        self.waited += 1;
        if self.waited < LONGEST_TRIAL {
            return Verdict::Nothing;
        }
        (self.trial, self.before) = (None, None);
        self.usual = lost.min(MOST_USUAL);
        Verdict::Innocent
    }

    /// What was measured ends here.
    pub(super) fn interrupt(&mut self) {
        *self = Self { usual: self.usual, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round of so many datagrams of 1,000 octets, some of which were lost.
    fn round(losses: &mut Losses, datagrams: u64, lost: u64) -> Verdict {
        losses.hear(datagrams * 1000, datagrams, (datagrams - lost) * 1000);
        losses.judge(1e6, true)
    }

    #[test]
    fn a_share_that_stays_when_less_is_sent_is_the_links_own() {
        let mut losses = Losses::default();
        assert_eq!(round(&mut losses, 100, 0), Verdict::Nothing);
        assert!(matches!(round(&mut losses, 100, 20), Verdict::Try(part) if part < 0.8));
        assert_eq!(round(&mut losses, 100, 20), Verdict::Nothing, "sent before");
        assert_eq!(round(&mut losses, 100, 20), Verdict::Innocent);
        assert_eq!(round(&mut losses, 100, 22), Verdict::Nothing, "usual now");
    }

    #[test]
    fn a_share_that_goes_when_less_is_sent_came_of_sending() {
        let mut losses = Losses::default();
        round(&mut losses, 100, 20);
        round(&mut losses, 100, 20);
        assert_eq!(round(&mut losses, 100, 0), Verdict::TooFast(1.0));
    }

    #[test]
    fn a_trial_ends_after_eight_rounds_of_a_few_datagrams() {
        let mut losses = Losses::default();
        round(&mut losses, 100, 20);
        let verdicts: alloc::vec::Vec<_> = (0..8).map(|_| round(&mut losses, 1, 0)).collect();
        assert_eq!(verdicts.iter().position(|verdict| *verdict == Verdict::Innocent), Some(7));
    }

    #[test]
    fn a_few_datagrams_lost_by_chance_are_no_overflow() {
        let losses = Losses::default();
        assert_eq!((losses.carried(0.5, 100), losses.carried(0.1, 100), losses.carried(0.2, 12)), (0.5, 1.0, 1.0));
    }
}
