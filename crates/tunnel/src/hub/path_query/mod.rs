//! What a path of links does: `arqway path`. A question travels to a destination as a packet among others, over tunnels and whatever lies between them;
//! each link that it crosses adds what its services do, and so does each that the answer crosses.
//!
//! ```text
//!     asks         its link          a hub: two links, routed by its system         destination
//!      | question  + name, rate,      ------>      + those of the next link  ---->  | has the address
//!      |             goodput, resent    | + losses: what only this end knows        | + losses
//!      | <------------------------------ answer ------------------------------------|   and the same again
//! ```
//!
//! A link's sending end knows its goodput and how often frames are sent again, its receiving end what is lost (multiservice, Section IX): the sender
//! writes its half when the packet enters the link, the receiver completes it when the packet leaves. Messages are packets of protocol 253, which is
//! for experiments (RFC 3692, Section 2.1); an answer is no more than the path's links larger than its question, and a question without
//! an address is for whoever is at the other end of a link.

mod message;

use message::MOST_LINKS;
pub(crate) use message::Message;
pub use message::{Link, LinkServiceMetrics};

use arqway_link::bearer::{Finding, PathMetrics};
use arqway_link::metrics::{EndMetrics, LinkDelay, SenderMetrics};
use arqway_link::mux::{Headers, Protocol};
use arqway_link::path::{Observed, service_metrics};
use arqway_link::{Bearer, LineId, Mux, Packet, ServiceConfig, datagram};
use arqway_units::{BitRate, Ratio, Time};
use bytes::Bytes;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// For experiments.
const PROTOCOL: u8 = 253;
/// "All hosts on this network", RFC 1112, Section 4; "all nodes on this link", RFC 4291, Section 2.7.1.
const WHOEVER: (Ipv4Addr, Ipv6Addr) = (Ipv4Addr::new(224, 0, 0, 1), Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1));
/// An answer that is larger would not fit into a packet of IPv6 that every link carries.
const LARGEST: usize = 1232;

/// What this end says of itself in questions and answers.
#[derive(Debug, Clone, Default)]
pub struct PathNames {
    /// Its own addresses in the tunnel.
    pub addresses: Vec<IpAddr>,
    /// What its links are called: the name of the tunnel, or that and the peer's.
    pub links: Vec<String>,
    /// Its services, each with the name of its class.
    pub services: Vec<(String, ServiceConfig)>,
}

/// An answer that has come.
#[derive(Debug, Clone, PartialEq)]
pub struct PathAnswer {
    /// To which question.
    pub number: u64,
    /// Links to the destination, and back.
    pub there: Vec<Link>,
    /// The way back.
    pub back: Vec<Link>,
}

/// Whether a packet may be one of these, at a glance.
pub(crate) fn may_be_message(packet: &[u8]) -> bool {
    match packet.first().map(|first| first >> 4) {
        Some(4) => packet.get(9) == Some(&PROTOCOL),
        Some(6) => packet.get(6) == Some(&PROTOCOL),
        _ => false,
    }
}

/// What is in a packet, and its ends, if it is one of these.
pub(crate) fn read(packet: &Packet) -> Option<(Message, IpAddr, IpAddr)> {
    let (headers, payload) = Headers::read_all(&packet.octets)?;
    if headers.protocol.number() != PROTOCOL || payload.is_fragment {
        return None;
    }
    let message = Message::read(packet.octets.get(payload.range)?)?;
    Some((message, headers.source, headers.destination))
}

/// The packet of a message.
pub(crate) fn packet(message: &Message, source: IpAddr, destination: IpAddr) -> Option<Packet> {
    let octets = message.write();
    if octets.len() > LARGEST {
        return None;
    }
    let octets = datagram(source, destination, Protocol::of_number(PROTOCOL), &octets)?;
    Packet::read(Bytes::from(octets)).map(|(packet, _)| packet)
}

impl PathNames {
    /// Whether a message has come to where it goes.
    pub(crate) fn is_destination(&self, destination: IpAddr) -> bool {
        self.is_link_scope(destination) || self.addresses.contains(&destination)
    }

    /// Whether it is for whoever is at the other end of the link.
    pub(crate) fn is_link_scope(&self, destination: IpAddr) -> bool {
        destination == IpAddr::from(WHOEVER.0) || destination == IpAddr::from(WHOEVER.1)
    }

