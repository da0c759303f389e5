//! What a running tunnel does for those who ask: see `control`.

use super::{Running, RunningTunnel};
use crate::control::{
    self, CountersStatus, EventLine, FlowsStatus, LineStatus, PeerStatus, Request, ServiceStatus, Status, What,
    line_of_json,
};
use crate::hub::LineHint;
use arqway_link::bearer::PathMetrics;
use arqway_session::PeerId;
use arqway_units::{BitRate, LineId, Ratio, Span, Time};

impl<T: FnMut(&EventLine)> Running<'_, T> {
    /// Answers somebody who asks. Whoever has gone meanwhile misses nothing.
    pub(super) fn answer(&mut self, request: Request, now: Time) {
        match request {
            Request::Status(answer) => drop(answer.send(self.tunnel.status(now))),
            Request::Flows { with_addresses, answer } => {
                drop(answer.send(self.tunnel.flows(with_addresses, now)));
            }
            Request::Path { to, peer, answer } => self.tunnel.ask_path(to, peer.as_deref(), answer, now),
            Request::Events(listener) => self.tunnel.journal.listen(listener),
            Request::Hint { hint, peer, line, answer } => {
                drop(answer.send(self.hint(hint, peer.as_deref(), line, now)));
            }
            Request::Down(answer) => {
                self.is_down = true;
                drop(answer.send("{}\n".to_owned()));
            }
        }
    }

    /// Passes on what is known of the line to one peer, or to all.
    fn hint(&mut self, hint: LineHint, peer: Option<&str>, line: Option<u8>, now: Time) -> String {
        let journal = &self.tunnel.journal;
        let meant = journal.peers().filter(|(_, name)| peer.is_none_or(|peer| peer == *name));
        let meant: Vec<PeerId> = meant.map(|(id, _)| id).collect();
        if let (true, Some(peer)) = (meant.is_empty(), peer) {
            let names: Vec<&str> = journal.peers().map(|(_, name)| name).collect();
            return control::error(&format!("it has no peer `{peer}`; its peers are {}", names.join(", ")));
        }
        let lines = |peer: &PeerId| self.tunnel.hub.lines_to(*peer);
        let least = meant.iter().map(lines).min().unwrap_or(1);
        if let Some(line) = line.filter(|line| usize::from(*line) >= least) {
            return control::error(&format!("there is no line {line}; expected 0 to {}", least.saturating_sub(1)));
        }
        let line = line.and_then(LineId::new).filter(|_| least > 1);
        for peer in meant {
            self.tunnel.hub.handle_hint(peer, line, hint, now);
            self.publish((Some(peer), line), What::Hint { hint }, now);
            if hint != LineHint::Down {
                self.tunnel.resolver.ask(peer, now);
            }
        }
        "{}\n".to_owned()
    }
}

impl RunningTunnel {
    /// What flows have done since somebody asked first.
    fn flows(&mut self, with_addresses: bool, now: Time) -> String {
        self.hub.keep_flow_book(now);
        let Self { hub, journal, services, .. } = self;
        let of_peer = |index| hub.mux_at(index).map(|(peer, mux)| (journal.name_of(peer).to_owned(), mux));
        let status = hub.flow_book().map(|book| FlowsStatus::new(book, with_addresses, of_peer, services, now));
        line_of_json(&status)
    }

    /// What it is like now.
    fn status(&mut self, now: Time) -> Status {
        let peers: Vec<(PeerId, String)> = self.journal.peers().map(|(id, name)| (id, name.to_owned())).collect();
        let peers = peers.into_iter().map(|(id, name)| self.peer_status(id, name, now)).collect();
        Status {
            interface: self.host.device.interface().name().to_owned(),
            public_key: self.hub.session().public().to_string(),
            listens_at: self.place(),
            running_s: now.as_seconds(),
            peers,
            counters: CountersStatus::new(
                self.hub.counters(),
                self.hub.datagrams_sent(),
                self.hub.session().counters(),
                self.lines.iter().map(|line| line.damaged()).sum(),
            ),
        }
    }

