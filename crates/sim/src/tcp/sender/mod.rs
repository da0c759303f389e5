//! Reno's sending half, sans-IO: acknowledgements and timeouts in, packet numbers out.
//!
//! Numbers count packets as ns-2 counts them: with a handshake the SYN is packet 0 and data start at 1; without one data
//! start at 0. So that every rule can be read beside RFC 5681 and ns-2's `tcp.cc`, the state has these names:
//!
//! | here | ns-2 | |
//! | --- | --- | --- |
//! | `acknowledged` | `highest_ack_` | highest packet acknowledged; -1 at first |
//! | `next` | `t_seqno_` | next packet to send; a timeout sets it back |
//! | `highest_sent` | `maxseq_` | |
//! | `recover` | `recover_` | highest packet sent when the last loss was seen |
//! | `inflation` | `dupwnd_` | what duplicate acknowledgements add during fast recovery |

mod freeze;
#[cfg(test)]
mod tests;

use super::settings::Settings;
use alloc::collections::VecDeque;
use arqway_link::{RoundTrip, Smoothing};
use arqway_units::{Span, Time};

/// The third duplicate acknowledgement is a loss (RFC 5681 §3.2).
const DUPLICATE_THRESHOLD: u32 = 3;
/// The deviation before the first sample, in seconds, and the backoff from which the smoothed time is distrusted: BSD's.
const INITIAL_DEVIATION_SECONDS: f64 = 12.0;
const DISTRUST_BACKOFF: u32 = 8;
const DOUBLING_LIMIT: u32 = 64;

/// A packet that goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transmission {
    /// Which one.
    pub number: i64,
    /// Whether it was sent before.
    pub again: bool,
}

/// One end of a connection that sends a file of so many packets.
#[derive(Debug)]
pub struct Sender {
    settings: Settings,
    clock_phase: Span,
    /// One past the last packet.
    end: i64,
    acknowledged: i64,
    next: i64,
    highest_sent: i64,
    window: f64,
    threshold: f64,
    initial_window: f64,
    has_lost_start: bool,
    duplicates: u32,
    inflation: u32,
    recover: i64,
    /// The last thing that cut the window was a fast retransmission whose acknowledgement is still awaited.
    in_fast_recovery: bool,
    round_trip: RoundTrip,
    timed: Option<(i64, Time)>,
    has_sample: bool,
    backoff: u32,
    timer: Option<Time>,
    /// When all was acknowledged, and nothing more to send: until when the window is still trusted.
    idle_until: Option<Time>,
    timeouts: u64,
    /// Since when it stands still, if it does.
    frozen: Option<Time>,
    outgoing: VecDeque<Transmission>,
}

impl Sender {
    /// A sender of `packets` data packets; `clock_phase` is how far into its tick the clock stands at time zero.
    #[must_use]
    pub fn new(settings: Settings, packets: u64, clock_phase: Span) -> Self {
        Self::with_room(settings, packets, clock_phase, VecDeque::with_capacity(32))
    }

    /// Becomes the sender of another connection, in the same memory.
    pub(crate) fn restart(&mut self, settings: Settings, packets: u64, clock_phase: Span) {
        let mut outgoing = core::mem::take(&mut self.outgoing);
        outgoing.clear();
        *self = Self::with_room(settings, packets, clock_phase, outgoing);
    }

    fn with_room(settings: Settings, packets: u64, clock_phase: Span, outgoing: VecDeque<Transmission>) -> Self {
        let initial_window = f64::from(settings.initial_window);
        let end = i64::try_from(packets).unwrap_or(i64::MAX - 1) + i64::from(settings.handshake);
        let deviation = ticks(Span::from_seconds(INITIAL_DEVIATION_SECONDS), settings.tick) as f64;
        Self {
            settings,
            clock_phase,
            end,
            acknowledged: -1,
            next: 0,
            highest_sent: -1,
            // A SYN goes out alone; the window opens with its acknowledgement.
            window: if settings.handshake { 1.0 } else { initial_window },
            threshold: f64::from(settings.maximum_window),
            initial_window,
            has_lost_start: false,
            duplicates: 0,
            inflation: 0,
            recover: -1,
            in_fast_recovery: false,
            round_trip: RoundTrip::new(Smoothing::TCP, 0.0, deviation),
            timed: None,
            has_sample: false,
            backoff: 1,
            timer: None,
            idle_until: None,
            timeouts: 0,
            frozen: None,
            outgoing,
        }
    }

