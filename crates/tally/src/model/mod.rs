//! Every course that two ends can take in a small world: frames are lost, doubled and overtake one another at will. The ends are
//! the real ones, not a model of them.
//!
//! ```text
//!     end, queue  --- start: lost, or one or two copies --->  at most 3 frames under way, of which any arrives next  --->  end
//! ```
//!
//! What makes the world finite, and why nothing is missed by that:
//!
//! - *Time* stands still, and a timer fires at any moment, or where a model says so only when nothing else can happen. So lengths
//!   of time play no part, nor do they tell two ends apart. What is known of the share that is lost is forgotten after each step:
//!   both ends behave as where frames are lost.
//! - *Counters* of transmissions are counted from the first one that is not judged: after each step both ends and the frames
//!   under way are moved back together. Both ends have carried so many packets that their numbers come round two frames later, and
//!   counters are always moved back to three before that. So each course is seen where its numbers and counters wrap.
//! - A frame that more than a few later transmissions have overtaken does not arrive any more; and an end that has sent a given
//!   number of transmissions without a word of its peer sends no more until one comes. So runs of losses are bounded, but not
//!   how many there are.
//!
//! Of every world it is asked whether both ends come to rest with everything delivered, if nothing more is lost. As that way
//! leads through worlds that were asked already it is short.

#![expect(
    clippy::disallowed_types,
    reason = "nothing is done in their order, and there are tens of millions of worlds"
)]

mod ends;

use super::below::SLOW;
use super::{Config, WindowSize};
use arqway_arq::Resequencing;
use arqway_units::Span;
use ends::{End, Ends, Frames, Input, Name, OLDEST};
use std::collections::{HashMap, HashSet};
use std::vec::Vec;

/// How many frames may be under way in each direction.
const UNDER_WAY: usize = 3;
const NONE: Name = Name::MAX;

/// What is looked at.
#[derive(Debug, Clone)]
struct Model {
    config: Config,
    /// How many packets each end sends.
    packets: [u8; 2],
    /// How many frames may be doubled.
    copies: u8,
    /// How many transmissions go out without a word of the peer.
    unreported: u64,
    /// How many later transmissions a frame may be overtaken by.
    overtakes: u64,
    /// How many frames are under way in each direction.
    under_way: usize,
    /// Timers fire whenever they run, not only if nothing else can happen.
    hasty: bool,
    /// How long a frame takes on the line.
    frame_time: Span,
    /// Numbers and counters begin a little before this one: where those of so many bits come round.
    turn: u64,
}

impl Model {
    /// Where the first transmission that is not judged stands.
    fn first_counter(&self) -> u64 {
        self.turn - 3
    }
}

/// Frames and ends are named by numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct World {
    ends: [u32; 2],
    /// From each end; in no order, as any may arrive next.
    under_way: [[Name; UNDER_WAY]; 2],
    pushed: [u8; 2],
    /// Which packets each end has released.
    released: [u8; 2],
    copies: u8,
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Push(usize),
    Fire(usize),
    Expire(usize),
    /// A frame starts, of which so many copies are under way then.
    Start(usize, u8),
    /// The frame of this end in this place arrives.
    Arrive(usize, usize),
}

/// All that was met.
struct Search {
    model: Model,
    ends: Ends,
    moved: HashMap<(Name, u64, u64), Option<Name>>,
}

impl Search {
    fn new(model: Model) -> (Self, World) {
        let mut search = Self { model, ends: Ends::default(), moved: HashMap::new() };
        let mut ends = [(); 2].map(|()| End::new(&search.model));
        carry(&mut ends, search.model.turn - 2);
        let first = World {
            ends: ends.map(|end| search.ends.add(end)),
            under_way: [[NONE; UNDER_WAY]; 2],
            pushed: [0; 2],
            released: [0; 2],
            copies: search.model.copies,
        };
        let first = search.moved_back(first);
        (search, first)
    }

