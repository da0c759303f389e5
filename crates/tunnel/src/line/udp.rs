//! Datagrams over UDP, in batches.
//!
//! A machine may have several addresses. Who called one of them is answered from that one, since the firewall or NAT before it lets no
//! other in. Which one that was is kept here by where the datagrams came from, so that neither the session nor a packet knows of it.

use super::{Line, LineNews, SystemLine};
use arqway_net::{Arrival, Datagrams, NetError, Outer, Sent, UdpSocket, Underlay, Way};
use arqway_slab::Slab;
use arqway_units::{Span, Time};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd as _, BorrowedFd};

/// So many callers are kept: a peer has another entry whenever it has moved.
const MOST: usize = 16 * 1024;
/// How often it is heard that routes have changed: on a router they may do so all the time, and each peer costs a question to the kernel then.
const NEWS_INTERVAL: Span = Span::from_milliseconds(1000);

#[derive(Debug)]
pub(super) struct UdpLine {
    socket: UdpSocket,
    slab: Slab,
    /// None where there is nothing to choose: the socket is at one address, and no route leads into the tunnel.
    underlay: Option<Underlay>,
    /// Where what is genuine arrived last, by where it came from.
    callers: BTreeMap<SocketAddr, Caller>,
    /// When it was last tended.
    now: Time,
    /// When it is heard again that routes have changed.
    hears_from: Time,
    /// The one interface that datagrams leave by, where that is said.
    by: Option<ByInterface>,
}

/// An interface, which may come and go.
#[derive(Debug)]
struct ByInterface {
    name: String,
    /// Its number; none while it is not there.
    number: Option<u32>,
    /// When it is looked for again.
    look_at: Time,
}

#[derive(Debug)]
struct Caller {
    called: Arrival,
    /// Whether answers leave from there, as the routes are now; `None` until that is asked.
    is_answered_there: Option<bool>,
}

impl UdpLine {
    pub(super) fn bind(address: SocketAddr, interface: Option<String>) -> Result<Self, NetError> {
        let socket = UdpSocket::bind(address)?;
        let chooses = interface.is_none() && socket.address().ip().is_unspecified();
        let underlay = chooses.then(Underlay::open).transpose()?;
        let by = interface.map(|name| ByInterface { number: socket.interface(&name), name, look_at: Time::ZERO });
        Ok(Self {
            socket,
            slab: Slab::new(),
            underlay,
            callers: BTreeMap::new(),
            now: Time::ZERO,
            hears_from: Time::ZERO,
            by,
        })
    }

    /// The address that datagrams leave from, if the routes are not to choose it. An answer to a sender who is not known to be a
    /// peer leaves from the address that it called, unchecked: strangers must not cost a question to the kernel each.
    fn source(&mut self, to: SocketAddr, answered: Option<Arrival>) -> Option<IpAddr> {
        let underlay = self.underlay.as_mut()?;
        match self.callers.get_mut(&to).filter(|caller| answered.is_none_or(|answered| answered == caller.called)) {
            Some(Caller { called, is_answered_there }) => {
                let is_answered_there = is_answered_there.get_or_insert_with(|| underlay.leads_back(to.ip(), *called));
                is_answered_there.then_some(called.address)
            }
            None => answered.map(|answered| answered.address),
        }
    }
}

impl Line for UdpLine {
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError> {
        self.socket.receive(&mut self.slab)
    }

    fn heard(&mut self, from: SocketAddr, at: Arrival) {
        if self.callers.get(&from).is_some_and(|caller| caller.called == at) {
            return;
        }
        // Those that are still there are heard again.
        if self.callers.len() == MOST {
            self.callers.clear();
        }
        self.callers.insert(from, Caller { called: at, is_answered_there: None });
    }

    fn send(
        &mut self,
        to: SocketAddr,
        answered: Option<Arrival>,
        octets: &[u8],
        each: usize,
        traffic_class: u8,
    ) -> Result<Sent, NetError> {
        if let Some(by) = &self.by {
            // Nobody gets what is sent while it is not there.
            let Some(number) = by.number else { return Ok(Sent::Lost(octets.len())) };
            let outer = Outer { traffic_class, interface: Some(number), source: None };
            return self.socket.send(to, octets, each, outer);
        }
        let interface = match self.underlay.as_mut().map(|underlay| underlay.way_to(to.ip())) {
            None | Some(Way::AsRouted) => None,
            Some(Way::By(interface)) => Some(interface),
            Some(Way::Nowhere) => return Ok(Sent::Lost(octets.len())),
        };
        let source = self.source(to, answered);
        self.socket.send(to, octets, each, Outer { traffic_class, interface, source })
    }

    fn is_crowded(&self) -> bool {
        self.slab.is_crowded()
    }
}

impl SystemLine for UdpLine {
    fn place(&self) -> String {
        match &self.by {
            Some(by) => format!("{} at port {}", by.name, self.address().port()),
            None => self.address().to_string(),
        }
    }

    fn address(&self) -> SocketAddr {
        self.socket.address()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn go_around(&mut self, underlay: Underlay) {
        // What leaves by an interface that is said leaves by no other.
        self.underlay = Some(underlay).filter(|_| self.by.is_none());
    }

    fn changes(&self) -> Option<BorrowedFd<'_>> {
        self.underlay.as_ref().filter(|_| self.now >= self.hears_from).map(|underlay| underlay.as_fd())
    }

    fn changed(&mut self, now: Time) {
        self.hears_from = now + NEWS_INTERVAL;
        self.underlay.iter_mut().for_each(Underlay::changed);
        self.callers.values_mut().for_each(|caller| caller.is_answered_there = None);
    }

    fn poll_timeout(&self) -> Option<Time> {
        let hears = (self.underlay.is_some() && self.now < self.hears_from).then_some(self.hears_from);
        hears.into_iter().chain(self.by.as_ref().map(|by| by.look_at)).min()
    }

    fn tend(&mut self, now: Time) -> Option<LineNews> {
        self.now = now;
        let by = self.by.as_mut().filter(|by| by.look_at <= now)?;
        by.look_at = now + NEWS_INTERVAL;
        let before = std::mem::replace(&mut by.number, self.socket.interface(&by.name));
        match (before, by.number) {
            (Some(_), None) => Some(LineNews::Gone { why: format!("there is no interface `{}`", by.name) }),
            (None, Some(_)) => Some(LineNews::Back),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_routes_are_heard_at_once_and_then_a_second_apart() {
        let mut line = UdpLine::bind("0.0.0.0:0".parse().unwrap(), None).unwrap();
        let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
        let heard_at = |line: &mut UdpLine, milliseconds| {
            line.tend(at(milliseconds));
            (line.changes().is_some(), line.poll_timeout())
        };
        assert_eq!(heard_at(&mut line, 0), (true, None));
        line.changed(at(500));
        let later = [500, 1499, 1500].map(|milliseconds| heard_at(&mut line, milliseconds));
        assert_eq!(later, [(false, Some(at(1500))), (false, Some(at(1500))), (true, None)]);
    }
}
