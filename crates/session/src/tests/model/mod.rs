//! Every course that rekeying, restarts and moves of two ends can take in a small world: messages are lost, doubled, overtaken,
//! and sent on from elsewhere. The keys' slots and the path are the real ones; cryptography and time are left out: whoever has
//! a key can open, and whoever may try again may do so at any time.

mod machine;

use crate::fuzz::ends::address;
use arqway_units::Time;
use machine::{Control, Machine, Message};
use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

/// What may still happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Left {
    begins: [u8; 2],
    restarts: [u8; 2],
    moves: [u8; 2],
    sends: u8,
    doubles: u8,
    relays: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    machines: [Machine; 2],
    under_way: [BTreeSet<Message>; 2],
    left: Left,
    next_index: u16,
}

#[derive(Debug, Clone)]
enum Action {
    Begin(usize),
    Send(usize),
    Speak(usize),
    Restart(usize),
    Move(usize),
    Deliver(usize, Message),
    Double(usize, Message),
    Lose(usize, Message),
    Relay(usize, Message),
}

const NOW: Time = Time::ZERO;
const SIZE: usize = 30;
const STRANGER: u8 = 99;

/// The incarnations of a machine: 11, 12, ... and 21, 22, ...
fn boot(machine: usize, incarnation: u64) -> u64 {
    10 * (machine as u64 + 1) + incarnation
}

fn home(machine: usize) -> SocketAddr {
    address(u8::try_from(machine + 1).expect("small"))
}

impl World {
    fn new(left: Left) -> Self {
        let machines = [0, 1].map(|machine| Machine::new(machine, boot(machine, 1), home(machine)));
        Self { machines, under_way: [BTreeSet::new(), BTreeSet::new()], left, next_index: 1 }
    }

    fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        for (index, machine) in self.machines.iter().enumerate() {
            let may = [
                (self.left.begins[index] > 0, Action::Begin(index)),
                (self.left.sends > 0 && machine.slots.current().is_some(), Action::Send(index)),
                (machine.wants_to_speak(), Action::Speak(index)),
                (self.left.restarts[index] > 0, Action::Restart(index)),
                (self.left.moves[index] > 0, Action::Move(index)),
            ];
            actions.extend(may.into_iter().filter_map(|(may, action)| may.then_some(action)));
            for message in &self.under_way[index] {
                actions.push(Action::Deliver(index, message.clone()));
                if self.left.doubles > 0 {
                    actions.push(Action::Double(index, message.clone()));
                }
                actions.push(Action::Lose(index, message.clone()));
                if self.left.relays > 0 {
                    actions.push(Action::Relay(index, message.clone()));
                }
            }
        }
        actions
    }

    fn send(&mut self, index: usize, message: Option<Message>) {
        // What goes to where nobody reads is lost.
        self.under_way[1 - index].extend(message.filter(|message| message.to == self.machines[1 - index].at));
    }

    fn deliver(&mut self, index: usize, message: Message) {
        if message.to != self.machines[index].at {
            return;
        }
        let answer = self.machines[index].receive(message, self.next_index + 1);
        self.next_index += u16::from(answer.is_some());
        self.send(index, answer);
    }

    fn begin(&mut self, index: usize) {
        self.next_index += 1;
        let message = self.machines[index].begin(self.next_index);
        self.send(index, message);
    }

    fn after(&self, action: Action) -> Self {
        let mut next = self.clone();
        match action {
            Action::Begin(index) => {
                next.left.begins[index] -= 1;
                next.begin(index);
            }
            Action::Send(index) => {
                next.left.sends -= 1;
                let message = next.machines[index].sealed(Control::Packet, None);
                next.send(index, message);
            }
            Action::Speak(index) => {
                let message = next.machines[index].speak();
                next.send(index, message);
            }
            Action::Restart(index) => {
                next.left.restarts[index] -= 1;
                let Machine { boot, at, .. } = next.machines[index];
                next.machines[index] = Machine::new(index, boot + 1, at);
            }
            Action::Move(index) => {
                next.left.moves[index] -= 1;
                next.machines[index].at = address(u8::try_from(index + 11).expect("small"));
            }
            Action::Deliver(index, message) => {
                next.under_way[index].remove(&message);
                next.deliver(index, message);
            }
            Action::Double(index, message) => {
                next.left.doubles -= 1;
                next.deliver(index, message);
            }
            Action::Lose(index, message) => _ = next.under_way[index].remove(&message),
            Action::Relay(index, message) => {
                next.left.relays -= 1;
                next.under_way[index].remove(&message);
                next.deliver(index, Message { from: address(STRANGER), ..message });
            }
        }
        next
    }

    /// Whether each seals with a key that the other opens, and sends it to where the other is.
    fn is_well(&self) -> bool {
        [0, 1].into_iter().all(|index: usize| {
            let [near, far] = [&self.machines[index], &self.machines[1 - index]];
            let current = near.slots.current();
            let is_shared = current.is_some_and(|token| {
                far.slots.iter().any(|other| other.index == token.remote && other.remote == token.index)
            });
            is_shared && near.clone().path.to(SIZE) == Some(far.at)
        })
    }

    /// From here on nothing is lost. How many round trips it takes until all is well: whoever gets no answer begins.
    fn settles_within(&self, most: usize) -> Option<usize> {
        let mut world = self.clone();
        for round in 0..most {
            if world.is_well() {
                return Some(round);
            }
            for index in 0..2 {
                let message = world.machines[index].sealed(Control::Packet, None);
                world.send(index, message);
            }
            // A round trip: what is under way arrives, and then the answers to it.
            let heard = [0, 1].map(|index: usize| world.machines[index].slots.current().map(|token| token.seen));
            for _ in 0..2 {
                for index in 0..2 {
                    while let Some(message) = world.machines[index].speak() {
                        world.send(index, Some(message));
                    }
                }
                for (index, messages) in std::mem::take(&mut world.under_way).into_iter().enumerate() {
                    messages.into_iter().for_each(|message| world.deliver(index, message));
                }
            }
            for (index, heard) in heard.into_iter().enumerate() {
                let seen = world.machines[index].slots.current().map(|token| token.seen);
                if seen.is_none() || seen == heard {
                    world.begin(index);
                }
            }
        }
        world.is_well().then_some(most)
    }
}

