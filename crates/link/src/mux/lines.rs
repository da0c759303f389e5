//! Which service's frames go by which line, where the link has several.
//!
//! ```text
//!     reliable   spans lines    | 12 11 10  9 |==> line 0, 20 ms: brings a frame soonest, and takes what it can
//!                                             \..> line 1, 270 ms: what would wait for line 0 for 250 ms and more
//!     low delay  one at a time  | 3 |=========> line 0: another one only if that is better by much, or line 0 is gone
//!                                   \........> line 1: a copy, where that is set
//! ```
//!
//! By a spare line nothing goes but what asks about it, as long as another is up.
//!
//! A packet is best on the line by which it arrives first, given what stands before it (earliest completion, as MPTCP's ECF has it: Lim et al.,
//! `CoNEXT` 2017). A slower line therefore gets packets only while so many wait that the faster ones would be longer about them. Once it has
//! some, those behind them wait for these at the peer, and it goes on while anything waits: more of them make nothing later (BLEST: Ferlin et
//! al., IFIP Networking 2016). They are taken from the flow with the most packets, so a page never waits for a slow line on which a file goes.

use super::scheduler::{LaneId, Scheduler};
use super::{Lane, Mux, Set};
use alloc::vec::Vec;
use arqway_contract::{Departure, Frame, LineId, LineState, LinkService, PerLine, Turn};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};
use arrayvec::ArrayVec;

/// What a line is judged by: a packet of this size.
const PACKET: Octets = Octets::new(1500);
/// A line that has packets of a service goes on until this part is left of what it needed to begin.
const PART_LEFT: u64 = 8;
/// Whoever has one line at a time leaves it for one that is better by a quarter and so much.
const SOONER: Span = Span::from_milliseconds(5);

/// What it is to lose all packets, where losing none is nothing: 1 % counts as 150 ms, as for speech with concealment (ITU-T G.107).
const ALL_LOST: f64 = 15.0;

/// So many copies wait for a line: those behind them go once.
const COPIES: usize = 4;

/// Lines of a link with several.
#[derive(Debug)]
pub(super) struct Lines {
    /// What is known of each; nothing at first.
    states: PerLine<Option<LineState>>,
    /// The line that frames are asked for by.
    pub(super) turn: LineId,
    /// Services that may have frames for it.
    pub(super) may_ask: Set,
    /// By the number of a service.
    services: Vec<OfService>,
}

/// What lines are to a service.
#[derive(Debug, Clone, Copy)]
struct OfService {
    /// Where it has one at a time, which.
    line: LineId,
    /// The one that brings copies soonest, of the others.
    second: Option<LineId>,
    /// Whether it wants the fastest line, not the one with the shortest delay.
    wants_rate: bool,
    /// Which lines have had packets of it since it had none: a bit each.
    used: u8,
}

/// What a line costs a service that loses so much of what a line loses: the delay of a packet, and what it is worth that it arrives.
fn cost(state: LineState, residual: impl Fn(f64) -> f64) -> Span {
    let lost = state.loss.map_or(0.0, |loss| residual(loss.as_f64()));
    state.delay(PACKET) + Span::from_seconds(lost * ALL_LOST)
}

/// A line that loses less than the present one, with what a thousand datagrams may tell by chance: up to that it loses as much.
fn beyond_chance(other: LineState, present: LineState) -> LineState {
    let [lost, lost_at_present] = [other, present].map(|line| line.loss.map_or(0.0, Ratio::as_f64));
    let by_chance = (lost + lost_at_present / 2.0 + 0.003).min(lost_at_present);
    LineState { loss: Ratio::new(lost.max(by_chance)), ..other }
}

impl Lines {
    pub(super) fn new(want_rates: impl Iterator<Item = bool>) -> Self {
        let of = |wants_rate| OfService { line: LineId::FIRST, second: None, wants_rate, used: 0 };
        Self {
            states: PerLine::new(None),
            turn: LineId::FIRST,
            may_ask: Set::of_first(usize::MAX),
            services: want_rates.map(of).collect(),
        }
    }

