//! When the sender asks: how long the peer takes to answer, and what is done if it does not.
//!
//! No frame has a timer of its own. As long as frames are sent, each says of those before it whether they were lost. What is
//! left is the end of a burst: after a quarter of a round trip without a new frame, or four where hardly a frame is lost, a *poll*
//! asks what has arrived. Frames that follow one another more slowly than that are no end of a burst, as long as the next one comes
//! when it is due. If no answer comes in time the oldest frame of which nothing is known goes out again, and a poll behind it (the
//! tail loss probe of RFC 8985 §7).

use arqway_arq::{Deadline, RoundTrip, Smoothing, earliest};
use arqway_units::{Span, Time};

/// A round trip as long as nothing is known: an answer is then awaited for a second (RFC 6298 §2.1).
const UNKNOWN: Span = Span::from_milliseconds(333);
/// An answer is awaited no shorter than that, besides the round trip: whoever is asked may be late.
const LEAST_MARGIN: Span = Span::from_milliseconds(1);
/// Where a round trip takes next to no time.
const LEAST_QUIET: Span = Span::from_nanoseconds(100_000);
/// So many round trips of silence, where hardly a frame is lost: the last one of a burst seldom is, so what it then waits for adds
/// less than a hundredth of a round trip to the mean.
const SAFE_QUIET: u64 = 4;
/// A probe is repeated no later than that, or after so many times the first wait where that is longer.
const LATEST_REPETITION: Span = Span::from_milliseconds(2000);
const MOST_DOUBLINGS: u32 = 6;
/// Nothing is waited for longer than that (RFC 6298 §2.5 has it as the least bound). Without it a peer that answers only when it is asked
/// once more would lengthen the next wait with each answer.
const LONGEST_WAIT: Span = Span::from_milliseconds(60_000);
/// What is waited where the round trip is not to matter.
const FIXED: Span = Span::from_milliseconds(1000);

/// The sender's clockwork.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    round_trip: RoundTrip,
    /// When the last frame departed, and how long after the one before, if no more than a round trip.
    departed: Option<Time>,
    pace: Span,
    /// Runs from the departure of the last frame, if nothing follows it.
    quiet: Deadline,
    /// Runs from the departure of a poll.
    answer: Deadline,
    /// The counter of a poll that is not answered.
    pub(super) polled: Option<u64>,
    /// How often the answer has not come, in a row.
    misses: u32,
    /// Whether it waits for a second each time, whatever the round trip is.
    is_fixed: bool,
}

impl Timing {
    /// With a guess at the round trip, where there is one.
    pub(super) fn new(guess: Option<Span>, is_fixed: bool) -> Self {
        let guess = guess.unwrap_or(UNKNOWN).max(LEAST_MARGIN).as_seconds();
        Self {
            round_trip: RoundTrip::new(Smoothing::default(), guess, guess / 2.0),
            departed: None,
            pace: Span::ZERO,
            quiet: Deadline::default(),
            answer: Deadline::default(),
            polled: None,
            misses: 0,
            is_fixed,
        }
    }

    /// The smoothed round trip.
    pub(super) fn round_trip(&self) -> Span {
        Span::from_seconds(self.round_trip.srtt())
    }

    /// How long an answer is awaited now, where a frame takes so long on the line: who answers may just have begun one.
    fn patience(&self, frame_time: Span) -> Span {
        if self.is_fixed {
            return FIXED;
        }
        let margin = Span::from_seconds(4.0 * self.round_trip.srttvar()).max(LEAST_MARGIN).max(frame_time);
        let first = self.round_trip() + margin;
        let doubled = first * (1 << self.misses.min(MOST_DOUBLINGS));
        doubled.min(LATEST_REPETITION.max(first * 4)).min(LONGEST_WAIT)
    }

    /// The peer answered so long after a frame's departure.
    pub(super) fn sample(&mut self, round_trip: Span) {
        self.round_trip.sample(round_trip.as_seconds());
    }

    /// A frame has departed.
    pub(super) fn departed(&mut self, now: Time) {
        let pause = self.departed.replace(now).map_or(Span::ZERO, |before| now.since(before));
        self.pace = if pause <= self.round_trip() { pause } else { Span::ZERO };
    }

    /// A frame has departed behind which nothing waits, or nothing that may be sent. The peer is asked after a quarter of a round
    /// trip, or when another frame is overdue by a quarter of the time between the last two, since that one would tell as much, but
    /// after a round trip at the latest. If hardly a frame is lost it is asked later, since each answer takes a little of the link, and
    /// more is mostly sent by then.
    pub(super) fn fell_silent(&mut self, loses_frames: bool, now: Time) {
        if self.polled.is_none() {
            let round_trip = self.round_trip();
            let overdue = (self.pace * 5 / 4).min(round_trip);
            let quiet = if loses_frames { overdue.max(round_trip / 4) } else { round_trip * SAFE_QUIET };
            self.quiet.restart(now + if self.is_fixed { FIXED } else { quiet.clamp(LEAST_QUIET, LONGEST_WAIT) });
        }
    }

    /// A frame is handed over.
    pub(super) fn speaks(&mut self) {
        self.quiet.stop();
    }

    /// A poll starts.
    pub(super) fn polled(&mut self, counter: u64) {
        self.quiet.stop();
        self.polled = Some(counter);
    }

    /// Whether a poll is on its way, or its answer.
    pub(super) fn awaits_answer(&self) -> bool {
        self.polled.is_some()
    }

    /// A poll has departed.
    pub(super) fn poll_departed(&mut self, frame_time: Span, now: Time) {
        if self.polled.is_some() {
            self.answer.restart(now + self.patience(frame_time));
        }
    }

    /// The peer has seen this transmission. The poll that is answered by that, if one is.
    pub(super) fn answered(&mut self, newest: u64) -> Option<u64> {
        let polled = self.polled.take_if(|polled| *polled <= newest)?;
        self.answer.stop();
        self.misses = 0;
        Some(polled)
    }

    /// Nothing is unknown any more.
    pub(super) fn rest(&mut self) {
        self.quiet.stop();
        self.answer.stop();
        self.polled = None;
        self.misses = 0;
    }

    /// It has been quiet for long enough to ask.
    pub(super) fn was_quiet(&mut self, now: Time) -> bool {
        self.quiet.fire(now)
    }

    /// The answer to a poll has not come.
    pub(super) fn missed_answer(&mut self, now: Time) -> bool {
        let missed = self.answer.fire(now);
        if missed {
            self.misses = self.misses.saturating_add(1);
            self.polled = None;
        }
        missed
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        earliest(self.quiet.get(), self.answer.get())
    }
}