    /// Begins to send.
    pub fn start(&mut self, now: Time) {
        self.send_what_fits(self.clock(now));
    }

    /// Sends so many packets more on a connection that is kept. If nothing was under way for longer than a retransmission
    /// timeout, the window says nothing about the path any more: it begins with one packet (RFC 5681 §4.1; one packet is
    /// ns-2's choice).
    pub fn send_more(&mut self, packets: u64, now: Time) {
        let now = self.clock(now);
        self.end = self.end.saturating_add(i64::try_from(packets).unwrap_or(i64::MAX));
        if self.idle_until.take().is_some_and(|until| until < now) {
            self.window = 1.0;
        }
        self.send_what_fits(now);
    }

    /// Takes an acknowledgement of everything up to and with packet `number`.
    pub fn handle_acknowledgement(&mut self, number: i64, now: Time) {
        let now = self.clock(now);
        if number > self.acknowledged {
            self.handle_new_acknowledgement(number, now);
        } else if number == self.acknowledged {
            self.handle_duplicate(now);
        } else {
            return; // Older than what is known: it allows nothing.
        }
        if self.duplicates == 0 || self.duplicates >= DUPLICATE_THRESHOLD {
            self.send_what_fits(now);
        }
    }

    fn handle_new_acknowledgement(&mut self, number: i64, now: Time) {
        self.in_fast_recovery = false;
        self.inflation = 0;
        self.duplicates = 0;
        self.acknowledged = number;
        self.next = self.next.max(number + 1);
        if let Some((timed, sent)) = self.timed
            && number >= timed
        {
            self.timed = None;
            self.backoff = 1;
            self.has_sample = true;
            self.round_trip.sample(self.ticks_between(sent, now) as f64);
        }
        self.start_timer(now);
        self.open_window();
        if number == 0 && self.settings.handshake {
            self.window = self.initial_window;
        }
        if self.is_finished() {
            self.idle_until = self.timer.take();
        }
    }

    fn open_window(&mut self) {
        self.window += if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
    }

    fn handle_duplicate(&mut self, now: Time) {
        self.duplicates += 1;
        if self.duplicates == DUPLICATE_THRESHOLD {
            self.retransmit_fast(now);
        } else if self.duplicates > DUPLICATE_THRESHOLD {
            // ns-2 inflates only in a recovery of its own making.
            self.inflation += u32::from(self.in_fast_recovery);
        } else if self.settings.limited_transmit {
            self.send_one_more(now);
        }
    }

    /// Halves the window and sends the missing packet, once for each window of losses.
    fn retransmit_fast(&mut self, now: Time) {
        let only_the_handshake = self.settings.handshake && self.acknowledged == 0;
        let seen_before = self.acknowledged <= self.recover && !self.in_fast_recovery && !only_the_handshake;
        if seen_before || self.is_finished() {
            return;
        }
        self.recover = self.highest_sent;
        self.in_fast_recovery = true;
        let half = self.half_window();
        self.threshold = libm::floor(half).max(2.0);
        self.window = half;
        self.timed = None;
        self.start_timer(now);
        self.send(self.acknowledged + 1, now);
        self.inflation = DUPLICATE_THRESHOLD;
    }

    fn half_window(&self) -> f64 {
        let most = f64::from(self.settings.maximum_window);
        let inflation = f64::from(self.inflation);
        if self.settings.exact_halving {
            (self.window + inflation).min(most) / 2.0
        } else {
            libm::floor((libm::floor(self.window) + inflation).min(most) / 2.0)
        }
    }

