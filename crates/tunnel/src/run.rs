//! A tunnel in real time: its device, its socket, its clock, one thread.
//!
//! ```text
//!     wait (device, socket, stop, deadline)  ->  now  ->  turn(now)  ->  what happened is told
//! ```
//!
//! The device and the addresses on it end with the process, however that ends.

use crate::io::{TunDevice, UdpLine};
use crate::settings::{Checked, Keys};
use crate::tunnel::{AddError, Event, NewPeer, Next, Tunnel};
use arqway_net::{Clock, Device, Interface, NetError, UdpSocket, Wait, Waker};
use arqway_session::{Config, Endpoint, Introduction, Keepalive, KeyFileError, PeerConfig, PeerId, PresharedKey, Random};
use arqway_units::{Span, Time};
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::Path;

/// Packets that the device holds until they are read here: a burst, since each class has a queue of its own.
const TRANSMIT_QUEUE: u32 = 500;
/// How soon a line that was full is tried again.
const AGAIN: Span = Span::from_milliseconds(1);

/// Why a tunnel cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A key cannot be read.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// The name of a peer's host has no address.
    #[error("{endpoint}: {error}")]
    Name {
        /// Host and port, as the settings have them.
        endpoint: String,
        /// What the system says.
        error: io::Error,
    },
    /// The system refuses the device or the socket.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A peer cannot be added.
    #[error("peer {name}: {error}")]
    Peer {
        /// Which.
        name: String,
        /// Why.
        error: AddError,
    },
    /// No key can be made without it.
    #[error("no randomness from the system: {0}")]
    Randomness(#[from] getrandom::Error),
}

/// What a tunnel tells while it runs.
#[derive(Debug)]
pub struct Told<'t> {
    /// What a user calls the peer.
    pub peer: &'t str,
    /// What happened.
    pub event: Event,
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
    tunnel: Tunnel<Generator>,
    line: UdpLine,
    device: TunDevice,
    clock: Clock,
    /// What peers are called, by their order.
    names: Vec<(PeerId, String)>,
}

impl std::fmt::Debug for RunningTunnel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("RunningTunnel").field("tunnel", &self.tunnel).field("line", &self.line).finish_non_exhaustive()
    }
}

impl RunningTunnel {
    /// Makes the device and the socket; key files are looked for in `folder`.
    ///
    /// # Errors
    /// A key, a name, an address or the device cannot be had. Then nothing is left behind.
    pub fn start(checked: &Checked, folder: &Path) -> Result<Self, StartError> {
        let settings = &checked.settings;
        let Keys { private, preshared } = checked.read_keys(folder)?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        let mut generator = Generator(ChaCha20Rng::from_seed(seed));
        let mut boot = [0; 8];
        generator.fill(&mut boot);
        let boot = u64::from_le_bytes(boot);
        let clock = Clock::start();
        let introduction = Introduction::new(boot, checked.configuration());
        let session = Endpoint::new(private, introduction, Config::default(), clock.since_1970());
        let mut tunnel = Tunnel::new(session, boot, generator);
        let names = add_peers(&mut tunnel, checked, preshared, clock.now())?;
        let line = UdpLine::new(UdpSocket::bind(settings.listen.0)?);
        let addresses = settings.addresses.iter().map(|address| (address.address, address.prefix)).collect();
        let name = checked.interface.clone();
        let device = Device { name, addresses, mtu: settings.mtu, transmit_queue: TRANSMIT_QUEUE };
        let device = TunDevice::new(Interface::tun_here(&device)?);
        Ok(Self { tunnel, line, device, clock, names })
    }

    /// Where datagrams of peers arrive.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.line.socket().address()
    }

    /// Carries packets until `stop` is woken; tells what happens.
    ///
    /// # Errors
    /// The device or the socket is gone.
    pub fn run(&mut self, stop: &Waker, mut tell: impl FnMut(Told<'_>)) -> Result<(), NetError> {
        let wait = Wait::new()?;
        loop {
            let now = self.clock.now();
            let next = self.tunnel.turn(&mut self.line, &mut self.device, now)?;
            while let Some(event) = self.tunnel.poll_event() {
                tell(Told { peer: self.name_of(&event), event });
            }
            let until = match next {
                Next::Turn => Some(Time::ZERO),
                Next::Wait { until, for_room: false } => until,
                Next::Wait { until, for_room: true } => Some(until.map_or(now + AGAIN, |until| until.min(now + AGAIN))),
            };
            let (socket, device) = (self.line.socket(), self.device.interface());
            if wait.on(&[stop.as_fd(), socket.as_fd(), device.as_fd()], until, &self.clock)?.has(0) {
                return Ok(());
            }
        }
    }

    fn name_of(&self, event: &Event) -> &str {
        let peer = event.peer();
        self.names.iter().find(|(id, _)| *id == peer).map_or("", |(_, name)| name)
    }
}

fn add_peers(
    tunnel: &mut Tunnel<Generator>,
    checked: &Checked,
    preshared: Vec<PresharedKey>,
    now: Time,
) -> Result<Vec<(PeerId, String)>, StartError> {
    let mut names = Vec::new();
    let links = checked.links.iter().zip(preshared);
    for (peer, ((plan, bearer), preshared)) in checked.settings.peer.iter().zip(links) {
        let peer = &peer.value;
        let public = peer.public_key.value.0;
        let name = peer.name();
        let address = peer.endpoint.as_ref().map(|endpoint| {
            let refused = |error| StartError::Name { endpoint: endpoint.value.to_string(), error };
            endpoint.value.resolve().map_err(refused)
        });
        let session = PeerConfig {
            public,
            preshared,
            address: address.transpose()?,
            keepalive: if peer.keepalive { Keepalive::Always } else { Keepalive::WhileAwaiting },
        };
        let allowed = peer.allowed.iter().map(|prefix| prefix.value).collect();
        let peer = NewPeer { session, plan: plan.clone(), bearer: bearer.clone(), allowed };
        let id = tunnel.add_peer(peer, now).map_err(|error| StartError::Peer { name: name.clone(), error })?;
        names.push((id, name));
    }
    Ok(names)
}
