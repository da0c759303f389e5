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

use super::recovery;
use alloc::collections::VecDeque;
use arqway_contract::{Counters, Packet};
use arqway_ip::{Protocol, supersedes};
use arqway_units::{BitRate, Octets, Span, Time, ToFloat, optional_positive_span, truncate};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// Where the limit follows from the round trip, it is no less: what TCP begins with (RFC 6928).
const LEAST_PACKETS: usize = 10;
/// And no more, whatever a peer makes the round trip look like.
const MOST_OCTETS: usize = 16 * 1024 * 1024;
/// A packet counts as so many octets at least: as much as it takes of memory beside them.
const LEAST_OCTETS: usize = 64;
/// How much of what the link carries a burst may be, and how long it may wait.
const BURST: Span = Span::from_milliseconds(200);

/// How much may wait in a class's queue; where one of these is exceeded, a packet is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClassQueue"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QueueLimits {
    /// The number of packets that may wait.
    pub packets: NonZeroUsize,
    /// The octets that may wait; unlimited by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub octets: Option<NonZeroUsize>,
    /// How long a packet may wait, in the queue or in a service that discards by age; unlimited by default.
    #[serde(deserialize_with = "optional_positive_span", skip_serializing_if = "Option::is_none")]
    pub time: Option<Span>,
    /// As much as the link carries in so many halves of a round trip may wait, at least ten packets: under a bearer that has a
    /// pace and so knows how much that is, this is the limit instead of `packets`. Where the service sends frames again that
    /// are lost, a round trip is what it takes until all frames of one have arrived. A burst that is not TCP's, and finds the queue
    /// empty, may be as long as 200 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_round_trips: Option<NonZeroUsize>,
    /// Whether a full queue drops the packets that have waited longest, not the one that comes. The least queue of
    /// `half_round_trips`, of ten packets, drops the one that comes all the same.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub drop_from_front: bool,
    /// Whether an acknowledgement of TCP takes the place of one in front of it that says no more.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub ack_filter: bool,
}

impl Default for QueueLimits {
    /// As many packets as services may hold themselves.
    fn default() -> Self {
        Self {
            packets: const { NonZeroUsize::new(256).expect("not zero") },
            octets: None,
            time: None,
            half_round_trips: None,
            drop_from_front: false,
            ack_filter: false,
        }
    }
}

/// The queue of one class.
#[derive(Debug)]
pub(super) struct ClassQueue {
    limits: QueueLimits,
    /// What the link carries in a round trip, where that is known, and how many of its round trips recovery takes.
    round_trip: Option<Octets>,
    round_trips: f64,
    /// What it carries while a burst may wait.
    burst: usize,
    /// When a packet came last that found the queue empty.
    busy_since: Time,
    /// Whether packets wait for others in the service.
    is_held_back: bool,
    /// How many octets may wait, where that follows from the round trip.
    most_octets: Option<usize>,
    packets: VecDeque<Packet>,
    octets: usize,
    /// Those for which there was no room, or that made room for others.
    refused: u64,
    /// Too old, or made needless by an acknowledgement behind them.
    dropped: u64,
}

impl ClassQueue {
    pub(super) fn new(limits: QueueLimits, is_held_back: bool) -> Self {
        Self {
            limits,
            round_trip: None,
            round_trips: if is_held_back { recovery::MOST } else { 1.0 },
            is_held_back,
            burst: 0,
            busy_since: Time::ZERO,
            most_octets: None,
            packets: VecDeque::new(),
            octets: 0,
            refused: 0,
            dropped: 0,
        }
    }

