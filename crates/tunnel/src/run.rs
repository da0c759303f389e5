//! A tunnel in real time: its device, its socket, its clock, one thread.
//!
//! ```text
//!     wait (device, socket, stop, deadline)  ->  now  ->  turn(now)  ->  what happened is told
//! ```
//!
//! The device and the addresses on it end with the process, however that ends.

use crate::control::{
    self, Control, CountersStatus, EventLine, Listener, PeerStatus, Request, ServiceStatus, Status, What,
};
use crate::host::{self, Resolver, TunDevice, UNTIL_RESOLVED};
use crate::hub::{Event, Hub, LineHint, NewPeer, Next};
use crate::line::{self, LineNews, SystemLine};
use crate::settings::{self, Checked, Keys};
use crate::start_error::StartError;
use arqway_link::mux::service_names;
use arqway_link::{LinkState, ServiceConfig, bearer};
use arqway_net::{
    Awaited, Clock, Device, Interest, Interface, Masquerade, NetError, Ready, Wait, Waker, confine, reaches,
};
use arqway_session::{
    self as session, Config, Endpoint, Introduction, Keepalive, PeerConfig, PeerId, PresharedKey, Random,
};
use arqway_units::{BitRate, Octets, Span, Time};
use arrayvec::ArrayVec;
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// Packets that the device holds until they are read here: a burst, since each class has a queue of its own.
const TRANSMIT_QUEUE: u32 = 500;
/// How often it is heard that routes have changed: on a router they may do so all the time, and each peer costs a question to the kernel then.
const NEWS_INTERVAL: Span = Span::from_milliseconds(1000);
/// How often the system's clock is looked at, which somebody may set.
const CLOCK_INTERVAL: Span = Span::from_milliseconds(1000);

/// What the loop waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Somebody asks, a name has been looked up, or it is to stop.
    Waker,
    /// Packets of the network layer.
    Device,
    /// Datagrams of peers, or room for ours.
    Line,
    /// News of the system's routes.
    Routes,
}

/// Random octets from a generator that the system has seeded: it never fails, and asks the system nothing.
struct Generator(ChaCha20Rng);

impl Random for Generator {
    fn fill(&mut self, octets: &mut [u8]) {
        self.0.fill_bytes(octets);
    }
}

/// A tunnel with all that it needs of the system.
pub struct RunningTunnel {
    hub: Hub<Generator>,
    line: Box<dyn SystemLine>,
    device: TunDevice,
    _masquerade: Option<Masquerade>,
    clock: Clock,
    /// What peers are called, by their order.
    names: Vec<(PeerId, String)>,
    /// Where they are, as far as that is said by a name.
    resolver: Resolver<PeerId>,
    /// Name and kind of each service, by its number.
    services: Vec<(String, &'static str)>,
    /// Wakes the loop: to stop, or because somebody asks.
    waker: Arc<Waker>,
    asked: Receiver<Request>,
    /// Those who want to hear what happens.
    listeners: Vec<Listener>,
    /// How many events there were.
    events: u64,
    /// Somebody has asked it to end.
    is_over: bool,
    /// When it is heard again that routes have changed.
    hears_news_from: Time,
    /// Peers whose names had no address at the start, and why: it is said once it runs.
    unresolved: Vec<(PeerId, What)>,
}

impl std::fmt::Debug for RunningTunnel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("RunningTunnel").field("hub", &self.hub).field("line", &self.line).finish_non_exhaustive()
    }
}

