//! What goes out next: what goes out again, what is new, a poll.

use super::{Fate, Outgoing, Sender};
use crate::below::{Below, SLOW, What};
use crate::config::Mechanism;
use crate::wire::{self, Form, Head, LEAST_CUT, LONG_REACH, Number, SHORT_REACH, TINY_REACH};
use arqway_contract::{Clock, Counters, Frame, Holds, Packet};
use arqway_ip::{Ecn, acknowledges_only, in_front};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;

/// So many frames may be of unknown fate whatever the link has carried so far.
const LEAST_OUTSTANDING: u64 = 1024;
/// And so many times as many as were acknowledged in the last round trip: a dead link is not filled with a whole window.
const ROUND_TRIPS_OUTSTANDING: u64 = 4;
/// A packet is not cut into less than this part of a transmission that others share. A cut has some six octets in front, its head and its length; what
/// it saves is as large a part of what a transmission costs, which is some fifty octets.
const LEAST_PART: usize = 8;
/// From so many frames or transmissions of unknown fate on numbers go out in the long form.
const SHORT_ENDS: u64 = SHORT_REACH / 2;
/// In the last round trip before a packet is given up, so many copies go out that all are lost once in a hundred times.
const MAY_BE_LOST: f64 = 0.01;
const MOST_COPIES: u8 = 4;

impl Sender {
    /// The next frame of at most `room` octets: what goes out again, what is new, a poll. `ride` octets of runs are set aside
    /// for feedback in data of this form, if any is to ride there. `is_last`: nothing of ours waits in the queue below.
    pub(crate) fn poll(
        &mut self,
        clock: Clock,
        room: Octets,
        form: Form,
        ride: Option<usize>,
        is_last: bool,
        counters: &mut Counters,
    ) -> Option<(Frame, What)> {
        let room = room.as_usize().saturating_sub(Frame::TAG.as_usize());
        let data = if self.is_without(Mechanism::Priority) {
            self.poll_new(form, room, ride, counters).or_else(|| self.poll_again(clock, form, room, ride, counters))
        } else {
            self.poll_again(clock, form, room, ride, counters).or_else(|| self.poll_new(form, room, ride, counters))
        };
        if data.is_some() {
            self.line().timing.speaks();
            return data;
        }
        if self.line().poll_wanted && room >= wire::POLL {
            self.line().poll_wanted = false;
            counters.keepalives_sent += 1;
            return Some((wire::poll(), What::Poll));
        }
        // A line is not idle where data only find too little room.
        if self.turn.is_soonest
            && !self.has_more()
            && let Some(repair) = self.poll_repair(room, counters)
        {
            return Some(repair);
        }
        if self.turn.is_for_copies
            && let Some(copy) = self.poll_copy(room)
        {
            return Some(copy);
        }
        if is_last {
            self.watch(clock.timers);
        }
        None
    }

    /// A copy of the newest frame, if none of it has gone by this line.
    fn poll_copy(&mut self, room: usize) -> Option<(Frame, What)> {
        let number = self.buffer.end().as_u64().checked_sub(1)?;
        let line = self.turn.line;
        if number < self.lines.get(line).copied || self.lines.get(line).transmissions.unreported() >= LONG_REACH {
            return None;
        }
        let frame = self.buffer.get(Number::new(number)).filter(|frame| frame.state.fate == Fate::Unknown)?;
        let Outgoing { starts, ends, octets, .. } = &frame.state;
        let (number, link) = (Number::new(number), frame.link.filter(|_| *ends));
        let head = Head { narrowest: Form::Long, number, starts: *starts, ends: *ends, link, feedback: None };
        let (packet, holds) = (frame.packet.slice(octets.clone()), Holds::Packets(Ecn::of_packet(&frame.packet)));
        if head.octets() + packet.len() > room {
            return None;
        }
        self.line().copied = number.as_u64() + 1;
        Some((head.frame(packet).holding(holds), What::Copy(head)))
    }

