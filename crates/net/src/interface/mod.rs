//! Interfaces: where packets of the system come in and go out.
//!
//! | | layer | what it is |
//! | --- | --- | --- |
//! | [`Interface::tun`] | IP packets | a device of our own inside a namespace; the system routes packets into it |
//! | [`Interface::tun_with_offloads`] | IP packets | the same in the present namespace, many packets in one call of the system |
//! | [`Interface::tap`] | Ethernet frames | a device of our own in the present namespace, such as a port of a bridge |
//! | [`Interface::attach`] | Ethernet frames | an interface that is there already, seen through a packet socket |
//!
//! Nothing here blocks: [`receive`](Interface::receive) says when there is nothing, and a [`Wait`](crate::Wait) waits.

mod packet;
mod tun;

use crate::error::{NetError, check_name};
use crate::masquerade::{Masquerade, check_forwarding};
use crate::namespace::Namespace;
use crate::netlink::{Change, Link, Netlink, RouteOptions};
use crate::privileges::{no_device, remedy};
use crate::underlay::{Underlay, check_no_other_route};
use arqway_ip::offload::{Cutter, ETHERNET_HEADER, LARGEST};
use arqway_slab::Slab;
use bytes::Bytes;
use packet::PacketSocket;
use rustix::io::Errno;
use std::fs::{read_dir, read_to_string, write};
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use tun::Tun;
use tun_rs::{DeviceBuilder, Layer};

/// How long the name of an interface is at most: `IFNAMSIZ` less the zero octet.
const LONGEST_NAME: usize = 15;

/// A device to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its name, of at most 15 octets.
    pub name: String,
    /// Its addresses, each with the length of its network's prefix.
    pub addresses: Vec<(IpAddr, u8)>,
    /// The largest packet, in octets.
    pub mtu: u32,
    /// How many packets wait in the device for us before it drops them: a buffer that no model knows, so keep it as short
    /// as a burst that we cannot read in time.
    pub transmit_queue: u32,
}

/// An interface that is open.
pub struct Interface {
    source: Source,
    /// In the interface's own namespace.
    netlink: Netlink,
    link: Link,
    header: usize,
    is_gone: bool,
}

/// What packets are read from.
enum Source {
    Device(Tun),
    Socket(PacketSocket),
}

impl Interface {
    /// Makes a TUN device inside a namespace: up, with its addresses, without offloads. It ends when this is dropped.
    ///
    /// The device sends nothing on its own: it gets no address but those given, so IPv6 does not look for routers.
    ///
    /// # Errors
    /// The name is taken or cannot be one; `/dev/net/tun` cannot be opened; an address or the MTU is refused.
    pub fn tun(device: &Device, namespace: &Namespace) -> Result<Self, NetError> {
        namespace.within(|| Self::make(device, Layer::L3, None, false))?
    }

    /// The same in the calling thread's namespace, with offloads: TCP comes and goes in pieces of up to 64 KiB, which are cut and
    /// joined here. Packets that are [sent](Self::send) wait for a [`flush`](Self::flush).
    ///
    /// # Errors
    /// As [`tun`](Self::tun).
    pub fn tun_with_offloads(device: &Device) -> Result<Self, NetError> {
        Self::make(device, Layer::L3, None, true)
    }

    /// Makes a TAP device in the calling thread's namespace: up, without offloads, a port of `bridge` if one is named. It
    /// ends when this is dropped.
    ///
    /// # Errors
    /// As [`tun`](Self::tun); and there is no such bridge.
    pub fn tap(device: &Device, bridge: Option<&str>) -> Result<Self, NetError> {
        Self::make(device, Layer::L2, bridge, false)
    }

    /// Takes an Ethernet interface of the calling thread's namespace that is there already: what comes in at it is
    /// received here, and what is sent here goes out of it (packet(7)).
    ///
    /// The system still gets what comes in, so the interface should have no addresses and be no port of a bridge. What it
    /// hands about in pieces larger than a packet is received as the packets that a wire would have carried.
    ///
    /// # Errors
    /// There is no such interface; it does not carry Ethernet frames; the process lacks `CAP_NET_RAW` or `CAP_NET_ADMIN`.
    pub fn attach(name: &str) -> Result<Self, NetError> {
        let netlink = Netlink::open()?;
        let link = netlink.link(name)?;
        if !link.is_ethernet {
            return Err(NetError::NotEthernet { name: name.to_owned() });
        }
        let failed = |error: io::Error| match Errno::from_io_error(&error) {
            Some(Errno::PERM) => {
                NetError::missing("CAP_NET_RAW, the right to read the packets of an interface", remedy())
            }
            _ => NetError::system(format!("open a packet socket on the interface `{name}`"), error),
        };
        let source = Source::Socket(PacketSocket::open(link.index).map_err(failed)?);
        Ok(Self { source, netlink, link, header: ETHERNET_HEADER, is_gone: false })
    }