    fn actions(&self, world: &World, to: &mut Vec<Action>) {
        to.clear();
        for index in 0..2 {
            let end = self.ends.get(world.ends[index]);
            if world.pushed[index] < self.model.packets[index] && end.has_room() {
                to.push(Action::Push(index));
            }
            if end.has_timer() && (self.model.hasty || self.is_quiet(world)) {
                to.push(Action::Fire(index));
            }
            if self.model.config.persistence.is_some() && world.pushed[index] > 0 {
                to.push(Action::Expire(index));
            }
            let under_way = world.under_way[index].iter().filter(|frame| **frame != NONE).count();
            to.extend((0..under_way).map(|place| Action::Arrive(index, place)));
            if end.has_frame() && end.unreported() < self.model.unreported {
                let copies = if world.copies > 0 { 2 } else { 1 };
                let most = u8::try_from(self.model.under_way - under_way).expect("few").min(copies);
                to.extend((0..=most).map(|copies| Action::Start(index, copies)));
            }
        }
    }

    /// Nothing is under way, and nothing waits for the line.
    fn is_quiet(&self, world: &World) -> bool {
        let is_idle = |end: &u32| !self.ends.get(*end).has_frame();
        world.under_way == [[NONE; UNDER_WAY]; 2] && world.ends.iter().all(is_idle)
    }

    fn after(&mut self, mut world: World, action: Action) -> World {
        match action {
            Action::Push(index) => {
                let input = Input::Push(world.pushed[index]);
                world.pushed[index] += 1;
                self.apply(&mut world, index, input);
            }
            Action::Fire(index) => _ = self.apply(&mut world, index, Input::Fire),
            Action::Expire(index) => _ = self.apply(&mut world, index, Input::Expire),
            Action::Arrive(from, place) => {
                let name = core::mem::replace(&mut world.under_way[from][place], NONE);
                self.apply(&mut world, 1 - from, Input::Receive(name));
            }
            Action::Start(index, copies) => {
                let sent = self.apply(&mut world, index, Input::Start);
                world.copies -= copies.saturating_sub(1);
                if let Some(name) = sent {
                    let places = world.under_way[index].iter_mut().filter(|place| **place == NONE);
                    places.take(copies.into()).for_each(|place| *place = name);
                }
                self.forget_old(&mut world, index);
            }
        }
        let mut world = self.moved_back(world);
        world.under_way.iter_mut().for_each(|frames| frames.sort_unstable());
        world
    }

    /// Tells an end, and looks at what it releases. The frame that it sends.
    fn apply(&mut self, world: &mut World, index: usize, input: Input) -> Option<Name> {
        let (end, outcome) = self.ends.apply(world.ends[index], input);
        world.ends[index] = end;
        for number in outcome.released {
            let (released, is_in_order) =
                (&mut world.released[index], self.model.config.resequencing.keeps_udp_in_order());
            assert!(number < world.pushed[1 - index], "packet {number} was never sent");
            assert!(*released & 1 << number == 0, "packet {number} is released twice");
            assert!(!is_in_order || *released >> number == 0, "packet {number} comes behind a later one");
            *released |= 1 << number;
        }
        outcome.sent
    }

    /// What so many later transmissions have overtaken does not arrive any more.
    fn forget_old(&self, world: &mut World, index: usize) {
        let oldest = self.ends.get(world.ends[index]).next() - 1 - self.model.overtakes;
        for frame in world.under_way[index].iter_mut().filter(|frame| **frame != NONE) {
            let (tag, octets) = self.ends.frames.get(*frame);
            if let [Some((from, width)), _] = counters_of(*tag, octets)
                && !is_from(oldest, number(octets, from, width), width)
            {
                *frame = NONE;
            }
        }
    }

    /// The same world with counters that begin where they always do.
    fn moved_back(&mut self, mut world: World) -> World {
        for index in 0..2 {
            let by = self.ends.get(world.ends[index]).first() - self.model.first_counter();
            if by == 0 {
                continue;
            }
            for (end, own, of_peer) in [(index, by, 0), (1 - index, 0, by)] {
                world.ends[end] = self.ends.apply(world.ends[end], Input::Move { own, of_peer }).0;
                for frame in world.under_way[end].iter_mut().filter(|frame| **frame != NONE) {
                    *frame = self.moved_frame(*frame, own, of_peer).unwrap_or(NONE);
                }
            }
        }
        world
    }

