//! A rate that is found and followed while it changes, from what reports say of the datagrams themselves.
//!
//! ```text
//!     queue on the way                                    pace
//!     none, and the pace was used for a round             grows: 4 %, 8 %, ... at most twice as much each round
//!     stands                                              what arrives, and a little more or less, so that the queue comes to `TARGET`
//!     stands, though all of it should be gone by now      the path is longer: what it was before counts no more
//!     stands for long, and moves by less than the target  the same
//!     datagrams were marked                               less than what arrives, and no queue up to the target for a while
//! ```
//!
//! Losses count where they move with the rate (see `losses`), and silence never does: a line that stands still for two seconds goes on at its
//! rate. What an application does not use neither raises nor lowers anything, once the line is known. How much is under way is bounded by what the path holds, so that
//! nothing is poured into a line that stands still.
//!
//! Each two seconds less is sent until the queue is gone (see `drain`). Beside somebody who fills the queue whatever we do, see `contest`.

mod others;
mod rounds;

use super::Bounds;
use super::Mark;
use super::contest::{Contest, Who};
use super::delay::Delay;
use super::delivery::{Delivery, Rates};
use super::drain::{DRAINING, Drain};
use super::finding::{Finding, Found};
use super::growth::Growth;
use super::longer::Longer;
use super::losses::Losses;
use arqway_units::{BitRate, Octets, Span, Time, ToFloat, truncate};
use others::Stays;
use rounds::{FIRST_HOLD, Round};

/// What is sent at first: a call and the start of a page at once, and a line of 64 kbit/s is filled for two seconds at most.
const FIRST_RATE: f64 = 1_000_000.0 / 8.0;
/// Before the line is known queues hold what so many times the pace needs: what it is three rounds later.
const SOON: f64 = 8.0;
/// How much is under way before anything is known: RFC 6928's ten segments.
const FIRST_WINDOW: f64 = 10.0 * 1500.0;
/// And where there are other lines: what stands on one that turns out to be slow keeps all behind it waiting.
const FIRST_WINDOW_BESIDE: f64 = 4.0 * 1500.0;
/// The queue that is kept on the way, besides the radio's own timing: with none a line stands idle between reports.
const TARGET: Span = Span::from_milliseconds(4);
/// And so much of the time that the largest datagram takes.
const OF_A_DATAGRAM: f64 = 0.5;
/// What marks leave of the rate (RFC 8511).
const AFTER_MARKS: f64 = 0.85;
/// For so long after them no queue is filled up to the target.
const SPARED: Span = Span::from_milliseconds(1000);
/// The part of what the line carried a moment ago that one report leaves at least.
const SLOWEST_FALL: f64 = 0.15;
/// After a silence of so long, in which reports should have come, they may be kept up on their way back while the line itself is open: what
/// is under way grows by this part of the capacity meanwhile, enough for a call.
const PATIENCE: Span = Span::from_milliseconds(60);
const KEPT_UP: f64 = 0.25;
/// A pace is used of which so much was sent.
const USED: f64 = 0.7;
/// So many datagrams say how fast the line is, where less is sent than it carried; and so many at least anywhere: on a slow line each takes
/// longer than a report, and one alone is counted now for one report's time and now for two.
const FEW: u64 = 12;
const NOT_ONE: u64 = 2;
/// What the line carries in a dip is no measure for queues that are to keep it busy after that: they follow within this time.
const LATELY: Span = Span::from_milliseconds(4000);
/// A queue that is longer by this than it should be may be a longer path. Below, it is what others leave who find their rate as we do: whoever
/// sends more than they do yields.
const BEYOND: f64 = 0.01;

/// What a report says of the newest datagram.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub(crate) newest: Mark,
    /// When it arrived, by the peer's clock.
    pub(crate) arrived: u32,
    pub(crate) round_trip: Span,
    /// What the path adds to each datagram.
    pub(crate) overhead: Octets,
}