    /// Something is known of a line. Whether it has just gone. `residual` is what a service loses, by its number, where a line loses so much.
    fn know(&mut self, line: LineId, state: LineState, residual: impl Fn(usize, f64) -> f64) -> bool {
        self.states.reach(line, |_| None);
        let before = self.states.get_mut(line).replace(state);
        self.choose(residual);
        !state.is_up && before.is_none_or(|before| before.is_up)
    }

    /// Lines that frames go by: spare ones only where there are no others.
    fn used(&self) -> impl Iterator<Item = (LineId, LineState)> + Clone {
        let has_other = self.states.iter().flatten().any(|state| state.is_up && !state.is_spare);
        let known = self.states.ids().zip(self.states.iter()).filter_map(|(line, state)| Some((line, (*state)?)));
        known.filter(move |(_, state)| state.is_up && !(has_other && state.is_spare))
    }

    /// Those of them that are not slow beside another: what spans lines goes by these.
    fn fast(&self) -> impl Iterator<Item = (LineId, LineState)> + Clone {
        let all_are_slow = self.used().all(|(_, state)| state.is_slow);
        self.used().filter(move |(_, state)| all_are_slow || !state.is_slow)
    }

    /// The one of these that brings a packet soonest.
    fn soonest_of_fast(&self) -> Option<LineId> {
        self.fast().min_by_key(|(_, state)| state.delay(PACKET)).map(|(line, _)| line)
    }

    /// The line that brings a packet soonest.
    pub(super) fn soonest(&self) -> Option<LineId> {
        self.used().min_by_key(|(_, state)| state.delay(PACKET)).map(|(line, _)| line)
    }

    /// Each service with one line at a time has the best one, or the one that it had where no other is better by much.
    fn choose(&mut self, residual: impl Fn(usize, f64) -> f64) {
        let soonest = self.soonest();
        let fastest =
            self.used().max_by_key(|(line, state)| (state.rate, Some(*line) == soonest)).map(|(line, _)| line);
        let states: ArrayVec<(LineId, LineState), { LineId::COUNT }> = self.used().collect();
        let state = |line: LineId| states.iter().find(|(other, _)| *other == line).map(|(_, state)| *state);
        for (index, service) in self.services.iter_mut().enumerate() {
            let cost = |state: LineState| cost(state, |loss| residual(index, loss));
            let cheapest = || states.iter().min_by_key(|(_, state)| cost(*state)).map(|(line, _)| *line);
            let best = if service.wants_rate { fastest } else { cheapest() };
            let Some((best, of_best)) = best.and_then(|best| Some((best, state(best)?))) else { continue };
            let stays = state(service.line).is_some_and(|present| {
                if service.wants_rate {
                    let bits = |state: LineState| state.rate.map_or(u64::MAX, |rate| rate.as_bits_per_second());
                    bits(of_best) / 4 <= bits(present) / 3
                } else {
                    cost(beyond_chance(of_best, present)) + (SOONER + present.delay(PACKET) / 4) >= cost(present)
                }
            });
            if !stays {
                service.line = best;
            }
            let others = states.iter().filter(|(line, _)| *line != service.line);
            service.second = others.min_by_key(|(_, state)| cost(*state)).map(|(line, _)| *line);
        }
    }

    /// What a service is to give to the line whose turn it is, of which so much waits; nothing where that has another line.
    fn turn_of(&mut self, index: usize, spans: bool, waiting: Option<Octets>) -> Option<Turn> {
        let line = self.turn;
        let service = self.services.get(index)?;
        if !spans {
            return (service.line == line).then_some(Turn::of(line));
        }
        let is_soonest = self.soonest_of_fast().is_none_or(|soonest| soonest == line);
        let is_used = self.fast().any(|(used, _)| used == line);
        let is_tried = self.states.get(line).is_some_and(|state| state.is_tried);
        let is_for_copies = is_tried && !is_used;
        let is_for_new =
            is_soonest || is_used && self.is_for_new(line, service.used & 1 << line.number() != 0, waiting);
        let service = self.services.get_mut(index)?;
        let bit = 1 << line.number();
        service.used = if is_for_new { service.used | bit } else { service.used & !bit };
        Some(Turn { line, is_for_new, is_soonest, is_for_copies })
    }

