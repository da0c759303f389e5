//! What belongs to a path: how fast datagrams go there, how large they may be, whether they arrive and when. One struct, so
//! that a second path has a place.

use super::config::Config;
use super::liveness::{Limits, Liveness};
use super::lost::Lost;
use super::mtu::MtuSearch;
use super::pace::Pace;
use super::rate::breaker::{Breaker, Change};
use super::rate::shortfall::Shortfall;
use super::rate::{Automatic, Found, Heard, Rate};
use super::report::{Intervals, News, Received, Sent};
use super::wire;
use arqway_arq::{Arithmetic, RoundTrip, Smoothing};
use arqway_contract::{LineId, LinkContext};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};

/// What is taken for the round-trip time before there is a sample: a long one, since a satellite's must not look like
/// silence (RFC 6298 §2.1 begins with a timeout of as much).
const FIRST_ROUND_TRIP: Span = Span::from_milliseconds(1000);
/// Reports come no more often (and four times in a round trip).
const SHORTEST_REPORT_INTERVAL: Span = Span::from_milliseconds(20);
/// Where the largest datagram takes longer, packets of a call are late behind each of them.
const LONG: Span = Span::from_milliseconds(50);
/// How much longer than a round trip a line may be silent at least while there is another.
const SHORTEST_SILENCE: Span = Span::from_milliseconds(50);
/// So many times as often a line is asked whether it is back, where another carries what it would.
const SOONER_BACK: u64 = 4;
/// Reports take at most a 33rd of the rate, 3 %, and so do probes of the MTU that gain little.
const SHARE: u64 = 33;

/// What is known of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathMetrics {
    /// Whether it carries datagrams.
    pub is_up: bool,
    /// Whether frames go by it only while no other line is there.
    pub is_spare: bool,
    /// Whether it carries too little beside another for packets that wait for each other.
    pub is_slow: bool,
    /// What has gone by it, with the overhead.
    pub sent: Octets,
    /// What has come by it.
    pub received: Octets,
    /// The share of the peer's last thousand or two datagrams that did not arrive; `None` before one has.
    pub loss: Option<Ratio>,
    /// The smoothed round-trip time, if there was a sample.
    pub round_trip: Option<Span>,
    /// The largest datagram, with the overhead.
    pub mtu: Octets,
    /// The rate at which datagrams leave, if they are paced.
    pub rate: Option<BitRate>,
    /// How fast datagrams arrived at the peer between its last two reports.
    pub delivery_rate: Option<BitRate>,
    /// The rate that is configured, while datagrams leave more slowly since too few of them arrived.
    pub slowed_from: Option<BitRate>,
    /// What the line carries, while that is less than the rate at which datagrams leave.
    pub carries: Option<BitRate>,
    /// How the rate was found, where it is.
    pub found: Option<Found>,
}

#[derive(Debug)]
pub(super) struct Path {
    pub(super) pace: Pace,
    /// None without a pace, or where it is switched off.
    breaker: Option<Breaker>,
    has_breaker: bool,
    shortfall: Shortfall,
    /// Where the rate is found.
    automatic: Option<Automatic>,
    pub(super) sent: Sent,
    pub(super) lost: Lost,
    pub(super) received: Received,
    pub(super) liveness: Liveness,
    pub(super) mtu: MtuSearch,
    estimate: RoundTrip,
    /// What the estimate says, once there was a sample.
    smoothed: Option<Span>,
    shortest: Option<Span>,
    first_round_trip: Span,
    overhead: u16,
    silence: Span,
    probe_interval: Span,
    /// Whether the link has other lines: then what arrives by this one is to be told soon, also where nothing goes the other way that would tell
    /// how long a round trip takes.
    has_others: bool,
}

