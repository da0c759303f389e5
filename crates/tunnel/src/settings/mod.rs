//! The settings of a tunnel, as a file has them:
//!
//! ```toml
//! private-key = "home.key"               # a file beside this one, made by `arqway genkey`
//! listen = 51820
//! addresses = ["10.9.0.1/24"]
//! rate = "950 kbit/s"                    # what this end sends: a little less than its line carries
//!
//! [[peer]]
//! name = "boat"
//! public-key = "wJ8Rr0sGzW1v3XKzKq5VYbqHSPuTtBZBtuNOuKrcnlQ="
//! endpoint = "203.0.113.5:51820"
//! allowed = ["10.9.0.2"]
//! ```
//!
//! `[link-layer]` is a scenario's, so what was simulated can be deployed as it stands. Without it, TCP and QUIC go by tally, calls by
//! RLP as received, all else raw, each with its share of the link: [`link_layer`].

mod dscp;
mod endpoints;
mod host;
mod key;
mod keys;
mod line;
mod link_layer_file;
mod owner;
mod places;
mod shown;
mod unused;
mod user;

pub use key::Key;
pub use keys::{Keys, KeysError};
pub use line::{BAUD, FlowControl, LineSettings, Lines, UdpLineSettings};
pub use link_layer_file::check_link_layer;
pub use owner::{OwnerError, check_owner};
pub use places::{Endpoint, InterfaceAddress, Listen, MetricsAddress, NameServer, PlaceError};
pub use user::{UnknownUser, UserName};

use crate::hub::NewLink;
use crate::line::LineConfig;
use arqway_config::grammars::LINK_LAYER;
use arqway_config::schema::{Document, Grammar, generate};
use arqway_config::{Located, Mistake, Mistakes, Source, read_source};
use arqway_link::mux::{self, Addresses, BestEffort, Ds, Fair, QueueLimits, Scfq, SchedulerConfig, Table};
use arqway_link::{Bounded, LinkLayer, Resequencing, ServiceConfig, bearer, raw, rlp, tally};
use arqway_session::Configuration;
use arqway_units::{Octets, Span};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Octets that the session adds to a datagram of the link: head and tag.
const SEALING: Octets = Octets::new(5 + 16);
/// What IPv6 and UDP add to that. Over IPv4 it is 20 less; which version it will be is not known before, and a peer may move.
const IP_AND_UDP: Octets = Octets::new(48);
/// What the network layer's packets may have at most by default: on a path of 1,500 octets all of them fit, by any service. Where a
/// path carries less, TCP's are cut by tally, and others are answered.
const MTU: u32 = 1400;

/// The grammars of all texts in the settings of a tunnel.
pub const GRAMMARS: &[Grammar] = &{
    const OWN: [Grammar; 7] = [
        Grammar::of::<Key>("Key", key::schema),
        Grammar::of::<Endpoint>("Endpoint", places::endpoint),
        Grammar::of::<InterfaceAddress>("InterfaceAddress", places::interface_address),
        Grammar::of::<Listen>("Listen", places::listen),
        Grammar::of::<MetricsAddress>("MetricsAddress", places::metrics_address),
        Grammar::of::<NameServer>("NameServer", places::name_server),
        Grammar::of::<UserName>("UserName", user::schema),
    ];
    let mut all = [OWN[0]; OWN.len() + LINK_LAYER.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < OWN.len() { OWN[index] } else { LINK_LAYER[index - OWN.len()] };
        index += 1;
    }
    all
};

