//! The sending half: what is outstanding, what is known of it, and what goes out next.

use super::below::{Below, What};
use super::config::{Config, Mechanism};
use super::cut::CutLength;
use super::feedback::{Arrived, Feedback};
use super::packets::Packets;
use super::timing::Timing;
use super::transmissions::{Transmission, Transmissions};
use super::wire::{self, Counter, Form, Head, LONG_REACH, Number, SHORT_REACH};
use crate::arq::{RetransmissionBuffer, Window};
use crate::contract::{Clock, Counters, Frame, LinkContext, Packet, Start};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;
use core::ops::Range;

/// So many frames may be of unknown fate whatever the link has carried so far.
const LEAST_OUTSTANDING: u64 = 1024;
/// And so many times as many as were acknowledged in the last round trip: a dead link is not filled with a whole window.
const ROUND_TRIPS_OUTSTANDING: u64 = 4;
/// A packet is not cut into frames of less, unless it ends with one.
const LEAST_CUT: usize = 16;
/// In the last round trip before a packet is given up, so many copies go out that all are lost once in a hundred times.
const MAY_BE_LOST: f64 = 0.01;
const MOST_COPIES: u8 = 4;

#[derive(Debug)]
pub(super) struct Sender {
    packets: Packets,
    pub(super) buffer: RetransmissionBuffer<18, Outgoing>,
    /// How many frames of the buffer have arrived, beyond one that has not.
    arrived: u64,
    transmissions: Transmissions,
    timing: Timing,
    config: Config,
    poll_wanted: bool,
    /// The last poll that was answered: what was sent before the one before it has had a round trip more to arrive.
    answered: u64,
    /// Frames whose last transmission was settled by feedback that had no room to tell of them.
    unsure: alloc::vec::Vec<u64>,
    acknowledged: Acknowledged,
    cuts: CutLength,
    /// How long the cuts of the packet that is being cut are at most.
    cut: usize,
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
    last: u64,
    fate: Fate,
    /// Where the next piece begins, if it goes out in pieces.
    offset: usize,
    /// How many more copies go out at once.
    copies: u8,
    resent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unknown,
    Arrived,
    GivenUp,
}

/// What became of a transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Arrived,
    Lost,
    /// The frame went out again since.
    Superseded,
    /// Feedback had no room to tell.
    Unsure,
}

