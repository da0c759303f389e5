//! One run of a scenario: server, access point and client, and what happens between them.
//!
//! ```text
//!   server                     access point                      client
//!     | -- wired down -->  queue | mux | line, channel -- down -->  | mux |
//!     | <-- wired up ---         | mux | <-- up -- channel, line    | mux |
//! ```
//!
//! What the hosts do with packets is in `hosts.rs`, the way between them and the wireless link in `wires.rs` and
//! `forwarding.rs`, what happens when the user moves is in `mobility.rs`. The applications are in `app/`.

mod forwarding;
mod hosts;
mod mobility;
mod reserving;
mod wires;

use crate::app::{Actions, Application, Applications, Carried, Connections, End, Setup};
use crate::channel::Direction;
use crate::event::Event;
use crate::kernel::{EventQueue, Random, Streams};
use crate::line::{Line, Queue};
use crate::link::{Charge, Layer, LinkEnd, Medium};
use crate::network_outcome::NetworkOutcome;
use crate::outcome::Outcome;
use crate::packet::Memory;
use crate::probe::Probe;
use crate::rate::Clock;
use crate::scenario::Scenario;
use crate::service_outcome::ServiceOutcome;
use crate::tcp::TcpConfig;
use alloc::boxed::Box;
use alloc::vec::Vec;
use arqway_link::mux::ConfigError;
use arqway_link::{Checked, LineId, LinkService, Packet, ServiceId};
use arqway_units::{BitRate, Span, Time};
use bytes::Bytes;
use forwarding::Node;
use mobility::Roaming;
use reserving::Reserving;
use wires::WiredLoss;

/// A world at work.
#[derive(Debug)]
pub struct World<P> {
    now: Time,
    events: EventQueue<Event>,
    wired_down: Line<Bytes>,
    wired_up: Line<Bytes>,
    wired_loss: Option<WiredLoss>,
    /// What lies between the wireless link and the wired one, which is behind it then.
    node: Option<Box<Node>>,
    access_point: LinkEnd,
    client: LinkEnd,
    /// A user who moves; `wired_delay` is how long a hint takes to the server.
    roaming: Option<Box<Roaming>>,
    wired_delay: Span,
    reserving: Option<Box<Reserving>>,
    tcp: TcpConfig,
    connections: Connections,
    clock_phases: Random,
    applications: Applications,
    /// What an application wants to happen.
    actions: Actions,
    memory: Memory,
    /// The host at this end has given packets to the link layer there, which is yet to act on them.
    server_has_sent: bool,
    client_has_sent: bool,
    end: Time,
    /// The mean rate of the wireless link toward the client.
    link_rate: BitRate,
    probe: P,
}

/// The boot number of the bearer that sends in this direction: 52 bits, as many as a fraction has.
fn boot_number(streams: &Streams, direction: Direction) -> u64 {
    let fraction = streams.stream(&alloc::format!("bearer.{}.boot", direction.name())).uniform();
    arqway_units::truncate(fraction * 4_503_599_627_370_496.0)
}

impl<P: Probe> World<P> {
    /// The scenario at time zero, with the random numbers of one replication.
    ///
    /// # Errors
    /// A link layer that cannot be set up so, such as one of more services than a tag can tell apart.
    pub fn new(scenario: &Scenario, streams: &Streams, probe: P) -> Result<Self, ConfigError> {
        let (wired_rate, wired_delay) = (scenario.wired.rate, scenario.wired.delay.into());
        let wired = |room| Line::new(Clock::steady(wired_rate), &wired_delay, Queue::DropTail(room));
        let end = |direction: Direction| -> Result<LinkEnd, ConfigError> {
            let wireless = &scenario.wireless;
            let bearer = scenario.link_layer.bearer.as_ref();
            let boot = |direction| boot_number(streams, direction);
            let bearer_and_boot = bearer.map(|bearer| (bearer, boot(direction)));
            let mut layer = Layer::new(&scenario.mux(direction), bearer_and_boot, &scenario.context(direction))?;
            if bearer.is_some_and(|bearer| !bearer.hellos) {
                layer.meet(boot(direction.opposite()));
            }
            let charge =
                bearer.map_or_else(|| Charge::of(wireless), |bearer| Charge::Datagram { overhead: bearer.overhead });
            let medium = |line| {
                let medium = Medium::of_line(wireless, line, direction, streams);
                medium.moving(&scenario.mobility, wireless, direction, streams)
            };
            let mut service = Checked::new(layer);
            if bearer.is_none() {
                scenario.known_lines(direction).for_each(|(line, state)| service.handle_line(line, state, Time::ZERO));
            }
            Ok(LinkEnd::new(service, direction, wireless.lines(), medium, charge))
        };
        let (mut memory, link_rate) = (Memory::default(), scenario.wireless.mean_rate(Direction::Down));
        let applications = {
            let Scenario { headers, tcp, wired, .. } = scenario;
            let mut setup = Setup { headers: *headers, tcp, wired, link_rate, streams, memory: &mut memory };
            Applications::build(&scenario.configs(), &mut setup)
        };
        let access_point = end(Direction::Down)?;
        Ok(Self {
            now: Time::ZERO,
            events: EventQueue::default(),
            wired_down: wired(Node::room(scenario)),
            wired_up: wired(scenario.wired.queue),
            wired_loss: WiredLoss::new(scenario, streams),
            node: Node::new(scenario),
            reserving: Reserving::new(scenario, access_point.service.inner().mux().shares()),
            access_point,
            client: end(Direction::Up)?,
            roaming: Roaming::new(scenario, streams).map(Box::new),
            wired_delay: if scenario.forwarding_node.enabled { Span::ZERO } else { scenario.wired.delay },
            tcp: scenario.tcp.clone(),
            connections: Connections::default(),
            clock_phases: streams.stream("server.clock-phase"),
            applications,
            actions: Actions::with_capacity(16),
            memory,
            server_has_sent: false,
            client_has_sent: false,
            end: Time::ZERO + scenario.length(),
            link_rate,
            probe,
        })
    }

