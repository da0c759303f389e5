//! The time in which loads run, and what ends it before.

use arqway_net::Clock;
use arqway_units::{Span, Time};
use std::sync::atomic::{AtomicBool, Ordering};

/// A demo, from its start.
pub(super) struct Run {
    pub(super) clock: Clock,
    pub(super) length: Span,
    /// Somebody wants it to end, or a load has failed.
    is_over: AtomicBool,
}

/// The time in which loads run.
#[derive(Clone, Copy)]
pub(super) struct Period<'r> {
    run: &'r Run,
    pub(super) begin: Time,
    pub(super) end: Time,
    /// When a link that was cut is back.
    back: Option<Time>,
}

/// What of a load arrived first once a link that was cut was back.
#[derive(Debug, Default)]
pub(super) struct FirstBack(Option<Time>);

impl Run {
    pub(super) fn new(clock: Clock, length: Span) -> Self {
        Self { clock, length, is_over: AtomicBool::new(false) }
    }

    /// Ends it in good order, however often it is asked: an end takes seconds, and one cut short leaves its records and keys.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Loads run from now on, over a link that is back at a time if it is cut.
    pub(super) fn begin(&self, back: Option<Time>) -> Period<'_> {
        let begin = self.clock.now();
        Period { run: self, begin, end: begin + self.length, back }
    }
}

impl Period<'_> {
    pub(super) fn now(&self) -> Time {
        self.run.clock.now()
    }

    /// Whether loads send.
    pub(super) fn goes_on(&self) -> bool {
        self.goes_on_for(Span::ZERO)
    }

    /// Whether it is not over for so long: what was sent last is still waited for.
    pub(super) fn goes_on_for(&self, longer: Span) -> bool {
        self.now() < self.end + longer && !self.run.is_over()
    }

    /// A load has failed: no other one goes on.
    pub(super) fn end_all(&self) {
        self.run.end();
    }
}

impl FirstBack {
    /// Something arrives.
    pub(super) fn arrives(&mut self, period: &Period<'_>) {
        let now = period.now();
        if self.0.is_none() && period.back.is_some_and(|back| now >= back) {
            self.0 = Some(now);
        }
    }

    /// How long after the link was back that was.
    pub(super) fn after(self, period: &Period<'_>) -> Option<Span> {
        Some(self.0?.since(period.back?))
    }
}
