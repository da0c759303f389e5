//! A queue for each flow, or one for all.
//!
//! ```text
//!     packet -> hash, seeded -> queue of its flow
//!                                  |
//!     host's turn -> flow's turn -> CoDel -> packet        where hosts are not told apart, all flows are one's
//! ```
//!
//! The hash (`SipHash`) is seeded at each start, so nobody can choose flows that share a queue with somebody else's. A flow keeps its
//! queue while anything of it waits: its packets stay in order.

use super::super::places::Places;
use super::codel::{self, Bounds, Standing};
use super::coupled::{Aims, Coupled, Side, Verdict};
use super::largest::Largest;
use super::limits::{Between, Fair};
use super::packets::{List, Packets};
use super::turns::{Members, Round};
use alloc::vec::Vec;
use arqway_contract::Packet;
use arqway_ip::{Ecn, Flow, Outline, mark_congestion};
use arqway_units::{Span, Time};
use core::hash::{Hash, Hasher};
use core::net::IpAddr;
use siphasher::sip::SipHasher13;

/// The queues where packets with ECT(1) are kept apart, and flows are not; the first is that of all where nothing is.
const CLASSIC: u16 = 0;
const LOW_LATENCY: u16 = 1;

/// Flows, each with its queue.
#[derive(Debug)]
pub(super) struct Flows {
    fair: Option<Fair>,
    /// Whether packets with ECT(1) have a queue of their own, where flows have none.
    is_coupled: bool,
    seed: u64,
    queues: Vec<Queue>,
    of_hash: Places,
    turns: Members,
    hosts: Hosts,
    largest: Largest,
    packets: Packets,
    /// From where the last packet was taken.
    last: u16,
    counts: Counts,
    /// Packets that are older count from here: the link was down.
    since: Time,
    /// The octets of the largest packet that came.
    largest_packet: usize,
}

/// What waits of a flow.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    list: List,
    /// When a packet came last that found it empty.
    busy_since: Time,
    host: u16,
    codel: codel::Codel,
}

/// Those whose flows they are, by source or by destination.
#[derive(Debug)]
struct Hosts {
    of_hash: Places,
    turns: Members,
    round: Round,
    /// The flows of each.
    flows: Vec<Round>,
}

/// What became of packets here.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// They were too old.
    pub(super) expired: u64,
    /// A queue stood.
    pub(super) dropped: u64,
    /// They went with a mark.
    pub(super) marked: u64,
}

impl Flows {
    /// None yet. Queues of flows take their memory when the first packet comes: a hub has hundreds of classes, most of them at rest.
    pub(super) fn new(fair: Option<Fair>, has_l4s: bool, seed: u64) -> Self {
        let is_coupled = has_l4s && fair.is_none();
        let queues = if fair.is_some() { 0 } else { 1 + usize::from(is_coupled) };
        Self { is_coupled, ..Self::with_queues(queues, fair, seed) }
    }

    fn with_queues(queues: usize, fair: Option<Fair>, seed: u64) -> Self {
        let hosts = if fair.is_some_and(|fair| fair.between != Between::Flows) { queues } else { queues.min(1) };
        let quantum = fair.unwrap_or_default().quantum.get();
        Self {
            fair,
            is_coupled: false,
            seed,
            queues: alloc::vec![Queue::default(); queues],
            of_hash: Places::new(queues),
            turns: Members::new(queues, quantum),
            hosts: Hosts {
                of_hash: Places::new(hosts),
                turns: Members::new(hosts, quantum),
                round: Round::default(),
                flows: alloc::vec![Round::default(); hosts],
            },
            largest: Largest::new(queues),
            packets: Packets::default(),
            last: 0,
            counts: Counts::default(),
            since: Time::ZERO,
            largest_packet: 0,
        }
    }

    /// How many packets wait.
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    /// How many octets they have.
    pub(super) fn octets(&self) -> usize {
        self.packets.octets()
    }