impl RunningTunnel {
    /// Makes the device and the socket, and then gives up all privileges; key files are looked for in `folder`.
    ///
    /// Call it while the process has one thread: others would keep their privileges. Where a name has no address yet, and questions for
    /// it could go into the tunnel once that has its routes, it waits before it sets any, and says so by `tell`.
    ///
    /// # Errors
    /// A key, an address or the device cannot be had. Then nothing is left behind.
    pub fn start(checked: &Checked, folder: &Path, tell: impl FnMut(&str)) -> Result<Self, StartError> {
        let settings = &checked.settings;
        // First, so that a second tunnel of this name changes nothing.
        let waker = Arc::new(Waker::new()?);
        let control = Control::bind(&checked.interface)?;
        let Keys { private, preshared } = checked.read_keys(folder)?;
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
        let mut line = line::open(settings.line())?;
        let from = line.address();
        let places = host::resolve(settings, from, tell);
        let (names, unresolved) = add_peers(&mut hub, checked, preshared, places, line.other_end(), clock.now())?;
        let addresses = settings.addresses.iter().map(|address| (address.address, address.prefix)).collect();
        let name = checked.interface.clone();
        let device = Device { name, addresses, mtu: settings.mtu, transmit_queue: TRANSMIT_QUEUE };
        let device = Interface::tun_with_offloads(&device)?;
        let at = names.iter().filter_map(|(id, _)| hub.session().status(*id, clock.now())?.address);
        let at: Vec<SocketAddr> = at.collect();
        let masquerade = host::set_up(settings, &device, line.as_mut(), &at)?;
        let names_of_services = service_names(&checked.link_layer.classes, &checked.link_layer.table);
        let kinds = checked.link_layer.services().into_iter().map(ServiceConfig::kind);
        let services = names_of_services.into_iter().zip(kinds).collect();
        confine(settings.user.map(|user| user.0))?;
        // From here on there are threads, which have as little as this one.
        let asked = control.serve(&waker).map_err(StartError::Thread)?;
        let hosts = names.iter().zip(&settings.peer);
        let hosts = hosts.filter_map(|((id, _), peer)| Some((*id, peer.value.endpoint.as_ref()?.value.clone())));
        let to_resolve: Vec<PeerId> = unresolved.iter().map(|(id, _)| *id).collect();
        let look_up = move |endpoint: &settings::Endpoint| endpoint.resolve(|to| reaches(from, to)).ok();
        let resolver = Resolver::start(hosts, &to_resolve, UNTIL_RESOLVED, look_up, Arc::clone(&waker))
            .map_err(StartError::Thread)?;
        let listeners = Vec::new();
        Ok(Self {
            hub,
            line,
            device: TunDevice::new(device, Octets::new(settings.mtu.into())),
            _masquerade: masquerade,
            clock,
            names,
            resolver,
            services,
            waker,
            asked,
            listeners,
            events: 0,
            is_over: false,
            hears_news_from: Time::ZERO,
            unresolved,
        })
    }

    /// What wakes it so that it looks whether it is to stop.
    #[must_use]
    pub fn waker(&self) -> Arc<Waker> {
        Arc::clone(&self.waker)
    }

    /// Where datagrams of peers arrive: an address, or a device.
    #[must_use]
    pub fn place(&self) -> String {
        self.line.place()
    }

    /// Carries packets until `stop` is set and the [waker](Self::waker) woken, or somebody asks it to end (`arqway down`); tells what happens. Nothing is carried while it
    /// tells, so that should take no time.
    ///
    /// # Errors
    /// The device or the socket is gone.
    pub fn run(&mut self, stop: &AtomicBool, mut tell: impl FnMut(&EventLine)) -> Result<(), NetError> {
        let (wait, waker, mut looked) = (Wait::new()?, self.waker(), Time::ZERO);
        for (peer, what) in std::mem::take(&mut self.unresolved) {
            self.publish(Some(peer), what, self.clock.now(), &mut tell);
        }
        while !stop.load(Ordering::Relaxed) && !self.is_over {
            let now = self.clock.now();
            if now >= looked + CLOCK_INTERVAL {
                looked = now;
                self.hub.set_wall(self.clock.since_1970());
            }
            while let Some(news) = self.line.tend(now) {
                self.hear_line(&news, now, &mut tell);
            }
            let next = self.hub.turn(self.line.as_mut(), &mut self.device, now)?;
            while let Some(event) = self.hub.poll_event() {
                let what = What::of(&event, self.hub.session(), |peer| self.name_of(peer));
                self.publish(event.peer(), what, now, &mut tell);
                if let Event::Session(session::Event::Unreachable { peer, .. }) | Event::Link(peer, bearer::Event::Down) =
                    event
                    && !self.hub.is_announced_down(peer)
                {
                    self.resolver.ask(peer, now);
                }
            }
            let ready = self.wait(&wait, next)?;
            if ready.has(Source::Routes) {
                self.line.changed();
                self.hears_news_from = self.clock.now() + NEWS_INTERVAL;
            }
            if ready.has(Source::Waker) {
                waker.clear();
                while let Some((peer, address)) = self.resolver.poll() {
                    self.hub.set_address(peer, address, self.clock.now());
                }
                while let Ok(request) = self.asked.try_recv() {
                    self.answer(request, &mut tell);
                }
            }
        }
        Ok(())
    }