    /// Runs to the end: the last acknowledgement of all files, the end of greedy sources and of the channel's measurement;
    /// or the scenario's length, or when nothing is left to do.
    pub fn run(mut self) -> Outcome {
        self.start();
        while !self.is_over() && self.step() {}
        self.outcome()
    }

    /// The same, unless it is given up half way, which is asked for every so many events.
    pub fn run_unless(mut self, given_up: impl Fn() -> bool) -> Option<Outcome> {
        /// A millisecond's work, at most: whoever gives up does not wait.
        const EVENTS: u32 = 1024;
        self.start();
        while !given_up() {
            for _ in 0..EVENTS {
                if self.is_over() || !self.step() {
                    return Some(self.outcome());
                }
            }
        }
        None
    }

    /// Begins: the link's ends set their first timers, and applications act for the first time. [`run`](Self::run) does
    /// this itself.
    pub fn start(&mut self) {
        self.await_outage();
        // A service may have a timer that runs before anything was sent, such as that of RLC's periodic reports.
        [Direction::Down, Direction::Up].into_iter().for_each(|direction| self.pump(direction));
        for application in Application::ALL {
            self.call_applications(|applications, hosts| applications.start(*application, hosts));
            self.pump_hosts();
        }
    }

    /// Lets the next event happen; false if there is none, or none in time.
    pub fn step(&mut self) -> bool {
        let Some((at, event)) = self.events.pop() else { return false };
        if at > self.end {
            self.now = self.end;
            return false;
        }
        self.now = at;
        self.happen(event);
        // A service that was full may have room again, whatever happened.
        if self.applications.fill_link() && self.access_point.is_idle() {
            self.call_applications(Applications::handle_idle_link);
        }
        true
    }