    /// Appends a packet, which is as old from now on as it waits.
    ///
    /// # Errors
    /// Hands it back when there is no room for it, nor may be made.
    pub(super) fn push(&mut self, mut packet: Packet, now: Time) -> Result<(), Packet> {
        self.drop_expired(now);
        if self.packets.is_empty() {
            self.busy_since = now;
        }
        let size = packet.octets.len();
        let superseded = self.superseded(&packet);
        let others = self.packets.len() - usize::from(superseded.is_some());
        let most = self.most_with(&packet, now);
        if !self.makes_room(size, most) && self.is_full(others, self.octets - superseded.unwrap_or(0) + size, most) {
            self.refused += 1;
            return Err(packet);
        }
        if let Some(octets) = superseded {
            self.packets.pop_back();
            self.octets -= octets;
            self.dropped += 1;
        }
        while self.is_full(self.packets.len(), self.octets + size, most)
            && let Some(oldest) = self.packets.pop_front()
        {
            self.octets -= oldest.octets.len();
            self.refused += 1;
        }
        packet.arrived.get_or_insert(now);
        if let Some(time) = self.limits.time {
            let expiry = now + time;
            packet.deadline = Some(packet.deadline.map_or(expiry, |deadline| deadline.min(expiry)));
        }
        self.octets += size;
        self.packets.push_back(packet);
        Ok(())
    }

    /// Whether others go for a packet of so many octets. Not where ten packets are more than a round trip: there TCP's window is hardly
    /// larger, and what it sends again for the one that went is soon the first in a full queue itself.
    fn makes_room(&self, size: usize, most: Option<usize>) -> bool {
        let is_long = most.is_none() || self.packets.len() > LEAST_PACKETS;
        self.limits.drop_from_front && is_long && !self.is_full(0, size, most)
    }

    /// How many octets may wait when this packet comes, where that follows from the round trip. What is left of a burst goes two packets
    /// for one.
    fn most_with(&self, packet: &Packet, now: Time) -> Option<usize> {
        let most = self.most_octets?;
        let (size, waiting) = (packet.octets.len(), self.octets.max(self.packets.len() * LEAST_OCTETS));
        if waiting + size <= most {
            return Some(most);
        }
        let is_burst = now.since(self.busy_since) < BURST && !is_tcp(packet);
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
        self.round_trip = Some(rate.octets_in(round_trip));
        self.burst = rate.octets_in(BURST).as_usize().min(MOST_OCTETS);
        self.follow_round_trip();
    }

    /// With so many octets to a frame on average and this share of them lost, the service takes longer than a round trip.
    pub(super) fn set_recovery(&mut self, frame: f64, loss: f64) {
        if let Some(round_trip) = self.round_trip.filter(|_| self.is_held_back) {
            self.round_trips = recovery::round_trips(round_trip.as_u64().to_f64() / frame, loss);
            self.follow_round_trip();
        }
    }

    fn follow_round_trip(&mut self) {
        self.most_octets = self.limits.half_round_trips.zip(self.round_trip).map(|(halves, round_trip)| {
            let octets = round_trip.as_u64().to_f64() * self.round_trips / 2.0 * halves.get().to_f64();
            usize::try_from(truncate(octets)).unwrap_or(usize::MAX).min(MOST_OCTETS)
        });
    }

    /// Takes the packet that has waited longest and is still worth something.
    pub(super) fn pop(&mut self, now: Time) -> Option<Packet> {
        self.drop_expired(now);
        let packet = self.packets.pop_front()?;
        self.octets -= packet.octets.len();
        Some(packet)
    }

    /// Puts one back where it was taken from.
    pub(super) fn put_back(&mut self, packet: Packet) {
        self.octets += packet.octets.len();
        self.packets.push_front(packet);
    }

    fn drop_expired(&mut self, now: Time) {
        while let Some(packet) = self.packets.pop_front_if(|packet| packet.has_expired(now)) {
            self.octets -= packet.octets.len();
            self.dropped += 1;
        }
    }

    /// How many octets the acknowledgement has whose place a packet takes. Those of a burst stand one behind the other, so it is
    /// enough to look at the last.
    fn superseded(&self, by: &Packet) -> Option<usize> {
        let last = self.packets.back().filter(|_| self.limits.ack_filter)?;
        supersedes((&by.octets, by.headers), (&last.octets, last.headers)).then(|| last.octets.len())
    }

    /// What it adds to the numbers of its service: packets that were taken and are not there yet, or never will be.
    pub(super) fn counters(&self) -> Counters {
        Counters {
            packets_taken: self.packets.len() as u64 + self.dropped,
            packets_refused: self.refused,
            packets_discarded: self.dropped,
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
