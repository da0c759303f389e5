//! The two ends of the model: real ones, each of which is looked up by what it holds.
//!
//! An end is told the same time at every call, and a far later one when its timers fire. So lengths of time play no part: what
//! differs in nothing else is the same end.

use super::super::Tally;
use super::super::cut::CutLength;
use super::Model;
use arqway_contract::{Clock, Counters, Departure, Entity, Frame, LinkContext, Packet, Side, Start, Tag};
use arqway_units::{Octets, Span, Time};
use arrayvec::ArrayVec;
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};
use std::string::String;
use std::vec::Vec;

/// What can happen to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Input {
    /// The network layer has this packet for it.
    Push(u8),
    /// A frame arrives.
    Receive(Name),
    /// Whatever timer runs is due.
    Fire,
    /// Every packet is too old.
    Expire,
    /// The frame at the head of its queue goes out.
    Start,
    /// Its own counters, and those of its peer, are counted from so many further on.
    Move { own: u64, of_peer: u64 },
}

/// What an end does then.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    pub(super) sent: Option<Name>,
    pub(super) released: ArrayVec<u8, 8>,
}

/// The name of a frame.
pub(super) type Name = u16;

/// Every frame that was met, each once: its tag, and what is behind it.
#[derive(Debug, Default)]
pub(super) struct Frames {
    frames: Vec<(u8, Vec<u8>)>,
    names: HashMap<(u8, Vec<u8>), Name>,
}

impl Frames {
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn name(&mut self, frame: (u8, Vec<u8>)) -> Name {
        *self.names.entry(frame).or_insert_with_key(|frame| {
            self.frames.push(frame.clone());
            Name::try_from(self.frames.len() - 1).expect("fewer frames")
        })
    }

    pub(super) fn get(&self, name: Name) -> &(u8, Vec<u8>) {
        &self.frames[usize::from(name)]
    }
}

/// An end of tally, and the queue below it.
#[derive(Debug, Clone)]
pub(super) struct End {
    tally: Tally,
    queue: VecDeque<Frame>,
    /// By how many transmissions one may come late.
    overtakes: u64,
    frame_time: Span,
}

const NOW: Time = Time::from_nanoseconds(1 << 50);
const LATER: Time = Time::from_nanoseconds(1 << 60);
const CLOCK: Clock = Clock { now: NOW, timers: NOW };
/// Older transmissions than that are all alike: what is that old has been judged.
pub(super) const OLDEST: u64 = 8;

impl End {
    pub(super) fn new(model: &Model) -> Self {
        let tally = Tally::new(&model.config, &LinkContext::from(Side::Client));
        Self { tally, queue: VecDeque::new(), overtakes: model.overtakes, frame_time: model.frame_time }
    }

    /// The first transmission that is not judged.
    pub(super) fn first(&self) -> u64 {
        self.tally.sender.lines.first.transmissions.first
    }

    /// The next transmission.
    pub(super) fn next(&self) -> u64 {
        self.tally.sender.lines.first.transmissions.next()
    }

    /// How many transmissions its peer has not told of.
    pub(super) fn unreported(&self) -> u64 {
        self.tally.sender.lines.first.transmissions.unreported()
    }

    pub(super) fn has_timer(&self) -> bool {
        self.tally.deadlines().timers.is_some()
    }

    pub(super) fn has_frame(&self) -> bool {
        !self.queue.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.tally.has_room()
    }

    /// Nothing is outstanding, and nothing happens by itself.
    pub(super) fn is_at_rest(&self) -> bool {
        let quiet = !self.has_frame() && self.tally.deadlines().timers.is_none();
        quiet && self.tally.sender.buffer.window().is_empty() && !self.tally.sender.has_waiting()
    }

    pub(super) fn apply(&mut self, input: Input, frames: &mut Frames) -> Outcome {
        let (mut outcome, mut counters) = (Outcome::default(), Counters::default());
        match input {
            Input::Push(number) => {
                let packet = Packet::new(Bytes::copy_from_slice(&[number]));
                self.tally.push(packet, CLOCK, &mut counters);
            }
            Input::Receive(name) => {
                let (tag, octets) = frames.get(name);
                let frame = Frame::from_wire(Tag::from_octet(*tag), Bytes::copy_from_slice(octets));
                self.tally.receive(frame, CLOCK, &mut counters).expect("a frame of its peer");
                assert_eq!(counters.protocol_errors, 0, "a frame of its peer lies in the window");
            }
            Input::Fire => self.tally.expire(Clock { timers: LATER, ..CLOCK }, &mut counters),
            Input::Expire => self.tally.expire(Clock { now: LATER, ..CLOCK }, &mut counters),
            Input::Start => outcome.sent = self.start(&mut counters).map(|frame| frames.name(frame)),
            Input::Move { own, of_peer } => {
                self.count_from(own, of_peer);
                return outcome;
            }
        }
        // Whoever drives it polls until nothing more comes.
        while let Some(packet) = self.tally.release(&mut counters) {
            outcome.released.extend(packet);
        }
        while let Some(frame) = self.tally.poll(CLOCK, Octets::MAX, &mut counters) {
            self.queue.push_back(frame);
        }
        // No packet is long enough to be cut, and all take the same time.
        self.tally.sender.cuts = CutLength::default();
        self.tally.frame_time = self.frame_time;
        // Nor does a transmission come any later.
        let seen = &mut self.tally.receiver.arrivals.first.seen.0;
        *seen = [seen[0] & ((2_u64 << self.overtakes) - 1), 0, 0, 0];
        outcome
    }