    /// A frame with counters that are so many less; `None` if it becomes too old.
    fn moved_frame(&mut self, name: Name, own: u64, of_peer: u64) -> Option<Name> {
        if let Some(known) = self.moved.get(&(name, own, of_peer)) {
            return *known;
        }
        let (tag, mut octets) = self.ends.frames.get(name).clone();
        let [of_sender, of_receiver] = counters_of(tag, &octets);
        let first = self.model.first_counter();
        let fresh = [(of_sender, own), (of_receiver, of_peer)].into_iter().all(|(place, by)| {
            let Some((from, width)) = place else { return true };
            let modulus = 1 << width;
            let counter = (number(&octets, from, width) + modulus - by) % modulus;
            set_number(&mut octets, from, width, counter);
            is_from(first - OLDEST, counter, width)
        });
        let moved = fresh.then(|| self.ends.frames.name((tag, octets)));
        self.moved.insert((name, own, of_peer), moved);
        moved
    }

    fn is_done(&self, world: &World) -> bool {
        let all_delivered = |from: usize| world.released[1 - from].count_ones() == u32::from(world.pushed[from]);
        let delivered = self.model.config.persistence.is_some() || (0..2).all(all_delivered);
        world.pushed == self.model.packets && delivered && world.ends.iter().all(|end| self.ends.get(*end).is_at_rest())
    }

    /// What happens next if nothing is lost any more: all that is under way arrives, and a timer fires when nothing else
    /// happens.
    fn kind_action(&self, world: &World) -> Option<Action> {
        let arrives = |from: &usize| world.under_way[*from].iter().any(|frame| *frame != NONE);
        if let Some(from) = (0..2).find(arrives) {
            return world.under_way[from]
                .iter()
                .position(|frame| *frame != NONE)
                .map(|place| Action::Arrive(from, place));
        }
        let end = |index: usize| self.ends.get(world.ends[index]);
        let start = (0..2).find(|index| end(*index).has_frame()).map(|index| Action::Start(index, 1));
        let push = (0..2).find(|index| world.pushed[*index] < self.model.packets[*index] && end(*index).has_room());
        let fire = (0..2).find(|index| end(*index).has_timer());
        start.or(push.map(Action::Push)).or(fire.map(Action::Fire))
    }

    /// Whether all ends well if nothing more is lost.
    fn assert_ends_well(&mut self, from: &World, seen: &HashSet<World>) {
        let mut world = *from;
        for _ in 0..200 {
            if seen.contains(&world) {
                return;
            }
            let Some(action) = self.kind_action(&world) else {
                assert!(self.is_done(&world), "at rest too early: {world:?}");
                return;
            };
            world = self.after(world, action);
        }
        panic!("no rest after 200 steps without a loss");
    }
}

/// Both ends carry so many packets each way.
fn carry(ends: &mut [End; 2], packets: u64) {
    for _ in 0..packets {
        for end in ends.iter_mut() {
            end.apply(Input::Push(0), &mut Frames::default());
        }
        send_all(ends);
    }
    while let Some(end) = ends.iter_mut().find(|end| end.has_timer()) {
        end.apply(Input::Fire, &mut Frames::default());
        send_all(ends);
    }
}

/// Whatever both ends have to send arrives.
fn send_all(ends: &mut [End; 2]) {
    // Nobody asks for these frames again.
    let mut frames = Frames::default();
    while let Some((from, name)) = (0..2).find_map(|end| Some((end, ends[end].apply(Input::Start, &mut frames).sent?)))
    {
        ends[1 - from].apply(Input::Receive(name), &mut frames);
    }
}

/// Where the bits of a frame's counters begin, and how many there are: of who sends it, and of who is to get it.
fn counters_of(tag: u8, octets: &[u8]) -> [Option<(usize, usize)>; 2] {
    match tag & 7 {
        0 | 1 => [Some((11, 11)), None],
        2 => [Some((11, 11)), Some((43, 11))],
        3 => [Some((18, 18)), (number(octets, 38, 1) == 1).then_some((66, 18))],
        4 => [None, Some((11, 11))],
        5 if octets.len() == 3 => [Some((0, 18)), None],
        5 => [None, Some((18, 18))],
        6 => [Some((18, 18)), None],
        _ => [Some((8, 7)), None],
    }
}

/// Whether a number of so many bits is not before that one.
fn is_from(oldest: u64, bits: u64, width: usize) -> bool {
    let modulus = 1 << width;
    (bits + modulus - oldest % modulus) % modulus < modulus / 2
}

fn number(octets: &[u8], from: usize, width: usize) -> u64 {
    let bit = |place: usize| u64::from(octets[place / 8] >> (7 - place % 8) & 1);
    (from..from + width).fold(0, |number, place| number << 1 | bit(place))
}

