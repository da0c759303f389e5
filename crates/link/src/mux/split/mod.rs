//! TCP that ends at both ends of a link: "split" (RFC 3135, Section 2.4). Over a long link slow start takes seconds, and a window of 64 KiB is
//! soon full. Here the near end acknowledges what a host sends as soon as the service has it, so the host sends as fast as its class is
//! carried; the far end keeps it until the other host has it.
//!
//! ```text
//!     host            near end                          far end            far host
//!      | SYN ------------> | offers ----------------------> | SYN ------------> |
//!      | <-------- SYN+ACK | <---------------- agrees | <------------ SYN+ACK |
//!      | data -----------> | the service has it ----------> | data -----------> |
//!      | <---- acknowledged | <------------------------ what the far host says | until then it is kept, and sent again
//!      | FIN ------------> | ----------------------------> | FIN ------------> |   first segments, the last ones and resets are answered
//!      | <---------- ACK  | <---------------------------- | <---------- ACK |     by the other host alone
//! ```
//!
//! Numbers are not changed. So a connection of which nothing is held can be left to its hosts at any time, and hosts find out themselves
//! when the other one has gone. What an end has acknowledged is lost if it fails: [`Split::give_up`] resets connections then.
//!
//! Both ends have to see both directions, from the first segment on; an end that does says so by a [reserved bit](set_offer) of the first
//! segments, which hosts do not see. A connection with an option that is not known here, or one too many, is left alone.
//!
//! | file | what |
//! | --- | --- |
//! | `outward.rs` | what the host at this end sends, and its acknowledgement |
//! | `inward.rs` | what has come across for it, until it has it |
//! | `connection.rs` | both of one connection, and what is said to its host |

mod connection;
mod inward;
mod outward;

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_contract::{Counters, Packet};
use arqway_ip::{Flow, FlowTable, Outline, Segment, TcpOptions, set_offer};
use arqway_units::{BitRate, Span, Time};
use bytes::Bytes;
use connection::{Connection, Opening};

/// So many connections are split at once.
const CONNECTIONS: usize = 1024;
/// Of what the link carries in a round trip, so much of a connection may be between both ends: it is sent again where it is lost, and
/// acknowledged by way of a queue.
const ROUND_TRIPS: u64 = 4;
/// The bounds of that, and of all connections together.
const LEAST_HELD: u64 = 256 << 10;
const MOST_HELD: u64 = 16 << 20;
const MOST_HELD_BY_ALL: u64 = 64 << 20;
/// A connection of which nothing is held, and of which nothing was heard for so long, makes room for another one, as one that is over does.
const IDLE: Span = Span::from_milliseconds(60_000);

/// The connections of one service at one end.
#[derive(Debug)]
pub(super) struct Split {
    connections: FlowTable<Connection>,
    /// How much of each may be between both ends, and how much of all is.
    most: u64,
    held: u64,
    now: Time,
    is_down: bool,
    to_network: VecDeque<Packet>,
    to_service: VecDeque<Packet>,
    /// Connections whose hosts are to be told something.
    owing: Vec<Flow>,
    /// The earliest of all timers; it may be early.
    due: Option<Time>,
    counted: Counted,
}

/// What the service and the network layer do not agree on.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    /// Taken from the network layer, and not given to the service.
    not_given: u64,
    /// Given to the service, and not from the network layer.
    own: u64,
    /// Come from the service, and not handed to the network layer.
    withheld: u64,
    /// Handed to the network layer, and not from the service.
    made: u64,
    acknowledgements_made: u64,
    acknowledgements_withheld: u64,
    evicted: u64,
}

/// A segment, with what is read of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    flow: Flow,
    outline: Outline,
    segment: Segment,
    options: TcpOptions,
}

impl Seen {
    /// What a packet is, if it is a whole segment of TCP.
    fn read(packet: &Packet) -> Option<Self> {
        let outline = packet.outline()?;
        if outline.protocol() != arqway_ip::Protocol::TCP {
            return None;
        }
        let (headers, payload, segment) = Segment::read(&packet.octets)?;
        let options = TcpOptions::read(&packet.octets, outline)?;
        Some(Self { flow: Flow::of(&headers, &payload), outline, segment, options })
    }

