//! What happens to the data frames of Selective Repeat toward the client, noted as it happens.
//!
//! Everything is read off the frames that pass, at these places:
//!
//! ```text
//!     access point                                                  client
//!       handed over: first time, or again, and why  --> queue
//!       leaves the queue: how long it waited
//!       starts: is it lost?  ------------------------------------->   arrives: what is in sequence now?
//!       acknowledgements, rejects  <-------------------------------
//! ```

use super::numbers::{Arrived, at_or_after};
use arqway_link::LinkLayer;
use arqway_link::selective_repeat::{Pdu, parse};
use arqway_link::{Frame, ServiceId};
use arqway_sim::Probe;
use arqway_sim::channel::Direction;
use arqway_units::{Span, Time};
use std::collections::{BTreeSet, VecDeque};

/// Why a data frame is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// It never was before.
    New,
    /// Its retransmission timer has expired.
    Timeout,
    /// A reject has asked for it since it was last handed over.
    Reject,
}

/// A data frame that starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sent {
    pub(super) at: Time,
    pub(super) number: u64,
    pub(super) cause: Cause,
    pub(super) arrives: bool,
    /// In the queue.
    pub(super) waited: Span,
}

/// A number that something says at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noted {
    pub(super) at: Time,
    pub(super) number: u64,
}

/// What waits in the queue from some time on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Waiting {
    pub(super) at: Time,
    /// Data frames handed over for the first time.
    pub(super) new: u32,
    /// Copies of data frames handed over before.
    pub(super) copies: u32,
    /// Everything else: the lecture's packets, acknowledgements.
    pub(super) others: u32,
}

/// A frame in the queue: a data frame, or anything else.
#[derive(Debug, Clone, Copy)]
struct Queued {
    data: Option<(u64, Cause)>,
    since: Time,
}

/// Watches a run between two times.
#[derive(Debug)]
pub struct Recorder {
    service: ServiceId,
    pub(super) from: Time,
    pub(super) to: Time,
    /// The first number never handed over.
    next: u64,
    acknowledged: u64,
    arrived: Arrived,
    /// StudyOptions for, and not handed over since.
    rejected: BTreeSet<u64>,
    queue: VecDeque<Queued>,
    /// The frame that has left the queue last, until it starts.
    taken: Option<(u64, Cause, Span)>,
    waiting_now: Waiting,
    pub(super) last: Time,
    pub(super) sent: Vec<Sent>,
    pub(super) rejects: Vec<Noted>,
    /// Frames that found no room in the queue.
    pub(super) dropped: Vec<Noted>,
    /// Steps: all before the number is acknowledged, or delivered. The first may lie before `from`.
    pub(super) acknowledgements: Vec<Noted>,
    pub(super) deliveries: Vec<Noted>,
    pub(super) waiting: Vec<Waiting>,
}

impl Recorder {
    /// Watches the first service of a link layer that is Selective Repeat; `None` if there is none.
    #[must_use]
    pub fn new(link_layer: &LinkLayer, from: Time, to: Time) -> Option<Self> {
        let service = super::selective_repeat_in(link_layer)?.0;
        Some(Self {
            service,
            from,
            to,
            next: 0,
            acknowledged: 0,
            arrived: Arrived::default(),
            rejected: BTreeSet::new(),
            queue: VecDeque::new(),
            taken: None,
            waiting_now: Waiting::default(),
            last: Time::ZERO,
            sent: Vec::new(),
            rejects: Vec::new(),
            dropped: Vec::new(),
            acknowledgements: vec![Noted { at: Time::ZERO, number: 0 }],
            deliveries: vec![Noted { at: Time::ZERO, number: 0 }],
            waiting: vec![Waiting::default()],
        })
    }

    fn is_shown(&self, now: Time) -> bool {
        (self.from..=self.to).contains(&now)
    }

