//! Two ends, and a path between them that loses, doubles and reorders datagrams, falls silent, and changes its MTU.

use arqway_link::bearer::{Bearer, BearerCounters, Config, Event};
use arqway_link::mux::{self, Mux};
use arqway_link::{Checked, Frame, LineId, LinkContext, LinkService, Packet, Port, Side, Tag, Ticket, pump};
use arqway_link::{ShortForm, WorldDefaults};
use arqway_units::{BitRate, Octets, Pacer, Span, Time};
use std::collections::{BTreeMap, VecDeque};

/// First octets of datagrams whose epoch and number are written in full, and of one of them that carries nothing (docs/wire.md).
const NAMED_IN_FULL: std::ops::RangeInclusive<u8> = 0x80..=0x85;
const PING: u8 = 0x83;

pub(super) type End = Checked<Bearer<Checked<Mux>>>;

/// One direction of the path: a modem with a queue, then the way.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) rate: BitRate,
    /// How many datagrams wait in the modem at most.
    pub(super) queue: usize,
    pub(super) delay: Span,
    /// Datagrams take up to so much longer, each for itself.
    pub(super) jitter: Span,
    /// Out of 1,000.
    pub(super) lost: u64,
    pub(super) doubled: u64,
}

/// Another path.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) ways: [Way; 2],
    /// Nothing crosses it, either way.
    pub(super) outages: Vec<(u64, u64)>,
    /// The largest datagram that crosses it.
    pub(super) mtu: u16,
}

#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) service: &'static str,
    pub(super) config: Config,
    pub(super) ways: [Way; 2],
    pub(super) seed: u64,
    /// Where packets wait for the service; in the service itself unless said.
    pub(super) queue: Option<mux::QueueLimits>,
    /// Nothing crosses the path, either way.
    pub(super) outages: Vec<(u64, u64)>,
    /// More lines than the one that the path is.
    pub(super) more: Vec<Line>,
    /// The second end has to learn that there are more, from what comes by them.
    pub(super) learns_lines: bool,
    /// From when on which MTU.
    pub(super) mtus: Vec<(u64, u16)>,
    /// When which end restarts, in milliseconds.
    pub(super) restarts: Vec<(u64, usize)>,
    /// So much later than it wants to an end is woken by time.
    pub(super) late: Span,
}

impl Setting {
    pub(super) fn new(service: &'static str) -> Self {
        let rate = BitRate::from_bits_per_second(2_000_000).expect("not zero");
        let delay = Span::from_milliseconds(50);
        let way = Way { rate, queue: 1000, delay, jitter: Span::ZERO, lost: 0, doubled: 0 };
        let config = Config { datagram_lifetime: Span::from_milliseconds(2000), ..Config::default() };
        Self {
            service,
            config,
            ways: [way.clone(), way],
            seed: 1,
            queue: None,
            outages: Vec::new(),
            more: Vec::new(),
            learns_lines: false,
            mtus: vec![(0, 1500)],
            restarts: Vec::new(),
            late: Span::ZERO,
        }
    }

    /// One way of a line.
    fn way(&self, line: LineId, index: usize) -> &Way {
        let more = line.index().checked_sub(1).map(|line| &self.more[line].ways);
        &more.unwrap_or(&self.ways)[index]
    }

    fn outages(&self, line: LineId) -> &[(u64, u64)] {
        line.index().checked_sub(1).map_or(&self.outages, |line| &self.more[line].outages)
    }

    fn mtu(&self, line: LineId, now: Time) -> u16 {
        let of_first = || self.mtus.iter().rev().find(|(from, _)| at(*from) <= now).map_or(1500, |(_, mtu)| *mtu);
        line.index().checked_sub(1).map_or_else(of_first, |line| self.more[line].mtu)
    }

    fn lines(&self) -> usize {
        1 + self.more.len()
    }

    pub(super) fn with_rate(mut self, pace: &str) -> Self {
        self.config.rate = pace.parse().expect("a rate");
        self
    }
}

#[derive(Debug)]
enum Happening {
    Arrival(usize, Frame),
    Packet(usize, usize),
    Restart(usize),
    Wake,
}

/// A packet that arrived: which one, of which incarnation of its sender, in which epoch of that, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delivered {
    pub(super) incarnation: u8,
    pub(super) epoch: u8,
    pub(super) number: u32,
    pub(super) at: Time,
}