    /// The octets of its data.
    fn data(&self) -> u32 {
        self.segment.length - u32::from(self.segment.syn) - u32::from(self.segment.fin)
    }

    /// Whether it only acknowledges.
    fn is_bare(&self) -> bool {
        self.segment.length == 0 && !self.segment.reset
    }
}

/// What the service is to carry for a packet.
#[derive(Debug)]
pub(super) enum Carried {
    /// This, and then [`Split::given`] is to be told.
    Packet(Packet, Option<Seen>),
    /// Nothing.
    Nothing,
}

impl Default for Split {
    fn default() -> Self {
        Self {
            connections: FlowTable::default(),
            most: LEAST_HELD,
            held: 0,
            now: Time::ZERO,
            is_down: false,
            to_network: VecDeque::new(),
            to_service: VecDeque::new(),
            owing: Vec::new(),
            due: None,
            counted: Counted::default(),
        }
    }
}

impl Split {
    /// The link has this rate, and a round trip takes so long.
    pub(super) fn set_capacity(&mut self, rate: BitRate, round_trip: Span) {
        let octets = rate.octets_in(round_trip).as_u64();
        self.most = octets.saturating_mul(ROUND_TRIPS).clamp(LEAST_HELD, MOST_HELD);
    }

    /// How much of a connection may be between both ends.
    fn most(&self) -> u64 {
        if self.held < MOST_HELD_BY_ALL { self.most } else { 0 }
    }

    /// Whether the connection of a packet of the host at this end is split.
    pub(super) fn has(&self, packet: &[u8]) -> bool {
        let connection =
            Segment::read(packet).and_then(|(headers, payload, _)| self.connections.get(&Flow::of(&headers, &payload)));
        connection.is_some_and(Connection::is_split)
    }

    /// It is this time.
    pub(super) fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    /// A packet of the host at this end, which may wait before it is [given](Self::carried) to the service: what it acknowledges has arrived.
    pub(super) fn hear(&mut self, packet: &Packet, now: Time) {
        self.now = now;
        if self.connections.is_empty() {
            return;
        }
        let Some(seen) = Seen::read(packet) else { return };
        if let Some(connection) = self.connections.get_mut(&seen.flow) {
            connection.hear_host(&seen, now);
            self.release(seen.flow, now);
        }
    }

    /// What the service is to carry for a packet of the host at this end.
    pub(super) fn carried(&mut self, packet: &Packet, now: Time) -> Carried {
        self.now = now;
        let Some(seen) = Seen::read(packet) else { return Carried::Packet(packet.clone(), None) };
        if seen.segment.syn {
            return Carried::Packet(self.first_of_host(packet, &seen), Some(seen));
        }
        let Some(connection) = self.connections.get_mut(&seen.flow) else {
            return Carried::Packet(packet.clone(), None);
        };
        match connection.asks(&seen) {
            outward::Taking::Give => Carried::Packet(packet.clone(), Some(seen)),
            outward::Taking::Acknowledge => {
                self.owe(seen.flow);
                self.counted.not_given += 1;
                Carried::Nothing
            }
            outward::Taking::Drop => {
                self.counted.not_given += 1;
                Carried::Nothing
            }
        }
    }

    /// The service has got what it was to carry.
    pub(super) fn given(&mut self, packet: &Packet, seen: &Seen) {
        let flow = seen.flow;
        if seen.segment.syn {
            return;
        }
        if seen.segment.reset {
            self.forget(flow);
            return;
        }
        let Some(connection) = self.connections.get_mut(&flow) else { return };
        let before = connection.held();
        let is_owed = connection.give(packet, seen);
        self.held = self.held + connection.held() - before;
        if is_owed {
            self.owe(flow);
        }
    }

    /// A first segment of the host at this end: a connection may be split if both ends want it.
    fn first_of_host(&mut self, packet: &Packet, seen: &Seen) -> Packet {
        let is_answer = seen.segment.acknowledgement.is_some();
        let is_offered = if is_answer {
            self.connections.get_mut(&seen.flow).is_some_and(|connection| connection.answer_of_host(packet, seen))
        } else {
            self.open(seen, Opening::of_host(packet, seen))
        };
        if is_offered { with_offer(packet, seen, true) } else { packet.clone() }
    }

