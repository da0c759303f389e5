//! One call of the system that sends datagrams, with what no safe crate lets us say of them: sendmsg(2).
//!
//! | control message | says |
//! | --- | --- |
//! | `UDP_SEGMENT`, udp(7) | how long each datagram is |
//! | `IP_TOS`, ip(7); `IPV6_TCLASS`, ipv6(7) | the octet of DSCP and ECN |
//! | `IP_PKTINFO`; `IPV6_PKTINFO` | from which address, and by which interface, they leave |

use super::Outer;
use arrayvec::ArrayVec;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, BorrowedFd};

/// What goes before the data of a control message: its length with this, the level and the kind.
const HEADER: usize = size_of::<usize>() + 8;
const _: () = assert!(HEADER == size_of::<libc::cmsghdr>(), "struct cmsghdr is as glibc has it");
/// Room for one of each: headers, and data of 2, 4 and 20 octets, each padded to 8. So whatever is appended below fits.
const MOST: usize = 3 * HEADER + 40;

/// Control messages, aligned as such.
#[repr(C, align(8))]
struct Control([u8; MOST]);

/// An address as the system has it.
#[repr(C)]
union Name {
    v4: libc::sockaddr_in,
    v6: libc::sockaddr_in6,
}

/// Sends datagrams of `each` octets, the last of which may be shorter, to an address as the socket names it.
pub(super) fn send(socket: BorrowedFd<'_>, to: SocketAddr, octets: &[u8], each: usize, outer: Outer) -> io::Result<()> {
    let (mut name, length) = name(to);
    let parts = control(to, (octets.len() > each).then_some(each), outer);
    let mut control = Control([0; MOST]);
    control.0[..parts.len()].copy_from_slice(&parts);
    let mut part = libc::iovec { iov_base: octets.as_ptr().cast_mut().cast(), iov_len: octets.len() };
    // SAFETY: zeros are valid for each field of a `msghdr`: numbers and pointers that are not followed. The system only reads what the
    // others point to, within the lengths given, and all of it outlives the call: name, octets and control messages.
    #[expect(unsafe_code, reason = "rustix has no control messages but those of Unix sockets")]
    let sent = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_name = (&raw mut name).cast();
        message.msg_namelen = length;
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = parts.len();
        libc::sendmsg(socket.as_raw_fd(), &raw const message, 0)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// An address for the system, and its length.
fn name(to: SocketAddr) -> (Name, libc::socklen_t) {
    let family = |family: i32| libc::sa_family_t::try_from(family).unwrap_or_default();
    let length = |length: usize| libc::socklen_t::try_from(length).unwrap_or_default();
    match to {
        SocketAddr::V4(to) => {
            let v4 = libc::sockaddr_in {
                sin_family: family(libc::AF_INET),
                sin_port: to.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(to.ip().octets()) },
                sin_zero: [0; 8],
            };
            (Name { v4 }, length(size_of_val(&v4)))
        }
        SocketAddr::V6(to) => {
            let v6 = libc::sockaddr_in6 {
                sin6_family: family(libc::AF_INET6),
                sin6_port: to.port().to_be(),
                sin6_flowinfo: to.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: to.ip().octets() },
                sin6_scope_id: to.scope_id(),
            };
            (Name { v6 }, length(size_of_val(&v6)))
        }
    }
}

/// The control messages of a call.
fn control(to: SocketAddr, each: Option<usize>, outer: Outer) -> ArrayVec<u8, MOST> {
    let mut control = ArrayVec::new();
    if let Some(each) = each.and_then(|each| u16::try_from(each).ok()) {
        push(&mut control, libc::SOL_UDP, libc::UDP_SEGMENT, &each.to_ne_bytes());
    }
    // A socket of both versions speaks of IPv4 by IPv4's messages.
    let is_ipv4 = super::unmapped(to).is_ipv4();
    let class = i32::from(outer.traffic_class).to_ne_bytes();
    let (level, kind) =
        if is_ipv4 { (libc::IPPROTO_IP, libc::IP_TOS) } else { (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) };
    push(&mut control, level, kind, &class);
    if outer.interface.is_some() || outer.source.is_some() {
        // Zeros leave the interface, or the address, to the routes.
        let interface = outer.interface.unwrap_or(0).to_ne_bytes();
        if is_ipv4 {
            // struct in_pktinfo: the interface, the address that they leave from, and one that only counts for what arrives.
            let mut info = [0; 12];
            info[..4].copy_from_slice(&interface);
            if let Some(IpAddr::V4(source)) = outer.source {
                info[4..8].copy_from_slice(&source.octets());
            }
            push(&mut control, libc::IPPROTO_IP, libc::IP_PKTINFO, &info);
        } else {
            // struct in6_pktinfo: the address, and the interface.
            let mut info = [0; 20];
            if let Some(IpAddr::V6(source)) = outer.source {
                info[..16].copy_from_slice(&source.octets());
            }
            info[16..].copy_from_slice(&interface);
            push(&mut control, libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, &info);
        }
    }
    control
}

/// Appends a control message: struct cmsghdr, its data, and zeros up to where the next one may begin.
fn push(control: &mut ArrayVec<u8, MOST>, level: i32, kind: i32, data: &[u8]) {
    control.extend((HEADER + data.len()).to_ne_bytes());
    control.extend(level.to_ne_bytes());
    control.extend(kind.to_ne_bytes());
    control.extend(data.iter().copied());
    let end = control.len().next_multiple_of(align_of::<usize>());
    control.extend(std::iter::repeat_n(0, end - control.len()));
}