/// The settings of a tunnel.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The name of the TUN device; by default that of the file, without `.toml`.
    pub interface: Option<Located<String>>,
    /// The file with this end's private key, beside the settings; `arqway genkey` makes one.
    pub private_key: PathBuf,
    /// The port, or address and port, at which datagrams of peers arrive; any free port by default.
    pub listen: Option<Located<Listen>>,
    /// A serial line that carries datagrams instead of UDP, to the one peer at its other end; or two to eight lines of UDP, each by an interface
    /// or from an address of its own.
    pub line: Option<Located<Lines>>,
    /// The addresses of this end in the tunnel, with the lengths of their networks' prefixes.
    pub addresses: Vec<InterfaceAddress>,
    /// The largest packet that the network layer sends into the tunnel, in octets.
    #[serde(default = "mtu")]
    #[schemars(range(min = 1280, max = 9000))]
    pub mtu: u32,
    /// How fast this end sends to each peer, with all that the line adds: found and followed by default, and that of a serial line. The
    /// queue is then here, where services have their shares, and not on the line.
    pub rate: Option<bearer::Rate>,
    /// Sets a route into the tunnel to each of the peers' `allowed` addresses; none by default, but those of the networks of `addresses`.
    #[serde(default)]
    pub routes: bool,
    /// With how many segments TCP of this machine begins on these routes, and lets others begin toward it, instead of the system's 10:
    /// more fill a long line sooner. They wait in the tunnel's queue where the line is slower.
    pub initial_window: Option<Located<Bounded<2, 1000>>>,
    /// The name servers that are asked for all names while the tunnel runs, behind a peer; by resolvectl.
    #[serde(default)]
    pub dns: Vec<Located<NameServer>>,
    /// Hides peers behind the addresses of this machine where their packets leave it by another interface; by nftables. The machine has
    /// to forward packets.
    #[serde(default)]
    pub masquerade: bool,
    /// How the path is to treat datagrams (Differentiated Services): a codepoint for each service, by whose frame a datagram begins with. By
    /// default `ef` for the service `low-delay`, and nothing for others.
    pub dscp: Option<BTreeMap<String, Located<Ds>>>,
    /// Where Prometheus, or whatever reads OpenMetrics, finds the status: an address and a port, at `/metrics`; whoever reaches it can read it. Nowhere by
    /// default.
    pub metrics: Option<MetricsAddress>,
    /// The user that the tunnel runs as once its device and socket are open; by default that of whoever starts it, without
    /// capabilities.
    pub user: Option<UserName>,
    /// The services on the links to all peers, as in a scenario; by default TCP and QUIC by `tally`, calls by `rlp` as received, and all
    /// else by `raw`.
    pub link_layer: Option<Located<LinkLayer>>,
    /// The other ends.
    pub peer: Vec<Located<PeerSettings>>,
}

/// One of the other ends.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PeerSettings {
    /// What it is called here; by default its public key.
    pub name: Option<String>,
    /// Its public key: what `arqway pubkey` says of its private key.
    pub public_key: Located<Key>,
    /// A file with a secret that both ends share, beside the settings; `arqway genpsk` makes one. None by default.
    pub preshared_key: Option<PathBuf>,
    /// Where it is, as `host:port`. Without it, it has to begin.
    pub endpoint: Option<Located<Endpoint>>,
    /// The addresses behind it: packets to them go there, and only packets from them are taken from there.
    pub allowed: Vec<Located<Addresses>>,
    /// Asks every 25 s whether it is there, when nothing else is sent: for an end behind a NAT that has to be reached.
    #[serde(default)]
    pub keepalive: bool,
    /// How fast this end sends to it, where that is not `rate` above.
    pub rate: Option<bearer::Rate>,
    /// How long a packet takes to it, about, where that is known: the first timeouts follow from it. It is measured soon.
    pub delay: Option<Span>,
}

fn mtu() -> u32 {
    MTU
}

/// As long as a radio's fade or a Wi-Fi's collision takes, and short for a person.
const COPY_AFTER: Span = Span::from_milliseconds(10);

/// A line of several is kept open as often as a session is: translators forget a port that is idle for 30 s.
const LINE_KEEPALIVE: Span = Span::from_milliseconds(25_000);

/// Whoever stands alone is there twice, so its loss has to be shown seldom: by less than sixteen, which a slow line would feel, and over 300 ms,
/// which a fade may take.
const KEEPALIVE: Span = Span::from_milliseconds(60);
const KEEPALIVES: Bounded<0, 10_000> = const { Bounded::new(5).expect("below 10,000") };

/// What carries packets where the settings do not say: the best-effort table of the multi-service link layer.
#[must_use]
pub fn link_layer() -> LinkLayer {
    let reliable =
        ServiceConfig::Tally(tally::Config { repair: true, compress_headers: true, ..tally::Config::default() });
    // What is late is worth more than what is missing, and neither is worth waiting for.
    let as_received = rlp::Config {
        resequencing: Resequencing::as_received(),
        copy_after: Some(COPY_AFTER),
        keepalive: KEEPALIVE,
        keepalives: KEEPALIVES,
        ..rlp::Config::default()
    };
    let low_delay = ServiceConfig::Rlp(as_received);
    LinkLayer {
        service: ServiceConfig::Raw(raw::Config::default()),
        table: Table::BestEffort(BestEffort {
            reliable: Some(reliable),
            low_delay: Some(low_delay),
            watch: true,
            split: false,
        }),
        scheduler: SchedulerConfig::Scfq(Scfq::default()),
        queue: Some(queue()),
        compress_headers: true,
        ..LinkLayer::default()
    }
}

