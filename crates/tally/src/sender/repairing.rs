//! When a repair frame goes out, of which frames it is the sum, and which lost frames wait for it.
//!
//! ```text
//!     frames     | 20  21  22  23  24  25  26 |                  the peer has told of 19
//!     lost                     x       x
//!     repairs                                 | +  +  +          then there was nothing else to send: sums of 20 to 26
//! ```
//!
//! When the peer tells that 23 and 25 are missing, repair frames are on their way, so both wait: they are sent again if the peer
//! still lacks them when it has had these.

use super::{self as sender, Fate, Outgoing, Sender};
use crate::below::What;
use crate::repair::coefficient;
use crate::repair::symbol::{self, Symbol};
use crate::wire::{self, IN_SUM, MOST_IN_SUM, Number, Repair};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_contract::{Counters, Frame, LineId};
use arqway_units::{Span, ToFloat, truncate};
use bytes::BytesMut;

/// As many frames can be worked out as are lost on average, and so many standard deviations more.
const MARGIN: f64 = 2.0;
/// Where a round trip takes no more than so many frames, what is lost is soon sent again.
const LEAST_ROUND_TRIP: u64 = 16;
/// A sum takes a processor some 0.7 us for each of its frames: it is of no more frames than so many for each second that a frame takes on
/// the line, which is a tenth of a processor where one frame in ten is a repair frame.
const FRAMES_PER_SECOND: f64 = 1.5e6;
/// A frame that is missing waits for so many repair frames.
const PATIENCE: u64 = 8;
/// So many frames wait for repair frames; what else is missing is sent again at once.
const MOST_WAITING: usize = 8;
/// Where so many of a sum's frames are lost, two standard deviations more are as many as can be worked out (`MOST_UNKNOWN`).
const MOST_LOST: f64 = 49.0;
/// How long a frame takes falls by this part with each shorter one.
const REMEMBERED: u64 = 32;
/// How much memory for sums is taken at once.
const SLAB: usize = 64 * 1024;

/// What is known of repair frames.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repairing {
    /// The peer has told of all frames before this one: they have arrived, or are missing.
    told: u64,
    /// Those that the peer has not told of, in the order in which they went out.
    sent: VecDeque<Sent>,
    /// How many it has told of.
    heard: u64,
    /// Frames that are missing, each of which a repair frame on its way may bring back.
    waiting: Vec<Waiting>,
    next: u64,
    /// The largest room of a frame so far: what fits into it beside the head of a sum is in one.
    room: usize,
    /// How long a frame takes on the line.
    frame_time: Span,
    slab: BytesMut,
}

/// A repair frame that the peer has not told of.
#[derive(Debug, Clone)]
struct Sent {
    serial: u64,
    first: u64,
    end: u64,
    /// Its transmission, once it has started.
    as_sent: Option<sender::Sent>,
}

/// A frame that is missing.
#[derive(Debug, Clone)]
struct Waiting {
    number: u64,
    /// Its transmission that was lost.
    last: sender::Sent,
    /// It waits until so many repair frames were told of.
    until: u64,
}

impl Repairing {
    /// A frame with data took so long on the line. The longest of the last ones count: a short one says little of the others.
    pub(crate) fn frame_took(&mut self, span: Span) {
        self.frame_time = span.max(self.frame_time - self.frame_time / REMEMBERED);
    }

    /// Whether frames take time on the line, as far as is known.
    pub(super) fn takes_time(&self) -> bool {
        self.frame_time > Span::ZERO
    }

    /// Whether there is a frame in this sum that the peer has not told of, or one that waits for it.
    pub(super) fn is_wanted(&self, serial: u64) -> bool {
        let Some(sent) = self.sent.iter().find(|sent| sent.serial == serial) else { return false };
        sent.end > self.told || self.waiting.iter().any(|frame| (sent.first..sent.end).contains(&frame.number))
    }

    pub(super) fn started(&mut self, serial: u64, as_sent: sender::Sent) {
        if let Some(sent) = self.sent.iter_mut().find(|sent| sent.serial == serial) {
            sent.as_sent = Some(as_sent);
        }
    }

    /// It will not start.
    pub(super) fn dropped(&mut self, serial: u64) {
        self.sent.retain(|sent| sent.serial != serial);
    }

    /// The peer tells of all frames before this one, and of transmissions of a line up to `newest`.
    pub(super) fn tell(&mut self, told: u64, newest: sender::Sent) {
        self.told = self.told.max(told);
        let is_told = |sent: &sender::Sent| sent.line == newest.line && sent.counter <= newest.counter;
        while self.sent.pop_front_if(|sent| sent.as_sent.is_some_and(|sent| is_told(&sent))).is_some() {
            self.heard += 1;
        }
    }

    /// What went by this line may never arrive.
    pub(super) fn lose_line(&mut self, line: LineId) {
        self.sent.retain(|sent| sent.as_sent.is_none_or(|sent| sent.line != line));
    }

    /// A frame's last transmission was lost. Whether it waits for repair frames: where one is on its way, others are about to follow.
    pub(super) fn awaits(&mut self, number: u64, last: sender::Sent) -> bool {
        self.waiting.retain(|frame| frame.number != number);
        let waits = self.waiting.len() < MOST_WAITING && self.is_in_sum(number);
        if waits {
            self.waiting.push(Waiting { number, last, until: self.heard + PATIENCE });
        }
        waits
    }