    /// Waits until there is something to do.
    fn wait(&self, wait: &Wait, next: Next) -> Result<Ready<Source>, NetError> {
        let now = self.clock.now();
        let (until, for_room) = match next {
            Next::Turn => (Some(Time::ZERO), false),
            Next::Wait { until, for_room } => (until, for_room),
        };
        let news = self.line.changes();
        let news_from = news.filter(|_| self.hears_news_from > now).map(|_| self.hears_news_from);
        let until = until.into_iter().chain(self.line.poll_timeout()).chain(news_from).min();
        let on_line = if for_room { Interest::ReadOrWrite } else { Interest::Read };
        let all = [
            (Source::Waker, Some(self.waker.as_fd()), Interest::Read),
            (Source::Device, Some(self.device.interface().as_fd()), Interest::Read),
            (Source::Line, self.line.descriptor(), on_line),
            (Source::Routes, news.filter(|_| news_from.is_none()), Interest::Read),
        ];
        let all = all
            .into_iter()
            .filter_map(|(name, descriptor, interest)| Some(Awaited { name, descriptor: descriptor?, interest }));
        let all: ArrayVec<Awaited<'_, Source>, 4> = all.collect();
        wait.on(&all, until, &self.clock)
    }

    /// Answers somebody who asks.
    fn answer(&mut self, request: Request, tell: &mut impl FnMut(&EventLine)) {
        match request {
            // Whoever has gone meanwhile misses nothing.
            Request::Status(answer) => drop(answer.send(line_of_json(&self.status()))),
            Request::Events(listener) => {
                self.listeners.retain(Listener::is_there);
                self.listeners.push(listener);
            }
            Request::Hint { hint, peer, answer } => drop(answer.send(self.hint(hint, peer.as_deref(), tell))),
            Request::Down(answer) => {
                self.is_over = true;
                drop(answer.send("{}\n".to_owned()));
            }
        }
    }

    /// Passes on what is known of the line to one peer, or to all.
    fn hint(&mut self, hint: LineHint, peer: Option<&str>, tell: &mut impl FnMut(&EventLine)) -> String {
        let now = self.clock.now();
        let meant = self.names.iter().filter(|(_, name)| peer.is_none_or(|peer| peer == name));
        let meant: Vec<PeerId> = meant.map(|(id, _)| *id).collect();
        if let (true, Some(peer)) = (meant.is_empty(), peer) {
            let names: Vec<&str> = self.names.iter().map(|(_, name)| name.as_str()).collect();
            return control::error(&format!("it has no peer `{peer}`; its peers are {}", names.join(", ")));
        }
        for peer in meant {
            self.hub.handle_hint(peer, hint, now);
            self.publish(Some(peer), What::Hint { hint }, now, tell);
            if hint != LineHint::Down {
                self.resolver.ask(peer, now);
            }
        }
        "{}\n".to_owned()
    }

