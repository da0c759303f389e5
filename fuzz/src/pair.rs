//! Two ends of any service over a line that loses, doubles and delays frames but reorders none, goes down and comes back,
//! and once is well again: what each service promises of the packets that it took.

use super::configs;
use super::contents;
use super::harness::{Harness, Limits};
use super::line::Line;
use arqway_link::fuzz::{Input, Promise};
use arqway_link::{AnyService, Frame, LinkState, ServiceConfig, Side};
use arqway_units::{Span, Time};
use std::collections::VecDeque;

const MOST_OPERATIONS: usize = 60;
const MOST_EVENTS: usize = 200_000;

/// What becomes of a frame: how many copies arrive, and how late.
#[derive(Clone, Copy)]
struct Fate {
    copies: u8,
    delay: Span,
}

/// One way of the link.
#[derive(Default)]
struct Way {
    fates: VecDeque<Fate>,
    under_way: VecDeque<(Time, Frame)>,
    /// How many copies have arrived.
    arrived: u64,
}

struct Link {
    ends: [Harness<AnyService>; 2],
    /// From the first end, and from the second.
    ways: [Way; 2],
    /// The numbers of the packets that each end took.
    taken: [Vec<u32>; 2],
}

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let config = configs::any(&mut input);
    let mut link = Link::new(&config, &mut input);
    for _ in 0..MOST_OPERATIONS {
        if input.is_empty() {
            break;
        }
        link.operate(&mut input);
    }
    link.come_to_rest();
    link.check_promise(config.promise());
}

impl Link {
    fn new(config: &ServiceConfig, input: &mut Input<'_>) -> Self {
        let room = input.between(1, 16).into();
        let ends = [Side::AccessPoint, Side::Client]
            .map(|side| Harness::new(config.build(&side.into()), Line::with_queue(room, false), Limits::of(&[config])));
        Self { ends, ways: Default::default(), taken: Default::default() }
    }

    fn operate(&mut self, input: &mut Input<'_>) {
        let end = input.index(2);
        match input.index(8) {
            0 | 1 => (0..input.octet() & 0x3f).for_each(|_| self.packet(end)),
            // Slow enough for the line, so that the numbers of a service come round.
            2 => (0..input.octet()).for_each(|_| {
                self.packet(end);
                self.run(Span::from_milliseconds(3));
            }),
            3 | 4 => {
                let fate = Fate { copies: input.one_of(&[0, 0, 1, 2]), delay: input.span(0, 255) };
                self.ways[end].fates.extend(std::iter::repeat_n(fate, input.octet().into()));
            }
            5 => self.run(input.span(0, 2000)),
            6 => self.ends[end].line_is_free(input.flag()),
            _ => {
                let state = if input.flag() { LinkState::Down } else { LinkState::Up };
                self.ends.iter_mut().for_each(|end| end.link(state));
            }
        }
        self.send();
    }

    fn packet(&mut self, end: usize) {
        let number = u32::try_from(self.taken[end].len()).expect("a few thousand");
        if self.ends[end].packet(contents::numbered(number)) {
            self.taken[end].push(number);
        }
    }

    /// What went out at the ends meets its fate.
    fn send(&mut self) {
        for (end, way) in self.ends.iter_mut().zip(&mut self.ways) {
            for frame in end.line.sent.drain(..) {
                let fate = way.fates.pop_front().unwrap_or(Fate { copies: 1, delay: Span::ZERO });
                let earliest = way.under_way.back().map_or(Time::ZERO, |(at, _)| *at);
                let at = earliest.max(end.now + fate.delay);
                way.under_way.extend((0..fate.copies).map(|_| (at, frame.clone())));
            }
        }
    }

    fn next_event(&self) -> Option<Time> {
        let of_ends = self.ends.iter().filter_map(|end| end.line.next_event());
        of_ends.chain(self.ways.iter().filter_map(|way| way.under_way.front().map(|(at, _)| *at))).min()
    }

    fn step_to(&mut self, now: Time) {
        for end in &mut self.ends {
            end.run(now - end.now);
        }
        self.send();
        for from in [0, 1] {
            while let Some((_, frame)) = self.ways[from].under_way.pop_front_if(|(at, _)| *at <= now) {
                self.ways[from].arrived += 1;
                self.ends[1 - from].frame(frame.tag, frame.body.to_vec());
            }
        }
        self.send();
    }

    fn run(&mut self, length: Span) {
        let end = self.ends[0].now + length;
        while let Some(next) = self.next_event().filter(|next| *next <= end) {
            self.step_to(next.max(self.ends[0].now));
        }
        self.step_to(end);
    }

    fn come_to_rest(&mut self) {
        self.ways.iter_mut().for_each(|way| way.fates.clear());
        for end in &mut self.ends {
            end.link(LinkState::Up);
            end.line_is_free(true);
        }
        self.send();
        for _ in 0..MOST_EVENTS {
            let Some(next) = self.next_event() else {
                self.ends.iter().for_each(Harness::check_at_rest);
                return;
            };
            self.step_to(next.max(self.ends[0].now));
        }
        panic!("the service does not come to rest");
    }

    fn check_promise(&self, promise: Promise) {
        if promise == Promise::Nothing {
            return;
        }
        for (from, to) in [(0, 1), (1, 0)] {
            let (taken, received) = (&self.taken[from], &self.ends[to].received);
            assert_eq!(received.len() as u64, self.ends[to].delivered(), "only what was sent, as it was");
            let is_of_taken = received.iter().all(|number| (*number as usize) < taken.len());
            assert!(is_of_taken, "something was delivered that was not sent");
            let mut different = received.clone();
            different.sort_unstable();
            different.dedup();
            match promise {
                Promise::AllOnce => {
                    assert_eq!((received.len(), &different), (taken.len(), taken), "all, and none twice");
                }
                Promise::AllInOrder => assert_eq!(received, taken),
                Promise::SomeInOrder => assert_eq!(*received, different, "in sequence, and none twice"),
                Promise::SomeOnce => assert_eq!(received.len(), different.len(), "none twice"),
                Promise::WhatArrives => {
                    assert_eq!(received.len() as u64, self.ways[from].arrived, "all that arrives");
                    assert!(received.is_sorted());
                }
                Promise::Some | Promise::Nothing => {}
            }
        }
    }
}