    /// Whether it is in a sum that the peer has not told of.
    fn is_in_sum(&self, number: u64) -> bool {
        self.sent.iter().any(|sent| (sent.first..sent.end).contains(&number))
    }

    /// How many sums that the peer has not told of have a frame from this one on.
    fn since(&self, first: u64) -> usize {
        self.sent.iter().rev().take_while(|sent| sent.end > first).count()
    }

    /// How many frames a sum may be of, where this share is lost.
    fn most_frames(&self, loss: f64) -> u64 {
        let in_time = FRAMES_PER_SECOND * self.frame_time.as_seconds();
        truncate(in_time.min(MOST_LOST / loss)).min(MOST_IN_SUM as u64)
    }
}

/// How many repair frames so many frames should have, of which this share is lost: one at least, since whoever waits for a single packet,
/// a question or the first of a connection, would wait longest.
fn wanted(frames: u64, loss: f64) -> usize {
    let lost = frames.to_f64() * loss;
    let wanted = usize::try_from(truncate(lost + MARGIN * libm::sqrt(lost) + 0.5)).unwrap_or(0);
    wanted.max(usize::from(frames > 0))
}

impl Sender {
    /// Whether repair frames are worth what they take.
    pub(super) fn repairs(&self) -> bool {
        self.config.repair
            && self.cuts.loses_frames()
            && self.round_trip() > self.repairing.frame_time * LEAST_ROUND_TRIP
    }

    /// The sum of the newest frames that the peer has not told of, if they should have another one.
    pub(super) fn poll_repair(&mut self, room: usize, counters: &mut Counters) -> Option<(Frame, What)> {
        if !self.repairs() {
            return None;
        }
        let (loss, end) = (self.cuts.loss(), self.buffer.end().as_u64());
        let untold = self.repairing.told.max(self.buffer.first().as_u64());
        let first = untold.max(end.saturating_sub(self.repairing.most_frames(loss)));
        if self.repairing.since(first) >= wanted(end.saturating_sub(first), loss) {
            return None;
        }
        // Which frames a sum is of must not depend on the room: who has no sum for this one has none for a smaller one.
        self.repairing.room = self.whole.unwrap_or(self.repairing.room.max(room));
        let longest = self.repairing.room.checked_sub(wire::REPAIR + IN_SUM)?.min(symbol::MOST_OCTETS);
        let mut length = 0;
        let is_in_sum = |number: &u64| {
            let frame = self.buffer.get(Number::new(*number)).filter(|frame| frame.state.fate == Fate::Unknown);
            let octets = frame.map(|frame| frame.state.octets.len()).filter(|octets| *octets <= longest);
            length = octets.unwrap_or(0).max(length);
            octets.is_some()
        };
        let first = end - (first..end).rev().take_while(is_in_sum).count() as u64;
        let fits = wire::REPAIR + IN_SUM + length <= room;
        if !fits || self.repairing.since(first) >= wanted(end - first, loss) {
            return None;
        }
        counters.parity_sent += 1;
        Some(self.sum(first, end, length))
    }

    /// The sum of these frames, which have so many octets at most.
    fn sum(&mut self, first: u64, end: u64, length: usize) -> (Frame, What) {
        let serial = self.repairing.next;
        self.repairing.next += 1;
        let [.., key] = (serial % 64).to_be_bytes();
        let mut slab = core::mem::take(&mut self.repairing.slab);
        let size = IN_SUM + length;
        if slab.capacity() < size {
            slab.reserve(SLAB.max(size));
        }
        slab.resize(size, 0);
        for number in first..end {
            if let Some(symbol) = self.symbol(Number::new(number)) {
                symbol.add_to(&mut slab, coefficient(number, key));
            }
        }
        let sum = slab.split().freeze();
        self.repairing.slab = slab;
        self.repairing.sent.push_back(Sent { serial, first, end, as_sent: None });
        let count = u16::try_from(end - first).unwrap_or(u16::MAX);
        (wire::repair(Repair { first, counter: 0, count, key, sum }), What::Repair(serial))
    }

    fn symbol(&self, number: Number) -> Option<Symbol> {
        let frame = self.buffer.get(number)?;
        let state = &frame.state;
        let link = frame.link.filter(|_| state.ends);
        Symbol::new(state.starts, state.ends, link, frame.packet.slice(state.octets.clone()))
    }

    /// What no repair frame has brought back is sent again, if it is known that none has.
    pub(super) fn end_waits(&mut self, is_known: impl Fn(u64) -> bool) {
        let mut waiting = core::mem::take(&mut self.repairing.waiting);
        waiting.retain(|Waiting { number, last, until }| {
            let in_full = Number::new(*number);
            // One that went out again meanwhile waits for nothing any more.
            let is_missing = |state: &Outgoing| state.fate == Fate::Unknown && state.last == *last;
            let is_missing = self.buffer.get(in_full).is_some_and(|frame| is_missing(&frame.state));
            let are_under_way = self.repairing.heard < *until && self.repairing.is_in_sum(*number);
            let waits = is_missing && (are_under_way || !is_known(*number));
            if is_missing && !waits {
                self.buffer.send_again(in_full, |_| true);
            }
            waits
        });
        self.repairing.waiting = waiting;
    }
}
