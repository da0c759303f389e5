//! The routes below a tunnel: which way its own datagrams leave, although its routes would take them into itself, and whether answers
//! leave the way that the question came.
//!
//! ```text
//!     0.0.0.0/1, 128.0.0.0/1 -> tunnel      whatever programs send
//!     default                -> eth0        stands as it did: only the tunnel's datagrams, by their interface
//! ```
//!
//! The kernel is asked for the way to an address. Where that is the tunnel's device, the best route of the main table that is not
//! the device's names the interface, and each datagram says that it leaves by it (`IP_PKTINFO`, ip(7)). So nothing is set that could be left
//! behind, and no capability is needed when routes change.
//!
//! Whoever calls one of a machine's addresses expects the answer from that one, and the firewall or NAT before it lets no other in. So
//! answers leave from there, while the routes take them from there to where the question came in. Where they do not, as when a machine
//! has gone from one uplink to another and still has the address of the first, no answer to the old address would come back, and the
//! kernel chooses.

use crate::error::NetError;
use crate::netlink::{Link, Netlink};
use crate::udp::Arrival;
use netlink_packet_route::AddressFamily;
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteFlags, RouteHeader, RouteMessage, RouteNextHop, RouteNextHopFlags, RouteType,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

/// The ways to so many addresses are kept.
const MOST: usize = 1024;

/// Which way datagrams leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As the kernel's routes have it.
    AsRouted,
    /// By the interface of this number.
    By(u32),
    /// There is none but into the device.
    Nowhere,
}

/// The ways of datagrams, around a device if there is one.
#[derive(Debug)]
pub struct Underlay {
    routes: Netlink,
    /// Is told of each change of links, addresses and routes.
    news: Netlink,
    device: Option<u32>,
    known: BTreeMap<IpAddr, Way>,
}

impl Underlay {
    /// The ways in the calling thread's namespace.
    ///
    /// # Errors
    /// The system has no netlink.
    pub fn open() -> Result<Self, NetError> {
        let groups = [
            libc::RTNLGRP_LINK,
            libc::RTNLGRP_IPV4_IFADDR,
            libc::RTNLGRP_IPV4_ROUTE,
            libc::RTNLGRP_IPV4_RULE,
            libc::RTNLGRP_IPV6_IFADDR,
            libc::RTNLGRP_IPV6_ROUTE,
            libc::RTNLGRP_IPV6_RULE,
        ];
        Ok(Self { routes: Netlink::open()?, news: Netlink::watch(&groups)?, device: None, known: BTreeMap::new() })
    }

    /// The ways around the device of this number, in the calling thread's namespace.
    pub(crate) fn around(device: u32) -> Result<Self, NetError> {
        Ok(Self { device: Some(device), ..Self::open()? })
    }

    /// The way to an address.
    pub fn way_to(&mut self, address: IpAddr) -> Way {
        let Some(device) = self.device else { return Way::AsRouted };
        if let Some(way) = self.known.get(&address) {
            return *way;
        }
        let way = self.find(address, device);
        if self.known.len() == MOST {
            self.known.clear();
        }
        self.known.insert(address, way);
        way
    }

    /// Whether answers to what arrived here from an address leave by the same interface, from the address that was called.
    pub fn leads_back(&mut self, to: IpAddr, called: Arrival) -> bool {
        let by = match self.way_to(to) {
            Way::AsRouted => self.route(to, Some(called.address)).as_ref().and_then(interface),
            Way::By(interface) => Some(interface),
            Way::Nowhere => None,
        };
        // The kernel also tells the way of an address of IPv6 that this machine no longer has.
        let is_ours = || self.route(called.address, None).is_some_and(|route| route.header.kind == RouteType::Local);
        by == Some(called.interface) && is_ours()
    }

    /// Forgets the ways that are known: call it when there is something to read from this.
    pub fn changed(&mut self) {
        self.news.discard();
        self.known.clear();
    }

    /// The interface by which datagrams go to an address around the device, if the answers would be dropped that come in there:
    /// by a strict reverse path filter, which wants them where the routes lead (RFC 3704, section 2.2).
    pub fn strict_filter(&mut self, address: IpAddr) -> Option<String> {
        let Way::By(interface) = self.way_to(address) else { return None };
        let name = self.routes.link_at(interface).filter(|_| address.is_ipv4())?.name;
        let of = |interface: &str| {
            let value = read_to_string(format!("/proc/sys/net/ipv4/conf/{interface}/rp_filter"));
            value.ok().and_then(|value| value.trim().parse::<u8>().ok()).unwrap_or_default()
        };
        (of("all").max(of(&name)) == 1).then_some(name)
    }

