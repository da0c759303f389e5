//! A line made of a UDP socket: one frame, one datagram.
//!
//! ```text
//!     +-----+------------------+---------------------------+
//!     | tag |  head            |  body                     |   no length, no checksum: UDP has both
//!     +-----+------------------+---------------------------+
//! ```
//!
//! Like any line it carries one frame at a time. A frame that the socket has no room for (`EAGAIN`) stays on the line,
//! started as it is, until the socket is writable; meanwhile the line is not free. A frame that the socket refuses for
//! any other reason (the peer's port is closed, there is no way to it) has departed and is lost, as on a radio link:
//! whether it comes again is for its service to say.

use arqway_link::{Frame, Tag, Ticket};
use bytes::Bytes;
use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::collections::VecDeque;
use std::os::fd::OwnedFd;

/// The largest UDP payload over IPv4: 16 bits of length, less 20 octets of IP header and 8 of UDP's own.
pub(crate) const LARGEST_DATAGRAM: usize = 65_535 - 28;

/// What the line has counted since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UdpCounters {
    /// Frames that the socket took.
    pub frames_sent: u64,
    /// Frames that the socket refused for another reason than a lack of room.
    pub frames_lost: u64,
    /// Frames received, whatever their service made of them.
    pub frames_received: u64,
    /// Datagrams received without a single octet, hence without a tag.
    pub datagrams_empty: u64,
    /// Errors found waiting at the socket, such as the news that the peer's port is closed.
    pub errors_received: u64,
}

/// A nonblocking datagram socket, connected to the peer.
#[derive(Debug)]
pub(crate) struct UdpLine {
    socket: OwnedFd,
    /// The frame on the line, if any: its octets are in `outgoing`.
    sending: Option<(Tag, Option<Ticket>)>,
    outgoing: Vec<u8>,
    incoming: Box<[u8]>,
    departed: VecDeque<(Tag, Ticket)>,
    counters: UdpCounters,
}

/// What was read from the socket was no frame; it is counted.
struct NoFrame;

impl UdpLine {
    /// A free line over a socket that is connected and does not block.
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            sending: None,
            outgoing: Vec::new(),
            incoming: vec![0; LARGEST_DATAGRAM].into_boxed_slice(),
            departed: VecDeque::new(),
            counters: UdpCounters::default(),
        }
    }

    pub(crate) fn counters(&self) -> &UdpCounters {
        &self.counters
    }

    /// What to wait for: datagrams, and room in the socket if a frame waits for it.
    pub(crate) fn poll_fd(&self) -> PollFd<'_> {
        let wanted = if self.is_free() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        PollFd::new(&self.socket, wanted)
    }

    pub(crate) fn is_free(&self) -> bool {
        self.sending.is_none()
    }

    /// Starts a frame on the free line: the one copy of its octets, into a buffer used again and again.
    pub(crate) fn start(&mut self, frame: &Frame) {
        debug_assert!(self.is_free(), "a line carries one frame at a time");
        self.outgoing.clear();
        self.outgoing.push(frame.tag.as_octet());
        frame.parts().iter().for_each(|part| self.outgoing.extend_from_slice(part));
        self.sending = Some((frame.tag, frame.ticket));
        self.finish();
    }

    /// Sends the frame on the line, if there is one and the socket has room for it by now.
    pub(crate) fn finish(&mut self) {
        let Some((tag, ticket)) = self.sending else { return };
        match retry_on_intr(|| send(&self.socket, &self.outgoing, SendFlags::empty())) {
            Err(Errno::AGAIN) => return,
            Ok(_) => self.counters.frames_sent += 1,
            Err(_) => self.counters.frames_lost += 1,
        }
        self.sending = None;
        self.departed.extend(ticket.map(|ticket| (tag, ticket)));
    }

    /// The next frame with a ticket that has left the line.
    pub(crate) fn poll_departure(&mut self) -> Option<(Tag, Ticket)> {
        self.departed.pop_front()
    }

    /// The frames that have arrived, reading the socket at most `budget` times.
    pub(crate) fn receive(&mut self, budget: usize) -> impl Iterator<Item = Frame> {
        (0..budget).map_while(|_| self.read()).flatten()
    }

    /// Reads once, or gives `None` when nothing waits.
    fn read(&mut self) -> Option<Result<Frame, NoFrame>> {
        match retry_on_intr(|| recv(&self.socket, &mut *self.incoming, RecvFlags::empty())) {
            Ok((length, _)) => Some(self.frame_of(length)),
            Err(Errno::AGAIN) => None,
            Err(_) => {
                self.counters.errors_received += 1;
                Some(Err(NoFrame))
            }
        }
    }

    /// The frame in the first `length` octets of what was read.
    ///
    /// It gets a copy of its own size. A slice of a shared read buffer would save the copy, but every small frame kept
    /// for resequencing would then keep 64 KiB alive.
    fn frame_of(&mut self, length: usize) -> Result<Frame, NoFrame> {
        let Some((tag, rest)) = self.incoming[..length].split_first() else {
            self.counters.datagrams_empty += 1;
            return Err(NoFrame);
        };
        self.counters.frames_received += 1;
        Ok(Frame::from_wire(Tag::from_octet(*tag), Bytes::copy_from_slice(rest)))
    }
}
