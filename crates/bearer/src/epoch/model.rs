//! Every course that two ends' hellos can take in a small world: any of them may be lost, doubled and overtaken by any other,
//! and each end may restart at any time.

use super::*;
use std::collections::BTreeSet;
use std::vec::Vec;

/// One machine, of which one incarnation lives at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Machine {
    end: Epoch,
    restarts_left: u8,
    /// The youngest peer that it took for alive.
    youngest: u64,
    /// It took an older one for alive after that, or a datagram that was not meant for this epoch.
    deceived: bool,
}

/// What is under way, for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Message {
    Hello { asks: bool, boot: u64, challenge: u32, peer: u64, echo: u32 },
    Data { epoch: u32, from: u64, to: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    machines: [Machine; 2],
    under_way: [BTreeSet<Message>; 2],
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Ask(usize),
    GiveUp(usize),
    Send(usize),
    Restart(usize),
    Deliver(usize, Message),
}

/// The incarnations of a machine: 11, 12, ... and 21, 22, ...
fn boot(machine: usize, incarnation: u64) -> u64 {
    10 * (machine as u64 + 1) + incarnation
}

impl Machine {
    fn hear(&mut self, hello: &Hello) {
        if self.end.hear(hello, Time::ZERO) != Heard::Nothing {
            self.deceived |= hello.boot < self.youngest;
            self.youngest = hello.boot;
        }
    }

    fn receive(&mut self, message: Message, of_client: bool) {
        match message {
            Message::Hello { asks, boot, challenge, peer, echo } => {
                self.hear(&Hello { of_client, asks, boot, challenge, peer, echo });
            }
            Message::Data { epoch, from, to } => {
                if self.end.takes(Name::Full { epoch, number: 0 }, Span::ZERO, Time::ZERO) {
                    self.deceived |= self.end.peer != Some(from) || self.end.boot != to;
                } else {
                    self.end.doubt(Time::ZERO);
                }
            }
        }
        self.untimed();
    }

    /// Time is left out: whoever asks may ask at any time, and again.
    fn untimed(&mut self) {
        self.end.asks = self.end.asks.map(|_| (Time::ZERO, 0));
    }

    fn poll(&mut self) -> Option<Message> {
        let Hello { asks, boot, challenge, peer, echo, .. } = self.end.poll(Time::ZERO)?;
        self.untimed();
        Some(Message::Hello { asks, boot, challenge, peer, echo })
    }

    fn data(&self) -> Option<Message> {
        Some(Message::Data { epoch: self.end.id()?, from: self.end.boot, to: self.end.peer? })
    }
}

impl World {
    fn new(restarts: [u8; 2]) -> Self {
        let machine = |machine: usize| Machine {
            end: Epoch::new(machine == 1, boot(machine, 1), Time::ZERO),
            restarts_left: restarts[machine],
            youngest: 0,
            deceived: false,
        };
        Self { machines: [machine(0), machine(1)], under_way: [BTreeSet::new(), BTreeSet::new()] }
    }

    fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        for (index, machine) in self.machines.iter().enumerate() {
            if machine.end.answers || machine.end.asks.is_some() {
                actions.push(Action::Ask(index));
            }
            if machine.end.asks.is_some() && machine.end.peer.is_some() {
                actions.push(Action::GiveUp(index));
            }
            if machine.end.peer.is_some() {
                actions.push(Action::Send(index));
            }
            if machine.restarts_left > 0 {
                actions.push(Action::Restart(index));
            }
            actions.extend(self.under_way[index].iter().map(|message| Action::Deliver(index, *message)));
        }
        actions
    }

    fn after(&self, action: Action) -> Self {
        let mut next = self.clone();
        match action {
            Action::Ask(index) => next.under_way[1 - index].extend(next.machines[index].poll()),
            Action::GiveUp(index) => next.machines[index].end.asks = None,
            Action::Send(index) => next.under_way[1 - index].extend(next.machines[index].data()),
            Action::Restart(index) => {
                let Machine { end, restarts_left, youngest, .. } = &mut next.machines[index];
                *restarts_left -= 1;
                (*end, *youngest) = (Epoch::new(index == 1, end.boot + 1, Time::ZERO), 0);
            }
            Action::Deliver(index, message) => next.machines[index].receive(message, index == 0),
        }
        next
    }
}

/// Both ends send what they have, hellos and data, and receive it half a round trip later.
fn agrees_soon(machines: &[Machine; 2]) -> bool {
    let mut machines = machines.clone();
    for _ in 0..6 {
        let sent = [0, 1].map(|index: usize| [machines[index].poll(), machines[index].data()]);
        for (index, messages) in sent.into_iter().enumerate() {
            for message in messages.into_iter().flatten() {
                machines[1 - index].receive(message, index == 1);
            }
        }
    }
    let [near, far] = &machines;
    near.end.peer == Some(far.end.boot) && far.end.peer == Some(near.end.boot)
}

/// Looks at all that can happen while at most so many messages are under way in each direction. How many worlds there are.
fn explore(restarts: [u8; 2], most_under_way: usize) -> usize {
    let first = World::new(restarts);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = Vec::from([first]);
    let mut noticed = false;
    while let Some(world) = open.pop() {
        assert!(world.machines.iter().all(|machine| !machine.deceived), "an old incarnation is back: {world:#?}");
        assert!(agrees_soon(&world.machines), "three round trips without a loss are not enough: {world:#?}");
        noticed |= world.machines.iter().any(|machine| machine.youngest % 10 == 2 && machine.end.boot % 10 == 1);
        for action in world.actions() {
            let next = world.after(action);
            let is_small = next.under_way.iter().all(|messages| messages.len() <= most_under_way);
            if is_small && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    assert!(noticed, "nobody ever noticed a restart");
    seen.len()
}

#[test]
fn no_course_of_hellos_brings_an_old_incarnation_back_and_three_round_trips_are_enough() {
    let worlds = explore([1, 1], 3);
    assert!(worlds > 10_000, "{worlds}");
}

#[test]
fn nor_does_one_of_a_machine_that_restarts_twice() {
    let worlds = explore([0, 2], 3);
    assert!(worlds > 10_000, "{worlds}");
}
