//! How many frames a channel loses, and how many in a row.

use arqway_units::ToFloat;

/// Counts the frames of one direction, lost and not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FrameLoss {
    frames: u64,
    lost: u64,
    /// Stretches of lost frames without one between them that arrives.
    runs: u64,
    last_was_lost: bool,
}

impl FrameLoss {
    /// The next frame.
    pub(crate) fn count(&mut self, is_lost: bool) {
        self.frames += 1;
        self.lost += u64::from(is_lost);
        self.runs += u64::from(is_lost && !self.last_was_lost);
        self.last_was_lost = is_lost;
    }

    /// The share of the frames that were lost, if there were any.
    pub(crate) fn rate(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.lost.to_f64() / self.frames.to_f64())
    }

    /// The share since there were so many of them, if there were any.
    pub(crate) fn rate_since(&self, then: &Self) -> Option<f64> {
        let frames = self.frames - then.frames;
        (frames > 0).then(|| (self.lost - then.lost).to_f64() / frames.to_f64())
    }

    /// How many frames in a row were lost, on average, if any were.
    pub(crate) fn mean_run(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.lost.to_f64() / self.runs.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_counted_and_so_are_their_runs() {
        let mut loss = FrameLoss::default();
        assert_eq!((loss.rate(), loss.mean_run()), (None, None));
        for fate in "0011000111010000".chars() {
            loss.count(fate == '1');
        }
        assert_eq!((loss.rate(), loss.mean_run()), (Some(0.375), Some(2.0)));
    }
}
