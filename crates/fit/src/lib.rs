//! The channel behind a trace: which of the simulator's error models is likeliest to have lost what was lost, with which
//! parameters, and whether it explains what was seen.
//!
//! ```text
//!     trace.csv, or captures of both ends --> frames --> likelihood of each family --> the best by Schwarz's criterion
//!                                                 |                                             |
//!                                                 +--> runs, gaps, delays <---- compared ---- simulated
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `read/` | tables and captures, and which packet is which |
//! | `frames.rs` | what was sent and what became of it |
//! | `timeline.rs` | when each frame was on the line |
//! | `family.rs` | the channels that are fitted, and their parameters |
//! | `chain.rs` | one of them, as a chain of states whose exponentials the likelihood is made of |
//! | `tape.rs` | the likelihood of a trace, and its gradient |
//! | `search.rs` | the highest point of a function |
//! | `estimate.rs` | parameters with their intervals |
//! | `runs.rs` | runs of losses and gaps between them |
//! | `check.rs` | how well a channel explains a trace |
//! | `delay.rs` | how long frames took |
//! | `wandering.rs` | the rate behind a recording of a cellular link |
//! | `text.rs`, `draw.rs`, `write.rs` | what is printed, drawn and written |
//!
//! How it is meant to be used, and what was measured: `docs/fit.md`.

mod chain;
mod check;
mod delay;
mod draw;
mod estimate;
mod family;
mod frames;
pub mod read;
mod runs;
mod search;
mod tape;
#[cfg(test)]
mod tests;
mod text;
mod timeline;
mod wandering;
mod write;

pub use check::{Check, Comparison};
pub use delay::Delays;
pub use estimate::{Estimate, Estimated};
pub use family::{Family, Parameter, Quantity};
pub use frames::{CutEnd, Fate, Frames, SentFrame};
pub use runs::{Runs, distance, survival};
pub use wandering::{WanderingFit, WanderingFitError};

use arqway_units::{BitRate, Octets, Span};
use timeline::Timeline;

/// A trace, and the channels fitted to it.
#[derive(Debug, Clone)]
pub struct Fit {
    /// What it is of: the trace's file.
    pub name: String,
    /// How fast the link is taken to be, and whether somebody said so.
    pub rate: BitRate,
    /// Whether that rate was given, and not read off the trace.
    pub rate_is_given: bool,
    /// How many frames were sent.
    pub frames: u64,
    /// How many were lost.
    pub lost: u64,
    /// The mean length of a frame.
    pub octets: Octets,
    /// Whether frames differ in length.
    pub lengths_differ: bool,
    /// From the first frame to the last.
    pub length: Span,
    /// The fate of each frame: whether it was lost.
    pub fates: Vec<bool>,
    /// How many arrived again.
    pub duplicates: u64,
    /// How many arrived that were never seen being sent.
    pub strangers: u64,
    /// Runs and gaps of what was seen.
    pub runs: Runs,
    /// How long frames took, if the trace says so.
    pub delays: Option<Delays>,
    /// Each family and how it compares, from the one with fewest parameters on.
    pub families: Vec<Fitted>,
    /// Which of them is best.
    pub best: usize,
}

/// A family, fitted and compared.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// Its parameters and its likelihood.
    pub estimate: Estimate,
    /// Its runs and gaps beside those of the trace.
    pub check: Check,
}

/// Why nothing can be fitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// There is no second frame.
    #[error("{0} has fewer than two frames; expected a trace of thousands")]
    TooShort(String),
    /// All frames were sent at once.
    #[error(
        "all frames of {0} have the same send time, so the rate of the link is unknown: give it, as in --rate \"1 Mbit/s\""
    )]
    NoRate(String),
    /// The times of the frames contradict each other.
    #[error(
        "{0} has bursts of frames that could not leave in time at the rate at which most frames follow each other, so the rate of the link is unclear: give it, as in --rate \"1 Mbit/s\""
    )]
    Unclear(String),
    /// The link is too slow for the frames.
    #[error(
        "at {rate} the last frame of {name} would have waited for {waits}: the link was faster, or the capture has packets that it did not carry{}",
        .seen.map_or_else(String::new, |seen| format!("; without --rate the trace says {seen}"))
    )]
    TooSlow {
        /// The trace.
        name: String,
        /// What was asked for.
        rate: BitRate,
        /// How long the last frame waits.
        waits: Span,
        /// What the trace says, where that is clear.
        seen: Option<BitRate>,
    },
}

impl Fit {
    /// Fits every family to a trace. Without a rate, the link is taken to be as fast as the quickest frames followed each
    /// other.
    ///
    /// # Errors
    /// A trace that is too short, or a rate that it contradicts.
    pub fn new(name: &str, frames: &Frames, rate: Option<BitRate>) -> Result<Self, FitError> {
        Self::watched(name, frames, rate, |_| ())
    }

    /// The same; `begins` is told each step before it is done, since a long trace takes a while.
    ///
    /// # Errors
    /// As [`new`](Self::new) has.
    pub fn watched(
        name: &str,
        frames: &Frames,
        rate: Option<BitRate>,
        begins: impl Fn(&str),
    ) -> Result<Self, FitError> {
        let count = frames.frames.len();
        if count < 2 {
            return Err(FitError::TooShort(name.to_owned()));
        }
        let seen = timeline::rate_of(frames);
        let used = rate.or(seen).ok_or_else(|| FitError::NoRate(name.to_owned()))?;
        let timeline = Timeline::new(frames, used);
        // Frames that were all sent at once wait for each other, at any rate.
        let waits_long = |waits: Span| seen.is_some() && waits.as_seconds() > 0.05 * frames.length().as_seconds();
        let waits = timeline.backlog(frames);
        if waits_long(waits) {
            let name = name.to_owned();
            let is_clear = |seen: &BitRate| !waits_long(Timeline::new(frames, *seen).backlog(frames));
            return Err(match rate {
                Some(rate) => FitError::TooSlow { name, rate, waits, seen: seen.filter(is_clear) },
                None => FitError::Unclear(name),
            });
        }
        let runs = Runs::of(timeline.frames.iter().map(|frame| frame.lost));
        begins(&format!("fitting each family to {count} frames"));
        let estimates = estimate::all(&timeline);
        let bic = |index: &usize| estimates[*index].bic;
        let best = (0..estimates.len()).min_by(|a, b| bic(a).total_cmp(&bic(b))).unwrap_or(0);
        let checked = |(index, estimate): (usize, Estimate)| {
            begins(&format!("simulating the trace under {}", estimate.family.name()));
            let check = check::check(&estimate, index == best, &timeline, &runs);
            Fitted { estimate, check }
        };
        let families = estimates.iter().cloned().enumerate().map(checked).collect();
        Ok(Self {
            name: name.to_owned(),
            rate: used,
            rate_is_given: rate.is_some(),
            frames: count as u64,
            lost: frames.lost(),
            octets: Octets::new((timeline.bits() / 8.0).round() as u64),
            lengths_differ: frames.frames.windows(2).any(|pair| pair[0].octets != pair[1].octets),
            length: frames.length(),
            fates: frames.losses(),
            duplicates: frames.duplicates,
            strangers: frames.strangers,
            delays: Delays::of(frames),
            runs,
            best,
            families,
        })
    }

    /// The family that Schwarz's criterion prefers.
    #[must_use]
    pub fn best(&self) -> &Fitted {
        &self.families[self.best]
    }
}
