//! One connection as the access point sees it: what it does with a segment that passes, with an acknowledgement that
//! comes back, and when nothing comes back. The rules are ns-2's (`tcp/snoop.cc`, there since 1997), told in octets.
//!
//! ```text
//!     server            access point                client
//!       |--- 1 2 3 4 5 -----> |--- 1 x 3 4 5 ---------> |
//!       | <------- ACK 2 ---- | <-------------- ACK 2 - |   new data: passed, 1 leaves the cache
//!       | <------- ACK 2 ---- | <-------------- ACK 2 - |   first duplicate (from 3): passed
//!       |                     | <-------------- ACK 2 - |   second (from 4): 2 is in the cache ...
//!       |                     |---- 2 ----------------> |   ... and goes out again; withheld
//!       |                     | <-------------- ACK 2 - |   third (from 5): expected, withheld
//!       | <------- ACK 6 ---- | <-------------- ACK 6 - |   new data: passed
//! ```

use super::cache::{Cache, Cached, Number, Place};
use super::config::{Config, Estimator};
use arqway_arq::{Arithmetic, RoundTrip};
use arqway_ip::Segment;
use arqway_units::{Span, Time};
use bytes::Bytes;

/// What becomes of an acknowledgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It goes on to the server.
    Pass,
    /// The server is not to see it: what it asks for is under way from here.
    Withhold,
    /// The same, and this packet goes out again now.
    Resend(Bytes),
}

/// What the access point knows of a connection.
#[derive(Debug)]
pub(super) struct Connection {
    cache: Cache,
    /// The highest acknowledgement number that came back.
    acknowledged: Option<Number>,
    window: u16,
    /// How many duplicates the segments in the cache will cause (`expDupacks_` in ns-2). Below zero there were more than
    /// could be explained.
    expected: i64,
    /// The first segment of the cache was sent again and is not counted there (`expNextAck_` in ns-2). Before that ns-2
    /// counts it, though it is the one that is missing: one duplicate too many is withheld.
    first_resent: bool,
    /// Duplicates seen that nobody expected, below the threshold. As in ns-2, new data does not clear it.
    duplicates: u32,
    /// The number behind the server's FIN.
    finish: Option<Number>,
    round_trip: RoundTrip,
    deadline: Option<Time>,
    /// When a packet of it passed last.
    pub(super) heard: Time,
}

impl Connection {
    pub(super) fn new(config: &Config, now: Time) -> Self {
        Self {
            cache: Cache::default(),
            acknowledged: None,
            window: 0,
            expected: 0,
            first_resent: false,
            duplicates: 0,
            finish: None,
            round_trip: round_trip(&config.estimator),
            deadline: None,
            heard: now,
        }
    }

    /// Becomes a connection of which nothing is known, in the memory of this one.
    pub(super) fn renew(&mut self, config: &Config, now: Time) {
        self.start_over();
        self.duplicates = 0;
        self.round_trip = round_trip(&config.estimator);
        self.heard = now;
    }

    /// A SYN begins the numbers anew. What is known of the way to the client still holds.
    pub(super) fn start_over(&mut self) {
        self.cache.clear();
        self.acknowledged = None;
        self.expected = 0;
        self.first_resent = false;
        self.finish = None;
        self.deadline = None;
    }

    /// A segment with data passes on its way to the client.
    pub(super) fn data(&mut self, segment: &Segment, packet: &Bytes, config: &Config, now: Time) {
        if segment.syn {
            self.start_over();
        }
        let start = self.cache.number(segment.sequence);
        let end = start + u64::from(segment.length);
        if segment.fin {
            self.finish = Some(end);
        }
        if self.cache.len() >= config.cache.get() {
            self.cache.pass(start, end);
            return;
        }
        let place = self.cache.insert(Cached::new(start, end, packet.clone(), now), self.acknowledged);
        if place == Place::Again {
            self.first_resent = false;
            self.deadline = None;
        }
        if self.deadline.is_none() && !self.cache.is_empty() {
            self.start_timer(config, now);
        }
    }

    /// An acknowledgement comes back. `room` says whether a packet more may wait for the line; `shared` is the counter
    /// that connections share, if they do.
    pub(super) fn acknowledge(
        &mut self,
        segment: &Segment,
        shared: Option<&mut u32>,
        room: bool,
        config: &Config,
        now: Time,
    ) -> Verdict {
        let Some(wire) = segment.acknowledgement else { return Verdict::Pass };
        let number = self.cache.number(wire);
        let window = core::mem::replace(&mut self.window, segment.window);
        if !self.cache.has_seen(number) || self.acknowledged.is_some_and(|acknowledged| number < acknowledged) {
            // Of data that did not pass here, or overtaken by a newer one.
            return Verdict::Pass;
        }
        if self.acknowledged != Some(number) {
            self.acknowledge_new(number, config, now);
            return Verdict::Pass;
        }
        if segment.length > 0 || segment.window != window {
            // Data of the client's own or an update of its window: no duplicate (RFC 5681 §2).
            return Verdict::Pass;
        }
        self.duplicate(number, shared, room, config, now)
    }

