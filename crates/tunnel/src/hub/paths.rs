//! What the hub does with questions about paths, and with their answers: those of its own, and those that pass.
//!
//! ```text
//!     ask_path --> send_query --> the link to a peer      its first half is written (`path_query`)
//!     a link   --> receive_query -+-> poll_path_answer    its second half; it is an answer for us
//!                                 +-> send_query          a question for us: the answer
//!                                 +-> the network layer   for somebody else
//! ```

use super::Hub;
use super::network::{NetworkLayer, deliver};
use super::path_query::{self, Message, PathAnswer, PathNames};
use arqway_link::{LinkService as _, Packet};
use arqway_net::NetError;
use arqway_session::{PeerId, Random};
use arqway_units::Time;
use std::net::IpAddr;

/// How far a path is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathEnd {
    /// To the tunnel that has this address.
    Address(IpAddr),
    /// To a peer: one link.
    Peer(PeerId),
}

/// Why a path cannot be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPath {
    /// It is not behind a peer.
    #[error("no peer has {0} among its `allowed` addresses")]
    NoPeer(IpAddr),
    /// There is no such peer.
    #[error("it has no such peer")]
    NoSuchPeer,
    /// An answer would not come back.
    #[error("this end has no address of that version of IP in the tunnel; expected one among `addresses`")]
    NoAddress,
}

impl<R: Random> Hub<R> {
    /// What it says of itself where it is asked about a path; without this, nothing.
    pub fn set_names(&mut self, names: PathNames) {
        self.names = names;
    }

    /// The number of a new question, which nobody guesses.
    pub fn new_question(&mut self) -> u64 {
        let mut number = [0; 8];
        self.random.fill(&mut number);
        u64::from_le_bytes(number)
    }

    /// Asks what the path to an address does, or the link to a peer alone; the answer comes by
    /// [`poll_path_answer`](Self::poll_path_answer), if one does.
    ///
    /// # Errors
    /// Nobody can be asked.
    pub fn ask_path(&mut self, number: u64, to: PathEnd, now: Time) -> Result<(), NoPath> {
        let (index, to) = match to {
            PathEnd::Address(to) => (self.allowed.find(to).ok_or(NoPath::NoPeer(to))?, Some(to)),
            PathEnd::Peer(peer) => (self.index(peer).ok_or(NoPath::NoSuchPeer)?, None),
        };
        let (source, destination) = self.names.ends(to).ok_or(NoPath::NoAddress)?;
        let message = Message { is_answer: false, number, there: Vec::new(), back: Vec::new() };
        self.send_query(index, message, (source, destination), now);
        Ok(())
    }

    /// The next answer to a question about a path.
    pub fn poll_path_answer(&mut self) -> Option<PathAnswer> {
        self.answers.pop()
    }

    /// A question or an answer about a path is about to cross the link to a peer.
    pub(super) fn send_query(&mut self, index: usize, mut message: Message, ends: (IpAddr, IpAddr), now: Time) {
        let Self { names, peers, agenda, session, .. } = self;
        let Some(peer) = peers.get_mut(index) else { return };
        if !peer.bearer.is_up() && !peer.bearer.outage().is_known() {
            session.begin(peer.id, now);
        }
        if names.enter(index, &mut peer.bearer, &mut message, now)
            && let Some(packet) = path_query::packet(&message, ends.0, ends.1)
        {
            // The queue counts what it has no room for.
            self.offered += 1;
            drop(peer.bearer.handle_packet(packet, now));
            agenda.make_ready(index);
        }
    }

    /// One has crossed it: it is answered or heard here, or goes on.
    pub(super) fn receive_query(
        &mut self,
        index: usize,
        packet: Packet,
        network: &mut impl NetworkLayer,
        now: Time,
    ) -> Result<(), NetError> {
        let Some(peer) = self.peers.get_mut(index) else { return Ok(()) };
        let message = path_query::read(&packet);
        let Some((mut message, source, destination)) = message.filter(|_| !self.names.links.is_empty()) else {
            return deliver(&packet.octets, network, &mut self.counters);
        };
        self.names.leave(&mut peer.bearer, &mut message, now);
        if !self.names.is_destination(destination) {
            return match path_query::packet(&message, source, destination) {
                Some(packet) => deliver(&packet.octets, network, &mut self.counters),
                None => Ok(()),
            };
        }
        if message.is_answer {
            let Message { number, there, back, .. } = message;
            self.answers.push(PathAnswer { number, there, back });
            return Ok(());
        }
        let answer = Message { is_answer: true, ..message };
        // It goes back as any packet does: over the link that leads there.
        if let Some((own, _)) = self.names.ends(Some(source))
            && let Some(back) = self.allowed.find(source)
        {
            let own = if self.names.is_link_scope(destination) { own } else { destination };
            self.send_query(back, answer, (own, source), now);
        }
        Ok(())
    }
}
