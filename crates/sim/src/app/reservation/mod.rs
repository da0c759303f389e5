//! A reservation for the media along the path from server to client (multiservice, Section IX): the server's part of it.
//!
//! ```text
//!     server                             access point                         client
//!     Source | Station, wired link  -->  Station, wireless link (in `world`)  -->  answer
//!                advertise                  what its services offer                chooses
//!            <--  reserve               <--  sets aside, in its multiplexer    <--
//! ```
//!
//! The messages are packets among all others, of RSVP's protocol number (46), and are lost as they are. What they set aside on the wired link is an
//! account only, as its queue has no services; on the wireless link the flow has the chosen service, and that a share of the line.

mod config;

use super::{End, Hosts, Model, Quantity, Setup};
use crate::host::Host;
use crate::kernel::Alarm;
use crate::packet::{address, ipv4, write_total_length};
use arqway_link::metrics::ServiceMetrics;
use arqway_link::mux::{Ds, FlowId, Protocol};
use arqway_link::path::signalling::{Message, Source, State, Station, Toward, answer};
use arqway_link::path::{Ledger, Needs};
use arqway_units::{Octets, Ratio, Span, Time, ToFloat};
pub use config::ReservationConfig;
use core::net::SocketAddr;
use etherparse::IpNumber;

/// RSVP's.
const PROTOCOL: IpNumber = IpNumber(46);
/// The class selector of what keeps a network going (RFC 4594, Section 3.1): CS6.
const NETWORK_CONTROL: u8 = 48;
/// An IPv4 header.
const HEADER: usize = 20;

/// The packet of a message.
pub(crate) fn packet(message: &Message, from: Host, memory: &mut crate::packet::Memory) -> bytes::Bytes {
    let mut octets = ipv4(PROTOCOL, from, Ds::new(NETWORK_CONTROL).unwrap_or_default()).to_vec();
    octets.extend(message.write());
    let size = octets.len();
    write_total_length(&mut octets, size);
    memory.packet(&octets, size)
}

/// The message in a packet, if that is one.
pub(crate) fn message(packet: &[u8]) -> Option<Message> {
    if packet.get(9) == Some(&PROTOCOL.0) { Message::read(packet.get(HEADER..)?) } else { None }
}

/// The source at the server, with the wired link before it.
#[derive(Debug)]
pub(crate) struct Reservation {
    config: ReservationConfig,
    source: Option<Source>,
    station: Station,
    wired: Ledger,
    alarm: Alarm,
    /// Since when all of the path is set aside, and for how long it was before.
    held_since: Option<Time>,
    held: Span,
    /// Since when it is asked for, and how long that took, all times together.
    asked_since: Time,
    asked: Span,
    established: u64,
    messages: u64,
}

impl Reservation {
    fn source(&mut self, now: Time) -> Source {
        let ReservationConfig { rate, loss, delay, timing, .. } = self.config;
        self.asked_since = now;
        Source::new(flow(), Needs { rate, loss, delay }, timing, 0, now)
    }

    /// Lets source and wired link say all they have to say.
    fn exchange(&mut self, hosts: &mut Hosts<'_>) {
        let now = hosts.now;
        let Some(source) = &mut self.source else { return };
        loop {
            if let Some(message) = source.poll() {
                self.station.handle(message, &mut self.wired, now);
            }
            match self.station.poll() {
                Some((Toward::Source, message)) => source.handle(message, now),
                Some((Toward::Destination, message)) => {
                    self.messages += 1;
                    let packet = packet(&message, Host::Server, hosts.memory);
                    hosts.send(Host::Server, packet);
                }
                None => break,
            }
        }
        let is_held = matches!(source.state(), State::Reserved(_));
        let next = [source.poll_timeout(), self.station.poll_timeout()].into_iter().flatten().min();
        if let Some(at) = self.alarm.set(next) {
            hosts.wake_at(at, 0);
        }
        self.note(is_held, now);
    }

