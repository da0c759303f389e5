//! What people think of a call: the E-model of ITU-T G.107, which adds up what spoils a call on a scale of 100, and tells what mean
//! opinion score, from 1 (bad) to 4.5 (very good), people give.
//!
//! ```text
//!     R = 93.2 - delay (G.107, Idd) - losses (Ie-eff)        MOS = 1 + 0.035 R + R (R - 60) (100 - R) 7 / 1,000,000
//! ```
//!
//! All else has the recommendation's default, 93.2; echo is cancelled. Packets are played so long after they were sent as they may take
//! (`media.within`), so that is the delay from mouth to ear, and what is later is lost. Losses come one by one (BurstR 1). The codec is
//! G.711 with concealment (G.113, Appendix I: Ie 0, Bpl 25.1).

use arqway_units::Span;

/// R without delay or losses: all defaults.
const BEST: f64 = 93.2;
/// Of the codec: what it spoils without losses, and how well it bears them.
const IMPAIRMENT: f64 = 0.0;
const ROBUSTNESS: f64 = 25.1;

/// What is put in, in words.
pub(super) const INPUTS: &str =
    "ITU-T G.107: G.711 with concealment (Ie 0, Bpl 25.1), losses one by one, no echo, all else as by default";

/// The mean opinion score of a call that is played so long after it was spoken, with a share of packets lost or late.
pub(super) fn mean_opinion_score(mouth_to_ear: Span, lost: f64) -> f64 {
    opinion_of_rating(BEST - of_delay(mouth_to_ear.as_seconds() * 1000.0) - of_losses(lost * 100.0))
}

/// Idd (G.107, equations 7-27 and 7-28): people begin to talk at the same time.
fn of_delay(milliseconds: f64) -> f64 {
    if milliseconds <= 100.0 {
        return 0.0;
    }
    let doublings = libm::log2(milliseconds / 100.0);
    let root = |value: f64| libm::pow(1.0 + libm::pow(value, 6.0), 1.0 / 6.0);
    25.0 * (root(doublings) - 3.0 * root(doublings / 3.0) + 2.0)
}

/// Ie-eff (equation 7-29).
fn of_losses(percent: f64) -> f64 {
    IMPAIRMENT + (95.0 - IMPAIRMENT) * percent / (percent + ROBUSTNESS)
}

/// Annex B, equation B-4.
fn opinion_of_rating(rating: f64) -> f64 {
    let rating = rating.clamp(0.0, 100.0);
    (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(mouth_to_ear: u64, lost: f64) -> f64 {
        libm::round(mean_opinion_score(Span::from_milliseconds(mouth_to_ear), lost) * 100.0) / 100.0
    }

    #[test]
    fn ratings_become_the_scores_that_annex_b_prints() {
        // Table B.1: the lower limits of the categories of users' satisfaction.
        for (rating, printed) in [(90.0, 4.34), (80.0, 4.03), (70.0, 3.6), (60.0, 3.1), (50.0, 2.58)] {
            let score = opinion_of_rating(rating);
            assert!((score - printed).abs() < 0.01, "{score} for {rating}");
        }
    }

    #[test]
    fn delay_and_losses_spoil_a_call() {
        assert_eq!([rounded(20, 0.0), rounded(100, 0.0)], [4.41, 4.41], "nobody notices a tenth of a second");
        assert!(rounded(150, 0.0) > 4.35 && rounded(400, 0.0) < 3.7, "{} {}", rounded(150, 0.0), rounded(400, 0.0));
        // One doubling of 100 ms: 25 (2^(1/6) - 3 (1 + 1/729)^(1/6) + 2), by hand.
        assert!((of_delay(200.0) - 3.044).abs() < 0.002, "{}", of_delay(200.0));
        // 95 x 25.1 / 50.2: half of all that losses can do.
        assert!((of_losses(25.1) - 47.5).abs() < 1e-9);
        assert!(rounded(100, 0.01) > 4.2 && rounded(100, 0.1) < 3.5 && rounded(100, 1.0) < 1.5);
    }
}
