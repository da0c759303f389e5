//! How long frames took, as far as two clocks tell that do not agree: relative to the quickest.

use super::frames::{Fate, Frames};

/// Delays of the frames that arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delays {
    /// Of how many frames.
    pub frames: u64,
    /// The shortest as the two clocks say, in seconds: the delay itself only where both tell the same time.
    pub shortest_s: f64,
    /// The median beyond the shortest, in seconds.
    pub median_s: f64,
    /// The 95th percentile beyond the shortest, in seconds.
    pub p95_s: f64,
    /// The mean difference between the delays of two frames that were sent one after the other and arrived, in seconds.
    pub jitter_s: f64,
    /// The share of the frames that arrived after one that was sent later (RFC 4737 §3.3).
    pub reordered: f64,
}

impl Delays {
    /// Those of a trace; `None` where it does not say when frames arrived.
    pub(super) fn of(frames: &Frames) -> Option<Self> {
        let delay = |fate: Fate| match fate {
            Fate::After(delay) => Some(delay),
            Fate::Lost | Fate::Arrived => None,
        };
        let delays: Vec<i64> = frames.frames.iter().filter_map(|frame| delay(frame.fate)).collect();
        let mut sorted = delays.clone();
        sorted.sort_unstable();
        let shortest = *sorted.first()?;
        let seconds = |delay: i64| delay.saturating_sub(shortest) as f64 / 1e9;
        // The nearest rank.
        let quantile =
            |share: f64| seconds(sorted[((share * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]);
        let neighbours = frames.frames.windows(2).filter_map(|pair| Some((delay(pair[0].fate)?, delay(pair[1].fate)?)));
        let differences: Vec<f64> = neighbours.map(|(one, other)| other.abs_diff(one) as f64 / 1e9).collect();
        let mut arrivals: Vec<(i128, usize)> = Vec::with_capacity(sorted.len());
        for (number, frame) in frames.frames.iter().enumerate() {
            if let Some(delay) = delay(frame.fate) {
                arrivals.push((i128::from(frame.at.as_nanoseconds()) + i128::from(delay), number));
            }
        }
        arrivals.sort_unstable();
        let (mut newest, mut late) = (0, 0u64);
        for (_, number) in &arrivals {
            late += u64::from(*number < newest);
            newest = newest.max(*number);
        }
        Some(Self {
            frames: sorted.len() as u64,
            shortest_s: shortest as f64 / 1e9,
            median_s: quantile(0.5),
            p95_s: quantile(0.95),
            jitter_s: differences.iter().sum::<f64>() / differences.len().max(1) as f64,
            reordered: late as f64 / sorted.len() as f64,
        })
    }
}
