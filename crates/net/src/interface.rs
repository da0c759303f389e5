//! Interfaces: where packets of the system come in and go out.
//!
//! | | layer | what it is |
//! | --- | --- | --- |
//! | [`Interface::tun`] | IP packets | a device of our own inside a namespace; the system routes packets into it |
//!
//! Nothing here blocks: [`receive`](Interface::receive) says when there is nothing, and a [`Wait`](crate::Wait) waits.

use crate::error::{NetError, check_name};
use crate::namespace::Namespace;
use crate::netlink::{Change, Link, Netlink};
use crate::privileges::no_device;
use crate::slab::Slab;
use bytes::Bytes;
use rustix::io::Errno;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

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
    device: SyncDevice,
    /// In the device's own namespace.
    netlink: Netlink,
    link: Link,
    /// The longest packet, with its Ethernet header.
    longest: usize,
    header: usize,
}

impl Interface {
    /// Makes a TUN device inside a namespace: up, with its addresses, without offloads. It ends when this is dropped.
    ///
    /// The device sends nothing on its own: it gets no address but those given, so IPv6 does not look for routers.
    ///
    /// # Errors
    /// The name is taken or cannot be one; `/dev/net/tun` cannot be opened; an address or the MTU is refused.
    pub fn tun(device: &Device, namespace: &Namespace) -> Result<Self, NetError> {
        namespace.within(|| Self::make(device, Layer::L3))?
    }

    fn make(device: &Device, layer: Layer) -> Result<Self, NetError> {
        let name = &device.name;
        check_name("an interface", name, LONGEST_NAME)?;
        let netlink = Netlink::open()?;
        // The system would hand over a device of this name that someone else left without a reader.
        if netlink.link(name).is_ok() {
            return Err(NetError::InterfaceExists { name: name.clone() });
        }
        let header = if layer == Layer::L2 { 14 } else { 0 };
        let failed = |error: io::Error| {
            let doing = format!("make the device `{name}` with /dev/net/tun");
            Errno::from_io_error(&error).map_or_else(|| NetError::system(&doing, error), |code| no_device(code, &doing))
        };
        let opened = DeviceBuilder::new().name(name.clone()).layer(layer).inherit_enable_state().build_sync();
        let opened = opened.map_err(failed)?;
        opened.set_nonblocking(true).map_err(failed)?;
        let link = netlink.link(name)?;
        let change = Change { mtu: Some(device.mtu), transmit_queue: Some(device.transmit_queue), ..Change::default() };
        netlink.change(&link, change)?;
        if Path::new("/proc/sys/net/ipv6").exists() {
            netlink.change(&link, Change { no_own_ipv6: true, ..Change::default() })?;
        }
        // Up first: an IPv6 address of a device that is down gets its route at a time of its own.
        netlink.change(&link, Change { up: Some(true), ..Change::default() })?;
        let routes = Netlink::watch_routes()?;
        for (address, prefix) in &device.addresses {
            netlink.add_address(&link, *address, *prefix)?;
        }
        routes.await_routes(&device.addresses)?;
        let longest = usize::try_from(device.mtu).unwrap_or(usize::MAX).saturating_add(header);
        Ok(Self { device: opened, netlink, link, longest, header })
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

    /// The next packet that the system sent into the interface; `None` where there is none now.
    ///
    /// # Errors
    /// The interface is gone, or cannot be read.
    pub fn receive(&mut self, slab: &mut Slab) -> Result<Option<Bytes>, NetError> {
        loop {
            return match self.device.recv(slab.room(self.longest)) {
                Ok(length) => Ok(Some(slab.cut(length))),
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::INTR) => continue,
                    Some(Errno::AGAIN | Errno::NETDOWN) => Ok(None),
                    _ => Err(self.failure("read from", error)),
                },
            };
        }
    }

    /// Hands a packet to the system as if it had come in; `false` where the interface did not take it: it is down, or
    /// this is not a packet.
    ///
    /// # Errors
    /// The interface is gone, or cannot be written.
    pub fn send(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        loop {
            return match self.device.send(packet) {
                Ok(_) => Ok(true),
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::INTR) => continue,
                    // EIO: it is down. EINVAL: neither IPv4 nor IPv6, or too short. ENOMEM, ENOBUFS: no room.
                    Some(Errno::AGAIN | Errno::IO | Errno::INVAL | Errno::NOMEM | Errno::NOBUFS | Errno::MSGSIZE) => {
                        Ok(false)
                    }
                    _ => Err(self.failure("write to", error)),
                },
            };
        }
    }

    /// How many packets the system dropped since the interface was opened because we had not read those before them.
    pub fn overruns(&mut self) -> u64 {
        self.netlink.link_at(self.link.index).map_or(0, |now| now.transmit_drops)
    }

    /// What it means that the device cannot be used; a device that was deleted says EBADFD (tun.c, `tun_get`).
    fn failure(&self, doing: &str, error: io::Error) -> NetError {
        match Errno::from_io_error(&error) {
            Some(Errno::BADFD | Errno::NODEV | Errno::NXIO | Errno::FAULT) => {
                NetError::Gone { name: self.name().to_owned() }
            }
            _ => NetError::system(format!("{doing} the interface `{}`", self.name()), error),
        }
    }
}

impl AsFd for Interface {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl std::fmt::Debug for Interface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interface").field("name", &self.link.name).finish_non_exhaustive()
    }
}
