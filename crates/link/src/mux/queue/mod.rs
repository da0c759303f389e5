//! Where the packets of a class wait until their service wants them.
//!
//! ```text
//!     packet -> [ a queue a class ] -> service -> scheduler -> link
//!                 limit: packets, octets, age      holds what is in frames, and the next packet
//! ```
//!
//! A service whose window counts tens of thousands of frames would otherwise be a buffer of that size. Here packets are still
//! nobody's: a full queue drops what comes, or what has waited longest, an old packet is dropped when its turn comes, and the other
//! classes go on.
//!
//! To drop from the front is what Lakshman, Neidhardt and Ott propose ("The drop from front strategy in TCP and in TCP over ATM", INFOCOM
//! 1996): TCP hears of it as much sooner as a packet waits, and stops to fill the queue that is full.
//!
//! ```text
//!     full: 1 2 3 4    5 comes     from the tail: 1 2 3 4    TCP's receiver misses 5 when 1 to 4 have gone out, and 6 has
//!                                  from the front: 2 3 4 5   ... misses 1 when 2 has gone out, which is next
//! ```
//!
//! Where the limit follows from the round trip, a burst may have more: what the link carries in 200 ms, within 200 ms of the first packet to
//! wait. A video frame, a SIP or an NFS burst is no standing queue, and whoever sent it does not send more slowly for a loss. TCP does,
//! and keeps whatever queue it is given; its packets have none of this.
//!
//! ```text
//!     octets     200 ms at the rate    __
//!                                     |  \        packets come on: two go for one that comes
//!                a round trip  _______|___\_______________
//!                                     |     time |
//!                               empty |  200 ms  | standing
//! ```
//!
//! With `ack-filter` it does what RFC 3449 §5.2.1 calls ACK filtering, and the queue discipline CAKE of Linux does by that name: of
//! acknowledgements in a row only the last one is kept.
//!
//! ```text
//!     released at once behind a gap: 9 10 11 ... 80      TCP answers: 10 12 14 ... 80      on the line: 80
//! ```

mod codel;
mod coupled;
mod flows;
mod largest;
mod limits;
mod packets;
mod turns;

pub use limits::{Between, Codel, Fair, L4s, QueueFault, QueueLimits, Queues, QueuesError};

use super::recovery;
use arqway_contract::{Counters, Packet};
use arqway_ip::{Protocol, supersedes};
use arqway_units::{BitRate, Octets, Span, Time, ToFloat, truncate};
use codel::Bounds;
use coupled::{Aims, Coupled};
use flows::{Counts, Flows};

/// Where the limit follows from the round trip, it is no less: what TCP begins with (RFC 6928).
const LEAST_PACKETS: usize = 10;
/// And no more, whatever a peer makes the round trip look like.
const MOST_OCTETS: usize = 16 * 1024 * 1024;
/// A packet counts as so many octets at least: as much as it takes of memory beside them.
const LEAST_OCTETS: usize = 64;
/// How much of what the link carries a burst may be, and how long it may wait.
const BURST: Span = Span::from_milliseconds(200);
/// The first packets of connections that begin at once, such as a page's, may wait as long as that, where flows take turns.
const STARTS: Span = Span::from_milliseconds(500);
/// The target is no less than so many largest packets take (RFC 8289, Section 4.4, where one does not go between two others).
const TARGET_PACKETS: f64 = 1.5;
/// Of an interval, the target: RFC 8289, Section 4.3, has it at a twentieth to a tenth.
const TARGET_SHARE: u64 = 20;
/// So much more than the limit may wait of packets that are marked in place of being dropped.
const MARKED: usize = 2;

/// The queue of one class.
#[derive(Debug)]
pub(super) struct ClassQueue {
    limits: QueueLimits,
    /// What the link carries, and how long a round trip takes, where that is known; and how many of its round trips recovery takes.
    link: Option<(BitRate, Span)>,
    round_trips: f64,
    /// What it carries while a burst may wait.
    burst: usize,
    /// What may wait while no flow has more than its first packets there.
    starts: usize,
    /// Whether packets wait for others in the service.
    is_held_back: bool,
    /// How many octets may wait, where that follows from the round trip.
    most_octets: Option<usize>,
    /// How long packets may wait, where that is bounded.
    bounds: Option<Bounds>,
    /// The same where those with ECT(1) are kept apart, or marked in the queues of their flows.
    aims: Option<Aims>,
    coupled: Option<Coupled>,
    flows: Flows,
    /// Those for which there was no room, or that made room for others.
    refused: u64,
    /// Made needless by an acknowledgement behind them.
    superseded: u64,
}

