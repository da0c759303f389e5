//! The sending half: what is outstanding, what is known of it, and what goes out next.

mod judging;
mod polling;
mod repairing;

use super::below::What;
use super::config::{Config, Mechanism};
use super::cut::CutLength;
use super::holes::Holes;
use super::packets::Packets;
use super::timing::Timing;
use super::transmissions::Transmissions;
use super::wire::{self, Counter, LONG_REACH, Number};
use alloc::boxed::Box;
use arqway_arq::{Resequencing, RetransmissionBuffer, Window};
use arqway_contract::{Clock, Counters, Frame, LinkContext, Packet, Start};
use arqway_ip::{Compressor, Outline, is_left};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;
use core::ops::Range;
use repairing::Repairing;

#[derive(Debug, Clone)]
pub(super) struct Sender {
    packets: Packets,
    pub(super) buffer: RetransmissionBuffer<18, Outgoing>,
    /// Of which frames the peer has told that they have arrived.
    told: Holes,
    /// How many of these are in the buffer, beyond one that has not arrived.
    arrived: u64,
    pub(super) transmissions: Transmissions,
    pub(super) timing: Timing,
    config: Config,
    poll_wanted: bool,
    /// Whether the peer has told that our transmissions arrive in order.
    keeps_order: bool,
    /// The last poll that was answered: what was sent before the one before it has had a round trip more to arrive.
    pub(super) answered: u64,
    /// Frames whose last transmission was settled by feedback that had no room to tell of them.
    unsure: alloc::vec::Vec<u64>,
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
    /// The counter of its last transmission; 0 before the first.
    pub(super) last: u64,
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
        Self { packet, octets, starts, ends, last: 0, fate: Fate::Unknown, offset: 0, copies: 0, resent: false }
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
            transmissions: Transmissions::new(),
            timing: Timing::new(guess, config.without == Some(Mechanism::TailProbe)),
            config: config.clone(),
            poll_wanted: false,
            keeps_order: false,
            answered: 0,
            unsure: alloc::vec::Vec::new(),
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

    /// A frame starts: it gets its counter, or is withdrawn because its peer has it, or will not get it, by now.
    pub(super) fn start(
        &mut self,
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
            What::Poll | What::Repair(_) => 0..0,
            What::Feedback(_) => return Ok(0),
        };
        let given_up = matches!(what, What::GivenUp(_));
        let is_wanted = frames.is_empty() || self.outstanding(&frames).any(|frame| frame.wants(given_up));
        if !is_wanted && !self.is_without(Mechanism::StaleCopies) {
            counters.frames_withdrawn += 1;
            return Err(Start::Withdraw);
        }
        let octets = if matches!(what, What::Data(_)) { frame.size().as_usize() } else { 0 };
        let counter = if self.transmissions.unreported() < LONG_REACH {
            self.transmissions.start(frames.clone(), octets, now)
        } else {
            // A peer that has been silent for days must still read the counter aright.
            Counter::new(self.transmissions.next() - 1)
        };
        for number in frames {
            if let Some(outgoing) = self.buffer.get_mut(Number::new(number)) {
                outgoing.state.last = counter.as_u64();
            }
        }
        match what {
            What::Poll => self.timing.polled(counter.as_u64()),
            What::Repair(serial) => self.repairing.started(*serial, counter.as_u64()),
            What::Data(_) => return Ok(counter.as_u64()),
            _ => {}
        }
        wire::write_counter(frame, counter);
        Ok(counter.as_u64())
    }

    fn outstanding(&self, frames: &Range<u64>) -> impl Iterator<Item = &Outgoing> {
        frames.clone().filter_map(|number| self.buffer.get(Number::new(number))).map(|frame| &frame.state)
    }

    /// A frame has left the transmitter; nothing of ours waits behind it in the queue below if `is_last`.
    pub(super) fn departed(&mut self, what: &What, counter: u64, is_last: bool, frame_time: Span, now: Time) {
        match what {
            What::Feedback(_) => return,
            What::Repair(_) => {}
            What::Poll => self.timing.poll_departed(frame_time, now),
            What::Data(_) | What::Piece(_) | What::GivenUp(_) => self.timing.departed(now),
        }
        self.transmissions.depart(counter, now);
        if is_last && !self.has_more() && !self.is_at_rest() {
            self.timing.fell_silent(self.cuts.loses_frames(), now);
        }
    }

    /// Nothing can be sent, and nothing of ours is below: if something is unknown, the peer is asked after a while.
    fn watch(&mut self, now: Time) {
        let is_watched = self.timing.awaits_answer() || self.timing.deadline().is_some() || self.poll_wanted;
        if !is_watched && !self.is_at_rest() {
            self.timing.fell_silent(self.cuts.loses_frames(), now);
        }
    }

    /// A frame never started, since the queue had no room.
    pub(super) fn dropped(&mut self, what: &What) {
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
            What::Poll => self.poll_wanted = true,
            What::Repair(serial) => {
                self.repairing.dropped(*serial);
                self.end_waits(|_| true);
            }
            What::Feedback(_) => {}
        }
    }

    /// Acts on what is due. Packets become too old in the time that goes on in an outage.
    pub(super) fn expire(&mut self, Clock { now, timers }: Clock, counters: &mut Counters) {
        while let Some((frames, is_cut)) = self.packets.expire(now) {
            self.give_up(frames, is_cut, counters);
        }
        if self.timing.was_quiet(timers) && !self.is_at_rest() {
            self.poll_wanted = true;
        }
        if self.timing.missed_answer(timers) && !self.is_at_rest() {
            counters.timeouts += 1;
            self.poll_wanted = true;
            let unknown =
                |number: &Number| self.buffer.get(*number).is_some_and(|frame| frame.state.fate != Fate::Arrived);
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
        self.poll_wanted |= !self.is_at_rest();
    }

    /// Whether nothing that was sent is unknown.
    fn is_at_rest(&self) -> bool {
        self.buffer.window().is_empty()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timing.deadline()
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