    /// The route that the kernel has; what it has none for it refuses, and says why.
    fn route(&self, to: IpAddr, from: Option<IpAddr>) -> Option<RouteMessage> {
        self.routes.route_to(to, from).ok().flatten()
    }

    fn find(&self, address: IpAddr, device: u32) -> Way {
        if self.route(address, None).as_ref().and_then(interface) != Some(device) {
            return Way::AsRouted;
        }
        let routes = self.routes.routes(address).unwrap_or_default();
        let others = routes.iter().filter_map(|route| rank(route, address, device));
        others.max().map_or(Way::Nowhere, |(_, _, interface)| Way::By(interface))
    }
}

impl AsFd for Underlay {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.news.as_fd()
    }
}

/// The interface by which a route leads around the device; of several next hops, the first that is alive.
fn interface_around(route: &RouteMessage, device: u32) -> Option<u32> {
    route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Oif(interface) => Some(*interface).filter(|interface| *interface != device),
        RouteAttribute::MultiPath(hops) => {
            let is_alive =
                |hop: &&RouteNextHop| !hop.flags.intersects(RouteNextHopFlags::Dead | RouteNextHopFlags::Linkdown);
            hops.iter().filter(is_alive).map(|hop| hop.interface_index).find(|interface| *interface != device)
        }
        _ => None,
    })
}

/// The one interface that a route leads to.
fn interface(route: &RouteMessage) -> Option<u32> {
    route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Oif(interface) => Some(*interface),
        _ => None,
    })
}

/// Refuses networks to which a route of the main table leads elsewhere than into the device. The kernel would take a second one with
/// another metric, and the lower metric would win: either way one of the two would have no packets any more.
pub(crate) fn check_no_other_route(routes: &Netlink, device: &Link, networks: &[(IpAddr, u8)]) -> Result<(), NetError> {
    let mut known = Vec::new();
    for any in [IpAddr::from([0; 4]), IpAddr::from([0; 16])] {
        if networks.iter().any(|(network, _)| network.is_ipv4() == any.is_ipv4()) {
            known.extend(routes.routes(any).map_err(|error| NetError::system("list the routes", error))?);
        }
    }
    let others = known.iter().filter(|route| interface(route) != Some(device.index));
    let taken = |route| Some((*networks.iter().find(|(network, length)| is_to(route, *network, *length))?, route));
    let Some(((network, length), route)) = others.into_iter().find_map(taken) else { return Ok(()) };
    let name = interface(route).and_then(|interface| routes.link_at(interface)).map(|link| link.name);
    let (network, device) = (format!("{network}/{length}"), device.name.clone());
    Err(NetError::RouteExists { network, device, interface: name, metric: metric(route) })
}

/// Whether a route of the main table is to exactly this network.
fn is_to(route: &RouteMessage, network: IpAddr, length: u8) -> bool {
    let RouteHeader { destination_prefix_length, table, flags, .. } = route.header;
    // What the kernel has learned of the path to one address (its MTU) comes as a route too.
    let is_set = table == RouteHeader::RT_TABLE_MAIN && !flags.contains(RouteFlags::Cloned);
    is_set && destination_prefix_length == length && contains(route, network)
}

/// Whether a route is to a network that an address is in.
fn contains(route: &RouteMessage, address: IpAddr) -> bool {
    let RouteHeader { address_family: family, destination_prefix_length: length, .. } = route.header;
    let to = route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Destination(to) => Some(to),
        _ => None,
    });
    to.map_or(length == 0 && (family == AddressFamily::Inet) == address.is_ipv4(), |to| has_prefix(address, to, length))
}

/// The lower it is, the sooner a route counts among those to the same network.
fn metric(route: &RouteMessage) -> u32 {
    let priority = |attribute: &RouteAttribute| match attribute {
        RouteAttribute::Priority(priority) => Some(*priority),
        _ => None,
    };
    route.attributes.iter().find_map(priority).unwrap_or_default()
}

