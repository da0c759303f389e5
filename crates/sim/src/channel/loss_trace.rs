//! Losses that were recorded once and happen again: frame by frame, `0` where one arrived, `1` where one was lost.
//!
//! ```text
//!     # a walk through the lift
//!     0*31 1*4 0*250 1        31 frames arrive, 4 are lost, 250 arrive, 1 is lost
//!     00100001                a frame a digit, blanks or not
//! ```
//!
//! The trace counts frames, not time: the third frame sent in a direction meets the third digit, whenever it is sent.

use super::Direction;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use core::str::FromStr;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Settings of the recorded error model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LossTrace {
    /// Which frames were lost.
    pub losses: Losses,
    /// What happens at the end of the recording.
    #[serde(default)]
    pub at_end: AtEnd,
}

/// The file of recorded losses.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LossFile {
    /// The file, relative to the experiment.
    pub file: String,
    /// In a fate log of the emulator: whose frames.
    pub direction: Option<Direction>,
}

/// What happens at the end of a recording of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AtEnd {
    /// It starts again.
    #[default]
    Repeat,
    /// Every later frame arrives.
    NoMoreLosses,
}

/// A recording: how many frames arrived, how many were then lost, how many then arrived, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses {
    /// Frames in a row of the same fate: those that arrive at even places, those that are lost at odd ones. Only the
    /// first run may be empty.
    runs: Arc<[u64]>,
}

impl Losses {
    /// How many frames were lost.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.runs.iter().skip(1).step_by(2).fold(0, |sum, run| sum.saturating_add(*run))
    }
}

/// A text that is no recording of losses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct LossesError {
    /// The octets of the text that are wrong.
    pub span: Range<usize>,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

impl LossesError {
    fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |line_break| line_break + 1);
        let column = before[line_start..].chars().count() + 1;
        Self { span, line: before.matches('\n').count() + 1, column, message: message.into() }
    }
}

impl FromStr for Losses {
    type Err = LossesError;

    fn from_str(text: &str) -> Result<Self, LossesError> {
        let mut runs: Vec<u64> = Vec::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let blank = rest.len() - rest.trim_start().len();
            let Some(first) = rest[blank..].chars().next() else { break };
            at += blank;
            match first {
                '#' => at += rest[blank..].find('\n').unwrap_or(rest.len() - blank),
                '0' | '1' => {
                    let (length, octets) = repetition(text, at)?;
                    at += octets;
                    append(&mut runs, first == '1', length);
                }
                other => {
                    let message = format!("`{other}` is neither 0 (arrived) nor 1 (lost), and 0*31 is 31 that arrived");
                    return Err(LossesError::new(text, at..at + other.len_utf8(), message));
                }
            }
        }
        if runs.is_empty() {
            return Err(LossesError::new(text, 0..0, "no frames; expected 0s and 1s, such as 0*31 1*4"));
        }
        Ok(Self { runs: runs.into() })
    }
}

/// How many frames the digit at this place stands for, and how many octets say so.
fn repetition(text: &str, at: usize) -> Result<(u64, usize), LossesError> {
    let Some(number) = text[at + 1..].strip_prefix('*') else { return Ok((1, 1)) };
    let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match number[..digits].parse() {
        Ok(length) if length > 0 => Ok((length, 2 + digits)),
        _ => {
            let message = "expected the number of frames after `*`, 1 or more";
            Err(LossesError::new(text, at..at + 2 + digits, message))
        }
    }
}

/// Lengthens the last run, or begins the next.
fn append(runs: &mut Vec<u64>, lost: bool, length: u64) {
    if runs.is_empty() {
        runs.push(0);
    }
    let last_is_lost = runs.len().is_multiple_of(2);
    match runs.last_mut() {
        Some(last) if last_is_lost == lost => *last = last.saturating_add(length),
        _ => runs.push(length),
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.runs.iter().enumerate().filter(|(_, length)| **length > 0);
        for (printed, (place, length)) in runs.enumerate() {
            let separator = if printed == 0 { "" } else { " " };
            write!(out, "{separator}{}*{length}", place % 2)?;
        }
        Ok(())
    }
}

impl Serialize for Losses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Losses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LossesVisitor;
        impl de::Visitor<'_> for LossesVisitor {
            type Value = Losses;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("which frames are lost or { file = \"walk.losses\" }, such as \"0*31 1*4 0*250 1\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Losses, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(LossesVisitor)
    }
}

/// A recording being played, in one direction.
#[derive(Debug)]
pub(super) struct Playback {
    trace: LossTrace,
    /// Which run the next frame may belong to, and how many frames of it are left.
    run: usize,
    left: u64,
}

impl Playback {
    pub(super) fn new(trace: LossTrace) -> Self {
        let left = trace.losses.runs.first().copied().unwrap_or(0);
        Self { trace, run: 0, left }
    }

    /// Whether the next frame arrives.
    pub(super) fn spare(&mut self) -> bool {
        let runs = &self.trace.losses.runs;
        while self.left == 0 {
            self.run += 1;
            if self.run >= runs.len() {
                match self.trace.at_end {
                    AtEnd::Repeat => self.run = 0,
                    AtEnd::NoMoreLosses => return true,
                }
            }
            self.left = runs[self.run];
        }
        self.left -= 1;
        self.run.is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn losses(text: &str) -> Losses {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn fates(text: &str, at_end: AtEnd, frames: usize) -> String {
        let mut playback = Playback::new(LossTrace { losses: losses(text), at_end });
        (0..frames).map(|_| if playback.spare() { '0' } else { '1' }).collect()
    }

    #[test]
    fn digits_runs_blanks_and_comments_say_the_same() {
        assert_eq!(losses("0001100 1"), losses("0*3 # three\n 1*2\n0*2 1\n"));
        assert_eq!(losses("0*3 1*2").lost(), 2);
    }

    #[test]
    fn a_recording_is_played_frame_by_frame_and_then_again_or_without_losses() {
        assert_eq!(fates("0110", AtEnd::Repeat, 10), "0110011001");
        assert_eq!(fates("0110", AtEnd::NoMoreLosses, 10), "0110000000");
        assert_eq!(fates("1", AtEnd::Repeat, 4), "1111");
        assert_eq!(fates("10", AtEnd::Repeat, 5), "10101");
    }

    #[test]
    fn a_mistake_is_reported_with_its_line_and_column() {
        let told = |text: &str| text.parse::<Losses>().expect_err("a mistake").to_string();
        assert!(told("0*3\n 1 2").starts_with("line 2, column 4: `2` is neither 0 (arrived) nor 1 (lost)"));
        assert_eq!(told("0 1*0"), "line 1, column 3: expected the number of frames after `*`, 1 or more");
        assert!(told("# nothing\n").contains("no frames; expected 0s and 1s"));
    }

    proptest! {
        #[test]
        fn a_recording_reads_back_as_it_is_printed(text in "[01]{1,60}") {
            let read = losses(&text);
            prop_assert_eq!(losses(&read.to_string()), read);
            prop_assert_eq!(fates(&text, AtEnd::NoMoreLosses, text.len()), text);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[01*#2 \\n\\PC]{0,20}") {
            let _ = text.parse::<Losses>();
        }
    }
}