    fn make(device: &Device, layer: Layer, bridge: Option<&str>, offloads: bool) -> Result<Self, NetError> {
        let name = &device.name;
        check_name("an interface", name, LONGEST_NAME)?;
        let netlink = Netlink::open()?;
        // The system would hand over a device of this name that someone else left without a reader.
        if netlink.link(name).is_ok() {
            return Err(NetError::InterfaceExists { name: name.clone() });
        }
        let header = if layer == Layer::L2 { ETHERNET_HEADER } else { 0 };
        let failed = |error: io::Error| {
            let doing = format!("make the device `{name}` with /dev/net/tun");
            Errno::from_io_error(&error).map_or_else(|| NetError::system(&doing, error), |code| no_device(code, &doing))
        };
        let opened = DeviceBuilder::new().name(name.clone()).layer(layer).offload(offloads).inherit_enable_state();
        let opened = opened.build_sync();
        let opened = opened.map_err(failed)?;
        opened.set_nonblocking(true).map_err(failed)?;
        let link = netlink.link(name)?;
        let bridge = bridge.map(|bridge| netlink.link(bridge)).transpose()?.map(|bridge| bridge.index);
        let (mtu, transmit_queue) = (Some(device.mtu), Some(device.transmit_queue));
        let change = Change { mtu, transmit_queue, bridge, ..Change::default() };
        netlink.change(&link, change)?;
        // An interface with less than its least MTU has no IPv6: RFC 8200, section 5.
        if has_ipv6() && device.mtu >= 1280 {
            netlink.change(&link, Change { no_own_ipv6: true, ..Change::default() })?;
        }
        check_addresses(device)?;
        // Up first: an IPv6 address of a device that is down gets its route at a time of its own.
        netlink.change(&link, Change { up: Some(true), ..Change::default() })?;
        let routes = Netlink::watch(&[libc::RTNLGRP_IPV6_ROUTE])?;
        for (address, prefix) in &device.addresses {
            netlink.add_address(&link, *address, *prefix)?;
        }
        routes.await_routes(&device.addresses)?;
        let tags = if layer == Layer::L2 { 8 } else { 0 };
        let longest = usize::try_from(device.mtu).map_or(LARGEST, |mtu| (mtu + header + tags).min(LARGEST));
        let tun = if offloads { Tun::with_offloads(opened) } else { Tun::single(opened, longest) };
        let source = Source::Device(tun);
        Ok(Self { source, netlink, link, header, is_gone: false })
    }

    /// Sends the system's packets for these networks into the device, each an address with the length of its prefix. The routes end with
    /// the device. The system's TCP begins by them with an initial window of so many segments, where it is said.
    ///
    /// # Errors
    /// Another route to the same network stands already, whatever its metric; or the process lacks `CAP_NET_ADMIN`.
    pub fn add_routes(&self, networks: &[(IpAddr, u8)], initial_window: Option<u32>) -> Result<(), NetError> {
        // Where the machine has no IPv6, or its administrator has disabled all of it, nothing of it needs a route.
        let has_ipv6 = is_ipv6_disabled(self.name()) == Some(false);
        if let Some((network, prefix)) = networks.iter().find(|(network, _)| network.is_ipv6() && !has_ipv6)
            && let Some(other) = other_with_ipv6(self.name())
        {
            let what = format!(
                "IPv6, for a route to {network}/{prefix} into `{}`: it is disabled for new devices, and packets would leave by `{other}`",
                self.name()
            );
            return Err(NetError::missing(&what, ENABLE_IPV6));
        }
        let there = networks.iter().copied().filter(|(network, _)| network.is_ipv4() || has_ipv6);
        let there: Vec<(IpAddr, u8)> = there.collect();
        check_no_other_route(&self.netlink, &self.link, &there)?;
        let options = RouteOptions { initial_window, ..RouteOptions::default() };
        let add = |(network, prefix)| self.netlink.add_route(&self.link, network, prefix, options);
        there.into_iter().try_for_each(add)
    }

