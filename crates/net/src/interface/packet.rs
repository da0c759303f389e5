//! A packet socket on an interface that is there already: packet(7).

use super::cut_next;
use crate::option;
use arqway_ip::offload::{Carries, Cutter, ETHERNET_HEADER, LARGEST, Missing, Whole, complete};
use arqway_slab::Slab;
use bytes::Bytes;
use rustix::io::Errno;
use rustix::net::sockopt::{
    set_socket_recv_buffer_size, set_socket_recv_buffer_size_force, set_socket_send_buffer_size,
    set_socket_send_buffer_size_force,
};
use rustix::net::{AddressFamily, SendAncillaryBuffer, SendFlags, SocketFlags, SocketType, sendmsg, socket_with};
use std::io::{self, IoSlice};
use std::mem::offset_of;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Room for the tag of a VLAN, which the system has taken off.
const TAG: usize = 4;
/// Where the frame begins in what is read.
const FRAME: usize = TAG + Missing::LENGTH;
/// What may wait in the system for us and for the interface, in octets as the system counts them.
const BUFFER: usize = 4 * 1024 * 1024;

/// A socket that sees all that comes in at an interface, and sends out of it.
pub(super) struct PacketSocket {
    socket: OwnedFd,
    /// Room for a tag, the system's note of what is missing, and the frame.
    buffer: Box<[u8]>,
    /// A super-packet of which there is more, and where it is in the buffer.
    cutting: Option<(Cutter, Range<usize>)>,
    dropped: u64,
}

/// What comes with a frame: a struct cmsghdr, aligned as one, and its data.
#[repr(C, align(8))]
struct Control([u8; 64]);