    fn is_over(&self) -> bool {
        self.applications.are_finished()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::WiredDeparture(direction) => self.depart_wired(direction),
            Event::WiredArrival(direction) => self.arrive_wired(direction),
            Event::NodeDeparture(direction) => self.depart_to_node(direction),
            Event::NodeArrival(direction) => self.arrive_at_node(direction),
            Event::FrameDeparture(direction, line) => {
                let now = self.now;
                self.end(direction).depart(line, now);
                self.pump(direction);
            }
            Event::FrameArrival(direction, line) => self.arrive_frame(direction, line),
            Event::ServiceTimer(direction) => {
                let now = self.now;
                self.end(direction).ring(now);
                self.pump(direction);
            }
            Event::TcpTimer(id) => {
                self.ring_tcp(id);
                self.pump_hosts();
            }
            Event::Application(application, timer) => {
                self.call_applications(|applications, hosts| applications.handle_timer(application, timer, hosts));
                self.pump_hosts();
            }
            Event::Mobility(phase) => self.move_user(phase),
            Event::HintAtServer => {
                self.notify_server();
                self.pump_hosts();
            }
            Event::Reservation => {
                self.ring_reservation();
                self.pump(Direction::Down);
            }
        }
    }

    fn arrive_frame(&mut self, direction: Direction, line: LineId) {
        let Self { access_point, client, events, now, .. } = self;
        let (sender, receiver, receiving) = match direction {
            Direction::Down => (access_point, client, Direction::Up),
            Direction::Up => (client, access_point, Direction::Down),
        };
        let Some(frame) = sender.arrive(line, events, *now) else { return };
        self.probe.frame_received(direction, &frame, *now);
        receiver.service.handle_frame(frame, *now);
        self.pump(receiving);
    }

    /// The network layer gives a packet to the end of the wireless link that sends this way. Whether it was taken.
    fn offer(&mut self, sending: Direction, packet: Bytes) -> bool {
        self.probe.packet_offered(sending, &packet, self.now);
        let now = self.now;
        self.end(sending).send(Packet::new(packet), now)
    }

    fn end(&mut self, sending: Direction) -> &mut LinkEnd {
        match sending {
            Direction::Down => &mut self.access_point,
            Direction::Up => &mut self.client,
        }
    }

    fn has_sent(&mut self, sending: Direction) -> &mut bool {
        match sending {
            Direction::Down => &mut self.server_has_sent,
            Direction::Up => &mut self.client_has_sent,
        }
    }

    /// Lets one end of the link layer do what it can, and its network layer take what it delivers.
    fn pump(&mut self, mut sending: Direction) {
        loop {
            let Self { access_point, client, events, probe, now, .. } = self;
            let end = match sending {
                Direction::Down => access_point,
                Direction::Up => client,
            };
            end.pump(events, probe, *now);
            while let Some(packet) = self.end(sending).take_delivered() {
                self.take_from_link(sending, packet);
            }
            // A host has answered what came out of its end of the link over the same link.
            match self.end_to_pump() {
                Some(end) => sending = end,
                None => return,
            }
        }
    }

    /// An end of the link layer whose host has sent something on which it has not acted yet.
    fn end_to_pump(&mut self) -> Option<Direction> {
        [Direction::Up, Direction::Down].into_iter().find(|end| core::mem::take(self.has_sent(*end)))
    }

    /// Lets the link layer act on what hosts have sent without having received anything from it.
    fn pump_hosts(&mut self) {
        if let Some(end) = self.end_to_pump() {
            self.pump(end);
        }
    }

    fn outcome(&self) -> Outcome {
        let Self { access_point, client, .. } = self;
        let carried = |packet: &[u8]| self.carried(packet);
        let end = End {
            now: self.now,
            connections: &self.connections,
            link_rate: self.link_rate,
            frame_loss: access_point.frame_loss(),
            carried: &carried,
        };
        let network = NetworkOutcome {
            rate: self.link_rate,
            frame_loss_rate: access_point.frame_loss().rate(),
            frame_loss_run: access_point.frame_loss().mean_run(),
            queue_drops: access_point.dropped() + client.dropped(),
            lost_in_outages: access_point.lost_in_outages() + client.lost_in_outages(),
            late_packets: self.connections.late(),
            wired_drops: self.wired_down.dropped() + self.wired_up.dropped(),
            node_drops: self.node.is_some().then(|| self.wired_down.dropped()),
            wired_losses: self.wired_loss.as_ref().map_or(0, WiredLoss::lost),
            access_point: access_point.service.counters(),
            client: client.service.counters(),
        };
        let applications = self.applications.outcomes(&end);
        let services = self.services();
        Outcome { ended: self.now, applications, network, services, events: self.events.scheduled() }
    }

    /// What each service did toward the client.
    fn services(&self) -> Vec<ServiceOutcome> {
        let [sending, receiving] = [&self.access_point, &self.client].map(|end| end.service.inner().mux());
        let ends = sending.metrics_since_start().zip(receiving.metrics_since_start()).enumerate();
        let services = ends.map(|(number, (sent, received))| ServiceOutcome {
            sender: sending.counters_of(number).unwrap_or_default(),
            sent: sent.sent,
            received: received.received,
            share: sending.shares().of(number),
        });
        services.collect()
    }

    /// What the service has carried toward the client that carries packets like this one.
    fn carried(&self, packet: &[u8]) -> Carried {
        let layer = self.access_point.service.inner();
        let mux = layer.mux();
        let service = mux.service_of(packet);
        // A datagram has frames of many services: then what the frames take counts, without what the bearer adds.
        let line = match layer {
            Layer::Services(_) => self.access_point.line_octets(service),
            Layer::Bearer(_) => mux.link_octets_of(service.index()),
        };
        Carried {
            is_default: service == ServiceId::default(),
            packets: mux.counters_of(service.index()).map_or(0, |counters| counters.octets_sent),
            line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoProbe;
    use crate::app::{Owner, Parallel};
    use crate::channel::{ErrorModel, Uniform};
    use crate::host::Host;
    use crate::tcp::{Message, Opening};
    use arqway_link::mux::Ds;
    use arqway_units::{Octets, Ratio, Span};

    #[test]
    fn results_do_not_depend_on_the_places_of_connections_nor_on_their_ports() {
        let mut scenario = Scenario::default();
        scenario.file_transfer.size = Octets::new(300_000);
        scenario.web.enabled = true;
        scenario.web.parallel = Parallel::new(3).unwrap_or(Parallel::ONE);
        scenario.wireless.errors = ErrorModel::Uniform(Uniform { loss: Ratio::new(0.05).unwrap_or_default() });
        let world = || World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("one service");
        let mut moved = world();
        let opening = Opening {
            owner: Owner::FileTransfer(()),
            sender: Host::Server,
            server_port: 9,
            ds: Ds::default(),
            settings: scenario.tcp.settings(),
            clock_phase: Span::ZERO,
            message: Message { packets: 1, payload: 210, last: 210 },
        };
        let places: alloc::vec::Vec<_> = (0..5).filter_map(|_| moved.connections.open(&opening)).collect();
        for place in [3, 0, 4, 1, 2] {
            moved.connections.close(places[place]);
        }
        assert_eq!(moved.run(), world().run());
    }
}
