//! What an ARQ service without resequencing does for TCP: its sending end drops the duplicate acknowledgements that packets
//! out of order cause, so that TCP does not send again what the link is sending again (shikama06 §3.3, Fig. 5).
//!
//! ```text
//!      TCP's sender               sending end              receiving end          TCP's receiver
//!        |      data     +---------------------------+    frames      |    as they arrive   |
//!        | ------------> | records what goes out     | -------------> | -------------------> |
//!        |               |   again: flow, numbers    |                |                      |
//!        | <------------ | passes what is new, or    | <------------- | <------------------- |
//!        |     ACKs      |   not for what it records |                |        ACKs          |
//!        |               +---------------------------+
//! ```
//!
//! - A duplicate is withheld only while the segment that it asks for is recorded: what the wired side lost is not, so TCP
//!   still hears of congestion. Records end with the acknowledgement that covers them.
//! - The first acknowledgement of a number passes, and so does whatever says more than its number: data, another window, a
//!   closed one, D-SACK, SYN, FIN, RST.
//! - If the link gives a packet up, or it is lost behind the link, TCP's timer sends it again. If TCP's sender sends what was
//!   acknowledged, that acknowledgement was lost on its way, and the next one passes.
//! - All tables are bounded. What makes room for something else is a duplicate that passes, never one that is dropped.

mod connection;
mod connections;
mod duplicate;
mod rewrite;
#[cfg(test)]
mod tests;

use super::{Resequencing, Unordered};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use arqway_contract::Counters;
use arqway_ip::{Flow, Payload, Segment};
use bytes::Bytes;
use connection::{MOST_ENDS, MOST_RESENT, Verdict};
use connections::Connections;

/// The filter, at the end that sends the data.
///
/// Its owner tells it of every packet that goes into a frame, and lets what comes from the peer through it:
///
/// ```text
///     first time  -> sent             again -> retransmitted             for the network layer -> next
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TcpFilter {
    connections: Connections,
    regenerates: bool,
    /// Numbers of acknowledgements to make out of one.
    steps: Vec<u32>,
    /// What goes to the network layer before anything else.
    ready: VecDeque<Bytes>,
}

impl TcpFilter {
    /// Nothing is known.
    #[must_use]
    pub fn new(settings: &Unordered) -> Self {
        Self {
            connections: Connections::new(settings.connections.get()),
            regenerates: settings.regenerate_acknowledgements,
            steps: Vec::new(),
            ready: VecDeque::new(),
        }
    }

    /// The filter that goes with an order of packets, where there is one.
    pub fn of(order: &Resequencing) -> Option<Self> {
        match order {
            Resequencing::None(unordered) if unordered.tcp_filter => Some(Self::new(unordered)),
            _ => None,
        }
    }

    /// A packet of the network layer goes out for the first time.
    pub fn sent(&mut self, packet: &[u8]) {
        let Some((headers, payload, segment)) = Segment::read(packet) else { return };
        let flow = Flow::of(&headers, &payload);
        if segment.syn || segment.reset {
            // A new connection, perhaps between the same ports.
            self.connections.forget(&flow);
        } else {
            self.connections.of(flow).sent(&segment, self.regenerates);
        }
    }

    /// A packet of the network layer goes out again because the link has lost it.
    pub fn retransmitted(&mut self, packet: &[u8]) {
        let Some((headers, payload, segment)) = Segment::read(packet) else { return };
        if !segment.syn && !segment.reset && segment.length > 0 {
            self.connections.of(Flow::of(&headers, &payload)).retransmitted(&segment);
        }
    }

    /// The next packet for the network layer, out of those that came from the peer.
    pub fn next(&mut self, mut received: impl FnMut() -> Option<Bytes>, counters: &mut Counters) -> Option<Bytes> {
        if let Some(packet) = self.ready.pop_front() {
            return Some(packet);
        }
        loop {
            let packet = received()?;
            match self.passes(&packet, counters) {
                Verdict::Withhold => counters.acknowledgements_withheld += 1,
                Verdict::Pass if self.ready.is_empty() => return Some(packet),
                Verdict::Pass => {
                    self.ready.push_back(packet);
                    return self.ready.pop_front();
                }
            }
        }
    }

    /// Whether it keeps to its bounds, which must always be so: as many connections as are set, and so much of each.
    #[must_use]
    pub fn is_bounded(&self, settings: &Unordered) -> bool {
        let (pieces, ends) = self.connections.largest();
        self.connections.len() <= settings.connections.get() && pieces <= MOST_RESENT && ends <= MOST_ENDS
    }

    /// Whether a packet that came from the peer goes on to the network layer. What has to go before it is in `ready` then.
    fn passes(&mut self, packet: &Bytes, counters: &mut Counters) -> Verdict {
        let Some((headers, payload, segment)) = Segment::read(packet) else { return Verdict::Pass };
        let flow = Flow::of(&headers, &payload).reversed();
        if segment.syn || segment.reset {
            self.connections.forget(&flow);
            return Verdict::Pass;
        }
        let Some(acknowledgement) = segment.acknowledgement else { return Verdict::Pass };
        let tells_of_a_duplicate = || duplicate::is_reported(packet, &payload);
        let connection = self.connections.of(flow);
        let verdict = connection.acknowledged(&segment, acknowledgement, tells_of_a_duplicate, &mut self.steps);
        counters.connections_evicted = self.connections.evicted;
        self.make_steps(packet, &payload, counters);
        verdict
    }

    /// What nobody may change, because it is signed, stays one step.
    fn make_steps(&mut self, packet: &[u8], payload: &Payload, counters: &mut Counters) {
        for number in self.steps.drain(..) {
            if !payload.is_authenticated
                && let Some(step) = rewrite::with_acknowledgement(packet, payload, number)
            {
                counters.acknowledgements_regenerated += 1;
                self.ready.push_back(step);
            }
        }
    }
}
