//! A forwarding node behind the wireless link (shikama06 §4.4, Fig. 13).
//!
//! ```text
//!     C: server                B: client's end               D: forwarding node             A: client
//!      |  )))   wireless   (((   |  --- 100 Mbit/s, 0 s --->   |  b |  --- `wired`: 10 Mbit/s, 0.05 s --->  |
//!                                   <--------------------------      <---------------------------------
//! ```
//!
//! What the wireless link lets go at once, as a receiver does that holds packets in order, comes to the node at the high
//! rate, and waits in its queue of b packets for the low one. The wired link keeps all its settings and lies behind the
//! wireless one now, so that the round trip is as long as without the node.

use super::World;
use crate::channel::Direction;
use crate::event::Event;
use crate::line::{Line, Queue, Room};
use crate::probe::Probe;
use crate::rate::Clock;
use crate::scenario::Scenario;
use alloc::boxed::Box;
use arqway_units::Octets;
use bytes::Bytes;

/// The link between the client's end of the wireless link and the node. What the node holds waits in the wired link's line.
#[derive(Debug)]
pub(super) struct Node {
    down: Line<Bytes>,
    up: Line<Bytes>,
}

impl Node {
    /// The node of a scenario, if it has one.
    pub(super) fn new(scenario: &Scenario) -> Option<Box<Self>> {
        let node = &scenario.forwarding_node;
        let (rate, delay) = (node.rate, node.delay.into());
        // The narrow place is the queue of the node; nothing is dropped on the way to it.
        let line = || Line::new(Clock::steady(rate), &delay, Queue::DropTail(Room::UNLIMITED));
        node.enabled.then(|| Box::new(Self { down: line(), up: line() }))
    }

    /// The room in front of the wired link toward the client: the node's where there is one.
    pub(super) fn room(scenario: &Scenario) -> Room {
        let node = &scenario.forwarding_node;
        if node.enabled { node.queue.unwrap_or(Room::UNLIMITED) } else { scenario.wired.queue }
    }

    fn line(&mut self, direction: Direction) -> &mut Line<Bytes> {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }
}

impl<P: Probe> World<P> {
    /// A packet goes on toward the node, or from the node toward the wireless link.
    pub(super) fn queue_to_node(&mut self, direction: Direction, packet: Bytes) {
        if let Some(node) = &mut self.node {
            node.line(direction).enqueue(packet, &self.events);
        }
        self.send_to_node(direction);
    }

    fn send_to_node(&mut self, direction: Direction) {
        let Self { node: Some(node), events, now, .. } = self else { return };
        let line = node.line(direction);
        let sent = line.send_next(|packet| Octets::of(packet.len()), *now, events, Event::NodeDeparture(direction));
        let Some((packet, passage)) = sent else { return };
        line.launch(packet, passage.arrival, events, Event::NodeArrival(direction));
    }

    /// The transmitter before the node, or behind it, is free again.
    pub(super) fn depart_to_node(&mut self, direction: Direction) {
        if let Some(node) = &mut self.node {
            node.line(direction).depart();
        }
        self.send_to_node(direction);
    }

    /// A packet has come to the node, or from the node to the wireless link.
    pub(super) fn arrive_at_node(&mut self, direction: Direction) {
        let Self { node: Some(node), events, now, .. } = self else { return };
        let arrived = node.line(direction).arrive(*now, events, Event::NodeArrival(direction));
        let Some(packet) = arrived else { return };
        match direction {
            Direction::Down => self.queue_wired(Direction::Down, packet),
            Direction::Up => {
                self.offer(Direction::Up, packet);
                self.pump(Direction::Up);
            }
        }
    }
}
