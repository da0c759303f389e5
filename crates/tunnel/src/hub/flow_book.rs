//! What each flow of the network layer sends and receives, while somebody wants to know: `arqway status --flows`.
//!
//! ```text
//!     packet of this end's host --> sent        10.9.0.1:5004 > 10.9.0.2:5004     a flow and the same conversation the other way
//!     packet of the peer        --> received                                      are one line
//! ```
//!
//! Nothing is counted while nobody asks: a look at a table for each packet would be felt at full rate.

use arqway_link::mux::Headers;
use arqway_link::{Flow, FlowTable, Packet};
use arqway_units::{Span, Time};

/// So many flows are told apart; what further ones carry is counted together.
const FLOWS: usize = 1024;
/// After it was asked for last, a book is kept for so long.
const KEPT: Span = Span::from_milliseconds(15_000);

/// The flows of the network layer.
#[derive(Debug)]
pub(crate) struct FlowBook {
    since: Time,
    until: Time,
    flows: FlowTable<FlowCount>,
    others: u64,
}

/// What a flow has sent and received since the book was begun.
#[derive(Debug, Clone)]
pub(crate) struct FlowCount {
    /// How many came before it.
    pub(crate) number: u64,
    /// Which of the peers it is to, by its place among them.
    pub(crate) peer: usize,
    /// As packets of this end's host have them.
    pub(crate) headers: Headers,
    /// A packet of it, of this end's host if there was one: by that its service is found.
    pub(crate) sample: Vec<u8>,
    /// Whether that is the peer's.
    pub(crate) is_of_peer: bool,
    /// Whether that stands alone, and may go by another service than what follows it.
    pub(crate) is_alone: bool,
    pub(crate) sent: Count,
    pub(crate) received: Count,
}

/// Packets and their octets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) packets: u64,
    pub(crate) octets: u64,
}

impl Count {
    fn add(&mut self, octets: usize) {
        self.packets += 1;
        self.octets += octets as u64;
    }
}

impl FlowBook {
    /// Begins one, or goes on with it.
    pub(crate) fn keep(book: &mut Option<Self>, now: Time) {
        book.get_or_insert_with(|| Self { since: now, until: now, flows: FlowTable::default(), others: 0 }).until =
            now + KEPT;
    }

    /// Ends one that nobody has asked for lately.
    pub(crate) fn end_if_forgotten(book: &mut Option<Self>, now: Time) {
        book.take_if(|book| book.until <= now);
    }

    /// A packet of this end's host goes to a peer.
    pub(crate) fn sends(&mut self, peer: usize, packet: &Packet, headers: Headers) {
        self.count(peer, packet, headers, false);
    }

    /// A packet of a peer is delivered.
    pub(crate) fn receives(&mut self, peer: usize, packet: &Packet, headers: Headers) {
        self.count(peer, packet, headers, true);
    }

    fn count(&mut self, peer: usize, packet: &Packet, headers: Headers, is_of_peer: bool) {
        let Some(outline) = packet.outline() else { return };
        let flow = Flow::of(&headers, &outline.payload());
        let flow = if is_of_peer { flow.reversed() } else { flow };
        if !self.flows.contains_key(&flow) && self.flows.len() >= FLOWS {
            self.others += packet.size().as_u64();
            return;
        }
        let sample = || packet.octets.to_vec();
        let number = self.flows.len() as u64;
        let counted = self.flows.entry(flow).or_insert_with(|| FlowCount {
            number,
            peer,
            headers: if is_of_peer { reversed(headers) } else { headers },
            sample: sample(),
            is_of_peer,
            is_alone: outline.stands_alone(),
            sent: Count::default(),
            received: Count::default(),
        });
        let is_first_of_host = counted.is_of_peer && !is_of_peer;
        let is_first_to_follow = counted.is_alone && !outline.stands_alone() && counted.is_of_peer == is_of_peer;
        if is_first_of_host || is_first_to_follow {
            counted.sample = sample();
            (counted.is_of_peer, counted.is_alone) = (is_of_peer, outline.stands_alone());
        }
        let count = if is_of_peer { &mut counted.received } else { &mut counted.sent };
        count.add(packet.octets.len());
    }

