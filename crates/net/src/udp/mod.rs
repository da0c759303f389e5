//! A UDP socket whose datagrams go and come in batches: one call of the system for up to 64 of them (GSO and GRO, udp(7)).
//!
//! ```text
//!     send      |1400 octets|1400 octets|1400 octets|900|   to one address, all of one size but the last
//!     receive   |1200|1200|1200|300|                        from one address, likewise
//! ```
//!
//! Datagrams are never fragmented here (`IP_PMTUDISC_PROBE`): whoever sends has to find out how large they may be.

mod message;

use crate::error::NetError;
use crate::option;
use crate::sent::{Again, Sent};
use arqway_slab::Slab;
use arqway_units::Span;
use bytes::BytesMut;
use quinn_udp::{EcnCodepoint, RecvMeta, UdpSocketState};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with, sockopt};
use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket as StdSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Room for whatever one call may read: 64 KiB, as large as datagrams and batches of them get.
const LARGEST: usize = 64 * 1024;
/// When an interface whose queue is full is tried again.
const SOON: Span = Span::from_milliseconds(1);
/// Asked of the system for what it queues in each direction: some 30 ms at 1 Gbit/s. It may grant less.
const BUFFER: usize = 4 * 1024 * 1024;

/// A nonblocking UDP socket.
pub struct UdpSocket {
    socket: StdSocket,
    state: UdpSocketState,
    address: SocketAddr,
    /// How many datagrams one call takes.
    most: AtomicUsize,
}

/// What is said of the packets that carry datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outer {
    /// DSCP and ECN: the octet of IPv4's type of service, IPv6's traffic class.
    pub traffic_class: u8,
    /// The number of the interface by which they leave; as the routes have it by default.
    pub interface: Option<u32>,
    /// The address of this machine that they leave from; as the routes have it by default, and in IPv6 where there is an `interface`.
    pub source: Option<IpAddr>,
}

/// Where on this machine datagrams arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The address that they were sent to.
    pub address: IpAddr,
    /// The number of the interface at which they came in.
    pub interface: u32,
}

/// Datagrams that arrived together from one address, one after the other.
#[derive(Debug)]
pub struct Datagrams {
    /// Their octets.
    pub octets: BytesMut,
    /// How long each is; the last may be shorter.
    pub each: usize,
    /// Who sent them.
    pub from: SocketAddr,
    /// Where they arrived, if that can be one of several addresses.
    pub at: Option<Arrival>,
    /// They met congestion on the way (ECN, RFC 3168).
    pub is_congested: bool,
}

impl UdpSocket {
    /// A socket at an address of this machine; at `[::]`, at all of them, of IPv6 and of IPv4. Where the machine has no IPv6, those
    /// of IPv4 alone.
    ///
    /// # Errors
    /// The address is taken, or is none of this machine's.
    pub fn bind(address: SocketAddr) -> Result<Self, NetError> {
        let failed = |error: io::Error| NetError::system(format!("receive datagrams at {address}"), error);
        let socket = match open(address) {
            Err(Errno::AFNOSUPPORT | Errno::ADDRNOTAVAIL) if address.ip() == Ipv6Addr::UNSPECIFIED => {
                open((Ipv4Addr::UNSPECIFIED, address.port()).into())
            }
            opened => opened,
        };
        let socket = socket.map_err(|error| failed(error.into()))?;
        let state = UdpSocketState::new((&socket).into()).map_err(failed)?;
        // quinn-udp asks for the time of each arrival, and has room for 96 octets of control messages: a batch has 120 then, of which the
        // traffic class, with the mark of congestion, comes last and is cut off. A system that has no such times says so, and no more.
        let _ = option::set(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &0_i32.to_ne_bytes());
        // Whoever may not ask for more than others gets at least the system's own default.
        let _ = sockopt::set_socket_send_buffer_size_force(&socket, BUFFER)
            .or_else(|_| sockopt::set_socket_send_buffer_size(&socket, BUFFER));
        let _ = sockopt::set_socket_recv_buffer_size_force(&socket, BUFFER)
            .or_else(|_| sockopt::set_socket_recv_buffer_size(&socket, BUFFER));
        let address = socket.local_addr().map_err(failed)?;
        let most = AtomicUsize::new(state.max_gso_segments().max(1));
        Ok(Self { socket, state, address, most })
    }

    /// Where it is, with the port that the system chose if none was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of the interface of this name; `None` while there is none.
    #[must_use]
    pub fn interface(&self, name: &str) -> Option<u32> {
        rustix::net::netdevice::name_to_index(self.as_fd(), name).ok()
    }

