//! Links, addresses and routes of one network namespace, over rtnetlink(7): what `ip link`, `ip address` and `ip route` do.
//!
//! A socket belongs to the namespace that its thread was in when it was made, and goes on speaking of that one wherever
//! it is used from.

use crate::clock::{Clock, timeout};
use crate::error::NetError;
use arqway_units::{Span, Time};
use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::address::{AddressAttribute, AddressFlags, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::link::{
    AfSpecInet6, AfSpecUnspec, In6AddrGenMode, LinkAttribute, LinkFlags, LinkLayerType, LinkMessage, Stats64,
};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};
use rustix::event::{PollFd, PollFlags, poll};
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

/// So many news are dropped at once.
const MOST_NEWS: usize = 1000;

/// A socket to the kernel's tables of links, addresses and routes.
pub(crate) struct Netlink {
    socket: Socket,
}

/// What is to change about a link.
#[derive(Default)]
pub(crate) struct Change {
    /// Whether it is up; `None` leaves that as it is.
    pub(crate) up: Option<bool>,
    /// The largest packet, in octets.
    pub(crate) mtu: Option<u32>,
    /// How many packets may wait in front of it.
    pub(crate) transmit_queue: Option<u32>,
    /// The number of the bridge that it becomes a port of.
    pub(crate) bridge: Option<u32>,
    /// It gets no IPv6 address that was not given to it, so that it sends nothing on its own.
    pub(crate) no_own_ipv6: bool,
}

/// What a route says besides where it leads.
#[derive(Default, Clone, Copy)]
pub(crate) struct RouteOptions {
    /// TCP that begins here sends so many segments before the first acknowledgement, and lets as many be sent to it.
    pub(crate) initial_window: Option<u32>,
    /// Of several routes to a network, the one with the least is taken.
    pub(crate) metric: Option<u32>,
}

/// A link as the kernel tells of it.
pub(crate) struct Link {
    pub(crate) index: u32,
    pub(crate) name: String,
    /// Whether it carries Ethernet frames.
    pub(crate) is_ethernet: bool,
    /// Packets that it could not hand on.
    pub(crate) transmit_drops: u64,
}

impl Netlink {
    /// A socket in the calling thread's namespace.
    pub(crate) fn open() -> Result<Self, NetError> {
        let open = || {
            let socket = Socket::new(NETLINK_ROUTE)?;
            socket.connect(&SocketAddr::new(0, 0))?;
            Ok(Self { socket })
        };
        open().map_err(|error: io::Error| NetError::system("open a netlink socket", error))
    }

    /// All links of the namespace.
    pub(crate) fn links(&self) -> Result<Vec<Link>, NetError> {
        self.ask(RouteNetlinkMessage::GetLink(LinkMessage::default()), NLM_F_DUMP)
            .map(|links| links.into_iter().filter_map(link).collect())
            .map_err(|error| NetError::system("list the interfaces", error))
    }

    /// The link of this name.
    pub(crate) fn link(&self, name: &str) -> Result<Link, NetError> {
        let links = self.links()?;
        let there = links.iter().map(|link| link.name.clone()).collect();
        let found = links.into_iter().find(|link| link.name == name);
        found.ok_or_else(|| NetError::NoInterface { name: name.to_owned(), there })
    }

    /// The link of this number; `None` where there is none (any more).
    pub(crate) fn link_at(&self, index: u32) -> Option<Link> {
        let mut message = LinkMessage::default();
        message.header.index = index;
        self.ask(RouteNetlinkMessage::GetLink(message), NLM_F_ACK).ok()?.into_iter().find_map(link)
    }

    /// Changes a link.
    pub(crate) fn change(&self, link: &Link, change: Change) -> Result<(), NetError> {
        let mut message = LinkMessage::default();
        message.header.index = link.index;
        if let Some(up) = change.up {
            message.header.flags = if up { LinkFlags::Up } else { LinkFlags::empty() };
            message.header.change_mask = LinkFlags::Up;
        }
        message.attributes.extend(change.mtu.map(LinkAttribute::Mtu));
        message.attributes.extend(change.transmit_queue.map(LinkAttribute::TxQueueLen));
        message.attributes.extend(change.bridge.map(LinkAttribute::Controller));
        if change.no_own_ipv6 {
            let mode = AfSpecInet6::AddrGenMode(In6AddrGenMode::None);
            message.attributes.push(LinkAttribute::AfSpecUnspec(vec![AfSpecUnspec::Inet6(vec![mode])]));
        }
        self.ask(RouteNetlinkMessage::SetLink(message), NLM_F_ACK)
            .map(drop)
            .map_err(|error| NetError::system(format!("change the interface `{}`", link.name), error))
    }

