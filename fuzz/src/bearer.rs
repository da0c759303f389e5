//! Two bearers over a path on which anything happens to datagrams: they are lost, doubled, swapped, changed, forged; the path
//! goes down, ends restart, and their owners sleep. No call panics or breaks the contract, and once the path is well both
//! ends are up; where nobody wrote datagrams but they, a packet of each crosses, if its service delivers what crosses a path
//! without losses.

use super::configs;
use super::contents;
use arqway_link::bearer::{Bearer, Config, Rate};
use arqway_link::fuzz::Input;
use arqway_link::mux::Plan;
use arqway_link::{
    Checked, Departure, Frame, LinkContext, LinkService, LinkState, Mux, Packet, Port, Side, Tag, Ticket, pump,
};
use arqway_units::{BitRate, Octets, Span, Time};
use std::collections::VecDeque;

const MOST_OPERATIONS: usize = 200;
/// A datagram takes so long on the line.
const TIME_ON_LINE: Span = Span::from_milliseconds(1);

type End = Checked<Bearer<Mux>>;

/// What a bearer's datagrams go onto: one at a time.
#[derive(Default)]
struct Line {
    waiting: Option<Frame>,
    on_line: Option<(Time, Tag, Option<Ticket>)>,
    sent: VecDeque<Frame>,
    delivered: Vec<Packet>,
    deadline: Option<Time>,
}

impl Port for Line {
    fn room(&self) -> Option<Octets> {
        (self.waiting.is_none() && self.on_line.is_none()).then_some(Octets::new(1500))
    }

    fn hand_over(&mut self, frame: Frame, _now: Time) -> Result<(), Frame> {
        self.waiting = Some(frame);
        Ok(())
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.on_line.is_none() { self.waiting.take() } else { None }
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        self.on_line = Some((now + TIME_ON_LINE, frame.tag, frame.ticket));
        self.sent.push_back(Frame::from_wire(frame.tag, frame.parts().concat().into()));
    }

    fn deliver(&mut self, packet: Packet, _now: Time) {
        self.delivered.push(packet);
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    fn finish(&mut self, _now: Time) {}
}

struct World {
    plan: Plan,
    config: Config,
    ends: [End; 2],
    lines: [Line; 2],
    now: Time,
    boots: u64,
    /// The packets asked for at the end have a service that delivers them.
    crosses: bool,
    /// Somebody else wrote a datagram: services may take it for their peer's.
    is_forged: bool,
}

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let services = configs::mux(&mut input);
    let plan = services.plan().expect("few services and no rates");
    let given = input.flag().then(|| u64::from(input.number()));
    let rate = match given {
        None => Rate::Unpaced,
        Some(number) if number % 4 == 0 => Rate::AUTOMATIC,
        Some(number) => BitRate::from_bits_per_second(64_000 + 1000 * number).map_or(Rate::Unpaced, Rate::Fixed),
    };
    let config = Config { rate, pack_delay: input.span(0, 20), ..Config::default() };
    let mut world = World::new(plan, config);
    let carrier = world.ends[0].inner().inner().service_of(&contents::numbered(7));
    // RLC tells of a packet's end by the next one, and RLP by a keepalive, if it has one.
    world.crosses = ["raw", "selective-repeat", "go-back-n"].contains(&services.services()[carrier.index()].kind());
    for _ in 0..MOST_OPERATIONS {
        if input.is_empty() {
            break;
        }
        world.operate(&mut input);
    }
    world.becomes_well();
}

impl World {
    fn new(plan: Plan, config: Config) -> Self {
        let ends = [Side::AccessPoint, Side::Client].map(|side| end(&plan, &config, side, 1 + side as u64, Time::ZERO));
        Self {
            plan,
            config,
            ends,
            lines: Default::default(),
            now: Time::ZERO,
            boots: 3,
            crosses: false,
            is_forged: false,
        }
    }

