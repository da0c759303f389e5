//! TCP's sending half, Reno or NewReno, sans-IO: acknowledgements and timeouts in, packet numbers out.
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
mod measured;
mod pacing;
mod recovery;
mod state;
#[cfg(test)]
mod tests;
mod timeout;

use super::settings::Settings;
use alloc::collections::VecDeque;
use arqway_link::{RoundTrip, Smoothing};
use arqway_units::{Span, Time};
use measured::Measured;
use pacing::Pacer;

/// The deviation before the first sample, in seconds: BSD's.
const INITIAL_DEVIATION_SECONDS: f64 = 12.0;

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
    /// An acknowledgement has come meanwhile that leaves NewReno in that recovery.
    has_seen_partial: bool,
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
    pacer: Pacer,
    measured: Measured,
}

impl Sender {
    /// A sender of `packets` data packets; `clock_phase` is how far into its tick the clock stands at time zero.
    #[must_use]
    pub fn new(settings: Settings, packets: u64, clock_phase: Span) -> Self {
        let measured = Measured::new(settings.maximum_window);
        Self::with_memory(settings, packets, clock_phase, VecDeque::with_capacity(32), measured)
    }

    /// Becomes the sender of another connection, in the same memory.
    pub(crate) fn restart(&mut self, settings: Settings, packets: u64, clock_phase: Span) {
        let mut outgoing = core::mem::take(&mut self.outgoing);
        outgoing.clear();
        let mut measured = core::mem::take(&mut self.measured);
        measured.restart(settings.maximum_window);
        *self = Self::with_memory(settings, packets, clock_phase, outgoing, measured);
    }

    fn with_memory(
        settings: Settings,
        packets: u64,
        clock_phase: Span,
        outgoing: VecDeque<Transmission>,
        measured: Measured,
    ) -> Self {
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
            has_seen_partial: false,
            round_trip: RoundTrip::new(Smoothing::TCP, 0.0, deviation),
            timed: None,
            has_sample: false,
            backoff: 1,
            timer: None,
            idle_until: None,
            timeouts: 0,
            frozen: None,
            outgoing,
            pacer: Pacer::default(),
            measured,
        }
    }

    /// Begins to send.
    pub fn start(&mut self, now: Time) {
        self.send_what_fits(u32::MAX, self.clock(now));
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
        self.send_what_fits(u32::MAX, now);
    }

    /// Takes an acknowledgement of everything up to and with packet `number`.
    pub fn handle_acknowledgement(&mut self, number: i64, now: Time) {
        let now = self.clock(now);
        if self.is_partial(number) {
            self.handle_partial_acknowledgement(number, now);
        } else if number > self.acknowledged {
            self.handle_new_acknowledgement(number, now);
        } else if number == self.acknowledged {
            self.handle_duplicate(now);
        } else {
            return; // Older than what is known: it allows nothing.
        }
        if !self.is_undecided() {
            self.send_what_fits(self.recovery_burst(), now);
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
            let ticks = self.ticks_between(sent, now);
            self.round_trip.sample(ticks as f64);
            self.measured.take_sample(self.settings.tick * u64::try_from(ticks).unwrap_or(0));
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

    /// Whether the window allows the next packet, and there is one.
    fn fits(&self) -> bool {
        self.next <= self.acknowledged + self.usable_window() && self.next < self.end
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
        self.keep_pace(now);
        self.outgoing.push_back(Transmission { number, again });
    }

    /// The next packet to send; none when all that goes out now has gone.
    pub fn poll_transmission(&mut self) -> Option<Transmission> {
        let next = if self.is_frozen() { None } else { self.outgoing.pop_front() };
        self.measured.follow(next);
        next
    }

    /// When `handle_timeout` is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.is_frozen() {
            return None;
        }
        match (self.timer, self.pacer.poll_timeout()) {
            (Some(timer), Some(pace)) => Some(timer.min(pace)),
            (timer, pace) => timer.or(pace),
        }
    }

    /// Whether everything is acknowledged.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.acknowledged >= self.end - 1
    }

    /// How many data packets there are.
    pub(crate) fn packets(&self) -> u64 {
        u64::try_from(self.end - i64::from(self.settings.handshake)).unwrap_or(0)
    }
}

fn ticks(span: Span, tick: Span) -> i64 {
    i64::try_from(span.as_nanoseconds() / tick.as_nanoseconds().max(1)).unwrap_or(i64::MAX)
}
