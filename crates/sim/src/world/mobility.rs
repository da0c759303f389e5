//! What happens when the user moves: to the link, and to the ends and hosts that are notified.

use super::World;
use crate::channel::Direction;
use crate::event::{Event, OutagePhase};
use crate::host::Host;
use crate::kernel::Streams;
use crate::mobility::{Change, Course, Outage};
use crate::probe::Probe;
use crate::scenario::Scenario;
use crate::tcp::OnHints;
use alloc::collections::VecDeque;
use arqway_link::{Hint, LinkOffer, LinkState};

/// A user who moves.
#[derive(Debug)]
pub(super) struct Roaming {
    course: Course,
    change: Change,
    hints: bool,
    /// What the link offers, and what the next one does.
    offers: [LinkOffer; 2],
    /// On their way to the server, which is as far for all of them.
    to_server: VecDeque<Hint>,
}

impl Roaming {
    /// The user of a scenario, if that one moves.
    pub(super) fn new(scenario: &Scenario, streams: &Streams) -> Option<Self> {
        let config = &scenario.mobility;
        Some(Self {
            course: Course::new(config, streams.stream("mobility"))?,
            change: config.change.clone(),
            hints: config.hints,
            offers: config.offers(&scenario.wireless),
            to_server: VecDeque::with_capacity(4),
        })
    }
}

impl<P: Probe> World<P> {
    /// The link is there until the next outage, whose moments are scheduled.
    pub(super) fn await_outage(&mut self) {
        let Some(roaming) = &mut self.roaming else { return };
        let outage = roaming.course.next(self.now);
        for end in [&mut self.access_point, &mut self.client] {
            end.rise(outage.map(|outage| outage.from));
        }
        let Some(Outage { notice, from, until }) = outage else { return };
        if roaming.hints {
            self.events.schedule(notice, Event::Mobility(OutagePhase::Notice));
        }
        self.events.schedule(from, Event::Mobility(OutagePhase::Falls));
        self.events.schedule(until, Event::Mobility(OutagePhase::Rises));
    }

    pub(super) fn move_user(&mut self, phase: OutagePhase) {
        let Some(roaming) = &mut self.roaming else { return };
        match phase {
            OutagePhase::Notice => {
                let hint = roaming.change.begins();
                self.notify(hint);
            }
            OutagePhase::Falls => {
                self.access_point.fall();
                self.client.fall();
            }
            OutagePhase::Rises => {
                roaming.offers.reverse();
                let (hint, hints) = (roaming.change.ends(roaming.offers[0]), roaming.hints);
                self.access_point.change_link();
                self.client.change_link();
                self.await_outage();
                if let Hint::HandoffEnds { link, .. } = hint {
                    self.reserve_anew(link);
                }
                if hints {
                    self.notify(hint);
                }
            }
        }
    }

    /// Notifies both ends of the link at once, and the server when a message could have come to it.
    fn notify(&mut self, hint: Hint) {
        self.access_point.notify(&hint, self.now);
        self.client.notify(&hint, self.now);
        self.pump(Direction::Down);
        self.pump(Direction::Up);
        self.notify_host(Host::Client, &hint);
        self.pump_hosts();
        if let Some(roaming) = &mut self.roaming {
            roaming.to_server.push_back(hint);
            self.events.schedule(self.now + self.wired_delay, Event::HintAtServer);
        }
    }

    pub(super) fn notify_server(&mut self) {
        if let Some(hint) = self.roaming.as_mut().and_then(|roaming| roaming.to_server.pop_front()) {
            self.notify_host(Host::Server, &hint);
        }
    }

    fn notify_host(&mut self, host: Host, hint: &Hint) {
        self.applications.handle_hint(host, hint);
        if self.tcp.on_hints == OnHints::Ignore {
            return;
        }
        match hint.link_state() {
            LinkState::Down => self.connections.freeze(host, self.now),
            LinkState::Up => self.connections.thaw(host, self.now),
        }
        for id in self.connections.places() {
            self.send_segments(id);
        }
    }
}
