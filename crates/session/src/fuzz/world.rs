//! Two ends and all that can happen between them: datagrams are lost, doubled, late, changed, recorded and sent again from
//! anywhere, and forged; ends restart and move. The world keeps the books.

use super::ends::{Chance, End, address, at, end};
use crate::transport::Head;
use crate::{Config, Event, HEAD_ROOM, Random as _, Received, TAG};
use arqway_units::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

/// A datagram takes at most so long, one way.
pub(crate) const SLOWEST: Span = Span::from_milliseconds(500);
/// Both ends want to send a packet so often; the session keeps none for later.
pub(crate) const PACKET_EACH: Span = Span::from_milliseconds(100);
/// So many datagrams are kept to be sent again.
const RECORDED: usize = 300;

/// A packet says who sealed it: which end, which incarnation of it, and its number there.
const PACKET: usize = 17;

struct UnderWay {
    from: SocketAddr,
    to: SocketAddr,
    datagram: Vec<u8>,
}

pub(crate) struct World {
    pub(crate) ends: [End; 2],
    pub(super) configs: [Config; 2],
    boots: [u64; 2],
    pub(crate) now: Time,
    pub(crate) dice: Chance,
    /// What arrives, and when.
    under_way: BTreeMap<(Time, u64), UnderWay>,
    count: u64,
    recorded: Vec<Vec<u8>>,
    /// Nothing happens to datagrams but delay.
    is_open: bool,
    /// What crossed, by who sealed it.
    pub(crate) opened: [BTreeSet<Vec<u8>>; 2],
    packets: u64,
    /// The incarnation of its peer that an end was told of.
    told: [Option<u64>; 2],
    /// Which counters each key was used with: end, incarnation, the key's index and birth, counter.
    nonces: BTreeSet<(usize, u64, u16, Time, u64)>,
    /// What went to and came from places where no end ever was: to the ends, and from them.
    elsewhere: BTreeMap<(usize, SocketAddr), (usize, usize)>,
    /// Datagrams that ends sent by themselves, without keepalives.
    pub(crate) own: usize,
}

/// Where nobody is but who sends recorded datagrams again.
fn stranger(dice: &mut Chance) -> SocketAddr {
    SocketAddr::from(([198, 51, 100, u8::try_from(dice.below(4)).expect("small")], 4500))
}

fn is_elsewhere(place: SocketAddr) -> bool {
    matches!(place.ip(), IpAddr::V4(ip) if ip.octets()[0] == 198)
}

impl World {
    pub(crate) fn new(mut dice: Chance) -> Self {
        // At times every handshake needs a cookie.
        let configs = [0, 1].map(|_| Config {
            unproven_handshakes: if dice.one_in(2) { 0 } else { 100 },
            rekey_after_messages: if dice.one_in(2) { 20 } else { 1 << 60 },
            ..Config::default()
        });
        let boots = [100, 200];
        let ends = [0, 1].map(|index: usize| {
            let number = u8::try_from(index + 1).expect("small");
            end(number, boots[index], configs[index].clone(), at(0))
        });
        Self {
            ends,
            configs,
            boots,
            now: at(0),
            dice,
            under_way: BTreeMap::new(),
            count: 0,
            recorded: Vec::new(),
            is_open: false,
            opened: [BTreeSet::new(), BTreeSet::new()],
            packets: 0,
            told: [None; 2],
            nonces: BTreeSet::new(),
            elsewhere: BTreeMap::new(),
            own: 0,
        }
    }

    /// The time goes by, whatever is due happens.
    pub(crate) fn run(&mut self, span: Span) {
        let until = self.now + span;
        loop {
            (0..2).for_each(|index| self.drain(index));
            let deadlines = self.ends.iter().filter_map(|end| end.endpoint.poll_timeout());
            let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
            let Some(next) = deadlines.chain(arrival).min().filter(|next| *next <= until) else { break };
            self.now = self.now.max(next);
            while let Some(entry) = self.under_way.first_entry().filter(|entry| entry.key().0 <= self.now) {
                let UnderWay { from, to, datagram } = entry.remove();
                self.arrive(from, to, datagram);
            }
            for end in &mut self.ends {
                end.endpoint.handle_timeout(self.now);
                assert!(end.endpoint.poll_timeout().is_none_or(|at| at > self.now), "a deadline that does not pass");
            }
        }
        self.now = until;
    }