/// Looks at all that can happen while at most so many messages are under way in each direction. How many worlds there are.
fn explore(left: Left, most_under_way: usize) -> usize {
    let first = World::new(left);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([first]);
    let (mut restarted, mut moved) = (false, false);
    while let Some(world) = open.pop_front() {
        assert!(world.machines.iter().all(|machine| !machine.deceived), "an old incarnation is back: {world:#?}");
        assert!(world.settles_within(MOST_ROUND_TRIPS).is_some(), "keys that the other has not, and stay: {world:#?}");
        restarted |= world.machines.iter().any(|machine| machine.youngest % 10 == 2);
        moved |= world.machines[1].path.address() == Some(address(11));
        for action in world.actions() {
            let next = world.after(action);
            let is_small = next.under_way.iter().all(|messages| messages.len() <= most_under_way);
            if is_small && !seen.contains(&next) {
                seen.insert(next.clone());
                open.push_back(next);
            }
        }
    }
    assert!(restarted || left.restarts == [0, 0], "nobody ever noticed a restart");
    assert!(moved || left.moves == [0, 0], "nobody ever noticed a move");
    println!("{} worlds of {left:?}", seen.len());
    seen.len()
}

/// Three after it was noticed that nothing is answered, at each of the places where the peer may be.
const MOST_ROUND_TRIPS: usize = 1 + 3 * 3;

#[test]
fn rekeying_of_both_ends_crossed_with_a_restart_ends_in_keys_that_both_have() {
    let left = Left { begins: [1, 1], restarts: [1, 0], moves: [0, 0], sends: 1, doubles: 1, relays: 0 };
    assert!(explore(left, 1) > 1000);
}

#[test]
fn rekeying_crossed_with_a_move_ends_in_keys_that_both_have_and_where_the_peer_is() {
    let left = Left { begins: [2, 0], restarts: [0, 0], moves: [1, 0], sends: 1, doubles: 1, relays: 0 };
    assert!(explore(left, 1) > 1000);
}

#[test]
fn a_restart_crossed_with_a_move_and_somebody_who_sends_messages_on_ends_so_too() {
    let left = Left { begins: [1, 1], restarts: [0, 1], moves: [1, 0], sends: 0, doubles: 0, relays: 1 };
    assert!(explore(left, 1) > 1000);
}