/// How many frames are acknowledged in a round trip.
#[derive(Debug, Default)]
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
            arrived: 0,
            transmissions: Transmissions::new(),
            timing: Timing::new(guess, config.without == Some(Mechanism::TailProbe)),
            config: config.clone(),
            poll_wanted: false,
            answered: 0,
            unsure: alloc::vec::Vec::new(),
            acknowledged: Acknowledged::default(),
            cuts: CutLength::default(),
            cut: usize::MAX,
        }
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

    pub(super) fn push(&mut self, packet: Packet, now: Time, counters: &mut Counters) {
        let octets = packet.octets.clone();
        if self.packets.push(packet, now) {
            self.buffer.announce(&octets, false);
        } else {
            counters.packets_discarded += 1;
        }
    }

    /// The next frame of at most `room` octets: what goes out again, what is new, a poll. `ride` octets of runs are set aside
    /// for feedback in data of this form, if any is to ride there. `is_last`: nothing of ours waits in the queue below.
    pub(super) fn poll(
        &mut self,
        clock: Clock,
        room: Octets,
        form: Form,
        ride: Option<usize>,
        is_last: bool,
        counters: &mut Counters,
    ) -> Option<(Frame, What)> {
        let room = room.as_usize().saturating_sub(Frame::TAG.as_usize());
        let (again, new) = if self.is_without(Mechanism::Priority) {
            let new = self.poll_new(form, room, ride, counters);
            (None, new.or_else(|| self.poll_again(clock, form, room, ride, counters)))
        } else {
            (self.poll_again(clock, form, room, ride, counters), None)
        };
        let data = again.or(new).or_else(|| self.poll_new(form, room, ride, counters));
        if data.is_some() {
            self.timing.speaks();
            return data;
        }
        if self.poll_wanted && room >= wire::POLL {
            self.poll_wanted = false;
            counters.keepalives_sent += 1;
            return Some((wire::poll(), What::Poll));
        }
        if is_last {
            self.watch(clock.timers);
        }
        None
    }

    /// The narrowest form whose numbers the peer reads aright.
    pub(super) fn form(&self, below: &Below) -> Form {
        let outstanding = self.buffer.end().as_u64() - self.buffer.first().as_u64();
        let unreported = self.transmissions.unreported() + below.unstarted();
        if outstanding < SHORT_REACH && unreported < SHORT_REACH { Form::Short } else { Form::Long }
    }

    /// What goes out again, or is given up.
    fn poll_again(
        &mut self,
        clock: Clock,
        form: Form,
        room: usize,
        ride: Option<usize>,
        counters: &mut Counters,
    ) -> Option<(Frame, What)> {
        loop {
            let number = self.buffer.first_again()?;
            let frame = self.buffer.get(number)?;
            match frame.state.fate {
                Fate::Arrived => self.buffer.unqueue(number),
                Fate::GivenUp => return self.poll_given_up(number, room, counters),
                Fate::Unknown => {
                    let (state, link) = (&frame.state, frame.link.filter(|_| frame.state.ends));
                    let packet = frame.packet.slice(state.octets.clone());
                    let head = Head { form, number, starts: state.starts, ends: state.ends, link, feedback: ride };
                    let alone = Head { feedback: None, ..head };
                    let fits = |head: &Head| head.octets() + packet.len() <= room;
                    let whole = [head, alone].into_iter().find(fits).filter(|_| state.offset == 0);
                    let Some(head) = whole else { return self.poll_piece(&alone, packet, room, counters) };
                    self.again(clock, number, counters);
                    return Some((head.frame(packet), What::Data(head)));
                }
            }
        }
    }

    /// Takes a frame out of what goes out again.
    fn again(&mut self, clock: Clock, number: Number, counters: &mut Counters) {
        counters.frames_resent += 1;
        let copies = self.copies(clock.now, number);
        let Some((_, frame)) = self.buffer.next_again() else { return };
        let state = &mut frame.state;
        state.resent = true;
        state.copies = match state.copies {
            0 => copies,
            left => left - 1,
        };
        if state.copies > 0 {
            self.buffer.put_back(number);
        }
    }

    /// How many copies more than one are to go out of a frame, now that it goes out again.
    fn copies(&self, now: Time, number: Number) -> u8 {
        let expiry = self.buffer.get(number).and_then(|frame| self.packets.expiry(frame.state.packet));
        let Some(expiry) = expiry else { return 0 };
        if expiry.since(now) >= self.timing.round_trip() * 2 {
            return 0;
        }
        let loss = self.cuts.loss();
        let (mut copies, mut all_lost) = (0, loss);
        while all_lost > MAY_BE_LOST && copies + 1 < MOST_COPIES {
            all_lost *= loss;
            copies += 1;
        }
        copies
    }

    /// A piece of a frame that does not fit into the room that there is.
    fn poll_piece(
        &mut self,
        head: &Head,
        octets: Bytes,
        room: usize,
        counters: &mut Counters,
    ) -> Option<(Frame, What)> {
        let offset = self.buffer.get(head.number)?.state.offset;
        let piece_head = Head { form: Form::Long, ..*head }.octets() + 2;
        let (rest, room) = (octets.len() - offset.min(octets.len()), room.checked_sub(piece_head)?);
        if room < rest.min(LEAST_CUT) {
            return None;
        }
        let (_, frame) = self.buffer.next_again()?;
        let end = offset + rest.min(room);
        let is_last = end == octets.len();
        frame.state.resent = true;
        frame.state.offset = if is_last { 0 } else { end };
        if !is_last {
            self.buffer.put_back(head.number);
        }
        counters.frames_resent += 1;
        let piece = wire::piece(head, offset, is_last, octets.slice(offset..end));
        Some((piece, What::Piece(head.number.as_u64())))
    }

    /// Tells the peer which frames of a packet will not come.
    fn poll_given_up(&mut self, number: Number, room: usize, counters: &mut Counters) -> Option<(Frame, What)> {
        if room < 7 {
            return None;
        }
        let (_, frame) = self.buffer.next_again()?;
        let (packet, starts) = (frame.state.packet, frame.state.starts);
        let mut end = number;
        while self.buffer.get(end).is_some_and(|frame| frame.state.packet == packet) {
            self.buffer.unqueue(end);
            end = end.next();
        }
        let count = u16::try_from(end.as_u64() - number.as_u64()).unwrap_or(u16::MAX);
        counters.control_sent += 1;
        let frames = number.as_u64()..number.as_u64() + u64::from(count);
        Some((wire::given_up(number, starts, count), What::GivenUp(frames)))
    }

    /// The next cut of what was never sent.
    fn poll_new(
        &mut self,
        form: Form,
        room: usize,
        ride: Option<usize>,
        counters: &mut Counters,
    ) -> Option<(Frame, What)> {
        if !self.may_send_new() {
            return None;
        }
        let (packet, id, cut, frames) = self.packets.front()?;
        let (packet, rest) = (packet.clone(), packet.octets.len() - cut);
        let number = self.buffer.end();
        let mut head = Head { form, number, starts: cut == 0, ends: false, link: None, feedback: ride };
        // The link may take as much as that; a cut that would end the packet but for it is not the last one.
        let link = if self.buffer.bears_links() { wire::MOST_OF_LINK } else { 0 };
        if head.octets() + link + rest.min(LEAST_CUT) > room {
            head.feedback = None;
        }
        let fits = room.checked_sub(head.octets() + link)?;
        if fits < rest.min(LEAST_CUT) {
            return None;
        }
        if head.starts {
            let is_whole = self.is_without(Mechanism::Cuts);
            self.cut = if is_whole { rest } else { self.cuts.choose(rest) };
        }
        let length = rest.min(fits).min(self.cut.max(LEAST_CUT));
        head.ends = length == rest;
        if head.ends {
            // The packet before it need not be named.
            head.link = self.buffer.link(&packet).filter(|link| u64::from(*link) != frames + 1);
        }
        let range = cut..cut + length;
        let state = Outgoing {
            packet: id,
            octets: range.clone(),
            starts: head.starts,
            ends: head.ends,
            last: 0,
            fate: Fate::Unknown,
            offset: 0,
            copies: 0,
            resent: false,
        };
        let octets = packet.octets.slice(range);
        self.buffer.push_part(packet.octets, head.link, state);
        self.packets.cut(length, number.as_u64());
        self.poll_wanted = false;
        counters.sent(&octets);
        Some((head.frame(octets), What::Data(head)))
    }

    fn may_send_new(&self) -> bool {
        let outstanding = self.buffer.end().as_u64() - self.buffer.first().as_u64();
        let carried = self.acknowledged.in_round_trip * ROUND_TRIPS_OUTSTANDING;
        outstanding < self.config.window.frames()
            && outstanding - self.arrived < carried.max(LEAST_OUTSTANDING)
            && self.transmissions.unreported() < LONG_REACH
    }

    /// Whether there is something to hand over besides a poll.
    fn has_more(&mut self) -> bool {
        self.buffer.has_again() || self.packets.front().is_some() && self.may_send_new()
    }

    /// A frame starts: it gets its counter, or is withdrawn because its peer has it, or will not get it, by now.
    pub(super) fn start(&mut self, what: &What, frame: &mut Frame, counters: &mut Counters) -> Result<u64, Start> {
        let frames = match what {
            What::Data(head) => head.number.as_u64()..head.number.as_u64() + 1,
            What::Piece(number) => *number..number + 1,
            What::GivenUp(frames) => frames.clone(),
            What::Poll => 0..0,
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
            self.transmissions.start(frames.clone(), octets)
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
    pub(super) fn departed(&mut self, what: &What, counter: u64, is_last: bool, now: Time) {
        match what {
            What::Feedback(_) => return,
            What::Poll => self.timing.poll_departed(now),
            What::Data(_) | What::Piece(_) | What::GivenUp(_) => {}
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
            What::Feedback(_) => {}
        }
    }

    /// The peer tells what has arrived.
    pub(super) fn heed(&mut self, feedback: &Feedback, Clock { timers, .. }: Clock) -> Option<()> {
        let (first, end) = (self.buffer.first().as_u64(), self.buffer.end().as_u64());
        if feedback.form == Form::Short && (end - first > SHORT_REACH || self.transmissions.unreported() > SHORT_REACH)
        {
            // From before numbers had to be long: it could be read in two ways.
            return Some(());
        }
        let next = feedback.form.from(first, feedback.next);
        if next > end {
            // Old, and its numbers have come round; or of frames that nobody sent.
            return Some(());
        }
        let mut arrived = feedback.runs.read(next, end)?;
        if self.is_without(Mechanism::Bitmap) {
            arrived = Arrived { known_from: next, end: next, ranges: Default::default() };
        }
        self.acknowledge(next, &arrived, timers);
        let newest = feedback.form.from(self.transmissions.reported(), feedback.newest);
        if let Some(departed) = self.transmissions.report(newest) {
            if let Some(departed) = departed {
                self.timing.sample(timers.since(departed));
            }
            let mut settled = newest.saturating_sub(feedback.lateness.transmissions());
            if let Some(polled) = self.timing.answered(newest) {
                settled = settled.max(core::mem::replace(&mut self.answered, polled));
            }
            self.settle(settled, next, &arrived);
        }
        if self.is_at_rest() {
            self.timing.rest();
            self.poll_wanted = false;
        }
        Some(())
    }

    fn acknowledge(&mut self, next: u64, arrived: &Arrived, now: Time) {
        let next = Number::new(next);
        while self.buffer.first() < next {
            match self.buffer.pop_front() {
                Some(frame) if frame.state.fate == Fate::Arrived => self.arrived -= 1,
                _ => self.acknowledged.frames += 1,
            }
        }
        self.buffer.unlink_before(next);
        self.packets.acknowledged(next.as_u64());
        for number in arrived.ranges.iter().cloned().flatten() {
            if let Some(frame) = self.buffer.get_mut(Number::new(number))
                && frame.state.fate != Fate::Arrived
            {
                frame.state.fate = Fate::Arrived;
                frame.packet = Bytes::new();
                self.acknowledged.frames += 1;
                self.arrived += 1;
                self.buffer.unqueue(Number::new(number));
            }
        }
        let Acknowledged { since, frames, in_round_trip } = &mut self.acknowledged;
        if now.since(*since) >= self.timing.round_trip() {
            (*since, *in_round_trip, *frames) = (now, (*frames).max(*in_round_trip / 2), 0);
        }
    }

    /// Transmissions up to `settled` have arrived, or never will.
    fn settle(&mut self, settled: u64, next: u64, arrived: &Arrived) {
        // What was judged stays so, even where less is settled now, since transmissions turn out to come later.
        let judged = settled.max(self.transmissions.judged());
        let mut unsure = core::mem::take(&mut self.unsure);
        unsure.retain(|number| self.judge(*number, judged, next, arrived) == Verdict::Unsure);
        self.unsure = unsure;
        while let Some((counter, Transmission { frames, octets, .. })) = self.transmissions.judge(settled) {
            for number in frames {
                match self.judge(number, counter, next, arrived) {
                    Verdict::Arrived if octets > 0 => self.cuts.judge(octets, false),
                    Verdict::Lost if octets > 0 => self.cuts.judge(octets, true),
                    Verdict::Arrived | Verdict::Lost | Verdict::Superseded => {}
                    Verdict::Unsure => self.unsure.push(number),
                }
            }
        }
    }

    /// Judges a transmission of a frame, and has it sent again if it is lost.
    fn judge(&mut self, number: u64, counter: u64, next: u64, arrived: &Arrived) -> Verdict {
        let number_in_full = Number::new(number);
        let Some(frame) = self.buffer.get(number_in_full) else { return Verdict::Arrived };
        let state = &frame.state;
        if state.last > counter {
            return Verdict::Superseded;
        }
        if state.fate == Fate::Arrived {
            return Verdict::Arrived;
        }
        if number < arrived.known_from && number != next {
            return Verdict::Unsure;
        }
        if state.resent && state.last > self.answered && self.is_without(Mechanism::Counter) {
            // Only the answer to a poll tells of what went out again.
            return Verdict::Unsure;
        }
        self.buffer.send_again(number_in_full, |_| true);
        Verdict::Lost
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
        self.buffer.window().len() == 0
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
