//! Beside somebody who fills the queue. A rate that yields to every queue is left with nothing there, and one that takes the queue for the
//! path leaves nothing to others: so a window is kept as TCP's CUBIC keeps it (RFC 9438), and now and then it is asked whose the queue is.
//!
//! ```text
//!     sent        -----.______.-----          for a moment less is sent, while a queue stands
//!     arrives     -----------------           as much as before: the queue is our own
//!                 -----'.    .'-----          less: others take what we leave, and by how much less tells our share
//! ```

use super::delivery::Rates;
use arqway_units::{Span, Time, ToFloat};

/// CUBIC's constants: how fast a window grows, in datagrams a second cubed, and what a cut leaves.
const GROWS: f64 = 0.4;
const CUT: f64 = 0.7;
/// RFC 9438, section 4.3: what Reno would gain in a round with this cut.
const RENO: f64 = 3.0 * (1.0 - CUT) / (1.0 + CUT);
/// Before the first cut it grows by this part in a round.
const STARTS: f64 = 0.5;
/// No window is smaller, in datagrams.
const SMALLEST: f64 = 1.0;
/// How often it is asked whose the queue is, and after how long again, where it seems to be our own.
const ASKED_EACH: Span = Span::from_milliseconds(800);
const AGAIN: Span = Span::from_milliseconds(100);
/// What is sent of the rate meanwhile. It lasts for the time in which most of the queue would leave, within these bounds, in seconds.
pub(super) const ASKING: f64 = 0.6;
const LASTS: [f64; 2] = [0.04, 0.4];
/// Where so much of what arrived before arrives meanwhile, the queue is our own; said twice, it is believed.
const AS_BEFORE: f64 = 0.9;
/// Who has a smaller share than this takes so much more at once: a window from before others came, or from before they were seen.
const SMALL_SHARE: f64 = 0.35;
const MORE: f64 = 1.3;
/// A queue that others fill moves. What does not, for so long and so many rounds, is the path.
const STANDS: Span = Span::from_milliseconds(1500);
const STANDING_ROUNDS: u32 = 8;

/// Who fills the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// Others, as far as one knows.
    Others,
    /// Nobody but us.
    We,
    /// Nobody: the path is longer.
    Nobody,
    /// There is none any more.
    Gone,
}

/// A window in datagrams as CUBIC has it.
#[derive(Debug)]
struct Cubic {
    /// After the last cut, and before it.
    least: f64,
    most: f64,
    /// What it is by Reno's rule.
    reno: f64,
    cut_at: Time,
}

impl Cubic {
    fn new(window: f64, now: Time) -> Self {
        Self { least: window, most: window, reno: window, cut_at: now }
    }

    fn window(&self, now: Time) -> f64 {
        let back = libm::cbrt((self.most - self.least).max(0.0) / GROWS);
        let seconds = now.since(self.cut_at).as_seconds() - back;
        (self.most + GROWS * seconds * seconds * seconds).max(self.reno)
    }

    fn cut(&mut self, now: Time) {
        self.most = self.window(now);
        self.least = (self.most * CUT).max(SMALLEST);
        (self.reno, self.cut_at) = (self.least, now);
    }

    fn scale(&mut self, factor: f64) {
        self.least *= factor;
        self.most *= factor;
        self.reno *= factor;
    }
}

/// A question: for how long less is sent, and what arrived before, in octets a second.
#[derive(Debug)]
struct Ask {
    since: Time,
    lasts: Span,
    before: f64,
    /// The newest that was sent before it.
    first: Option<Arrived>,
}

/// What had arrived by a time of the peer's clock, in microseconds; and when the newest of it was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrived {
    pub(super) sent_at: Time,
    /// All octets so far, with the path's overhead.
    pub(super) octets: u64,
    pub(super) at: u32,
}