/// A machine: an end, its modem, and what arrived at its network layer.
pub(super) struct Machine {
    pub(super) end: End,
    pub(super) incarnation: u8,
    next_packet: u32,
    /// What the end took, by epoch.
    pub(super) taken: Vec<(u8, u32)>,
    pub(super) delivered: Vec<Delivered>,
    /// With the line that each is of, if that is one of several.
    pub(super) events: Vec<(Time, Option<LineId>, Event)>,
    /// By lines.
    ready: Vec<VecDeque<Frame>>,
    departed: Vec<(Tag, Ticket)>,
    wake_at: Option<Time>,
    modems: Vec<Modem>,
    /// When each datagram was sent, and its size.
    pub(super) sent: Vec<(Time, usize)>,
}

struct Modem {
    pacer: Pacer,
    /// When each datagram in it is out.
    out: VecDeque<Time>,
    pub(super) deepest: usize,
}

pub(super) struct World {
    pub(super) setting: Setting,
    pub(super) now: Time,
    pub(super) machines: [Machine; 2],
    happenings: BTreeMap<(Time, u64), Happening>,
    order: u64,
    random: u64,
    /// Of the last datagram whose name was written in full.
    epoch: [u8; 4],
}

pub(super) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

pub(super) fn end(setting: &Setting, index: usize, incarnation: u8, now: Time) -> End {
    let side = [Side::AccessPoint, Side::Client][index];
    let service: ShortForm = setting.service.parse().expect("a scheme");
    let service = service.in_world(&WorldDefaults::default()).expect("in any world");
    let boot = setting.seed.wrapping_mul(1000) + 100 * index as u64 + u64::from(incarnation);
    let mux = mux::Config { queue: setting.queue, ..mux::Config::new(service) };
    let plan = mux.plan().expect("one service");
    let builder = move |context: &LinkContext| Checked::new(plan.build(context));
    let mut config = setting.config.clone();
    if setting.learns_lines && index == 1 {
        config.line.clear();
    }
    Checked::new(Bearer::new(config, builder, side.into(), boot, now))
}

/// A packet that says which it is, and then repeats an octet of its own.
fn packet(incarnation: u8, epoch: u8, number: u32, size: usize) -> Packet {
    let numbered = number.to_be_bytes();
    let mut octets = vec![numbered[3].wrapping_mul(7) ^ 0x55; size];
    (octets[0], octets[1]) = (incarnation, epoch);
    octets[2..6].copy_from_slice(&numbered);
    Packet::new(octets)
}

fn read(arrived: &Packet, at: Time) -> Delivered {
    let octets = &arrived.octets;
    let (incarnation, epoch) = (octets[0], octets[1]);
    let number = u32::from_be_bytes(octets[2..6].try_into().expect("four"));
    let sent = packet(incarnation, epoch, number, octets.len());
    assert!(*octets == sent.octets, "packet {number} does not arrive as it was sent");
    Delivered { incarnation, epoch, number, at }
}

impl Machine {
    fn new(setting: &Setting, index: usize) -> Self {
        Self {
            end: end(setting, index, 0, Time::ZERO),
            incarnation: 0,
            next_packet: 0,
            taken: Vec::new(),
            delivered: Vec::new(),
            events: Vec::new(),
            ready: vec![VecDeque::new(); setting.lines()],
            departed: Vec::new(),
            wake_at: None,
            modems: LineId::first(setting.lines())
                .map(|line| Modem {
                    pacer: Pacer::new(setting.way(line, index).rate),
                    out: VecDeque::new(),
                    deepest: 0,
                })
                .collect(),
            sent: Vec::new(),
        }
    }

    pub(super) fn counters(&self) -> BearerCounters {
        self.end.inner().bearer_counters()
    }

    pub(super) fn is_up(&self) -> bool {
        self.end.inner().path().is_up
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.end.poll_timeout()
    }

    /// The most datagrams that stood in the modem since this was asked.
    pub(super) fn deepest_queue(&mut self) -> usize {
        core::mem::take(&mut self.modems[0].deepest)
    }

    /// When events of a kind happened, in milliseconds.
    pub(super) fn when(&self, event: Event) -> Vec<u64> {
        self.when_of(None, event)
    }