/// Where packets wait: as many as go out in a round trip, as long as that takes with recovery. So the line is busy also when TCP has made its
/// window smaller, and packets wait for those that are sent again. Flows take turns, so a page does not wait for files.
fn queue() -> QueueLimits {
    QueueLimits {
        half_round_trips: NonZeroUsize::new(2),
        drop_from_front: true,
        ack_filter: true,
        fair: Some(Fair::default()),
        ..QueueLimits::default()
    }
}

impl PeerSettings {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.public_key.value.0.to_string())
    }
}

/// Settings that were checked.
#[derive(Debug, Clone)]
pub struct Checked {
    /// As they were written.
    pub settings: Settings,
    /// The name of the TUN device.
    pub interface: String,
    /// The link layer, also where the file says nothing of it.
    pub link_layer: LinkLayer,
    /// The link to each peer, in the order of the file.
    pub links: Vec<NewLink>,
}

impl Checked {
    /// Reads settings.
    ///
    /// # Errors
    /// Every mistake, with its place.
    pub fn read(source: &Arc<Source>, default_name: &str) -> Result<Self, Mistakes> {
        let settings: Settings = read_source(source, GRAMMARS)?;
        let mut mistakes = Mistakes::new();
        let interface = interface(&settings, source, default_name, &mut mistakes);
        settings.check_addresses(source, &mut mistakes);
        settings.check_peers(&mut mistakes);
        settings.check_endpoints(&mut mistakes);
        settings.check_line(&mut mistakes);
        settings.check_host(&mut mistakes);
        settings.check_unused(source, &mut mistakes);
        let given = settings.link_layer.as_ref();
        let link_layer = given.map_or_else(link_layer, |given| given.value.clone());
        let (dscp, mut links) = (settings.dscp_of(&link_layer, &mut mistakes), Vec::new());
        for peer in &settings.peer {
            let (delay, dscp) = (peer.value.delay, dscp.clone());
            let rate = settings.rate_to(&peer.value);
            match link_layer.mux(rate.fixed()).plan() {
                Ok(plan) => {
                    let keepalive = peer.value.keepalive.then_some(LINE_KEEPALIVE);
                    let bearer = bearer::Config { keepalive, ..settings.bearer(&link_layer, rate) };
                    links.push(NewLink { plan, bearer, delay, dscp });
                }
                Err(error) => {
                    let place = given.map_or(&peer.origin, |given| &given.origin).clone();
                    mistakes.push(Mistake { origin: place, message: error.to_string(), help: None });
                    break;
                }
            }
        }
        mistakes.into_result(Self { settings, interface, link_layer, links })
    }

    /// What is odd about the settings, and may be meant.
    #[must_use]
    pub fn warnings(&self) -> Vec<Mistake> {
        self.settings.placeholders().collect()
    }

    /// What both ends need alike.
    #[must_use]
    pub fn configuration(&self) -> Configuration {
        let LinkLayer { service, classes, table, compress_headers, .. } = &self.link_layer;
        let of_classes: Vec<&ServiceConfig> = classes.iter().filter_map(mux::Class::service).collect();
        // The default service comes first among those of a table, and is not the table's.
        let of_table = &mux::services(service, &[], table)[1..];
        let octets = [serde_json::to_vec(service), serde_json::to_vec(&of_classes), serde_json::to_vec(of_table)];
        let [service, classes, table] = octets.map(|octets| octets.unwrap_or_default());
        Configuration::of(&[
            ("link-layer.service", &service),
            ("the services of link-layer.classes", &classes),
            ("the services of link-layer.table", &table),
            ("link-layer.compress-headers", &[u8::from(*compress_headers)]),
        ])
    }
}

/// How a device may be called: at most 15 octets, and nothing that a path or a shell takes for something else.
fn is_name(name: &str) -> bool {
    let is_plain = |octet: u8| octet.is_ascii_alphanumeric() || b"_-.".contains(&octet);
    (1..=15).contains(&name.len()) && name.bytes().all(is_plain) && !name.starts_with(['.', '-'])
        // The loopback's, and those of the settings for all interfaces.
        && !["lo", "all", "default"].contains(&name)
}

