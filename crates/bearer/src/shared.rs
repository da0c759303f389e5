//! What the lines of a bearer share.

use super::config::Config;
use super::counters::BearerCounters;
use super::epoch::Epoch;
use super::events::Event;
use super::path::Path;
use super::{Outage, wire};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use arqway_agenda::Events;
use arqway_contract::{Counters, LineId, LinkContext, LinkService, LinkState, Packet};
use arqway_units::Time;

/// Builds the services of an end.
type Builder<S> = Box<dyn Fn(&LinkContext) -> S + Send>;

pub(super) struct Shared<S> {
    pub(super) config: Config,
    builder: Builder<S>,
    pub(super) context: LinkContext,
    pub(super) inner: S,
    /// What services had to say when the peer had restarted.
    pub(super) last_packets: VecDeque<Packet>,
    /// What services counted that were built before these.
    pub(super) counted_before: Counters,
    pub(super) epoch: Epoch,
    pub(super) events: Events<(Option<LineId>, Event)>,
    pub(super) counters: BearerCounters,
    /// The time of the last input: what time alone brings shows at the next one, when `poll_timeout` says that it is due.
    pub(super) last_input: Time,
    /// Why the link is away, as the owner says.
    pub(super) outage: Outage,
    /// What the services were told.
    pub(super) is_up: bool,
    /// The ticket of the next datagram, whatever the epoch.
    pub(super) next_ticket: u64,
    /// The ticket of the first datagram of this epoch.
    pub(super) first_ticket: u64,
    /// What services know of the room in a datagram.
    pub(super) told_room: usize,
    /// The largest room that services were given for a frame, by whichever line: one that was made for it may go by another.
    pub(super) granted: usize,
    /// The line that the next hello goes by: nobody knows yet which of them carry anything.
    pub(super) hello_by: LineId,
}

impl<S: LinkService> Shared<S> {
    pub(super) fn new(
        config: Config,
        builder: impl Fn(&LinkContext) -> S + Send + 'static,
        context: LinkContext,
        path: &Path,
        boot: u64,
        now: Time,
    ) -> Self {
        let of_client = wire::is_client(context.side);
        let mut inner = builder(&of_services(path, &context));
        inner.handle_link(LinkState::Down, now);
        Self {
            builder: Box::new(builder),
            inner,
            last_packets: VecDeque::new(),
            counted_before: Counters::default(),
            epoch: if config.hellos { Epoch::new(of_client, boot, now) } else { Epoch::told(of_client, boot, now) },
            events: Events::default(),
            counters: BearerCounters::default(),
            last_input: now,
            outage: Outage::default(),
            is_up: false,
            next_ticket: 0,
            first_ticket: 0,
            told_room: 0,
            granted: 0,
            hello_by: LineId::FIRST,
            config,
            context,
        }
    }

    /// Something has happened, to one line of several or to the link.
    pub(super) fn tell(&mut self, line: Option<LineId>, event: Event) {
        self.events.push((line, event));
    }

    /// Whether a hello may go by a line.
    pub(super) fn says_hello(&self, line: LineId, lines: usize) -> bool {
        self.hello_by.index() % lines == line.index()
    }

    /// A hello has gone: the next one tries another line.
    pub(super) fn has_said_hello(&mut self) {
        self.hello_by = LineId::new(self.hello_by.number() + 1).unwrap_or_default();
    }

    /// The peer has restarted, and knows nothing of what these services knew: others take their place.
    pub(super) fn rebuild(&mut self, path: &Path, now: Time) {
        self.counters.peer_restarts += 1;
        self.tell(None, Event::PeerRestarted);
        self.inner.handle_restart();
        while let Some(packet) = self.inner.poll_packet() {
            self.last_packets.push_back(packet);
        }
        self.counted_before = self.counted_before + self.inner.counters();
        self.inner = (self.builder)(&of_services(path, &self.context));
        if !self.is_up {
            self.inner.handle_link(LinkState::Down, now);
        }
    }
}

/// What services are told of the link when they are built.
fn of_services(path: &Path, context: &LinkContext) -> LinkContext {
    LinkContext { room: path.room_of_frames(context.room), rate: path.pace.rate().or(context.rate), ..*context }
}
