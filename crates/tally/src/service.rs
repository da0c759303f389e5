//! Tally as a service: its two halves, and what concerns both.

use super::below::{Below, InQueue, What};
use super::config::{Config, Mechanism};
use super::receiver::Receiver;
use super::sender::{Sender, Sent};
use super::wire::{self, Counter, Feedback, Form, LONGEST_PACKET, MOST_BEFORE_OCTETS, Pdu};
use alloc::boxed::Box;
use arqway_arq::{Deadline, earliest};
use arqway_contract::{
    Clock, Counters, Deadlines, Departure, End, Entity, Frame, LineId, LineState, LinkContext, Packet, SchemeName,
    Service, Start, Tag, Ticket, Turn,
};
use arqway_units::{Octets, Span, Time};
use bytes::{Bytes, BytesMut};

/// Feedback alone leaves the line to others for so many times as long as it takes.
const FEEDBACK_PAUSE: u64 = 8;
/// After the queue below dropped a frame, the next one is tried when a frame has had time to leave.
const UNKNOWN_FRAME_TIME: Span = Span::from_milliseconds(10);

/// Its two halves, and what concerns both.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Apart, since a service is one of many in an enum.
    pub(super) sender: Box<Sender>,
    pub(super) receiver: Receiver,
    pub(super) below: Below,
    /// How long the last frame took to be sent.
    pub(super) frame_time: Span,
    /// Feedback alone waits until then.
    feedback_pause: Deadline,
    /// Data wait until then, since the queue below is full.
    pub(super) pause: Deadline,
    is_linked: bool,
    /// For feedback.
    slab: BytesMut,
    /// Timers start when a frame is handed over, not when it has departed.
    times_hand_over: bool,
    /// The room of a whole transmission, where the owner packs frames.
    whole: Option<Octets>,
    /// By which line goes what is asked for now.
    turn: Turn,
}

impl Tally {
    pub(super) fn new(config: &Config, context: &LinkContext) -> Self {
        Self {
            sender: Box::new(Sender::new(config, context)),
            receiver: Receiver::new(config),
            below: Below::default(),
            frame_time: UNKNOWN_FRAME_TIME,
            feedback_pause: Deadline::default(),
            pause: Deadline::default(),
            is_linked: config.resequencing.needs_link(),
            slab: BytesMut::new(),
            times_hand_over: config.without == Some(Mechanism::Departure),
            whole: None,
            turn: Turn::default(),
        }
    }

    /// Hands over feedback alone, if it is due and no frame with data has room for it.
    fn poll_feedback(&mut self, now: Time, room: Octets, counters: &mut Counters) -> Option<Frame> {
        let waits = self.feedback_pause.get().is_some() || self.below.has_feedback() || !self.turn.is_soonest;
        if waits || !self.receiver.is_due() || self.below.carries_feedback() {
            return None;
        }
        let (form, runs) = self.receiver.alone(room.as_usize().checked_sub(Frame::TAG.as_usize())?)?;
        if runs == 0 && self.receiver.has_gaps() {
            // It could not say so.
            return None;
        }
        counters.acknowledgements_sent += 1;
        // Written afresh when it starts; here for its length.
        let blank = Feedback { form, line: self.receiver.next_line(), ..Feedback::default() };
        let mut frame = blank.frame(runs, &mut self.slab);
        frame.ticket = Some(self.below.push(self.turn.line, What::Feedback(form), now));
        Some(frame)
    }

    /// The form of the next data frame, and how many octets of runs are to be set aside in it, if feedback is to ride there.
    fn ride(&self) -> (Form, Option<usize>) {
        let form = self.sender.form(&self.below, self.frame_time);
        if !self.turn.is_soonest || !self.receiver.may_ride() || self.below.carries_feedback() {
            return (form, None);
        }
        // It has the form of the data, which must be one that the peer can read in both.
        let form = form.max(self.receiver.form());
        (form, Some(self.receiver.octets_of_runs(form.most_runs())))
    }

    /// Whether feedback is due that data have no room for.
    fn has_much_to_tell(&self) -> bool {
        self.receiver.is_due() && !self.receiver.fits_beside(self.receiver.form())
    }
}

impl Service for Config {
    type End = End<Tally>;

    /// It loses none but those that are given up, of which the receiver is told.
    const KNOWS_LOSSES: bool = true;

    const NAMES: &'static [SchemeName] = &[SchemeName::plain("tally")];

    fn build(&self, context: &LinkContext) -> Self::End {
        End::new(Tally::new(self, context))
    }

    /// How long it persists is counted in time, not in attempts: one is counted on.
    fn residual_loss(&self, frame_loss: f64) -> f64 {
        if self.persistence.is_some() { frame_loss * frame_loss } else { 0.0 }
    }

    fn holds_back(&self) -> bool {
        self.resequencing.holds_back()
    }
}

impl Entity for Tally {
    fn has_room(&self) -> bool {
        self.sender.has_room()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        !self.sender.has_waiting()
    }

    fn push(&mut self, packet: Packet, Clock { now, .. }: Clock, counters: &mut Counters) {
        self.sender.push(packet, now, counters);
    }