    /// The octets of the largest packet that came.
    pub(super) fn largest_packet(&self) -> usize {
        self.largest_packet
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// Until now the link was down: that is no queue.
    pub(super) fn link_is_back(&mut self, now: Time) {
        self.since = now;
    }

    /// The queue of a packet's flow.
    pub(super) fn queue_of(&mut self, packet: &Packet) -> u16 {
        let Some(Fair { between, queues, .. }) = self.fair else {
            return if self.is_coupled && heeds_each_mark(packet) { LOW_LATENCY } else { CLASSIC };
        };
        if self.queues.is_empty() {
            *self = Self { since: self.since, ..Self::with_queues(queues.get(), self.fair, self.seed) };
        }
        let read = Outline::all(packet.headers, &packet.octets);
        let flow = read.as_ref().map(|(headers, payload)| Flow::of(headers, payload));
        let turns = &self.turns;
        let queue = self.of_hash.of(hash(self.seed, flow), |queue| turns.takes_turns(queue));
        let host = |address: fn(&(arqway_ip::Headers, arqway_ip::Payload)) -> IpAddr| read.as_ref().map(address);
        let host = match between {
            Between::Flows => None,
            Between::Sources => host(|(headers, _)| headers.source),
            Between::Destinations => host(|(headers, _)| headers.destination),
        };
        if !self.turns.takes_turns(queue) {
            let Hosts { of_hash, turns, .. } = &mut self.hosts;
            let host = of_hash.of(hash(self.seed, host), |host| turns.takes_turns(host));
            self.at(queue).host = host;
        }
        queue
    }

    /// Appends a packet to its flow's queue.
    pub(super) fn push(&mut self, queue: u16, packet: Packet, now: Time) {
        let packet_octets = packet.octets.len();
        self.largest_packet = self.largest_packet.max(packet_octets);
        let Self { queues, packets, .. } = self;
        let Some(Queue { list, busy_since, host, .. }) = queues.get_mut(usize::from(queue)) else { return };
        if list.is_empty() {
            *busy_since = now;
        }
        packets.push_back(list, packet);
        let host = *host;
        if let Some(round) = self.hosts.flows.get_mut(usize::from(host)) {
            round.join(queue, &mut self.turns);
        }
        self.hosts.round.join(host, &mut self.hosts.turns);
        self.resized(queue);
    }

    /// Takes the packet whose turn it is, of those that are not too old, and that `CoDel` lets go where it has these bounds. Those with ECT(1)
    /// are marked in place of that where they have waited longer than the step, if there is one.
    pub(super) fn next(&mut self, bounds: Option<Bounds>, step: Option<Span>, now: Time) -> Option<Packet> {
        loop {
            let host = self.hosts.round.next(&mut self.hosts.turns)?;
            let queue = self.hosts.flows.get_mut(usize::from(host))?.next(&mut self.turns);
            let Some(queue) = queue else {
                self.hosts.round.pass(&mut self.hosts.turns);
                continue;
            };
            let packet = self.take(queue, bounds, step, now);
            self.resized(queue);
            if let Some(packet) = packet {
                self.last = queue;
                self.charge(queue, octets(&packet));
                return Some(packet);
            }
            self.hosts.flows.get_mut(usize::from(host))?.pass(&mut self.turns);
        }
    }

    /// The same of the queue that most waits in, whosever turn it is.
    pub(super) fn next_of_longest(&mut self, bounds: Option<Bounds>, step: Option<Span>, now: Time) -> Option<Packet> {
        if self.len() == 0 {
            return None;
        }
        let queue = self.gives_way(self.last, 0);
        let packet = self.take(queue, bounds, step, now);
        self.resized(queue);
        let packet = packet?;
        self.last = queue;
        self.charge(queue, octets(&packet));
        Some(packet)
    }

    /// Puts the packet back that was taken last.
    pub(super) fn put_back(&mut self, packet: Packet) {
        let queue = self.last;
        self.charge(queue, -octets(&packet));
        if let Some(back) = self.queues.get_mut(usize::from(queue)) {
            self.packets.push_front(&mut back.list, packet);
        }
        self.resized(queue);
    }

    /// Takes the first packet of a queue, or the last.
    pub(super) fn remove(&mut self, queue: u16, first: bool) -> Option<Packet> {
        let list = &mut self.queues.get_mut(usize::from(queue))?.list;
        let packet = if first { self.packets.pop_front(list) } else { self.packets.pop_back(list) };
        self.resized(queue);
        packet
    }

    /// Drops packets of a queue that are too old.
    pub(super) fn drop_expired(&mut self, queue: u16, now: Time) {
        if let Some(mut waits) = self.waits(queue, now) {
            waits.drop_expired();
            self.resized(queue);
        }
    }

    /// How many packets wait in a queue.
    pub(super) fn len_of(&self, queue: u16) -> usize {
        self.queues.get(usize::from(queue)).map_or(0, |queue| queue.list.len())
    }

    /// The last packet of a queue.
    pub(super) fn last(&self, queue: u16) -> Option<&Packet> {
        self.packets.last(&self.queues.get(usize::from(queue))?.list)
    }

    /// When a packet came last that found this queue empty; now, where it is.
    pub(super) fn busy_since(&self, queue: u16, now: Time) -> Time {
        self.queues.get(usize::from(queue)).filter(|queue| !queue.list.is_empty()).map_or(now, |queue| queue.busy_since)
    }

    /// The queue that gives way when so many octets come to this one: see [`Largest::get`].
    pub(super) fn gives_way(&self, queue: u16, size: usize) -> u16 {
        let waiting = self.queues.get(usize::from(queue)).map_or(0, |queue| queue.list.octets());
        self.largest.get(queue, waiting + size)
    }

    /// Marks the first packet of a queue, where that is understood: `true` where it is marked by now.
    pub(super) fn mark_first(&mut self, queue: u16) -> bool {
        let Some(Queue { list, .. }) = self.queues.get(usize::from(queue)) else { return false };
        let Some(first) = self.packets.first(list) else { return false };
        if first.ecn() == Ecn::Ce {
            return true;
        }
        let marked = marked(first);
        self.counts.marked += u64::from(marked.is_some());
        marked.map(|marked| self.packets.replace_first(list, marked)).is_some()
    }

    /// Takes the packet whose turn it is of two queues that are coupled.
    pub(super) fn next_coupled(&mut self, coupled: &mut Coupled, aims: Aims, now: Time) -> Option<Packet> {
        loop {
            let [classic, low] = [CLASSIC, LOW_LATENCY].map(|queue| {
                self.drop_expired(queue, now);
                let first = self.packets.first(&self.queues.get(usize::from(queue))?.list)?;
                Some(first.age(now).min(now.since(self.since)))
            });
            let (queue, side) = match (classic, low) {
                (Some(_), Some(_)) if coupled.turn() == Side::Classic => (CLASSIC, Side::Classic),
                (Some(_), None) => (CLASSIC, Side::Classic),
                (_, Some(_)) => (LOW_LATENCY, Side::LowLatency),
                (None, None) => return None,
            };
            let are_both = classic.is_some() && low.is_some();
            coupled.update(classic.max(low)?, aims, now);
            let mut waits = self.waits(queue, now)?;
            let packet = waits.take()?;
            // The only packet is no queue, however slow the line is.
            let waited = if waits.list.is_empty() { Span::ZERO } else { waits.waited(&packet) };
            let octets = octets(&packet);
            let packet = match coupled.judge(side, waited, aims) {
                Verdict::Goes => Some(packet),
                Verdict::Marked => waits.mark(packet),
                Verdict::Dropped => {
                    waits.counts.dropped += 1;
                    None
                }
            };
            self.resized(queue);
            if are_both {
                coupled.charge(side, octets)
            } else {
                coupled.alone()
            }
            if packet.is_some() {
                self.last = queue;
                return packet;
            }
        }
    }

    fn take(&mut self, queue: u16, bounds: Option<Bounds>, step: Option<Span>, now: Time) -> Option<Packet> {
        let mut codel = self.at(queue).codel;
        let mut waits = self.waits(queue, now)?;
        if let Some(step) = step
            && waits.packets.first(waits.list).is_some_and(heeds_each_mark)
        {
            let packet = waits.take()?;
            let is_late = waits.waited(&packet) > step && !waits.list.is_empty();
            return if is_late { waits.mark(packet) } else { Some(packet) };
        }
        let Some(bounds) = bounds else { return waits.take() };
        let packet = codel.next(&mut waits, bounds, now);
        self.at(queue).codel = codel;
        packet
    }

    fn charge(&mut self, queue: u16, octets: i64) {
        let host = self.at(queue).host;
        self.turns.charge(queue, octets);
        self.hosts.turns.charge(host, octets);
    }

    fn at(&mut self, queue: u16) -> &mut Queue {
        &mut self.queues[usize::from(queue)]
    }

    fn waits(&mut self, queue: u16, now: Time) -> Option<Waits<'_>> {
        let Self { queues, packets, counts, since, largest_packet, .. } = self;
        let list = &mut queues.get_mut(usize::from(queue))?.list;
        Some(Waits { packets, list, counts, since: *since, now, largest_packet: *largest_packet })
    }