impl Path {
    pub(super) fn new(config: &Config, line: LineId, context: &LinkContext, now: Time) -> Self {
        let rate = config.rate_of_line(line, context.side);
        let (automatic, given) = (automatic(rate), rate.fixed());
        let rate = given.or(automatic.as_ref().map(Automatic::pace));
        Self {
            pace: Pace::new(rate, config.overhead),
            automatic,
            breaker: given.filter(|_| config.breaker).map(Breaker::new),
            has_breaker: config.breaker,
            shortfall: Shortfall::default(),
            sent: Sent::default(),
            lost: Lost::default(),
            received: Received::default(),
            liveness: Liveness::new(now),
            mtu: search(config, rate),
            estimate: RoundTrip::new(Smoothing::default(), 0.0, 0.0),
            smoothed: None,
            shortest: None,
            first_round_trip: context.delay.map_or(FIRST_ROUND_TRIP, |delay| delay * 2),
            overhead: u16::try_from(config.overhead.as_u64()).unwrap_or(u16::MAX),
            silence: config.silence,
            probe_interval: config.probe_interval,
            has_others: false,
        }
    }

    /// The link has other lines from now on.
    pub(super) fn stands_beside_others(&mut self) {
        self.has_others = true;
        self.automatic.iter_mut().for_each(Automatic::stands_beside_others);
    }

    /// Another epoch: numbers begin anew, and the path is as it was.
    pub(super) fn begin(&mut self, now: Time) {
        (self.sent, self.received) = (Sent::default(), Received::default());
        self.interrupt();
        self.mtu.pause();
        self.liveness.answered(now);
    }

    /// Another rate is configured.
    pub(super) fn set_rate(&mut self, rate: Rate, now: Time) {
        self.automatic = automatic(rate);
        if self.has_others {
            self.stands_beside_others();
        }
        let given = rate.fixed();
        let rate = given.or(self.automatic.as_ref().map(Automatic::pace));
        self.breaker = given.filter(|_| self.has_breaker).map(Breaker::new);
        self.shortfall = Shortfall::default();
        self.pace.set_rate(rate, now);
    }

    /// What was lost lately says nothing of the pace.
    pub(super) fn interrupt(&mut self) {
        self.breaker.iter_mut().for_each(Breaker::interrupt);
        self.shortfall.interrupt();
        self.lost.interrupt();
        self.automatic.iter_mut().for_each(Automatic::interrupt);
    }

    /// A report says how fast datagrams may leave, where that is found. Whether it does.
    pub(super) fn follow(&mut self, news: &News, now: Time) -> bool {
        let Some(automatic) = &mut self.automatic else { return false };
        // What is lost for its size says nothing of the rate.
        if !self.mtu.is_sure() {
            automatic.interrupt_losses();
        }
        automatic.deliver(news.delivered);
        if news.is_marked {
            automatic.mark();
        }
        let Some((round_trip, newest)) = news.round_trip.zip(news.newest) else { return false };
        let (arrived, overhead) = (news.arrived, Octets::new(self.overhead.into()));
        automatic.hear(&Heard { newest, arrived, round_trip, overhead }, now);
        self.pace.set_rate(Some(automatic.pace()), now);
        true
    }

    /// The rate that is found, where it has changed by half.
    pub(super) fn poll_change(&mut self) -> Option<BitRate> {
        self.automatic.as_mut()?.poll_change()
    }

    /// When one more datagram of frames may be under way, unless a report comes before; `None` if it may now.
    pub(super) fn has_room_at(&mut self, now: Time) -> Option<Time> {
        let under_way = self.sent.under_way(Octets::new(self.overhead.into()));
        let since = self.sent.unanswered_since()?;
        self.automatic.as_mut()?.has_room_at(under_way, since).filter(|from| *from > now)
    }

    /// What the line carries, where a report shows that this is less than the pace.
    pub(super) fn fall_short(&mut self, news: &News, now: Time) -> Option<BitRate> {
        let [overhead, mtu] = [self.overhead, self.mtu.current()].map(|octets| Octets::new(octets.into()));
        let line = (self.pace.rate().filter(|_| self.automatic.is_none())?, overhead, mtu);
        self.shortfall.hear(self.sent.total(now), (news.round_trip, news.delivered), line)
    }

