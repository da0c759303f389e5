//! Where peers are, as settings say it: whether datagrams can go there.

use super::{Endpoint, Listen, Settings};
use arqway_config::{Located, Mistake, Mistakes};
use arqway_link::mux::Addresses;
use arqway_net::reaches;
use std::net::{IpAddr, SocketAddr};

impl Settings {
    /// Endpoints that are addresses; what a name has is not known before.
    fn fixed_endpoints(&self) -> impl Iterator<Item = (&Located<Endpoint>, SocketAddr)> {
        let endpoints = self.peer.iter().filter_map(|peer| peer.value.endpoint.as_ref());
        endpoints.filter_map(|endpoint| Some((endpoint, endpoint.value.address()?)))
    }

    /// No datagram would ever arrive there.
    pub(super) fn check_endpoints(&self, mistakes: &mut Mistakes) {
        if self.serial().is_some() {
            return;
        }
        let Listen(listen) = self.listens_on();
        let routed = self.routed();
        for (endpoint, address) in self.fixed_endpoints() {
            let is_routed = |(network, length): &(IpAddr, u8)| {
                // All addresses of a version are told where `listen` is.
                *length > 1
                    && Addresses::new(*network, u32::from(*length)).is_some_and(|all| all.contains(address.ip()))
            };
            let message = if is_no_host(address.ip()) {
                format!("{} is not a host's address; expected that of the peer", address.ip())
            } else if !reaches(listen, address) {
                format!(
                    "from {listen} alone, {address} of another version of IP is not reached; expected a port alone as `listen`"
                )
            } else if listen.is_ipv6() && !listen.ip().is_unspecified() && routed.iter().any(is_routed) {
                format!(
                    "datagrams from {listen} alone would follow the route to {address} into the tunnel; expected a port alone as `listen`"
                )
            } else {
                continue;
            };
            mistakes.push(endpoint.mistake(message));
        }
    }

    /// Endpoints that nobody has: examples that were left as they were.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = Mistake> {
        let endpoints = self.peer.iter().filter_map(|peer| peer.value.endpoint.as_ref());
        endpoints.filter(|endpoint| endpoint.value.is_example()).map(|endpoint| {
            let message = format!("`{}` is an example, which no host has; expected where the peer is", endpoint.value);
            endpoint.mistake(message).help("RFC 5737, RFC 3849, RFC 9637 and RFC 2606 keep it for documentation")
        })
    }
}

/// Whether an address stands for none or for many hosts.
fn is_no_host(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    address.is_unspecified() || address.is_multicast() || is_broadcast
}

impl Endpoint {
    /// The address, where it is no name.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.0.parse().ok()
    }

    /// Whether it is one that documents use: RFC 5737, RFC 3849 and RFC 9637; of names, those of RFC 2606.
    fn is_example(&self) -> bool {
        const NETWORKS: [&str; 5] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"];
        const NAMES: [&str; 4] = ["example.com", "example.net", "example.org", "example"];
        if let Some(address) = self.address() {
            let networks = NETWORKS.iter().filter_map(|network| network.parse::<Addresses>().ok());
            return networks.into_iter().any(|network| network.contains(address.ip()));
        }
        let host = self.0.rsplit_once(':').map_or("", |(host, _)| host).trim_end_matches('.').to_ascii_lowercase();
        NAMES.iter().any(|name| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
    }
}