    /// The same of a line.
    pub(super) fn when_of(&self, line: Option<LineId>, event: Event) -> Vec<u64> {
        let of_kind = self.events.iter().filter(|(_, of, happened)| (*of, *happened) == (line, event));
        of_kind.map(|(at, ..)| (*at - Time::ZERO).as_nanoseconds() / 1_000_000).collect()
    }
}

/// What the pump sees: a socket that takes everything.
struct Socket<'a> {
    ready: &'a mut [VecDeque<Frame>],
    line: LineId,
    sent: Vec<Frame>,
    delivered: Vec<Packet>,
    deadline: Option<Time>,
}

impl Port for Socket<'_> {
    fn lines(&self) -> usize {
        self.ready.len()
    }
    fn turn_to(&mut self, line: LineId) {
        self.line = line;
    }
    fn room(&self) -> Option<Octets> {
        Some(Octets::MAX)
    }
    fn hand_over(&mut self, frame: Frame, _: Time) -> Result<(), Frame> {
        assert_eq!(frame.line(), self.line, "a frame goes by the line that it was asked for by");
        self.ready[self.line.index()].push_back(frame);
        Ok(())
    }
    fn take_ready(&mut self) -> Option<Frame> {
        self.ready[self.line.index()].pop_front()
    }
    fn transmit(&mut self, frame: Frame, _: Time) {
        self.sent.push(frame);
    }
    fn deliver(&mut self, packet: Packet, _: Time) {
        self.delivered.push(packet);
    }
    fn wake_at(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }
    fn finish(&mut self, _: Time) {}
}

impl World {
    pub(super) fn new(setting: Setting) -> Self {
        let machines = [0, 1].map(|index| Machine::new(&setting, index));
        let mut world = Self {
            now: Time::ZERO,
            machines,
            happenings: BTreeMap::new(),
            order: 0,
            random: setting.seed | 1,
            epoch: [0; 4],
            setting,
        };
        for (milliseconds, index) in world.setting.restarts.clone() {
            world.schedule(at(milliseconds), Happening::Restart(index));
        }
        world.schedule(Time::ZERO, Happening::Wake);
        world
    }

    fn schedule(&mut self, at: Time, happening: Happening) {
        self.order += 1;
        self.happenings.insert((at.max(self.now), self.order), happening);
    }

    /// An end sends packets of a size from a time on, each a while after the other.
    pub(super) fn packets(&mut self, index: usize, size: usize, count: u64, from: u64, every_microseconds: u64) {
        for packet in 0..count {
            let time = at(from) + Span::from_nanoseconds(packet * every_microseconds * 1000);
            self.schedule(time, Happening::Packet(index, size));
        }
    }

    /// An end's modem has another rate from now on.
    pub(super) fn set_modem(&mut self, index: usize, rate: &str) {
        self.machines[index].modems[0].pacer = Pacer::new(rate.parse().expect("a rate"));
    }

    /// Somebody else writes a datagram of this number to an end, in its peer's name.
    pub(super) fn forge(&mut self, to: usize, number: u32) {
        let name = [self.epoch, number.to_be_bytes()].concat();
        self.schedule(self.now, Happening::Arrival(to, Frame::from_wire(Tag::from_octet(PING), name.into())));
    }

    /// Somebody closes a line at an end, or opens it again.
    pub(super) fn close(&mut self, index: usize, line: LineId, holds: bool) {
        let now = self.now;
        let bearer = self.machines[index].end.inner_mut();
        bearer.set_line_outage(line, arqway_link::bearer::Reason::Announced, holds, now);
        self.schedule(now, Happening::Wake);
    }

    /// A line is spare from now on, as this end says, or no longer.
    pub(super) fn spare(&mut self, index: usize, line: LineId, is_spare: bool) {
        let now = self.now;
        self.machines[index].end.inner_mut().spare(line, is_spare, now);
        self.schedule(now, Happening::Wake);
    }