    fn acknowledge_new(&mut self, number: Number, config: &Config, now: Time) {
        let cleaned = self.cache.clean(number);
        self.deadline = None;
        if !self.cache.is_empty() {
            // With the estimate as it was: the sample counts from the next timer on.
            self.start_timer(config, now);
        }
        if let Some(cleaned) = cleaned {
            let sample = now.since(cleaned.sent_at);
            if sample > Span::ZERO {
                self.round_trip.sample(Arithmetic::Float.ticks(sample));
            }
        }
        self.expected = 0;
        self.first_resent = false;
        self.acknowledged = Some(number);
    }

    fn duplicate(
        &mut self,
        number: Number,
        shared: Option<&mut u32>,
        room: bool,
        config: &Config,
        now: Time,
    ) -> Verdict {
        let Some(first) = self.cache.first() else { return Verdict::Pass };
        if first.start > number {
            // What is missing never came from the server: congestion, and the server's to deal with.
            return Verdict::Pass;
        }
        let (by_sender, resent) = (first.by_sender, first.resent);
        match self.expected {
            0 => {
                let threshold = config.duplicate_threshold.get();
                let counter = shared.unwrap_or(&mut self.duplicates);
                *counter += 1;
                if *counter < threshold {
                    return Verdict::Pass;
                }
                *counter = 0;
                if by_sender {
                    return Verdict::Pass;
                }
                self.begin_repair(resent > 0, room, config, now)
            }
            1.. => {
                self.expected -= 1;
                Verdict::Withhold
            }
            -1 if resent < 2 => self.resend(room, config, now),
            _ => Verdict::Pass,
        }
    }

    /// The duplicates have reached the threshold: the first segment goes out again, if it has not yet, and as many more
    /// are expected as its neighbours will cause.
    fn begin_repair(&mut self, is_under_way: bool, room: bool, config: &Config, now: Time) -> Verdict {
        let verdict = if is_under_way { Verdict::Pass } else { self.resend(room, config, now) };
        if verdict == Verdict::Pass && !is_under_way {
            // It could not be sent: the server is to hear of all of them.
            return verdict;
        }
        let will_cause = self.cache.len() - usize::from(self.first_resent);
        self.expected = i64::try_from(will_cause).unwrap_or(i64::MAX) - i64::from(config.duplicate_threshold.get());
        self.first_resent = true;
        verdict
    }

    /// Sends the first segment again, unless that was done often enough or the line's queue is full already.
    fn resend(&mut self, room: bool, config: &Config, now: Time) -> Verdict {
        let Some(first) = self.cache.first_mut().filter(|first| room && first.resent < config.retransmissions) else {
            return Verdict::Pass;
        };
        first.resent += 1;
        first.sent_at = now;
        let packet = first.packet.clone();
        self.start_timer(config, now);
        Verdict::Resend(packet)
    }

    /// Acts on a deadline that has come: the packet to send again, if any.
    pub(super) fn handle_timeout(&mut self, room: bool, config: &Config, now: Time) -> Option<Bytes> {
        if self.deadline.is_none_or(|deadline| deadline > now) {
            return None;
        }
        self.deadline = None;
        let first = self.cache.first()?;
        if self.acknowledged.is_some_and(|acknowledged| first.start > acknowledged) {
            // The client waits for something that is not here.
            return None;
        }
        if !room {
            self.start_timer(config, now);
            return None;
        }
        let Verdict::Resend(packet) = self.resend(room, config, now) else { return None };
        self.first_resent = true;
        Some(packet)
    }

    /// When something is to be done: send again, or forget what nobody asks for any more.
    pub(super) fn deadline(&self, config: &Config) -> Option<Time> {
        let forget = (!self.cache.is_empty()).then(|| self.heard + config.forget_after);
        [self.deadline, forget].into_iter().flatten().min()
    }

    /// Whether it has been silent for so long that its hosts may have forgotten it too.
    pub(super) fn is_forgotten(&self, config: &Config, now: Time) -> bool {
        now.since(self.heard) >= config.forget_after
    }

    /// Whether the client has all that the server will ever send.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some() && self.acknowledged >= self.finish
    }

    /// How many segments are kept.
    #[cfg(test)]
    pub(super) fn cached(&self) -> usize {
        self.cache.len()
    }

    fn start_timer(&mut self, config: &Config, now: Time) {
        let seconds = self.round_trip.timeout(1.0, 4.0) * Arithmetic::Float.tick().as_seconds();
        self.deadline = Some(now + Span::from_seconds(seconds).max(config.estimator.floor));
    }
}

fn round_trip(estimator: &Estimator) -> RoundTrip {
    let [srtt, srttvar] = [estimator.initial_srtt, estimator.initial_srttvar].map(|span| Arithmetic::Float.ticks(span));
    RoundTrip::new(estimator.smoothing(), srtt, srttvar)
}
