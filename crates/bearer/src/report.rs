//! What was sent and not reported yet, and what has arrived and is to be reported.
//!
//! Datagrams are numbered from 0 in each epoch. A report says which was the newest to arrive, how long ago, and how many
//! octets arrived: a round-trip time, an answer to silence, and a delivery rate. Only datagrams that carry something are
//! answered, so two idle ends do not answer each other for ever (as with the ack-eliciting packets of RFC 9000 §13.2.1).

use super::duplicates::Duplicates;
use super::lateness::Lateness;
use super::rate::{Mark, shortfall};
use super::wire::{self, Name, Report};
use alloc::collections::VecDeque;
use arqway_units::{BitRate, Octets, Ratio, Span, Time, ToFloat};

/// How many datagrams are remembered; what is sent beyond that gives no round-trip times.
const REMEMBERED: usize = 1 << 16;

/// From so many unreported datagrams on, numbers are written in full: half of what a short one can tell apart, halved.
const UNREPORTED: u64 = 1 << (wire::NUMBER_BITS - 2);

/// Whether a datagram wants to be answered by a report, and whether its size says something of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    Frames,
    Question,
    Nothing,
    /// Nothing, and it may be larger than the path carries.
    Probe,
}

/// What this end has sent in this epoch.
#[derive(Debug, Default)]
pub(super) struct Sent {
    next: u64,
    /// Numbers below this one are reported, or were lost before one that is.
    reported: u64,
    /// Octets of all datagrams so far, but for probes: nobody knows whether the path carries these at all.
    octets: u64,
    /// Those that want an answer and have none.
    unanswered: VecDeque<Mark>,
    /// What the last report said of octets and time.
    before: Option<(u32, u32)>,
    delivery_rate: Option<BitRate>,
    /// Octets of those that have no answer.
    under_way: u64,
}

/// What a report says that was not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct News {
    /// From sending the newest to now, less what the peer held the report.
    pub(super) round_trip: Option<Span>,
    /// The newest datagram that wanted an answer and was not answered before, if there is one.
    pub(super) newest: Option<Mark>,
    /// How many octets more have arrived.
    pub(super) delivered: u64,
    /// Whether the path has marked some of them.
    pub(super) is_marked: bool,
    /// When the newest arrived, by the peer's clock.
    pub(super) arrived: u32,
}

impl Sent {
    /// The number of the next datagram, and whether it must be written in full.
    pub(super) fn next(&self) -> (u64, bool) {
        (self.next, self.next - self.reported >= UNREPORTED)
    }

    /// That datagram goes.
    pub(super) fn send(&mut self, size: Octets, carries: Carries, now: Time) {
        if carries != Carries::Probe {
            self.octets += size.as_u64();
        }
        if matches!(carries, Carries::Frames | Carries::Question) && self.unanswered.len() < REMEMBERED {
            let own = u32::try_from(size.as_u64()).unwrap_or(u32::MAX);
            self.under_way += u64::from(own);
            self.unanswered.push_back(Mark { number: self.next, at: now, octets: self.octets, size: own });
        }
        self.next += 1;
    }

    /// What has been sent up to now.
    pub(super) fn total(&self, now: Time) -> shortfall::Sent {
        shortfall::Sent { at: now, octets: self.octets, datagrams: self.next }
    }

    /// How much has been sent that wants an answer and has none, with what the path adds to each.
    pub(super) fn under_way(&self, overhead: Octets) -> u64 {
        self.under_way + arqway_units::count(self.unanswered.len()) * overhead.as_u64()
    }

    /// Since when something has been unanswered.
    pub(super) fn unanswered_since(&self) -> Option<Time> {
        self.unanswered.front().map(|mark| mark.at)
    }

    /// How fast datagrams arrived between the last two reports.
    pub(super) fn delivery_rate(&self) -> Option<BitRate> {
        self.delivery_rate
    }

    /// A report arrives; one that is older than another says nothing. One of what was never sent says that the peer has taken
    /// a number which somebody else wrote, or which was damaged: it would take what is below that for late.
    pub(super) fn report(&mut self, report: &Report, now: Time) -> Option<News> {
        let newest = wire::expand(report.newest.into(), 32, self.next);
        if newest < self.reported {
            return None;
        }
        if newest >= self.next {
            self.next = newest + 1;
            return None;
        }
        self.reported = newest + 1;
        let mut answered = None;
        while let Some(mark) = self.unanswered.pop_front_if(|mark| mark.number <= newest) {
            self.under_way -= u64::from(mark.size);
            answered = Some(mark);
        }
        let of_newest = answered.filter(|mark| mark.number == newest);
        let round_trip = of_newest.zip(report.hold).map(|(mark, hold)| now.since(mark.at) - hold);
        let before = self.before.replace((report.octets, report.arrived));
        let delivered = u64::from(report.octets.wrapping_sub(before.map_or(0, |(octets, _)| octets)));
        if let Some((_, arrived)) = before {
            let microseconds = u64::from(report.arrived.wrapping_sub(arrived));
            let rate = (delivered * 8_000_000).checked_div(microseconds);
            self.delivery_rate = rate.and_then(BitRate::from_bits_per_second).or(self.delivery_rate);
        }
        let is_marked = report.is_marked;
        Some(News { round_trip, newest: answered, delivered, is_marked, arrived: report.arrived })
    }
}

