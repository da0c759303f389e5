//! Scripted exchanges: what one end answers to what it is told, in time order; and its parts against plain models.

mod acknowledgements;
mod cuts;
mod decoder;
mod gives_up;
mod headers;
mod lines;
mod memory;
mod octets;
mod parts;
mod recovers;
mod repairs;
mod tells;

use super::wire::{Counter, Head, Number};
use super::*;
use crate::script::Script;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use arqway_arq::Resequencing;
use arqway_contract::{Departure, End, Entity, Frame, LinkContext, LinkService, Packet, Service, Side, Start, Tag};
use arqway_units::{Octets, Span, Time};
use bytes::{Bytes, BytesMut};
use std::format;

/// One end and its peer, who is the test.
type Scripted = Script<End<Tally>>;

/// An end of a link with a delay of 100 ms each way, which it knows: the end of a burst is asked after 50 ms later.
fn end_with(change: impl FnOnce(&mut Config)) -> Scripted {
    let mut config = Config { resequencing: Resequencing::Full, ..Config::default() };
    change(&mut config);
    let context = LinkContext { delay: Some(Span::from_milliseconds(100)), ..Side::Client.into() };
    Script::new(config.build(&context), describe)
}

fn end() -> Scripted {
    end_with(|_| ())
}

fn told(feedback: &Feedback) -> String {
    let runs: Vec<String> = feedback.runs.numbers.iter().map(ToString::to_string).collect();
    let late = if feedback.lateness == Lateness::None { "" } else { " late" };
    let gap = match (runs.is_empty(), feedback.runs.upward) {
        (true, _) => "",
        (false, false) => " runs ",
        (false, true) => " runs up ",
    };
    format!("next {} newest {}{late}{gap}{}", feedback.next, feedback.newest, runs.join(" "))
}

/// A frame in words: `3 as 7` is frame 3 as transmission 7.
fn describe(frame: Frame) -> String {
    match parse(frame, true).expect("our own frames can be read") {
        Pdu::Data(cut, feedback) => {
            let long = if cut.form == Form::Long { "long " } else { "" };
            let part = match (cut.starts, cut.ends) {
                (true, true) => "",
                (true, false) => "start ",
                (false, false) => "middle ",
                (false, true) => "end ",
            };
            let feedback = feedback.map_or(String::new(), |feedback| format!(" ({})", told(&feedback)));
            format!("{long}{part}{} as {}{feedback}", cut.number, cut.counter)
        }
        Pdu::Piece { cut, offset, is_last } => {
            let end = usize::from(offset) + cut.octets.len();
            format!("{} as {} octets {offset}..{end}{}", cut.number, cut.counter, if is_last { " last" } else { "" })
        }
        Pdu::Feedback(feedback) => told(&feedback),
        Pdu::Poll { counter } => format!("poll as {counter}"),
        Pdu::Repair(Repair { first, counter, count, .. }) => {
            format!("sum of {first}..{} as {counter}", first + u64::from(count))
        }
        Pdu::GivenUp { number, counter, count, .. } => format!("give up {number} + {count} as {counter}"),
    }
}

fn runs(numbers: &[u32]) -> Runs {
    Runs { upward: false, numbers: numbers.iter().copied().collect() }
}

fn feedback(next: u64, newest: u64, numbers: &[u32]) -> Feedback {
    Feedback { form: Form::Short, next, newest, runs: runs(numbers), ..Feedback::default() }
}

/// Feedback in a frame of its own.
fn alone(feedback: &Feedback) -> Frame {
    feedback.frame(feedback.runs.octets(), &mut BytesMut::new())
}

/// A data frame of the peer: a whole packet.
fn data(number: u64, counter: u64, packet: &'static str) -> Frame {
    cut(number, counter, (true, true), packet)
}

fn head_of(number: u64) -> Head {
    Head { narrowest: Form::Short, number: Number::new(number), starts: true, ends: true, link: None, feedback: None }
}

fn cut(number: u64, counter: u64, (starts, ends): (bool, bool), octets: &'static str) -> Frame {
    let head = Head { starts, ends, ..head_of(number) };
    let mut frame = head.frame(octets.into());
    head.write(&mut frame, Counter::new(counter), None);
    frame
}

/// As it comes off the wire.
fn received(frame: &Frame) -> Frame {
    Frame::from_wire(frame.tag, frame.parts().concat().into())
}