    /// Whether a packet arrives by this line before it would by the faster ones, behind what waits for these. Where nobody knows how fast they
    /// are, or how much waits, each takes frames as fast as it can.
    fn is_for_new(&self, line: LineId, is_used: bool, waiting: Option<Octets>) -> bool {
        let Some(own) = self.states.get(line).map(|state| state.delay(PACKET)) else { return false };
        let sooner = self.fast().filter(|(other, state)| *other != line && state.delay(PACKET) < own);
        let Some(least) = sooner.clone().map(|(_, state)| state.delay(PACKET)).min() else { return true };
        let rates = sooner.map(|(_, state)| state.rate.map(|rate| rate.as_bits_per_second()));
        let rate = rates.sum::<Option<u64>>().and_then(BitRate::from_bits_per_second);
        let Some((rate, waiting)) = rate.zip(waiting) else { return true };
        let ahead = own - least;
        rate.time_to_send(waiting) > if is_used { ahead / PART_LEFT } else { ahead }
    }
}

impl Lines {
    /// A frame of a service also goes by another line, where there is one.
    pub(super) fn duplicate(&self, index: usize, frame: &Frame, schedulers: &mut PerLine<Scheduler<Frame>>) {
        let Some(second) = self.services.get(index).and_then(|service| service.second) else { return };
        let scheduler = schedulers.get_mut(second);
        if scheduler.waiting(LaneId(index)) < COPIES {
            let mut copy = frame.clone();
            copy.ticket = None;
            scheduler.push(LaneId(index), copy.size(), copy);
        }
    }
}

impl<S: LinkService> Mux<S> {
    /// Frames go by another line from now on.
    pub(super) fn turn_to(&mut self, line: LineId) {
        let Some(lines) = &mut self.lines else { return };
        lines.turn = line;
        lines.may_ask = Set::NONE;
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            if let Some(turn) = lines.turn_of(index, lane.service.spans_lines(), lane.waiting()) {
                lane.set_turn(turn);
                lines.may_ask.add(index);
            }
        }
        // What had nothing for one line may have something for another.
        (self.with_frames, self.drained_in) = (self.all(), Octets::MAX);
    }

    /// Something is known of a line: there are several.
    pub(super) fn know_line(&mut self, line: LineId, state: LineState, now: Time) {
        let lanes = &self.lanes;
        let lines = self.lines.get_or_insert_with(|| Lines::new(lanes.iter().map(Lane::wants_rate)).into());
        let residual = |index: usize, loss| lanes.get(index).map_or(loss, |lane| lane.residual_loss(loss));
        let has_gone = lines.know(line, state, residual);
        let other = lines.soonest();
        let (config, shares) = (self.scheduled, &self.shares);
        self.schedulers.reach(line, |_| Scheduler::new(config, shares));
        if has_gone {
            self.empty(line, other, now);
        }
        for lane in &mut self.lanes {
            lane.service.handle_line(line, state, now);
        }
        (self.with_frames, self.with_packets) = (self.all(), self.all());
    }

    /// What waits for a line that has gone does not go by it: services that want to know are told, and others' frames go by another.
    fn empty(&mut self, line: LineId, other: Option<LineId>, now: Time) {
        while let Some((lane, frame)) = self.schedulers.get_mut(line).pop() {
            let Frame { tag, ticket, .. } = frame;
            match (ticket, other.filter(|other| *other != line)) {
                (Some(ticket), _) => {
                    if let Some(lane) = self.told(tag.service().index()) {
                        lane.service.handle_departure(tag, ticket, Departure::Dropped, now);
                    }
                }
                (None, Some(other)) => self.schedulers.get_mut(other).push(lane, frame.size(), frame),
                (None, None) => {}
            }
        }
    }
}