    /// Makes it one of several ways to an address: whoever names no interface takes the one with the least metric. What comes from there is
    /// taken by whichever way it comes. The calling thread is in the device's namespace.
    ///
    /// # Errors
    /// There is such a route with that metric; or the process lacks `CAP_NET_ADMIN`.
    pub fn lead_to(&self, address: IpAddr, metric: u32) -> Result<(), NetError> {
        let name = self.name();
        if address.is_ipv4() {
            // Loose: any way to the sender will do (RFC 3704, section 2.4).
            let filter = format!("/proc/sys/net/ipv4/conf/{name}/rp_filter");
            write(filter, "2")
                .map_err(|error| NetError::system(format!("let `{name}` take what comes by it"), error))?;
        }
        let prefix = if address.is_ipv4() { 32 } else { 128 };
        self.netlink.add_route(
            &self.link,
            address,
            prefix,
            RouteOptions { metric: Some(metric), ..RouteOptions::default() },
        )
    }

    /// The ways around it, in the calling thread's namespace, which has to be its own.
    ///
    /// # Errors
    /// The system has no room for another socket.
    pub fn underlay(&self) -> Result<Underlay, NetError> {
        Underlay::around(self.link.index)
    }

    /// Hides who sends, behind the addresses of this machine, where packets that come out of the device leave by another one.
    ///
    /// # Errors
    /// The machine does not forward packets of a version of IP that is among `addresses`; the kernel has no nftables or not those that are
    /// needed; the process lacks `CAP_NET_ADMIN`.
    pub fn masquerade(&self, addresses: impl Iterator<Item = IpAddr>) -> Result<Masquerade, NetError> {
        addresses.into_iter().try_for_each(check_forwarding)?;
        Masquerade::behind(&self.link)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.link.name
    }

    /// The octets in front of each packet that a link does not count: none, or the 14 of an Ethernet header.
    #[must_use]
    pub fn header_octets(&self) -> usize {
        self.header
    }

    /// Whether there is more to [`receive`](Self::receive) of which a [`Wait`](crate::Wait) knows nothing: the rest of a
    /// piece that had to be cut into packets. Whoever receives until there is `None` need not ask.
    #[must_use]
    pub fn has_more(&self) -> bool {
        match &self.source {
            Source::Device(tun) => tun.has_more(),
            Source::Socket(socket) => socket.has_more(),
        }
    }

    /// The next packet that the system sent into the interface, or that came in at it; `None` where there is none now.
    ///
    /// An interface that is down has none, and has some again once it is up.
    ///
    /// # Errors
    /// The interface is gone, or cannot be read.
    pub fn receive(&mut self, slab: &mut Slab) -> Result<Option<Bytes>, NetError> {
        while !self.is_gone {
            let received = match &mut self.source {
                Source::Device(tun) => tun.receive(slab),
                Source::Socket(socket) => socket.receive(slab),
            };
            let error = match received {
                Ok(packet) => return Ok(packet),
                Err(error) => error,
            };
            match Errno::from_io_error(&error) {
                Some(Errno::INTR) => {}
                Some(Errno::AGAIN) => return Ok(None),
                Some(Errno::NETDOWN) if self.is_there() => return Ok(None),
                // A packet socket says so only once.
                Some(Errno::NETDOWN) => self.is_gone = true,
                _ => return Err(self.failure("read from", error)),
            }
        }
        Err(self.gone())
    }

    /// Hands a packet to the system as if it had come in, or sends it out; `false` where the interface did not take it: it
    /// is down or has no room, or this is not a packet, or a larger one than it carries.
    ///
    /// # Errors
    /// The interface is gone, or cannot be written.
    pub fn send(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        loop {
            let sent = match &mut self.source {
                Source::Device(tun) => tun.send(packet),
                Source::Socket(socket) => socket.send(packet),
            };
            let Err(error) = sent else { return Ok(true) };
            if Errno::from_io_error(&error) != Some(Errno::INTR) {
                return self.not_taken(error).map(|()| false);
            }
        }
    }