/// All that an end has to send in frames of this room; each takes so many milliseconds, of a round trip of 200.
fn send(end: &mut Scripted, room: u64, milliseconds: u64) -> Vec<Frame> {
    let mut sent = Vec::new();
    while let Some(mut frame) = end.service.poll_frame(end.now, Octets::new(room)) {
        if end.start(&mut frame) == Start::Send {
            end.now += Span::from_milliseconds(milliseconds);
            end.depart(&frame, Departure::Sent);
            sent.push(received(&frame));
        }
    }
    sent
}

/// What the test does as the peer of an end, or as its owner.
trait Peer {
    fn hears(&mut self, frame: &Frame) -> &mut Self;
    fn tells(&mut self, next: u64, newest: u64, runs: &[u32]) -> &mut Self;
    fn takes(&mut self, packet: &'static str) -> &mut Self;
    /// Takes frames of this room from it, and checks them.
    fn expect_in(&mut self, room: u64, expected: &str) -> &mut Self;
    /// Whether there is another frame to hand over; if so, it is lost to the test.
    fn has_frame(&mut self) -> bool;
    fn start(&mut self, frame: &mut Frame) -> Start;
    /// The next frame, which goes out at once.
    fn hand_over_and_send(&mut self) -> Frame;
}

impl Peer for Scripted {
    fn hears(&mut self, frame: &Frame) -> &mut Self {
        self.service.handle_frame(received(frame), self.now);
        self
    }

    fn tells(&mut self, next: u64, newest: u64, numbers: &[u32]) -> &mut Self {
        let feedback = feedback(next, newest, numbers);
        self.hears(&alone(&feedback))
    }

    fn takes(&mut self, packet: &'static str) -> &mut Self {
        self.service.handle_packet(Packet::new(packet), self.now).expect("room for a packet");
        self
    }

    fn expect_in(&mut self, room: u64, expected: &str) -> &mut Self {
        let mut seen = Vec::new();
        while let Some(mut frame) = self.service.poll_frame(self.now, Octets::new(room)) {
            assert_eq!(self.start(&mut frame), Start::Send);
            self.depart(&frame, Departure::Sent);
            seen.push(describe(frame));
        }
        assert_eq!(seen.join(", "), expected, "at {:?} in a room of {room}", self.now);
        self
    }

    fn has_frame(&mut self) -> bool {
        self.service.poll_frame(self.now, Octets::MAX).is_some()
    }

    fn start(&mut self, frame: &mut Frame) -> Start {
        self.service.start_frame(frame, self.now)
    }

    fn hand_over_and_send(&mut self) -> Frame {
        let mut frame = self.hand_over();
        assert_eq!(self.start(&mut frame), Start::Send);
        self.depart(&frame, Departure::Sent);
        frame
    }
}

/// Both ends of a link without delay, that loses what it is told to.
struct Pair {
    ends: [Scripted; 2],
    /// The packets that the second end has delivered.
    delivered: Vec<Vec<u8>>,
}

impl Pair {
    fn new(change: impl Fn(&mut Config)) -> Self {
        Self { ends: [end_with(&change), end_with(&change)], delivered: Vec::new() }
    }

    /// The first end sends what it has in frames of this room, the second answers; `loses` says which of the first one's frames.
    fn run(&mut self, milliseconds: u64, room: u64, mut loses: impl FnMut(&str) -> bool) -> &mut Self {
        for end in &mut self.ends {
            end.at(milliseconds);
        }
        loop {
            let mut frames = 0;
            for side in [0, 1] {
                let [sender, receiver] = self.ends.get_disjoint_mut([side, 1 - side]).expect("two ends");
                while let Some(mut frame) = sender.service.poll_frame(sender.now, Octets::new(room)) {
                    frames += 1;
                    let start = sender.start(&mut frame);
                    if start == Start::Send {
                        sender.depart(&frame, Departure::Sent);
                        if side == 1 || !loses(&describe(received(&frame))) {
                            receiver.hears(&frame);
                        }
                    }
                }
            }
            let [_, receiver] = &mut self.ends;
            self.delivered
                .extend(core::iter::from_fn(|| receiver.service.poll_packet()).map(|packet| packet.octets.to_vec()));
            if frames == 0 {
                return self;
            }
        }
    }
}
