//! A link out of a path that carries datagrams (UDP, a serial line, a modem that tells nobody when it is full).
//!
//! A [`Bearer`] is a [`LinkService`] whose frames are datagrams. Above it are the services of the link, most often a
//! `Mux` of `arqway-link`, which it builds itself: when the peer has restarted, both ends build theirs anew.
//!
//! ```text
//!     packets                                               packets
//!        |  ^                                                  |  ^
//!     +--v--|--------------------+                          +--v--|----+
//!     | services    S            |                          | services |
//!     +--|-------------------^---+                          +--|----^--+
//!        | frames that fit   | frames, up and down             |    |
//!     +--v-------------------|---+                          +--v----|--+
//!     | Bearer                   |   datagrams over a path  |  Bearer  |
//!     |   pack, pieces, pace     | -----------------------> |          |
//!     |   epoch, reports,        | <----------------------- |          |
//!     |   liveness, mtu          |   and reports of them    |          |
//!     +--------------------------+                          +----------+
//! ```
//!
//! A datagram is made when the pace lets it go: then frames are taken from the services, started and packed, so that none
//! waits between scheduler and line.
//!
//! | file | concept |
//! | --- | --- |
//! | `config.rs` | settings |
//! | `wire.rs` | a datagram octet by octet |
//! | `epoch.rs` | which incarnations of the ends talk to each other |
//! | `path.rs` | what belongs to a path: the next seven together |
//! | `pace.rs` | when the next datagram may go |
//! | `rate/` | how fast that is: given, or found and followed |
//! | `report.rs`, `duplicates.rs` | what was sent and reported, what has arrived |
//! | `liveness.rs`, `outage.rs` | whether datagrams arrive, and why not |
//! | `lateness.rs` | how late one may be |
//! | `mtu.rs` | how large they may be |
//! | `pack.rs`, `pieces.rs` | many frames in a datagram, many datagrams for a frame |
//! | `sending.rs`, `receiving.rs` | a datagram made, a datagram taken apart |
//! | `service.rs` | the bearer as a service |
//! | `events.rs`, `counters.rs` | what the owner learns |

#![no_std]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_lossless,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
    )
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod config;
mod counters;
mod duplicates;
mod epoch;
mod events;
mod lateness;
mod liveness;
mod mtu;
mod outage;
mod pace;
mod pack;
mod path;
mod pieces;
mod rate;
mod receiving;
mod report;
mod sending;
mod service;
mod wire;

pub use config::{Config, Mtu, MtuError};
pub use counters::BearerCounters;
pub use events::Event;
pub use outage::{Outage, Reason};
pub use path::PathMetrics;
pub use rate::{Bounds, BoundsError, Finding, Found, Rate};

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use arqway_agenda::Events;
use arqway_contract::{Counters, Departure, Frame, LinkContext, LinkService, LinkState, Packet, Tag, Ticket};
use arqway_units::{Octets, Time};
use core::fmt;
use epoch::{Epoch, Heard};
use liveness::Act;
use pack::Packer;
use path::Path;
use pieces::{Assembler, Cutter};

/// Builds the services of an end.
type Builder<S> = Box<dyn Fn(&LinkContext) -> S + Send>;

/// One end of a link over a path that carries datagrams.
pub struct Bearer<S> {
    config: Config,
    builder: Builder<S>,
    context: LinkContext,
    inner: S,
    /// What services had to say when the peer had restarted.
    last_packets: VecDeque<Packet>,
    /// What services counted that were built before these.
    counted_before: Counters,
    epoch: Epoch,
    path: Path,
    transit: Transit,
    events: Events<Event>,
    counters: BearerCounters,
    /// The time of the last input: what time alone brings shows at the next one, when `poll_timeout` says that it is due.
    last_input: Time,
    /// Why the line is away, as the owner says.
    outage: Outage,
    /// What the services were told.
    is_up: bool,
    /// The ticket of the next datagram, whatever the epoch.
    next_ticket: u64,
}

/// What is on its way between services and datagrams. It belongs to one epoch: the next one begins with another.
#[derive(Debug, Default)]
struct Transit {
    packer: Packer,
    cutter: Cutter,
    assembler: Assembler,
    /// Frames of the services that are in datagrams, in the order of these.
    departing: VecDeque<Departing>,
    wants: Wants,
    /// The largest room that services were asked to fill.
    granted: usize,
    /// What services know of the room in a datagram.
    told_room: usize,
    /// Counts the frames asked for while some may be too large.
    asked: u8,
    /// The ticket of the first datagram.
    first_ticket: u64,
}