impl PacketSocket {
    /// Opens one on the interface of this number, in the calling thread's namespace.
    pub(super) fn open(index: u32) -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // Without a protocol: nothing comes in before the socket is bound to the one interface.
        let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        let on = 1_i32.to_ne_bytes();
        for option in [libc::PACKET_VNET_HDR, libc::PACKET_AUXDATA, libc::PACKET_IGNORE_OUTGOING] {
            option::set(&socket, libc::SOL_PACKET, option, &on)?;
        }
        // Without CAP_NET_ADMIN on the machine, as much as the machine gives everyone.
        set_socket_recv_buffer_size_force(&socket, BUFFER).or_else(|_| set_socket_recv_buffer_size(&socket, BUFFER))?;
        set_socket_send_buffer_size_force(&socket, BUFFER).or_else(|_| set_socket_send_buffer_size(&socket, BUFFER))?;
        bind(&socket, index)?;
        // struct packet_mreq: the interface, what is wanted, and an address of no length.
        let mut promiscuous = [0; 16];
        promiscuous[..4].copy_from_slice(&index.to_ne_bytes());
        promiscuous[4..6].copy_from_slice(&u16::try_from(libc::PACKET_MR_PROMISC).unwrap_or_default().to_ne_bytes());
        option::set(&socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &promiscuous)?;
        Ok(Self { socket, buffer: vec![0; FRAME + LARGEST].into_boxed_slice(), cutting: None, dropped: 0 })
    }

    /// Whether there is more of the super-packet that came in last.
    pub(super) fn has_more(&self) -> bool {
        self.cutting.is_some()
    }

    /// The next packet, whole as on a wire; `None` where what came in was none, which is counted.
    pub(super) fn receive(&mut self, slab: &mut Slab) -> io::Result<Option<Bytes>> {
        if let Some(packet) = self.cut(slab) {
            return Ok(Some(packet));
        }
        let arrived = match self.read() {
            Ok(arrived) => arrived,
            // The system found no words for what is missing from it, and has dropped it.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::INVAL) => None,
            Err(error) => return Err(error),
        };
        let Some((frame, missing)) = arrived else {
            self.dropped += 1;
            return Ok(None);
        };
        match complete(&mut self.buffer[frame.clone()], Carries::Frames, missing, FRAME - frame.start) {
            Whole::AsItIs => return Ok(Some(slab.copy(&self.buffer[frame]))),
            Whole::Cut(cutter) => self.cutting = Some((cutter, frame)),
            Whole::Broken => self.dropped += 1,
        }
        Ok(self.cut(slab))
    }

    /// The next packet of the super-packet that came in last.
    fn cut(&mut self, slab: &mut Slab) -> Option<Bytes> {
        let (cutter, frame) = self.cutting.as_mut()?;
        let packet = cut_next(cutter, &self.buffer[frame.clone()], slab);
        if packet.is_none() || cutter.is_done(frame.len()) {
            self.cutting = None;
        }
        packet
    }

    /// Reads what came in: where it is in the buffer, and what is missing from it. `None` where it did not fit.
    fn read(&mut self) -> io::Result<Option<(Range<usize>, Missing)>> {
        let mut control = Control([0; 64]);
        let (length, is_cut) = receive_message(&self.socket, &mut self.buffer[TAG..], &mut control)?;
        let note = self.buffer[TAG..].first_chunk().filter(|_| length >= Missing::LENGTH + ETHERNET_HEADER && !is_cut);
        let Some(missing) = note.map(Missing::parse) else { return Ok(None) };
        let mut frame = FRAME..TAG + length;
        if let Some(tag) = control.tag() {
            // The system keeps the tag of a VLAN beside the frame: back between the addresses and the type with it.
            frame.start -= TAG;
            self.buffer.copy_within(FRAME..FRAME + 12, frame.start);
            self.buffer[frame.start + 12..FRAME + 12].copy_from_slice(&tag);
        }
        Ok(Some((frame, missing)))
    }

    /// Sends a frame, whole as it is.
    pub(super) fn send(&self, frame: &[u8]) -> io::Result<()> {
        let parts = [IoSlice::new(&Missing::NOTHING), IoSlice::new(frame)];
        sendmsg(&self.socket, &parts, &mut SendAncillaryBuffer::default(), SendFlags::empty())?;
        Ok(())
    }

    /// Packets that were dropped before we read them, or that were none.
    pub(super) fn overruns(&mut self) -> u64 {
        // struct tpacket_stats: packets, of them dropped, both since the last time that somebody asked.
        if let Ok([_, _, _, _, dropped @ ..]) =
            option::get::<8>(&self.socket, libc::SOL_PACKET, libc::PACKET_STATISTICS)
        {
            self.dropped += u64::from(u32::from_ne_bytes(dropped));
        }
        self.dropped
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Control {
    /// The tag of a VLAN that the frame had: struct tpacket_auxdata, behind a struct cmsghdr.
    fn tag(&self) -> Option<[u8; TAG]> {
        let (header, data) = self.0.split_at(size_of::<libc::cmsghdr>());
        let of_header = |at: usize| header.get(at..)?.first_chunk().map(|octets| i32::from_ne_bytes(*octets));
        let of_data = |at: usize| data.get(at..)?.first_chunk().map(|octets| u16::from_ne_bytes(*octets));
        let kind =
            (of_header(offset_of!(libc::cmsghdr, cmsg_level))?, of_header(offset_of!(libc::cmsghdr, cmsg_type))?);
        let status = data.first_chunk().map(|octets| u32::from_ne_bytes(*octets))?;
        if kind != (libc::SOL_PACKET, libc::PACKET_AUXDATA) || status & libc::TP_STATUS_VLAN_VALID == 0 {
            return None;
        }
        let has_type = status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
        let kind = if has_type { of_data(offset_of!(libc::tpacket_auxdata, tp_vlan_tpid))? } else { 0x8100 };
        let [a, b] = kind.to_be_bytes();
        let [c, d] = of_data(offset_of!(libc::tpacket_auxdata, tp_vlan_tci))?.to_be_bytes();
        Some([a, b, c, d])
    }
}

/// Binds a packet socket to an interface, for all protocols.
fn bind(socket: &OwnedFd, index: u32) -> io::Result<()> {
    let address = libc::sockaddr_ll {
        sll_family: u16::try_from(libc::AF_PACKET).unwrap_or_default(),
        sll_protocol: u16::try_from(libc::ETH_P_ALL).unwrap_or_default().to_be(),
        sll_ifindex: i32::try_from(index).unwrap_or_default(),
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let length = libc::socklen_t::try_from(size_of_val(&address)).unwrap_or_default();
    // SAFETY: the system only reads from `address`, and not beyond its length.
    #[expect(unsafe_code, reason = "rustix has no address of a packet socket")]
    let result = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Reads a frame and what comes with it: how many octets, and whether it had more than fit.
fn receive_message(socket: &OwnedFd, octets: &mut [u8], control: &mut Control) -> io::Result<(usize, bool)> {
    let mut part = libc::iovec { iov_base: octets.as_mut_ptr().cast(), iov_len: octets.len() };
    // SAFETY: zeros are valid for each field of a `msghdr`: numbers and pointers that are not followed. Then the system
    // writes at most `octets.len()` octets into `octets` and 64 into `control`, all of them initialized, while nobody else uses them.
    #[expect(unsafe_code, reason = "rustix drops control messages that it does not know, such as PACKET_AUXDATA")]
    let (length, flags) = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = control.0.len();
        (libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0), message.msg_flags)
    };
    let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
    Ok((length, flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) != 0))
}