    /// An end is asked for all it has to say.
    fn drain(&mut self, index: usize) {
        while let Some((to, datagram)) = self.ends[index].poll(self.now) {
            self.sealed(index, &datagram);
            let is_keepalive = datagram.len() <= HEAD_ROOM + TAG;
            self.own += usize::from(!is_keepalive);
            self.send(index, to, datagram);
        }
        for event in self.ends[index].events() {
            if let Event::Established { boot, restarted, .. } = event {
                assert_eq!(restarted, self.told[index].is_some_and(|told| told != boot));
                assert!(self.told[index].is_none_or(|told| told <= boot), "an old incarnation is back");
                self.told[index] = Some(boot);
            }
        }
    }

    /// A sealed datagram has a counter that its key was not used with before.
    fn sealed(&mut self, index: usize, datagram: &[u8]) {
        let Some(head) = Head::read(datagram) else { return };
        let end = &mut self.ends[index];
        let keys = end.endpoint.peer_mut(end.peer).slots.current_mut().expect("sealed with it");
        let counter = keys.transport.sealed() - 1;
        assert_eq!(head.counter(counter), counter, "the head says with which counter it was sealed");
        let nonce = (index, self.boots[index], keys.index, keys.born, counter);
        assert!(self.nonces.insert(nonce), "a nonce twice: {nonce:?}");
    }

    /// An end seals a packet, if it can.
    pub(crate) fn seal(&mut self, index: usize) {
        self.packets += 1;
        let boot = self.boots[index].to_le_bytes();
        let packet = [&[u8::try_from(index).expect("small")], &boot[..], &self.packets.to_le_bytes()].concat();
        assert_eq!(packet.len(), PACKET);
        if let Ok((to, datagram)) = self.ends[index].seal(&packet, self.now) {
            self.sealed(index, &datagram);
            self.send(index, to, datagram);
        }
    }

    fn send(&mut self, index: usize, to: SocketAddr, datagram: Vec<u8>) {
        let from = self.ends[index].at;
        if let Some((_, sent)) = self.elsewhere.get_mut(&(index, to)) {
            *sent += datagram.len();
        }
        assert!(
            self.elsewhere.iter().all(|(_, (came, sent))| *sent <= 3 * came),
            "more than three times what came from a place is sent there"
        );
        if is_elsewhere(to) {
            // Nobody reads what arrives there: who does, and sends it on, is on the way, and may as well be the address.
            return;
        }
        if self.recorded.len() < RECORDED {
            self.recorded.push(datagram.clone());
        } else {
            let at = self.dice.index(self.recorded.len());
            self.recorded[at].clone_from(&datagram);
        }
        if !self.is_open {
            if self.dice.one_in(4) {
                return;
            }
            if self.dice.one_in(8) {
                self.put(from, to, datagram.clone());
            }
            if self.dice.one_in(8) {
                let mut changed = datagram.clone();
                let at = self.dice.index(changed.len());
                changed[at] ^= 1 << self.dice.below(8);
                self.put(from, to, changed);
            }
            if self.dice.one_in(8) {
                // Somebody on the way sends it on from elsewhere.
                let from = stranger(&mut self.dice);
                self.put(from, to, datagram.clone());
            }
        }
        self.put(from, to, datagram);
    }

    fn put(&mut self, from: SocketAddr, to: SocketAddr, datagram: Vec<u8>) {
        let slowest = if self.is_open { SLOWEST / 10 } else { SLOWEST };
        let arrives = self.now + Span::from_nanoseconds(self.dice.below(slowest.as_nanoseconds()) + 1);
        self.count += 1;
        self.under_way.insert((arrives, self.count), UnderWay { from, to, datagram });
    }