    /// All of the path is set aside, or not.
    fn note(&mut self, is_held: bool, now: Time) {
        match (self.held_since, is_held) {
            (None, true) => {
                self.asked += now.since(self.asked_since);
                self.established += 1;
                self.held_since = Some(now);
            }
            (Some(since), false) => {
                self.held += now.since(since);
                self.held_since = None;
                self.asked_since = now;
            }
            _ => {}
        }
    }
}

/// The media's packets.
fn flow() -> FlowId {
    let [source, destination] =
        [Host::Server, Host::Client].map(|host| SocketAddr::new(address(host).into(), super::media::PORT));
    FlowId::Ports { protocol: Protocol::UDP, source, destination }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReservationOutcome {
    /// The share of the time in which all of the path was set aside.
    pub held: f64,
    /// How long it took to be, on average, if it ever was.
    pub wait: Option<f64>,
    /// How often it was.
    pub established: u64,
    /// How many messages the server and the client sent.
    pub messages: u64,
}

impl Model for Reservation {
    type Config = ReservationConfig;
    type Outcome = ReservationOutcome;
    type Connection = ();

    const QUANTITIES: &'static [Quantity] = &[
        Quantity::once("reservation.held", "Time with the path set aside (%)", 100.0, |run| {
            Some(run.applications.reservation.as_ref()?.held)
        }),
        Quantity::once("reservation.wait", "Time to a reservation (s)", 1.0, |run| {
            run.applications.reservation.as_ref()?.wait
        }),
        Quantity::once("reservation.established", "Reservations", 1.0, |run| {
            Some(run.applications.reservation.as_ref()?.established.to_f64())
        }),
        Quantity::once("reservation.messages", "Messages", 1.0, |run| {
            Some(run.applications.reservation.as_ref()?.messages.to_f64())
        }),
    ];

    fn build(config: &ReservationConfig, setup: &mut Setup<'_>) -> Self {
        let wired = setup.wired;
        // The longest packet that Ethernet carries: a shorter one is faster.
        let delay = wired.delay + wired.rate.time_to_send(Octets::new(1500));
        let passes = ServiceMetrics { goodput: Ratio::ONE, loss: wired.loss, delay };
        Self {
            config: config.clone(),
            source: None,
            station: Station::new(config.timing),
            wired: Ledger::new(wired.rate, config.kept_free, &[Some(passes)]),
            alarm: Alarm::default(),
            held_since: None,
            held: Span::ZERO,
            asked_since: Time::ZERO,
            asked: Span::ZERO,
            established: 0,
            messages: 0,
        }
    }

    fn start(&mut self, hosts: &mut Hosts<'_>) {
        self.source = Some(self.source(hosts.now));
        self.exchange(hosts);
    }

    fn handle_timer(&mut self, _timer: u8, hosts: &mut Hosts<'_>) {
        if self.alarm.ring(hosts.now) {
            if let Some(source) = &mut self.source {
                source.handle_timeout(hosts.now);
            }
            self.station.handle_timeout(&mut self.wired, hosts.now);
        }
        self.exchange(hosts);
    }

    fn handle_packet(&mut self, at: Host, packet: &[u8], hosts: &mut Hosts<'_>) -> bool {
        let Some(message) = message(packet) else { return false };
        match at {
            Host::Server => {
                self.station.handle(message, &mut self.wired, hosts.now);
                self.exchange(hosts);
            }
            Host::Client => {
                if let Some(answer) = answer(&message) {
                    self.messages += 1;
                    let packet = self::packet(&answer, Host::Client, hosts.memory);
                    hosts.send(Host::Client, packet);
                }
            }
        }
        true
    }

    fn outcome(&self, end: &End<'_>) -> ReservationOutcome {
        let held = self.held + self.held_since.map_or(Span::ZERO, |since| end.now.since(since));
        let all = end.now.since(Time::ZERO).as_seconds();
        ReservationOutcome {
            held: if all > 0.0 { held.as_seconds() / all } else { 0.0 },
            wait: (self.established > 0).then(|| self.asked.as_seconds() / self.established.to_f64()),
            established: self.established,
            messages: self.messages,
        }
    }
}