    /// The narrowest form whose numbers the peer reads aright, where a frame takes so long on the line. The long one in time: the peer goes
    /// on to answer in the short form for a round trip, in which as many frames again go out, and these answers are to be read too.
    pub(crate) fn form(&self, below: &Below, frame_time: Span) -> Form {
        if self.lines.are_several() {
            // What comes late by a slow line finds many later frames that came by another.
            return Form::Long;
        }
        let outstanding = self.buffer.end().as_u64() - self.buffer.first().as_u64();
        let line = &self.lines.first;
        let unreported = line.transmissions.unreported() + below.unstarted();
        match outstanding.max(unreported) {
            // One that comes so late that its number is taken for another would be a second late at least.
            ..TINY_REACH if line.keeps_order && frame_time >= SLOW => Form::Tiny,
            ..SHORT_ENDS => Form::Short,
            _ => Form::Long,
        }
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
        if !self.turn.is_soonest {
            return None;
        }
        loop {
            let number = self.buffer.first_again()?;
            let frame = self.buffer.get(number)?;
            match frame.state.fate {
                Fate::Arrived => self.buffer.unqueue(number),
                Fate::GivenUp => return self.poll_given_up(number, room, counters),
                Fate::Unknown => {
                    let (state, link) = (&frame.state, frame.link.filter(|_| frame.state.ends));
                    let holds = Holds::Packets(Ecn::of_packet(&frame.packet));
                    let packet = frame.packet.slice(state.octets.clone());
                    let head =
                        Head { narrowest: form, number, starts: state.starts, ends: state.ends, link, feedback: ride };
                    let alone = Head { feedback: None, ..head };
                    let fits = |head: &Head| head.octets() + packet.len() <= room;
                    let whole = [head, alone].into_iter().find(fits).filter(|_| state.offset == 0);
                    let Some(head) = whole else {
                        // It fits into the next transmission, and new data into what is left of this one.
                        let waits =
                            state.offset == 0 && self.whole.is_some_and(|whole| alone.octets() + packet.len() <= whole);
                        if waits {
                            return None;
                        }
                        let piece = self.poll_piece(&alone, packet, room, counters);
                        return piece.map(|(frame, what)| (frame.holding(holds), what));
                    };
                    self.again(clock, number, counters);
                    return Some((head.frame(packet).holding(holds), What::Data(head)));
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
        if expiry.since(now) >= self.round_trip() * 2 {
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
        let least = self.least_cut(room);
        let piece_head = Head { narrowest: Form::Long, ..*head }.octets() + 2;
        let (rest, room) = (octets.len() - offset.min(octets.len()), room.checked_sub(piece_head)?);
        if room < rest.min(least) {
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
        if room < wire::GIVEN_UP {
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
        if !self.turn.is_for_new || !self.may_send_new() {
            return None;
        }
        let (packet, id, cut, frames) = self.packets.front()?;
        let (packet, rest) = (packet.clone(), packet.octets.len() - cut);
        let number = self.buffer.end();
        let mut head = Head { narrowest: form, number, starts: cut == 0, ends: false, link: None, feedback: ride };
        // The link may take as much as that, in the last cut alone; a cut that would end the packet but for it is not the last one.
        let link = if self.buffer.bears_links() { wire::MOST_OF_LINK } else { 0 };
        let least = self.least_cut(room);
        if head.octets() + link + rest.min(least) > room {
            head.feedback = None;
        }
        let beside_head = room.checked_sub(head.octets())?;
        // A cut that fills the room would be in no sum; where both have no room, it is in none.
        let in_sum = if self.repairs() { wire::REPAIR + wire::IN_SUM } else { 0 };
        let spared = in_sum.saturating_sub(head.octets());
        let fits = if rest + link <= beside_head {
            rest
        } else {
            let in_sum = beside_head.checked_sub(spared).filter(|octets| *octets >= least);
            in_sum.unwrap_or(beside_head).min(rest.saturating_sub(1))
        };
        if fits < rest.min(least) {
            return None;
        }
        if head.starts {
            let is_whole = self.is_without(Mechanism::Cuts);
            self.cut = if is_whole { rest } else { self.cuts.choose(rest) };
        }
        let length = fits.min(self.cut.max(LEAST_CUT));
        head.ends = length == rest;
        if head.ends {
            head.link = self.link(&packet, frames);
        }
        let range = cut..cut + length;
        let state = Outgoing::cut(id, range.clone(), &head);
        let (octets, holds) = (packet.octets.slice(range), Holds::Packets(packet.ecn()));
        self.buffer.push_part(packet.octets, head.link, state);
        self.packets.cut(length, number.as_u64());
        self.line().poll_wanted = false;
        let is_marked = self.compressor.is_some() && cut == 0;
        counters.sent(&octets[if is_marked { in_front(&octets) } else { 0 }..]);
        Some((head.frame(octets).holding(holds), What::Data(head)))
    }

    /// The shortest cut that is worth while in this room, unless a packet ends with it.
    fn least_cut(&self, room: usize) -> usize {
        let shared = self.whole.filter(|whole| room < *whole);
        shared.map_or(LEAST_CUT, |whole| LEAST_CUT.max(whole / LEAST_PART))
    }

    /// The link of the frame that a packet ends with, so many frames behind its first one.
    fn link(&mut self, packet: &Packet, frames: u64) -> Option<u32> {
        if self.buffer.bears_links() && acknowledges_only(&packet.octets, packet.headers) {
            // It waits for none, and none for it: TCP heeds the newest, and to hold that back would only make its round trip longer.
            return Some(0);
        }
        // The packet before it need not be named.
        self.buffer.link(packet).filter(|link| u64::from(*link) != frames + 1)
    }

    fn may_send_new(&self) -> bool {
        let outstanding = self.buffer.end().as_u64() - self.buffer.first().as_u64();
        let carried = self.acknowledged.in_round_trip * ROUND_TRIPS_OUTSTANDING;
        outstanding < self.config.window.frames()
            && outstanding - self.arrived < carried.max(LEAST_OUTSTANDING)
            && self.lines.get(self.turn.line).transmissions.unreported() < LONG_REACH
    }

    /// Whether there is something to hand over besides a poll.
    pub(super) fn has_more(&mut self) -> bool {
        self.buffer.has_again() || self.packets.front().is_some() && self.may_send_new()
    }
}