    /// How many datagrams one [`send`](Self::send) takes at most.
    #[must_use]
    pub fn most_at_once(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    /// The next datagrams; `None` where there are none now. News of errors on the way (ICMP) is none.
    ///
    /// # Errors
    /// The socket cannot be read.
    pub fn receive(&self, slab: &mut Slab) -> Result<Option<Datagrams>, NetError> {
        let mut meta = [RecvMeta::default()];
        loop {
            let room = &mut slab.room(LARGEST)[..LARGEST];
            match self.state.recv((&self.socket).into(), &mut [IoSliceMut::new(room)], &mut meta) {
                Ok(_) => break,
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::AGAIN) => return Ok(None),
                    Some(Errno::INTR | Errno::CONNREFUSED | Errno::HOSTUNREACH | Errno::NETUNREACH) => {}
                    _ => return Err(NetError::system(format!("receive datagrams at {}", self.address), error)),
                },
            }
        }
        let [meta] = meta;
        let to = meta.dst_ip.filter(|_| self.address.ip().is_unspecified());
        let at = to.zip(meta.interface_index).map(|(to, interface)| Arrival { address: to.to_canonical(), interface });
        let (from, is_congested) = (unmapped(meta.addr), meta.ecn == Some(EcnCodepoint::Ce));
        Ok(Some(Datagrams { octets: slab.cut_mut(meta.len), each: meta.stride.max(1), from, at, is_congested }))
    }

    /// Sends datagrams of `each` octets, the last of which may be shorter, to one address: as many as one call of the system
    /// takes. Where it refuses several, the first is tried alone, so that one that is too large takes no other with it; where it does not
    /// have the address any more that they are to leave from, it chooses one.
    ///
    /// # Errors
    /// The socket cannot be written. What the way there does is never among the reasons.
    pub fn send(&self, to: SocketAddr, octets: &[u8], each: usize, mut outer: Outer) -> Result<Sent, NetError> {
        let destination = self.mapped(to);
        // From one address of IPv6 the system sends as the routes have it, whatever interface is asked for: the interface counts more, since
        // the routes may lead back into the tunnel.
        if outer.interface.is_some() && unmapped(to).is_ipv6() {
            if !self.address.ip().is_unspecified() {
                return Ok(Sent::Lost(octets.len()));
            }
            outer.source = None;
        }
        // Where the system does not cut them, each goes by itself.
        let all = octets.len().min(each.saturating_mul(self.most_at_once()));
        let mut length = all;
        let mut is_cutting_refused = false;
        loop {
            let sent = message::send(self.as_fd(), destination, &octets[..length], each, outer);
            let Err(error) = sent else {
                if is_cutting_refused {
                    self.most.store(1, Ordering::Relaxed);
                }
                return Ok(Sent::Taken(length));
            };
            match Errno::from_io_error(&error) {
                Some(Errno::INTR) => {}
                Some(Errno::AGAIN) => return Ok(Sent::NoRoom(Again::WhenWritable)),
                // The socket could be written all the time: what is full is the interface's queue, of which nobody tells.
                Some(Errno::NOBUFS | Errno::NOMEM) => return Ok(Sent::NoRoom(Again::After(SOON))),
                Some(Errno::BADF | Errno::NOTSOCK | Errno::FAULT) => {
                    return Err(NetError::system(format!("send datagrams from {}", self.address), error));
                }
                code if length > each => {
                    // Some drivers cannot cut, and say so like this.
                    is_cutting_refused = matches!(code, Some(Errno::IO | Errno::INVAL));
                    length = each;
                }
                // The source address is gone: `EINVAL` from IPv6, `ENETUNREACH` from IPv4. So the driver was not what refused the batch.
                Some(Errno::INVAL | Errno::NETUNREACH) if outer.source.take().is_some() => {
                    (length, is_cutting_refused) = (all, false);
                }
                _ => return Ok(Sent::Lost(length)),
            }
        }
    }

    /// An IPv4 address as a socket of both versions names it.
    fn mapped(&self, address: SocketAddr) -> SocketAddr {
        match address {
            SocketAddr::V4(address) if self.address.is_ipv6() => (address.ip().to_ipv6_mapped(), address.port()).into(),
            _ => address,
        }
    }
}

/// A socket at an address; one of IPv6 is of both versions, however the machine is set up (`net.ipv6.bindv6only`).
fn open(address: SocketAddr) -> Result<StdSocket, Errno> {
    let family = if address.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
    let socket = socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    if address.is_ipv6() {
        sockopt::set_ipv6_v6only(&socket, false)?;
    }
    bind(&socket, &address)?;
    Ok(socket.into())
}

/// Whether a socket at `from` can send to an address: one of IPv4 sends only to IPv4, and one at an address of IPv6 only to IPv6.
#[must_use]
pub fn reaches(from: SocketAddr, to: SocketAddr) -> bool {
    from.is_ipv6() == to.is_ipv6() || from.ip() == Ipv6Addr::UNSPECIFIED
}