/// How many of the peer's last datagrams have arrived, in two blocks of their numbers: the present one and that before it.
#[derive(Debug, Default)]
struct Arrivals {
    /// Of which block the present one is, from 0.
    block: u64,
    present: u64,
    before: u64,
}

impl Arrivals {
    /// Of so many numbers.
    const BLOCK: u64 = 1000;

    fn count(&mut self, number: u64) {
        let block = number / Self::BLOCK;
        if block > self.block {
            self.before = if block == self.block + 1 { self.present } else { 0 };
            (self.block, self.present) = (block, 0);
        }
        if block == self.block {
            self.present += 1;
        } else if block + 1 == self.block {
            self.before += 1;
        }
    }

    /// The share that is missing up to the newest number, of the last thousand or two; `None` before any has come.
    fn loss(&self, newest: Option<u64>) -> Option<Ratio> {
        let first = self.block.saturating_sub(1) * Self::BLOCK;
        let expected = newest? + 1 - first;
        let arrived = self.present + self.before;
        Ratio::new(expected.saturating_sub(arrived).to_f64() / expected.to_f64())
    }
}

/// What has arrived in this epoch.
#[derive(Debug, Default)]
pub(super) struct Received {
    duplicates: Duplicates,
    lateness: Lateness,
    arrivals: Arrivals,
    octets: u64,
    newest_at: Time,
    largest: u16,
    /// Whether a datagram since the last report was marked.
    is_marked: bool,
    reported_at: Option<Time>,
    due: Option<Time>,
    /// From when on one goes beside frames, which costs less.
    beside: Option<Time>,
}

/// How often reports go at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Intervals {
    /// In a datagram of their own.
    pub(super) alone: Span,
    /// Beside frames.
    pub(super) beside: Span,
}

/// How long a report waits at least, for what else may arrive, or go the other way and take it along.
const SHORTEST_WAIT: Span = Span::from_milliseconds(20);

impl Received {
    /// The number that a name means; `None` for a short one before any in full.
    pub(super) fn number(&self, name: Name) -> Option<u64> {
        let newest = self.duplicates.newest();
        match name {
            // No short number is further ahead than its sender has unreported: what seems so is late.
            Name::Short { number, .. } => newest
                .map(|near| wire::expand(number.into(), wire::NUMBER_BITS, near))
                .filter(|number| newest.is_none_or(|newest| *number <= newest + UNREPORTED)),
            Name::Full { number, .. } => Some(wire::expand(number.into(), 32, newest.unwrap_or(0))),
        }
    }

    /// A datagram arrives, after this end has sent so many frames. Whether it is new, and not too late.
    pub(super) fn arrive(&mut self, number: u64, size: Octets, frames_sent: u64, now: Time) -> bool {
        let newest = self.duplicates.newest();
        if self.lateness.is_too_late(number, frames_sent) || !self.duplicates.is_new(number) {
            return false;
        }
        if newest.is_none_or(|newest| number > newest) {
            self.newest_at = now;
            self.lateness.advance(number, frames_sent);
        }
        self.arrivals.count(number);
        self.octets += size.as_u64();
        self.largest = self.largest.max(u16::try_from(size.as_u64()).unwrap_or(u16::MAX));
        true
    }

    /// The path has marked it, which is congested.
    pub(super) fn was_marked(&mut self) {
        self.is_marked = true;
    }

    /// There was a frame in it.
    pub(super) fn had_frame(&mut self) {
        self.lateness.count();
    }

    /// What arrived wants an answer, and none is due: soon, but not sooner than an interval after the one before.
    pub(super) fn wants_report(&mut self, intervals: Intervals, now: Time) {
        let after = |interval: Span| {
            let earliest = self.reported_at.map_or(now, |before| before + interval);
            earliest.max(now + SHORTEST_WAIT.min(interval))
        };
        (self.due, self.beside) = (Some(after(intervals.alone)), Some(after(intervals.beside)));
    }

    /// The peer asks for a report.
    pub(super) fn wants_report_now(&mut self, now: Time) {
        (self.due, self.beside) = (Some(now), Some(now));
    }

