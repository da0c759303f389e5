//! Two ends over a line whose rate, delay and losses change, and what the first one makes of it.

use arqway_bearer::{Bearer, Config, Event, Finding, Rate};
use arqway_contract::{
    Counters, Departure, Frame, Full, Holds, LinkContext, LinkService, LinkState, Packet, Side, Start,
};
use arqway_contract::{Tag, Ticket};
use arqway_ip::Ecn;
use arqway_units::{BitRate, Octets, Span, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

pub(super) fn ms(milliseconds: u64) -> Span {
    Span::from_milliseconds(milliseconds)
}

/// A service that has a frame as often as it may send one, or at most so many octets a second. Frames have these sizes by turns, or less
/// where there is less room.
#[derive(Debug)]
struct Source {
    sizes: [usize; 2],
    most: Option<f64>,
    began: Time,
    sent: f64,
    is_up: bool,
    /// How fast it was told that the link is, in Mbit/s.
    told: f64,
}

impl LinkService for Source {
    fn handle_packet(&mut self, packet: Packet, _: Time) -> Result<(), Full> {
        Err(Full::of(packet))
    }
    fn handle_frame(&mut self, _: Frame, _: Time) {}
    fn handle_timeout(&mut self, _: Time) {}
    fn handle_capacity(&mut self, rate: BitRate, _: Span) {
        self.told = rate.as_bits_per_second() as f64 / 1e6;
    }
    fn handle_link(&mut self, state: LinkState, _: Time) {
        self.is_up = state == LinkState::Up;
    }
    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        let may =
            now >= self.began && self.most.is_none_or(|most| self.sent < now.since(self.began).as_seconds() * most);
        let size = room.as_usize().min(self.sizes[0]);
        if !self.is_up || !may || size < 60 {
            return None;
        }
        self.sizes.swap(0, 1);
        self.sent += size as f64;
        Some(Frame::from_wire(Tag::from_octet(0), vec![0; size - 1].into()))
    }
    fn start_frame(&mut self, _: &mut Frame, _: Time) -> Start {
        Start::Send
    }
    fn handle_departure(&mut self, _: Tag, _: Ticket, _: Departure, _: Time) {}
    fn poll_packet(&mut self) -> Option<Packet> {
        None
    }
    fn poll_timeout(&self) -> Option<Time> {
        if self.most.is_none() && self.sent == 0.0 && self.is_up {
            return Some(self.began);
        }
        let most = self.most.filter(|most| self.is_up && *most > 0.0)?;
        Some(self.began + Span::from_seconds(self.sent / most) + Span::from_nanoseconds(1))
    }
    fn wants_packet(&self, _: Octets) -> bool {
        false
    }
    fn largest_packet(&self, room: Octets) -> Octets {
        room
    }
    fn counters(&self) -> Counters {
        Counters::default()
    }
}

/// A value that changes at given times, in milliseconds.
pub(super) type Course = Vec<(u64, f64)>;

fn of(course: &Course, now: Time) -> f64 {
    let now = now.as_nanoseconds() / 1_000_000;
    course.iter().rev().find(|(from, _)| *from <= now).map_or(0.0, |(_, value)| *value)
}

/// The line. Rates are in Mbit/s, delays in milliseconds.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Zero: it stands still.
    pub(super) rate: Course,
    pub(super) delay: Course,
    pub(super) lost: Course,
    /// How much waits before it at most, in milliseconds of its first rate.
    pub(super) queue: f64,
    /// Datagrams leave it together, each so many milliseconds: grants, aggregates.
    pub(super) grants: f64,
    /// The way back, and from when to when nothing comes through it: it is kept up until then.
    pub(super) back: f64,
    pub(super) back_stands: Option<(u64, u64)>,
    /// By how much the peer's clock is fast, in ppm, and how far it is set ahead when, in milliseconds.
    pub(super) drift: f64,
    pub(super) set: Option<(u64, f64)>,
    /// At most so many Mbit/s are wanted.
    pub(super) wanted: Option<f64>,
    /// So many Mbit/s go the other way.
    pub(super) back_wanted: f64,
    /// From when to when a rival as TCP with CUBIC's window fills the queue.
    pub(super) rival: Option<(u64, u64)>,
    pub(super) seed: u64,
    /// The sizes of frames, by turns.
    pub(super) sizes: [usize; 2],
    /// Datagrams that waited for so many milliseconds are marked.
    pub(super) marks: f64,
    /// Larger datagrams are lost behind it.
    pub(super) largest: f64,
    /// What the sender is told of the rate.
    pub(super) setting: Rate,
    /// So many of us, each with a rate of its own that it finds; they begin a second after one another.
    pub(super) tunnels: usize,
}