/// How a peer may be called: a word or a few, on one line.
fn is_name_of_peer(name: &str) -> bool {
    (1..=64).contains(&name.chars().count()) && name.trim() == name && !name.contains(char::is_control)
}

fn interface(settings: &Settings, source: &Arc<Source>, default: &str, mistakes: &mut Mistakes) -> String {
    let expected = "expected 1 to 15 letters, digits, `-`, `_` or `.`, and none of `lo`, `all`, `default`";
    match &settings.interface {
        Some(name) if is_name(&name.value) => name.value.clone(),
        Some(name) => {
            mistakes.push(name.mistake(format!("`{}` cannot be the name of an interface; {expected}", name.value)));
            String::new()
        }
        None if is_name(default) => default.to_owned(),
        None => {
            let message = format!("the name of this file cannot be that of an interface; {expected}");
            let mistake = Mistake { origin: arqway_config::Origin::whole(source), message, help: None };
            mistakes.push(mistake.help("set `interface = \"arq0\"`"));
            String::new()
        }
    }
}

impl Settings {
    /// Where datagrams arrive, over UDP.
    pub(crate) fn listens_on(&self) -> Listen {
        self.listen.as_ref().map_or_else(Listen::default, |listen| listen.value)
    }

    /// The serial line, if that is what there is.
    fn serial(&self) -> Option<(&LineSettings, &arqway_config::Origin)> {
        match self.line.as_ref()? {
            Located { value: Lines::Serial(serial), origin } => Some((serial, origin)),
            Located { value: Lines::Udp(_), .. } => None,
        }
    }

    /// The lines of UDP, where there are several.
    pub(crate) fn udp_lines(&self) -> &[Located<UdpLineSettings>] {
        match self.line.as_ref().map(|line| &line.value) {
            Some(Lines::Udp(lines)) => lines,
            Some(Lines::Serial(_)) | None => &[],
        }
    }

    /// The lines that carry datagrams, one at least.
    pub(crate) fn lines(&self) -> Vec<LineConfig> {
        if let Some((serial, _)) = self.serial() {
            return vec![LineConfig::Serial(serial.config())];
        }
        let (listen, lines) = (self.listens_on().0, self.udp_lines());
        if lines.is_empty() {
            return vec![LineConfig::Udp { address: listen, interface: None }];
        }
        // Peers call the port of the first one.
        let ports = std::iter::once(listen.port()).chain(std::iter::repeat(0));
        let line = |(line, port): (&Located<UdpLineSettings>, u16)| LineConfig::Udp {
            address: (line.value.address.unwrap_or(listen.ip()), port).into(),
            interface: line.value.interface.clone(),
        };
        lines.iter().zip(ports).map(line).collect()
    }

    /// How fast this end sends to a peer.
    fn rate_to(&self, peer: &PeerSettings) -> bearer::Rate {
        let of_line = || self.serial()?.0.rate().map(bearer::Rate::Fixed);
        peer.rate.or(self.rate).or_else(of_line).unwrap_or(bearer::Rate::AUTOMATIC)
    }

    /// The bearer of a link on which this end sends so fast.
    fn bearer(&self, link_layer: &LinkLayer, rate: bearer::Rate) -> bearer::Config {
        let given = link_layer.bearer.clone().unwrap_or_default();
        let of_line = |line: &Located<UdpLineSettings>| bearer::LineConfig {
            rate: line.value.rate,
            rate_up: None,
            spare: line.value.spare,
        };
        let line = self.udp_lines().iter().map(of_line).collect();
        let sealed = bearer::Config { rate, rate_up: None, hellos: false, line, ..given };
        match self.serial() {
            None => bearer::Config { overhead: given.overhead.max(SEALING + IP_AND_UDP), ..sealed },
            // Whatever fits into a frame crosses.
            Some((LineSettings { frame, .. }, _)) => {
                let overhead = SEALING + LineSettings::overhead();
                bearer::Config { overhead, mtu_least: *frame, mtu_most: *frame, ..sealed }
            }
        }
    }

