//! What is known of the peers outside: their names, and what happens to them.

use super::{EventLine, Listener, What, line_of_json};
use arqway_session::PeerId;
use arqway_units::{LineId, Time};

/// Numbers what happens, and tells those who listen.
#[derive(Debug)]
pub(crate) struct Journal {
    /// In the order of the settings.
    peers: Vec<(PeerId, String)>,
    listeners: Vec<Listener>,
    /// How many events there were.
    events: u64,
}

impl Journal {
    /// Nothing has happened to these peers.
    pub(crate) fn new(peers: Vec<(PeerId, String)>) -> Self {
        Self { peers, listeners: Vec::new(), events: 0 }
    }

    /// The peers and their names, in the order of the settings.
    pub(crate) fn peers(&self) -> impl Iterator<Item = (PeerId, &str)> {
        self.peers.iter().map(|(id, name)| (*id, name.as_str()))
    }

    /// Somebody listens from now on.
    pub(crate) fn listen(&mut self, listener: Listener) {
        self.listeners.retain(Listener::is_there);
        self.listeners.push(listener);
    }

    /// What a peer is called.
    pub(crate) fn name_of(&self, peer: PeerId) -> &str {
        self.peers().find(|(id, _)| *id == peer).map_or("", |(_, name)| name)
    }

    /// Something happened, to a peer if there is one, and to one line of several.
    pub(crate) fn record(
        &mut self,
        (peer, line): (Option<PeerId>, Option<LineId>),
        what: What,
        now: Time,
    ) -> EventLine {
        self.events += 1;
        let peer = peer.map(|peer| self.name_of(peer).to_owned());
        let event =
            EventLine { at_s: now.as_seconds(), number: self.events, peer, line: line.map(LineId::number), what };
        if !self.listeners.is_empty() {
            let line = line_of_json(&event);
            self.listeners.retain(Listener::is_there);
            self.listeners.iter().for_each(|listener| listener.tell(&line));
        }
        event
    }
}