/// A frame in a datagram.
#[derive(Debug)]
struct Departing {
    datagram: u64,
    /// When the datagram's last bit is out by the pace; without one, the owner says when.
    at: Option<Time>,
    tag: Tag,
    ticket: Ticket,
}

/// Datagrams without frames that wait for the pace.
#[derive(Debug, Default)]
struct Wants {
    ping: bool,
    /// The size of a probe that arrived.
    answer: Option<u16>,
    /// A report that found no place in a datagram of frames.
    report: bool,
    /// The services, or one of these, wait for the pace until then, or until a report makes room.
    turn: Option<Time>,
    /// The peer takes short names.
    short: bool,
}

/// Whether a datagram tries how large datagrams may be: the system below may refuse it, and with it all that goes by the same
/// call.
#[must_use]
pub fn is_probe(datagram: &Frame) -> bool {
    wire::is_probe(datagram.tag)
}

impl<S: LinkService> Bearer<S> {
    /// An end that looks for its peer, or waits until its owner has [met](Self::meet) it. `boot` is a number that no other incarnation of this end or its peer has: random, or
    /// counted up and kept.
    #[must_use]
    pub fn new(
        config: Config,
        builder: impl Fn(&LinkContext) -> S + Send + 'static,
        context: LinkContext,
        boot: u64,
        now: Time,
    ) -> Self {
        let (path, of_client) = (Path::new(&config, &context, now), wire::is_client(context.side));
        let mut inner = builder(&of_services(&path, &context));
        inner.handle_link(LinkState::Down, now);
        Self {
            builder: Box::new(builder),
            inner,
            last_packets: VecDeque::new(),
            counted_before: Counters::default(),
            epoch: if config.hellos { Epoch::new(of_client, boot, now) } else { Epoch::told(of_client, boot, now) },
            path,
            transit: Transit::default(),
            events: Events::default(),
            counters: BearerCounters::default(),
            last_input: now,
            outage: Outage::default(),
            is_up: false,
            next_ticket: 0,
            config,
            context,
        }
    }

    /// The session below has met the peer's incarnation of this boot number. Another one than before has nothing of what the
    /// services knew: they are built anew. An end that says [hellos](Config::hellos) hears of its peer by these alone.
    pub fn meet(&mut self, boot: u64, now: Time) {
        self.last_input = now;
        match self.epoch.meet(boot, now) {
            // What the session said and what it heard crossed the path.
            Heard::Nothing => {
                if self.path.liveness.answered(now) {
                    self.tell_services(now);
                }
            }
            Heard::Peer => self.begin(false, now),
            Heard::Restarted => self.begin(true, now),
        }
    }

    /// What happened since this was asked last.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// What it has counted besides what its services have.
    #[must_use]
    pub fn bearer_counters(&self) -> BearerCounters {
        self.counters
    }

    /// The services.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// The services, to set what their owner may set. They have another owner for frames and packets: this one.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// What is known of the path.
    #[must_use]
    pub fn path(&self) -> PathMetrics {
        PathMetrics { is_up: self.is_up, ..self.path.metrics() }
    }

