//! One run of a scenario: server, access point and client, and what happens between them.
//!
//! ```text
//!   server                     access point                      client
//!     | -- wired down -->  queue | mux | line, channel -- down -->  | mux |
//!     | <-- wired up ---         | mux | <-- up -- channel, line    | mux |
//! ```
//!
//! What the hosts do with packets is in `hosts.rs`, the way between them and the wireless link in `wires.rs` and
//! `forwarding.rs`, greedy sources are in `bulk.rs`, what happens when the user moves is in `mobility.rs`.

mod bulk;
mod forwarding;
mod hosts;
mod mobility;
mod wires;

use crate::app::{FileTransfer, Filler, Media, TcpBulk, Web};
use crate::channel::{Channel, Direction};
use crate::event::Event;
use crate::kernel::{EventQueue, Random, Streams};
use crate::line::{Line, Queue};
use crate::link_end::LinkEnd;
use crate::outcome::{Outcome, WebOutcome};
use crate::packet::Memory;
use crate::probe::Probe;
use crate::rate::Rate;
use crate::scenario::Scenario;
use crate::tcp::{Connections, TcpConfig};
use alloc::boxed::Box;
use arqway_link::mux::ConfigError;
use arqway_link::{Checked, Frame, LinkService, Mux, Packet, ServiceId};
use arqway_units::{BitRate, Span, Time};
use forwarding::Node;
use hosts::clock_phase;
use mobility::{Roaming, add_other_link};
use wires::WiredLoss;

/// A world at work.
#[derive(Debug)]
pub struct World<P> {
    now: Time,
    events: EventQueue<Event>,
    wired_down: Line<Packet>,
    wired_up: Line<Packet>,
    wired_loss: Option<WiredLoss>,
    /// What lies between the wireless link and the wired one, which is behind it then.
    node: Option<Box<Node>>,
    access_point: LinkEnd,
    client: LinkEnd,
    /// A user who moves; `wired_delay` is how long a hint takes to the server.
    roaming: Option<Box<Roaming>>,
    wired_delay: Span,
    tcp: TcpConfig,
    connections: Connections,
    file_transfer: Option<FileTransfer>,
    bulk: Option<TcpBulk>,
    clock_phases: Random,
    web: Option<Web>,
    media: Option<Media>,
    /// What carries the media.
    media_service: Option<ServiceId>,
    filler: Option<Filler>,
    memory: Memory,
    /// The host at this end has given packets to the link layer there, which is yet to act on them.
    server_has_sent: bool,
    client_has_sent: bool,
    end: Time,
    measured_until: Time,
    /// Of the line toward the client, on average.
    line_rate: BitRate,
    probe: P,
}

