//! What lies between the hosts and the wireless link, and which packet goes where.
//!
//! ```text
//!     server -- wired -- access point )))  wireless  ((( client                              in most worlds
//!     server = access point )))  wireless  ((( client's end -- node -- wired -- client       with a forwarding node
//! ```
//!
//! One host has the wired link before it, and the other is at its end of the wireless link. A packet for the wire waits in
//! the line until its host has sent all it has to send now; one for the wireless link is in its end, which is pumped when
//! the host is done.

use super::World;
use crate::app::TcpEvent;
use crate::channel::Direction;
use crate::event::Event;
use crate::host::Host;
use crate::kernel::{EventQueue, Random, Streams};
use crate::line::Line;
use crate::probe::Probe;
use crate::scenario::Scenario;
use arqway_units::{Octets, Ratio, Time};
use bytes::Bytes;

/// Packets toward the client that the wired link loses at random.
#[derive(Debug)]
pub(super) struct WiredLoss {
    share: Ratio,
    random: Random,
    lost: u64,
}

impl WiredLoss {
    /// Those of a scenario, if it has some.
    pub(super) fn new(scenario: &Scenario, streams: &Streams) -> Option<Self> {
        let share = scenario.wired.loss;
        (share > Ratio::ZERO).then(|| Self { share, random: streams.stream("wired.down.loss"), lost: 0 })
    }

    /// Whether the next packet is lost.
    fn strikes(&mut self) -> bool {
        let strikes = self.random.happens(self.share);
        self.lost += u64::from(strikes);
        strikes
    }

    /// How many were.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }
}

impl<P: Probe> World<P> {
    /// Whether a host has the wired link before it.
    fn is_on_the_wire(&self, host: Host) -> bool {
        (host == Host::Client) == self.node.is_some()
    }

    /// A host's network layer hands a packet to its link.
    pub(super) fn send_from(&mut self, host: Host, packet: Bytes) {
        self.probe.packet_sent(host, &packet, self.now);
        let direction = direction_from(host);
        if self.is_on_the_wire(host) {
            let (line, events, _) = self.wired_and_events(direction);
            line.enqueue(packet, events);
        } else {
            self.offer(direction, packet);
            *self.has_sent(direction) = true;
        }
    }

    /// A host has sent what it has to send: its line may begin. An end of the wireless link is pumped by whoever called
    /// the host.
    pub(super) fn flush(&mut self, host: Host) {
        if self.is_on_the_wire(host) {
            self.send_wired(direction_from(host));
        }
    }

    /// A packet came out of the link layer: it goes on to the other host, or is there.
    pub(super) fn take_from_link(&mut self, at_end: Direction, packet: Bytes) {
        match (at_end, self.node.is_some()) {
            (Direction::Down, false) if self.take_message(&packet) => {}
            (Direction::Down, false) => self.queue_wired(Direction::Up, packet),
            (Direction::Down, true) => self.receive_at(Host::Server, &packet),
            (Direction::Up, false) => self.receive_at(Host::Client, &packet),
            (Direction::Up, true) => self.queue_to_node(Direction::Down, packet),
        }
    }

    /// A packet has crossed the wired link.
    pub(super) fn arrive_wired(&mut self, direction: Direction) {
        let (line, events, now) = self.wired_and_events(direction);
        let Some(packet) = line.arrive(now, events, Event::WiredArrival(direction)) else { return };
        match (direction, self.node.is_some()) {
            (Direction::Down, false) => {
                if !self.take_message(&packet) {
                    self.offer(Direction::Down, packet);
                }
                self.pump(Direction::Down);
            }
            (Direction::Up, true) => self.queue_to_node(Direction::Up, packet),
            (Direction::Up, false) => {
                self.receive_at(Host::Server, &packet);
                self.pump_hosts();
            }
            (Direction::Down, true) => {
                self.receive_at(Host::Client, &packet);
                self.pump_hosts();
            }
        }
    }

    fn wired(&mut self, direction: Direction) -> &mut Line<Bytes> {
        self.wired_and_events(direction).0
    }

    fn wired_and_events(&mut self, direction: Direction) -> (&mut Line<Bytes>, &mut EventQueue<Event>, Time) {
        let line = match direction {
            Direction::Down => &mut self.wired_down,
            Direction::Up => &mut self.wired_up,
        };
        (line, &mut self.events, self.now)
    }

    /// The transmitter of the wired link is free again.
    pub(super) fn depart_wired(&mut self, direction: Direction) {
        self.wired(direction).depart();
        self.send_wired(direction);
    }

    pub(super) fn queue_wired(&mut self, direction: Direction, packet: Bytes) {
        let (line, events, _) = self.wired_and_events(direction);
        line.enqueue(packet, events);
        self.send_wired(direction);
    }

    fn send_wired(&mut self, direction: Direction) {
        let (line, events, now) = self.wired_and_events(direction);
        let sent = line.send_next(|packet| Octets::of(packet.len()), now, events, Event::WiredDeparture(direction));
        let Some((packet, passage)) = sent else { return };
        if direction == Direction::Down && self.wired_loss.as_mut().is_some_and(WiredLoss::strikes) {
            self.lose_on_the_wire(&packet, passage.arrival);
        } else {
            let (line, events, _) = self.wired_and_events(direction);
            line.launch(packet, passage.arrival, events, Event::WiredArrival(direction));
        }
    }

    /// A packet for the client was sent, and will not arrive.
    #[cold]
    fn lose_on_the_wire(&mut self, packet: &[u8], arrival: Time) {
        if let Some(connection) = self.connections.of_packet(packet, Host::Client)
            && let Some(number) = connection.number_of(packet)
        {
            self.applications.handle_tcp(connection.owner, TcpEvent::LostOnTheWire(number, arrival), self.now);
        }
    }
}

fn direction_from(host: Host) -> Direction {
    match host {
        Host::Server => Direction::Down,
        Host::Client => Direction::Up,
    }
}
