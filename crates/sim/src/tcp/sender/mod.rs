//! TCP's sending half, sans-IO: acknowledgements and timeouts in, packet numbers out.
//!
//! What is here and in `recovery.rs` is Reno and NewReno; with selective acknowledgements `selective/` takes over what an
//! acknowledgement and a timeout do. How the window grows and shrinks is asked of `congestion.rs` by both.
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

mod congestion;
mod cubic;
mod freeze;
mod measured;
mod pacing;
mod recovery;
mod selective;
mod state;
#[cfg(test)]
mod tests;
mod timeout;

use super::acknowledgement::Acknowledgement;
use super::settings::Settings;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use arqway_link::{RoundTrip, Smoothing};
use arqway_units::{Span, Time, ToFloat, truncate};
use cubic::Cubic;
use measured::Measured;
use pacing::Pacer;
use selective::Selective;

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
    /// How the window follows CUBIC, if it does, and whether all of it was used when something went out last.
    cubic: Option<Cubic>,
    window_is_used: bool,
    /// What is known of each packet, with selective acknowledgements.
    selective: Option<Box<Selective>>,
}

impl Sender {
    /// A sender of `packets` data packets; `clock_phase` is how far into its tick the clock stands at time zero.
    #[must_use]
    pub fn new(settings: Settings, packets: u64, clock_phase: Span) -> Self {
        let measured = Measured::new(settings.maximum_window);
        let selective = Selective::of(&settings, None);
        Self::with_memory(settings, packets, clock_phase, VecDeque::with_capacity(32), measured, selective)
    }

    /// Becomes the sender of another connection, in the same memory.
    pub(crate) fn restart(&mut self, settings: Settings, packets: u64, clock_phase: Span) {
        let mut outgoing = core::mem::take(&mut self.outgoing);
        outgoing.clear();
        let mut measured = core::mem::take(&mut self.measured);
        measured.restart(settings.maximum_window);
        let selective = Selective::of(&settings, self.selective.take());
        *self = Self::with_memory(settings, packets, clock_phase, outgoing, measured, selective);
    }

    fn with_memory(
        settings: Settings,
        packets: u64,
        clock_phase: Span,
        outgoing: VecDeque<Transmission>,
        measured: Measured,
        selective: Option<Box<Selective>>,
    ) -> Self {
        let initial_window = f64::from(settings.initial_window);
        let end = i64::try_from(packets).unwrap_or(i64::MAX - 1) + i64::from(settings.handshake);
        let deviation = ticks(Span::from_seconds(INITIAL_DEVIATION_SECONDS), settings.tick).to_f64();
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
            cubic: Cubic::of(&settings),
            window_is_used: false,
            selective,
        }
    }

    /// Begins to send.
    pub fn start(&mut self, now: Time) {
        self.send_what_fits(u32::MAX, self.clock(now));
    }

    /// Sends so many packets more on a connection that is kept. If nothing was under way for longer than a retransmission
    /// timeout, the window says nothing about the path any more, and begins anew (RFC 5681 §4.1).
    pub fn send_more(&mut self, packets: u64, now: Time) {
        let now = self.clock(now);
        self.end = self.end.saturating_add(i64::try_from(packets).unwrap_or(i64::MAX));
        if self.idle_until.take().is_some_and(|until| until < now) {
            self.restart_window();
        }
        self.send_what_fits(u32::MAX, now);
    }

    /// Takes an acknowledgement of everything up to and with packet `number`.
    pub fn handle_acknowledgement(&mut self, number: i64, now: Time) {
        self.take_acknowledgement(&Acknowledgement::of(number), now);
    }

    /// Takes an acknowledgement, with the blocks that it tells of.
    pub fn take_acknowledgement(&mut self, told: &Acknowledgement, now: Time) {
        let now = self.clock(now);
        if let Some(mut selective) = self.selective.take() {
            self.take_selective(&mut selective, told, now);
            self.selective = Some(selective);
            return;
        }
        let number = told.number;
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
        let packets = number - self.acknowledged;
        self.acknowledged = number;
        self.next = self.next.max(number + 1);
        if let Some((timed, sent)) = self.timed
            && number >= timed
        {
            self.timed = None;
            self.take_sample(sent, now);
        }
        self.start_timer(now);
        self.open_window(packets, now);
        if number == 0 && self.settings.handshake {
            self.window = self.initial_window;
        }
        self.rest_if_finished(now);
    }

    /// With nothing outstanding no timer runs, and the window is not used.
    fn rest_if_finished(&mut self, now: Time) {
        if self.is_finished() {
            self.idle_until = self.timer.take();
            if let Some(cubic) = &mut self.cubic {
                cubic.leave_unused(now);
            }
        }
    }

    /// Whether the window allows the next packet, and there is one.
    fn fits(&self) -> bool {
        self.next <= self.acknowledged + self.usable_window() && self.next < self.end
    }

    fn usable_window(&self) -> i64 {
        let inflated = libm::floor(self.window) + f64::from(self.inflation);
        whole_packets(inflated.min(f64::from(self.settings.maximum_window)))
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
        let of_selective = self.selective.as_ref().and_then(|selective| selective.poll_timeout());
        let sooner = |one: Option<Time>, other: Option<Time>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        sooner(sooner(self.timer, self.pacer.poll_timeout()), of_selective)
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

/// The packets that fit into a window, which may hold a part of one more.
fn whole_packets(window: f64) -> i64 {
    i64::try_from(truncate(window)).unwrap_or(i64::MAX)
}

fn ticks(span: Span, tick: Span) -> i64 {
    i64::try_from(span.as_nanoseconds() / tick.as_nanoseconds().max(1)).unwrap_or(i64::MAX)
}
