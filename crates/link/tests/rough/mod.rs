//! Two ends of a service over a link that loses, doubles and delays each frame by itself, so that frames overtake one another.

use crate::common::packet;
use arqway_link::{Checked, Departure, Frame, LinkService, Start};
use arqway_units::{Octets, Span, Time};
use std::collections::{BTreeMap, VecDeque};

/// How long one frame keeps the line.
const TIME_ON_LINE: Span = Span::from_milliseconds(2);

/// What the link does to frames, in turn.
#[derive(Debug, Clone)]
pub(crate) struct Weather {
    /// How long each copy takes, over and over again, until the weather is good.
    pub(crate) delays: Vec<Span>,
    /// How many copies arrive: none is a loss. Once all is used up the weather is good: one, and none overtakes another.
    pub(crate) copies: Vec<u8>,
}

pub(crate) struct Rough<S> {
    pub(crate) ends: [Checked<S>; 2],
    /// The numbers of the packets that came out at each end.
    pub(crate) received: [Vec<u32>; 2],
    waiting: [VecDeque<u32>; 2],
    line_is_free_at: [Time; 2],
    weather: Weather,
    /// How many frames have gone out, and how many copies are under way: by when, and which in case of a tie.
    frames: usize,
    copies: usize,
    under_way: BTreeMap<(Time, usize), (usize, Frame)>,
    now: Time,
}

impl<S: LinkService> Rough<S> {
    pub(crate) fn new(ends: [S; 2], weather: Weather) -> Self {
        Self {
            ends: ends.map(Checked::new),
            received: Default::default(),
            waiting: Default::default(),
            line_is_free_at: [Time::ZERO; 2],
            weather,
            frames: 0,
            copies: 0,
            under_way: BTreeMap::new(),
            now: Time::ZERO,
        }
    }

    /// Each end gets so many packets, numbered from 0 on.
    pub(crate) fn send(&mut self, packets: [u32; 2]) {
        for (end, count) in packets.into_iter().enumerate() {
            self.send_from(end, 0..count);
        }
    }

    pub(crate) fn send_from(&mut self, end: usize, numbers: std::ops::Range<u32>) {
        self.waiting[end].extend(numbers);
    }

    /// An end forgets all.
    pub(crate) fn restart(&mut self, end: usize, service: S) {
        self.ends[end] = Checked::new(service);
        self.waiting[end].clear();
    }

    /// The weather is good from now on.
    pub(crate) fn clear_up(&mut self) {
        self.weather.copies.clear();
    }

    pub(crate) fn run(&mut self, length: Span) {
        let end = self.now + length;
        self.turn();
        while let Some(next) = self.next_event().filter(|next| *next <= end) {
            self.step(next);
        }
        self.now = end;
    }

    pub(crate) fn come_to_rest(&mut self) {
        self.turn();
        for _ in 0..200_000 {
            let Some(next) = self.next_event() else { return };
            self.step(next);
        }
        let counters = [0, 1].map(|end| self.ends[end].counters());
        panic!("the service does not come to rest: {:?} {counters:?}", self.received);
    }

    fn next_event(&self) -> Option<Time> {
        let arrival = self.under_way.keys().next().map(|(at, _)| *at);
        let timers = self.ends.iter().filter_map(LinkService::poll_timeout);
        let lines = self.line_is_free_at.into_iter().filter(|at| *at > self.now);
        timers.chain(arrival).chain(lines).min()
    }

    fn step(&mut self, now: Time) {
        self.now = self.now.max(now);
        let now = self.now;
        for end in &mut self.ends {
            if end.poll_timeout().is_some_and(|deadline| deadline <= now) {
                end.handle_timeout(now);
            }
        }
        while let Some(entry) = self.under_way.first_entry().filter(|entry| entry.key().0 <= now) {
            let (to, frame) = entry.remove();
            self.ends[to].handle_frame(frame, now);
        }
        self.turn();
    }

    /// Packets in, one frame out of each end whose line is free, packets out.
    fn turn(&mut self) {
        let now = self.now;
        for index in 0..2 {
            let end = &mut self.ends[index];
            while let Some(number) = self.waiting[index].pop_front() {
                if end.handle_packet(packet(number), now).is_err() {
                    self.waiting[index].push_front(number);
                    break;
                }
            }
            if self.line_is_free_at[index] <= now
                && let Some(mut frame) = end.poll_frame(now, Octets::MAX)
                && end.start_frame(&mut frame, now) == Start::Send
            {
                if let Some(ticket) = frame.ticket {
                    end.handle_departure(frame.tag, ticket, Departure::Sent, now);
                }
                self.line_is_free_at[index] = now + TIME_ON_LINE;
                self.transmit(1 - index, &frame);
            }
            while let Some(packet) = self.ends[index].poll_packet() {
                let number = packet.octets[20..24].try_into().expect("a packet of ours");
                self.received[index].push(u32::from_be_bytes(number));
            }
        }
    }

    fn transmit(&mut self, to: usize, frame: &Frame) {
        let is_good = self.frames >= self.weather.copies.len();
        let copies = self.weather.copies.get(self.frames).copied().unwrap_or(1);
        self.frames += 1;
        for copy in 1..=u64::from(copies) {
            let delays = &self.weather.delays;
            let delay = delays[if is_good { 0 } else { self.copies % delays.len() }];
            self.copies += 1;
            // A second copy takes longer than the first.
            let at = self.now + TIME_ON_LINE + delay * copy;
            let octets = frame.parts().concat();
            self.under_way.insert((at, self.copies), (to, Frame::from_wire(frame.tag, octets.into())));
        }
    }
}