/// Between which waits the queue has stood, in seconds, and until when that is looked at.
#[derive(Debug)]
struct Stood {
    least: f64,
    most: f64,
    until: Time,
    rounds: u32,
}

impl Stood {
    fn new(until: Time) -> Self {
        Self { least: f64::MAX, most: 0.0, until, rounds: 0 }
    }

    /// Whether it has not moved for long.
    fn hear(&mut self, queue: f64, chance: f64, now: Time) -> bool {
        let is_over = now >= self.until;
        let stands = is_over && self.rounds >= STANDING_ROUNDS && self.most - self.least < chance;
        if is_over {
            *self = Self::new(now + STANDS);
        }
        (self.least, self.most) = (self.least.min(queue), self.most.max(queue));
        stands
    }
}

#[derive(Debug)]
pub(super) struct Contest {
    cubic: Cubic,
    /// Nothing has been cut yet.
    starts: bool,
    /// Of datagrams in this round, and what share of their octets was lost.
    datagrams: f64,
    lost: f64,
    /// Some were marked.
    is_marked: bool,
    ask: Option<Ask>,
    next: Time,
    has_asked: bool,
    /// How often in a row the queue seemed to be our own.
    ours: u32,
    stood: Stood,
}

impl Contest {
    /// Begins with a window of so many datagrams.
    pub(super) fn new(window: f64, now: Time) -> Self {
        Self {
            cubic: Cubic::new(window.max(SMALLEST), now),
            starts: true,
            datagrams: 0.0,
            lost: 0.0,
            is_marked: false,
            ask: None,
            next: now + ASKED_EACH,
            has_asked: false,
            ours: 0,
            stood: Stood::new(now + STANDS),
        }
    }

    /// So many datagrams of so many octets; so many of these arrived.
    pub(super) fn hear(&mut self, datagrams: u64, octets: u64, arrived: u64) {
        let datagrams = datagrams.to_f64();
        self.datagrams += datagrams;
        self.lost += datagrams * (1.0 - arrived.to_f64() / octets.max(1).to_f64());
    }

    /// The path has marked some of them.
    pub(super) fn mark(&mut self) {
        self.is_marked = true;
    }

    /// A round is over; so large a share is lost at any rate. A window that was not used does not grow (RFC 7661).
    pub(super) fn end_round(&mut self, usual: f64, is_used: bool, now: Time) {
        self.stood.rounds += 1;
        let expected = usual * self.datagrams;
        let is_cut = core::mem::take(&mut self.is_marked) || self.lost > 0.5 + expected + 3.0 * libm::sqrt(expected);
        (self.datagrams, self.lost) = (0.0, 0.0);
        if is_cut {
            self.cubic.cut(now);
            self.starts = false;
        } else if !is_used {
            self.cubic = Cubic::new(self.cubic.window(now), now);
        } else if self.ask.is_none() {
            self.cubic.reno += if self.starts { self.cubic.reno * STARTS } else { RENO };
        }
    }

    /// No more than so many datagrams are under way: what arrives does not bear more out.
    pub(super) fn limit(&mut self, most: f64, now: Time) {
        if self.cubic.window(now) > most.max(SMALLEST) {
            self.cubic = Cubic::new(most.max(SMALLEST), now);
        }
    }

    /// How many datagrams may be under way.
    pub(super) fn window(&self, now: Time) -> f64 {
        self.cubic.window(now)
    }

    /// Whether less is sent, to see what that does.
    pub(super) fn is_asking(&self) -> bool {
        self.ask.is_some()
    }

