//! RACK: a packet is lost when another one has arrived that was sent sufficiently later (RFC 8985 §6).
//!
//! ```text
//!     sent      1  2  3  4               1' (again)
//!     arrives         3                  within the reordering window: 1 and 2 may still come
//!                        |-- window --|  over: 1 and 2 are lost
//! ```
//!
//! It goes by time and not by count, so it sees lost copies and lost tails too, and is not misled where packets overtake.
//! The window is a quarter of the shortest round trip; none once three packets have arrived, or in recovery, until
//! reordering was seen; longer by a quarter for each round trip in which a packet was sent again in vain (D-SACK).
//!
//! | here | RFC 8985 §5.3 |
//! | --- | --- |
//! | `newest` | RACK.xmit_ts and RACK.end_seq, of RACK.segment |
//! | `round_trip`, `shortest` | RACK.rtt, RACK.min_RTT; the shortest of all (§6.2 step 1 allows that) |
//! | `highest`, `reordering_seen` | RACK.fack, RACK.reordering_seen |
//! | `quarters`, `persists`, `round` | RACK.reo_wnd_mult, RACK.reo_wnd_persist, RACK.dsack_round |

use super::scoreboard::{DUPLICATE_THRESHOLD, Delivered, Scoreboard};
use alloc::collections::VecDeque;
use arqway_units::{Span, Time};

/// For how many recoveries a longer window stays (§6.2 step 4).
const PERSISTS: u32 = 16;

/// The state of §5.3.
#[derive(Debug)]
pub(super) struct Rack {
    newest: Option<(Time, i64)>,
    round_trip: Span,
    shortest: Option<Span>,
    highest: i64,
    reordering_seen: bool,
    quarters: u64,
    persists: u32,
    round: Option<i64>,
    /// When packets will be lost that are not yet (the reordering timer, step 5).
    due: Option<Time>,
    log: Log,
}

/// Transmissions in the order in which they went out; entries of packets that have arrived or went out again are stale.
#[derive(Debug, Default)]
struct Log(VecDeque<(Time, i64)>);

impl Log {
    fn is_stale(board: &Scoreboard, (sent, number): (Time, i64)) -> bool {
        board
            .get(number)
            .is_none_or(|segment| segment.arrived || segment.sent != sent || (segment.lost && !segment.copied))
    }

    /// A packet goes out. Stale entries leave when they are at the front, or when they are the most.
    fn add(&mut self, board: &Scoreboard, sent: Time, number: i64) {
        let outstanding = usize::try_from(board.end() - board.first()).unwrap_or(0);
        if self.0.len() > 2 * outstanding + 16 {
            self.0.retain(|entry| !Self::is_stale(board, *entry));
        }
        self.0.push_back((sent, number));
    }

    fn drop_stale(&mut self, board: &Scoreboard) {
        while self.0.front().is_some_and(|entry| Self::is_stale(board, *entry)) {
            self.0.pop_front();
        }
    }
}

/// What the reordering window depends on beside RACK's own state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    /// The packets up to this one are acknowledged, and those up to that one are sent.
    pub(super) acknowledged: i64,
    pub(super) sent: i64,
    /// The acknowledgement reported a packet that came twice.
    pub(super) came_twice: bool,
    /// A recovery goes on, or has just come to its end.
    pub(super) in_recovery: bool,
    pub(super) leaves_recovery: bool,
    pub(super) smoothed: Option<Span>,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            newest: None,
            round_trip: Span::ZERO,
            shortest: None,
            highest: -1,
            reordering_seen: false,
            quarters: 1,
            persists: 0,
            round: None,
            due: None,
            log: Log::default(),
        }
    }
}

impl Rack {
    /// Another connection begins, in the same memory.
    pub(super) fn clear(&mut self) {
        let mut log = core::mem::take(&mut self.log);
        log.0.clear();
        *self = Self { log, ..Self::default() };
    }

    /// When `detect` is due again.
    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    /// A packet goes out.
    pub(super) fn send(&mut self, board: &Scoreboard, number: i64, now: Time) {
        self.log.add(board, now, number);
    }

    /// A packet has arrived that was not reported before (steps 1 to 3).
    pub(super) fn deliver(&mut self, delivered: Delivered, now: Time) {
        let Delivered { number, sent, again } = delivered;
        let round_trip = now.since(sent);
        if again {
            // Sooner than any round trip: it was the original that arrived.
            if self.shortest.is_some_and(|shortest| round_trip < shortest) {
                return;
            }
        } else {
            self.shortest = Some(self.shortest.map_or(round_trip, |shortest| shortest.min(round_trip)));
            self.reordering_seen |= number < self.highest;
        }
        self.highest = self.highest.max(number);
        if self.newest.is_none_or(|newest| newest < (sent, number)) {
            self.newest = Some((sent, number));
            self.round_trip = round_trip;
        }
    }

    /// An acknowledgement has come: how much later than the round trip a packet may arrive (step 4).
    pub(super) fn window(&mut self, board: &Scoreboard, around: Surroundings) -> Span {
        if self.round.is_some_and(|round| around.acknowledged >= round) {
            self.round = None;
        }
        if self.round.is_none() && around.came_twice {
            self.round = Some(around.sent);
            self.quarters += 1;
            self.persists = PERSISTS;
        } else if around.leaves_recovery {
            self.persists = self.persists.saturating_sub(1);
            if self.persists == 0 {
                self.quarters = 1;
            }
        }
        if !self.reordering_seen && (around.in_recovery || board.arrived() >= DUPLICATE_THRESHOLD) {
            return Span::ZERO;
        }
        let shortest = self.shortest.unwrap_or(Span::ZERO);
        let window = Span::from_nanoseconds(shortest.as_nanoseconds().saturating_mul(self.quarters) / 4);
        around.smoothed.map_or(window, |smoothed| window.min(smoothed))
    }

    /// Takes for lost what was sent before something that has arrived, and should have arrived by now; and says when it
    /// will know more (step 5).
    pub(super) fn detect(&mut self, board: &mut Scoreboard, window: Span, now: Time) {
        self.due = None;
        self.log.drop_stale(board);
        let Some(newest) = self.newest else { return };
        for entry in &self.log.0 {
            let (sent, number) = *entry;
            if sent > newest.0 {
                break;
            }
            if *entry >= newest || Log::is_stale(board, *entry) {
                continue;
            }
            let until = sent + self.round_trip + window;
            if until <= now {
                board.lose(number);
            } else {
                self.due = Some(until);
            }
        }
    }

    /// The retransmission timer has expired: what was sent only a short while ago is not lost yet (§6.3).
    pub(super) fn time_out(&mut self, board: &mut Scoreboard, window: Span, now: Time) {
        self.due = None;
        for number in board.first()..board.end() {
            let is_overdue = |sent: Time| sent + self.round_trip + window <= now;
            if board.get(number).is_some_and(|segment| number == board.first() || is_overdue(segment.sent)) {
                board.lose(number);
            }
        }
    }

    /// The sender's clock stood still for so long.
    pub(super) fn stand_still(&mut self, length: Span) {
        self.log.0.iter_mut().for_each(|(sent, _)| *sent += length);
        self.newest = self.newest.map(|(sent, number)| (sent + length, number));
        self.due = self.due.map(|due| due + length);
    }
}