    /// A first segment of the far host, as the host at this end is to get it.
    fn first_of_far_host(&mut self, packet: &Packet, seen: &Seen) -> Packet {
        let flow = seen.flow.reversed();
        let is_answer = seen.segment.acknowledgement.is_some();
        if is_answer {
            let agrees = seen.options.offers
                && self
                    .connections
                    .get_mut(&flow)
                    .is_some_and(|connection| connection.answer_of_far_host(packet, seen));
            if !agrees {
                self.forget(flow);
            }
        } else if !seen.options.offers {
            self.forget(flow);
        } else {
            let opening = Opening::of_far_host(packet, seen);
            self.open(&Seen { flow, ..*seen }, opening);
        }
        if seen.options.offers { with_offer(packet, seen, false) } else { packet.clone() }
    }

    /// A connection begins; whether it may be split.
    fn open(&mut self, seen: &Seen, opening: Option<Opening>) -> bool {
        let Some(opening) = opening else {
            self.forget(seen.flow);
            return false;
        };
        if let Some(known) = self.connections.get_mut(&seen.flow)
            && known.is_opened_by(&opening)
        {
            return known.is_ours();
        }
        let is_known = self.connections.contains_key(&seen.flow);
        if !is_known && self.connections.len() >= CONNECTIONS {
            self.make_room();
            if self.connections.len() >= CONNECTIONS {
                return false;
            }
        }
        self.forget(seen.flow);
        self.connections.insert(seen.flow, Connection::new(opening, self.now));
        true
    }

    /// Forgets connections that need nobody between their hosts.
    fn make_room(&mut self) {
        let (before, now) = (self.connections.len(), self.now);
        self.connections.retain(|_, connection| !connection.needs_nobody(now, IDLE));
        self.counted.evicted += (before - self.connections.len()) as u64;
    }

    /// Something came out of the service.
    pub(super) fn restore(&mut self, packet: Packet) {
        let Some(seen) = Seen::read(&packet) else {
            self.to_network.push_back(packet);
            return;
        };
        if seen.segment.syn {
            let packet = self.first_of_far_host(&packet, &seen);
            self.to_network.push_back(packet);
            return;
        }
        let (flow, now) = (seen.flow.reversed(), self.now);
        let most = self.most();
        let Some(connection) = self.connections.get_mut(&flow).filter(|connection| connection.is_split()) else {
            self.to_network.push_back(packet);
            return;
        };
        if seen.segment.reset {
            self.to_network.extend(connection.told(&packet, &seen, most));
            self.forget(flow);
            return;
        }
        let before = connection.held();
        let is_owed = connection.hear_far_host(&seen, most, now);
        self.held = self.held + connection.held() - before;
        if is_owed {
            self.owe(flow);
        }
        let Some(connection) = self.connections.get_mut(&flow) else { return };
        if seen.segment.length > 0 {
            self.counted.withheld += 1;
            if let Some(late) = connection.keep(packet, &seen) {
                self.tell(flow, &late, most);
            }
            self.release(flow, now);
        } else if connection.is_news(&seen) {
            self.to_network.extend(connection.told(&packet, &seen, most));
        } else {
            self.counted.withheld += 1;
            self.counted.acknowledgements_withheld += 1;
        }
    }

    /// Sends the host of a connection what it may have.
    fn release(&mut self, flow: Flow, now: Time) {
        let most = self.most();
        while let Some(packet) = self.connections.get_mut(&flow).and_then(|connection| connection.release(now)) {
            self.tell(flow, &packet, most);
        }
        let due = self.connections.get(&flow).and_then(Connection::due);
        self.due = arqway_arq::earliest(self.due, due);
    }

    fn tell(&mut self, flow: Flow, packet: &Packet, most: u64) {
        let (Some(connection), Some(seen)) = (self.connections.get_mut(&flow), Seen::read(packet)) else { return };
        let told = connection.told(packet, &seen, most);
        self.counted.made += u64::from(told.is_some());
        self.to_network.extend(told);
    }

    fn owe(&mut self, flow: Flow) {
        if let Some(connection) = self.connections.get_mut(&flow)
            && connection.owe()
        {
            self.owing.push(flow);
        }
    }

    fn forget(&mut self, flow: Flow) -> Option<Connection> {
        let connection = self.connections.remove(&flow)?;
        self.held -= connection.held();
        Some(connection)
    }

