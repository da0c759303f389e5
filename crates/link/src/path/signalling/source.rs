//! The end that a flow comes from: it advertises, and learns what is set aside.

use super::{Message, Timing, What, Why};
use crate::mux::FlowId;
use crate::path::{Choice, Needs};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_units::{Span, Time};

/// How a flow's reservation stands.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// The path has not answered, or not for so long that nothing may be left.
    Asked,
    /// Each link has set its part aside.
    Reserved(Choice),
    /// The path has not what it needs; it is asked again.
    Refused(Why),
}

/// A flow's source.
#[derive(Debug)]
pub struct Source {
    flow: FlowId,
    needs: Needs,
    timing: Timing,
    /// Of the last advertisement.
    number: u32,
    state: State,
    /// When the path was last known to have set all aside.
    reserved_at: Time,
    /// When it advertises again, and how long after the last time.
    next: Time,
    wait: Span,
    outbox: VecDeque<Message>,
}

impl Source {
    /// A flow that needs this from now on. Its advertisements are counted from behind `before`: a number beyond all that this flow has used
    /// in another life, such as the seconds since 1970, since it advertises less than once a second.
    #[must_use]
    pub fn new(flow: FlowId, needs: Needs, timing: Timing, before: u32, now: Time) -> Self {
        let state = State::Asked;
        let mut source = Self {
            flow,
            needs,
            timing,
            number: before,
            state,
            reserved_at: now,
            next: now,
            wait: timing.retry,
            outbox: VecDeque::new(),
        };
        source.advertise(now);
        source
    }

    /// How its reservation stands.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// It needs no more: what is set aside is given back.
    #[must_use]
    pub fn release(self) -> Message {
        self.message(What::Release)
    }

    /// A message arrives.
    pub fn handle(&mut self, message: Message, now: Time) {
        match message.what {
            What::Change if message.number >= self.number => {
                self.state = State::Asked;
                self.wait = self.timing.retry;
                self.advertise(now);
            }
            What::Reserve { links } if message.number == self.number => {
                self.state = State::Reserved(Choice::of(links.iter().map(|(offer, _)| offer)));
                self.reserved_at = now;
                self.answered(now);
            }
            What::Refuse(why) if message.number == self.number => {
                self.state = State::Refused(why);
                let release = self.message(What::Release);
                self.outbox.push_back(release);
                self.answered(now);
            }
            _ => {}
        }
    }

    /// The path has answered: it is asked again to renew.
    fn answered(&mut self, now: Time) {
        (self.next, self.wait) = (now + self.timing.refresh, self.timing.retry);
    }

    fn advertise(&mut self, now: Time) {
        self.number = self.number.saturating_add(1);
        let message = self.message(What::Advertise { needs: self.needs, links: Vec::new() });
        self.outbox.push_back(message);
        self.next = now + self.wait;
        self.wait = (self.wait * 2).min(self.timing.refresh);
    }

    fn message(&self, what: What) -> Message {
        Message { flow: self.flow, number: self.number, what }
    }

    /// The next message to send, toward the destination.
    pub fn poll(&mut self) -> Option<Message> {
        self.outbox.pop_front()
    }

    /// When it has something to do.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        Some(if matches!(self.state, State::Reserved(_)) { self.next.min(self.ends()) } else { self.next })
    }

    /// When nothing may be set aside any more, unless it is renewed.
    fn ends(&self) -> Time {
        self.reserved_at + self.timing.lifetime
    }

    /// Advertises where that is due. What has not been renewed for long may be gone.
    pub fn handle_timeout(&mut self, now: Time) {
        if matches!(self.state, State::Reserved(_)) && now >= self.ends() {
            self.state = State::Asked;
        }
        if now >= self.next {
            self.advertise(now);
        }
    }
}
