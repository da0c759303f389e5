//! Web Browsing: a user looks at one page after the other, without a pause (monet08 §III, multiservice §III), as Mah
//! measured it and as ns-2's class `Http` fetches it.
//!
//! ```text
//!     client                                     server
//!       | -- request ----------------------------> |
//!       | <------------------------------- page -- |     how many objects are embedded?
//!       | -- request --> <-- object --             |
//!       | -- request --> <-- object --             |     up to `parallel` at once
//!       |    ...          the last object: that was the transaction; the next one begins
//! ```
//!
//! The browser is notified when a request or a reply has arrived, and then sends the next ones.

mod config;
mod lanes;
mod mah;
mod outcome;

use super::{End, Hosts, Model, Quantity, Setup};
use crate::host::Host;
use crate::kernel::{Random, Streams};
use crate::packet::{Headers, PacketSize, TCP_HEADERS};
use crate::tcp::Message;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_units::{Span, Time};
pub use config::{ConnectionUse, Counted, LastPacket, NextStep, Parallel, ParallelError, Requests, WebConfig};
use lanes::Lane;
pub use outcome::WebOutcome;

/// Where HTTP listens.
const SERVER_PORT: u16 = 80;

/// A request on its way up, or a reply on its way down, in one of the places for fetching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leg {
    lane: u16,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Request,
    Reply,
}

impl Leg {
    /// Who sends its data.
    fn sender(self) -> Host {
        match self.kind {
            Kind::Request => Host::Client,
            Kind::Reply => Host::Server,
        }
    }
}

/// A page, or something embedded in it: how long its request is, and how long it is itself.
#[derive(Debug, Clone, Copy, Default)]
struct Object {
    request: u64,
    reply: u64,
}

/// The browser, and what it has seen.
#[derive(Debug)]
pub(crate) struct Web {
    config: WebConfig,
    headers: Headers,
    size: PacketSize,
    random: Random,
    clock_phases: Random,
    lanes: Vec<Lane>,
    /// What is still to be asked for, and what is still to come, of this page.
    objects: VecDeque<Object>,
    outstanding: usize,
    page_is_there: bool,
    page_octets: u64,
    begun: Time,
    wanted: VecDeque<(Leg, Message)>,
    tally: Tally,
}

/// What was counted.
#[derive(Debug, Default)]
struct Tally {
    pages: u64,
    last_page: Time,
    octets_of_pages: u64,
    octets_of_objects: u64,
    response_s: f64,
    connections: u64,
    timeouts: u64,
}

impl Web {
    fn new(config: &WebConfig, headers: Headers, streams: &Streams) -> Self {
        Self {
            config: config.clone(),
            headers,
            size: PacketSize::new(config.packet, headers, TCP_HEADERS),
            random: streams.stream("app.web"),
            clock_phases: streams.stream("app.web.clock-phase"),
            lanes: (0..config.parallel.get()).map(|_| Lane::default()).collect(),
            objects: VecDeque::with_capacity(usize::from(Parallel::MAX)),
            outstanding: 0,
            page_is_there: false,
            page_octets: 0,
            begun: Time::ZERO,
            wanted: VecDeque::with_capacity(usize::from(Parallel::MAX)),
            tally: Tally::default(),
        }
    }

    /// Asks for a page. All of it is drawn now, so that the same pages are looked at over every link.
    fn ask_for_page(&mut self, now: Time) {
        let random = &mut self.random;
        let embedded = mah::OBJECTS.draw(random);
        self.objects.clear();
        for _ in 0..=embedded {
            let request = mah::REQUEST_LENGTH.draw(random).into();
            self.objects.push_back(Object { request, reply: mah::REPLY_LENGTH.draw(random).into() });
        }
        self.outstanding = self.objects.len();
        self.page_is_there = false;
        self.page_octets = 0;
        self.begun = now;
        self.ask_for_object(0);
    }

    fn ask_for_object(&mut self, lane: u16) {
        let Some(at) = self.lanes.get_mut(usize::from(lane)) else { return };
        let Some(object) = self.objects.pop_front() else { return };
        at.object = object;
        at.awaited = Some(Kind::Request);
        let message = match self.config.requests {
            Requests::Packets => self.message(object.request),
            Requests::OnePacket => Message::padded(1, PacketSize::of_tcp(object.request, self.headers)),
        };
        self.wanted.push_back((Leg { lane, kind: Kind::Request }, message));
    }

    fn message(&self, octets: u64) -> Message {
        match self.config.last_packet {
            LastPacket::Padded => Message::padded(octets, self.size),
            LastPacket::Exact => Message::exact(octets, self.size),
        }
    }

    /// Sends what is to go out next.
    fn send_messages(&mut self, hosts: &mut Hosts<'_>) {
        while let Some((leg, message)) = self.wanted.pop_front() {
            if let Some(id) = self.send(leg, message, hosts) {
                hosts.send_segments(id);
            }
        }
    }

    /// The sender has the last acknowledgement (`by_receiver` is false), or the receiver has everything. Returns how long
    /// the page took, if this was the last of it.
    fn handle_end(&mut self, leg: Leg, by_receiver: bool, now: Time) -> Option<Span> {
        let at = self.lanes.get_mut(usize::from(leg.lane))?;
        if by_receiver != (self.config.next_step == NextStep::Received) || at.awaited != Some(leg.kind) {
            return None;
        }
        match leg.kind {
            Kind::Request => {
                at.awaited = Some(Kind::Reply);
                let octets = at.object.reply;
                let message = self.message(octets);
                self.wanted.push_back((Leg { kind: Kind::Reply, ..leg }, message));
                None
            }
            Kind::Reply => {
                at.awaited = None;
                let octets = at.object.reply;
                self.handle_object(leg.lane, octets, now)
            }
        }
    }

    fn handle_object(&mut self, lane: u16, octets: u64, now: Time) -> Option<Span> {
        let is_page_itself = !core::mem::replace(&mut self.page_is_there, true);
        self.tally.octets_of_objects += octets;
        self.page_octets += octets;
        self.outstanding = self.outstanding.saturating_sub(1);
        if self.outstanding == 0 {
            return Some(self.finish_page(now));
        }
        if is_page_itself {
            (0..self.config.parallel.get()).for_each(|lane| self.ask_for_object(lane));
        } else {
            self.ask_for_object(lane);
        }
        None
    }

    fn finish_page(&mut self, now: Time) -> Span {
        let response = now.since(self.begun);
        self.tally.pages += 1;
        self.tally.last_page = now;
        self.tally.octets_of_pages += self.page_octets;
        self.tally.response_s += response.as_seconds();
        self.ask_for_page(now);
        response
    }
}

impl Model for Web {
    type Config = WebConfig;
    type Outcome = WebOutcome;
    type Connection = Leg;

    const QUANTITIES: &'static [Quantity] = outcome::QUANTITIES;

    fn build(config: &WebConfig, setup: &mut Setup<'_>) -> Self {
        Self::new(config, setup.headers, setup.streams)
    }

    fn start(&mut self, hosts: &mut Hosts<'_>) {
        self.ask_for_page(hosts.now);
        self.send_messages(hosts);
    }

    fn handle_end_of_data(&mut self, leg: Leg, by_receiver: bool, hosts: &mut Hosts<'_>) {
        if let Some(response) = self.handle_end(leg, by_receiver, hosts.now) {
            hosts.record_delivery(response);
        }
        self.send_messages(hosts);
    }

    fn outcome(&self, end: &End<'_>) -> WebOutcome {
        WebOutcome::new(&self.tally, self.config.counted, end)
    }
}
