//! Less is sent once in a while until the queue is gone, which shows how long the path takes without one (as BBR's `ProbeRTT` does).
//!
//! ```text
//!     pace  ------.______.--------------------------.______.-------
//!     queue ------'.    .--                 or -----------------     the path is longer
//!                   '--'
//! ```

use arqway_units::{Span, Time};

/// How often the queue is let run empty.
const DRAIN_EACH: Span = Span::from_milliseconds(2000);
/// A longer one than this is drained anyway, or stands since the line does.
const DRAINED: Span = Span::from_milliseconds(50);
/// By how much less is sent meanwhile.
pub(super) const DRAINING: f64 = 0.75;
/// Fewer reports do not show what one has done.
const SHOWN: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct Drain {
    next: Time,
    until: Option<Time>,
    watch: Option<Watch>,
}

/// The effect of one: until when it is looked at, the queue before it, and the least since, in seconds.
#[derive(Debug, Clone, Copy)]
struct Watch {
    until: Time,
    before: f64,
    least: f64,
    reports: u32,
}

impl Drain {
    /// Whether less is sent.
    pub(super) fn is_on(&self) -> bool {
        self.until.is_some()
    }

    /// Whether so much waits after one as did before, and no more: then it is no queue.
    pub(super) fn shows_a_longer_path(&mut self, queue: f64, target: f64, now: Time) -> bool {
        let Some(watch) = &mut self.watch else { return false };
        watch.least = watch.least.min(queue);
        watch.reports += 1;
        if now < watch.until {
            return false;
        }
        let Watch { before, least, reports, .. } = *watch;
        self.watch = None;
        let was_short = before > target / 3.0 && before < 1.5 * target;
        reports >= SHOWN && was_short && least > 0.6 * before && queue < before + target
    }

    /// Whether one is over now.
    pub(super) fn ends(&mut self, now: Time) -> bool {
        self.until.take_if(|until| now >= *until).is_some()
    }

    /// Begins one where it is time, and there is something to drain.
    pub(super) fn begin(&mut self, queue: f64, target: f64, round: f64, now: Time) {
        // Whoever else drains shows it to us as well: from then on all do so together, and the queue is gone for all.
        if queue <= target / 4.0 && !self.is_on() {
            self.next = now + DRAIN_EACH;
        }
        let is_short = queue > target / 4.0 && queue < DRAINED.as_seconds() + target;
        if self.is_on() || now < self.next || !is_short {
            return;
        }
        let lasts = (4.0 * queue).min(0.2);
        let until = now + Span::from_seconds(lasts + round + 0.04);
        self.next = now + DRAIN_EACH;
        self.until = Some(now + Span::from_seconds(lasts));
        self.watch = Some(Watch { until, before: queue, least: queue, reports: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn a_queue_is_drained_for_four_times_its_length_each_two_seconds() {
        let mut drain = Drain::default();
        drain.begin(0.01, 0.01, 0.05, at(0));
        assert!(drain.is_on() && !drain.ends(at(39)) && drain.ends(at(40)) && !drain.is_on());
        drain.begin(0.01, 0.01, 0.05, at(1999));
        assert!(!drain.is_on());
        drain.begin(0.01, 0.01, 0.05, at(2000));
        assert!(drain.is_on());
    }

    #[test]
    fn what_a_standstill_left_is_not_drained() {
        let mut drain = Drain::default();
        drain.begin(2.0, 0.01, 0.05, at(0));
        assert!(!drain.is_on());
    }

    #[test]
    fn what_is_there_after_it_is_a_longer_path_and_what_has_grown_is_not() {
        let shows = |after: f64| {
            let mut drain = Drain::default();
            drain.begin(0.01, 0.01, 0.05, at(0));
            (127..130).for_each(|time| assert!(!drain.shows_a_longer_path(after, 0.01, at(time))));
            drain.shows_a_longer_path(after, 0.01, at(130))
        };
        assert_eq!([0.005, 0.01, 0.019, 0.021].map(shows), [false, true, true, false]);
    }

    #[test]
    fn a_few_reports_do_not_show_what_one_has_done() {
        let mut drain = Drain::default();
        drain.begin(0.01, 0.01, 0.05, at(0));
        assert!([100, 120, 130].iter().all(|time| !drain.shows_a_longer_path(0.01, 0.01, at(*time))));
    }
}