/// The controller. Rates are in octets a second.
#[derive(Debug)]
pub(crate) struct Automatic {
    bounds: Bounds,
    capacity: f64,
    growth: Growth,
    /// Whether the capacity has been seen: a queue has stood, or faster has lost more.
    is_known: bool,
    /// Rounds without growth, since faster has lost more; and how many the next time.
    hold: (u32, u32),
    delay: Delay,
    delivery: Delivery,
    losses: Losses,
    /// The capacity before a trial of losses.
    before_trial: Option<f64>,
    before: Option<Mark>,
    /// Octets that have arrived since then.
    delivered: u64,
    /// The size of the largest datagram so far.
    largest: u32,
    overhead: f64,
    heard_at: Option<Time>,
    interval: f64,
    base: f64,
    round: Round,
    drain: Drain,
    longer: Longer,
    /// Beside others who fill the queue.
    contest: Option<Contest>,
    /// When a queue stayed that should have been gone, and when it turned out to be our own.
    stayed_at: Option<Time>,
    alone_at: Option<Time>,
    /// Datagrams were marked; and up to when those were sent of whose marks the pace knows.
    is_marked: bool,
    marked_until: Time,
    /// How long the last report took after the one before.
    waited: f64,
    finding: Finding,
    pace: f64,
    window: f64,
    lately: f64,
    /// How long an octet takes, as far as known, in seconds.
    octet: f64,
    /// How much may be under way before anything is known.
    first_window: f64,
    /// What the owner was told last.
    told: f64,
}

/// All that is sent comes through, no faster and no slower.
fn is_constant(rates: Rates) -> bool {
    (rates.arrived - rates.sent).abs() < 0.05 * rates.sent
}