    fn resized(&mut self, queue: u16) {
        if let Some(Queue { list, .. }) = self.queues.get(usize::from(queue)) {
            self.largest.set(queue, list.octets());
        }
    }
}

/// A queue, for `CoDel`.
struct Waits<'flows> {
    packets: &'flows mut Packets,
    list: &'flows mut List,
    counts: &'flows mut Counts,
    since: Time,
    now: Time,
    largest_packet: usize,
}

impl Waits<'_> {
    fn drop_expired(&mut self) {
        while self.packets.first(self.list).is_some_and(|packet| packet.has_expired(self.now)) {
            self.packets.pop_front(self.list);
            self.counts.expired += 1;
        }
    }
}

impl Standing for Waits<'_> {
    fn take(&mut self) -> Option<Packet> {
        self.drop_expired();
        self.packets.pop_front(self.list)
    }

    fn waited(&self, packet: &Packet) -> Span {
        packet.age(self.now).min(self.now.since(self.since))
    }

    fn is_short(&self) -> bool {
        self.list.octets() <= self.largest_packet
    }

    fn mark(&mut self, packet: Packet) -> Option<Packet> {
        if packet.ecn() == Ecn::Ce {
            return Some(packet); // Marked before, and counted then.
        }
        let marked = marked(&packet);
        *(if marked.is_some() { &mut self.counts.marked } else { &mut self.counts.dropped }) += 1;
        marked
    }
}

/// Whether a packet's ends say that they heed each mark (RFC 9331, Section 5.3: where it is marked already, they may).
fn heeds_each_mark(packet: &Packet) -> bool {
    matches!(packet.ecn(), Ecn::Ect1 | Ecn::Ce)
}

/// A packet with a mark of congestion, where that is understood.
fn marked(packet: &Packet) -> Option<Packet> {
    if packet.ecn() == Ecn::Ce {
        return Some(packet.clone());
    }
    let octets = mark_congestion(&packet.octets)?.into();
    Some(Packet { octets, headers: packet.headers.map(Outline::marked), ..*packet })
}

fn octets(packet: &Packet) -> i64 {
    i64::try_from(packet.octets.len()).unwrap_or(i64::MAX)
}

fn hash(seed: u64, key: impl Hash) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(seed, !seed);
    key.hash(&mut hasher);
    hasher.finish()
}