/// How good a route of the main table to an address is, the best one greatest, and where it leads; `None` where it leads elsewhere, or into the device.
fn rank(route: &RouteMessage, address: IpAddr, device: u32) -> Option<(u8, Reverse<u32>, u32)> {
    let RouteHeader { destination_prefix_length: length, table, kind, flags, .. } = route.header;
    let is_alive = !flags.intersects(RouteFlags::Dead | RouteFlags::Linkdown);
    if table != RouteHeader::RT_TABLE_MAIN || kind != RouteType::Unicast || !is_alive || !contains(route, address) {
        return None;
    }
    let interface = interface_around(route, device)?;
    Some((length, Reverse(metric(route)), interface))
}

/// Whether an address begins as another one does.
fn has_prefix(address: IpAddr, prefix: &RouteAddress, length: u8) -> bool {
    let differ = match (address, prefix) {
        (IpAddr::V4(address), RouteAddress::Inet(prefix)) => (address.to_bits() ^ prefix.to_bits()).leading_zeros(),
        (IpAddr::V6(address), RouteAddress::Inet6(prefix)) => (address.to_bits() ^ prefix.to_bits()).leading_zeros(),
        _ => return false,
    };
    differ >= length.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_packet_route::route::RouteNextHop;

    fn route(to: &str, length: u8, interface: u32, metric: u32) -> RouteMessage {
        let mut route = RouteMessage::default();
        route.header.table = RouteHeader::RT_TABLE_MAIN;
        route.header.kind = RouteType::Unicast;
        route.header.destination_prefix_length = length;
        let (family, to) = match to.parse().unwrap() {
            IpAddr::V4(to) => (AddressFamily::Inet, RouteAddress::Inet(to)),
            IpAddr::V6(to) => (AddressFamily::Inet6, RouteAddress::Inet6(to)),
        };
        route.header.address_family = family;
        route.attributes = vec![RouteAttribute::Oif(interface), RouteAttribute::Priority(metric)];
        if length > 0 {
            route.attributes.push(RouteAttribute::Destination(to));
        }
        route
    }

    #[test]
    fn the_longest_prefix_and_then_the_least_metric_says_which_way_and_never_into_the_device() {
        let routes = [
            route("0.0.0.0", 0, 2, 600),
            route("0.0.0.0", 0, 3, 100),
            route("192.0.2.0", 24, 4, 0),
            route("128.0.0.0", 1, 9, 0),
            route("::", 0, 5, 0),
        ];
        let way = |address: &str| {
            let address = address.parse().unwrap();
            routes.iter().filter_map(|route| rank(route, address, 9)).max().map(|(_, _, interface)| interface)
        };
        assert_eq!(["203.0.113.5", "192.0.2.200", "192.0.3.1"].map(way), [Some(3), Some(4), Some(3)]);
        assert_eq!(way("2001:db8::1"), Some(5));
    }

    #[test]
    fn a_route_that_leads_nowhere_now_or_is_of_another_table_does_not_count() {
        let address = "192.0.2.1".parse().unwrap();
        for change in [
            |route: &mut RouteMessage| route.header.flags = RouteFlags::Linkdown,
            |route: &mut RouteMessage| route.header.kind = RouteType::BlackHole,
            |route: &mut RouteMessage| route.header.table = 100,
        ] {
            let mut changed = route("192.0.2.0", 24, 4, 0);
            assert!(rank(&changed, address, 9).is_some());
            change(&mut changed);
            assert!(rank(&changed, address, 9).is_none());
        }
    }

    #[test]
    fn of_several_next_hops_the_first_counts_that_is_alive_and_not_the_device() {
        let hop = |(interface, flags)| {
            let mut hop = RouteNextHop::default();
            (hop.interface_index, hop.flags) = (interface, flags);
            hop
        };
        let way = |hops: &[(u32, RouteNextHopFlags)]| {
            let mut several = route("192.0.2.0", 24, 4, 0);
            several.attributes[0] = RouteAttribute::MultiPath(hops.iter().copied().map(hop).collect());
            rank(&several, "192.0.2.1".parse().unwrap(), 9).map(|(_, _, interface)| interface)
        };
        let (alive, dead, down) = (RouteNextHopFlags::Onlink, RouteNextHopFlags::Dead, RouteNextHopFlags::Linkdown);
        assert_eq!(way(&[(7, alive), (8, alive)]), Some(7));
        assert_eq!(way(&[(5, dead), (6, down), (9, alive), (8, alive)]), Some(8));
        assert_eq!(way(&[(5, dead), (6, down), (9, alive)]), None);
    }
}