    fn operate(&mut self, input: &mut Input<'_>) {
        let which = input.index(2);
        match input.index(12) {
            0 | 1 => {
                let packet = Packet::new(contents::packet(input));
                // A packet that finds no room is its owner's to drop.
                let _ = self.ends[which].handle_packet(packet, self.now);
            }
            2 => {
                let datagram = Frame::from_wire(Tag::from_octet(input.octet()), input.octets(40).to_vec().into());
                self.ends[which].handle_frame(datagram, self.now);
                self.is_forged = true;
            }
            3 | 4 => self.carry(which, 1),
            5 => self.carry(which, 2),
            6 => drop(self.lines[which].sent.pop_front()),
            7 => {
                if let Some(first) = self.lines[which].sent.pop_front() {
                    self.lines[which].sent.push_back(first);
                }
            }
            8 => self.change(which, input),
            9 => {
                let state = if input.flag() { LinkState::Up } else { LinkState::Down };
                self.ends[which].handle_link(state, self.now);
            }
            10 => {
                let side = [Side::AccessPoint, Side::Client][which];
                self.ends[which] = end(&self.plan, &self.config, side, self.boots, self.now);
                self.boots += 1;
                self.lines[which] = Line { sent: std::mem::take(&mut self.lines[which].sent), ..Line::default() };
            }
            _ => self.now += input.span(0, 3000),
        }
        self.turn();
    }

    /// The next datagram of an end arrives, so often.
    fn carry(&mut self, from: usize, copies: usize) {
        let Some(datagram) = self.lines[from].sent.pop_front() else { return };
        for _ in 0..copies {
            self.ends[1 - from].handle_frame(datagram.clone(), self.now);
        }
    }

    /// It arrives with another octet.
    fn change(&mut self, from: usize, input: &mut Input<'_>) {
        let Some(datagram) = self.lines[from].sent.pop_front() else { return };
        self.is_forged = true;
        let mut octets = datagram.parts().concat();
        let (place, value) = (usize::from(input.octet()), input.octet());
        if let Some(octet) = octets.get_mut(place) {
            *octet = value;
        }
        self.ends[1 - from].handle_frame(Frame::from_wire(datagram.tag, octets.into()), self.now);
    }

    /// What is due happens, and both ends are drained.
    fn turn(&mut self) {
        for (end, line) in self.ends.iter_mut().zip(&mut self.lines) {
            if let Some((_, tag, ticket)) = line.on_line.take_if(|(at, ..)| *at <= self.now)
                && let Some(ticket) = ticket
            {
                end.handle_departure(tag, ticket, Departure::Sent, self.now);
            }
            if end.poll_timeout().is_some_and(|deadline| deadline <= self.now) {
                end.handle_timeout(self.now);
            }
            pump(end, line, self.now);
        }
    }

    /// How many restarts of their peers the ends know of.
    fn restarts(&self) -> u64 {
        self.ends.iter().map(|end| end.inner().bearer_counters().peer_restarts).sum()
    }

    /// From now on everything arrives: then a packet of each end does, however mixed up they are.
    fn becomes_well(&mut self) {
        for end in &mut self.ends {
            end.handle_link(LinkState::Up, self.now);
        }
        let (mut asked, mut known) = ([false; 2], self.restarts());
        for _ in 0..20_000 {
            self.turn();
            // What an end sends before it knows of a restart goes with its services: it is asked for again.
            if self.restarts() != known {
                (asked, known) = ([false; 2], self.restarts());
            }
            for (from, is_asked) in asked.iter_mut().enumerate() {
                while !self.lines[from].sent.is_empty() {
                    self.carry(from, 1);
                }
                if !*is_asked && self.ends.iter().all(|end| end.inner().path().is_up) {
                    self.lines[1 - from].delivered.clear();
                    *is_asked = self.ends[from].handle_packet(Packet::new(contents::numbered(7)), self.now).is_ok();
                }
            }
            if asked == [true; 2] && self.lines.iter().all(|line| !line.delivered.is_empty()) {
                return;
            }
            let departures = self.lines.iter().filter_map(|line| line.on_line.as_ref().map(|(at, ..)| *at));
            let deadlines = self.lines.iter().filter_map(|line| line.deadline);
            let next = departures.chain(deadlines).min().unwrap_or(self.now + Span::from_milliseconds(100));
            self.now = self.now.max(next);
        }
        let paths = self.ends.each_ref().map(|end| end.inner().path());
        assert!(paths.iter().all(|path| path.is_up), "a path that is well is not up: {paths:?}");
        assert!(
            !self.crosses || self.is_forged || asked != [true; 2],
            "a packet does not cross a path that is well: {paths:?}"
        );
    }
}

fn end(plan: &Plan, config: &Config, side: Side, boot: u64, now: Time) -> End {
    let plan = plan.clone();
    let build = move |context: &LinkContext| plan.build(context);
    Checked::new(Bearer::new(config.clone(), build, side.into(), boot, now))
}