    /// Acts on an expired retransmission timer: back to the first unacknowledged packet with a window of one.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.is_frozen() {
            return;
        }
        self.inflation = 0;
        self.duplicates = 0;
        self.in_fast_recovery = false;
        self.timeouts += 1;
        self.recover = self.highest_sent;
        if self.acknowledged < 0 {
            // The first packet was lost: no larger start after that.
            self.has_lost_start = true;
            self.initial_window = 1.0;
        }
        self.threshold = libm::floor(self.half_window()).max(2.0);
        self.window = 1.0;
        self.back_off();
        self.timed = None;
        self.next = self.acknowledged + 1;
        self.start_timer(now);
        self.send_what_fits(now);
    }

    fn back_off(&mut self) {
        if self.backoff < DOUBLING_LIMIT || self.timeout() < self.settings.maximum_timeout {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if self.backoff > DISTRUST_BACKOFF {
            self.round_trip.distrust();
        }
    }

    /// The timeout now: the estimate, not below the minimum, doubled, not above the maximum.
    fn timeout(&self) -> Span {
        let estimate = if self.has_sample {
            // Whole ticks, and never negative.
            self.settings.tick * self.round_trip.timeout(1.0, 4.0) as u64
        } else {
            self.settings.initial_timeout
        };
        let doubled = estimate.max(self.settings.minimum_timeout) * u64::from(self.backoff);
        doubled.min(self.settings.maximum_timeout).max(self.settings.tick * 2)
    }

    fn start_timer(&mut self, now: Time) {
        self.timer = Some(now + self.timeout());
    }

    fn send_what_fits(&mut self, now: Time) {
        while self.next <= self.acknowledged + self.usable_window() && self.next < self.end {
            self.send(self.next, now);
            self.next += 1;
        }
    }

    /// Limited transmit: one new packet for each of the first duplicates, beyond the congestion window.
    fn send_one_more(&mut self, now: Time) {
        let allowed = libm::floor(self.window + f64::from(self.duplicates));
        let allowed = allowed.min(f64::from(self.settings.maximum_window)) as i64;
        if self.next <= self.acknowledged + allowed && self.next < self.end {
            self.send(self.next, now);
            self.next += 1;
        }
    }

    fn usable_window(&self) -> i64 {
        let inflated = libm::floor(self.window) + f64::from(self.inflation);
        inflated.min(f64::from(self.settings.maximum_window)) as i64
    }

    fn send(&mut self, number: i64, now: Time) {
        let nothing_outstanding = self.acknowledged == self.highest_sent;
        let again = number <= self.highest_sent;
        if !again {
            self.highest_sent = number;
            self.timed.get_or_insert((number, now));
        }
        if self.timer.is_none() || nothing_outstanding {
            self.start_timer(now);
        }
        self.outgoing.push_back(Transmission { number, again });
    }

    /// Whole clock ticks that passed between two moments.
    fn ticks_between(&self, from: Time, to: Time) -> i64 {
        let ticks_until = |time: Time| ticks(time.since(Time::ZERO) + self.clock_phase, self.settings.tick);
        ticks_until(to) - ticks_until(from)
    }

    /// The next packet to send.
    pub fn poll_transmission(&mut self) -> Option<Transmission> {
        if self.is_frozen() { None } else { self.outgoing.pop_front() }
    }

    /// When `handle_timeout` is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.is_frozen() { None } else { self.timer }
    }

    /// Whether everything is acknowledged.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.acknowledged >= self.end - 1
    }

    /// The highest packet acknowledged; -1 before the first.
    #[must_use]
    pub fn acknowledged(&self) -> i64 {
        self.acknowledged
    }

    /// The highest packet sent; -1 before the first.
    #[must_use]
    pub fn highest_sent(&self) -> i64 {
        self.highest_sent
    }

    /// How many data packets are acknowledged.
    #[must_use]
    pub fn packets_acknowledged(&self) -> u64 {
        u64::try_from(self.acknowledged + 1 - i64::from(self.settings.handshake)).unwrap_or(0)
    }

    /// How often the retransmission timer expired.
    #[must_use]
    pub fn timeouts(&self) -> u64 {
        self.timeouts
    }

    /// Whether the first packet had to be sent again, after which data begin with a window of one.
    #[must_use]
    pub fn has_lost_start(&self) -> bool {
        self.has_lost_start
    }

    /// How many data packets there are.
    pub(crate) fn packets(&self) -> u64 {
        u64::try_from(self.end - i64::from(self.settings.handshake)).unwrap_or(0)
    }

    /// The congestion window in packets.
    #[must_use]
    pub fn congestion_window(&self) -> f64 {
        self.window
    }

    /// The slow-start threshold in packets.
    #[must_use]
    pub fn slow_start_threshold(&self) -> f64 {
        self.threshold
    }

    /// How many duplicate acknowledgements came in a row.
    #[must_use]
    pub fn duplicate_acknowledgements(&self) -> u32 {
        self.duplicates
    }

    /// What the timeout is multiplied by.
    #[must_use]
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// The round-trip estimate, in ticks.
    #[must_use]
    pub fn round_trip(&self) -> &RoundTrip {
        &self.round_trip
    }
}

fn ticks(span: Span, tick: Span) -> i64 {
    i64::try_from(span.as_nanoseconds() / tick.as_nanoseconds().max(1)).unwrap_or(i64::MAX)
}