    /// Whether there is a packet for the network layer.
    pub(super) fn has_packet(&self) -> bool {
        !self.to_network.is_empty() || !self.owing.is_empty()
    }

    /// The next packet for the network layer.
    pub(super) fn poll_packet(&mut self) -> Option<Packet> {
        if let Some(packet) = self.to_network.pop_front() {
            return Some(packet);
        }
        while let Some(flow) = self.owing.pop() {
            let most = self.most();
            let owed = self.connections.get_mut(&flow).and_then(|connection| connection.acknowledgement(most));
            if let Some(packet) = owed {
                self.counted.made += 1;
                self.counted.acknowledgements_made += 1;
                return Some(Packet::new(packet));
            }
        }
        None
    }

    /// The next packet of our own for the service to carry.
    pub(super) fn for_service(&mut self) -> Option<Packet> {
        let packet = self.to_service.pop_front()?;
        self.counted.own += 1;
        Some(packet)
    }

    /// The service has no room for it now.
    pub(super) fn take_back(&mut self, packet: Packet) {
        self.counted.own -= 1;
        self.to_service.push_front(packet);
    }

    /// When [`handle_timeout`](Self::handle_timeout) is next due.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        self.due.filter(|_| !self.is_down)
    }

    /// Sends again what hosts have not acknowledged in time.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.now = now;
        if self.is_down || self.due.is_none_or(|due| due > now) {
            return;
        }
        let is_due = |connection: &Connection| connection.due().is_some_and(|due| due <= now);
        let mut due: Vec<Flow> = Vec::new();
        due.extend(self.connections.iter().filter(|(_, connection)| is_due(connection)).map(|(flow, _)| *flow));
        // A table is in no order that anybody may rely on.
        due.sort_unstable();
        for flow in due {
            if self.connections.get_mut(&flow).is_some_and(|connection| connection.expire(now)) {
                self.end(flow);
            } else {
                self.release(flow, now);
            }
        }
        self.due = self.connections.values().filter_map(Connection::due).min();
    }

    /// Nobody answers: both hosts are told that the connection is over.
    fn end(&mut self, flow: Flow) {
        let Some(connection) = self.forget(flow) else { return };
        self.to_service.push_back(Packet::new(connection.reset_of_far_host()));
        self.to_network.push_back(Packet::new(connection.reset_of_host()));
        self.counted.made += 1;
    }

    /// The other end knows nothing of any connection any more.
    pub(super) fn give_up(&mut self) {
        self.held = 0;
        let mut connections: Vec<_> =
            self.connections.drain().filter(|(_, connection)| connection.is_split()).collect();
        connections.sort_unstable_by_key(|(flow, _)| *flow);
        self.counted.made += connections.len() as u64;
        let resets = connections.iter().map(|(_, connection)| Packet::new(connection.reset_of_host()));
        self.to_network.extend(resets);
    }

    /// The link is down, or up again.
    pub(super) fn set_down(&mut self, is_down: bool, now: Time) {
        (self.now, self.is_down) = (now, is_down);
        if !is_down {
            self.connections.values_mut().for_each(|connection| connection.restart(now));
            self.due = self.connections.values().filter_map(Connection::due).min();
        }
    }

    /// What the service has counted, as the network layer sees it.
    pub(super) fn corrected(&self, of_service: Counters) -> Counters {
        let Counted { not_given, own, withheld, made, acknowledgements_made, acknowledgements_withheld, evicted } =
            self.counted;
        Counters {
            packets_taken: (of_service.packets_taken + not_given).saturating_sub(own),
            packets_delivered: (of_service.packets_delivered + made).saturating_sub(withheld),
            acknowledgements_regenerated: of_service.acknowledgements_regenerated + acknowledgements_made,
            acknowledgements_withheld: of_service.acknowledgements_withheld + acknowledgements_withheld,
            connections_evicted: of_service.connections_evicted + evicted,
            ..of_service
        }
    }
}

/// The packet with the offer set or cleared.
fn with_offer(packet: &Packet, seen: &Seen, is_set: bool) -> Packet {
    let mut octets = packet.octets.to_vec();
    set_offer(&mut octets, &seen.outline.payload(), is_set);
    Packet { octets: Bytes::from(octets), ..*packet }
}

#[cfg(test)]
mod tests;