    /// How fast the link is, by what services hold in their queues.
    pub(super) fn capacity(&self) -> Option<BitRate> {
        self.automatic.as_ref().map(Automatic::for_queues).or(self.pace.rate())
    }

    /// What it carries as far as is known: what it has shown where the rate is found, and nothing where there is none.
    pub(super) fn shown(&self) -> Option<BitRate> {
        self.automatic.as_ref().map(Automatic::shown).or(self.pace.rate())
    }

    /// Whether its rate is known: it is given, or a queue or losses have shown it.
    pub(super) fn is_rate_known(&self) -> bool {
        self.automatic.as_ref().is_none_or(Automatic::is_known)
    }

    /// Whether its rate is found.
    pub(super) fn is_automatic(&self) -> bool {
        self.automatic.is_some()
    }

    /// Whether what a report says wants another pace, which datagrams have from now on.
    pub(super) fn judge(&mut self, news: &News, now: Time) -> Option<Change> {
        if self.mtu.is_in_doubt() {
            self.breaker.iter_mut().for_each(Breaker::interrupt);
        }
        let (round_trip, overhead) = (self.round_trip(), Octets::new(self.overhead.into()));
        let change = self.breaker.as_mut()?.hear(news.newest, news.delivered, overhead, round_trip)?;
        self.pace.set_rate(Some(change.pace), now);
        self.shortfall = Shortfall::default();
        Some(change)
    }

    /// The configured rate, where the present one is lower.
    pub(super) fn slowed_from(&self) -> Option<BitRate> {
        self.breaker.as_ref().and_then(Breaker::slowed_from)
    }

    /// Another path: its round-trip time and its MTU are not known, nor what it delivers.
    pub(super) fn forget(&mut self, config: &Config, now: Time) {
        if let Some(rate) = self.slowed_from() {
            self.set_rate(Rate::Fixed(rate), now);
        }
        if let Some(automatic) = &self.automatic {
            self.set_rate(Rate::Automatic(automatic.bounds()), now);
        }
        self.interrupt();
        self.estimate = RoundTrip::new(Smoothing::default(), 0.0, 0.0);
        (self.smoothed, self.shortest, self.shortfall) = (None, None, Shortfall::default());
        self.lost = Lost::default();
        self.mtu = search(config, self.pace.rate());
    }

    /// The path adds so much to each datagram from now on.
    pub(super) fn set_overhead(&mut self, overhead: Octets) {
        self.overhead = u16::try_from(overhead.as_u64()).unwrap_or(u16::MAX);
        self.pace.set_overhead(overhead);
    }

    /// A sample of the round-trip time.
    pub(super) fn sample(&mut self, round_trip: Span) {
        self.shortest = Some(self.shortest.map_or(round_trip, |shortest| shortest.min(round_trip)));
        self.estimate.sample(Arithmetic::Float.ticks(round_trip));
        self.smoothed = Some(Span::from_seconds(self.estimate.srtt() * Arithmetic::Float.tick().as_seconds()));
    }

    /// The round-trip time, or a guess.
    pub(super) fn round_trip(&self) -> Span {
        self.smoothed.unwrap_or(self.first_round_trip)
    }

    /// The shortest round trip so far, or a guess: what a queue on the way adds is not in it.
    pub(super) fn shortest_round_trip(&self) -> Span {
        self.shortest.unwrap_or(self.first_round_trip)
    }

    /// After how much silence the link is down.
    pub(super) fn limit(&self) -> Span {
        self.silence.max(self.round_trip() * 4).max(self.time_to_send() * 2)
    }

    /// After how much silence the peer is asked, and after how much the link is down. A report takes a round trip, and what the
    /// peer waits before it writes one: about as long as this end does.
    pub(super) fn limits(&self) -> Limits {
        let limit = self.limit();
        let report = self.round_trip() + self.report_intervals().alone * 5 / 4;
        Limits { patience: report.clamp(limit / 4, limit / 2), limit, interval: self.probe_interval }
    }