    /// Gives a link an address of a network of `prefix` bits. An IPv6 address is usable at once: nobody else is on the
    /// link, so it need not ask (RFC 4862, section 5.4).
    pub(crate) fn add_address(&self, link: &Link, address: IpAddr, prefix: u8) -> Result<(), NetError> {
        let mut message = AddressMessage::default();
        message.header.index = link.index;
        message.header.prefix_len = prefix;
        message.header.family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
        message.header.flags = AddressHeaderFlags::Nodad;
        message.attributes = vec![
            AddressAttribute::Local(address),
            AddressAttribute::Address(address),
            AddressAttribute::Flags(AddressFlags::Nodad),
        ];
        self.ask(RouteNetlinkMessage::NewAddress(message), NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)
            .map(drop)
            .map_err(|error| NetError::system(format!("give `{}` the address {address}/{prefix}", link.name), error))
    }

    /// Sends packets for a network into a link, as long as that is there.
    pub(crate) fn add_route(
        &self,
        link: &Link,
        network: IpAddr,
        prefix: u8,
        RouteOptions { initial_window, metric }: RouteOptions,
    ) -> Result<(), NetError> {
        let mut message = about(network);
        message.header.destination_prefix_length = prefix;
        message.header.table = RouteHeader::RT_TABLE_MAIN;
        message.header.protocol = RouteProtocol::Static;
        message.header.scope = if network.is_ipv4() { RouteScope::Link } else { RouteScope::Universe };
        message.header.kind = RouteType::Unicast;
        message.attributes.push(RouteAttribute::Oif(link.index));
        message.attributes.extend(metric.map(RouteAttribute::Priority));
        if let Some(segments) = initial_window {
            let metrics = vec![RouteMetric::InitCwnd(segments), RouteMetric::InitRwnd(segments)];
            message.attributes.push(RouteAttribute::Metrics(metrics));
        }
        self.ask(RouteNetlinkMessage::NewRoute(message), NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)
            .map(drop)
            .map_err(|error| NetError::system(format!("set a route to {network}/{prefix} into `{}`", link.name), error))
    }

    /// The route that a packet to an address takes, from one of this machine's if that is said; `None` where the answer is no route.
    pub(crate) fn route_to(&self, address: IpAddr, from: Option<IpAddr>) -> io::Result<Option<RouteMessage>> {
        let mut message = about(address);
        let length = if address.is_ipv4() { 32 } else { 128 };
        message.header.destination_prefix_length = length;
        if let Some(from) = from {
            message.header.source_prefix_length = length;
            message.attributes.push(RouteAttribute::Source(named(from)));
        }
        let answers = self.ask(RouteNetlinkMessage::GetRoute(message), NLM_F_ACK)?;
        Ok(answers.into_iter().find_map(route))
    }

    /// All routes of an address's version of IP.
    pub(crate) fn routes(&self, address: IpAddr) -> io::Result<Vec<RouteMessage>> {
        let mut message = about(address);
        message.attributes.clear();
        let answers = self.ask(RouteNetlinkMessage::GetRoute(message), NLM_F_DUMP)?;
        Ok(answers.into_iter().filter_map(route).collect())
    }

    /// Waits until the kernel delivers packets for these IPv6 addresses, which it comes to a moment after it has taken them:
    /// until then it drops such packets. This socket has [watched](Self::watch) IPv6's routes since before.
    pub(crate) fn await_routes(&self, addresses: &[(IpAddr, u8)]) -> Result<(), NetError> {
        let mut missing: Vec<IpAddr> = addresses.iter().map(|(address, _)| *address).filter(IpAddr::is_ipv6).collect();
        let (clock, latest) = (Clock::start(), Time::ZERO + Span::from_seconds(5.0));
        while let Some(address) = missing.first() {
            let failed = |error: io::Error| NetError::system(format!("receive packets for {address}"), error);
            let left = timeout(latest.since(clock.now()));
            let mut socket = [PollFd::new(&self.socket, PollFlags::IN)];
            if poll(&mut socket, left.as_ref()).map_err(|error| failed(error.into()))? == 0 {
                return Err(failed(io::ErrorKind::TimedOut.into()));
            }
            let mut told = Vec::new();
            self.read(&mut told).map_err(failed)?;
            missing.retain(|address| !told.iter().any(|change| is_route_to(change, *address)));
        }
        Ok(())
    }