impl Automatic {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let mut new = Self {
            bounds,
            capacity: FIRST_RATE,
            growth: Growth::new(),
            is_known: false,
            hold: (0, FIRST_HOLD),
            delay: Delay::default(),
            delivery: Delivery::default(),
            losses: Losses::default(),
            before_trial: None,
            before: None,
            delivered: 0,
            largest: 0,
            overhead: 0.0,
            heard_at: None,
            interval: 0.02,
            base: 0.0,
            round: Round::default(),
            drain: Drain::default(),
            longer: Longer::default(),
            contest: None,
            stayed_at: None,
            alone_at: None,
            is_marked: false,
            marked_until: Time::ZERO,
            waited: 0.0,
            finding: Finding::Probing,
            pace: FIRST_RATE,
            window: FIRST_WINDOW,
            lately: FIRST_RATE,
            octet: 0.0,
            told: FIRST_RATE,
            first_window: FIRST_WINDOW,
        };
        new.capacity = new.bounded(FIRST_RATE);
        (new.pace, new.lately, new.told) = (new.capacity, new.capacity, new.capacity);
        new
    }

    /// There are other paths beside this one.
    pub(crate) fn stands_beside_others(&mut self) {
        self.first_window = FIRST_WINDOW_BESIDE;
        if self.heard_at.is_none() {
            self.window = self.first_window;
        }
    }

    /// How fast datagrams leave.
    pub(crate) fn pace(&self) -> BitRate {
        BitRate::from_bits_per_second(truncate(self.pace * 8.0)).unwrap_or(BitRate::MINIMUM)
    }

    /// What the line carried lately: what it does in a dip of some 100 ms is no measure for a queue that has to keep it busy after that.
    fn lately(&self) -> BitRate {
        BitRate::from_bits_per_second(truncate(self.lately * 8.0)).unwrap_or(BitRate::MINIMUM)
    }

    /// By what queues are measured that are to keep the line busy. While the pace doubles each round they hold what it may be soon: a loss
    /// would end TCP's own start, on a long path for half a minute.
    pub(crate) fn for_queues(&self) -> BitRate {
        let rate = if self.is_known { self.lately } else { self.bounded(self.lately * SOON) };
        BitRate::from_bits_per_second(truncate(rate * 8.0)).unwrap_or(BitRate::MINIMUM)
    }

    /// Whether the line has shown how much it carries.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    /// What the line carries as far as it has shown.
    pub(crate) fn shown(&self) -> BitRate {
        let rate = if self.is_known { self.lately } else { self.growth.reached() };
        BitRate::from_bits_per_second(truncate(rate * 8.0)).unwrap_or(BitRate::MINIMUM)
    }

    /// The rate, where it has changed by half since it was told.
    pub(crate) fn poll_change(&mut self) -> Option<BitRate> {
        let has_changed = self.lately >= 1.5 * self.told || self.lately <= 0.5 * self.told;
        if !self.is_known || !has_changed {
            return None;
        }
        self.told = self.lately;
        Some(self.lately())
    }

    /// When so much may be under way, the first of which went at `since`, if no report comes before; `None` if it may anyway. That it may
    /// not is remembered.
    pub(crate) fn has_room_at(&mut self, under_way: u64, since: Time) -> Option<Time> {
        let beyond = under_way.to_f64() - self.window;
        if beyond < 0.0 {
            return None;
        }
        self.round.was_full = true;
        let heard_at = self.heard_at.unwrap_or(Time::ZERO) + Span::from_seconds(2.0 * self.interval);
        let silent = heard_at.max(since + Span::from_seconds(self.base)) + PATIENCE;
        Some(silent + Span::from_seconds(beyond / (KEPT_UP * self.capacity)))
    }

    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub(crate) fn found(&self) -> Found {
        Found { finding: self.finding, queue: self.delay.queue() }
    }

    /// What was measured ends here: the link was down, or numbers begin anew. The rate is as it was.
    pub(crate) fn interrupt(&mut self) {
        self.losses.interrupt();
        self.delivery.interrupt();
        self.longer.interrupt();
        (self.before, self.heard_at, self.contest) = (None, None, None);
        self.delivered = 0;
        self.round = Round::default();
    }

    /// What was lost lately says nothing.
    pub(crate) fn interrupt_losses(&mut self) {
        self.losses.interrupt();
        if let Some(before) = self.before_trial.take() {
            self.capacity = self.capacity.max(before);
        }
    }

    /// So many octets more have arrived.
    pub(crate) fn deliver(&mut self, octets: u64) {
        self.delivered += octets;
    }

    /// The path has marked datagrams that arrived.
    pub(crate) fn mark(&mut self) {
        self.is_marked = true;
    }

    /// A report whose newest datagram is known.
    pub(crate) fn hear(&mut self, heard: &Heard, now: Time) {
        self.measure(heard, now);
        let queue = self.delay.queue().as_seconds();
        let target = self.target();
        let rates = self.rates();
        let is_marked = core::mem::take(&mut self.is_marked);
        if let Some(mut contest) = self.contest.take() {
            if is_marked {
                contest.mark();
            }
            if self.contend(&mut contest, heard, queue, target, now) == Who::Others {
                self.contest = Some(contest);
            } else {
                self.settle(queue, target, now);
            }
            return;
        }
        if heard.newest.at >= self.round.began {
            self.end_round(heard, queue, target, now);
        }
        if let Some(rates) = rates.filter(|_| self.contest.is_none()) {
            self.follow(rates, queue, target, now);
        }
        if let Some(rates) = rates.filter(|_| self.contest.is_none() && self.is_known) {
            self.watch(rates, queue, target, now);
        }
        if is_marked && heard.newest.at >= self.marked_until {
            self.heed_marks(now);
        }
        if self.contest.is_none() && self.drain.shows_a_longer_path(queue, target, now) {
            self.stays(queue, Stays::Still, now);
        }
        if self.contest.is_none() {
            self.settle(queue, target, now);
        }
    }

    /// Where little is sent, a datagram or two that waited say nothing of the line: there have to be more.
    fn rates(&self) -> Option<Rates> {
        let rates = self.delivery.rates(NOT_ONE)?;
        if rates.sent < self.capacity / 2.0 { self.delivery.rates(FEW) } else { Some(rates) }
    }

    /// The rates of several datagrams, or of as many as there are.
    fn several(&self) -> Option<Rates> {
        self.delivery.rates(FEW).or_else(|| self.delivery.rates(0))
    }

    /// How fast datagrams come through, without those that are lost.
    fn carried(&self) -> f64 {
        self.several().map_or(f64::INFINITY, |rates| rates.arrived * (1.0 - rates.lost))
    }

    fn measure(&mut self, heard: &Heard, now: Time) {
        // A larger datagram takes longer than those before, and no queue stands for that.
        if !self.is_known && heard.newest.size > self.largest + self.largest / 16 {
            self.delay.begin();
        }
        self.largest = self.largest.max(heard.newest.size);
        self.overhead = heard.overhead.as_u64().to_f64();
        self.delay.hear(heard.newest, heard.arrived, self.octet, now);
        let delivered = core::mem::take(&mut self.delivered);
        self.delivery.hear(heard.newest, heard.overhead, self.octet, heard.arrived, delivered);
        if let Some(before) = self.before.replace(heard.newest) {
            let sent = heard.newest.octets.saturating_sub(before.octets);
            let datagrams = heard.newest.number.saturating_sub(before.number);
            self.losses.hear(sent, datagrams, delivered);
            if let Some(contest) = &mut self.contest {
                contest.hear(datagrams, sent, delivered);
            }
        }
        if let Some(before) = self.heard_at.replace(now) {
            self.waited = now.since(before).as_seconds().min(0.1);
            let part = (now.since(before).as_seconds() / LATELY.as_seconds()).min(1.0);
            self.lately = self.capacity.max(self.lately - (self.lately - self.capacity) * part);
            if self.is_known {
                self.octet += (1.0 / self.capacity - self.octet) * part;
            }
            self.interval += (now.since(before).as_seconds().min(0.5) - self.interval) / 8.0;
        }
        let base = (heard.round_trip.as_seconds() - self.delay.waited().as_seconds()).max(0.0);
        self.base += (base - self.base) * if base > self.base { 0.5 } else { 0.125 };
    }

    /// A round trip without a queue, and what a report waits.
    fn round_time(&self) -> f64 {
        self.base + self.interval
    }

    /// The largest datagram so far, with what the path adds to it.
    fn datagram(&self) -> f64 {
        f64::from(self.largest) + self.overhead
    }

    fn target(&self) -> f64 {
        let jitter = (0.7 * self.delay.jitter().as_seconds()).min(TARGET.as_seconds());
        TARGET.as_seconds() + jitter + OF_A_DATAGRAM * self.datagram() / self.capacity
    }

    /// What a queue that stands says of the capacity.
    fn follow(&mut self, rates: Rates, queue: f64, target: f64, now: Time) {
        if queue < target / 2.0 {
            self.longer.interrupt();
            return;
        }
        let Rates { sent, arrived, lost, datagrams } = rates;
        // A short wait, and all that is sent comes through: the radio's own timing, or a queue that is where it should be.
        if queue <= target && arrived > 0.97 * sent && lost <= self.losses.usual() + 0.05 {
            self.longer.interrupt();
            self.capacity = self.bounded(self.capacity.max(arrived.min(sent)));
            return;
        }
        // Nor does a wait that is hardly longer, where the pace is not used: what arrived is what was sent. Were the line slower than that by now,
        // it would soon be much longer.
        if self.is_known && !self.round.uses(sent, self.pace) && queue <= target + BEYOND {
            self.longer.interrupt();
            return;
        }
        self.growth.feel();
        // What waits may as well be a longer path.
        if is_constant(rates) && queue > target + BEYOND {
            if self.longer.hear_constant(queue, (1.0 - sent / self.capacity) * self.waited) {
                self.stays(queue, Stays::Still, now);
            }
            return;
        }
        self.longer.interrupt();
        // What passes by chance does not end a start.
        if !self.is_known && queue < target {
            return;
        }
        // A queue that overflows loses what was never carried.
        let arrived = arrived * self.losses.carried(lost, datagrams);
        self.hold.1 = FIRST_HOLD;
        // A line that stood still has not become as slow as that.
        self.capacity = self.bounded(arrived.max(self.delivery.best() * SLOWEST_FALL));
        self.know();
        self.finding = if queue > 1.5 * target { Finding::Delay } else { Finding::Steady };
    }

    /// The line's rate is known now; what a start has tried was none of it.
    fn know(&mut self) {
        if !self.is_known {
            (self.is_known, self.lately) = (true, self.capacity);
        }
    }

    /// Marks tell of a queue before it stands: once for all that was sent before the pace is lower.
    fn heed_marks(&mut self, now: Time) {
        let arrived = self.several().map_or(self.capacity, |rates| rates.arrived);
        self.capacity = self.bounded(self.capacity.min(arrived) * AFTER_MARKS);
        (self.finding, self.marked_until) = (Finding::Marks, now);
        self.know();
        self.growth.slow();
    }

    /// Pace and window of what is known.
    fn settle(&mut self, queue: f64, target: f64, now: Time) {
        let round = self.round_time();
        if self.drain.ends(now) {
            // That the queue is gone is our own doing, and seen for a round trip: no reason to grow.
            self.hold.0 = self.hold.0.max(2);
        }
        if self.is_known {
            self.drain.begin(queue, target, round, now);
        }
        let reach = self.base + 2.0 * self.interval.min(0.05) + 2.0 * target;
        let factor = (1.0 + (target - queue) / (1.5 * round)).clamp(0.5, 1.5);
        let factor = if self.drain.is_on() { DRAINING.min(factor) } else { factor };
        let is_marked = now < self.marked_until + SPARED && self.marked_until > Time::ZERO;
        let factor = if self.is_known && !is_marked { factor } else { factor.min(1.0) };
        self.pace = self.bounded(self.capacity * factor);
        let first = if self.is_known { 0.0 } else { self.first_window };
        self.window = (self.capacity * reach + 2.0 * self.datagram()).max(first);
    }

    fn bounded(&self, rate: f64) -> f64 {
        let [least, most] = [self.bounds.least, self.bounds.most].map(|rate| rate.as_bits_per_second().to_f64() / 8.0);
        if rate.is_finite() { rate.clamp(least, most) } else { least }
    }
}

#[cfg(test)]
mod tests;
