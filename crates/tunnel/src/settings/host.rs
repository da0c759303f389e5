//! What a tunnel sets on its host besides its device: routes, name servers, masquerading.

use super::{InterfaceAddress, Listen, MetricsAddress, NameServer, Settings};
use arqway_config::{Located, Mistakes};
use arqway_link::mux::Addresses;
use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

impl Settings {
    /// The networks to which a route into the device is set, each an address with the length of its prefix: those behind peers, but for
    /// what the networks of this end's addresses have: those only where TCP begins with a window of its own on them. All addresses are two
    /// halves, so that a default route stands as it is; so is the network of an address.
    #[must_use]
    pub fn routed(&self) -> Vec<(IpAddr, u8)> {
        let allowed = self.peer.iter().flat_map(|peer| &peer.value.allowed).filter(|_| self.routes);
        let networks = allowed.map(|prefix| prefix.value.first_and_length());
        let own = |address, length| self.addresses.iter().find(|own| contains(own, address, length));
        let keeps_own = self.initial_window.is_some();
        let wanted = networks.filter(|(address, length)| keeps_own || own(*address, *length).is_none());
        let wanted = wanted.flat_map(|(address, length)| {
            let stands = own(address, length).is_some_and(|own| u32::from(own.prefix) == length);
            if length == 0 || stands { halves(address, length) } else { vec![(address, length)] }
        });
        let wanted = wanted.filter_map(|(address, length)| Some((address, u8::try_from(length).ok()?)));
        wanted.collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub(super) fn check_host(&self, mistakes: &mut Mistakes) {
        let allowed = || self.peer.iter().flat_map(|peer| &peer.value.allowed);
        for server in &self.dns {
            let Located { value: NameServer(address), .. } = *server;
            if !allowed().any(|prefix| prefix.value.contains(address)) {
                let message = format!("no peer has {address} among its `allowed` addresses, so it would never answer");
                mistakes.push(server.mistake(message).help("name servers are asked through the tunnel"));
            }
        }
        if let Some(window) = self.initial_window.as_ref().filter(|_| !self.routes) {
            mistakes.push(
                window.mistake("it is for routes into the tunnel, and none are set; expected `routes = true` as well"),
            );
        }
        let is_one = |listen: &&Located<Listen>| matches!(listen.value.0.ip(), IpAddr::V6(at) if !at.is_unspecified());
        let is_all = |prefix: Addresses| !prefix.is_ipv4() && prefix.first_and_length().1 == 0;
        if let Some(listen) = self.listen.as_ref().filter(is_one)
            && self.routes
            && allowed().any(|prefix| is_all(prefix.value))
        {
            let message = "datagrams from one address of IPv6 would follow the route to ::/0 into the tunnel; expected a port alone";
            mistakes.push(listen.mistake(message));
        }
    }

    /// What is set on the host, a line each.
    pub(super) fn fmt_host(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.routes {
            let routed: Vec<String> =
                self.routed().iter().map(|(address, length)| format!("{address}/{length}")).collect();
            let said = if routed.is_empty() { "those of the addresses".to_owned() } else { routed.join(", ") };
            writeln!(out, "  routes          {said}")?;
            if let Some(window) = &self.initial_window {
                writeln!(out, "  initial window  {} segments of TCP by these routes", window.value.get())?;
            }
        }
        if !self.dns.is_empty() {
            let servers: Vec<String> = self.dns.iter().map(|server| server.value.0.to_string()).collect();
            writeln!(out, "  name servers    {}, by resolvectl", servers.join(", "))?;
        }
        if self.masquerade {
            writeln!(out, "  masquerades     what leaves by other interfaces, by nftables")?;
        }
        if let Some(MetricsAddress(at)) = self.metrics {
            writeln!(out, "  metrics         http://{at}/metrics")?;
        }
        Ok(())
    }
}

/// The two halves of a network; none of one address alone.
fn halves(address: IpAddr, length: u32) -> Vec<(IpAddr, u32)> {
    let second: Option<IpAddr> = match address {
        IpAddr::V4(first) => {
            (1_u32 << 31).checked_shr(length).map(|bit| Ipv4Addr::from_bits(first.to_bits() | bit).into())
        }
        IpAddr::V6(first) => {
            (1_u128 << 127).checked_shr(length).map(|bit| Ipv6Addr::from_bits(first.to_bits() | bit).into())
        }
    };
    second.map_or_else(Vec::new, |second| vec![(address, length + 1), (second, length + 1)])
}

/// Whether the network of an address of this end has all of another one.
fn contains(own: &InterfaceAddress, network: IpAddr, length: u32) -> bool {
    let alike = match (own.address, network) {
        (IpAddr::V4(own), IpAddr::V4(network)) => (own.to_bits() ^ network.to_bits()).leading_zeros(),
        (IpAddr::V6(own), IpAddr::V6(network)) => (own.to_bits() ^ network.to_bits()).leading_zeros(),
        _ => return false,
    };
    u32::from(own.prefix) <= length.min(alike)
}