    /// The device of the line is gone, and so are both directions of it; or it is back.
    fn hear_line(&mut self, news: &LineNews, now: Time, tell: &mut impl FnMut(&EventLine)) {
        let (state, what) = match news {
            LineNews::Gone { why } => (Some(LinkState::Down), What::LineGone { why: why.clone() }),
            LineNews::Refused { why } => (None, What::LineRefused { why: why.clone() }),
            LineNews::Back => (Some(LinkState::Up), What::LineBack),
        };
        state.into_iter().for_each(|state| self.hub.handle_line(state, now));
        let peers: Vec<PeerId> = self.names.iter().map(|(id, _)| *id).collect();
        for peer in peers {
            self.publish(Some(peer), what.clone(), now, tell);
        }
    }

    fn publish(&mut self, peer: Option<PeerId>, what: What, now: Time, tell: &mut impl FnMut(&EventLine)) {
        self.events += 1;
        let peer = peer.map(|peer| self.name_of(peer).to_owned());
        let event = EventLine { at_s: now.as_seconds(), number: self.events, peer, what };
        tell(&event);
        if self.listeners.is_empty() {
            return;
        }
        let line = line_of_json(&event);
        self.listeners.retain(Listener::is_there);
        self.listeners.iter().for_each(|listener| listener.tell(&line));
    }

    /// What it is like now.
    pub fn status(&mut self) -> Status {
        let now = self.clock.now();
        let peers = self.names.clone().into_iter().map(|(id, name)| self.peer_status(id, name, now)).collect();
        Status {
            interface: self.device.interface().name().to_owned(),
            public_key: self.hub.session().public().to_string(),
            listens_at: self.place(),
            running_s: now.as_seconds(),
            peers,
            counters: CountersStatus::new(
                self.hub.counters(),
                self.hub.datagrams_sent(),
                self.hub.session().counters(),
                self.line.damaged(),
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
                let refused = totals.get(number).map_or(0, |counters| counters.packets_refused);
                ServiceStatus::new(name, kind, &metrics, window, refused)
            });
            (services.collect(), link.path())
        });
        let (services, path) = link.map_or((Vec::new(), None), |(services, path)| (services, Some(path)));
        PeerStatus {
            name,
            address: match self.line.other_end() {
                Some(_) => Some(self.place()),
                None => session.and_then(|session| session.address).map(|address| address.to_string()),
            },
            is_up: path.is_some_and(|path| path.is_up),
            is_announced_down: self.hub.is_announced_down(id),
            is_line_gone: self.hub.is_line_gone(id),
            heard_s_ago: session.and_then(|session| session.heard).map(|heard| now.since(heard).as_seconds()),
            round_trip_s: path.and_then(|path| path.round_trip).map(Span::as_seconds),
            mtu_octets: path.map_or(0, |path| path.mtu.as_u64()),
            pace_bps: path.and_then(|path| path.pace).map(BitRate::as_bits_per_second),
            slowed_from_bps: path.and_then(|path| path.slowed_from).map(BitRate::as_bits_per_second),
            line_carries_bps: path.and_then(|path| path.carries).map(BitRate::as_bits_per_second),
            delivery_rate_bps: path.and_then(|path| path.delivery_rate).map(BitRate::as_bits_per_second),
            services,
        }
    }

    fn name_of(&self, peer: PeerId) -> &str {
        self.names.iter().find(|(id, _)| *id == peer).map_or("", |(_, name)| name)
    }
}

/// A line of JSON.
fn line_of_json(value: &impl Serialize) -> String {
    // What is said here always can be: it has no maps with keys that are no text.
    serde_json::to_string(value).map_or_else(|error| format!("{{\"error\":\"{error}\"}}\n"), |json| json + "\n")
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
        };
        let allowed = peer.allowed.iter().map(|prefix| prefix.value).collect();
        let peer = NewPeer { session, link: link.clone(), allowed };
        let id = hub.add_peer(peer, now).map_err(|error| StartError::Peer { name: name.clone(), error })?;
        names.push((id, name));
        unresolved.extend(why.map(|why| (id, why)));
    }
    Ok((names, unresolved))
}
