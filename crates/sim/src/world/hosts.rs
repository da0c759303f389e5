//! What server and client do when packets come and timers expire.

use super::World;
use crate::app::{Filler, Owner};
use crate::channel::Direction;
use crate::event::Event;
use crate::probe::{Host, Probe};
use crate::tcp::SlotId;
use arqway_link::Packet;
use arqway_link::mux::Protocol;
use arqway_units::Span;

impl<P: Probe> World<P> {
    pub(super) fn start_files(&mut self) {
        let Self { file_transfer, connections, tcp, clock_phases, .. } = self;
        let Some((config, transfer)) = file_transfer else { return };
        let tick = tcp.settings().tick;
        let phase =
            || tcp.clock_phase.unwrap_or_else(|| Span::from_seconds(clock_phases.uniform() * tick.as_seconds()));
        let opened: alloc::vec::Vec<SlotId> = transfer.open(config, tcp, connections, phase).collect();
        for id in opened {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.sender.start(self.now);
                self.send_segments(id);
            }
        }
    }

    pub(super) fn receive_at_client(&mut self, packet: &Packet) {
        self.probe.packet_received(Host::Client, packet, self.now);
        if is_udp(packet) {
            let delay = self.media.as_mut().and_then(|media| media.receive(packet, self.now));
            if let Some(delay) = delay {
                self.probe.media_received(delay, self.now);
            }
        } else if !Filler::is_of(packet) {
            self.receive_tcp(Host::Client, packet);
        }
    }

    pub(super) fn receive_at_server(&mut self, packet: &Packet) {
        self.probe.packet_received(Host::Server, packet, self.now);
        if is_udp(packet) {
            if let Some(media) = &mut self.media {
                media.take_report(packet, self.now);
            }
            return;
        }
        self.receive_tcp(Host::Server, packet);
    }

    fn receive_tcp(&mut self, at: Host, packet: &Packet) {
        let Some(id) = self.connections.find(packet, at) else { return };
        let Some(connection) = self.connections.get_mut(id) else { return };
        if connection.from == at {
            self.take_acknowledgement(id, packet);
        } else {
            let owner = connection.owner;
            let Some(answer) = connection.receive(packet, &mut self.memory, self.now) else {
                // It is held, which may be the first deadline of this end.
                return self.set_alarm(id);
            };
            let has_all = connection.is_received();
            self.send_from(at, answer);
            self.flush(at);
            if has_all {
                self.end_message(owner, true);
            }
        }
    }

    fn take_acknowledgement(&mut self, id: SlotId, packet: &Packet) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        let Some(number) = connection.acknowledgement(packet) else { return };
        let was_finished = connection.sender.is_finished();
        connection.sender.handle_acknowledgement(number, self.now);
        let ends = connection.sender.is_finished() && !was_finished;
        let owner = connection.owner;
        self.probe.tcp_acknowledged(number, &connection.sender, self.now);
        self.send_segments(id);
        if ends {
            self.end_message(owner, false);
        }
    }

    /// All data of a connection were acknowledged, or `by_receiver`, have arrived: its owner may have more to do.
    fn end_message(&mut self, owner: Owner, by_receiver: bool) {
        match owner {
            Owner::File => {
                if let Some((_, transfer)) = self.file_transfer.as_mut().filter(|_| !by_receiver) {
                    transfer.finish_one();
                }
            }
            Owner::Web(leg) => {
                let Some(web) = &mut self.web else { return };
                if let Some(response) = web.handle_end(leg, by_receiver, self.now) {
                    self.probe.page_loaded(response, self.now);
                }
                self.browse();
            }
        }
    }

    /// Sends what the browser wants to go out.
    pub(super) fn browse(&mut self) {
        while let Some(web) = &mut self.web
            && let Some((leg, message)) = web.poll_message()
        {
            if let Some(id) = web.send(leg, message, &self.tcp, &mut self.connections, self.now) {
                self.send_segments(id);
            }
        }
    }

    pub(super) fn ring_tcp(&mut self, id: SlotId) {
        if self.connections.ring(id, self.now)
            && let Some(connection) = self.connections.get_mut(id)
        {
            let timeouts = connection.sender.timeouts();
            connection.handle_timeout(self.now);
            if connection.sender.timeouts() > timeouts {
                self.probe.tcp_timed_out(&connection.sender, self.now);
            }
            self.send_released(id);
        }
        self.send_segments(id);
    }

    /// A receiver has held acknowledgements for long enough.
    fn send_released(&mut self, id: SlotId) {
        while let Some(connection) = self.connections.get_mut(id)
            && let Some(answer) = connection.poll_acknowledgement(&mut self.memory)
        {
            let at = connection.from.peer();
            self.send_from(at, answer);
            self.flush(at);
        }
    }

    pub(super) fn send_segments(&mut self, id: SlotId) {
        let Self { connections, wired_down, client, client_has_sent, memory, probe, now, .. } = self;
        let Some(connection) = connections.get_mut(id) else { return };
        let from = connection.from;
        while let Some(transmission) = connection.sender.poll_transmission() {
            probe.tcp_sent(transmission, &connection.sender, *now);
            let packet = connection.packet(transmission, memory);
            probe.packet_sent(from, &packet, *now);
            match from {
                // A packet that finds no room is counted by the line, and lost.
                Host::Server => drop(wired_down.offer(packet)),
                Host::Client => {
                    client.send(packet, *now);
                    *client_has_sent = true;
                }
            }
        }
        self.set_alarm(id);
        self.flush(from);
    }

    /// Sees to it that a connection is woken at its next deadline.
    fn set_alarm(&mut self, id: SlotId) {
        let Some((connection, alarm)) = self.connections.with_alarm(id) else { return };
        if let Some(at) = alarm.set(connection.poll_timeout()) {
            self.events.schedule(at, Event::TcpTimer(id));
        }
    }

    /// A host's network layer hands a packet to its link.
    fn send_from(&mut self, host: Host, packet: Packet) {
        self.probe.packet_sent(host, &packet, self.now);
        match host {
            // A packet that finds no room is counted by the line, and lost.
            Host::Server => drop(self.wired_down.offer(packet)),
            Host::Client => {
                self.client.send(packet, self.now);
                self.client_has_sent = true;
            }
        }
    }

    /// A host has sent what it has to send: the server's line may begin. The client's link layer is pumped by whoever
    /// called the client.
    fn flush(&mut self, host: Host) {
        if host == Host::Server {
            self.send_wired(Direction::Down);
        }
    }

    pub(super) fn send_media(&mut self) {
        let Some(media) = &mut self.media else { return };
        let packet = media.send(self.now, &mut self.memory);
        if self.media_service.is_none() {
            self.media_service = Some(self.access_point.mux.inner().service_of(&packet.octets));
        }
        self.probe.packet_sent(Host::Server, &packet, self.now);
        self.events.schedule(media.next(), Event::MediaSend);
        self.queue_wired(Direction::Down, packet);
    }

    /// The client tells the speaker how the lecture arrives, if there is something to tell.
    pub(super) fn report_media(&mut self) {
        let Self { media: Some(media), memory, .. } = self else { return };
        let report = media.report(memory);
        if let Some(interval) = media.reports_every() {
            self.events.schedule(self.now + interval, Event::MediaReport);
        }
        if let Some(packet) = report {
            self.send_from(Host::Client, packet);
            self.pump_client();
        }
    }

    /// Where the channel is measured, the link toward the client never has nothing to send.
    pub(super) fn fill_link(&mut self) {
        let packet = self.filler.as_ref().filter(|_| self.access_point.is_idle()).and_then(Filler::packet);
        if let Some(packet) = packet {
            self.access_point.send(packet, self.now);
            self.pump(Direction::Down);
        }
    }
}

fn is_udp(packet: &Packet) -> bool {
    packet.octets.get(9) == Some(&Protocol::UDP.number())
}