impl ClassQueue {
    /// An empty one. The seed decides which flows share a queue: whoever does not know it cannot choose them.
    pub(super) fn new(limits: QueueLimits, is_held_back: bool, seed: u64) -> Self {
        Self {
            limits,
            link: None,
            round_trips: if is_held_back { recovery::MOST } else { 1.0 },
            is_held_back,
            burst: 0,
            starts: 0,
            most_octets: None,
            bounds: limits.codel.map(|Codel { target, interval }| Bounds { target, interval }),
            aims: limits.l4s.map(Aims::from),
            coupled: limits.l4s.filter(|_| limits.fair.is_none()).map(|_| Coupled::default()),
            flows: Flows::new(limits.fair, limits.l4s.is_some(), seed),
            refused: 0,
            superseded: 0,
        }
    }

    /// Appends a packet, which is as old from now on as it waits.
    ///
    /// # Errors
    /// Hands it back when there is no room for it, nor may be made.
    pub(super) fn push(&mut self, mut packet: Packet, now: Time) -> Result<(), Packet> {
        let queue = self.flows.queue_of(&packet);
        self.flows.drop_expired(queue, now);
        let most = self.most_with(queue, &packet, now);
        if !self.supersede(queue, &packet, most) && !self.make_room(queue, packet.octets.len(), most) {
            self.refused += 1;
            return Err(packet);
        }
        packet.arrived.get_or_insert(now);
        if let Some(time) = self.limits.time {
            let expiry = now + time;
            packet.deadline = Some(packet.deadline.map_or(expiry, |deadline| deadline.min(expiry)));
        }
        self.flows.push(queue, packet, now);
        Ok(())
    }

    /// Whether there is room for so many octets: others go for them where they may, or are marked.
    fn make_room(&mut self, queue: u16, size: usize, most: Option<usize>) -> bool {
        let fits = !self.is_full(0, size, most);
        while self.is_full(self.flows.len(), self.flows.octets() + size, most) {
            let gives_way = self.flows.gives_way(queue, size);
            if self.marks() && self.is_room_for_marked(size, most) && self.flows.mark_first(gives_way) {
                return true;
            }
            let from_front = self.drops_from_front(most);
            if !fits || (gives_way == queue && !from_front) || self.flows.remove(gives_way, from_front).is_none() {
                return false;
            }
            self.refused += 1;
        }
        true
    }

    /// Whether those go that have waited longest. Not where ten packets are more than a round trip: there TCP's window is hardly
    /// larger, and what it sends again for the one that went is soon the first in a full queue itself.
    fn drops_from_front(&self, most: Option<usize>) -> bool {
        self.limits.drop_from_front && (most.is_none() || self.flows.len() > LEAST_PACKETS)
    }

    /// Whether packets are marked in place of being dropped, where that is understood: everywhere but in a plain queue, as the papers have it.
    fn marks(&self) -> bool {
        self.limits.codel.is_some() || self.limits.fair.is_some() || self.limits.l4s.is_some()
    }

    /// Whether so many octets more may wait for a mark to be heard.
    fn is_room_for_marked(&self, size: usize, most: Option<usize>) -> bool {
        !self.is_full(self.flows.len() / MARKED, (self.flows.octets() + size) / MARKED, most)
    }

    /// How many octets may wait when this packet comes, where that follows from the round trip. What is left of a burst goes two packets
    /// for one.
    fn most_with(&self, queue: u16, packet: &Packet, now: Time) -> Option<usize> {
        let most = self.most_octets?;
        let (size, waiting) = (packet.octets.len(), self.flows.octets().max(self.flows.len() * LEAST_OCTETS));
        if waiting + size <= most {
            return Some(most);
        }
        // What a connection begins with (RFC 6928) is no standing queue of its own.
        if self.limits.fair.is_some() && self.flows.len_of(queue) < LEAST_PACKETS && waiting + size <= self.starts {
            return Some(self.starts);
        }
        let is_burst = now.since(self.flows.busy_since(queue, now)) < BURST && !is_tcp(packet);
        Some(most.max(if is_burst { self.burst } else { waiting.saturating_sub(size.max(2 * LEAST_OCTETS)) }))
    }

    /// Whether a packet behind so many others, with which it has so many octets, is one too many.
    fn is_full(&self, others: usize, octets: usize, most: Option<usize>) -> bool {
        let is_full = match most {
            Some(most) => octets.max(others * LEAST_OCTETS) > most && others >= LEAST_PACKETS,
            None => others >= self.limits.packets.get(),
        };
        is_full || self.limits.octets.is_some_and(|most| octets > most.get())
    }