    /// xorshift64*: fates need no better one.
    fn random(&mut self, below: u64) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % below.max(1)
    }

    pub(super) fn run_until(&mut self, milliseconds: u64) {
        let end = at(milliseconds);
        loop {
            let timers = [0, 1].map(|index| self.machines[index].wake_at);
            let next_timer = timers.into_iter().flatten().min();
            let next = self.happenings.first_key_value().map(|((at, _), _)| *at);
            let Some(next) = [next, next_timer].into_iter().flatten().min().filter(|next| *next <= end) else { break };
            assert!(next >= self.now || next_timer == Some(next), "time runs forward");
            self.now = self.now.max(next);
            while let Some(entry) = self.happenings.first_entry().filter(|entry| entry.key().0 <= self.now) {
                let happening = entry.remove();
                self.happen(happening);
            }
            for index in [0, 1] {
                if self.machines[index].wake_at.is_some_and(|at| at <= self.now) {
                    self.machines[index].end.handle_timeout(self.now);
                    self.turn(index);
                }
            }
        }
        self.now = end;
    }

    fn happen(&mut self, happening: Happening) {
        let now = self.now;
        match happening {
            Happening::Arrival(index, frame) => {
                self.machines[index].end.handle_frame(frame, now);
                self.turn(index);
            }
            Happening::Packet(index, size) => {
                let machine = &mut self.machines[index];
                let epoch = u8::try_from(machine.counters().peer_restarts).expect("few");
                let packet = packet(machine.incarnation, epoch, machine.next_packet, size);
                if machine.end.handle_packet(packet, now).is_ok() {
                    machine.taken.push((epoch, machine.next_packet));
                }
                machine.next_packet += 1;
                self.turn(index);
            }
            Happening::Restart(index) => {
                let incarnation = self.machines[index].incarnation + 1;
                let end = end(&self.setting, index, incarnation, now);
                let machine = &mut self.machines[index];
                (machine.end, machine.incarnation, machine.next_packet) = (end, incarnation, 0);
                machine.taken.clear();
                machine.delivered.clear();
                machine.ready.iter_mut().for_each(VecDeque::clear);
                machine.departed.clear();
                self.turn(index);
            }
            Happening::Wake => [0, 1].into_iter().for_each(|index| self.turn(index)),
        }
    }

    fn turn(&mut self, index: usize) {
        let now = self.now;
        loop {
            let machine = &mut self.machines[index];
            for (tag, ticket) in core::mem::take(&mut machine.departed) {
                machine.end.handle_departure(tag, ticket, arqway_link::Departure::Sent, now);
            }
            let mut socket = Socket {
                ready: &mut machine.ready,
                line: LineId::FIRST,
                sent: Vec::new(),
                delivered: Vec::new(),
                deadline: None,
            };
            pump(&mut machine.end, &mut socket, now);
            let Socket { sent, delivered, deadline, .. } = socket;
            machine.wake_at = deadline.map(|deadline| deadline.max(now) + self.setting.late);
            while let Some((line, event)) = machine.end.inner_mut().poll_event() {
                machine.events.push((now, line, event));
            }
            machine.delivered.extend(delivered.iter().map(|packet| read(packet, now)));
            if sent.is_empty() && machine.departed.is_empty() {
                break;
            }
            for frame in sent {
                self.transmit(index, frame);
            }
        }
    }

    fn transmit(&mut self, index: usize, frame: Frame) {
        let now = self.now;
        let machine = &mut self.machines[index];
        machine.departed.extend(frame.ticket.map(|ticket| (frame.tag, ticket)));
        let size = frame.size() + self.setting.config.overhead;
        machine.sent.push((now, size.as_usize()));
        let line = frame.line();
        let Modem { pacer, out, deepest } = &mut machine.modems[line.index()];
        while out.front().is_some_and(|at| *at <= now) {
            out.pop_front();
        }
        if out.len() >= self.setting.way(line, index).queue {
            return;
        }
        let departure = out.back().copied().unwrap_or(now).max(now) + pacer.time_to_send(size);
        out.push_back(departure);
        *deepest = (*deepest).max(out.len());
        let way = self.setting.way(line, index).clone();
        let mtu = self.setting.mtu(line, now);
        let is_cut = self.setting.outages(line).iter().any(|(from, to)| (at(*from)..at(*to)).contains(&departure));
        if size > Octets::new(mtu.into()) || is_cut || self.random(1000) < way.lost {
            return;
        }
        if NAMED_IN_FULL.contains(&frame.tag.as_octet()) {
            self.epoch.copy_from_slice(&frame.parts().concat()[..4]);
        }
        let copies = if self.random(1000) < way.doubled { 2 } else { 1 };
        for _ in 0..copies {
            let late = Span::from_nanoseconds(self.random(way.jitter.as_nanoseconds()));
            let wired = Frame::from_wire(frame.tag, frame.parts().concat().into()).by(line);
            self.schedule(departure + way.delay + late, Happening::Arrival(1 - index, wired));
        }
    }
}
