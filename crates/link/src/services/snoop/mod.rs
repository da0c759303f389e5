//! Berkeley Snoop: the access point reads TCP's own acknowledgements and sends lost segments again itself, so that the
//! server does not take a loss on the wireless link for congestion.
//!
//! H. Balakrishnan, S. Seshan, E. Amir, R. H. Katz, *Improving TCP/IP performance over wireless networks*, MobiCom 1995;
//! compared with its rivals by Balakrishnan, Padmanabhan, Seshan and Katz, SIGCOMM 1996; in ns-2 since 1997. It is the
//! *Berkeley Snoop* of the multi-service paper (Sections II and III).
//!
//! ```text
//!      server                     access point                            client
//!        |   data   +----------------------------------+   frames = packets  |
//!        | -------> | keeps a copy of each segment     | ------------------> |
//!        |          |   second duplicate, or timer: -->| ---- again -------> |
//!        | <------- | passes what acknowledges new     | <------------------ |
//!        |   ACKs   | data, withholds duplicates       |                     |
//!        |          +----------------------------------+                     |
//! ```
//!
//! A frame is the packet and nothing else, and the client's end is the raw link: only the access point must know.
//! TCP stays end to end. No acknowledgement is ever made here, none overtakes another, and each for new data passes at
//! once. Duplicates are withheld only while the segment they ask for is known here and was sent again from here; one for
//! a segment that the wired side lost passes, and the server does what TCP does about congestion. Data from the client
//! to the server is carried as it is: its acknowledgements come from far away, too late to help.

mod cache;
mod config;
mod connection;
mod connections;
#[cfg(test)]
mod tests;
mod wire;

pub use config::{Config, Estimator, Resend};

use crate::arq::Outage;
use crate::contract::{
    Counters, Departure, Form, Frame, Full, Kind, LinkService, LinkState, Packet, Service, Side, Start, Tag, Ticket,
    Value,
};
use alloc::collections::VecDeque;
use arqway_units::Time;
use bytes::Bytes;
use connection::Verdict;
use connections::Connections;

const DATA: Kind = Kind::new(0);

impl Service for Config {
    type End = Snoop;

    const SHORT_FORMS: &'static [Form] = &[Form { name: "snoop", legend: "Berkeley Snoop", value: Value::None }];

    fn build(&self, side: Side) -> Snoop {
        Snoop::new(self.clone(), side)
    }

    fn named(&self, _: &str, _: Option<&str>) -> Option<Self> {
        Some(self.clone())
    }
}

/// One end of a link with Snoop.
#[derive(Debug)]
pub struct Snoop {
    config: Config,
    /// What is known of TCP here; nothing is at the client.
    connections: Option<Connections>,
    outgoing: VecDeque<Outgoing>,
    incoming: VecDeque<Packet>,
    outage: Outage,
    counters: Counters,
}

#[derive(Debug)]
struct Outgoing {
    octets: Bytes,
    again: bool,
}

impl Snoop {
    /// One end: that at the access point watches, that of the client does what the raw link does.
    #[must_use]
    pub fn new(config: Config, side: Side) -> Self {
        Self {
            config,
            connections: (side == Side::AccessPoint).then(Connections::default),
            outgoing: VecDeque::new(),
            incoming: VecDeque::new(),
            outage: Outage::default(),
            counters: Counters::default(),
        }
    }

    /// Whether a packet more may wait for the line.
    fn has_room(&self) -> bool {
        self.outgoing.len() < self.config.buffer.get()
    }

    fn send_again(&mut self, octets: Bytes) {
        let outgoing = Outgoing { octets, again: true };
        match self.config.resend {
            Resend::Behind => self.outgoing.push_back(outgoing),
            Resend::First => self.outgoing.push_front(outgoing),
        }
    }
}

impl LinkService for Snoop {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let has_room = self.has_room();
        let Some(octets) = self.counters.admit(packet, has_room)? else { return Ok(()) };
        let now = self.outage.timer_time(now);
        if let Some(connections) = &mut self.connections {
            connections.pass_down(&octets, &self.config, now);
            self.counters.connections_evicted = connections.evicted();
        }
        self.outgoing.push_back(Outgoing { octets, again: false });
        Ok(())
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        if frame.tag.kind() != DATA || !frame.head.is_empty() || frame.body.is_empty() {
            self.counters.malformed_received += 1;
            return;
        }
        let (now, room) = (self.outage.timer_time(now), self.has_room());
        if let Some(connections) = &mut self.connections {
            match connections.pass_up(&frame.body, room, &self.config, now) {
                Verdict::Pass => {}
                Verdict::Withhold => {
                    self.counters.acknowledgements_withheld += 1;
                    return;
                }
                Verdict::Resend(octets) => {
                    self.counters.acknowledgements_withheld += 1;
                    self.send_again(octets);
                    return;
                }
            }
        }
        self.incoming.push_back(Packet::new(frame.body));
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.outage.is_on() {
            return;
        }
        loop {
            let room = self.has_room();
            let Some(connections) = &mut self.connections else { return };
            let Some(again) = connections.handle_timeout(room, &self.config, now) else { return };
            if let Some(octets) = again {
                self.counters.timeouts += 1;
                self.send_again(octets);
            }
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        if let (Some(lasted), Some(connections)) = (self.outage.change(state, now), &mut self.connections) {
            connections.postpone(lasted, &self.config);
        }
    }

    fn poll_frame(&mut self, _now: Time) -> Option<Frame> {
        if self.outage.is_on() {
            return None;
        }
        let Outgoing { octets, again } = self.outgoing.pop_front()?;
        if again {
            self.counters.frames_resent += 1;
        } else {
            self.counters.frames_sent += 1;
            self.counters.octets_sent += octets.len() as u64;
        }
        Some(Frame::new(DATA, &[], octets))
    }

    fn start_frame(&mut self, _frame: &mut Frame, _now: Time) -> Start {
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, _ticket: Ticket, _departure: Departure, _now: Time) {}

    fn poll_packet(&mut self) -> Option<Packet> {
        let packet = self.incoming.pop_front()?;
        self.counters.packets_delivered += 1;
        Some(packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.outage.is_on() {
            return None;
        }
        self.connections.as_ref()?.deadline()
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
