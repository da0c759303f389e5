//! What the peer tells: which frames have arrived, and what became of each transmission.

use super::{Acknowledged, Fate, Outgoing, Sender, Sent};
use crate::config::Mechanism;
use crate::transmissions::Transmission;
use crate::wire::{Arrived, Feedback, Lateness};
use crate::wire::{Form, Number, SHORT_REACH};
use alloc::vec::Vec;
use arqway_contract::{Clock, LineId};
use arqway_units::Time;
use bytes::Bytes;
use core::ops::Range;

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
        if let Some(line) = feedback.line {
            return self.heed_line(line, feedback, timers);
        }
        // A peer that knows of no second line has only heard by the first one.
        let line = LineId::FIRST;
        let unreported = self.lines.get(line).transmissions.unreported();
        if feedback.form == Form::Short && (end - first > SHORT_REACH || unreported > SHORT_REACH) {
            // From before numbers had to be long: it could be read in two ways.
            return Some(());
        }
        self.lines.get_mut(line).keeps_order = feedback.lateness == Lateness::None && feedback.newest > 0;
        let next = feedback.form.from(first, feedback.next);
        if next > end {
            // Old, and its numbers have come round; or of frames that nobody sent.
            return Some(());
        }
        let mut arrived = feedback.runs.read(next, end)?;
        if self.is_without(Mechanism::Bitmap) {
            arrived = Arrived::nothing_beyond(next);
        }
        self.acknowledge(next, arrived.ranges.iter().cloned(), timers);
        let of_line = self.lines.get_mut(line);
        let newest = feedback.form.from(of_line.transmissions.reported(), feedback.newest);
        if let Some(departed) = of_line.transmissions.report(newest) {
            if let Some(departed) = departed {
                of_line.timing.sample(timers.since(departed));
            }
            let mut settled = newest.saturating_sub(feedback.lateness.transmissions());
            if let Some(polled) = of_line.timing.answered(newest) {
                settled = settled.max(core::mem::replace(&mut of_line.answered, polled));
            }
            if self.config.repair {
                self.repairing.tell(next.max(arrived.end), Sent::by(line, newest));
            }
            self.settle(Sent::by(line, settled), next, &arrived);
            self.end_waits(|number| arrived.tells_of(number, next));
        }
        self.rest();
        Some(())
    }

    /// Nobody is asked where nothing is unknown.
    fn rest(&mut self) {
        if self.is_at_rest() {
            for line in self.lines.iter_mut() {
                line.timing.rest();
                line.poll_wanted = false;
            }
        }
    }

    /// The peer tells what has arrived by one of several lines.
    fn heed_line(&mut self, line: LineId, feedback: &Feedback, now: Time) -> Option<()> {
        if line.index() >= self.lines.count() {
            // By that one nothing has gone.
            return None;
        }
        let (first, end) = (self.buffer.first().as_u64(), self.buffer.end().as_u64());
        let next = feedback.form.from(first, feedback.next);
        let transmissions = &self.lines.get(line).transmissions;
        let newest = feedback.form.from(transmissions.reported(), feedback.newest);
        if next > end || newest >= transmissions.next() {
            // Old, and its numbers have come round; or of frames that nobody sent.
            return Some(());
        }
        let transmissions = &mut self.lines.get_mut(line).transmissions;
        let all = feedback.transmissions(newest).filter(|(_, has_arrived)| *has_arrived).flat_map(|(range, _)| range);
        let mut arrived = core::mem::take(&mut self.arrivals);
        arrived.extend(all.filter_map(|counter| transmissions.arrive(counter)));
        let told = arrived.iter().map(|frames| frames.end).max().unwrap_or(0);
        self.acknowledge(next, arrived.drain(..), now);
        self.arrivals = arrived;
        let of_line = self.lines.get_mut(line);
        of_line.keeps_order = feedback.lateness == Lateness::None;
        if let Some(departed) = of_line.transmissions.report(newest) {
            if let Some(departed) = departed {
                of_line.timing.sample(now.since(departed));
            }
            let mut settled = newest.saturating_sub(feedback.lateness.transmissions());
            if let Some(polled) = of_line.timing.answered(newest) {
                settled = settled.max(core::mem::replace(&mut of_line.answered, polled));
            }
            if self.config.repair {
                self.repairing.tell(next.max(told), Sent::by(line, newest));
            }
            self.settle(Sent::by(line, settled), next, &Arrived::nothing_beyond(next));
            self.end_waits(|_| true);
            self.send_first_again(next);
        }
        self.rest();
        Some(())
    }

    fn acknowledge(&mut self, next: u64, arrived: impl Iterator<Item = Range<u64>>, now: Time) {
        for range in arrived {
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
        let round_trip = self.longest_round_trip();
        let Acknowledged { since, frames, in_round_trip } = &mut self.acknowledged;
        if now.since(*since) >= round_trip {
            (*since, *in_round_trip, *frames) = (now, (*frames).max(*in_round_trip / 2), 0);
        }
    }

    fn oldest_has_arrived(&self) -> bool {
        self.buffer.get(self.buffer.first()).is_some_and(|frame| frame.state.fate == Fate::Arrived)
    }

    /// Transmissions of a line up to `settled` have arrived, or never will.
    fn settle(&mut self, Sent { line, counter: settled }: Sent, next: u64, arrived: &Arrived) {
        let of_line = self.lines.get_mut(line);
        // What was judged stays so, even where less is settled now, since transmissions turn out to come later.
        let judged = Sent::by(line, settled.max(of_line.transmissions.judged()));
        let mut unsure = core::mem::take(&mut of_line.unsure);
        unsure.retain(|number| self.judge(*number, judged, next, arrived) == Verdict::Unsure);
        while let Some((counter, Transmission { frames, octets, is_whole, has_arrived, started, departed })) =
            self.lines.get_mut(line).transmissions.judge(settled)
        {
            if !is_whole && self.lines.are_several() {
                self.settle_piece(frames, has_arrived);
                continue;
            }
            let on_line = started..departed.unwrap_or(started);
            for number in frames {
                match self.judge(number, Sent::by(line, counter), next, arrived) {
                    Verdict::Arrived if octets > 0 => self.cuts.judge(octets, on_line.clone(), false),
                    Verdict::Lost if octets > 0 => self.cuts.judge(octets, on_line.clone(), true),
                    Verdict::Arrived | Verdict::Lost | Verdict::Superseded => {}
                    Verdict::Unsure => unsure.push(number),
                }
            }
        }
        self.lines.get_mut(line).unsure = unsure;
    }

    /// A piece of a frame has arrived, or not: then the frame lacks it, whatever has become of those behind it, which may go by other lines.
    fn settle_piece(&mut self, frames: Range<u64>, has_arrived: bool) {
        for number in frames.filter(|_| !has_arrived).map(Number::new) {
            self.buffer.send_again(number, |state| state.fate == Fate::Unknown);
        }
    }

    /// The frame that the peer awaits first went out, and no transmission of it is under way any more: it is not there, whatever was told.
    fn send_first_again(&mut self, next: u64) {
        let Some(frame) = self.buffer.get(Number::new(next)) else { return };
        let Outgoing { last, fate, .. } = &frame.state;
        let is_judged = last.counter > 0 && last.counter <= self.lines.get(last.line).transmissions.judged();
        if is_judged && *fate == Fate::Unknown {
            self.buffer.send_again(Number::new(next), |_| true);
        }
    }

    /// What is under way on a line may be lost with it, and goes again by another.
    pub(super) fn lose_line(&mut self, line: LineId) {
        let of_line = self.lines.get_mut(line);
        of_line.poll_wanted = false;
        of_line.timing.rest();
        let unsure = core::mem::take(&mut of_line.unsure);
        let all = of_line.transmissions.give_up().flat_map(|transmission| transmission.frames);
        let may_be_lost: Vec<u64> = unsure.into_iter().chain(all).collect();
        for number in may_be_lost.into_iter().map(Number::new) {
            let frame = self.buffer.get(number).map(|frame| &frame.state);
            if frame.is_some_and(|state| state.last.line == line && state.fate != Fate::Arrived) {
                self.buffer.send_again(number, |_| true);
            }
        }
        self.repairing.lose_line(line);
        self.end_waits(|_| true);
    }

    /// Judges a transmission of a frame, and has it sent again if it is lost.
    fn judge(&mut self, number: u64, sent: Sent, next: u64, arrived: &Arrived) -> Verdict {
        let number_in_full = Number::new(number);
        let Some(frame) = self.buffer.get(number_in_full) else { return Verdict::Arrived };
        let state = &frame.state;
        if state.last.line != sent.line || state.last.counter > sent.counter {
            return Verdict::Superseded;
        }
        if state.fate == Fate::Arrived {
            return Verdict::Arrived;
        }
        if !arrived.tells_of(number, next) {
            return Verdict::Unsure;
        }
        let answered = self.lines.get(sent.line).answered;
        if state.resent && state.last.counter > answered && self.is_without(Mechanism::Counter) {
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