    /// The share of the peer's last datagrams that did not arrive.
    pub(super) fn loss(&self) -> Option<Ratio> {
        self.arrivals.loss(self.duplicates.newest())
    }

    /// When a report is due.
    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    /// Whether one may go beside frames.
    pub(super) fn may_go_beside(&self, now: Time) -> bool {
        self.beside.is_some_and(|from| from <= now)
    }

    /// The report that is sent now.
    pub(super) fn report(&mut self, takes_short: bool, now: Time) -> Option<Report> {
        let newest = self.duplicates.newest()?;
        (self.due, self.beside) = (None, None);
        self.reported_at = Some(now);
        let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0);
        Some(Report {
            newest: low(newest),
            octets: low(self.octets),
            arrived: wire::microseconds(self.newest_at),
            largest: core::mem::take(&mut self.largest),
            is_marked: core::mem::take(&mut self.is_marked),
            hold: Some(now.since(self.newest_at)),
            takes_short,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    fn ms(milliseconds: u64) -> Span {
        Span::from_milliseconds(milliseconds)
    }

    fn report(newest: u32, octets: u32, milliseconds: u32, hold: u64) -> Report {
        let arrived = milliseconds * 1000;
        Report { newest, octets, arrived, largest: 0, is_marked: false, hold: Some(ms(hold)), takes_short: false }
    }

    #[test]
    fn a_short_number_that_is_late_by_thousands_is_not_taken_for_a_new_one() {
        let mut received = Received::default();
        assert!(received.arrive(10_000, Octets::new(100), 0, at(0)));
        let number = |number: u64| {
            let number = u16::try_from(number % (1 << wire::NUMBER_BITS)).expect("12 bits");
            received.number(Name::Short { epoch: 1, number })
        };
        assert_eq!([9_990, 10_001, 11_024].map(number), [Some(9_990), Some(10_001), Some(11_024)]);
        assert_eq!([10_000 - 2_049, 10_000 - 3_000].map(number), [None, None]);
    }

    #[test]
    fn a_datagram_behind_which_128_frames_arrived_is_too_late() {
        let mut received = Received::default();
        let mut arrives = |number, frames| {
            let is_new = received.arrive(number, Octets::new(100), 0, at(0));
            (0..frames).for_each(|_| received.had_frame());
            is_new
        };
        assert!((0..10).all(|number| arrives(2 * number, 12)), "120 frames");
        assert!(arrives(1, 1), "108 of them behind it");
        assert!((10..14).all(|number| arrives(2 * number, 12)), "48 more");
        assert_eq!([3, 5, 7, 9, 11].map(|number| arrives(number, 0)), [false, false, false, true, true]);
        assert!(!arrives(9, 0), "it was here before");
        // Without frames each counts for one.
        assert!((28..1000).all(|number| arrives(number, 0)));
    }

    #[test]
    fn a_datagram_is_too_late_512_frames_after_one_that_was_sent_later() {
        let mut received = Received::default();
        let mut arrives = |number, sent| received.arrive(number, Octets::new(100), sent, at(0));
        assert!(arrives(10, 1000) && arrives(20, 1200));
        assert!(arrives(9, 1512), "512 were sent since the tenth came");
        assert!(!arrives(8, 1513), "513");
        assert!(arrives(11, 1712) && !arrives(12, 1713) && arrives(21, 9000), "the newest is never late");
    }

    #[test]
    fn a_report_gives_the_round_trip_time_of_the_newest_without_what_the_peer_held_it() {
        let mut sent = Sent::default();
        for milliseconds in [0, 10, 20] {
            sent.send(Octets::new(100), Carries::Frames, at(milliseconds));
        }
        assert_eq!(sent.unanswered_since(), Some(at(0)));
        let newest = Some(Mark { number: 1, at: at(10), octets: 200, size: 100 });
        let news = News { round_trip: Some(ms(105)), newest, delivered: 100, is_marked: false, arrived: 60_000 };
        assert_eq!(sent.report(&report(1, 100, 60, 5), at(120)), Some(news), "of 200 octets");
        assert_eq!(sent.unanswered_since(), Some(at(20)), "the first is lost: a newer one arrived");
        assert_eq!(sent.report(&report(0, 50, 50, 5), at(130)), None, "an older report");
        sent.report(&report(2, 200, 70, 0), at(140));
        assert_eq!(sent.unanswered_since(), None);
        assert_eq!(sent.delivery_rate(), BitRate::from_bits_per_second(80_000), "100 octets in 10 ms");
    }

    #[test]
    fn numbers_go_on_behind_one_that_was_reported_but_never_sent() {
        let mut sent = Sent::default();
        sent.send(Octets::new(100), Carries::Frames, at(0));
        assert_eq!(sent.report(&report(5000, 50, 50, 5), at(130)), None);
        assert_eq!((sent.next(), sent.unanswered_since()), ((5001, true), Some(at(0))), "nothing is answered by that");
        sent.send(Octets::new(100), Carries::Frames, at(140));
        let news = sent.report(&report(5001, 90, 190, 0), at(240)).expect("news");
        assert_eq!(news.round_trip, Some(ms(100)));
        assert_eq!((sent.next(), sent.unanswered_since()), ((5002, false), None));
    }

    #[test]
    fn a_probe_is_not_taken_for_what_the_path_carries() {
        let mut sent = Sent::default();
        let goes = [(100, Carries::Frames), (1500, Carries::Probe), (40, Carries::Nothing), (100, Carries::Question)];
        goes.into_iter().for_each(|(size, carries)| sent.send(Octets::new(size), carries, at(0)));
        let total = sent.total(at(0));
        assert_eq!((total.octets, total.datagrams), (240, 4));
    }

    #[test]
    fn what_carries_nothing_is_not_waited_for() {
        let mut sent = Sent::default();
        sent.send(Octets::new(100), Carries::Nothing, at(0));
        assert_eq!(sent.unanswered_since(), None);
    }

    #[test]
    fn numbers_are_written_in_full_once_many_are_unreported() {
        let mut sent = Sent::default();
        (0..UNREPORTED - 1).for_each(|_| sent.send(Octets::new(100), Carries::Frames, at(0)));
        assert_eq!(sent.next(), (UNREPORTED - 1, false));
        sent.send(Octets::new(100), Carries::Frames, at(0));
        assert_eq!(sent.next(), (UNREPORTED, true));
        sent.report(&report(9, 0, 0, 0), at(5));
        assert!(!sent.next().1);
    }

    #[test]
    fn a_report_waits_for_others_unless_it_was_asked_for() {
        let (mut received, intervals) = (Received::default(), Intervals { alone: ms(100), beside: ms(40) });
        assert!(received.arrive(0, Octets::new(50), 0, at(5)));
        received.wants_report(intervals, at(5));
        assert_eq!(received.due(), Some(at(25)));
        assert!(!received.may_go_beside(at(24)) && received.may_go_beside(at(25)));
        assert!(received.arrive(2, Octets::new(70), 0, at(10)));
        assert!(received.arrive(1, Octets::new(60), 0, at(15)) && !received.arrive(1, Octets::new(60), 0, at(16)));
        let report = received.report(true, at(25)).expect("something arrived");
        assert_eq!((report.newest, report.octets, report.arrived), (2, 180, 10_000));
        assert_eq!((report.largest, report.hold, report.takes_short), (70, Some(ms(15)), true));
        received.wants_report(intervals, at(30));
        assert_eq!(received.due(), Some(at(125)));
        assert!(!received.may_go_beside(at(64)) && received.may_go_beside(at(65)));
        received.wants_report_now(at(31));
        assert_eq!(received.due(), Some(at(31)));
    }

    #[test]
    fn the_loss_is_that_of_the_last_thousand_or_two_datagrams() {
        let mut received = Received::default();
        assert_eq!(received.loss(), None);
        let mut arrive = |numbers: &mut dyn Iterator<Item = u64>| {
            numbers.for_each(|number| assert!(received.arrive(number, Octets::new(9), 0, at(0))));
            received.loss().expect("some have come").as_f64()
        };
        // Every tenth of a thousand is lost, and then none.
        assert!((arrive(&mut (0..1000).filter(|number| number % 10 != 5)) - 0.1).abs() < 1e-9);
        assert!((arrive(&mut (1000..1999)) - 100.0 / 1999.0).abs() < 1e-9);
        assert!(arrive(&mut (1999..3000)) == 0.0, "the first thousand is forgotten");
        // One that is late was not lost; a silence of thousands was.
        assert!((arrive(&mut [3001].into_iter()) - 1.0 / 1002.0).abs() < 1e-9);
        assert!(arrive(&mut [3000].into_iter()) == 0.0);
        assert!((arrive(&mut [9000].into_iter()) - 1000.0 / 1001.0).abs() < 1e-9);
    }

    #[test]
    fn a_short_number_says_nothing_before_one_in_full() {
        let mut received = Received::default();
        assert_eq!(received.number(Name::Short { epoch: 0, number: 7 }), None);
        received.arrive(4090, Octets::new(1), 0, at(0));
        assert_eq!(received.number(Name::Short { epoch: 0, number: 7 }), Some(4103));
        assert_eq!(received.number(Name::Full { epoch: 0, number: 7 }), Some(7));
    }
}