impl Line {
    pub(super) fn new(rate: f64, delay: f64) -> Self {
        Self {
            rate: vec![(0, rate)],
            delay: vec![(0, delay)],
            lost: vec![(0, 0.0)],
            queue: 500.0,
            grants: 0.0,
            back: delay,
            back_stands: None,
            drift: 0.0,
            set: None,
            wanted: None,
            back_wanted: 0.0,
            rival: None,
            seed: 1,
            sizes: [1400; 2],
            marks: f64::INFINITY,
            largest: f64::INFINITY,
            setting: Rate::AUTOMATIC,
            tunnels: 1,
        }
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The line's datagram at the head is through.
    Through,
    /// A datagram gets to an end.
    Arrives(usize, u64),
    RivalHears(u64, bool),
    Wake(usize),
}

/// What was seen in a hundredth of a second.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    /// Octets through the line, of the first of us, of the others, and of the rival.
    pub(super) ours: f64,
    pub(super) others: [f64; 9],
    pub(super) rivals: f64,
    /// What the line could have carried.
    pub(super) capacity: f64,
    /// How long the last one waited before it was sent, in milliseconds.
    pub(super) waited: f64,
    pub(super) pace: f64,
    /// How fast services were told that the link is, and what the owner was told of it, in Mbit/s.
    pub(super) told: f64,
    pub(super) event: Option<f64>,
    /// How many reports the first of us was sent so far.
    pub(super) reports: u64,
    /// Whether marks hold the rate.
    pub(super) heeds_marks: bool,
}

enum Of {
    Ours(usize, u64),
    Rival(u64),
}

/// Runs a line for so many seconds: what was seen in each hundredth.
pub(super) fn run(line: &Line, seconds: u64) -> Vec<Seen> {
    World::new(line.clone()).run(seconds)
}

struct World {
    line: Line,
    /// Two for each of us: who sends, and who receives.
    ends: Vec<Bearer<Source>>,
    happenings: BinaryHeap<Reverse<(Time, u64, What)>>,
    order: u64,
    wakes: Vec<Option<Time>>,
    now: Time,
    queue: VecDeque<(Of, f64, Time)>,
    queued: f64,
    is_busy: bool,
    frames: std::collections::BTreeMap<u64, Frame>,
    number: u64,
    random: u64,
    last_arrival: Time,
    rival: Rival,
    seen: Vec<Seen>,
}

#[derive(Default)]
struct Rival {
    window: f64,
    most: f64,
    since: Time,
    under_way: f64,
    next: u64,
    cut_until: u64,
}

impl World {
    fn new(line: Line) -> Self {
        let end = |at: usize| {
            let (side, most) = if at.is_multiple_of(2) {
                (Side::AccessPoint, line.wanted.map(|most| most * 125_000.0))
            } else {
                (Side::Client, Some(line.back_wanted * 125_000.0))
            };
            let config = Config { rate: line.setting, ..Config::default() };
            let (sizes, began) = (line.sizes, Time::ZERO + ms(1000 * (at as u64 / 2)));
            let source = move |_: &LinkContext| Source { sizes, most, began, sent: 0.0, is_up: true, told: 0.0 };
            Bearer::new(config, source, LinkContext::from(side), 7 + at as u64, Time::ZERO)
        };
        let ends: Vec<_> = (0..2 * line.tunnels).map(end).collect();
        Self {
            random: line.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            rival: Rival { window: 10.0, most: 0.0, ..Rival::default() },
            wakes: vec![None; ends.len()],
            line,
            ends,
            happenings: BinaryHeap::new(),
            order: 0,
            now: Time::ZERO,
            queue: VecDeque::new(),
            queued: 0.0,
            is_busy: false,
            frames: std::collections::BTreeMap::new(),
            number: 0,
            last_arrival: Time::ZERO,
            seen: Vec::new(),
        }
    }

