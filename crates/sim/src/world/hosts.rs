//! What server and client do when packets come and timers expire.

use super::World;
use crate::app::{Filler, Owner};
use crate::channel::Direction;
use crate::event::Event;
use crate::host::Host;
use crate::kernel::Random;
use crate::probe::Probe;
use crate::tcp::{SlotId, TcpConfig};
use arqway_link::Packet;
use arqway_link::mux::Protocol;
use arqway_units::Span;

/// Where in its tick a sender's clock stands at the start: as it was given, or as it is drawn.
pub(super) fn clock_phase(tcp: &TcpConfig, phases: &mut Random) -> Span {
    let tick = tcp.settings().tick;
    tcp.clock_phase.unwrap_or_else(|| Span::from_seconds(phases.uniform() * tick.as_seconds()))
}

impl<P: Probe> World<P> {
    pub(super) fn start_files(&mut self) {
        let Self { file_transfer: Some(transfer), connections, tcp, clock_phases, .. } = self else { return };
        let opened = transfer.open(tcp, connections, || clock_phase(tcp, clock_phases));
        let opened: alloc::vec::Vec<SlotId> = opened.collect();
        for id in opened {
            self.start_sender(id);
        }
    }

    /// A connection begins to send.
    pub(super) fn start_sender(&mut self, id: SlotId) {
        if let Some(connection) = self.connections.get_mut(id) {
            connection.sender.start(self.now);
            self.send_segments(id);
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
            let answer = connection.receive(packet, &mut self.memory, self.now);
            let has_all = connection.is_received();
            if let Some(answer) = answer {
                self.send_from(at, answer);
                self.flush(at);
            } else {
                // It is held, which may be the first deadline of this end.
                self.set_alarm(id);
            }
            if has_all {
                self.end_message(owner, true);
            }
        }
    }

    fn take_acknowledgement(&mut self, id: SlotId, packet: &Packet) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        let Some(acknowledgement) = connection.acknowledgement(packet) else { return };
        let number = acknowledgement.number;
        let (was_finished, is_new) = (connection.sender.is_finished(), number > connection.sender.acknowledged());
        connection.sender.take_acknowledgement(&acknowledgement, self.now);
        let ends = connection.sender.is_finished() && !was_finished;
        let owner = connection.owner;
        self.probe.tcp_acknowledged(number, &connection.sender, self.now);
        if let (Owner::TcpBulk(index), Some(bulk), true) = (owner, &mut self.bulk, is_new) {
            bulk.acknowledged(index, &connection.sender, self.now);
        }
        self.send_segments(id);
        if ends {
            self.end_message(owner, false);
        }
    }

    /// All data of a connection were acknowledged, or `by_receiver`, have arrived: its owner may have more to do.
    fn end_message(&mut self, owner: Owner, by_receiver: bool) {
        match owner {
            Owner::File => {
                if let Some(transfer) = self.file_transfer.as_mut().filter(|_| !by_receiver) {
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
            // They never have sent everything.
            Owner::TcpBulk(_) => {}
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
                if let (Owner::TcpBulk(index), Some(bulk)) = (connection.owner, &mut self.bulk) {
                    bulk.timed_out(index, self.now);
                }
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
        let Some(from) = self.connections.get_mut(id).map(|connection| connection.from) else { return };
        while let Some(packet) = self.next_segment(id) {
            self.send_from(from, packet);
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

    /// The next packet that a connection sends now.
    fn next_segment(&mut self, id: SlotId) -> Option<Packet> {
        let Self { connections, memory, probe, bulk, now, .. } = self;
        let connection = connections.get_mut(id)?;
        let transmission = connection.sender.poll_transmission()?;
        probe.tcp_sent(transmission, &connection.sender, *now);
        if let (Owner::TcpBulk(index), Some(bulk), true) = (connection.owner, bulk, transmission.again) {
            bulk.sent_again(index, transmission.number, *now);
        }
        Some(connection.packet(transmission, memory))
    }

    pub(super) fn send_media(&mut self) {
        let Some(media) = &mut self.media else { return };
        let packet = media.send(self.now, &mut self.memory);
        if self.media_service.is_none() {
            self.media_service = Some(self.access_point.service.inner().service_of(&packet.octets));
        }
        self.events.schedule(media.next(), Event::MediaSend);
        self.send_from(Host::Server, packet);
        self.flush(Host::Server);
        self.pump_hosts();
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
            self.flush(Host::Client);
            self.pump_hosts();
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