    /// Who asks or answers, and who is meant where nobody is named.
    pub(crate) fn ends(&self, to: Option<IpAddr>) -> Option<(IpAddr, IpAddr)> {
        let is_right = |own: &&IpAddr| to.is_none_or(|to| to.is_ipv4() == own.is_ipv4());
        let own = *self.addresses.iter().find(is_right)?;
        let whoever = if own.is_ipv4() { IpAddr::from(WHOEVER.0) } else { IpAddr::from(WHOEVER.1) };
        Some((own, to.unwrap_or(whoever)))
    }

    /// The sending end's half of a link, which a message is about to cross. Whether it may go on: a path has no more links than that.
    pub(crate) fn enter(&self, index: usize, bearer: &mut Bearer<Mux>, message: &mut Message, now: Time) -> bool {
        let crossed = if message.is_answer { &mut message.back } else { &mut message.there };
        if crossed.len() >= MOST_LINKS {
            return false;
        }
        let metrics = bearer.inner_mut().metrics(now);
        let half = |((name, _), end): (&(String, ServiceConfig), EndMetrics)| LinkServiceMetrics {
            name: name.clone(),
            goodput: end.sent.goodput.map(Ratio::as_f64),
            retransmissions: end.sent.retransmissions,
            loss: None,
            delay: None,
        };
        let (rate, rate_is_least) = carries(bearer);
        crossed.push(Link {
            name: self.links.get(index).cloned().unwrap_or_default(),
            rate,
            rate_is_least,
            round_trip: bearer.path().round_trip,
            services: self.services.iter().zip(metrics).map(half).collect(),
        });
        true
    }

    /// The receiving end's half of the link that a message has just crossed.
    pub(crate) fn leave(&self, bearer: &mut Bearer<Mux>, message: &mut Message, now: Time) {
        let crossed = if message.is_answer { &mut message.back } else { &mut message.there };
        let Some(link) = crossed.last_mut() else { return };
        let sender = |service: &LinkServiceMetrics| EndMetrics {
            sent: SenderMetrics {
                goodput: service.goodput.and_then(Ratio::new),
                // It has carried something, or there would be no goodput.
                octets: u64::from(service.goodput.is_some()),
                retransmissions: service.retransmissions,
            },
            ..EndMetrics::default()
        };
        let sender: Vec<EndMetrics> = link.services.iter().map(sender).collect();
        let receiver = bearer.inner_mut().metrics(now);
        let path = bearer.path();
        let known = link.round_trip.or(path.round_trip);
        let round_trip = known.unwrap_or_default();
        let observed = Observed {
            sender: &sender,
            receiver: &receiver,
            frame_loss: path.loss.unwrap_or_default(),
            delay: LinkDelay { one_way: round_trip / 2, round_trip },
        };
        let services: Vec<ServiceConfig> = self.services.iter().map(|(_, service)| service.clone()).collect();
        for (service, metrics) in link.services.iter_mut().zip(service_metrics(&services, &observed)) {
            service.goodput = Some(metrics.goodput.as_f64());
            service.loss = Some(metrics.loss.as_f64());
            service.delay = known.map(|_| metrics.delay);
        }
    }
}

/// What all lines of a link carry together, as far as that is known, and whether that may be more: a rate that is found grows only while
/// somebody sends as much.
fn carries(bearer: &Bearer<Mux>) -> (Option<BitRate>, bool) {
    let paths = LineId::first(bearer.lines()).filter_map(|line| bearer.path_of(line)).filter(|path| path.is_up);
    let is_least = |path: &PathMetrics| match path.found.map(|found| found.finding) {
        Some(finding) => matches!(finding, Finding::Application | Finding::Probing),
        // Without a pace it is what arrived lately.
        None => path.rate.is_none(),
    };
    let (mut all, mut may_be_more) = (0u64, false);
    for path in paths {
        let rate = path.carries.or(path.rate).or(path.delivery_rate);
        all = all.saturating_add(rate.map_or(0, BitRate::as_bits_per_second));
        may_be_more |= is_least(&path);
    }
    (BitRate::from_bits_per_second(all), may_be_more)
}