    /// The link has this rate, and a round trip takes so long.
    pub(super) fn set_capacity(&mut self, rate: BitRate, round_trip: Span) {
        self.link = Some((rate, round_trip));
        self.burst = rate.octets_in(BURST).as_usize().min(MOST_OCTETS);
        self.starts = rate.octets_in(STARTS).as_usize().min(MOST_OCTETS);
        self.follow_link();
    }

    /// With so many octets to a frame on average and this share of them lost, the service takes longer than a round trip.
    pub(super) fn set_recovery(&mut self, frame: f64, loss: f64) {
        if let Some((rate, round_trip)) = self.link.filter(|_| self.is_held_back) {
            let octets = rate.octets_in(round_trip).as_u64().to_f64();
            self.round_trips = recovery::round_trips(octets / frame, loss);
            self.follow_link();
        }
    }

    /// Limits follow from what the link carries and how long a round trip takes.
    fn follow_link(&mut self) {
        let Some((rate, round_trip)) = self.link else { return };
        self.most_octets = self.limits.half_round_trips.map(|halves| {
            let round_trip = rate.octets_in(round_trip).as_u64().to_f64();
            let octets = round_trip * self.round_trips / 2.0 * halves.get().to_f64();
            usize::try_from(truncate(octets)).unwrap_or(usize::MAX).min(MOST_OCTETS)
        });
        let round_trip = Span::from_nanoseconds(truncate(round_trip.as_nanoseconds().to_f64() * self.round_trips));
        let largest = self.flows.largest_packet();
        self.bounds = self.limits.codel.map(|Codel { target, interval }| {
            let interval = interval.max(round_trip);
            let packets = truncate(largest.to_f64() * TARGET_PACKETS);
            let target = target.max(interval / TARGET_SHARE).max(rate.time_to_send(Octets::new(packets)));
            Bounds { target, interval }
        });
        let two_packets = rate.time_to_send(Octets::of(largest * 2));
        self.aims = self.limits.l4s.map(|l4s| Aims::from(l4s).on_link(two_packets, round_trip));
    }

    /// The link is there again: what waited for that is no queue.
    pub(super) fn link_is_back(&mut self, now: Time) {
        self.flows.link_is_back(now);
    }

    /// Takes the next packet that is still worth something.
    pub(super) fn pop(&mut self, now: Time) -> Option<Packet> {
        match (&mut self.coupled, self.aims) {
            (Some(coupled), Some(aims)) => self.flows.next_coupled(coupled, aims, now),
            (None, Some(aims)) => self.flows.next(self.bounds, Some(aims.step), now),
            (_, None) => self.flows.next(self.bounds, None, now),
        }
    }

    /// The same, of the flow that most waits of.
    pub(super) fn pop_of_longest(&mut self, now: Time) -> Option<Packet> {
        if self.coupled.is_some() {
            return self.pop(now);
        }
        self.flows.next_of_longest(self.bounds, self.aims.map(|aims| aims.step), now)
    }

    /// How much waits.
    pub(super) fn waiting(&self) -> Octets {
        Octets::of(self.flows.octets())
    }

    /// Whether its packets wait for others that are lost and sent again.
    pub(super) fn is_held_back(&self) -> bool {
        self.is_held_back
    }

    /// Puts the one back that was taken last.
    pub(super) fn put_back(&mut self, packet: Packet) {
        self.flows.put_back(packet);
    }

    /// Whether a packet takes the place of an acknowledgement, which goes, and finds room there. Those of a burst stand one behind the
    /// other, so it is enough to look at the last.
    fn supersede(&mut self, queue: u16, by: &Packet, most: Option<usize>) -> bool {
        let Some(last) = self.flows.last(queue).filter(|_| self.limits.ack_filter) else { return false };
        let octets = self.flows.octets() - last.octets.len() + by.octets.len();
        let goes = supersedes((&by.octets, by.headers), (&last.octets, last.headers))
            && !self.is_full(self.flows.len() - 1, octets, most);
        if goes {
            self.flows.remove(queue, false);
            self.superseded += 1;
        }
        goes
    }

    /// What it adds to the numbers of its service: packets that were taken and are not there yet, or never will be.
    pub(super) fn counters(&self) -> Counters {
        let Counts { expired, dropped, marked } = self.flows.counts();
        Counters {
            packets_taken: self.flows.len() as u64 + expired + self.superseded,
            packets_refused: self.refused + dropped,
            packets_discarded: expired + self.superseded,
            packets_marked: marked,
            ..Counters::default()
        }
    }
}

/// Whether its sender makes a window larger until a packet is lost.
fn is_tcp(packet: &Packet) -> bool {
    packet.outline().is_some_and(|headers| headers.protocol() == Protocol::TCP)
}

#[cfg(test)]
mod tests;
