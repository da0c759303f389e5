//! What the peer tells: which frames have arrived, and what became of each transmission.

use super::{Acknowledged, Fate, Sender};
use crate::config::Mechanism;
use crate::transmissions::Transmission;
use crate::wire::{Arrived, Feedback, Lateness};
use crate::wire::{Form, Number, SHORT_REACH};
use arqway_contract::Clock;
use arqway_units::Time;
use bytes::Bytes;

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

impl Sender {
    /// The peer tells what has arrived.
    pub(crate) fn heed(&mut self, feedback: &Feedback, Clock { timers, .. }: Clock) -> Option<()> {
        let (first, end) = (self.buffer.first().as_u64(), self.buffer.end().as_u64());
        if feedback.form == Form::Short && (end - first > SHORT_REACH || self.transmissions.unreported() > SHORT_REACH)
        {
            // From before numbers had to be long: it could be read in two ways.
            return Some(());
        }
        self.keeps_order = feedback.lateness == Lateness::None && feedback.newest > 0;
        let next = feedback.form.from(first, feedback.next);
        if next > end {
            // Old, and its numbers have come round; or of frames that nobody sent.
            return Some(());
        }
        let mut arrived = feedback.runs.read(next, end)?;
        if self.is_without(Mechanism::Bitmap) {
            arrived = Arrived::nothing_beyond(next);
        }
        self.acknowledge(next, &arrived, timers);
        let newest = feedback.form.from(self.transmissions.reported(), feedback.newest);
        if let Some(departed) = self.transmissions.report(newest) {
            if self.config.repair {
                self.repairing.tell(next.max(arrived.end), newest);
            }
            if let Some(departed) = departed {
                self.timing.sample(timers.since(departed));
            }
            let mut settled = newest.saturating_sub(feedback.lateness.transmissions());
            if let Some(polled) = self.timing.answered(newest) {
                settled = settled.max(core::mem::replace(&mut self.answered, polled));
            }
            self.settle(settled, next, &arrived);
            self.end_waits(|number| arrived.tells_of(number, next));
        }
        if self.is_at_rest() {
            self.timing.rest();
            self.poll_wanted = false;
        }
        Some(())
    }

    fn acknowledge(&mut self, next: u64, arrived: &Arrived, now: Time) {
        for range in &arrived.ranges {
            while let Some(number) = self.told.first_missing(range.clone()) {
                self.told.arrive(number);
                let Some(frame) = self.buffer.get_mut(Number::new(number)) else { continue };
                frame.state.fate = Fate::Arrived;
                frame.packet = Bytes::new();
                self.acknowledged.frames += 1;
                self.arrived += 1;
                self.buffer.unqueue(Number::new(number));
            }
        }
        // A peer that says of a frame that it has arrived, and later that it is missing, gets it no more: its octets are gone.
        let next = Number::new(next);
        while self.buffer.first() < next || self.oldest_has_arrived() {
            match self.buffer.pop_front() {
                Some(frame) if frame.state.fate == Fate::Arrived => self.arrived -= 1,
                _ => self.acknowledged.frames += 1,
            }
        }
        let first = self.buffer.first();
        self.told.advance(first.as_u64());
        self.buffer.unlink_before(first);
        debug_assert!(self.told.next() >= first.as_u64(), "nothing is kept of frames that are acknowledged");
        self.packets.acknowledged(first.as_u64());
        let Acknowledged { since, frames, in_round_trip } = &mut self.acknowledged;
        if now.since(*since) >= self.timing.round_trip() {
            (*since, *in_round_trip, *frames) = (now, (*frames).max(*in_round_trip / 2), 0);
        }
    }

    fn oldest_has_arrived(&self) -> bool {
        self.buffer.get(self.buffer.first()).is_some_and(|frame| frame.state.fate == Fate::Arrived)
    }

    /// Transmissions up to `settled` have arrived, or never will.
    fn settle(&mut self, settled: u64, next: u64, arrived: &Arrived) {
        // What was judged stays so, even where less is settled now, since transmissions turn out to come later.
        let judged = settled.max(self.transmissions.judged());
        let mut unsure = core::mem::take(&mut self.unsure);
        unsure.retain(|number| self.judge(*number, judged, next, arrived) == Verdict::Unsure);
        self.unsure = unsure;
        while let Some((counter, Transmission { frames, octets, started, departed })) =
            self.transmissions.judge(settled)
        {
            let line = started..departed.unwrap_or(started);
            for number in frames {
                match self.judge(number, counter, next, arrived) {
                    Verdict::Arrived if octets > 0 => self.cuts.judge(octets, line.clone(), false),
                    Verdict::Lost if octets > 0 => self.cuts.judge(octets, line.clone(), true),
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
        if !arrived.tells_of(number, next) {
            return Verdict::Unsure;
        }
        if state.resent && state.last > self.answered && self.is_without(Mechanism::Counter) {
            // Only the answer to a poll tells of what went out again.
            return Verdict::Unsure;
        }
        // What is only kept for some time may be too old by then.
        let ages = self.packets.expiry(state.packet).is_some();
        if ages || !self.repairing.awaits(number, state.last) {
            self.buffer.send_again(number_in_full, |_| true);
        }
        Verdict::Lost
    }
}