    /// A data frame of ours, as it is handed over, and why.
    fn data(&mut self, frame: &Frame) -> Option<(u64, Cause)> {
        let number = frame.ticket.filter(|_| frame.tag.service() == self.service)?.number();
        if number >= self.next {
            self.next = number + 1;
            return Some((number, Cause::New));
        }
        let cause = if self.rejected.remove(&number) { Cause::Reject } else { Cause::Timeout };
        Some((number, cause))
    }

    fn count(&mut self, queued: Queued, change: impl Fn(&mut u32), now: Time) {
        let waiting = &mut self.waiting_now;
        change(match queued.data {
            Some((_, Cause::New)) => &mut waiting.new,
            Some(_) => &mut waiting.copies,
            None => &mut waiting.others,
        });
        waiting.at = now;
        step(&mut self.waiting, *waiting, |waiting| waiting.at, (self.from, self.to));
    }

    fn handle_acknowledgement(&mut self, next: u64, now: Time) {
        let number = at_or_after(self.acknowledged, next);
        if number > self.acknowledged {
            self.acknowledged = number;
            self.rejected = self.rejected.split_off(&number);
            step(&mut self.acknowledgements, Noted { at: now, number }, |noted| noted.at, (self.from, self.to));
        }
    }
}

/// Adds a step; of the steps before `from` only the last is kept, of those at one time too.
fn step<T>(steps: &mut Vec<T>, step: T, at: impl Fn(&T) -> Time, (from, to): (Time, Time)) {
    let now = at(&step);
    if now > to {
        return;
    }
    if let Some(last) = steps.last_mut().filter(|last| now <= from || at(last) == now) {
        *last = step;
    } else {
        steps.push(step);
    }
}

impl Probe for Recorder {
    fn frame_queued(&mut self, direction: Direction, frame: &Frame, now: Time) {
        self.last = now;
        if direction == Direction::Down {
            let queued = Queued { data: self.data(frame), since: now };
            self.queue.push_back(queued);
            self.count(queued, |count| *count += 1, now);
        }
    }

    fn frame_dropped(&mut self, direction: Direction, _: &Frame, now: Time) {
        let Some(queued) = (direction == Direction::Down).then(|| self.queue.pop_back()).flatten() else { return };
        self.count(queued, |count| *count -= 1, now);
        if let Some((number, _)) = queued.data.filter(|_| self.is_shown(now)) {
            self.dropped.push(Noted { at: now, number });
        }
    }

    fn frame_taken(&mut self, direction: Direction, _: &Frame, now: Time) {
        let Some(queued) = (direction == Direction::Down).then(|| self.queue.pop_front()).flatten() else { return };
        self.count(queued, |count| *count -= 1, now);
        self.taken = queued.data.map(|(number, cause)| (number, cause, now.since(queued.since)));
    }

    fn frame_sent(&mut self, direction: Direction, _: &Frame, arrives: bool, now: Time) {
        self.last = now;
        let taken = (direction == Direction::Down).then(|| self.taken.take()).flatten();
        if let Some((number, cause, waited)) = taken.filter(|_| self.is_shown(now)) {
            self.sent.push(Sent { at: now, number, cause, arrives, waited });
        }
    }

    fn frame_received(&mut self, direction: Direction, frame: &Frame, now: Time) {
        self.last = now;
        if frame.tag.service() != self.service {
            return;
        }
        match (direction, parse(frame.clone())) {
            (Direction::Down, Some(Pdu::Data { number, .. })) => {
                if let Some(number) = self.arrived.receive(number) {
                    step(&mut self.deliveries, Noted { at: now, number }, |noted| noted.at, (self.from, self.to));
                }
            }
            (Direction::Up, Some(Pdu::Data { next, .. } | Pdu::Acknowledgement { next })) => {
                self.handle_acknowledgement(next, now);
            }
            (Direction::Up, Some(Pdu::Reject { next, missing })) => {
                self.handle_acknowledgement(next, now);
                let number = at_or_after(self.acknowledged, missing);
                self.rejected.insert(number);
                if self.is_shown(now) {
                    self.rejects.push(Noted { at: now, number });
                }
            }
            (Direction::Down, _) | (Direction::Up, None) => {}
        }
    }
}
