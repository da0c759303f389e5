//! The queue and the line below a service: one frame at a time goes out, each takes a millisecond.

use arqway_link::fuzz::Input;
use arqway_link::{Frame, Packet, Port, Tag, Ticket};
use arqway_units::{Octets, Span, Time};
use std::collections::VecDeque;

const TIME_ON_LINE: Span = Span::from_milliseconds(1);
/// More than any configuration here has to hand over at one time: a service that goes on does not come to rest.
const MOST_IN_A_TURN: usize = 200_000;

/// The line below one end, and what it has seen.
pub(crate) struct Line {
    queue: VecDeque<Frame>,
    /// How many frames the queue holds.
    room: usize,
    /// A queue without room drops; else it takes no more.
    drops: bool,
    on_line: Option<(Time, Tag, Option<Ticket>)>,
    /// Frames go out; otherwise somebody else has the line.
    pub(crate) is_free: bool,
    pub(crate) is_down: bool,
    pub(crate) deadline: Option<Time>,
    /// Frames that went out and that nobody has looked at yet.
    pub(crate) sent: Vec<Frame>,
    pub(crate) delivered: Vec<Packet>,
    /// How many services there are. A frame of none of them, a multiplexer's own, is counted by nobody.
    pub(crate) services: usize,
    /// How many frames a service handed over.
    pub(crate) handed_over: u64,
    /// How many of them were asked whether to start.
    pub(crate) asked: u64,
    pub(crate) transmitted: u64,
    in_this_turn: usize,
}

impl Line {
    pub(crate) fn new(input: &mut Input<'_>) -> Self {
        Self::with_queue(input.between(1, 40).into(), input.flag())
    }

    pub(crate) fn with_queue(room: usize, drops: bool) -> Self {
        Self {
            queue: VecDeque::new(),
            room,
            drops,
            on_line: None,
            is_free: true,
            is_down: false,
            deadline: None,
            sent: Vec::new(),
            delivered: Vec::new(),
            services: usize::MAX,
            handed_over: 0,
            asked: 0,
            transmitted: 0,
            in_this_turn: 0,
        }
    }

    pub(crate) fn begin_turn(&mut self) {
        self.in_this_turn = 0;
    }

    /// How many frames it holds.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Whether a frame is on the line, the last of those sent.
    pub(crate) fn is_busy(&self) -> bool {
        self.on_line.is_some()
    }

    /// When something happens here next, if nobody does anything.
    pub(crate) fn next_event(&self) -> Option<Time> {
        let departure = self.on_line.map(|(at, ..)| at);
        [departure, self.deadline].into_iter().flatten().min()
    }

    /// The frame whose last bit is out by now.
    pub(crate) fn take_departed(&mut self, now: Time) -> Option<(Tag, Option<Ticket>)> {
        self.on_line.take_if(|(at, ..)| *at <= now).map(|(_, tag, ticket)| (tag, ticket))
    }
}

impl Port for Line {
    fn room(&self) -> Option<Octets> {
        (self.drops || self.queue.len() < self.room).then_some(Octets::MAX)
    }

    fn hand_over(&mut self, frame: Frame, _now: Time) -> Result<(), Frame> {
        self.handed_over += u64::from(frame.tag.service().index() < self.services);
        self.in_this_turn += 1;
        assert!(self.in_this_turn < MOST_IN_A_TURN, "the service hands over frames without end");
        if self.queue.len() >= self.room {
            return Err(frame);
        }
        self.queue.push_back(frame);
        Ok(())
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.on_line.is_some() || self.is_down || !self.is_free {
            return None;
        }
        let frame = self.queue.pop_front()?;
        self.asked += 1;
        Some(frame)
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        self.transmitted += 1;
        self.on_line = Some((now + TIME_ON_LINE, frame.tag, frame.ticket));
        // Off a wire: the far end must not rely on where the head ended.
        let octets = frame.parts().concat();
        self.sent.push(Frame::from_wire(frame.tag, octets.into()));
    }

    fn deliver(&mut self, packet: Packet, _now: Time) {
        self.delivered.push(packet);
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    fn finish(&mut self, _now: Time) {}
}
