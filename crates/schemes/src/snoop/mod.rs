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
#[cfg(feature = "fuzz")]
mod fuzz;
#[cfg(test)]
mod tests;
mod wire;

pub use config::{Config, Estimator, Resend};

use alloc::collections::VecDeque;
use arqway_contract::{
    Clock, Counters, Deadlines, End, Entity, Frame, Kind, LinkContext, Packet, SchemeName, Service, Side,
};
use arqway_units::Octets;
use bytes::Bytes;
use connection::Verdict;
use connections::Connections;

const DATA: Kind = Kind::new(0);

impl Service for Config {
    type End = End<Snoop>;

    const NAMES: &'static [SchemeName] = &[SchemeName::plain("snoop")];

    fn build(&self, context: &LinkContext) -> Self::End {
        End::new(Snoop::new(self.clone(), context.side))
    }
}

/// A raw link; the access point's end also watches TCP.
#[derive(Debug)]
pub struct Snoop {
    config: Config,
    /// What is known of TCP here; nothing is at the client.
    connections: Option<Connections>,
    outgoing: VecDeque<Outgoing>,
    incoming: VecDeque<Bytes>,
}

#[derive(Debug)]
struct Outgoing {
    octets: Bytes,
    again: bool,
}

impl Snoop {
    fn new(config: Config, side: Side) -> Self {
        Self {
            config,
            connections: (side == Side::AccessPoint).then(Connections::default),
            outgoing: VecDeque::new(),
            incoming: VecDeque::new(),
        }
    }

    fn send_again(&mut self, octets: Bytes) {
        let outgoing = Outgoing { octets, again: true };
        match self.config.resend {
            Resend::Behind => self.outgoing.push_back(outgoing),
            Resend::First => self.outgoing.push_front(outgoing),
        }
    }
}

impl Entity for Snoop {
    fn has_room(&self) -> bool {
        self.outgoing.len() < self.config.buffer.get()
    }

    fn wants_packet(&self, _room: Octets) -> bool {
        self.outgoing.is_empty()
    }

    fn push(&mut self, packet: Packet, Clock { timers, .. }: Clock, counters: &mut Counters) {
        if let Some(connections) = &mut self.connections {
            connections.pass_down(&packet.octets, &self.config, timers);
            counters.connections_evicted = connections.evicted();
        }
        self.outgoing.push_back(Outgoing { octets: packet.octets, again: false });
    }

    fn receive(&mut self, frame: Frame, Clock { timers, .. }: Clock, counters: &mut Counters) -> Option<()> {
        if frame.tag.kind() != DATA {
            return None;
        }
        let (packet, room) = (frame.into_packet()?, self.has_room());
        let verdict = match &mut self.connections {
            Some(connections) => connections.pass_up(&packet, room, &self.config, timers),
            None => Verdict::Pass,
        };
        match verdict {
            Verdict::Pass => self.incoming.push_back(packet),
            Verdict::Withhold => counters.acknowledgements_withheld += 1,
            Verdict::Resend(octets) => {
                counters.acknowledgements_withheld += 1;
                self.send_again(octets);
            }
        }
        Some(())
    }

    fn expire(&mut self, Clock { timers, .. }: Clock, counters: &mut Counters) {
        loop {
            let room = self.has_room();
            let Some(connections) = &mut self.connections else { return };
            let Some(again) = connections.handle_timeout(room, &self.config, timers) else { return };
            if let Some(octets) = again {
                counters.timeouts += 1;
                self.send_again(octets);
            }
        }
    }

    fn poll(&mut self, _now: Clock, _room: Octets, counters: &mut Counters) -> Option<Frame> {
        let Outgoing { octets, again } = self.outgoing.pop_front()?;
        if again {
            counters.frames_resent += 1;
        } else {
            counters.sent(&octets);
        }
        Some(Frame::new(DATA, &[], octets))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        room - Frame::TAG
    }

    fn release(&mut self, _counters: &mut Counters) -> Option<Bytes> {
        self.incoming.pop_front()
    }

    fn deadlines(&self) -> Deadlines {
        Deadlines::of_timers(self.connections.as_ref().and_then(Connections::deadline))
    }
}