impl<P: Probe> World<P> {
    /// The scenario at time zero, with the random numbers of one replication.
    ///
    /// # Errors
    /// A link layer that cannot be set up so, such as one of more services than a tag can tell apart.
    pub fn new(scenario: &Scenario, streams: &Streams, probe: P) -> Result<Self, ConfigError> {
        let wired_rate = Rate::Constant(scenario.wired.rate);
        let wired = |room| Line::new(&wired_rate, scenario.wired.delay, Queue::DropTail(room));
        let end = |direction: Direction| -> Result<LinkEnd, ConfigError> {
            let wireless = &scenario.wireless;
            let mux = Mux::new(&scenario.mux(direction), direction.sender())?;
            let line: Line<Frame> =
                Line::new(wireless.rate(direction), wireless.delay(direction), wireless.queue(direction));
            let (errors, impairments) = (wireless.errors(direction), wireless.impairments(direction));
            let channel = Channel::new(errors, &impairments, direction, streams);
            let mut end = LinkEnd::new(Checked::new(mux), direction, line, channel, wireless.charge_tag);
            add_other_link(&mut end, scenario, direction, streams);
            Ok(end)
        };
        let (file, web, media) = (&scenario.file_transfer, &scenario.web, &scenario.media);
        let channel = &scenario.channel;
        let mut memory = Memory::default();
        Ok(Self {
            now: Time::ZERO,
            events: EventQueue::default(),
            wired_down: wired(Node::room(scenario)),
            wired_up: wired(scenario.wired.queue),
            wired_loss: WiredLoss::new(scenario, streams),
            node: Node::new(scenario),
            access_point: end(Direction::Down)?,
            client: end(Direction::Up)?,
            roaming: Roaming::new(scenario, streams).map(Box::new),
            wired_delay: if scenario.forwarding_node.enabled { Span::ZERO } else { scenario.wired.delay },
            tcp: scenario.tcp.clone(),
            connections: Connections::default(),
            file_transfer: file.enabled.then(|| FileTransfer::new(file, scenario.headers)),
            bulk: scenario.tcp_bulk.enabled.then(|| TcpBulk::new(&scenario.tcp_bulk, scenario.headers, &scenario.tcp)),
            clock_phases: streams.stream("server.clock-phase"),
            web: web.enabled.then(|| Web::new(web, scenario.headers, streams)),
            media: media.enabled.then(|| {
                let mut speaker = Media::new(media, scenario.headers, streams.stream("app.media"));
                speaker.fit(scenario.wireless.rate(Direction::Down).mean());
                speaker
            }),
            media_service: None,
            filler: channel.enabled.then(|| Filler::new(channel, &mut memory)),
            memory,
            server_has_sent: false,
            client_has_sent: false,
            end: Time::ZERO + scenario.length(),
            measured_until: Time::ZERO + channel.duration,
            line_rate: scenario.wireless.rate(Direction::Down).mean(),
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

    /// Begins: files, browser and speaker act for the first time. [`run`](Self::run) does this itself.
    pub fn start(&mut self) {
        self.await_outage();
        if let Some(media) = &self.media {
            self.events.schedule(media.next(), Event::MediaSend);
            if let Some(interval) = media.reports_every() {
                self.events.schedule(self.now + interval, Event::MediaReport);
            }
        }
        self.start_files();
        self.start_bulk();
        self.pump_hosts();
        if let Some(web) = &mut self.web {
            web.ask_for_page(self.now);
            self.browse();
            self.pump_hosts();
        }
        if self.filler.is_some() {
            self.events.schedule(self.measured_until, Event::ChannelEnd);
            self.fill_link();
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
        true
    }

    fn is_over(&self) -> bool {
        let to_wait_for = self.file_transfer.is_some() || self.bulk.is_some() || self.filler.is_some();
        to_wait_for
            && self.file_transfer.as_ref().is_none_or(FileTransfer::is_finished)
            && self.bulk.as_ref().is_none_or(TcpBulk::is_over)
            && self.filler.as_ref().is_none_or(Filler::is_over)
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::WiredDeparture(direction) => self.depart_wired(direction),
            Event::WiredArrival(direction) => self.arrive_wired(direction),
            Event::NodeDeparture(direction) => self.depart_to_node(direction),
            Event::NodeArrival(direction) => self.arrive_at_node(direction),
            Event::FrameDeparture(direction) => {
                let now = self.now;
                self.end(direction).depart(now);
                self.pump(direction);
                if self.filler.is_some() {
                    self.fill_link();
                }
            }
            Event::FrameArrival(direction) => self.arrive_frame(direction),
            Event::ServiceTimer(direction) => {
                let now = self.now;
                self.end(direction).ring(now);
                self.pump(direction);
            }
            Event::TcpTimer(id) => {
                self.ring_tcp(id);
                self.pump_hosts();
            }
            Event::MediaSend => self.send_media(),
            Event::MediaReport => self.report_media(),
            Event::Mobility(moment) => self.move_user(moment),
            Event::HintAtServer => {
                self.server_hears();
                self.pump_hosts();
            }
            Event::ChannelEnd => self.filler.iter_mut().for_each(Filler::stop),
            Event::BulkSample => self.sample_bulk(),
            Event::BulkEnd => self.end_bulk(),
        }
    }

    fn arrive_frame(&mut self, direction: Direction) {
        let Self { access_point, client, events, now, .. } = self;
        let (sender, receiver, receiving) = match direction {
            Direction::Down => (access_point, client, Direction::Up),
            Direction::Up => (client, access_point, Direction::Down),
        };
        let Some(frame) = sender.arrive(events, *now) else { return };
        self.probe.frame_received(direction, &frame, *now);
        receiver.service.handle_frame(frame, *now);
        self.pump(receiving);
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
        let (transfer, media) = (self.file_transfer.as_ref(), self.media.as_ref());
        Outcome {
            ended: self.now,
            file_complete: transfer.map(FileTransfer::is_finished),
            throughput_bps: transfer.map(|transfer| transfer.throughput_bps(&self.connections, self.now)),
            tcp_timeouts: transfer.map(|transfer| transfer.timeouts(&self.connections)),
            web: self.web.as_ref().map(|web| WebOutcome {
                throughput_bps: web.throughput_bps(self.now),
                pages: web.pages(),
                response_s: web.mean_response_s(),
                timeouts: web.timeouts(&self.connections),
            }),
            bulk: self.bulk.as_ref().map(|bulk| bulk.outcome(&self.connections, self.now)),
            media_delay_s: media.and_then(Media::mean_delay),
            media_delay_deviation_s: media.and_then(Media::delay_deviation),
            media_loss: media.and_then(|media| media.loss(self.now)),
            media_overhead: self.media_overhead(),
            left_by_media_bps: self.left_by_media_bps(),
            media_offered_bps: media.map(|media| media.offered_bps(self.now)),
            frame_loss_rate: self.access_point.frame_loss().rate(),
            frame_loss_run: self.access_point.frame_loss().mean_run(),
            queue_drops: self.access_point.dropped() + self.client.dropped(),
            lost_in_outages: self.access_point.lost_in_outages() + self.client.lost_in_outages(),
            late_packets: self.connections.late(),
            wired_drops: self.wired_down.dropped() + self.wired_up.dropped(),
            node_drops: self.node.is_some().then(|| self.wired_down.dropped()),
            wired_losses: self.wired_loss.as_ref().map_or(0, WiredLoss::lost),
            access_point: self.access_point.service.counters(),
            client: self.client.service.counters(),
            events: self.events.scheduled(),
        }
    }
}

impl<P> World<P> {
    /// How many octets the media's service takes of the line for each of a packet, less that one.
    fn media_overhead(&self) -> Option<f64> {
        let service = self.media_service?;
        let packets = self.access_point.service.inner().counters_of(service.index())?.octets_sent;
        (packets > 0).then(|| self.access_point.line_octets(service) as f64 / packets as f64 - 1.0)
    }

    /// What of the line toward the client was not taken by the media's service, where it carries nothing else.
    fn left_by_media_bps(&self) -> Option<f64> {
        let (service, seconds) = (self.media_service?, self.now.as_seconds());
        if service == ServiceId::default() || seconds <= 0.0 {
            return None;
        }
        let taken = self.access_point.line_octets(service) as f64 * 8.0 / seconds;
        Some(self.line_rate.as_bits_per_second() as f64 - taken)
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
            owner: Owner::File,
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