    fn random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }

    fn at(&mut self, when: Time, what: What) {
        self.order += 1;
        self.happenings.push(Reverse((when, self.order, what)));
    }

    /// The clock of an end.
    fn clock(&self, end: usize) -> Time {
        if end.is_multiple_of(2) {
            return self.now;
        }
        let set = self.line.set.filter(|(when, _)| ms(*when) <= self.now.since(Time::ZERO)).map_or(0.0, |(_, by)| by);
        let seconds = self.now.as_seconds() * (1.0 + self.line.drift * 1e-6) + set * 1e-3;
        Time::ZERO + Span::from_seconds(seconds)
    }

    fn run(mut self, seconds: u64) -> Vec<Seen> {
        let ends = Time::ZERO + ms(seconds * 1000);
        self.seen = vec![Seen::default(); usize::try_from(seconds * 100).expect("short")];
        (0..self.ends.len()).for_each(|end| self.pump(end));
        for slot in 0..self.seen.len() {
            self.seen[slot].capacity = of(&self.line.rate, Time::ZERO + ms(10 * slot as u64)) * 1250.0;
        }
        while let Some(Reverse((when, _, what))) = self.happenings.pop() {
            if when >= ends {
                break;
            }
            self.now = when;
            match what {
                What::Through => self.through(),
                What::Arrives(end, number) => self.arrives(end, number),
                What::RivalHears(number, arrived) => self.rival_hears(number, arrived),
                What::Wake(end) if self.wakes[end] != Some(self.now) => {}
                What::Wake(end) => {
                    self.wakes[end] = None;
                    let clock = self.clock(end);
                    self.ends[end].handle_timeout(clock);
                    self.pump(end);
                }
            }
            self.rival_sends();
            let reports = self.ends[1].bearer_counters().reports_sent;
            let end = &mut self.ends[0];
            let seen = &mut self.seen[usize::try_from(self.now.as_nanoseconds() / 10_000_000).expect("short")];
            seen.pace = end.path().rate.map_or(0.0, |rate| rate.as_bits_per_second() as f64 / 1e6);
            seen.told = end.inner().told;
            seen.reports = reports;
            seen.heeds_marks = end.path().found.is_some_and(|found| found.finding == Finding::Marks);
            while let Some((_, event)) = end.poll_event() {
                if let Event::Rate(rate) = event {
                    seen.event = Some(rate.as_bits_per_second() as f64 / 1e6);
                }
            }
        }
        self.seen
    }

    fn arrives(&mut self, end: usize, number: u64) {
        if let Some(frame) = self.frames.remove(&number) {
            let clock = self.clock(end);
            self.ends[end].handle_frame(frame, clock);
            self.pump(end);
        }
    }

    fn pump(&mut self, end: usize) {
        let clock = self.clock(end);
        while let Some(mut frame) = self.ends[end].poll_frame(clock, Octets::new(1472)) {
            let _ = self.ends[end].start_frame(&mut frame, clock);
            let size = frame.size().as_u64() as f64 + 28.0;
            self.number += 1;
            self.frames.insert(self.number, Frame::from_wire(frame.tag, frame.parts().concat().into()));
            if end.is_multiple_of(2) {
                self.offer(Of::Ours(end, self.number), size);
            } else {
                let stands = self.line.back_stands.map(|(from, to)| (Time::ZERO + ms(from), Time::ZERO + ms(to)));
                let leaves =
                    stands.filter(|(from, to)| *from <= self.now && self.now < *to).map_or(self.now, |(_, to)| to);
                self.at(leaves + Span::from_seconds(self.line.back * 1e-3), What::Arrives(end - 1, self.number));
            }
        }
        if let Some(deadline) = self.ends[end].poll_timeout() {
            // The other clock runs nearly as fast.
            let when = self.now + deadline.since(clock).max(Span::from_nanoseconds(1000));
            if self.wakes[end].is_none_or(|earlier| when < earlier) {
                self.wakes[end] = Some(when);
                self.at(when, What::Wake(end));
            }
        }
    }

    fn offer(&mut self, of_whom: Of, size: f64) {
        let most = (self.line.queue * self.line.rate[0].1 * 125.0).max(3000.0);
        if self.queued + size > most {
            if let Of::Rival(number) = of_whom {
                let hears = self.now
                    + Span::from_seconds((of(&self.line.delay, self.now) + self.line.back + self.line.queue) * 1e-3);
                self.at(hears, What::RivalHears(number, false));
            }
            return;
        }
        self.queued += size;
        self.queue.push_back((of_whom, size, self.now));
        self.start();
    }

    fn start(&mut self) {
        if self.is_busy || self.queue.is_empty() {
            return;
        }
        self.is_busy = true;
        let rate = of(&self.line.rate, self.now) * 125_000.0;
        let when = if rate > 0.0 {
            self.now + Span::from_seconds(self.queue[0].1 / rate)
        } else {
            let now = self.now.as_nanoseconds() / 1_000_000;
            let next = self.line.rate.iter().find(|(from, _)| *from > now).map_or(u64::MAX >> 30, |(from, _)| *from);
            Time::ZERO + ms(next) + Span::from_nanoseconds(1)
        };
        self.at(when, What::Through);
    }

    fn through(&mut self) {
        self.is_busy = false;
        let Some((of_whom, size, since)) = self.queue.pop_front() else { return };
        self.queued -= size;
        let slot = usize::try_from(self.now.as_nanoseconds() / 10_000_000).expect("short");
        let own = size / (of(&self.line.rate, self.now) * 125_000.0);
        let waited = ((self.now.since(since).as_seconds() - own) * 1e3).max(0.0);
        self.seen[slot].waited = waited;
        let delay = Span::from_seconds(of(&self.line.delay, self.now) * 1e-3);
        let mut when = self.now + delay;
        if self.line.grants > 0.0 {
            let grant = Span::from_seconds(self.line.grants * 1e-3).as_nanoseconds();
            when = Time::from_nanoseconds(when.as_nanoseconds().div_ceil(grant) * grant);
        }
        when = when.max(self.last_arrival + Span::from_nanoseconds(1000));
        self.last_arrival = when;
        let is_lost = self.random() < of(&self.line.lost, self.now);
        match of_whom {
            Of::Ours(end, number) => {
                let seen = &mut self.seen[slot];
                *(if end == 0 { &mut seen.ours } else { &mut seen.others[end / 2 - 1] }) += size;
                if let Some(frame) = self.frames.get_mut(&number).filter(|_| waited >= self.line.marks) {
                    frame.marks.ecn = Holds::Packets(Ecn::Ce);
                }
                if !is_lost && size <= self.line.largest {
                    self.at(when, What::Arrives(end + 1, number));
                }
            }
            Of::Rival(number) => {
                self.seen[slot].rivals += size;
                self.at(when + Span::from_seconds(self.line.back * 1e-3), What::RivalHears(number, !is_lost));
            }
        }
        self.start();
    }

    fn rival_hears(&mut self, number: u64, arrived: bool) {
        let rival = &mut self.rival;
        rival.under_way -= 1.0;
        if !arrived && number >= rival.cut_until {
            (rival.most, rival.window) = (rival.window, (rival.window * 0.7).max(2.0));
            (rival.since, rival.cut_until) = (self.now, rival.next);
        } else if rival.most == 0.0 {
            rival.window += 1.0;
        } else {
            let seconds = self.now.since(rival.since).as_seconds() - libm::cbrt(rival.most * 0.3 / 0.4);
            let cubic = rival.most + 0.4 * seconds.powi(3);
            rival.window = (rival.window + 0.5 / rival.window).max(cubic.min(rival.window + 0.5));
        }
    }

    fn rival_sends(&mut self) {
        let now = self.now.as_nanoseconds() / 1_000_000;
        if self.line.rival.is_none_or(|(from, to)| now < from || now >= to) {
            return;
        }
        while self.rival.under_way < self.rival.window {
            self.rival.under_way += 1.0;
            self.rival.next += 1;
            self.offer(Of::Rival(self.rival.next), 1500.0);
        }
    }
}

/// The share of the capacity that was used between two times, in seconds.
pub(super) fn share(seen: &[Seen], from: f64, to: f64) -> f64 {
    let of = &seen[(from * 100.0) as usize..(to * 100.0) as usize];
    of.iter().map(|seen| seen.ours).sum::<f64>() / of.iter().map(|seen| seen.capacity).sum::<f64>()
}

/// The rival's share.
pub(super) fn rivals(seen: &[Seen], from: f64, to: f64) -> f64 {
    let of = &seen[(from * 100.0) as usize..(to * 100.0) as usize];
    of.iter().map(|seen| seen.rivals).sum::<f64>() / of.iter().map(|seen| seen.capacity).sum::<f64>()
}

/// The 95th percentile of what datagrams waited between two times, in milliseconds.
pub(super) fn waited(seen: &[Seen], from: f64, to: f64) -> f64 {
    let mut of: Vec<f64> =
        seen[(from * 100.0) as usize..(to * 100.0) as usize].iter().map(|seen| seen.waited).collect();
    of.sort_by(f64::total_cmp);
    of[of.len() * 95 / 100]
}