    /// The next frame that is not withdrawn starts, and has left.
    fn start(&mut self, counters: &mut Counters) -> Option<(u8, Vec<u8>)> {
        loop {
            let mut frame = self.queue.pop_front()?;
            let size = frame.size();
            if self.tally.start(&mut frame, CLOCK, counters) == Start::Withdraw {
                continue;
            }
            assert_eq!(frame.size(), size, "a frame keeps its length");
            if let Some(ticket) = frame.ticket {
                self.tally.departed(frame.tag, ticket, Departure::Sent, CLOCK);
            }
            return Some((frame.tag.as_octet(), frame.parts().concat()));
        }
    }

    fn count_from(&mut self, own: u64, of_peer: u64) {
        let sender = &mut self.tally.sender;
        let line = &mut sender.lines.first;
        line.transmissions.first -= own;
        line.transmissions.reported -= own;
        line.timing.polled = line.timing.polled.map(|polled| polled - own);
        // What no transmission is compared with any more is as old as anything else.
        let oldest = line.transmissions.first - OLDEST;
        let older = |counter: u64| (counter - own.min(counter)).max(oldest);
        line.answered = older(line.answered);
        for number in sender.buffer.window().numbers() {
            if let Some(frame) = sender.buffer.get_mut(number).filter(|frame| frame.state.last.counter > 0) {
                frame.state.last.counter = older(frame.state.last.counter);
            }
        }
        let arrivals = &mut self.tally.receiver.arrivals.first;
        arrivals.newest -= of_peer;
        arrivals.told -= of_peer;
        arrivals.gaps.iter_mut().for_each(|counter| *counter -= of_peer);
    }

    /// All that what it does depends on, without time.
    fn text(&self) -> String {
        use core::fmt::Write;
        let Tally { sender, receiver, below, pause, .. } = &self.tally;
        let mut text = String::new();
        write!(text, "{sender:?} {receiver:?} {:?} {pause:?} {:?}", below.frames, self.queue).expect("a string");
        timeless(&text)
    }
}

/// What is left out besides numbers with a point, which are estimates: times; names of frames in the queue, which stand in its
/// order; and what is compared with thousands only, or only lengthens a wait.
const LEFT_OUT: [&str; 8] =
    ["unsaid: ", "Time(", "Span(", "Ticket(", "ticket: ", "misses: ", "since: Time(-), frames: ", "in_time: "];

/// The text without those numbers.
fn timeless(text: &str) -> String {
    let mut timeless = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        timeless.push_str(before);
        let end = from.find(|letter: char| !letter.is_ascii_digit() && !".e-".contains(letter)).unwrap_or(from.len());
        // The two points of a range belong to no number.
        let (number, behind) = from.split_at(from[..end].find("..").unwrap_or(end));
        let points = if behind.starts_with("..") { ".." } else { "" };
        if number.contains(['.', '-']) || LEFT_OUT.iter().any(|name| timeless.ends_with(name)) {
            timeless.push('-');
        } else {
            timeless.push_str(number);
        }
        timeless.push_str(points);
        rest = &behind[points.len()..];
    }
    timeless.push_str(rest);
    timeless
}

/// Every end that was met, each once.
#[derive(Debug, Default)]
pub(super) struct Ends {
    ends: Vec<End>,
    by_text: HashMap<String, u32>,
    known: HashMap<(u32, Input), (u32, Outcome)>,
    pub(super) frames: Frames,
}

impl Ends {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, id: u32) -> &End {
        &self.ends[id as usize]
    }

    /// The number of this end.
    pub(super) fn add(&mut self, end: End) -> u32 {
        let next = u32::try_from(self.ends.len()).expect("fewer ends");
        *self.by_text.entry(end.text()).or_insert_with(|| {
            self.ends.push(end);
            next
        })
    }

    /// What becomes of an end, and what it does.
    pub(super) fn apply(&mut self, id: u32, input: Input) -> (u32, Outcome) {
        if let Some(known) = self.known.get(&(id, input)) {
            return known.clone();
        }
        let mut end = self.get(id).clone();
        let outcome = end.apply(input, &mut self.frames);
        let next = self.add(end);
        self.known.insert((id, input), (next, outcome.clone()));
        (next, outcome)
    }
}