    fn arrive(&mut self, from: SocketAddr, to: SocketAddr, mut datagram: Vec<u8>) {
        let Some(index) = (0..2).find(|index| self.ends[*index].at == to) else { return };
        if is_elsewhere(from) {
            self.elsewhere.entry((index, from)).or_default().0 += datagram.len();
        }
        let length = datagram.len();
        let end = &mut self.ends[index];
        match end.endpoint.handle_datagram(&mut datagram, from, self.now, &mut end.dice) {
            Received::Nothing => {}
            Received::Answer(answer) => {
                assert!(answer.len() <= length, "an answer is longer than its question");
                self.send(index, from, answer.to_vec());
            }
            Received::Packet { payload, .. } => {
                let packet = datagram[payload].to_vec();
                self.drain(index);
                assert_eq!(
                    (packet.len(), usize::from(packet[0])),
                    (PACKET, 1 - index),
                    "nobody sealed this: {packet:?}"
                );
                let boot = packet[1..9].try_into().map(u64::from_le_bytes).expect("8 octets");
                assert_eq!(Some(boot), self.told[index], "sealed by another incarnation than the owner was told of");
                assert!(self.opened[1 - index].insert(packet), "opened twice");
            }
        }
    }

    /// A stranger does something.
    pub(crate) fn intrude(&mut self) {
        let index = usize::from(self.dice.one_in(2));
        let to = self.ends[index].at;
        let from = stranger(&mut self.dice);
        let mut datagram = if self.recorded.is_empty() || self.dice.one_in(4) {
            let mut forged = vec![0; self.dice.index(200)];
            self.dice.fill(&mut forged);
            if let Some(first) = forged.first_mut() {
                *first = [1, 2, 3, 4, 0x10, 0x11, 0x12, 0x13][self.dice.index(8)];
            }
            forged
        } else {
            let at = self.dice.index(self.recorded.len());
            self.recorded[at].clone()
        };
        if self.dice.one_in(4) && !datagram.is_empty() {
            datagram.truncate(self.dice.index(datagram.len()));
        }
        self.put(from, to, datagram);
    }

    pub(crate) fn restart(&mut self, index: usize) {
        self.boots[index] += 1;
        let place = self.ends[index].at;
        let number = u8::try_from(index + 1).expect("small");
        self.ends[index] = end(number, self.boots[index], self.configs[index].clone(), self.now);
        self.ends[index].at = place;
        // Not each machine has a clock that goes on without power, and each may be set.
        let wall = Span::from_milliseconds(self.dice.below(3) * 1_000_000_000_000);
        self.ends[index].endpoint.set_wall(wall);
        self.told[index] = None;
        self.elsewhere.retain(|(end, _), _| *end != index);
    }

    /// An end is elsewhere from now on, or where its peer's user says it is.
    pub(crate) fn go(&mut self, index: usize, home: bool) {
        let number = u8::try_from(index + 1).expect("small");
        let away = number + 2 * u8::try_from(1 + self.dice.below(5)).expect("small");
        self.ends[index].at = address(if home { number } else { away });
    }

    /// From here on nothing happens to datagrams but delay. What was under way before arrives first.
    pub(crate) fn open(&mut self) {
        self.is_open = true;
        self.run(SLOWEST);
    }

    /// Until packets that are sealed from now on have crossed in both directions; how long that took.
    pub(crate) fn until_packets_cross(&mut self, at_most: Span) -> Option<Span> {
        let (begun, before) = (self.now, [0, 1].map(|index: usize| self.opened[index].len()));
        while self.now.since(begun) < at_most {
            (0..2).for_each(|index| self.seal(index));
            self.run(PACKET_EACH);
            if (0..2).all(|index| self.opened[index].len() > before[index]) {
                return Some(self.now.since(begun));
            }
        }
        None
    }

    /// One thing happens, and some time goes by.
    pub(crate) fn trouble(&mut self) {
        match self.dice.below(40) {
            0 => {
                let index = self.dice.index(2);
                self.restart(index);
            }
            1 | 2 => {
                let (index, home) = (self.dice.index(2), self.dice.one_in(2));
                self.go(index, home);
            }
            3 if self.dice.one_in(4) => {
                let wall = Span::from_milliseconds(self.dice.below(3) * 1_000_000_000_000);
                self.ends[self.dice.index(2)].endpoint.set_wall(wall);
            }
            3..10 => self.intrude(),
            // A long time without anything, in which keys may become too old.
            10 if self.dice.one_in(4) => self.run(Span::from_milliseconds(100_000)),
            _ => {
                let index = self.dice.index(2);
                self.seal(index);
            }
        }
        let span = Span::from_milliseconds(self.dice.below(400));
        self.run(span);
    }
}
