//! The sending half: what is outstanding, what is known of it, and what goes out next.

mod judging;
mod line;
mod polling;
mod repairing;

use super::below::What;
use super::config::{Config, Mechanism};
use super::cut::CutLength;
use super::holes::Holes;
use super::packets::Packets;
use super::timing::Timing;
use super::wire::{self, Counter, LONG_REACH, Number};
use alloc::boxed::Box;
use alloc::vec::Vec;
use arqway_arq::{Resequencing, RetransmissionBuffer, Window};
use arqway_contract::{Clock, Counters, Frame, LineId, LineState, LinkContext, Packet, PerLine, Start, Turn};
use arqway_ip::{Compressor, Outline, is_left};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;
use core::ops::Range;
pub(super) use line::{Line, Sent};
use repairing::Repairing;

#[derive(Debug, Clone)]
pub(super) struct Sender {
    packets: Packets,
    pub(super) buffer: RetransmissionBuffer<18, Outgoing>,
    /// Of which frames the peer has told that they have arrived.
    told: Holes,
    /// How many of these are in the buffer, beyond one that has not arrived.
    arrived: u64,
    pub(super) lines: PerLine<Line>,
    /// By which of them goes what is asked for now.
    turn: Turn,
    /// Frames of which the peer has just told.
    arrivals: Vec<Range<u64>>,
    config: Config,
    acknowledged: Acknowledged,
    pub(super) repairing: Repairing,
    pub(super) cuts: CutLength,
    /// How long the cuts of the packet that is being cut are at most.
    cut: usize,
    /// The room of a whole transmission without the tag, where the owner packs frames.
    whole: Option<usize>,
    /// Where headers are shortened.
    compressor: Option<Box<Compressor>>,
}

/// A frame that is not acknowledged.
#[derive(Debug, Clone)]
pub(super) struct Outgoing {
    packet: u64,
    /// Which octets of the packet.
    octets: Range<usize>,
    starts: bool,
    ends: bool,
    /// Its last transmission.
    pub(super) last: Sent,
    fate: Fate,
    /// Where the next piece begins, if it goes out in pieces.
    offset: usize,
    /// How many more copies go out at once.
    copies: u8,
    resent: bool,
}

