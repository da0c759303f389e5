//! How a tunnel begins: keys, line, peers, device, and then without privileges.

use super::RunningTunnel;
use super::paths::Questions;
use crate::control::{Control, Journal, What};
use crate::host::{self, Host, Resolver, UNTIL_RESOLVED};
use crate::hub::{Hub, NewPeer, PathNames};
use crate::line::{self, budgets, budgets::Budgets};
use crate::metrics;
use crate::settings::{self, Checked, Keys, MetricsAddress};
use crate::start_error::StartError;
use arqway_link::ServiceConfig;
use arqway_link::mux::service_names;
use arqway_net::{Clock, Waker, confine, reaches};
use arqway_session::{Config, Endpoint, Introduction, Keepalive, PeerConfig, PeerId, PresharedKey, Random};
use arqway_units::{LineId, Time};
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// Random octets from a generator that the system has seeded: it never fails, and asks the system nothing.
pub(super) struct Generator(ChaCha20Rng);

impl Random for Generator {
    fn fill(&mut self, octets: &mut [u8]) {
        self.0.fill_bytes(octets);
    }
}

impl RunningTunnel {
    /// Makes the device and the socket, and then gives up all privileges.
    ///
    /// Call it while the process has one thread: others would keep their privileges. Where a name has no address yet, and questions for
    /// it could go into the tunnel once that has its routes, it waits before it sets any, and says so by `tell`.
    ///
    /// # Errors
    /// An address or the device cannot be had. Then nothing is left behind.
    pub fn start(checked: &Checked, keys: Keys, tell: impl FnMut(&str)) -> Result<Self, StartError> {
        let settings = &checked.settings;
        // First, so that a second tunnel of this name changes nothing.
        let waker = Arc::new(Waker::new()?);
        let control = Control::bind(&checked.interface)?;
        let metrics = settings.metrics.map(listen_for_scrapes).transpose()?;
        let budgets = Budgets::open(budgets::place(&checked.interface), settings.budgets())?;
        let spares = LineId::first(LineId::COUNT).filter(|line| settings.is_spare(*line)).collect();
        let Keys { private, preshared } = keys;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        let mut generator = Generator(ChaCha20Rng::from_seed(seed));
        let mut boot = [0; 8];
        generator.fill(&mut boot);
        let boot = u64::from_le_bytes(boot);
        let clock = Clock::start();
        let own = settings.addresses.iter().map(|own| own.address);
        let introduction = Introduction::new(boot, checked.configuration()).with_addresses(own);
        let session = Endpoint::new(private, introduction, Config::default(), clock.since_1970());
        let mut hub = Hub::new(session, boot, generator);
        let lines: Result<Vec<_>, _> = settings.lines().into_iter().map(line::open).collect();
        let mut lines = lines?;
        let from = lines.first().map_or(settings.listens_on().0, |line| line.address());
        let other_end = lines.first().and_then(|line| line.other_end());
        let places = host::resolve(settings, from, tell);
        let (names, unresolved) = add_peers(&mut hub, checked, preshared, places, other_end, clock.now())?;
        let at = names.iter().filter_map(|(id, _)| hub.session().status(*id, clock.now())?.address);
        let at: Vec<SocketAddr> = at.collect();
        let host = Host::set_up(&checked.interface, settings, &mut lines, &at)?;
        hub.set_names(path_names(checked, &names));
        let names_of_services = service_names(&checked.link_layer.classes, &checked.link_layer.table);
        let kinds = checked.link_layer.services().into_iter().map(ServiceConfig::kind);
        let services = names_of_services.into_iter().zip(kinds).collect();
        confine(settings.user.map(|user| user.0))?;
        // From here on there are threads, which have as little as this one.
        let (others, requests) = control.serve(&waker).map_err(StartError::Thread)?;
        if let Some(metrics) = metrics {
            metrics::serve(metrics, others, &waker).map_err(StartError::Thread)?;
        }
        let hosts = names.iter().zip(&settings.peer);
        let hosts = hosts.filter_map(|((id, _), peer)| Some((*id, peer.value.endpoint.as_ref()?.value.clone())));
        let to_resolve: Vec<PeerId> = unresolved.iter().map(|(id, _)| *id).collect();
        let look_up = move |endpoint: &settings::Endpoint| endpoint.resolve(|to| reaches(from, to)).ok();
        let resolver = Resolver::start(hosts, &to_resolve, UNTIL_RESOLVED, look_up, Arc::clone(&waker))
            .map_err(StartError::Thread)?;
        let journal = Journal::new(names);
        let questions = Questions::default();
        Ok(Self {
            hub,
            lines,
            host,
            resolver,
            clock,
            waker,
            requests,
            journal,
            services,
            unresolved,
            budgets,
            spares,
            questions,
        })
    }
}

/// Where scrapes come in.
fn listen_for_scrapes(MetricsAddress(at): MetricsAddress) -> Result<TcpListener, StartError> {
    TcpListener::bind(at).map_err(|error| StartError::Metrics { at, error })
}

/// What it says of itself where it is asked about a path.
fn path_names(checked: &Checked, peers: &[(PeerId, String)]) -> PathNames {
    let of_peer = |(_, peer): &(PeerId, String)| match peers {
        [_] => checked.interface.clone(),
        _ => format!("{}/{peer}", checked.interface),
    };
    let link_layer = &checked.link_layer;
    let names = service_names(&link_layer.classes, &link_layer.table);
    PathNames {
        addresses: checked.settings.addresses.iter().map(|own| own.address).collect(),
        links: peers.iter().map(of_peer).collect(),
        services: names.into_iter().zip(link_layer.services().into_iter().cloned()).collect(),
    }
}

/// What peers are called, and those whose names have no address.
type AddedPeers = (Vec<(PeerId, String)>, Vec<(PeerId, What)>);

fn add_peers(
    hub: &mut Hub<Generator>,
    checked: &Checked,
    preshared: Vec<PresharedKey>,
    places: Vec<Result<Option<SocketAddr>, What>>,
    other_end: Option<SocketAddr>,
    now: Time,
) -> Result<AddedPeers, StartError> {
    let (mut names, mut unresolved) = (Vec::new(), Vec::new());
    let links = checked.links.iter().zip(preshared).zip(places);
    for (peer, ((link, preshared), place)) in checked.settings.peer.iter().zip(links) {
        let peer = &peer.value;
        let public = peer.public_key.value.0;
        let name = peer.name();
        let (address, why) = place.map_or_else(|why| (None, Some(why)), |address| (address, None));
        let session = PeerConfig {
            public,
            preshared,
            address: address.or(other_end),
            keepalive: if peer.keepalive { Keepalive::Always } else { Keepalive::WhileAwaiting },
            lines: checked.settings.udp_lines().len().max(1),
        };
        let allowed = peer.allowed.iter().map(|prefix| prefix.value).collect();
        let peer = NewPeer { session, link: link.clone(), allowed };
        let id = hub.add_peer(peer, now).map_err(|error| StartError::Peer { name: name.clone(), error })?;
        names.push((id, name));
        unresolved.extend(why.map(|why| (id, why)));
    }
    Ok((names, unresolved))
}
