//! All connections between the two hosts, and how a packet finds its own.
//!
//! Each has a port of its own at the client, and the port leads to its place in the table:
//!
//! ```text
//!     packet, port 49,155 at the client --> places by port --> slot 1 --> connection
//!                                                                         timer
//! ```
//!
//! A place is used again when its connection is closed, the port only after all others had their turn. So a packet that
//! comes late finds no connection rather than a wrong one, and is dropped and counted.

use super::connection::{Connection, Opening};
use super::segment::Ports;
use crate::host::Host;
use crate::kernel::Alarm;
use alloc::vec::Vec;
use arqway_units::Time;

/// A place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionId(u16);

/// The ports that are given out (RFC 6335 §6: the dynamic ones), from the first on.
const FIRST_PORT: u16 = 49_152;

#[derive(Debug)]
struct Slot<O> {
    connection: Connection<O>,
    /// The timers of both ends; its events may outlive a connection and find the next one.
    alarm: Alarm,
    is_open: bool,
}

/// The table.
#[derive(Debug)]
pub(crate) struct Connections<O> {
    slots: Vec<Slot<O>>,
    free: Vec<ConnectionId>,
    /// The place of the connection that has `FIRST_PORT + index`; it grows with the ports used.
    by_port: Vec<Option<ConnectionId>>,
    /// The port that is next in turn, counted from the first.
    turn: u16,
    late: u64,
    /// Since when the server stands still, and the client.
    frozen: [Option<Time>; 2],
}

fn index_of(host: Host) -> usize {
    match host {
        Host::Server => 0,
        Host::Client => 1,
    }
}

impl<O> Default for Connections<O> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), by_port: Vec::new(), turn: 0, late: 0, frozen: [None; 2] }
    }
}

impl<O: Copy> Connections<O> {
    /// Opens a connection; none if every port is taken.
    pub(crate) fn open(&mut self, opening: &Opening<O>) -> Option<ConnectionId> {
        let index = self.next_port()?;
        let port = FIRST_PORT + index;
        let id = if let Some(id) = self.free.pop() {
            let slot = self.slots.get_mut(usize::from(id.0))?;
            slot.connection.restart(opening, port);
            slot.is_open = true;
            id
        } else {
            let id = ConnectionId(u16::try_from(self.slots.len()).ok()?);
            let connection = Connection::new(opening, port);
            self.slots.push(Slot { connection, alarm: Alarm::default(), is_open: true });
            id
        };
        *self.by_port.get_mut(usize::from(index))? = Some(id);
        for host in [Host::Server, Host::Client] {
            if let Some(since) = self.frozen[index_of(host)] {
                self.slots.get_mut(usize::from(id.0))?.connection.freeze(host, since);
            }
        }
        Some(id)
    }

    /// A host's ends of connections stand still from now on, also of those that open meanwhile.
    pub(crate) fn freeze(&mut self, host: Host, now: Time) {
        let since = *self.frozen[index_of(host)].get_or_insert(now);
        self.iter_mut().for_each(|connection| connection.freeze(host, since));
    }

    /// A host's ends of connections go on where they were.
    pub(crate) fn thaw(&mut self, host: Host, now: Time) {
        self.frozen[index_of(host)] = None;
        self.iter_mut().for_each(|connection| connection.thaw(host, now));
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Connection<O>> {
        self.slots.iter_mut().filter(|slot| slot.is_open).map(|slot| &mut slot.connection)
    }

    /// Every place in the table, whether it is used or not.
    pub(crate) fn places(&self) -> impl Iterator<Item = ConnectionId> + use<O> {
        (0..self.slots.len()).filter_map(|place| u16::try_from(place).ok()).map(ConnectionId)
    }

    /// The next port that no connection has, counted from the first.
    fn next_port(&mut self) -> Option<u16> {
        let ports = u16::MAX - FIRST_PORT + 1;
        for _ in 0..ports {
            let index = self.turn;
            self.turn = (index + 1) % ports;
            if self.by_port.len() <= usize::from(index) {
                self.by_port.resize(usize::from(index) + 1, None);
            }
            if self.by_port[usize::from(index)].is_none() {
                return Some(index);
            }
        }
        None
    }

    /// Closes a connection: packets of it that are still under way will find nobody.
    pub(crate) fn close(&mut self, id: ConnectionId) {
        let Some(slot) = self.slots.get_mut(usize::from(id.0)).filter(|slot| slot.is_open) else { return };
        slot.is_open = false;
        // Without a deadline no event is needed.
        let _ = slot.alarm.set(None);
        self.by_port[usize::from(slot.connection.ports.client - FIRST_PORT)] = None;
        self.free.push(id);
    }

    /// An open connection.
    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection<O>> {
        self.with_alarm(id).map(|(connection, _)| connection)
    }

    /// An open connection and its alarm.
    pub(crate) fn with_alarm(&mut self, id: ConnectionId) -> Option<(&mut Connection<O>, &mut Alarm)> {
        let slot = self.slots.get_mut(usize::from(id.0)).filter(|slot| slot.is_open)?;
        Some((&mut slot.connection, &mut slot.alarm))
    }

    /// A timer's event has come, of whichever connection was there when it was scheduled: whether it is due.
    pub(crate) fn ring(&mut self, id: ConnectionId, now: Time) -> bool {
        self.slots.get_mut(usize::from(id.0)).is_some_and(|slot| slot.alarm.ring(now))
    }

    /// The connection to which a packet belongs that has come to a host; one that belongs to none is late.
    pub(crate) fn find(&mut self, packet: &[u8], at: Host) -> Option<ConnectionId> {
        let found = self.find_open(packet, at);
        self.late += u64::from(found.is_none());
        found
    }

    /// The connection to which a packet belongs that would have come to a host.
    pub(crate) fn of_packet(&self, packet: &[u8], at: Host) -> Option<&Connection<O>> {
        let id = self.find_open(packet, at)?;
        self.slots.get(usize::from(id.0)).map(|slot| &slot.connection)
    }

    fn find_open(&self, packet: &[u8], at: Host) -> Option<ConnectionId> {
        let ports = Ports::of(packet, at)?;
        let index = ports.client.checked_sub(FIRST_PORT)?;
        let id = (*self.by_port.get(usize::from(index))?)?;
        let slot = self.slots.get(usize::from(id.0))?;
        (slot.connection.ports == ports).then_some(id)
    }

    /// The open connections.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Connection<O>> {
        self.slots.iter().filter(|slot| slot.is_open).map(|slot| &slot.connection)
    }