    fn receive(&mut self, frame: Frame, clock: Clock, counters: &mut Counters) -> Option<()> {
        self.receiver.hears_by(frame.line());
        match wire::parse(frame, self.is_linked)? {
            Pdu::Data(cut, feedback) => {
                self.receiver.receive(cut, clock.now, counters);
                if let Some(feedback) = feedback {
                    self.sender.heed(&feedback, clock)?;
                }
            }
            Pdu::Piece { cut, offset, is_last } => {
                self.receiver.receive_piece(cut, offset, is_last, clock.now, counters);
            }
            Pdu::Feedback(feedback) => self.sender.heed(&feedback, clock)?,
            Pdu::Poll { counter } => self.receiver.asked(counter),
            Pdu::Repair(repair) => self.receiver.repair(repair, clock.now, counters),
            Pdu::GivenUp { number, counter, starts, count } => {
                self.receiver.give_up(number, counter, starts, count, clock.now, counters);
            }
        }
        Some(())
    }

    fn expire(&mut self, clock: Clock, counters: &mut Counters) {
        self.feedback_pause.fire(clock.timers);
        self.pause.fire(clock.timers);
        self.sender.expire(clock, counters);
    }

    fn room_is(&mut self, whole: Octets) {
        self.whole = Some(whole);
        self.sender.set_room(whole);
    }

    fn poll(&mut self, clock: Clock, room: Octets, counters: &mut Counters) -> Option<Frame> {
        // What is cut needs no larger room.
        let room = self.whole.map_or(room, |whole| room.min(whole));
        if self.has_much_to_tell() {
            let alone = self.poll_feedback(clock.timers, room, counters);
            if alone.is_some() {
                return alone;
            }
        }
        // Beside one that waits to start in the same transmission, another one keeps nothing waiting.
        let line = self.turn.line;
        let shares = self.whole.is_some_and(|whole| room < whole) && self.below.is_last_unstarted(line);
        let has_room = shares || self.below.has_room_for_data(line, self.frame_time, self.sender.loses_frames());
        if has_room && self.pause.get().is_none() {
            let (form, ride) = self.ride();
            let is_last = !self.below.has_data(line);
            if let Some((mut frame, what)) = self.sender.poll(clock, room, form, ride, is_last, counters) {
                frame.ticket = Some(self.below.push(line, what, clock.timers));
                return Some(frame);
            }
        }
        self.poll_feedback(clock.timers, room, counters)
    }

    fn start(&mut self, frame: &mut Frame, Clock { timers, .. }: Clock, counters: &mut Counters) -> Start {
        let Self { sender, receiver, below, slab, .. } = self;
        let Some((ticket, queued)) = frame.ticket.and_then(|ticket| Some((ticket, below.get_mut(ticket)?))) else {
            return Start::Send;
        };
        let counter = match sender.start(queued.line, &queued.what, frame, timers, counters) {
            Ok(counter) => counter,
            Err(withdraw) => {
                below.remove(ticket);
                return withdraw;
            }
        };
        queued.started = Some((counter, timers));
        match &queued.what {
            What::Feedback(form) => {
                let runs = frame.body.len();
                let fresh = receiver.feedback_alone(*form, runs).frame(runs, slab);
                (frame.head, frame.body) = (fresh.head, fresh.body);
            }
            What::Data(head) | What::Copy(head) => {
                let feedback = head.feedback.map(|runs| receiver.feedback(head.form(), runs));
                head.write(frame, Counter::new(counter), feedback.as_ref());
            }
            What::Piece(_) | What::GivenUp(_) | What::Poll | What::Repair(_) => {}
        }
        Start::Send
    }

    fn departed(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, Clock { timers, .. }: Clock) {
        let Some(InQueue { line, what, handed_over, started, .. }) = self.below.remove(ticket) else { return };
        let (Departure::Sent, Some((counter, at))) = (departure, started) else {
            self.sender.dropped(line, &what);
            let pause = if what.is_feedback() { &mut self.feedback_pause } else { &mut self.pause };
            pause.restart(timers + self.frame_time);
            return;
        };
        let took = timers.since(at);
        if what.is_feedback() {
            if took > Span::ZERO {
                self.feedback_pause.restart(at + took * FEEDBACK_PAUSE);
            }
        } else if matches!(what, What::Data(_)) {
            self.frame_time = took.max(Span::from_milliseconds(1));
            self.sender.repairing.frame_took(took);
        }
        let is_last = !self.below.has_data(line);
        let since = if self.times_hand_over { handed_over } else { timers };
        self.sender.departed(&what, Sent::by(line, counter), is_last, self.frame_time, since);
    }

    fn turn_is(&mut self, turn: Turn) {
        self.turn = turn;
        self.sender.set_turn(turn);
    }

    fn line_is(&mut self, line: LineId, state: LineState, _now: Clock) {
        self.sender.set_line(line, state);
        self.receiver.set_line(line);
    }

    fn spans_lines(&self) -> bool {
        true
    }

    fn link_is_back(&mut self) {
        self.sender.link_is_back();
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        let least = MOST_BEFORE_OCTETS + Octets::new(16);
        if room < least { Octets::ZERO } else { Octets::of(LONGEST_PACKET - self.sender.most_added()) }
    }

    fn release(&mut self, counters: &mut Counters) -> Option<Bytes> {
        let Self { sender, receiver, .. } = self;
        let mut unreadable = 0;
        let packet = sender.buffer.release(|| receiver.poll_packet(&mut unreadable), counters);
        counters.protocol_errors += unreadable;
        packet
    }

    fn deadlines(&self) -> Deadlines {
        let pauses = earliest(self.feedback_pause.get(), self.pause.get());
        Deadlines { now: self.sender.expiry(), timers: earliest(self.sender.deadline(), pauses) }
    }
}