    /// Hands over what [`send`](Self::send) has held back to hand it over at once. How many packets were not taken since this
    /// was last called of which `send` said that they were.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn flush(&mut self) -> Result<u64, NetError> {
        let Source::Device(tun) = &mut self.source else { return Ok(0) };
        match tun.flush() {
            Ok(not_taken) => Ok(not_taken),
            // What was held back is gone, and counted: nothing can fail now.
            Err(error) => self.not_taken(error).and_then(|()| self.flush()),
        }
    }

    /// Whether a packet that was not taken means more than that.
    fn not_taken(&self, error: io::Error) -> Result<(), NetError> {
        match Errno::from_io_error(&error) {
            // EIO: a device that is down. EINVAL: no packet.
            Some(
                Errno::INTR | Errno::AGAIN | Errno::IO | Errno::INVAL | Errno::NOMEM | Errno::NOBUFS | Errno::MSGSIZE,
            ) => Ok(()),
            Some(Errno::NETDOWN) if self.is_there() => Ok(()),
            _ => Err(self.failure("write to", error)),
        }
    }

    /// How many packets the system dropped since the interface was opened because we had not read those before them; with
    /// those that could not be made into packets.
    pub fn overruns(&mut self) -> u64 {
        match &mut self.source {
            Source::Device(tun) => {
                let dropped = self.netlink.link_at(self.link.index).map_or(0, |now| now.transmit_drops);
                // One that is gone has no numbers any more.
                tun.dropped = tun.dropped.max(dropped);
                tun.dropped + tun.missed()
            }
            Source::Socket(socket) => socket.overruns(),
        }
    }

    fn is_there(&self) -> bool {
        self.netlink.link_at(self.link.index).is_some()
    }

    fn gone(&self) -> NetError {
        NetError::Gone { name: self.name().to_owned() }
    }

    /// What it means that the interface cannot be used. A device that was deleted says EBADFD (tun.c, `tun_get`), a packet
    /// socket ENETDOWN or ENXIO.
    fn failure(&self, doing: &str, error: io::Error) -> NetError {
        match Errno::from_io_error(&error) {
            Some(Errno::BADFD | Errno::NODEV | Errno::NXIO | Errno::FAULT | Errno::NETDOWN) => self.gone(),
            _ => NetError::system(format!("{doing} the interface `{}`", self.name()), error),
        }
    }
}

/// The next packet of a super-packet, in memory of the slab.
fn cut_next(cutter: &mut Cutter, frame: &[u8], slab: &mut Slab) -> Option<Bytes> {
    let length = cutter.next(frame, |length| slab.room(length))?;
    Some(slab.cut(length))
}

fn has_ipv6() -> bool {
    Path::new("/proc/sys/net/ipv6").exists()
}

/// Whether the system keeps IPv6 from a device; `None` where there is none that it could keep.
fn is_ipv6_disabled(device: &str) -> Option<bool> {
    let disabled = read_to_string(format!("/proc/sys/net/ipv6/conf/{device}/disable_ipv6"));
    disabled.ok().map(|disabled| disabled.trim() != "0")
}

/// A new device has what `default` says, whatever is set for others.
const ENABLE_IPV6: &str = "enable it with `sysctl -w net.ipv6.conf.default.disable_ipv6=0`";

/// An interface of this machine from which IPv6 is not kept, besides a device and the loopback interface.
fn other_with_ipv6(device: &str) -> Option<String> {
    let names = read_dir("/proc/sys/net/ipv6/conf").ok()?.flatten();
    let mut others = names.filter_map(|name| name.file_name().into_string().ok());
    others.find(|name| {
        !["all", "default", "lo", device].contains(&name.as_str()) && is_ipv6_disabled(name) == Some(false)
    })
}

/// Whether a device that has just been made may have its addresses.
fn check_addresses(device: &Device) -> Result<(), NetError> {
    let six = device.addresses.iter().find(|(address, _)| address.is_ipv6());
    let Some((address, prefix)) = six.filter(|_| is_ipv6_disabled(&device.name) == Some(true)) else { return Ok(()) };
    let what = format!("IPv6, for the address {address}/{prefix} of `{}`: it is disabled here", device.name);
    Err(NetError::missing(&what, ENABLE_IPV6))
}

impl AsFd for Interface {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.source {
            Source::Device(tun) => tun.as_fd(),
            Source::Socket(socket) => socket.as_fd(),
        }
    }
}

impl std::fmt::Debug for Interface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interface").field("name", &self.link.name).finish_non_exhaustive()
    }
}