fn set_number(octets: &mut [u8], from: usize, width: usize, number: u64) {
    for place in from..from + width {
        let bit = u8::from(number >> (from + width - 1 - place) & 1 == 1) << (7 - place % 8);
        octets[place / 8] = octets[place / 8] & !(1 << (7 - place % 8)) | bit;
    }
}

/// Looks at all that can happen. How many worlds there are.
fn explore(model: Model) -> usize {
    let (mut search, first) = Search::new(model);
    let mut seen = HashSet::new();
    // What is to be done from a world on, and how deep that is; and what led there, for whoever reads of a failure.
    let mut open = Vec::from([(first, None, 0)]);
    let mut path = Path::default();
    let mut actions = Vec::new();
    while let Some((world, action, depth)) = open.pop() {
        path.0.truncate(depth);
        path.0.extend(action);
        let world = match action {
            Some(action) => search.after(world, action),
            None => world,
        };
        if seen.contains(&world) {
            continue;
        }
        search.assert_ends_well(&world, &seen);
        seen.insert(world);
        search.actions(&world, &mut actions);
        open.extend(actions.iter().map(|action| (world, Some(*action), path.0.len())));
        if seen.len().is_multiple_of(1_000_000) {
            std::eprintln!(
                "{} million worlds, {} ends, {} frames",
                seen.len() / 1_000_000,
                search.ends.len(),
                search.ends.frames.len()
            );
        }
    }
    path.0.clear();
    std::println!("{} worlds", seen.len());
    seen.len()
}

/// What led to where it stands; told on a failure.
#[derive(Debug, Default)]
struct Path(Vec<Action>);

impl Drop for Path {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::eprintln!("what led there: {:?}", self.0);
        }
    }
}

/// Two frames doubled, three under way, and timers that fire only if nothing else can happen.
fn model(window: u32, packets: [u8; 2]) -> Model {
    let window = WindowSize::new(window).expect("a window");
    let config = Config { window, resequencing: Resequencing::Full, ..Config::default() };
    Model {
        config,
        packets,
        copies: 2,
        unreported: 3,
        overtakes: 3,
        under_way: UNDER_WAY,
        hasty: false,
        frame_time: Span::ZERO,
        turn: 1 << 11,
    }
}

#[test]
fn in_a_small_world_every_packet_arrives_once_and_in_order_and_both_ends_come_to_rest() {
    let worlds = explore(Model { copies: 1, overtakes: 2, ..model(2, [3, 0]) });
    assert!(worlds > 20_000, "{worlds}");
}

#[test]
fn so_they_do_where_both_ends_send() {
    let worlds = explore(Model { copies: 0, overtakes: 2, ..model(2, [1, 1]) });
    assert!(worlds > 20_000, "{worlds}");
}

/// A slow line has heads in the tiny form until a frame comes late.
#[test]
fn so_they_do_in_the_tiny_form() {
    let worlds = explore(Model { copies: 1, overtakes: 2, frame_time: SLOW, ..model(2, [3, 0]) });
    assert!(worlds > 20_000, "{worlds}");
}

/// As an end fires its timers that was not told of a frame in time.
#[test]
fn so_they_do_where_timers_fire_at_any_time() {
    let worlds =
        explore(Model { copies: 1, unreported: 2, overtakes: 2, under_way: 2, hasty: true, ..model(1, [1, 0]) });
    assert!(worlds > 2_000, "{worlds}");
}

#[test]
fn with_packets_that_are_given_up_what_arrives_is_in_order_and_both_ends_come_to_rest() {
    let mut model = Model { copies: 0, overtakes: 2, under_way: 2, ..model(2, [2, 0]) };
    model.config.persistence = Some(Span::from_milliseconds(1000));
    let worlds = explore(model);
    assert!(worlds > 20_000, "{worlds}");
}

/// For `.ci/model`.
#[test]
#[ignore = "takes minutes"]
fn in_a_world_of_full_size_every_packet_arrives_once_and_in_order_and_both_ends_come_to_rest() {
    // So many transmissions in a row may be lost: all of a window, and the poll behind it.
    let worlds = explore(Model { unreported: 4, turn: 1 << 18, ..model(3, [4, 0]) });
    assert!(worlds > 20_000_000, "{worlds}");
}
