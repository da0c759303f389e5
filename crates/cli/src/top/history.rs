//! What was seen of each tunnel in the last minutes.

use arqway_tunnel::{FlowsStatus, PeerStatus, Status};
use arqway_units::truncate;
use std::collections::{BTreeMap, VecDeque};

/// So many values are kept of each quantity: more than any screen is wide.
const KEPT: usize = 300;

/// Values of a quantity, one for each look, the newest last.
pub(super) type Track = VecDeque<u64>;

/// What was seen of all tunnels.
#[derive(Debug, Default)]
pub(super) struct History {
    tunnels: BTreeMap<String, Tunnel>,
}

/// One tunnel.
#[derive(Debug)]
pub(super) struct Tunnel {
    /// The newest status.
    pub(super) status: Status,
    /// What flows did since the look before; nothing at the first.
    pub(super) flows: Option<FlowsStatus>,
    counted: FlowsStatus,
    /// How many packets and datagrams were dropped since the look before, if there was one.
    pub(super) dropped: Option<u64>,
    tracks: BTreeMap<Of, Track>,
}

/// What a track is of: a peer by its place, and a line or a service of it by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Of {
    /// The rate of a line.
    Rate(usize, usize),
    /// What a service sends and receives.
    Service(usize, usize),
}

impl History {
    /// The others have ended.
    pub(super) fn keep_only(&mut self, links: &[String]) {
        self.tunnels.retain(|link, _| links.contains(link));
    }

    /// A tunnel has said this.
    pub(super) fn add(&mut self, link: String, status: Status, flows: FlowsStatus) {
        let before = self.tunnels.remove(&link);
        // One of the same name that was started anew counts from zero again.
        let before = before.filter(|before| before.status.running_s <= status.running_s);
        let (flows_since, dropped) = before.as_ref().map_or((None, None), |before| {
            let dropped = dropped(&status).saturating_sub(self::dropped(&before.status));
            (Some(flows.clone().since(&before.counted)), Some(dropped))
        });
        let mut tracks = before.map(|before| before.tracks).unwrap_or_default();
        for (of, value) in values(&status) {
            let track = tracks.entry(of).or_default();
            track.push_back(value);
            while track.len() > KEPT {
                track.pop_front();
            }
        }
        let tunnel = Tunnel { status, flows: flows_since, counted: flows, dropped, tracks };
        self.tunnels.insert(link, tunnel);
    }

    /// All tunnels, by name.
    pub(super) fn tunnels(&self) -> impl ExactSizeIterator<Item = &Tunnel> {
        self.tunnels.values()
    }
}

impl Tunnel {
    /// The values of a quantity, the newest last.
    pub(super) fn track(&self, of: Of) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        static NOTHING: Track = Track::new();
        self.tracks.get(&of).unwrap_or(&NOTHING).iter().copied()
    }
}

/// The rates of lines of a peer, by their numbers.
pub(super) fn rates(peer: &PeerStatus) -> Vec<Option<u64>> {
    if peer.lines.is_empty() { vec![peer.rate_bps] } else { peer.lines.iter().map(|line| line.rate_bps).collect() }
}

fn values(status: &Status) -> impl Iterator<Item = (Of, u64)> {
    status.peers.iter().enumerate().flat_map(|(place, peer)| {
        let of_line = move |(line, rate): (usize, Option<u64>)| (Of::Rate(place, line), rate.unwrap_or(0));
        let services = peer.services.iter().enumerate();
        let of_service =
            services.map(move |(number, one)| (Of::Service(place, number), truncate(one.sent_bps + one.received_bps)));
        rates(peer).into_iter().enumerate().map(of_line).chain(of_service)
    })
}

/// All that was dropped since the start.
fn dropped(status: &Status) -> u64 {
    let counters = &status.counters;
    let own = &counters.own;
    own.packets_dropped
        + own.packets_too_large
        + own.packets_without_peer
        + own.packets_without_address
        + own.sources_not_allowed
        + own.packets_refused_here
        + counters.datagrams_lost
}
