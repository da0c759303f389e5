//! Recovery with selective acknowledgements (RFC 2018): what goes out is decided by how many packets are in the network, and
//! by what is known of each of them. `scoreboard.rs` is that knowledge, `rack.rs` and `probe.rs` are RACK-TLP.
//!
//! ```text
//!     acknowledgement --> scoreboard --> what is lost --> recovery begins, goes on, or ends --> what fits goes out
//!                                         RFC 6675: three packets behind it have arrived
//!                                         RFC 8985: one sent sufficiently later has, or the probe's turn has come
//! ```
//!
//! | state | left when | meanwhile |
//! | --- | --- | --- |
//! | open | something is lost | the window grows |
//! | fast recovery | everything is acknowledged that was sent when the loss was seen (`recover`) | the window stays as the loss left it |
//! | after a timeout | the same | slow start; losses shrink nothing further (RFC 6675 §5.1) |
//!
//! Where the RFCs leave a choice: what blocks reported is kept over a timeout, since the receiver never drops what it has (RFC
//! 2018 §8 fears that it may); the timer starts anew also when the first packet that is missing goes out again (RFC 6675 §6);
//! every packet that was sent once and arrives gives a sample of the round trip, without time stamps.
//!
//! This is another sender inside the same one: timer, window, samples and pace are shared, the answers to acknowledgements and
//! timeouts are not, and Reno pays one comparison. Its counts are updated and never recomputed, and RACK finds late packets in
//! a queue of transmissions in their order, so a long window costs no more than a short one.

mod probe;
mod rack;
mod recovery;
mod scoreboard;
mod sending;
#[cfg(test)]
mod tests;

use crate::tcp::acknowledgement::{Acknowledgement, Blocks};
use crate::tcp::settings::{Acknowledgements, Settings, Variant};
use alloc::boxed::Box;
use arqway_units::{Span, Time};
use probe::Probe;
use rack::Rack;
use scoreboard::{Delivered, Scoreboard, packets};

/// What a sender knows beside what every sender knows.
#[derive(Debug)]
pub(super) struct Selective {
    state: State,
    board: Scoreboard,
    /// The highest packet sent again in this recovery (HighRxt).
    highest_again: i64,
    /// Beyond this one another rescue retransmission may go out (RescueRxt).
    rescue: i64,
    /// The highest packet acknowledged when the timer expired last.
    timed_out_at: Option<i64>,
    /// Absent where the count of packets that have arrived decides (RFC 6675).
    time: Option<ByTime>,
    /// How long the receiver may keep an acknowledgement.
    receiver_delay: Span,
}

/// RACK-TLP.
#[derive(Debug, Default)]
struct ByTime {
    rack: Rack,
    probe: Probe,
    /// The highest packets acknowledged and sent when the probe's timer was set.
    reached: (i64, i64),
}

impl ByTime {
    /// Knows nothing, in the same memory.
    fn restarted(mut self) -> Self {
        self.rack.clear();
        Self { rack: self.rack, probe: Probe::default(), reached: (-1, -1) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Fast,
    AfterTimeout,
}

/// What an acknowledgement tells for the first time.
#[derive(Debug, Default)]
struct News {
    /// How many packets it acknowledges, and of how many its blocks tell.
    acknowledged: i64,
    arrived: i64,
    /// When a packet went out, and only once, of which it tells: the first of those acknowledged, or of those in blocks.
    timed: Option<Time>,
}

impl Selective {
    /// For a sender whose settings want it, in the memory of the last one if there is one.
    pub(super) fn of(settings: &Settings, memory: Option<Box<Self>>) -> Option<Box<Self>> {
        if !settings.variant.is_selective() {
            return None;
        }
        let mut selective = memory.unwrap_or_else(|| Box::new(Self::new(Scoreboard::default(), None)));
        let mut board = core::mem::take(&mut selective.board);
        board.clear();
        let time = selective.time.take().map(ByTime::restarted);
        let wants_time = settings.variant == Variant::RackTlp;
        let time = time.filter(|_| wants_time).or_else(|| wants_time.then(|| ByTime::default().restarted()));
        *selective = Self::new(board, time);
        if let Acknowledgements::Delayed(delayed) = settings.acknowledgements {
            selective.receiver_delay = delayed.delay;
        }
        Some(selective)
    }

    fn new(board: Scoreboard, time: Option<ByTime>) -> Self {
        let (highest_again, rescue) = (-1, -1);
        let (state, timed_out_at, receiver_delay) = (State::Open, None, Span::ZERO);
        Self { state, board, highest_again, rescue, timed_out_at, time, receiver_delay }
    }

    /// Takes down what an acknowledgement tells.
    fn note(&mut self, told: &Acknowledgement, now: Time) -> News {
        let Self { board, time, .. } = self;
        let mut news = News { acknowledged: (told.number + 1 - board.first()).max(0), ..News::default() };
        let mut take = |delivered: Delivered| {
            if !delivered.again && news.timed.is_none() {
                news.timed = Some(delivered.sent);
            }
            if let Some(time) = time {
                time.rack.deliver(delivered, now);
            }
        };
        board.acknowledge(told.number, &mut take);
        // From the lowest on: the order in which packets came that are reported at once is unknown.
        let mut blocks: Blocks = told.arrived().iter().copied().collect();
        blocks.sort();
        let before = board.arrived();
        for block in blocks.as_slice() {
            board.arrive(*block, &mut take);
        }
        news.arrived = packets(board.arrived() - before);
        news
    }

    /// The soonest of its deadlines.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let ByTime { rack, probe, .. } = self.time.as_ref()?;
        match (rack.due(), probe.due()) {
            (Some(rack), Some(probe)) => Some(rack.min(probe)),
            (rack, probe) => rack.or(probe),
        }
    }

    /// The sender's clock stood still for so long.
    pub(super) fn stand_still(&mut self, length: Span) {
        self.board.stand_still(length);
        if let Some(ByTime { rack, probe, .. }) = &mut self.time {
            rack.stand_still(length);
            probe.stand_still(length);
        }
    }
}