    /// How many packets came for a connection that was closed.
    pub(crate) fn late(&self) -> u64 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Memory;
    use crate::tcp::{DelayedDuplicates, DuplicateAcknowledgements, Message, TcpConfig, Transmission};
    use arqway_link::mux::Ds;
    use arqway_units::Span;

    fn opening() -> Opening<()> {
        Opening {
            owner: (),
            sender: Host::Server,
            server_port: 20,
            ds: Ds::default(),
            settings: TcpConfig::default().settings(),
            clock_phase: Span::ZERO,
            message: Message { packets: 3, payload: 210, last: 210 },
        }
    }

    fn packet(connections: &mut Connections<()>, id: ConnectionId) -> bytes::Bytes {
        let connection = connections.get_mut(id).expect("it is open");
        connection.packet(Transmission { number: 0, again: false }, &mut Memory::default())
    }

    #[test]
    fn a_late_packet_finds_no_connection_although_its_place_is_used_again() {
        let mut connections = Connections::default();
        let first = connections.open(&opening()).expect("a port");
        let late = packet(&mut connections, first);
        assert_eq!(connections.find(&late, Host::Client), Some(first));
        connections.close(first);
        let second = connections.open(&opening()).expect("a port");
        assert_eq!(first, second, "the place is used again");
        assert_eq!((connections.find(&late, Host::Client), connections.late()), (None, 1));
        let timely = packet(&mut connections, second);
        assert_eq!(connections.find(&timely, Host::Client), Some(second));
    }

    #[test]
    fn a_packet_of_another_server_port_is_not_taken() {
        let mut connections = Connections::default();
        let id = connections.open(&opening()).expect("a port");
        let packet = packet(&mut connections, id);
        connections.close(id);
        // Every port has its turn before the first comes again.
        for _ in 0..=u16::MAX - FIRST_PORT {
            let id = connections.open(&Opening { server_port: 80, ..opening() }).expect("a port");
            assert_eq!(connections.find(&packet, Host::Client), None);
            connections.close(id);
        }
    }

    #[test]
    fn a_connection_that_opens_in_an_outage_waits_for_its_end() {
        let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
        let mut connections = Connections::default();
        connections.freeze(Host::Server, at(1000));
        let server = connections.open(&opening()).expect("a port");
        let client = connections.open(&Opening { sender: Host::Client, ..opening() }).expect("a port");
        let mut sender_of = |id: ConnectionId, thaw: bool| {
            if thaw {
                connections.thaw(Host::Server, at(9000));
            }
            let sender = &mut connections.get_mut(id).expect("it is open").sender;
            if !thaw {
                sender.start(at(3000));
            }
            (sender.poll_transmission().is_some(), sender.poll_timeout())
        };
        assert_eq!(sender_of(client, false), (true, Some(at(6000))), "the other host was told nothing");
        assert_eq!(sender_of(server, false), (false, None));
        assert_eq!(sender_of(server, true), (true, Some(at(12_000))), "three seconds from when it goes out");
    }

    #[test]
    fn a_receiver_that_hears_of_an_outage_holds_its_duplicates_over_it_and_one_at_the_other_host_does_not() {
        let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
        let delayed = DuplicateAcknowledgements::Delayed(DelayedDuplicates { delay: Span::from_milliseconds(1000) });
        let settings = TcpConfig { duplicate_acknowledgements: delayed, ..TcpConfig::default() }.settings();
        let (mut connections, mut memory) = (Connections::default(), Memory::default());
        connections.freeze(Host::Client, at(500));
        let mut held_until = |sender, thaw: bool| {
            let id = connections.open(&Opening { sender, settings, ..opening() }).expect("a port");
            let connection = connections.get_mut(id).expect("it is open");
            for number in 1..=3 {
                let packet = connection.packet(Transmission { number, again: false }, &mut memory);
                assert_eq!(connection.receive(&packet, &mut memory, at(700)).is_none(), number == 3);
            }
            if thaw {
                connections.thaw(Host::Client, at(2500));
            }
            connections.get_mut(id).and_then(|connection| connection.poll_timeout())
        };
        assert_eq!(held_until(Host::Client, false), Some(at(1700)), "the server was told nothing");
        assert_eq!(held_until(Host::Server, false), None);
        assert_eq!(held_until(Host::Server, true), Some(at(3500)), "the clock stood still from 500 ms on");
    }

    #[test]
    fn a_port_that_is_taken_is_passed_over_and_none_is_left_in_the_end() {
        let mut connections = Connections::default();
        let kept = connections.open(&opening()).expect("a port");
        let ports = u16::MAX - FIRST_PORT + 1;
        for _ in 1..ports {
            assert!(connections.open(&opening()).is_some_and(|id| id != kept));
        }
        assert_eq!(connections.open(&opening()), None);
        connections.close(kept);
        assert_eq!(connections.open(&opening()), Some(kept));
    }
}