    /// A report: how long a queue stands, and by how much that moves by chance, in seconds; what has arrived, and how fast.
    pub(super) fn whose(&mut self, queue: f64, chance: f64, arrived: Arrived, rates: Option<Rates>, now: Time) -> Who {
        if self.stood.hear(queue, chance, now) {
            return Who::Nobody;
        }
        let Some(ask) = &mut self.ask else {
            self.begin(queue, rates, now);
            return Who::Others;
        };
        // What was sent before the question says what arrives without it.
        if arrived.sent_at <= ask.since {
            ask.before = rates.map_or(ask.before, |rates| rates.arrived);
            ask.first = Some(arrived);
            return Who::Others;
        }
        if arrived.sent_at < ask.since + ask.lasts {
            return Who::Others;
        }
        let answer = ask.first.map(|first| (first, ask.before));
        self.ask = None;
        self.next = now + ASKED_EACH;
        let Some((first, before)) = answer else { return Who::Others };
        let seconds = f64::from(arrived.at.wrapping_sub(first.at)) * 1e-6;
        let rate = arrived.octets.saturating_sub(first.octets).to_f64() / seconds.max(1e-3);
        self.answer(before, rate, now)
    }

    fn begin(&mut self, queue: f64, rates: Option<Rates>, now: Time) {
        let Some(rates) = rates else { return };
        // A start that has filled the queue is asked at once whose it is.
        let is_full = !self.has_asked && self.cubic.reno > self.cubic.most && rates.arrived < 0.85 * rates.sent;
        if now >= self.next || is_full {
            let lasts = Span::from_seconds((2.0 * queue).clamp(LASTS[0], LASTS[1]));
            self.ask = Some(Ask { since: now, lasts, before: rates.arrived, first: None });
            self.has_asked = true;
        }
    }

