//! One run of a scenario: server, access point and client, and what happens between them.
//!
//! ```text
//!   server                     access point                      client
//!     | -- wired down -->  queue | mux | line, channel -- down -->  | mux |
//!     | <-- wired up ---         | mux | <-- up -- channel, line    | mux |
//! ```

use crate::app::{FileTransfer, Filler, Media};
use crate::channel::{Channel, Direction};
use crate::event::Event;
use crate::kernel::{Alarm, EventQueue, Streams};
use crate::line::{Line, Queue};
use crate::link_end::LinkEnd;
use crate::outcome::Outcome;
use crate::packet::Memory;
use crate::probe::{Host, Probe};
use crate::rate::Rate;
use crate::scenario::Scenario;
use arqway_link::mux::{Protocol, TooManyServices};
use arqway_link::{Frame, LinkService, Mux, Packet};
use arqway_units::{Span, Time};

/// A world at work.
#[derive(Debug)]
pub struct World<P> {
    now: Time,
    events: EventQueue<Event>,
    wired_down: Line<Packet>,
    wired_up: Line<Packet>,
    access_point: LinkEnd,
    client: LinkEnd,
    file_transfer: Option<FileTransfer>,
    tcp_alarm: Alarm,
    media: Option<Media>,
    filler: Option<Filler>,
    memory: Memory,
    end: Time,
    measured_until: Time,
    probe: P,
}

impl<P: Probe> World<P> {
    /// The scenario at time zero, with the random numbers of one replication.
    ///
    /// # Errors
    /// More services than a tag can tell apart.
    pub fn new(scenario: &Scenario, streams: &Streams, probe: P) -> Result<Self, TooManyServices> {
        let wired_rate = Rate::Constant(scenario.wired.rate);
        let wired = || Line::new(&wired_rate, scenario.wired.delay, Queue::DropTail(scenario.wired.queue));
        let end = |direction: Direction| -> Result<LinkEnd, TooManyServices> {
            let wireless = &scenario.wireless;
            let mux = Mux::new(&scenario.link_layer.mux(), direction.sender())?;
            let line: Line<Frame> =
                Line::new(wireless.rate(direction), wireless.delay(direction), wireless.queue(direction));
            let (errors, impairments) = (wireless.errors(direction), wireless.impairments(direction));
            let channel = Channel::new(errors, &impairments, direction, streams);
            Ok(LinkEnd::new(mux, direction, line, channel, wireless.charge_tag))
        };
        let clock_phase = scenario.tcp.clock_phase.unwrap_or_else(|| {
            let tick = scenario.tcp.settings().tick;
            Span::from_seconds(streams.stream("server.clock-phase").uniform() * tick.as_seconds())
        });
        let (file, media, channel) = (&scenario.file_transfer, &scenario.media, &scenario.channel);
        let mut memory = Memory::default();
        Ok(Self {
            now: Time::ZERO,
            events: EventQueue::default(),
            wired_down: wired(),
            wired_up: wired(),
            access_point: end(Direction::Down)?,
            client: end(Direction::Up)?,
            file_transfer: file.enabled.then(|| FileTransfer::new(file, &scenario.tcp, scenario.headers, clock_phase)),
            tcp_alarm: Alarm::default(),
            media: media.enabled.then(|| Media::new(media, scenario.headers, streams.stream("app.media"))),
            filler: channel.enabled.then(|| Filler::new(channel, &mut memory)),
            memory,
            end: Time::ZERO + scenario.duration,
            measured_until: Time::ZERO + channel.duration,
            probe,
        })
    }

    /// Runs to the end: the file's last acknowledgement and the end of the channel's measurement, or the scenario's
    /// duration, or when nothing is left to do.
    pub fn run(mut self) -> Outcome {
        self.start();
        while !self.is_over() && self.step() {}
        self.outcome()
    }