impl Outgoing {
    /// A part of a packet that has not gone out yet.
    fn cut(packet: u64, octets: Range<usize>, head: &wire::Head) -> Self {
        let (starts, ends) = (head.starts, head.ends);
        Self {
            packet,
            octets,
            starts,
            ends,
            last: Sent::default(),
            fate: Fate::Unknown,
            offset: 0,
            copies: 0,
            resent: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unknown,
    Arrived,
    GivenUp,
}

/// How many frames are acknowledged in a round trip.
#[derive(Debug, Clone, Default)]
struct Acknowledged {
    since: Time,
    frames: u64,
    in_round_trip: u64,
}

impl Sender {
    pub(super) fn new(config: &Config, context: &LinkContext) -> Self {
        // Twice the way, and some frames on a slow line.
        let guess = context.delay.map(|delay| {
            let frame = context.rate.map_or(Span::ZERO, |rate| rate.time_to_send(Octets::new(250)));
            delay * 2 + frame * 2
        });
        Self {
            packets: Packets::new(config.persistence),
            buffer: RetransmissionBuffer::new(Window::unlimited(), &config.resequencing),
            told: Holes::default(),
            arrived: 0,
            lines: PerLine::new(Line::new(Timing::new(guess, config.without == Some(Mechanism::TailProbe)))),
            turn: Turn::default(),
            arrivals: Vec::new(),
            config: config.clone(),
            acknowledged: Acknowledged::default(),
            repairing: Repairing::default(),
            cuts: CutLength::default(),
            cut: usize::MAX,
            whole: None,
            compressor: config.compress_headers.then(Box::default),
        }
    }

    pub(super) fn set_room(&mut self, whole: Octets) {
        self.whole = Some(whole.as_usize().saturating_sub(Frame::TAG.as_usize()));
    }

    fn is_without(&self, mechanism: Mechanism) -> bool {
        self.config.without == Some(mechanism)
    }

    /// Whether it is worth while to be prepared for losses.
    pub(super) fn loses_frames(&self) -> bool {
        self.cuts.loses_frames()
    }

    pub(super) fn has_room(&self) -> bool {
        self.packets.waiting() < self.config.buffer.get()
    }

    pub(super) fn has_waiting(&self) -> bool {
        self.packets.waiting() > 0
    }

    pub(super) fn push(&mut self, mut packet: Packet, now: Time, counters: &mut Counters) {
        let octets = packet.octets.clone();
        self.compress(&mut packet);
        if self.packets.push(packet, now) {
            self.buffer.announce(&octets, false);
        } else {
            counters.packets_discarded += 1;
        }
    }

    /// How many octets a packet may have more in frames than before.
    pub(super) fn most_added(&self) -> usize {
        usize::from(self.compressor.is_some())
    }

    /// Shortens its headers, if the peer is sure to get it behind the packets before it of its flow, and octets take time.
    fn compress(&mut self, packet: &mut Packet) {
        let Some(compressor) = &mut self.compressor else { return };
        let keeps_order = matches!(self.config.resequencing, Resequencing::Full | Resequencing::PerFlow);
        if !keeps_order || self.packets.may_give_up(packet) || !self.repairing.takes_time() {
            packet.octets = compressor.leave(&packet.octets);
            return;
        }
        packet.headers = packet.outline();
        packet.octets = compressor.compress(&packet.octets, packet.flow(), self.packets.unacknowledged());
        if !is_left(&packet.octets) {
            packet.headers = packet.headers.map(Outline::of_shortened);
        }
    }

    /// Frames that are asked for go by this line from now on.
    pub(super) fn set_turn(&mut self, turn: Turn) {
        self.turn = turn;
    }

    /// The line that the turn is of.
    fn line(&mut self) -> &mut Line {
        self.lines.get_mut(self.turn.line)
    }

    /// A line is there, or is not: what was under way on that one may be lost, and goes again by another.
    pub(super) fn set_line(&mut self, line: LineId, state: LineState) {
        let is_fixed = self.config.without == Some(Mechanism::TailProbe);
        self.lines.reach(line, |_| Line::new(Timing::new(Some(state.round_trip), is_fixed)));
        let was_up = core::mem::replace(&mut self.lines.get_mut(line).is_up, state.is_up);
        if state.is_lost {
            self.lose_line(line);
        }
        if !was_up && state.is_up {
            self.lines.get_mut(line).poll_wanted = !self.is_at_rest();
        }
    }

    /// How long what is lost takes at least to come again.
    fn round_trip(&self) -> Span {
        let of_line = |line: &Line| line.timing.round_trip();
        self.lines.iter().filter(|line| line.is_up).map(of_line).min().unwrap_or_else(|| of_line(&self.lines.first))
    }

    /// How long a frame and the answer to it take at most.
    fn longest_round_trip(&self) -> Span {
        let of_line = |line: &Line| line.timing.round_trip();
        self.lines.iter().filter(|line| line.is_up).map(of_line).max().unwrap_or_else(|| of_line(&self.lines.first))
    }

    /// A frame starts on a line: it gets its counter, or is withdrawn because its peer has it, or will not get it, by now.
    pub(super) fn start(
        &mut self,
        line: LineId,
        what: &What,
        frame: &mut Frame,
        now: Time,
        counters: &mut Counters,
    ) -> Result<u64, Start> {
        let frames = match what {
            What::Data(head) => head.number.as_u64()..head.number.as_u64() + 1,
            What::Piece(number) => *number..number + 1,
            What::GivenUp(frames) => frames.clone(),
            What::Repair(serial) if !self.repairing.is_wanted(*serial) => {
                self.repairing.dropped(*serial);
                counters.frames_withdrawn += 1;
                return Err(Start::Withdraw);
            }
            What::Poll | What::Repair(_) | What::Copy(_) => 0..0,
            What::Feedback(_) => return Ok(0),
        };
        let given_up = matches!(what, What::GivenUp(_));
        let is_wanted = frames.is_empty() || self.outstanding(&frames).any(|frame| frame.wants(given_up));
        if !is_wanted && !self.is_without(Mechanism::StaleCopies) {
            counters.frames_withdrawn += 1;
            return Err(Start::Withdraw);
        }
        let octets = if matches!(what, What::Data(_)) { frame.size().as_usize() } else { 0 };
        let of_line = self.lines.get_mut(line);
        let counter = if of_line.transmissions.unreported() < LONG_REACH {
            of_line.transmissions.start(frames.clone(), octets, !matches!(what, What::Piece(_)), now)
        } else {
            // A peer that has been silent for days must still read the counter aright.
            Counter::new(of_line.transmissions.next() - 1)
        };
        for number in frames {
            if let Some(outgoing) = self.buffer.get_mut(Number::new(number)) {
                outgoing.state.last = Sent::by(line, counter.as_u64());
            }
        }
        match what {
            What::Poll => self.lines.get_mut(line).timing.polled(counter.as_u64()),
            What::Repair(serial) => self.repairing.started(*serial, Sent::by(line, counter.as_u64())),
            What::Data(_) | What::Copy(_) => return Ok(counter.as_u64()),
            _ => {}
        }
        wire::write_counter(frame, counter);
        Ok(counter.as_u64())
    }

    fn outstanding(&self, frames: &Range<u64>) -> impl Iterator<Item = &Outgoing> {
        frames.clone().filter_map(|number| self.buffer.get(Number::new(number))).map(|frame| &frame.state)
    }

    /// A frame has left the transmitter; nothing of ours waits behind it in the queue below of this line if `is_last`.
    pub(super) fn departed(&mut self, what: &What, sent: Sent, is_last: bool, frame_time: Span, now: Time) {
        let line = self.lines.get_mut(sent.line);
        match what {
            What::Feedback(_) => return,
            What::Repair(_) | What::Copy(_) => {}
            What::Poll => line.timing.poll_departed(frame_time, now),
            What::Data(_) | What::Piece(_) | What::GivenUp(_) => line.timing.departed(now),
        }
        line.transmissions.depart(sent.counter, now);
        // What there is more may go by another line, and says nothing of this one.
        let is_end = is_last && (self.lines.are_several() || !self.has_more());
        if is_end && !self.is_at_rest() {
            let loses_frames = self.cuts.loses_frames();
            self.lines.get_mut(sent.line).timing.fell_silent(loses_frames, now);
        }
    }

    /// Nothing can be sent, and nothing of ours is below: if something is unknown, the peer is asked after a while.
    fn watch(&mut self, now: Time) {
        let loses_frames = self.cuts.loses_frames();
        let is_at_rest = self.is_at_rest();
        let Turn { line, is_soonest, .. } = self.turn;
        let line = self.lines.get_mut(line);
        let has_unknown = is_soonest || line.transmissions.has_unjudged();
        if has_unknown && !line.is_watched() && !is_at_rest {
            line.timing.fell_silent(loses_frames, now);
        }
    }

    /// A frame never started, since the queue had no room.
    pub(super) fn dropped(&mut self, line: LineId, what: &What) {
        match what {
            What::Data(head) => {
                self.buffer.send_again(head.number, |_| true);
            }
            What::Piece(number) => {
                if let Some(frame) = self.buffer.get_mut(Number::new(*number)) {
                    frame.state.offset = 0;
                }
                self.buffer.send_again(Number::new(*number), |_| true);
            }
            What::GivenUp(frames) => {
                let mut numbers = frames.clone().map(Number::new);
                let given_up = |number: &Number| self.buffer.get(*number).is_some_and(|frame| frame.state.wants(true));
                if let Some(first) = numbers.find(given_up) {
                    self.buffer.send_again(first, |_| true);
                }
            }
            What::Poll => self.lines.get_mut(line).poll_wanted = true,
            What::Repair(serial) => {
                self.repairing.dropped(*serial);
                self.end_waits(|_| true);
            }
            What::Feedback(_) | What::Copy(_) => {}
        }
    }

    /// Acts on what is due. Packets become too old in the time that goes on in an outage.
    pub(super) fn expire(&mut self, Clock { now, timers }: Clock, counters: &mut Counters) {
        while let Some((frames, is_cut)) = self.packets.expire(now) {
            self.give_up(frames, is_cut, counters);
        }
        for line in self.lines.ids() {
            self.expire_on(line, timers, counters);
        }
    }

    /// Acts on what is due on a line.
    fn expire_on(&mut self, line: LineId, timers: Time, counters: &mut Counters) {
        let is_at_rest = self.is_at_rest();
        let are_several = self.lines.are_several();
        let of_line = self.lines.get_mut(line);
        if of_line.timing.was_quiet(timers) && !is_at_rest {
            of_line.poll_wanted = true;
        }
        if of_line.timing.missed_answer(timers) && !is_at_rest {
            counters.timeouts += 1;
            of_line.poll_wanted = true;
            let is_unknown = |state: &Outgoing| {
                state.fate != Fate::Arrived
                    && (!are_several || state.last.line == line && state.last != Sent::default())
            };
            let unknown = |number: &Number| self.buffer.get(*number).is_some_and(|frame| is_unknown(&frame.state));
            if let Some(oldest) = self.buffer.window().numbers().find(unknown) {
                self.buffer.send_again(oldest, |_| true);
            }
        }
    }

    /// A packet is given up. It was in these frames, all of it if `is_cut`.
    fn give_up(&mut self, frames: Range<u64>, is_cut: bool, counters: &mut Counters) {
        let mut first = None;
        for number in frames.map(Number::new) {
            self.buffer.unqueue(number);
            if let Some(frame) = self.buffer.get_mut(number)
                && frame.state.fate == Fate::Unknown
            {
                frame.state.fate = Fate::GivenUp;
                frame.packet = Bytes::new();
                first = first.or(Some(number));
            }
        }
        if let Some(first) = first {
            self.buffer.send_again(first, |_| true);
        }
        // All of it may have arrived, behind a frame that has not.
        counters.packets_discarded += u64::from(first.is_some() || !is_cut);
        self.packets.acknowledged(self.buffer.first().as_u64());
    }

    /// The link is back: what was on its way may be lost.
    pub(super) fn link_is_back(&mut self) {
        let wants = !self.is_at_rest();
        self.lines.iter_mut().filter(|line| line.is_up).for_each(|line| line.poll_wanted |= wants);
    }

    /// Whether nothing that was sent is unknown.
    fn is_at_rest(&self) -> bool {
        self.buffer.window().is_empty()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.lines.iter().filter_map(|line| line.timing.deadline()).min()
    }

    /// When a packet becomes too old.
    pub(super) fn expiry(&self) -> Option<Time> {
        self.packets.deadline()
    }
}

impl Outgoing {
    /// Whether the peer has to be told of it: of its octets, or that they will not come.
    fn wants(&self, given_up: bool) -> bool {
        self.fate == if given_up { Fate::GivenUp } else { Fate::Unknown }
    }
}