    /// Less was sent, and so much arrived.
    fn answer(&mut self, before: f64, rate: f64, now: Time) -> Who {
        if rate >= AS_BEFORE * before {
            self.ours += 1;
            self.next = now + AGAIN;
            return if self.ours >= 2 { Who::We } else { Who::Others };
        }
        self.ours = 0;
        // Of a queue in which we have the share s, s * ASKING / (1 - s + s * ASKING) is left to us.
        let share = (1.0 - ASKING * before / rate.max(1.0)) / (1.0 - ASKING);
        if share < SMALL_SHARE {
            self.cubic.scale(MORE);
        }
        Who::Others
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::truncate;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    fn rates(arrived: f64) -> Option<Rates> {
        Some(Rates { sent: arrived, arrived, lost: 0.0, datagrams: 20 })
    }

    /// A report each 20 ms of a datagram that went 60 ms before, of so many octets a second, or of others where less was sent; the queue
    /// moves. What is said at last, and after how many milliseconds.
    fn hears(contest: &mut Contest, before: f64, less: f64) -> (Who, u32) {
        let (mut octets, mut asked) = (1e6, [false; 4]);
        for time in (100..2000u32).step_by(20) {
            asked.rotate_right(1);
            asked[0] = contest.is_asking();
            let rate = if asked[3] { less } else { before };
            octets += 0.02 * rate;
            let arrived = Arrived { sent_at: at(u64::from(time - 60)), octets: truncate(octets), at: time * 1000 };
            let queue = if time % 40 == 0 { 0.03 } else { 0.06 };
            let who = contest.whose(queue, 0.004, arrived, rates(rate), at(time.into()));
            if who != Who::Others {
                return (who, time);
            }
        }
        (Who::Others, 2000)
    }

    #[test]
    fn the_window_is_cut_to_seven_tenths_and_comes_back_as_cubics_does() {
        let mut contest = Contest::new(100.0, at(0));
        contest.hear(100, 100_000, 99_000);
        contest.end_round(0.0, true, at(1000));
        // It grew by CUBIC's rule for a second before.
        let most = 100.0 + 0.4;
        assert!((contest.window(at(1000)) - 0.7 * most).abs() < 1e-9, "{}", contest.window(at(1000)));
        let back = libm::cbrt(0.3 * most / 0.4);
        let again = at(1000) + Span::from_seconds(back);
        assert!((contest.window(again) - most).abs() < 1e-6, "{}", contest.window(again));
        assert!((contest.window(again + Span::from_seconds(2.0)) - most - 0.4 * 8.0).abs() < 1e-3);
    }

    #[test]
    fn until_something_is_cut_it_grows_by_halves_and_then_at_least_as_renos() {
        let mut contest = Contest::new(10.0, at(0));
        contest.end_round(0.0, true, at(10));
        assert!((contest.window(at(10)) - 15.0).abs() < 0.001);
        contest.hear(10, 10_000, 9_000);
        contest.end_round(0.0, true, at(20));
        contest.end_round(0.0, true, at(30));
        assert!((contest.window(at(30)) - 10.5 - RENO).abs() < 0.001, "{}", contest.window(at(30)));
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let mut contest = Contest::new(10.0, at(0));
        (1..100).for_each(|round| contest.end_round(0.0, false, at(100 * round)));
        assert!(contest.window(at(9900)) < 10.1, "{}", contest.window(at(9900)));
    }

    #[test]
    fn a_window_is_no_larger_than_what_arrives_bears_out() {
        let mut contest = Contest::new(100.0, at(0));
        contest.limit(120.0, at(0));
        assert_eq!(contest.window(at(0)), 100.0);
        contest.limit(50.0, at(0));
        assert_eq!(contest.window(at(0)), 50.0);
        contest.limit(0.0, at(0));
        assert_eq!(contest.window(at(0)), SMALLEST);
    }

    #[test]
    fn what_the_link_loses_at_any_rate_cuts_nothing() {
        let lost = |usual, arrived| {
            let mut contest = Contest::new(100.0, at(0));
            contest.hear(100, 100_000, arrived);
            contest.end_round(usual, true, at(0));
            contest.window(at(0)) < 100.0
        };
        assert!(lost(0.0, 99_000) && !lost(0.1, 81_000) && lost(0.1, 79_000));
    }

    #[test]
    fn marks_cut_once_as_losses_do() {
        let mut contest = Contest::new(100.0, at(0));
        contest.mark();
        contest.end_round(0.0, true, at(0));
        assert!((contest.window(at(0)) - 70.0).abs() < 1e-9);
        contest.end_round(0.0, true, at(0));
        assert!(contest.window(at(0)) > 70.0);
    }

    #[test]
    fn a_queue_is_our_own_where_as_much_arrives_when_less_is_sent_twice() {
        let (who, when) = hears(&mut Contest::new(100.0, at(0)), 1e6, 1e6);
        assert_eq!(who, Who::We);
        // Each question lasts for 60 ms at least, and its answer is heard 60 ms later.
        assert!((800 + 2 * 120 + 100..1400).contains(&when), "{when} ms");
    }

    #[test]
    fn others_take_what_we_leave_and_a_small_share_is_made_larger() {
        // With half of a queue we get 0.6 of 1.6 parts where it was 1 of 2; with a tenth, 0.06 of 0.96 where it was 0.1 of 1.
        for (less, grows) in [(0.75e6, false), (0.625e6, true)] {
            let mut contest = Contest::new(100.0, at(0));
            assert_eq!(hears(&mut contest, 1e6, less).0, Who::Others);
            assert_eq!(contest.window(at(0)) > 120.0, grows, "{less}: {}", contest.window(at(0)));
        }
    }

    #[test]
    fn what_does_not_move_is_the_path() {
        let mut contest = Contest::new(100.0, at(0));
        let arrived = |time| Arrived { sent_at: at(0), octets: 0, at: time };
        for time in 0..STANDING_ROUNDS {
            contest.end_round(0.0, true, at(0));
            assert_eq!(contest.whose(0.05, 0.004, arrived(time), None, at(100)), Who::Others);
        }
        assert_eq!(contest.whose(0.053, 0.004, arrived(9), None, at(1500)), Who::Nobody);
        assert_eq!(contest.whose(0.053, 0.004, arrived(9), None, at(3100)), Who::Others, "too few rounds since");
    }
}
