//! When each frame was on the line, by the rate of the link: what an error model in continuous time has to know.
//!
//! ```text
//!     handed over   a b        c                 a frame starts when it is handed over, or when the one before it has left
//!     on the line   |==a==|==b==|  |==c==|
//! ```
//!
//! Where nobody says how fast the link is, it is taken to be as fast as its quickest frames followed each other: 19 of 20
//! gaps between frames leave room for the first of the two.

use super::frames::{Frames, SentFrame};
use arqway_units::{BitRate, Octets, Pacer, Span, Time};

/// The frames on the line.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    pub(crate) rate: BitRate,
    pub(crate) frames: Vec<OnLine>,
}

/// A frame on the line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnLine {
    pub(crate) start: Time,
    pub(crate) octets: Octets,
    pub(crate) lost: bool,
    /// From its end to the start of the next one.
    pub(crate) gap: Span,
}

impl Timeline {
    pub(crate) fn new(frames: &Frames, rate: BitRate) -> Self {
        let mut pacer = Pacer::new(rate);
        let mut free = Time::ZERO;
        let mut line: Vec<OnLine> = Vec::with_capacity(frames.frames.len());
        for frame in &frames.frames {
            let start = frame.at.max(free);
            if let Some(last) = line.last_mut() {
                last.gap = start.since(free);
            }
            free = start + pacer.time_to_send(frame.octets);
            line.push(OnLine { start, octets: frame.octets, lost: frame.is_lost(), gap: Span::ZERO });
        }
        Self { rate, frames: line }
    }

    /// How long the last frame has waited before it starts: much, where the rate is too low for the trace.
    pub(crate) fn backlog(&self, frames: &Frames) -> Span {
        match (self.frames.last(), frames.frames.last()) {
            (Some(on_line), Some(sent)) => on_line.start.since(sent.at),
            _ => Span::ZERO,
        }
    }

    /// The distance from one start to the next, in seconds: the median, for the hours in which nothing was sent tell nothing of the
    /// link.
    pub(crate) fn spacing(&self) -> f64 {
        let pairs = self.frames.windows(2);
        let mut distances: Vec<f64> = pairs.map(|pair| pair[1].start.since(pair[0].start).as_seconds()).collect();
        if distances.is_empty() {
            return self.frames.first().map_or(0.0, |first| self.rate.time_to_send(first.octets).as_seconds());
        }
        let middle = distances.len() / 2;
        *distances.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// From the first start to the last, in seconds; the time of a frame at least.
    pub(crate) fn length(&self) -> f64 {
        self.frames.last().map_or(0.0, |last| last.start.as_seconds()).max(self.spacing())
    }

    /// The mean length of a frame in bits.
    pub(crate) fn bits(&self) -> f64 {
        let bits: u64 = self.frames.iter().map(|frame| frame.octets.as_bits()).sum();
        bits as f64 / self.frames.len().max(1) as f64
    }
}

/// How fast the link is at least, by how the frames follow each other; `None` where no two were sent at different times.
pub(crate) fn rate_of(frames: &Frames) -> Option<BitRate> {
    // Frames of one time were sent before those of the next, all of them.
    let sent_at_once: Vec<&[SentFrame]> = frames.frames.chunk_by(|a, b| a.at == b.at).collect();
    let rate = |pair: &[&[SentFrame]]| {
        let bits: u64 = pair[0].iter().map(|frame| frame.octets.as_bits()).sum();
        bits as f64 / pair[1][0].at.since(pair[0][0].at).as_seconds()
    };
    let mut rates: Vec<f64> = sent_at_once.windows(2).map(rate).filter(|rate| rate.is_finite()).collect();
    rates.sort_by(f64::total_cmp);
    let rate = rates.get((rates.len() * 19 / 20).min(rates.len().checked_sub(1)?))?;
    // A last digit is the rounding of time stamps.
    let digits = 10f64.powi((libm::log10(*rate).floor() as i32) - 3);
    BitRate::from_bits_per_second(((rate / digits).round() * digits).max(1.0) as u64)
}