    /// Begins: TCP and the speaker act for the first time. [`run`](Self::run) does this itself.
    pub fn start(&mut self) {
        if let Some(media) = &self.media {
            self.events.schedule(media.next(), Event::MediaSend);
        }
        if let Some(transfer) = &mut self.file_transfer {
            transfer.sender.start(self.now);
            self.send_segments();
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
        let measured = self.filler.as_ref().is_none_or(Filler::is_over);
        match &self.file_transfer {
            Some(transfer) => transfer.sender.is_finished() && measured,
            None => self.filler.is_some() && measured,
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::WiredDeparture(direction) => {
                self.wired(direction).depart();
                self.send_wired(direction);
            }
            Event::WiredArrival(Direction::Down) => {
                if let Some(packet) = self.wired_down.arrive(self.now) {
                    self.access_point.send(packet, self.now);
                    self.pump(Direction::Down);
                }
            }
            Event::WiredArrival(Direction::Up) => {
                if let Some(packet) = self.wired_up.arrive(self.now) {
                    self.receive_at_server(&packet);
                }
            }
            Event::FrameDeparture(direction) => {
                let now = self.now;
                self.end(direction).depart(now);
                self.pump(direction);
                if self.filler.is_some() {
                    self.fill_link();
                }
            }
            Event::FrameArrival(direction) => {
                let now = self.now;
                if let Some(frame) = self.end(direction).arrive(now) {
                    let receiving = opposite(direction);
                    self.probe.frame_received(direction, &frame, now);
                    self.end(receiving).mux.handle_frame(frame, now);
                    self.pump(receiving);
                }
            }
            Event::ServiceTimer(direction) => {
                let now = self.now;
                self.end(direction).ring(now);
                self.pump(direction);
            }
            Event::TcpTimer => self.ring_tcp(),
            Event::MediaSend => self.send_media(),
            Event::ChannelEnd => self.filler.iter_mut().for_each(Filler::stop),
        }
    }

    fn end(&mut self, sending: Direction) -> &mut LinkEnd {
        match sending {
            Direction::Down => &mut self.access_point,
            Direction::Up => &mut self.client,
        }
    }

    fn wired(&mut self, direction: Direction) -> &mut Line<Packet> {
        match direction {
            Direction::Down => &mut self.wired_down,
            Direction::Up => &mut self.wired_up,
        }
    }

    /// Lets one end of the link layer do what it can, and its network layer take what it delivers.
    fn pump(&mut self, sending: Direction) {
        loop {
            let Self { access_point, client, events, probe, now, .. } = self;
            let end = match sending {
                Direction::Down => access_point,
                Direction::Up => client,
            };
            end.pump(events, probe, *now);
            let mut answered = false;
            while let Some(packet) = self.end(sending).take_delivered() {
                answered |= self.take_from_link(sending, packet);
            }
            if !answered {
                return;
            }
        }
    }

    /// A packet came out of the link layer: at the access point it goes on to the server, at the client it is there.
    /// Says whether the host there has answered over the same link.
    fn take_from_link(&mut self, at_end: Direction, packet: Packet) -> bool {
        match at_end {
            Direction::Down => {
                self.queue_wired(Direction::Up, packet);
                false
            }
            Direction::Up => self.receive_at_client(&packet),
        }
    }

    fn queue_wired(&mut self, direction: Direction, packet: Packet) {
        // A packet that finds no room is counted by the line, and lost.
        let _ = self.wired(direction).offer(packet);
        self.send_wired(direction);
    }

    fn send_wired(&mut self, direction: Direction) {
        let now = self.now;
        let line = self.wired(direction);
        let Some(packet) = line.take_ready() else { return };
        let passage = line.transmit(arqway_units::Octets::of(packet.octets.len()), now);
        line.launch(packet, passage.arrival);
        self.events.schedule(passage.departure, Event::WiredDeparture(direction));
        self.events.schedule(passage.arrival, Event::WiredArrival(direction));
    }

    fn receive_at_client(&mut self, packet: &Packet) -> bool {
        self.probe.packet_received(Host::Client, packet, self.now);
        if is_udp(packet) {
            let delay = self.media.as_mut().and_then(|media| media.receive(packet, self.now));
            if let Some(delay) = delay {
                self.probe.media_received(delay, self.now);
            }
            return false;
        }
        if Filler::is_of(packet) {
            return false;
        }
        let Some(transfer) = &mut self.file_transfer else { return false };
        let Some(answer) = transfer.receive(packet, &mut self.memory) else { return false };
        self.probe.packet_sent(Host::Client, &answer, self.now);
        self.client.send(answer, self.now);
        true
    }

    fn receive_at_server(&mut self, packet: &Packet) {
        self.probe.packet_received(Host::Server, packet, self.now);
        let Some(transfer) = &mut self.file_transfer else { return };
        let Some(number) = transfer.acknowledgement(packet) else { return };
        transfer.sender.handle_acknowledgement(number, self.now);
        self.probe.tcp_acknowledged(number, &transfer.sender, self.now);
        self.send_segments();
    }

    fn ring_tcp(&mut self) {
        if self.tcp_alarm.ring(self.now)
            && let Some(transfer) = &mut self.file_transfer
        {
            transfer.sender.handle_timeout(self.now);
            self.probe.tcp_timed_out(&transfer.sender, self.now);
        }
        self.send_segments();
    }

    fn send_segments(&mut self) {
        let Some(transfer) = &mut self.file_transfer else { return };
        while let Some(transmission) = transfer.sender.poll_transmission() {
            self.probe.tcp_sent(transmission, &transfer.sender, self.now);
            let packet = transfer.packet(transmission, &mut self.memory);
            self.probe.packet_sent(Host::Server, &packet, self.now);
            // A packet that finds no room is counted by the line, and lost.
            let _ = self.wired_down.offer(packet);
        }
        if let Some(at) = self.tcp_alarm.set(transfer.sender.poll_timeout()) {
            self.events.schedule(at, Event::TcpTimer);
        }
        self.send_wired(Direction::Down);
    }

    fn send_media(&mut self) {
        let Some(media) = &mut self.media else { return };
        let packet = media.send(self.now, &mut self.memory);
        self.probe.packet_sent(Host::Server, &packet, self.now);
        self.events.schedule(media.next(), Event::MediaSend);
        self.queue_wired(Direction::Down, packet);
    }

    /// Where the channel is measured, the link toward the client never has nothing to send.
    fn fill_link(&mut self) {
        let packet = self.filler.as_ref().filter(|_| self.access_point.is_idle()).and_then(Filler::packet);
        if let Some(packet) = packet {
            self.access_point.send(packet, self.now);
            self.pump(Direction::Down);
        }
    }

    fn outcome(&self) -> Outcome {
        let (transfer, media) = (self.file_transfer.as_ref(), self.media.as_ref());
        Outcome {
            ended: self.now,
            file_complete: transfer.map(|transfer| transfer.sender.is_finished()),
            throughput_bps: transfer.map(|transfer| transfer.throughput_bps(self.now)),
            tcp_timeouts: transfer.map(|transfer| transfer.sender.timeouts()),
            media_delay_s: media.and_then(Media::mean_delay),
            media_loss: media.and_then(Media::loss),
            media_offered_bps: media.map(|media| media.offered_bps(self.now)),
            frame_loss_rate: self.access_point.frame_loss().rate(),
            frame_loss_run: self.access_point.frame_loss().mean_run(),
            queue_drops: self.access_point.dropped() + self.client.dropped(),
            wired_drops: self.wired_down.dropped() + self.wired_up.dropped(),
            access_point: self.access_point.mux.counters(),
            client: self.client.mux.counters(),
            events: self.events.scheduled(),
        }
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Down => Direction::Up,
        Direction::Up => Direction::Down,
    }
}

fn is_udp(packet: &Packet) -> bool {
    packet.octets.get(9) == Some(&Protocol::UDP.number())
}