    /// A socket that is told of each change in the calling thread's namespace of what these groups are about (rtnetlink(7)).
    pub(crate) fn watch(groups: &[u32]) -> Result<Self, NetError> {
        let netlink = Self::open()?;
        let watched = groups.iter().try_for_each(|group| netlink.socket.add_membership(*group));
        watched.map_err(|error| NetError::system("watch links and routes over netlink", error))?;
        Ok(netlink)
    }

    /// Drops what a socket was told that [watches](Self::watch), also that it missed some of it.
    pub(crate) fn discard(&self) {
        let mut buffer = Vec::with_capacity(64);
        // What is left then is there to be read still, and its owner comes back.
        for _ in 0..MOST_NEWS {
            let read = self.socket.recv(&mut buffer, libc::MSG_DONTWAIT);
            if read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
                break;
            }
            buffer.clear();
        }
    }

    /// What the kernel answers.
    fn ask(&self, message: RouteNetlinkMessage, flags: u16) -> io::Result<Vec<RouteNetlinkMessage>> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        let mut request = NetlinkMessage::new(header, NetlinkPayload::from(message));
        request.finalize();
        let mut octets = vec![0; request.buffer_len()];
        request.serialize(&mut octets);
        self.socket.send(&octets, 0)?;
        let mut answers = Vec::new();
        while self.read(&mut answers)? {}
        Ok(answers)
    }

    /// Reads one datagram, and says whether another follows.
    fn read(&self, answers: &mut Vec<RouteNetlinkMessage>) -> io::Result<bool> {
        // The kernel cuts its answers into datagrams of at most 32 KiB (NLMSG_GOODSIZE and the reader's own size).
        let mut buffer = Vec::with_capacity(64 * 1024);
        self.socket.recv(&mut buffer, 0)?;
        let mut rest = &buffer[..];
        while !rest.is_empty() {
            let message = NetlinkMessage::<RouteNetlinkMessage>::deserialize(rest).map_err(io::Error::other)?;
            match message.payload {
                NetlinkPayload::Done(_) => return Ok(false),
                NetlinkPayload::Error(error) if error.code.is_some() => return Err(error.to_io()),
                NetlinkPayload::Error(_) => return Ok(false),
                NetlinkPayload::InnerMessage(answer) => answers.push(answer),
                _ => {}
            }
            let length = usize::try_from(message.header.length).unwrap_or(usize::MAX).next_multiple_of(4);
            rest = rest.get(length.max(16)..).unwrap_or_default();
        }
        Ok(true)
    }
}

impl std::fmt::Debug for Netlink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Netlink").finish_non_exhaustive()
    }
}

impl AsFd for Netlink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A message about routes to an address.
fn about(address: IpAddr) -> RouteMessage {
    let mut message = RouteMessage::default();
    message.header.address_family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    message.attributes.push(RouteAttribute::Destination(named(address)));
    message
}

/// An address as routes name it.
fn named(address: IpAddr) -> RouteAddress {
    match address {
        IpAddr::V4(address) => RouteAddress::Inet(address),
        IpAddr::V6(address) => RouteAddress::Inet6(address),
    }
}

fn route(message: RouteNetlinkMessage) -> Option<RouteMessage> {
    let RouteNetlinkMessage::NewRoute(route) = message else { return None };
    Some(route)
}

/// Whether this is news of a route to exactly this address.
fn is_route_to(change: &RouteNetlinkMessage, address: IpAddr) -> bool {
    let RouteNetlinkMessage::NewRoute(route) = change else { return false };
    let to = |attribute: &RouteAttribute| match (attribute, address) {
        (RouteAttribute::Destination(RouteAddress::Inet6(to)), IpAddr::V6(address)) => *to == address,
        _ => false,
    };
    route.header.destination_prefix_length == 128 && route.attributes.iter().any(to)
}

/// What we want to know of a link.
fn link(message: RouteNetlinkMessage) -> Option<Link> {
    let RouteNetlinkMessage::NewLink(message) = message else { return None };
    let is_ethernet = message.header.link_layer_type == LinkLayerType::Ether;
    let mut link = Link { index: message.header.index, name: String::new(), is_ethernet, transmit_drops: 0 };
    for attribute in message.attributes {
        match attribute {
            LinkAttribute::IfName(name) => link.name = name,
            LinkAttribute::Stats64(Stats64 { tx_dropped, .. }) => link.transmit_drops = tx_dropped,
            _ => {}
        }
    }
    Some(link)
}
