//! The loop: wait, read the clock, tell the service what happened, pump.
//!
//! ```text
//!     ppoll(socket, network layer, deadline)
//!       -> now                          read once a turn: all that follows happens at one time
//!       -> the frame on the line        goes on, if the socket had no room for it
//!       -> handle_frame x BATCH
//!       -> handle_timeout               if the deadline is due still
//!       -> pump, departures, handle_packet x BATCH, and again until quiet
//! ```
//!
//! What has arrived is read before a timer fires: where this process was kept from running, the acknowledgement that
//! the timer waits for is likely among it. A batch has a budget, so that neither side starves the other. Packets that
//! a service of the link has no room for are dropped and counted, as any device does: those of other classes go on. The
//! multiplexer has a queue a class for them ([`QueueLimits`](arqway_link::mux::QueueLimits)).

use crate::network::NetworkLayer;
use crate::port::TunnelPort;
use crate::udp::{LARGEST_DATAGRAM, UdpCounters, UdpLine};
use arqway_link::{Departure, LinkService, Packet, pump, too_big};
use arqway_net::{Clock, timeout};
use arqway_units::{Octets, Time};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io;
use std::net::UdpSocket;

/// How many datagrams, and how many packets, one turn takes at most.
const BATCH: usize = 64;

/// Why an endpoint cannot go on. What the peer or the way to it does is never among the reasons.
#[derive(Debug, thiserror::Error)]
pub enum TunnelError {
    /// The socket has no peer.
    #[error("the UDP socket is not connected to the other end")]
    NotConnected(#[source] io::Error),
    /// The socket stays as it is.
    #[error("cannot make the UDP socket nonblocking")]
    Blocking(#[source] io::Error),
    /// There is nothing to read from any more, and there never will be.
    #[error("the network layer closed its descriptor while the endpoint was running")]
    NetworkLayerClosed,
    /// The system refused to wait.
    #[error("cannot poll the socket and the network layer's descriptor")]
    Wait(#[source] io::Error),
}

/// One end of a link over UDP: a service, its socket, its network layer and its clock.
#[derive(Debug)]
pub struct Endpoint<S, N> {
    service: S,
    port: TunnelPort<N>,
    clock: Clock,
    /// Packets that fit no datagram: they were dropped, and their senders told by ICMP.
    packets_too_large: u64,
    /// Packets for which there was no room, and which were dropped.
    packets_dropped: u64,
    /// The last turn's budget for packets ran out, so the network layer may have more.
    more_packets: bool,
}

impl<S: LinkService, N: NetworkLayer> Endpoint<S, N> {
    /// An endpoint whose time starts now.
    ///
    /// # Errors
    /// The socket is not connected to a peer, or cannot be made nonblocking.
    pub fn new(service: S, network: N, socket: UdpSocket) -> Result<Self, TunnelError> {
        socket.peer_addr().map_err(TunnelError::NotConnected)?;
        socket.set_nonblocking(true).map_err(TunnelError::Blocking)?;
        Ok(Self::over(service, network, UdpLine::new(socket.into())))
    }

    pub(crate) fn over(service: S, network: N, line: UdpLine) -> Self {
        let port = TunnelPort::new(line, network);
        // What the network layer has from the beginning wakes nobody: the first turn must not wait.
        Self { service, port, clock: Clock::start(), packets_too_large: 0, packets_dropped: 0, more_packets: true }
    }

    /// The service, to read its counters.
    pub fn service(&self) -> &S {
        &self.service
    }

    /// The network layer.
    pub fn network(&self) -> &N {
        &self.port.network
    }

    /// What was counted at the socket.
    pub fn counters(&self) -> &UdpCounters {
        self.port.line.counters()
    }

    /// How many packets of the network layer fit no datagram, and were dropped.
    pub fn packets_too_large(&self) -> u64 {
        self.packets_too_large
    }

    /// How many packets of the network layer found their queue full, or their service where that has none, and were dropped.
    pub fn packets_dropped(&self) -> u64 {
        self.packets_dropped
    }

    /// When the service will next act without being told anything; `None` when it is at rest.
    pub fn deadline(&self) -> Option<Time> {
        self.port.deadline()
    }

    /// Waits for input or a deadline, but not beyond `latest`; then does all there is to do, and says what time it was.
    ///
    /// A signal ends the wait early, so that the caller can see what its handler has left.
    ///
    /// # Errors
    /// The endpoint cannot go on: its network layer has closed, or the system does not let it wait.
    pub fn turn(&mut self, latest: Time) -> Result<Time, TunnelError> {
        self.wait(latest)?;
        let now = self.clock.now();
        self.port.line.finish();
        for frame in self.port.line.receive(BATCH) {
            self.service.handle_frame(frame, now);
        }
        if self.service.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.service.handle_timeout(now);
        }
        self.settle(now);
        Ok(now)
    }

    fn wait(&self, latest: Time) -> Result<(), TunnelError> {
        let now = self.clock.now();
        let until = if self.more_packets { now } else { self.deadline().map_or(latest, |due| due.min(latest)) };
        let timeout = timeout(until.since(now));
        let line = self.port.line.poll_fd();
        let waited = match self.port.network.descriptor() {
            None => poll(&mut [line], timeout.as_ref()),
            Some(network) => {
                let mut both = [line, PollFd::from_borrowed_fd(network, PollFlags::IN)];
                let waited = poll(&mut both, timeout.as_ref());
                if is_closed(both[1].revents()) {
                    return Err(TunnelError::NetworkLayerClosed);
                }
                waited
            }
        };
        match waited {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(TunnelError::Wait(error.into())),
        }
    }

    /// Pumps until quiet: a frame sent makes room for a packet, a packet taken makes a frame, and a departure may do
    /// either.
    fn settle(&mut self, now: Time) {
        let mut budget = BATCH;
        loop {
            pump(&mut self.service, &mut self.port, now);
            let departed = self.report_departures(now);
            let taken = self.offer_packets(&mut budget, now);
            if !departed && !taken {
                break;
            }
        }
        self.more_packets = budget == 0;
    }

    fn report_departures(&mut self, now: Time) -> bool {
        let mut any = false;
        while let Some((tag, ticket)) = self.port.line.poll_departure() {
            self.service.handle_departure(tag, ticket, Departure::Sent, now);
            any = true;
        }
        any
    }

    /// Offers packets while the budget lasts. Whether there were any.
    fn offer_packets(&mut self, budget: &mut usize, now: Time) -> bool {
        let largest = self.service.largest_packet(Octets::of(LARGEST_DATAGRAM));
        let mut any = false;
        while *budget > 0 {
            let Some(packet) = self.port.network.poll_packet() else { break };
            *budget -= 1;
            if packet.size() > largest {
                // A reliable service would send it again for ever. Its sender learns what fits.
                self.packets_too_large += 1;
                if let Some(answer) = too_big(&packet.octets, largest) {
                    self.port.network.deliver(Packet::new(answer));
                }
            } else if self.service.handle_packet(packet, now).is_ok() {
                any = true;
            } else {
                self.packets_dropped += 1;
            }
        }
        any
    }
}

/// Whether a descriptor will never have anything to read again.
fn is_closed(events: PollFlags) -> bool {
    !events.contains(PollFlags::IN) && events.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
}
