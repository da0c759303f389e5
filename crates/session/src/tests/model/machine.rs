//! One end of the model: keys in the real slots, addresses in the real path.

use super::{NOW, SIZE, home};
use crate::peer::path::Path;
use crate::peer::slots::{Key, Slots};
use arqway_units::Span;
use std::net::SocketAddr;

/// A key, by the indices that its two ends gave it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Token {
    pub(super) index: u16,
    pub(super) remote: u16,
    pub(super) boot: u64,
    pub(super) began_at: Option<SocketAddr>,
    pub(super) sent: u8,
    pub(super) seen: u8,
}

impl Key for Token {
    fn index(&self) -> u16 {
        self.index
    }

    fn boot(&self) -> u64 {
        self.boot
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Control {
    Packet,
    Challenge(u64),
    Answer(u64),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Content {
    Initiation {
        sender: u16,
        boot: u64,
        stamp: u8,
    },
    Response {
        sender: u16,
        receiver: u16,
        boot: u64,
    },
    /// The latest time stamp, for who made one that is too early.
    Stale {
        receiver: u16,
        latest: u8,
    },
    /// Sealed by who calls itself `sender` in this key.
    Sealed {
        sender: u16,
        receiver: u16,
        counter: u8,
        control: Control,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Message {
    pub(super) from: SocketAddr,
    pub(super) to: SocketAddr,
    pub(super) content: Content,
}

/// One machine, of which one incarnation lives at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Machine {
    pub(super) boot: u64,
    pub(super) at: SocketAddr,
    pub(super) slots: Slots<Token>,
    /// A first message that waits for its answer: its index, and where it went.
    pub(super) attempt: Option<(u16, SocketAddr)>,
    pub(super) turn: usize,
    /// The latest time stamp of the peer.
    pub(super) latest: (u8, u64),
    /// The latest one of its own, which begins anew when it restarts: it has no clock.
    pub(super) stamped: u8,
    pub(super) path: Path,
    pub(super) confirms: bool,
    pub(super) answers: Option<(u64, SocketAddr)>,
    /// The youngest peer that it knew, and whether it then took an older one for alive.
    pub(super) youngest: u64,
    pub(super) deceived: bool,
}

impl Machine {
    pub(super) fn new(machine: usize, boot: u64, at: SocketAddr) -> Self {
        Self {
            boot,
            at,
            slots: Slots::default(),
            attempt: None,
            turn: 0,
            latest: (0, 0),
            stamped: 0,
            path: Path::new(Some(home(1 - machine))),
            confirms: false,
            answers: None,
            youngest: 0,
            deceived: false,
        }
    }

    pub(super) fn met(&mut self, boot: u64) {
        self.deceived |= boot < self.youngest;
        self.youngest = boot;
    }

    pub(super) fn hear(&mut self, from: SocketAddr, is_newest: bool, token: u64) {
        self.path.heard(from, is_newest, 10 * SIZE, || token, NOW);
    }

    pub(super) fn sealed(&mut self, control: Control, to: Option<SocketAddr>) -> Option<Message> {
        let token = self.slots.current_mut()?;
        let (sender, receiver, counter) = (token.index, token.remote, token.sent);
        let to = to.or_else(|| self.path.to(SIZE))?;
        token.sent += 1;
        self.confirms = false;
        Some(Message { from: self.at, to, content: Content::Sealed { sender, receiver, counter, control } })
    }

    /// What the session says by itself.
    pub(super) fn speak(&mut self) -> Option<Message> {
        if let Some((token, to)) = self.answers.take()
            && self.path.takes_answer(to, SIZE)
        {
            return self.sealed(Control::Answer(token), Some(to));
        }
        if self.slots.current().is_some()
            && self.path.wants_challenge(NOW)
            && let Some(challenge) = self.path.challenge(SIZE, Span::from_milliseconds(1000), NOW)
        {
            return self.sealed(Control::Challenge(challenge.token), Some(challenge.to));
        }
        if self.confirms { self.sealed(Control::Packet, None) } else { None }
    }

    pub(super) fn wants_to_speak(&self) -> bool {
        self.answers.is_some() || self.confirms || self.slots.current().is_some() && self.path.wants_challenge(NOW)
    }

    pub(super) fn begin(&mut self, index: u16) -> Option<Message> {
        let turn = self.path.begins_at(self.turn, SIZE)?;
        let to = turn.to;
        self.turn = turn.next();
        self.attempt = Some((index, to));
        self.stamped += 1;
        let content = Content::Initiation { sender: index, boot: self.boot, stamp: self.stamped };
        Some(Message { from: self.at, to, content })
    }

    /// An initiation comes: it is answered, or its sender's clock is behind.
    pub(super) fn be_asked(
        &mut self,
        from: SocketAddr,
        index: u16,
        sender: u16,
        boot: u64,
        stamp: u8,
    ) -> Option<Message> {
        let (latest, whose) = self.latest;
        if stamp <= latest {
            let content = Content::Stale { receiver: sender, latest };
            return (whose != boot).then_some(Message { from: self.at, to: from, content });
        }
        self.latest = (stamp, boot);
        self.hear(from, true, u64::from(index));
        self.path.takes_answer(from, SIZE);
        let token = Token { index, remote: sender, boot, began_at: Some(from), sent: 0, seen: 0 };
        self.slots.offer(token, drop);
        let content = Content::Response { sender: index, receiver: sender, boot: self.boot };
        Some(Message { from: self.at, to: from, content })
    }

    /// A message comes; `index` is a free one. Returns the answer.
    pub(super) fn receive(&mut self, message: Message, index: u16) -> Option<Message> {
        let Message { from, content, .. } = message;
        match content {
            Content::Initiation { sender, boot, stamp } => self.be_asked(from, index, sender, boot, stamp),
            Content::Stale { receiver, latest } => {
                self.attempt.take_if(|(index, _)| *index == receiver)?;
                self.stamped = self.stamped.max(latest);
                // The next message goes to the same place.
                self.turn = self.turn.saturating_sub(1);
                let again = self.begin(index)?;
                self.attempt = Some((index, from));
                Some(Message { to: from, ..again })
            }
            Content::Response { sender, receiver, boot } => {
                let (index, asked_at) = self.attempt.take_if(|(index, _)| *index == receiver)?;
                let token = Token { index, remote: sender, boot, began_at: None, sent: 0, seen: 0 };
                self.slots.establish(token, drop);
                self.met(boot);
                self.confirms = true;
                self.turn = 0;
                if asked_at == from {
                    self.path.prove(from);
                } else {
                    self.hear(from, true, u64::from(sender));
                }
                None
            }
            Content::Sealed { sender, receiver, counter, control } => {
                let token = self.slots.find(receiver).filter(|token| token.remote == sender)?;
                let is_newest = counter >= token.seen;
                token.seen = token.seen.max(counter + 1);
                if self.slots.confirm(receiver, drop) {
                    let (boot, began_at) = self.slots.current().map(|token| (token.boot, token.began_at))?;
                    (self.attempt, self.turn) = (None, 0);
                    self.met(boot);
                    if began_at == Some(from) {
                        self.path.prove(from);
                    }
                }
                self.hear(from, is_newest, u64::from(sender) + 1000 * u64::from(counter));
                match control {
                    Control::Challenge(token) => self.answers = Some((token, from)),
                    Control::Answer(token) => _ = self.path.answered(token),
                    Control::Packet => {}
                }
                None
            }
        }
    }
}