    /// The same where there is another line: what is lost with this one is missed soon, and nothing is lost if it turns out to be there. So a
    /// report is awaited for no longer than it takes with what varies.
    pub(super) fn limits_beside(&self) -> Limits {
        let (round_trip, usual) = (self.round_trip(), self.limits());
        let report = self.report_intervals().alone * 5 / 4;
        let varies = Span::from_seconds(self.estimate.srttvar() * Arithmetic::Float.tick().as_seconds()) * 4;
        let more = SHORTEST_SILENCE.max(report).max(varies);
        let interval = usual.interval / SOONER_BACK;
        if round_trip + more >= usual.limit {
            return Limits { interval, ..usual };
        }
        Limits { patience: round_trip + more * 3 / 4, limit: round_trip + more, interval }
    }

    /// How long the largest datagram takes at the pace: a ping may have to wait for one.
    fn time_to_send(&self) -> Span {
        let size = Octets::new(self.mtu.current().into());
        self.pace.rate().map_or(Span::ZERO, |rate| rate.time_to_send(size))
    }

    /// How long to wait between reports. Liveness needs a few of them within its limit, however slow the path.
    pub(super) fn report_intervals(&self) -> Intervals {
        let is_soon = self.automatic.is_some() || self.has_others;
        let quarter = if is_soon { Span::ZERO } else { self.round_trip() / 4 };
        let interval = |octets: usize| {
            let share = self.rest_after(Octets::of(octets));
            quarter.max(SHORTEST_REPORT_INTERVAL).max(share).min(self.limit() / 4)
        };
        let alone = wire::FULL + wire::REPORT + usize::from(self.overhead);
        Intervals { alone: interval(alone), beside: interval(wire::REPORT + 2) }
    }

    /// How long it takes until a datagram of this size has had a small share of the rate.
    pub(super) fn rest_after(&self, size: Octets) -> Span {
        self.pace.rate().map_or(Span::ZERO, |rate| rate.time_to_send(size) * SHARE)
    }

    /// The largest datagram without the overhead.
    pub(super) fn room(&self) -> usize {
        self.without_overhead(self.mtu.current())
    }

    /// How large a frame always fits into a datagram of at most `room`.
    pub(super) fn room_of_frames(&self, room: Octets) -> Octets {
        Octets::of(room.as_usize().min(self.room()).saturating_sub(wire::MOST_BEFORE))
    }

    /// A size with the overhead, without it.
    pub(super) fn without_overhead(&self, size: u16) -> usize {
        size.saturating_sub(self.overhead).into()
    }

    /// The size of a datagram with the overhead.
    pub(super) fn with_overhead(&self, size: Octets) -> u16 {
        u16::try_from(size.as_u64()).unwrap_or(u16::MAX).saturating_add(self.overhead)
    }

    /// What is known of it.
    pub(super) fn metrics(&self) -> PathMetrics {
        PathMetrics {
            is_up: self.liveness.is_up(),
            is_spare: false,
            is_slow: false,
            sent: Octets::ZERO,
            received: Octets::ZERO,
            loss: self.received.loss(),
            round_trip: self.smoothed,
            mtu: Octets::new(self.mtu.current().into()),
            rate: self.pace.rate(),
            delivery_rate: self.sent.delivery_rate(),
            slowed_from: self.slowed_from(),
            carries: self.shortfall.carries(),
            found: self.automatic.as_ref().map(Automatic::found),
        }
    }
}

/// What finds the rate, where it is to be found.
fn automatic(rate: Rate) -> Option<Automatic> {
    match rate {
        Rate::Automatic(bounds) => Some(Automatic::new(bounds)),
        Rate::Fixed(_) | Rate::Unpaced => None,
    }
}

/// A search for the MTU at a rate.
fn search(config: &Config, rate: Option<BitRate>) -> MtuSearch {
    let (least, most) = (config.mtu_least.get(), config.mtu_most.get());
    MtuSearch::new(least, most, rate.is_some_and(|rate| rate.time_to_send(Octets::new(most.into())) > LONG))
}
