//! What server and client do when packets come and timers expire.

use super::World;
use crate::app::{Action, Application, Applications, Hosts, Owner, TcpEvent};
use crate::channel::Direction;
use crate::event::Event;
use crate::host::Host;
use crate::probe::Probe;
use crate::tcp::ConnectionId;
use arqway_link::mux::Protocol;
use bytes::Bytes;

impl<P: Probe> World<P> {
    /// Calls the applications, and then does what they want to happen.
    pub(super) fn call_applications(&mut self, call: impl FnOnce(&mut Applications, &mut Hosts<'_>)) {
        let Self { now, tcp, connections, memory, clock_phases, actions, applications, .. } = self;
        let now = *now;
        // Whoever is called is put in its place.
        let application = Application::FileTransfer;
        call(applications, &mut Hosts { now, tcp, connections, memory, clock_phases, actions, application });
        while let Some(action) = self.actions.pop_front() {
            self.act(action);
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Send(from, packet) => {
                self.send_from(from, packet);
                self.flush(from);
            }
            Action::SendSegments(id) => self.send_segments(id),
            Action::FillLink(packet) => {
                if self.access_point.is_idle() {
                    self.offer(Direction::Down, packet);
                    self.pump(Direction::Down);
                }
            }
            Action::WakeAt(at, application, timer) => self.events.schedule(at, Event::Application(application, timer)),
            Action::Delivered(application, delay) => self.probe.delivered(application, delay, self.now),
        }
    }

    /// A packet has come to a host's network layer.
    pub(super) fn receive_at(&mut self, at: Host, packet: &[u8]) {
        self.probe.packet_received(at, packet, self.now);
        if packet.get(9) == Some(&Protocol::TCP.number()) {
            self.receive_tcp(at, packet);
        } else {
            self.call_applications(|applications, hosts| applications.handle_packet(at, packet, hosts));
        }
    }

    fn receive_tcp(&mut self, at: Host, packet: &[u8]) {
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
                self.end_data(owner, true);
            }
        }
    }

    fn take_acknowledgement(&mut self, id: ConnectionId, packet: &[u8]) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        let Some(acknowledgement) = connection.acknowledgement(packet) else { return };
        let number = acknowledgement.number;
        let (was_finished, is_new) = (connection.sender.is_finished(), number > connection.sender.acknowledged());
        connection.sender.take_acknowledgement(&acknowledgement, self.now);
        let ends = connection.sender.is_finished() && !was_finished;
        let owner = connection.owner;
        self.probe.tcp_acknowledged(number, &connection.sender, self.now);
        if is_new {
            self.applications.handle_tcp(owner, TcpEvent::Acknowledged(&connection.sender), self.now);
        }
        self.send_segments(id);
        if ends {
            self.end_data(owner, false);
        }
    }

    /// All data of a connection were acknowledged or, `by_receiver`, have arrived: its owner may have more to do.
    fn end_data(&mut self, owner: Owner, by_receiver: bool) {
        self.call_applications(|applications, hosts| applications.handle_end_of_data(owner, by_receiver, hosts));
    }

    pub(super) fn ring_tcp(&mut self, id: ConnectionId) {
        if self.connections.ring(id, self.now)
            && let Some(connection) = self.connections.get_mut(id)
        {
            let timeouts = connection.sender.timeouts();
            connection.handle_timeout(self.now);
            if connection.sender.timeouts() > timeouts {
                self.probe.tcp_timed_out(&connection.sender, self.now);
                self.applications.handle_tcp(connection.owner, TcpEvent::TimedOut, self.now);
            }
            self.send_released(id);
        }
        self.send_segments(id);
    }

    /// A receiver has held acknowledgements for long enough.
    fn send_released(&mut self, id: ConnectionId) {
        while let Some(connection) = self.connections.get_mut(id)
            && let Some(answer) = connection.poll_acknowledgement(&mut self.memory)
        {
            let at = connection.from.peer();
            self.send_from(at, answer);
            self.flush(at);
        }
    }

    pub(super) fn send_segments(&mut self, id: ConnectionId) {
        let Some(from) = self.connections.get_mut(id).map(|connection| connection.from) else { return };
        while let Some(packet) = self.next_segment(id) {
            self.send_from(from, packet);
        }
        self.set_alarm(id);
        self.flush(from);
    }

    /// Sees to it that a connection is woken at its next deadline.
    fn set_alarm(&mut self, id: ConnectionId) {
        let Some((connection, alarm)) = self.connections.with_alarm(id) else { return };
        if let Some(at) = alarm.set(connection.poll_timeout()) {
            self.events.schedule(at, Event::TcpTimer(id));
        }
    }

    /// The next packet that a connection sends now.
    fn next_segment(&mut self, id: ConnectionId) -> Option<Bytes> {
        let Self { connections, memory, probe, applications, now, .. } = self;
        let connection = connections.get_mut(id)?;
        let transmission = connection.sender.poll_transmission()?;
        probe.tcp_sent(transmission, &connection.sender, *now);
        if transmission.again {
            applications.handle_tcp(connection.owner, TcpEvent::Retransmitted(transmission.number), *now);
        }
        Some(connection.packet(transmission, memory))
    }
}