    /// For how long flows have been counted.
    pub(crate) fn length(&self, now: Time) -> Span {
        now.since(self.since)
    }

    /// The octets of flows that were too many.
    pub(crate) fn others(&self) -> u64 {
        self.others
    }

    /// Those that carry most first.
    pub(crate) fn flows(&self) -> Vec<&FlowCount> {
        let mut flows: Vec<_> = self.flows.iter().collect();
        flows.sort_unstable_by_key(|(flow, count)| (u64::MAX - count.sent.octets - count.received.octets, **flow));
        flows.into_iter().map(|(_, count)| count).collect()
    }
}

/// Of the same conversation in the other direction.
fn reversed(headers: Headers) -> Headers {
    let ports = headers.ports.map(|(source, destination)| (destination, source));
    Headers { source: headers.destination, destination: headers.source, ports, ..headers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_link::mux::Protocol;

    /// A packet of UDP from one host of 10.0.0.0/24 to another, with so much data.
    fn packet(from: u8, to: u8, port: u16, data: usize) -> (Packet, Headers) {
        let ports = if from < to { [port, 9] } else { [9, port] };
        let length = u16::try_from(28 + data).expect("short").to_be_bytes();
        let mut octets = vec![0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, from, 10, 0, 0, to];
        octets.extend(ports.map(u16::to_be_bytes).concat());
        octets.resize(28 + data, 0);
        Packet::read(octets).expect("a packet")
    }

    #[test]
    fn both_directions_of_a_conversation_are_one_flow_seen_from_this_end() {
        let mut book = None;
        FlowBook::keep(&mut book, Time::ZERO);
        let book = book.as_mut().expect("begun");
        for (from, to, port, data) in [(2, 1, 7, 100), (1, 2, 7, 10), (1, 2, 7, 10), (1, 2, 8, 0)] {
            let (packet, headers) = packet(from, to, port, data);
            if from == 1 { book.sends(0, &packet, headers) } else { book.receives(0, &packet, headers) }
        }
        let [first, second] = book.flows()[..] else { panic!("two flows") };
        assert_eq!((first.sent, first.received), (Count { packets: 2, octets: 76 }, Count { packets: 1, octets: 128 }));
        assert_eq!((first.headers.ports, first.is_of_peer), (Some((7, 9)), false));
        assert_eq!((second.headers.ports, second.headers.protocol), (Some((8, 9)), Protocol::UDP));
    }

    #[test]
    fn a_flow_is_told_by_a_packet_that_does_not_stand_alone() {
        let mut book = None;
        FlowBook::keep(&mut book, Time::ZERO);
        let book = book.as_mut().expect("begun");
        // A question of DNS, what is too long for one, and a question again.
        for data in [20, 1000, 20] {
            let (packet, headers) = packet(1, 2, 53, data);
            book.sends(0, &packet, headers);
        }
        assert_eq!(book.flows()[0].sample.len(), 1028);
    }

    #[test]
    fn a_book_has_so_many_flows_and_is_closed_when_nobody_asks_any_more() {
        let mut book = None;
        FlowBook::keep(&mut book, Time::ZERO);
        for port in 0..1100 {
            let (packet, headers) = packet(1, 2, port + 10, 0);
            book.as_mut().expect("begun").sends(0, &packet, headers);
        }
        let kept = book.as_ref().expect("begun");
        assert_eq!((kept.flows().len(), kept.others()), (FLOWS, 76 * 28));
        FlowBook::end_if_forgotten(&mut book, Time::ZERO + Span::from_milliseconds(14_999));
        assert!(book.is_some());
        FlowBook::end_if_forgotten(&mut book, Time::ZERO + KEPT);
        assert!(book.is_none());
    }
}
