//! Runs of lost frames, and the gaps between them: how many frames of one fate follow each other.
//!
//! ```text
//!     fates   . . x x x . . . . x . . x x .        x lost
//!     runs        3             1     2
//!     gaps              4         2                those between two runs
//! ```

/// The runs and gaps of a sequence of fates, each list in ascending order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Runs {
    /// How many frames were lost in a row.
    pub lost: Vec<u32>,
    /// How many arrived between two runs of losses.
    pub arrived: Vec<u32>,
    losses: u64,
    frames: u64,
    /// Losses that followed a loss.
    pairs: u64,
    /// Whether the first and the last frame were lost.
    ends: [bool; 2],
}

impl Runs {
    /// Those of fates in the order of sending: whether each frame was lost.
    #[must_use]
    pub fn of(fates: impl IntoIterator<Item = bool>) -> Self {
        let mut runs = Self::default();
        let mut last = None;
        let mut length = 0u32;
        for lost in fates {
            if runs.frames == 0 {
                runs.ends[0] = lost;
            }
            runs.frames += 1;
            runs.losses += u64::from(lost);
            runs.pairs += u64::from(lost && last == Some(true));
            match last {
                Some(before) if before == lost => length += 1,
                Some(before) => {
                    runs.end(before, length);
                    length = 1;
                }
                None => length = 1,
            }
            last = Some(lost);
        }
        runs.ends[1] = last == Some(true);
        if runs.ends[1] {
            runs.end(true, length);
        }
        runs.lost.sort_unstable();
        runs.arrived.sort_unstable();
        runs
    }

    fn end(&mut self, lost: bool, length: u32) {
        if lost {
            self.lost.push(length);
        } else if !self.lost.is_empty() {
            self.arrived.push(length);
        }
    }

    /// Those of several traces.
    pub(super) fn together(traces: &[Self]) -> Self {
        let mut all = Self::default();
        for trace in traces {
            all.lost.extend(&trace.lost);
            all.arrived.extend(&trace.arrived);
            all.losses += trace.losses;
            all.frames += trace.frames;
            all.pairs += trace.pairs;
        }
        all.lost.sort_unstable();
        all.arrived.sort_unstable();
        all
    }

    /// The share of lost frames.
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.losses as f64 / self.frames.max(1) as f64
    }

    /// The mean length of a run of losses; 0 without any.
    #[must_use]
    pub fn mean_lost(&self) -> f64 {
        mean(&self.lost)
    }

    /// The mean length of a gap between them; 0 without any.
    #[must_use]
    pub fn mean_arrived(&self) -> f64 {
        mean(&self.arrived)
    }

    /// How the fates of frames that follow each other correlate; `None` where all have the same.
    #[must_use]
    pub fn correlation(&self) -> Option<f64> {
        let [first, last] = self.ends.map(|lost| f64::from(u8::from(lost)));
        let pairs = self.frames.checked_sub(1)? as f64;
        let losses = self.losses as f64;
        let (before, behind) = ((losses - last) / pairs, (losses - first) / pairs);
        let spread = (before * (1.0 - before) * behind * (1.0 - behind)).sqrt();
        (spread > 0.0).then(|| (self.pairs as f64 / pairs - before * behind) / spread)
    }

    /// The means of the shorter gaps and of this share of the longest.
    pub(super) fn halves_of_arrived(&self, share: f64) -> (f64, f64) {
        halves(&self.arrived, share)
    }

    /// The means of the shorter runs and of this share of the longest.
    pub(super) fn halves_of_lost(&self, share: f64) -> (f64, f64) {
        halves(&self.lost, share)
    }
}

fn mean(lengths: &[u32]) -> f64 {
    lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / lengths.len().max(1) as f64
}

fn halves(lengths: &[u32], share: f64) -> (f64, f64) {
    let at = ((1.0 - share) * lengths.len() as f64) as usize;
    let (short, long) = lengths.split_at(at.min(lengths.len()));
    let short = mean(short).max(1.0);
    (short, mean(long).max(1.5 * short))
}

/// The share of lengths that are at least so long; the lengths are in ascending order.
#[must_use]
pub fn survival(lengths: &[u32], at_least: u32) -> f64 {
    let shorter = lengths.partition_point(|length| *length < at_least);
    (lengths.len() - shorter) as f64 / lengths.len().max(1) as f64
}

/// The largest distance between the survivals of two lists, which are in ascending order (Kolmogorov and Smirnov).
#[must_use]
pub fn distance(one: &[u32], other: &[u32]) -> f64 {
    let (mut a, mut b, mut largest) = (0, 0, 0.0f64);
    let share = |count: usize, of: &[u32]| count as f64 / of.len().max(1) as f64;
    while a < one.len() && b < other.len() {
        let next = one[a].min(other[b]);
        a += one[a..].iter().take_while(|length| **length == next).count();
        b += other[b..].iter().take_while(|length| **length == next).count();
        largest = largest.max((share(a, one) - share(b, other)).abs());
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(text: &str) -> Runs {
        Runs::of(text.chars().map(|fate| fate == 'x'))
    }

    #[test]
    fn runs_and_the_gaps_between_them_are_counted() {
        let runs = fates("..xxx....x..xx.");
        assert_eq!((runs.lost.as_slice(), runs.arrived.as_slice()), (&[1, 2, 3][..], &[2, 4][..]));
        assert_eq!((runs.loss(), runs.mean_lost(), runs.mean_arrived()), (0.4, 2.0, 3.0));
        assert_eq!(fates("xx.x").lost, [1, 2]);
        assert_eq!((fates("").loss(), fates("...").correlation()), (0.0, None));
    }

    #[test]
    fn the_correlation_is_that_of_neighbours() {
        assert!((fates("x.x.x.x.").correlation().unwrap() + 1.0).abs() < 1e-12);
        // Seven pairs, by hand: both lost 3, first lost 4, second lost 3; (3/7 - 12/49) / (12/49).
        assert!((fates("xxxx....").correlation().unwrap() - 0.75).abs() < 1e-12);
    }

    #[test]
    fn survivals_and_their_distance_by_hand() {
        assert_eq!([1, 2, 3, 4].map(|length| survival(&[1, 2, 2, 3], length)), [1.0, 0.75, 0.25, 0.0]);
        assert_eq!(distance(&[1, 2, 2, 3], &[1, 2, 2, 3]), 0.0);
        assert_eq!(distance(&[1, 1, 1, 4], &[1, 2, 3, 4]), 0.5);
        assert_eq!(distance(&[1], &[2]), 1.0);
    }
}