    fn peer_status(&mut self, id: PeerId, name: String, now: Time) -> PeerStatus {
        let session = self.hub.session().status(id, now);
        let names = &self.services;
        let totals = self.hub.totals(id);
        let link = self.hub.link(id).map(|link| {
            let metrics = link.inner_mut().metrics(now);
            let window = link.inner().metrics_span(now).as_seconds();
            let services = names.iter().zip(metrics).enumerate().map(|(number, ((name, kind), metrics))| {
                let counted = totals.get(number).copied().unwrap_or_default();
                ServiceStatus::new(name, kind, &metrics, window, &counted)
            });
            (services.collect(), link.path())
        });
        let (services, path) = link.map_or((Vec::new(), None), |(services, path)| (services, Some(path)));
        let lines = self.lines_status(id);
        PeerStatus {
            name,
            address: match self.lines.first().and_then(|line| line.other_end()) {
                Some(_) => Some(self.place()),
                None => session.and_then(|session| session.address).map(|address| address.to_string()),
            },
            is_up: path.is_some_and(|path| path.is_up),
            is_announced_down: self.hub.is_announced_down(id),
            is_line_gone: self.hub.is_line_gone(id),
            heard_s_ago: session.and_then(|session| session.heard).map(|heard| now.since(heard).as_seconds()),
            datagram_loss: path.and_then(|path| path.loss).map(Ratio::as_f64),
            round_trip_s: path.and_then(|path| path.round_trip).map(Span::as_seconds),
            mtu_octets: path.map_or(0, |path| path.mtu.as_u64()),
            rate_bps: path.and_then(|path| path.rate).map(BitRate::as_bits_per_second),
            slowed_from_bps: path.and_then(|path| path.slowed_from).map(BitRate::as_bits_per_second),
            rate_found: path.and_then(|path| path.found).map(|found| found.finding.name().to_owned()),
            line_queue_s: path.and_then(|path| path.found).map(|found| found.queue.as_seconds()),
            line_carries_bps: path.and_then(|path| path.carries).map(BitRate::as_bits_per_second),
            delivery_rate_bps: path.and_then(|path| path.delivery_rate).map(BitRate::as_bits_per_second),
            lines,
            services,
        }
    }

    /// The lines of a peer, where there are several.
    fn lines_status(&mut self, id: PeerId) -> Vec<LineStatus> {
        let Self { hub, lines, budgets, .. } = self;
        let Some(link) = hub.link(id).filter(|link| link.lines() > 1) else { return Vec::new() };
        let paths: Vec<_> = LineId::first(link.lines()).filter_map(|line| Some((line, link.path_of(line)?))).collect();
        let of_line = |(line, path): (LineId, PathMetrics)| LineStatus {
            name: lines.get(line.index()).filter(|_| lines.len() > 1).map(|line| line.place()),
            address: hub.session().address_by(id, line).map(|address| address.to_string()),
            is_up: path.is_up,
            is_spare: path.is_spare,
            is_slow: path.is_slow,
            sent_octets: path.sent.as_u64(),
            received_octets: path.received.as_u64(),
            budget_octets: budgets.as_ref().and_then(|budgets| Some(budgets.of(line)?.1.as_u64())),
            month_octets: budgets.as_ref().and_then(|budgets| Some(budgets.of(line)?.0.as_u64())),
            datagram_loss: path.loss.map(Ratio::as_f64),
            round_trip_s: path.round_trip.map(Span::as_seconds),
            mtu_octets: path.mtu.as_u64(),
            rate_bps: path.rate.map(BitRate::as_bits_per_second),
            rate_found: path.found.map(|found| found.finding.name().to_owned()),
            delivery_rate_bps: path.delivery_rate.map(BitRate::as_bits_per_second),
        };
        paths.into_iter().map(of_line).collect()
    }
}