/// An IPv4 address that a socket of both versions has named as one of IPv6.
#[must_use]
pub fn unmapped(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V6(six) => six.ip().to_ipv4_mapped().map_or(address, |four| (four, six.port()).into()),
        SocketAddr::V4(_) => address,
    }
}

impl AsFd for UdpSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl fmt::Debug for UdpSocket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("UdpSocket").field("address", &self.address).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, Wait};

    fn pair() -> [UdpSocket; 2] {
        ["127.0.0.1:0", "[::]:0"].map(|address| UdpSocket::bind(address.parse().unwrap()).unwrap())
    }

    fn all(socket: &UdpSocket, octets: usize) -> Vec<Vec<u8>> {
        let (mut slab, mut found, clock, wait) = (Slab::new(), Vec::new(), Clock::start(), Wait::new().unwrap());
        while found.iter().map(Vec::len).sum::<usize>() < octets {
            let Some(Datagrams { octets, each, .. }) = socket.receive(&mut slab).unwrap() else {
                wait.on(&[socket.as_fd()], None, &clock).unwrap();
                continue;
            };
            found.extend(octets.chunks(each).map(<[u8]>::to_vec));
        }
        found
    }

    #[test]
    fn a_batch_arrives_as_the_datagrams_that_were_sent() {
        let [four, both] = pair();
        let to: SocketAddr = ([127, 0, 0, 1], both.address().port()).into();
        let octets: Vec<u8> = (0..3 * 1200 + 77).map(|at| u8::try_from(at % 251).unwrap()).collect();
        assert_eq!(four.send(to, &octets, 1200, Outer::default()).unwrap(), Sent::Taken(octets.len()));
        assert_eq!(all(&both, octets.len()), octets.chunks(1200).map(<[u8]>::to_vec).collect::<Vec<_>>());
        // And back, to an address of IPv4 by a socket of both versions.
        assert_eq!(both.send(four.address(), &octets[..900], 900, Outer::default()).unwrap(), Sent::Taken(900));
        assert_eq!(all(&four, 900), [octets[..900].to_vec()]);
    }

    #[test]
    fn whoever_sent_is_named_by_the_address_that_answers_reach() {
        let [four, both] = pair();
        let to: SocketAddr = ([127, 0, 0, 1], both.address().port()).into();
        assert_eq!(four.send(to, b"hello", 5, Outer::default()).unwrap(), Sent::Taken(5));
        let (mut slab, clock, wait) = (Slab::new(), Clock::start(), Wait::new().unwrap());
        wait.on(&[both.as_fd()], None, &clock).unwrap();
        assert_eq!(both.receive(&mut slab).unwrap().unwrap().from, four.address());
    }

    #[test]
    fn a_datagram_says_that_it_met_congestion_by_the_octet_that_it_was_sent_with() {
        let ([four, both], six) = (pair(), UdpSocket::bind("[::1]:0".parse().unwrap()).unwrap());
        let port = both.address().port();
        let (mut slab, clock, wait) = (Slab::new(), Clock::start(), Wait::new().unwrap());
        for (socket, to) in
            [(&four, SocketAddr::from(([127, 0, 0, 1], port))), (&six, (Ipv6Addr::LOCALHOST, port).into())]
        {
            for (traffic_class, is_congested) in [(46 << 2 | 3, true), (46 << 2 | 2, false), (1, false), (0, false)] {
                let outer = Outer { traffic_class, ..Outer::default() };
                assert_eq!(socket.send(to, b"hello", 5, outer).unwrap(), Sent::Taken(5));
                wait.on(&[both.as_fd()], None, &clock).unwrap();
                let received = both.receive(&mut slab).unwrap().unwrap();
                assert_eq!((&received.octets[..], received.is_congested), (&b"hello"[..], is_congested));
            }
        }
    }

    #[test]
    fn a_batch_that_arrives_at_once_says_that_it_met_congestion_in_both_versions() {
        let [both, four, six] =
            ["[::]:0", "127.0.0.1:0", "[::1]:0"].map(|at| UdpSocket::bind(at.parse().unwrap()).unwrap());
        let (mut slab, clock, wait) = (Slab::new(), Clock::start(), Wait::new().unwrap());
        let of_both = |ip| SocketAddr::new(ip, both.address().port());
        for (from, to, at) in [
            (&four, four.address(), &four),
            (&six, six.address(), &six),
            (&four, of_both(Ipv4Addr::LOCALHOST.into()), &both),
            (&six, of_both(Ipv6Addr::LOCALHOST.into()), &both),
        ] {
            let outer = Outer { traffic_class: 3, ..Outer::default() };
            assert_eq!(from.send(to, &[7; 3 * 1200 + 77], 1200, outer).unwrap(), Sent::Taken(3 * 1200 + 77));
            wait.on(&[at.as_fd()], None, &clock).unwrap();
            let Datagrams { octets, each, is_congested, .. } = at.receive(&mut slab).unwrap().unwrap();
            assert_eq!((octets.len(), each), (3 * 1200 + 77, 1200), "at once");
            assert!(is_congested, "{to} at {}", at.address());
        }
    }

    #[test]
    fn what_arrives_at_one_of_several_addresses_can_be_answered_from_that_one() {
        let [four, _] = pair();
        let (mut slab, clock, wait) = (Slab::new(), Clock::start(), Wait::new().unwrap());
        for all in ["[::]:0", "0.0.0.0:0"].map(|address| UdpSocket::bind(address.parse().unwrap()).unwrap()) {
            let to: SocketAddr = ([127, 0, 0, 2], all.address().port()).into();
            assert_eq!(four.send(to, b"hello", 5, Outer::default()).unwrap(), Sent::Taken(5));
            wait.on(&[all.as_fd()], None, &clock).unwrap();
            let at = all.receive(&mut slab).unwrap().unwrap().at.unwrap();
            assert_eq!(at.address, to.ip());
            let outer = Outer { source: Some(at.address), ..Outer::default() };
            assert_eq!(all.send(four.address(), &[7; 2500], 1200, outer).unwrap(), Sent::Taken(2500));
            wait.on(&[four.as_fd()], None, &clock).unwrap();
            let answer = four.receive(&mut slab).unwrap().unwrap();
            assert_eq!((answer.from, answer.octets.len(), answer.at), (to, 2500, None));
        }
    }

    #[test]
    fn datagrams_from_an_address_that_is_gone_leave_from_another_and_in_batches_still() {
        let ([four, both], six) = (pair(), UdpSocket::bind("[::1]:0".parse().unwrap()).unwrap());
        let most = both.most_at_once();
        for (to, gone, at) in [(&four, "192.0.2.1", "127.0.0.1"), (&six, "2001:db8::1", "::1")] {
            let outer = Outer { source: Some(gone.parse().unwrap()), ..Outer::default() };
            assert_eq!(both.send(to.address(), &[7; 2500], 1200, outer).unwrap(), Sent::Taken(2500));
            let (mut slab, clock, wait) = (Slab::new(), Clock::start(), Wait::new().unwrap());
            wait.on(&[to.as_fd()], None, &clock).unwrap();
            let received = to.receive(&mut slab).unwrap().unwrap();
            assert_eq!((received.from.ip(), received.octets.len()), (at.parse().unwrap(), 2500));
        }
        assert_eq!(both.most_at_once(), most);
    }

    #[test]
    fn datagrams_that_cannot_leave_are_lost_and_the_socket_goes_on() {
        let ([four, both], plain) = (pair(), Outer::default());
        let to: SocketAddr = ([127, 0, 0, 1], both.address().port()).into();
        assert_eq!(
            four.send(to, &vec![7; 65_535], 65_535, plain).unwrap(),
            Sent::Lost(65_535),
            "larger than UDP carries"
        );
        assert_eq!(
            four.send("[2001:db8::1]:9".parse().unwrap(), b"x", 1, plain).unwrap(),
            Sent::Lost(1),
            "another version"
        );
        // In a batch, the first alone.
        assert_eq!(four.send(to, &vec![7; 65_535 + 5], 65_535, plain).unwrap(), Sent::Lost(65_535));
        assert_eq!(four.send(to, b"hello", 5, plain).unwrap(), Sent::Taken(5));
        assert_eq!(all(&both, 5), [b"hello".to_vec()]);
    }

    #[test]
    fn a_socket_at_all_addresses_reaches_both_versions_and_others_their_own() {
        let [four, six]: [SocketAddr; 2] = ["192.0.2.1:9", "[2001:db8::1]:9"].map(|address| address.parse().unwrap());
        let reached = |address: &str| {
            let socket = UdpSocket::bind(address.parse().unwrap()).unwrap();
            [reaches(socket.address(), four), reaches(socket.address(), six)]
        };
        assert_eq!(["127.0.0.1:0", "[::1]:0", "[::]:0"].map(reached), [[true, false], [false, true], [true, true]]);
    }

    #[test]
    fn an_address_that_is_taken_is_an_error_that_names_it() {
        let [four, _] = pair();
        let error = UdpSocket::bind(four.address()).unwrap_err().to_string();
        assert!(error.contains(&four.address().to_string()), "{error}");
    }
}
