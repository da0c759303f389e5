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
//! | `shared.rs` | what all lines share: services, epoch, settings |
//! | `line.rs`, `lines.rs` | one line of it; several, which come and go |
//! | `path.rs` | what belongs to a path: the next seven together |
//! | `pace.rs` | when the next datagram may go |
//! | `rate/` | how fast that is: given, or found and followed |
//! | `report.rs`, `duplicates.rs` | what was sent and reported, what has arrived |
//! | `lost.rs` | what share of them is lost |
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
mod line;
mod lines;
mod liveness;
mod lost;
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
mod shared;
mod wire;

pub use config::{Config, LineConfig, Mtu, MtuError};
pub use counters::BearerCounters;
pub use events::Event;
pub use outage::{Outage, Reason};
pub use path::PathMetrics;
pub use rate::{Bounds, BoundsError, Finding, Found, Rate};

use arqway_contract::{Departure, Frame, LineId, LinkContext, LinkService, Packet, PerLine};
use arqway_units::{Octets, Time};
use core::fmt;
use epoch::Heard;
use line::Line;
use shared::Shared;

/// One end of a link over paths that carry datagrams, one for each of its lines.
pub struct Bearer<S> {
    shared: Shared<S>,
    lines: PerLine<Line>,
    /// The line that datagrams are asked for by.
    turn: LineId,
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
        let mut lines = PerLine::new(Line::new(LineId::FIRST, &config, &context, now));
        if let Some(last) = LineId::first(config.line.len()).next_back() {
            lines.reach(last, |id| Line::new(id, &config, &context, now));
            if lines.are_several() {
                lines.iter_mut().for_each(|line| line.path.stands_beside_others());
            }
        }
        let shared = Shared::new(config, builder, context, &lines.first.path, boot, now);
        let mut bearer = Self { shared, lines, turn: LineId::FIRST };
        bearer.tell_lines(now);
        bearer
    }

    /// The session below has met the peer's incarnation of this boot number. Another one than before has nothing of what the
    /// services knew: they are built anew. An end that says [hellos](Config::hellos) hears of its peer by these alone.
    pub fn meet(&mut self, boot: u64, now: Time) {
        self.shared.last_input = now;
        match self.shared.epoch.meet(boot, now) {
            // What the session said and what it heard crossed the path.
            Heard::Nothing => {
                if !self.lines.are_several() && self.lines.first.path.liveness.answered(now) {
                    self.tell_services(now);
                }
            }
            Heard::Peer => self.begin(false, now),
            Heard::Restarted => self.begin(true, now),
        }
    }

    /// What happened since this was asked last, and to which line, if that is one of several.
    pub fn poll_event(&mut self) -> Option<(Option<LineId>, Event)> {
        self.shared.events.pop()
    }

    /// What it has counted besides what its services have.
    #[must_use]
    pub fn bearer_counters(&self) -> BearerCounters {
        self.shared.counters
    }

    /// The services.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.shared.inner
    }

    /// The services, to set what their owner may set. They have another owner for frames and packets: this one.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.shared.inner
    }

    /// What is known of the path of the first line.
    #[must_use]
    pub fn path(&self) -> PathMetrics {
        PathMetrics { is_up: self.shared.is_up, ..self.lines.first.metrics() }
    }

    /// Whether the link carries packets now.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.shared.is_up
    }

    /// Why nothing crosses the link.
    #[must_use]
    pub fn outage(&self) -> Outage {
        let is_silent = self.lines.iter().all(|line| !line.path.liveness.is_up());
        self.shared.outage.with(Reason::Silence, is_silent)
    }

    /// A reason why nothing crosses the link holds from now on, or no longer. Silence is the bearer's own to find out: this one is ignored.
    pub fn set_outage(&mut self, reason: Reason, holds: bool, now: Time) {
        self.shared.last_input = now;
        if reason == Reason::Silence {
            return;
        }
        let was_away = !self.shared.outage.is_over();
        self.shared.outage = self.shared.outage.with(reason, holds);
        if was_away && self.shared.outage.is_over() {
            self.lines.iter_mut().for_each(|line| line.path.liveness.resume(now));
        }
        self.tell_services(now);
    }

    /// The largest packet of a kind, as this one is of it, that its service carries, if all is well with the size that is tried.
    #[must_use]
    pub fn largest_of_kind(&self, packet: &Packet) -> Octets {
        let tried = |line: &Line| line.path.mtu.tried().map_or(0, |tried| line.path.without_overhead(tried));
        let tried = self.lines.iter().map(tried).min().unwrap_or(0);
        let room = self.room_of_packets(Octets::MAX);
        let room = room.max(Octets::of(tried.saturating_sub(wire::MOST_BEFORE)));
        self.shared.inner.largest_packet_like(packet, room)
    }

    /// The datagrams take another path from now on: what was measured of the one before does not hold.
    pub fn change_path(&mut self, now: Time) {
        self.shared.last_input = now;
        let are_several = self.lines.are_several();
        for line in self.lines.iter_mut() {
            let was_slowed = line.path.slowed_from().is_some();
            line.forget(&self.shared.config, now);
            if was_slowed {
                self.shared.tell(Some(line.id).filter(|_| are_several), Event::Restored);
            }
        }
        self.tell_capacity();
    }

    /// The path adds another number of octets to each datagram from now on, as when the peer has moved from IPv4 to IPv6.
    pub fn set_overhead(&mut self, overhead: Octets) {
        self.lines.iter_mut().for_each(|line| line.path.set_overhead(overhead));
    }

    /// Datagrams leave by the first line at another rate from now on.
    pub fn set_rate(&mut self, rate: Rate) {
        self.lines.first.path.set_rate(rate, self.shared.last_input);
        self.tell_capacity();
    }

    /// Both ends know each other from now on, and nothing of another epoch counts.
    fn begin(&mut self, restarted: bool, now: Time) {
        if restarted {
            self.shared.rebuild(&self.lines.first.path, now);
        }
        for line in self.lines.iter_mut() {
            line.path.begin(now);
            line.transit = line::Transit::default();
            line.spared_by_peer = false;
            line.tell_use();
        }
        (self.shared.told_room, self.shared.granted) = (0, 0);
        self.shared.first_ticket = self.shared.next_ticket;
        if restarted {
            self.tell_lines(now);
        }
        self.tell_capacity();
        self.tell_services(now);
    }

    /// A line, to be told of, where it is one of several.
    fn named(&self, line: LineId) -> Option<LineId> {
        Some(line).filter(|_| self.lines.are_several())
    }

    fn line(&mut self, line: LineId) -> &mut Line {
        self.lines.get_mut(line)
    }

    /// The room that decides which packets are too large: pieces carry some that no datagram takes.
    fn room_of_packets(&self, room: Octets) -> Octets {
        self.room_of_frames(room).max(Octets::of(sending::ALWAYS))
    }

    /// How large a frame always fits into a datagram of at most `room`, by whichever line.
    fn room_of_frames(&self, room: Octets) -> Octets {
        let of_line = |line: &Line| line.path.room_of_frames(room);
        self.lines.iter().map(of_line).min().unwrap_or_default()
    }

    /// The size of the largest datagram, once it is found.
    fn tell_mtu(&mut self, line: LineId) {
        if let Some(size) = self.line(line).path.mtu.poll_found() {
            let of = self.named(line);
            self.shared.tell(of, Event::Mtu(Octets::new(size.into())));
        }
    }

    fn depart_by_pace(&mut self, now: Time) {
        for line in self.lines.iter_mut() {
            let departing = &mut line.transit.departing;
            while let Some(line::Departing { tag, ticket, .. }) =
                departing.pop_front_if(|departing| departing.at.is_some_and(|at| at <= now))
            {
                self.shared.inner.handle_departure(tag, ticket, Departure::Sent, now);
            }
        }
    }

    fn act(&mut self, now: Time) {
        if self.shared.epoch.id().is_none() {
            return;
        }
        self.lose_closed(now);
        self.mind_silence(now);
        self.keep_open(now);
        for line in self.lines.ids() {
            let is_up = self.shared.is_up;
            let Line { path, is_up: is_line_up, .. } = self.line(line);
            if is_up && *is_line_up && path.mtu.expire(path.round_trip(), now) {
                path.interrupt();
                self.shared.counters.black_holes += 1;
            }
            self.tell_mtu(line);
        }
        // Small datagrams take less time at the pace, so less silence is borne.
        self.mind_silence(now);
    }
}

impl<S: fmt::Debug> fmt::Debug for Bearer<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Bearer");
        out.field("inner", &self.shared.inner).field("epoch", &self.shared.epoch).field("lines", &self.lines);
        out.field("counters", &self.shared.counters).finish_non_exhaustive()
    }
}