    /// A line other than UDP has no addresses, and one peer.
    fn check_line(&self, mistakes: &mut Mistakes) {
        self.check_udp_lines(mistakes);
        let Some((LineSettings { serial, baud, .. }, origin)) = self.serial() else { return };
        // One that is not there may come.
        if fs::metadata(serial).is_ok_and(|found| !found.file_type().is_char_device()) {
            let message = format!("`{}` is not a serial device; expected one such as /dev/ttyUSB0", serial.display());
            mistakes.push(Mistake { origin: origin.clone(), message, help: None });
        }
        if !line::BAUD.contains(&baud.value) {
            let (least, most) = (line::BAUD.start(), line::BAUD.end());
            mistakes.push(baud.mistake(format!("{} baud; expected {least} to {most}", baud.value)));
        }
        let listen = self.listen.as_ref().map(|listen| listen.mistake("`listen` has no meaning on a serial line"));
        let endpoints = self.peer.iter().filter_map(|peer| peer.value.endpoint.as_ref());
        let endpoints = endpoints.map(|endpoint| endpoint.mistake("`endpoint` has no meaning on a serial line"));
        for mistake in listen.into_iter().chain(endpoints) {
            mistakes.push(mistake.help("remove it; or remove `line`, to use UDP"));
        }
        for peer in self.peer.iter().skip(1) {
            mistakes.push(peer.mistake("a second peer on a serial line; expected the one at its other end"));
        }
    }

    fn check_addresses(&self, source: &Arc<Source>, mistakes: &mut Mistakes) {
        let place = |key| {
            let whole = || arqway_config::Origin::whole(source);
            arqway_config::Origin::of_path(source, key).unwrap_or_else(whole)
        };
        for (key, is_empty) in [("addresses", self.addresses.is_empty()), ("peer", self.peer.is_empty())] {
            if is_empty {
                let message = format!("`{key}` is empty; expected one at least");
                mistakes.push(Mistake { origin: place(key), message, help: None });
            }
        }
        for (index, own) in self.addresses.iter().enumerate() {
            if self.addresses[..index].iter().any(|before| before.address == own.address) {
                let message = format!("{} is among `addresses` twice; expected it once", own.address);
                mistakes.push(Mistake { origin: place("addresses"), message, help: None });
            }
        }
    }

    fn check_peers(&self, mistakes: &mut Mistakes) {
        let (mut keys, mut names): (Vec<Key>, Vec<String>) = Default::default();
        let mut allowed: Vec<(Addresses, usize)> = Vec::new();
        for (index, peer) in self.peer.iter().enumerate() {
            let key = &peer.value.public_key;
            if keys.contains(&key.value) {
                mistakes.push(key.mistake("a second peer with this public key; expected one of its own for each"));
            }
            if !key.value.0.is_usable() {
                let mistake = peer.mistake("no private key belongs to this peer's `public-key`");
                mistakes.push(mistake.help("expected one as `arqway pubkey` prints it"));
            }
            keys.push(key.value);
            let name = peer.value.name();
            if !is_name_of_peer(&name) {
                mistakes.push(
                    peer.mistake(format!("`{name}` cannot be a peer's name; expected 1 to 64 printable characters")),
                );
            } else if names.contains(&name) {
                mistakes
                    .push(peer.mistake(format!("a second peer called `{name}`; expected a name of its own for each")));
            }
            names.push(name);
            if peer.value.allowed.is_empty() {
                let mistake = peer.mistake("this peer has no `allowed` addresses, so no packet would ever go there");
                mistakes.push(mistake.help("set those behind it, such as allowed = [\"10.9.0.2\"]"));
            }
            for prefix in &peer.value.allowed {
                let (address, length) = prefix.value.first_and_length();
                let is_own = self.addresses.iter().any(|own| own.address == address);
                if is_own && length == if address.is_ipv4() { 32 } else { 128 } {
                    let message = format!("{address} is an address of this end, so nothing would ever go to the peer");
                    mistakes.push(prefix.mistake(message).help("set the peer's own address, and those behind it"));
                }
                if allowed.iter().any(|(taken, by)| *taken == prefix.value && *by != index) {
                    let message = format!("{} belongs to another peer already", prefix.value);
                    mistakes.push(prefix.mistake(message).help("a part of it may: the longest prefix counts"));
                }
                allowed.push((prefix.value, index));
            }
        }
    }
}

/// The schema of settings, for editors.
#[must_use]
pub fn schema() -> Document {
    generate::<Settings>(GRAMMARS, |_| ())
}