    /// Whether the link carries packets now.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.is_up
    }

    /// Why nothing crosses the link.
    #[must_use]
    pub fn outage(&self) -> Outage {
        self.outage.with(Reason::Silence, !self.path.liveness.is_up())
    }

    /// A reason why nothing crosses the line holds from now on, or no longer. Silence is the bearer's own to find out: this one is ignored.
    pub fn set_outage(&mut self, reason: Reason, holds: bool, now: Time) {
        self.last_input = now;
        if reason == Reason::Silence {
            return;
        }
        let was_away = !self.outage.is_over();
        self.outage = self.outage.with(reason, holds);
        if was_away && self.outage.is_over() {
            self.path.liveness.resume(now);
        }
        self.tell_services(now);
    }

    /// The largest packet of a kind, as this one is of it, that its service carries, if all is well with the size that is tried.
    #[must_use]
    pub fn largest_of_kind(&self, packet: &Packet) -> Octets {
        let tried = self.path.mtu.tried().map(|tried| self.path.without_overhead(tried));
        let room = self.room_of_packets(Octets::MAX);
        let room = room.max(Octets::of(tried.unwrap_or_default().saturating_sub(sending::MOST_BEFORE)));
        self.inner.largest_packet_like(packet, room)
    }

    /// The datagrams take another path from now on: what was measured of the one before does not hold.
    pub fn change_path(&mut self, now: Time) {
        self.last_input = now;
        let was_slowed = self.path.slowed_from().is_some();
        self.path.forget(&self.config, now);
        if was_slowed {
            self.events.push(Event::Restored);
        }
        self.tell_capacity();
    }

    /// The path adds another number of octets to each datagram from now on, as when the peer has moved from IPv4 to IPv6.
    pub fn set_overhead(&mut self, overhead: Octets) {
        self.path.set_overhead(overhead);
    }

    /// Datagrams leave at another rate from now on.
    pub fn set_rate(&mut self, rate: Rate) {
        self.path.set_rate(rate, self.last_input);
        self.tell_capacity();
    }

    /// Both ends know each other from now on, and nothing of another epoch counts.
    fn begin(&mut self, restarted: bool, now: Time) {
        if restarted {
            self.counters.peer_restarts += 1;
            self.events.push(Event::PeerRestarted);
            self.inner.handle_restart();
            while let Some(packet) = self.inner.poll_packet() {
                self.last_packets.push_back(packet);
            }
            self.counted_before = self.counted_before + self.inner.counters();
            self.inner = (self.builder)(&of_services(&self.path, &self.context));
            if !self.is_up {
                self.inner.handle_link(LinkState::Down, now);
            }
        }
        self.path.begin(now);
        self.transit = Transit { first_ticket: self.next_ticket, ..Transit::default() };
        self.tell_capacity();
        self.tell_services(now);
    }

    /// Tells the services how fast the link is, and how long a round trip takes.
    fn tell_capacity(&mut self) {
        if let Some(rate) = self.path.capacity() {
            self.inner.handle_capacity(rate, self.path.round_trip());
        }
    }

    /// Tells the services whether frames cross the link, where that has changed.
    fn tell_services(&mut self, now: Time) {
        let is_up = self.outage.is_over() && self.epoch.id().is_some() && self.path.liveness.is_up();
        if is_up == self.is_up {
            return;
        }
        self.is_up = is_up;
        let (state, event) = if is_up { (LinkState::Up, Event::Up) } else { (LinkState::Down, Event::Down) };
        if !is_up {
            self.counters.outages += 1;
            self.path.mtu.pause();
            self.path.interrupt();
        }
        self.events.push(event);
        self.inner.handle_link(state, now);
    }

    /// The room that decides which packets are too large: pieces carry some that no datagram takes.
    fn room_of_packets(&self, room: Octets) -> Octets {
        room_of_frames(&self.path, room).max(Octets::of(sending::ALWAYS))
    }

    /// The size of the largest datagram, once it is found.
    fn tell_mtu(&mut self) {
        if let Some(size) = self.path.mtu.poll_found() {
            self.events.push(Event::Mtu(Octets::new(size.into())));
        }
    }

    fn depart_by_pace(&mut self, now: Time) {
        while let Some(Departing { tag, ticket, .. }) =
            self.transit.departing.pop_front_if(|departing| departing.at.is_some_and(|at| at <= now))
        {
            self.inner.handle_departure(tag, ticket, Departure::Sent, now);
        }
    }

    fn act(&mut self, now: Time) {
        if self.epoch.id().is_none() {
            return;
        }
        self.mind_silence(now);
        if self.is_up && self.path.mtu.expire(self.path.round_trip(), now) {
            self.counters.black_holes += 1;
            self.path.interrupt();
            // Small datagrams take less time at the pace, so less silence is borne.
            self.mind_silence(now);
        }
        self.tell_mtu();
    }

    fn mind_silence(&mut self, now: Time) {
        while let Some(act) = self.path.liveness.act(self.path.sent.unanswered_since(), self.path.limits(), now) {
            match act {
                Act::Ping => self.transit.wants.ping = true,
                Act::Down => self.tell_services(now),
            }
        }
    }
}

/// How large a frame always fits into a datagram of at most `room`.
fn room_of_frames(path: &Path, room: Octets) -> Octets {
    Octets::of(room.as_usize().min(path.room()).saturating_sub(sending::MOST_BEFORE))
}

/// What services are told of the link when they are built.
fn of_services(path: &Path, context: &LinkContext) -> LinkContext {
    LinkContext { room: room_of_frames(path, context.room), rate: path.pace.rate().or(context.rate), ..*context }
}

impl<S: fmt::Debug> fmt::Debug for Bearer<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Bearer");
        out.field("inner", &self.inner).field("epoch", &self.epoch).field("path", &self.path);
        out.field("counters", &self.counters).finish_non_exhaustive()
    }
}
