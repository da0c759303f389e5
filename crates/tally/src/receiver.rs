//! The receiving half: what has arrived, packets made of it, and what the sender is told.

use super::arrivals::Arrivals;
use super::config::Config;
use super::holes::Holes;
use super::reassembly::{Reassembly, Whole};
use super::repair::decoder::Decoder;
use super::wire::{Cut, Form, MOST_RUNS_ALONE, Repair};
use super::wire::{Feedback, Runs};
use alloc::boxed::Box;
use arqway_arq::{Order, Resequencing};
use arqway_contract::{Counters, LineId, PerLine};
use arqway_ip::Decompressor;
use arqway_units::Time;
use bytes::Bytes;

#[derive(Debug, Clone)]
pub(super) struct Receiver {
    frames: Holes,
    pub(super) arrivals: PerLine<Arrivals>,
    /// The line that the frame came by which is heard.
    line: LineId,
    /// The line that was told of last, where there are several.
    told: LineId,
    reassembly: Reassembly,
    decoder: Decoder,
    order: Order<Bytes>,
    /// Where headers are shortened.
    decompressor: Option<Box<Decompressor>>,
    resequencing: Resequencing,
    /// How far beyond the first missing frame one may be.
    window: u64,
    /// The form of what arrived last: the peer can read feedback in it.
    form: Form,
    /// The last feedback alone told of the highest frames and had no room for all that is missing: the next one tells of others.
    tells_others: bool,
    /// From which frame on.
    others: u64,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            frames: Holes::default(),
            arrivals: PerLine::default(),
            line: LineId::FIRST,
            told: LineId::FIRST,
            reassembly: Reassembly::default(),
            decoder: Decoder::default(),
            order: Order::with_capacity(0),
            decompressor: config.compress_headers.then(Box::default),
            resequencing: config.resequencing.clone(),
            window: config.window.frames(),
            form: Form::Short,
            tells_others: false,
            others: 0,
        }
    }

    /// There is a line of this number.
    pub(super) fn set_line(&mut self, line: LineId) {
        self.arrivals.reach(line, |_| Arrivals::default());
    }

    /// What is heard from now on has come by this line.
    pub(super) fn hears_by(&mut self, line: LineId) {
        self.set_line(line);
        self.line = line;
    }

    /// Takes note of a transmission, whose counter is still the low bits.
    fn note(&mut self, form: Form, counter: u64) {
        self.form = form.max(Form::Short);
        self.arrive(form, counter);
    }

    fn arrive(&mut self, form: Form, counter: u64) {
        let arrivals = self.arrivals.get_mut(self.line);
        arrivals.arrive(form.counter_near(arrivals.newest(), counter));
    }

    /// The number of a frame that has not arrived; `None` for others, which are counted.
    fn number_of(&self, form: Form, bits: u64, counters: &mut Counters) -> Option<u64> {
        let next = self.frames.next();
        let number = form.number_near(next, bits);
        if number < next || self.frames.has(number) {
            counters.duplicates_received += 1;
            return None;
        }
        if number >= next + self.window {
            counters.protocol_errors += 1;
            return None;
        }
        Some(number)
    }

    /// A cut has arrived.
    pub(super) fn receive(&mut self, cut: Cut, now: Time, counters: &mut Counters) {
        self.note(cut.form, cut.counter);
        if let Some(number) = self.number_of(cut.form, cut.number, counters) {
            self.complete(number, cut, now, counters);
            self.work_out(now, counters);
        }
    }

    /// A piece of a cut has arrived.
    pub(super) fn receive_piece(&mut self, cut: Cut, offset: u16, is_last: bool, now: Time, counters: &mut Counters) {
        self.note(cut.form, cut.counter);
        let Some(number) = self.number_of(cut.form, cut.number, counters) else { return };
        if let Some(cut) = self.reassembly.piece(number, cut, offset.into(), is_last) {
            self.complete(number, cut, now, counters);
            self.work_out(now, counters);
        }
    }

    /// A repair frame has arrived.
    pub(super) fn repair(&mut self, mut repair: Repair, now: Time, counters: &mut Counters) {
        self.note(Form::Long, repair.counter);
        let next = self.frames.next();
        repair.first = Form::Long.number_near(next, repair.first);
        if repair.first + u64::from(repair.count) > next + self.window {
            counters.protocol_errors += 1;
            return;
        }
        if self.decoder.repair(&repair, &self.frames).is_some() {
            self.work_out(now, counters);
        }
    }

    /// Frames that follow from repair frames.
    fn work_out(&mut self, now: Time, counters: &mut Counters) {
        while let Some((number, cut)) = self.decoder.poll(self.resequencing.needs_link()) {
            match cut {
                Some(cut) if !self.frames.has(number) => {
                    counters.frames_recovered += 1;
                    self.arrivals.get_mut(self.line).ask();
                    self.complete(number, cut, now, counters);
                }
                Some(_) => {}
                None => counters.protocol_errors += 1,
            }
        }
    }

    fn complete(&mut self, number: u64, cut: Cut, now: Time, counters: &mut Counters) {
        self.decoder.arrive(number, &cut);
        self.frames.arrive(number);
        if let Some(Whole { frames, link, packet }) = self.reassembly.arrive(number, cut) {
            // Without a link it follows the packet before it; or none, where no packet waits for another.
            let follows = self.resequencing.common_link() != Some(0);
            let length = u32::try_from(frames.end - frames.start).unwrap_or(u32::MAX);
            let link = link.unwrap_or(if follows { length } else { 0 });
            self.order.arrive(frames.end - 1, link, packet, now, counters);
        }
        self.advance(now, counters);
    }

    /// Frames of one packet will not come.
    pub(super) fn give_up(
        &mut self,
        bits: u64,
        counter: u64,
        starts: bool,
        count: u16,
        now: Time,
        counters: &mut Counters,
    ) {
        self.note(Form::Long, counter);
        let next = self.frames.next();
        let first = Form::Long.number_near(next, bits);
        let end = (first + u64::from(count)).min(next + self.window);
        let mut missed = 0;
        while let Some(number) = self.frames.first_missing(first.max(next)..end) {
            self.frames.arrive(number);
            self.reassembly.give_up(number, starts && number == first);
            self.decoder.give_up(number);
            missed += 1;
        }
        if missed == 0 {
            counters.duplicates_received += 1;
        }
        counters.frames_abandoned += missed;
        counters.packets_missed += missed.min(1);
        self.advance(now, counters);
    }

    fn advance(&mut self, now: Time, counters: &mut Counters) {
        let edge = self.frames.next();
        counters.packets_missed += self.reassembly.advance(edge);
        self.order.advance(edge, now, counters);
    }

    /// The peer wants to be told, by a transmission with this counter.
    pub(super) fn asked(&mut self, counter: u64) {
        self.arrive(Form::Long, counter);
        self.arrivals.get_mut(self.line).ask();
        // Whatever is outstanding there, it can be read in this form.
        self.form = Form::Long;
    }

    /// Whether the sender has to be told.
    pub(super) fn is_due(&self) -> bool {
        self.arrivals.iter().any(Arrivals::is_due)
    }

    /// Whether a frame that goes that way anyway should tell it.
    pub(super) fn may_ride(&self) -> bool {
        self.arrivals.iter().any(Arrivals::may_ride)
    }

    /// The line that is told of next, where there are several: one that the sender has to be told of, by turns.
    pub(super) fn next_line(&self) -> Option<LineId> {
        if !self.arrivals.are_several() {
            return None;
        }
        let lines = self.arrivals.ids();
        let in_turn = lines.clone().filter(|line| *line > self.told).chain(lines.filter(|line| *line <= self.told));
        let find = |wants: fn(&Arrivals) -> bool| in_turn.clone().find(|line| wants(self.arrivals.get(*line)));
        find(Arrivals::is_due).or_else(|| find(Arrivals::may_ride)).or_else(|| find(|line| line.newest() > 0))
    }

    /// Whether something has arrived beyond a frame that has not.
    pub(super) fn has_gaps(&self) -> bool {
        self.frames.next() < self.frames.end()
    }

    /// How many octets of runs feedback takes now, at most `most`.
    pub(super) fn octets_of_runs(&self, most: usize) -> usize {
        match self.next_line() {
            Some(line) => 1 + self.arrivals.get(line).octets_of_runs(most.saturating_sub(1)),
            None => Runs::of(&self.frames, most).octets(),
        }
    }

    /// Whether data of this form have room for all that the sender is to be told now.
    pub(super) fn fits_beside(&self, form: Form) -> bool {
        let most = form.most_runs();
        match self.next_line() {
            Some(line) => self.arrivals.get(line).fits(most - 1),
            None => self.octets_of_runs(MOST_RUNS_ALONE) <= most,
        }
    }

    /// The form of feedback alone and how many octets of runs it takes, if `most` is what there is room for behind the tag.
    pub(super) fn alone(&self, most: usize) -> Option<(Form, usize)> {
        let room = |form: Form| most.checked_sub(form.head()).map(|room| room.min(MOST_RUNS_ALONE));
        if self.arrivals.are_several() {
            let octets = self.octets_of_runs(room(Form::Long)?);
            return (octets > 1).then_some((Form::Long, octets));
        }
        let downward = Runs::of(&self.frames, room(self.form)?);
        if !self.tells_others || !downward.are_cut() {
            return Some((self.form, downward.octets()));
        }
        // No other form has a bit for it.
        let upward = Runs::upward(&self.frames, self.others, room(Form::Long)?);
        Some((Form::Long, upward.octets()))
    }

    /// What the sender is to be told by feedback alone; it counts as told. The highest frames say what the last transmissions brought, those
    /// below what became of frames that went out again. Where there is no room for all of them, these take turns, a part each time.
    pub(super) fn feedback_alone(&mut self, form: Form, octets: usize) -> Feedback {
        let mut feedback = self.feedback(form, octets);
        if feedback.line.is_some() {
            return feedback;
        }
        let is_cut = feedback.runs.are_cut();
        if is_cut && self.tells_others && form == Form::Long {
            feedback.runs = Runs::upward(&self.frames, self.others, octets);
            self.others = feedback.runs.end(self.frames.next());
            self.tells_others = false;
        } else {
            self.tells_others = is_cut;
        }
        feedback
    }

    /// What the sender is to be told, in so many octets of runs; it counts as told.
    pub(super) fn feedback(&mut self, form: Form, runs: usize) -> Feedback {
        let next = self.frames.next();
        if let Some(line) = self.next_line()
            && let Some((newest, runs)) = self.arrivals.get_mut(line).tell_runs(runs.saturating_sub(1))
        {
            self.told = line;
            let lateness = self.arrivals.get(line).lateness();
            return Feedback { form, next, newest, lateness, line: Some(line), runs };
        }
        let runs = Runs::of(&self.frames, runs);
        // Feedback without runs says that nothing has arrived beyond `next`. If that is not so it must not say that anything newer
        // was seen, either, and the sender is told again.
        // Nor where it is read only if it is in a wider form.
        let is_all = (!runs.numbers.is_empty() || !self.has_gaps()) && form >= self.form;
        let arrivals = &mut self.arrivals.first;
        let newest = if is_all { arrivals.tell_newest() } else { arrivals.told_newest() };
        Feedback { form, next, newest, lateness: arrivals.lateness(), line: None, runs }
    }

    /// The narrowest form of feedback that the peer is sure to read.
    pub(super) fn form(&self) -> Form {
        if self.arrivals.are_several() { Form::Long } else { self.form }
    }

    /// The next packet; `unreadable` are those that cannot be made of what came.
    pub(super) fn poll_packet(&mut self, unreadable: &mut u64) -> Option<Bytes> {
        loop {
            let packet = self.order.poll()?;
            let Some(decompressor) = &mut self.decompressor else { return Some(packet) };
            let whole = decompressor.decompress(packet);
            if whole.is_some() {
                return whole;
            }
            *unreadable += 1;
        }
    }
}
