//! All that an end knows of one peer.
//!
//! | file | concept |
//! | --- | --- |
//! | `slots.rs`, `keypair.rs` | its keys, old and new ones |
//! | `attempt.rs` | a handshake that we began, and our answer to one of the peer's |
//! | `path.rs` | where it is |
//! | `activity.rs` | when it was heard and answered |
//! | `sending.rs` | what is sent to it |

pub(crate) mod activity;
pub(crate) mod attempt;
pub(crate) mod keypair;
pub(crate) mod path;
pub(crate) mod sending;
pub(crate) mod slots;

pub(crate) use sending::Context;
pub use sending::{NotSealed, Sealed};

use crate::config::Config;
use crate::handshake::mac::{Addressed, Jar};
use crate::handshake::timestamp::{Latest, Timestamp};
use crate::introduction::Mismatch;
use crate::key::{PresharedKey, PublicKey};
use activity::Activity;
use arqway_units::{LineId, PerLine, Span, Time};
use arrayvec::ArrayVec;
use attempt::{Attempt, LastAnswer};
use keypair::Keypair;
use path::Path;
use sending::MOST_INITIATION;
use slots::Slots;
use std::net::SocketAddr;

/// When the way through a NAT is held open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keepalive {
    /// While the owner waits for something from the peer, if we began the session: see [`Endpoint::awaits`](crate::Endpoint::awaits).
    #[default]
    WhileAwaiting,
    /// Always: this end is behind a NAT, and others have to reach it. The peer is asked for an answer each time: one that has restarted
    /// meanwhile has none, and cannot begin itself where it does not know our address.
    Always,
}

/// A peer, as its user describes it.
#[derive(Debug, Clone)]
pub struct PeerConfig {
    /// Who it is.
    pub public: PublicKey,
    /// What both share, or the default: nothing.
    pub preshared: PresharedKey,
    /// Where it is; without this, it has to begin.
    pub address: Option<SocketAddr>,
    /// When the way through a NAT is held open.
    pub keepalive: Keepalive,
    /// By how many lines this end reaches it, one at least; it may have more that lead here.
    pub lines: usize,
}

fn paths(config: &PeerConfig) -> PerLine<Path> {
    let mut paths = PerLine::new(Path::new(config.address));
    if let Some(last) = LineId::first(config.lines).next_back() {
        paths.reach(last, |_| Path::new(config.address));
    }
    paths
}

/// What its user was told of why there is no session yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Told {
    #[default]
    Nothing,
    Unanswered,
    KeyUnknown,
}

/// Which incarnation of a peer has shown to be there.
pub(crate) struct Met {
    /// Another one than before.
    pub(crate) restarted: bool,
    /// One before that: so two are there at a time, and have the same key.
    pub(crate) is_back: bool,
}

/// So many incarnations are known that were there before.
const GONE: usize = 4;
/// A peer that never was heard is doubted after so long.
pub(crate) const DOUBTED_AFTER: Span = Span::from_milliseconds(4_000);

/// After ends could not speak, they try again only after so long.
const REFUSED_FOR: Span = Span::from_milliseconds(30_000);

/// Datagrams of the session's own that wait to be sent.
#[derive(Debug, Default)]
pub(crate) struct Wants {
    /// An empty packet: a sign of life, or the confirmation of new keys.
    pub(crate) keepalive: bool,
    /// A question whether the peer still has our keys, which holds the way to it open, too.
    pub(crate) question: bool,
    /// The answer to a challenge, to where that came from.
    pub(crate) answer: Option<(LineId, u64, SocketAddr)>,
    /// A report of what has arrived with the keys of this index.
    pub(crate) report: Option<u16>,
}

impl Wants {
    /// Something is sent: it says that we live, and which keys we have.
    pub(crate) fn sent(&mut self) {
        (self.keepalive, self.question) = (false, false);
    }
}

pub(crate) struct Peer {
    pub(crate) config: PeerConfig,
    /// Codes of messages to it.
    pub(crate) addressed: Addressed,
    pub(crate) slots: Slots<Keypair>,
    pub(crate) attempt: Option<Attempt>,
    /// Where it is, by each line.
    pub(crate) paths: PerLine<Path>,
    /// The line by which it was heard last.
    pub(crate) heard_by: LineId,
    pub(crate) activity: Activity,
    pub(crate) wants: Wants,
    /// The cookie that it gave us.
    pub(crate) jar: Jar,
    /// The last answer to a handshake of it.
    pub(crate) last_answer: Option<LastAnswer>,
    /// The latest time stamp of it.
    pub(crate) latest: Latest,
    /// The latest one to it, or that it says it knows. Of this peer alone: one that lies keeps nobody else from us.
    pub(crate) stamped: Timestamp,
    /// Its incarnation, and those before.
    pub(crate) boot: Option<u64>,
    gone: ArrayVec<u64, GONE>,
    pub(crate) told: Told,
    /// When its user was told that two ends have its key.
    pub(crate) told_twice: Option<Time>,
    /// Why we cannot speak, and when we noticed.
    pub(crate) refused: Option<(Mismatch, Time)>,
    /// How long it took to answer a handshake, as far as is known.
    pub(crate) round_trip: Option<Span>,
    /// The owner waits for something from it.
    pub(crate) awaits: bool,
}

impl Peer {
    pub(crate) fn new(config: PeerConfig) -> Self {
        Self {
            addressed: Addressed::to(&config.public),
            slots: Slots::default(),
            attempt: None,
            paths: paths(&config),
            heard_by: LineId::FIRST,
            activity: Activity::default(),
            wants: Wants::default(),
            jar: Jar::default(),
            last_answer: None,
            latest: Latest::default(),
            stamped: Timestamp::default(),
            boot: None,
            gone: ArrayVec::new(),
            told: Told::default(),
            told_twice: None,
            refused: None,
            round_trip: None,
            awaits: false,
            config,
        }
    }

    /// Its user says that it is at an address, by whichever line. Whether that is another than was said before.
    pub(crate) fn configure(&mut self, address: SocketAddr) -> bool {
        self.paths.iter_mut().fold(false, |is_new, path| path.configure(address) | is_new)
    }

    /// Whether a message could reach it.
    pub(crate) fn is_known(&self) -> bool {
        self.paths.iter().any(Path::is_known)
    }

    /// The line by which a message goes after so many rounds: the one by which it was heard last, then the others by turns.
    pub(crate) fn line_after(&self, rounds: usize) -> LineId {
        let lines = self.paths.count();
        let mut in_turn = self.paths.ids().cycle().skip(self.heard_by.index() + rounds % lines).take(lines);
        in_turn.find(|line| self.paths.get(*line).is_known()).unwrap_or_default()
    }

    /// New keys are needed. A handshake begins, if none is under way and there is somebody to begin it with.
    pub(crate) fn want_keys(&mut self, now: Time) {
        let is_refused = self.refused.is_some_and(|(_, since)| now.since(since) < REFUSED_FOR);
        if self.attempt.is_none() && self.is_known() && !is_refused {
            self.attempt = Some(Attempt::new(self.round_trip, now));
        }
    }

    /// The peer is where it was asked, and asks for a cookie: what it wants goes there, whichever place has the turn. The cookie has
    /// paid for it: three times its 64 octets are more than a first message has.
    pub(crate) fn ask_at(&mut self, place: SocketAddr) {
        if let Some(attempt) = &mut self.attempt
            && self.paths.iter_mut().all(|path| path.takes_answer(place, MOST_INITIATION))
        {
            attempt.ask_at(place);
        }
    }

    /// Both ends have new keys, and this is the incarnation of the peer.
    pub(crate) fn met(&mut self, boot: u64) -> Met {
        (self.refused, self.told) = (None, Told::Nothing);
        let Some(before) = self.boot.replace(boot).filter(|before| *before != boot) else {
            return Met { restarted: false, is_back: false };
        };
        let is_back = self.gone.contains(&boot);
        if self.gone.is_full() {
            self.gone.remove(0);
        }
        self.gone.push(before);
        Met { restarted: true, is_back }
    }

    /// Whether it is time to doubt that the peer is where it is asked, and knows us: where, and whether something answered there.
    pub(crate) fn take_doubt(&mut self, now: Time) -> Option<(SocketAddr, bool)> {
        self.doubt_at().filter(|at| *at <= now)?;
        let attempt = self.attempt.as_ref()?;
        let to = attempt.pending.as_ref()?.to;
        self.told = Told::Unanswered;
        Some((to, attempt.unverified))
    }

    fn doubt_at(&self) -> Option<Time> {
        let attempt = self.attempt.as_ref().filter(|_| self.boot.is_none() && self.told == Told::Nothing)?;
        Some(attempt.since() + DOUBTED_AFTER)
    }

    /// It has shown to be at an address. Whether it was elsewhere before.
    pub(crate) fn moved_to(&mut self, address: SocketAddr) -> bool {
        let was_known = self.is_known();
        self.paths.first.prove(address) && was_known
    }

    /// Whether an empty packet holds the way open.
    fn keeps_alive(&self) -> bool {
        match self.config.keepalive {
            Keepalive::Always => self.is_known(),
            Keepalive::WhileAwaiting => self.awaits && self.slots.current().is_some_and(|keys| keys.initiated),
        }
    }

    /// Acts on what is due; `dropped` takes the indices of keys that are done with. Whether a handshake was given up, and if
    /// so, whether something answered.
    pub(crate) fn handle_timeout(&mut self, config: &Config, now: Time, mut dropped: impl FnMut(u16)) -> Option<bool> {
        self.slots.retire(|keys| keys.is_done(config, now), |keys| dropped(keys.index));
        if self.activity.take_silence(config, now) {
            self.want_keys(now);
        }
        if self.activity.take_answer(now) {
            self.wants.keepalive = true;
        }
        if self.keeps_alive() && self.activity.keepalive_at(config) <= now {
            match self.config.keepalive {
                Keepalive::Always => self.wants.question = true,
                Keepalive::WhileAwaiting => self.wants.keepalive = true,
            }
        }
        let attempt = self.attempt.take_if(|attempt| attempt.is_over(config, now))?;
        attempt.indices().for_each(dropped);
        self.activity.give_up();
        // Whoever holds a way open tries again when that is due.
        self.wants.sent();
        self.activity.sent(false, now);
        Some(attempt.unverified)
    }

    /// When it has to be looked after. What is due already waits to be asked for, not for time.
    pub(crate) fn deadline(&self, config: &Config, now: Time) -> Option<Time> {
        let retired = self.slots.iter().map(|keys| keys.born + config.reject_after.get()).min();
        let keepalive = (self.keeps_alive() && !self.wants.keepalive && !self.wants.question)
            .then(|| self.activity.keepalive_at(config));
        let challenge = self.paths.iter().filter_map(Path::deadline).filter(|at| *at > now).min();
        let attempt = self.attempt.as_ref().map(|attempt| attempt.deadline(config, now));
        let doubt = self.doubt_at().filter(|at| *at > now);
        [retired, keepalive, attempt, self.activity.deadline(config), challenge, doubt].into_iter().flatten().min()
    }

    /// Whether it is to be challenged, and can be: a handshake shows where it is, too.
    fn wants_challenge(&self, config: &Config, now: Time) -> bool {
        self.paths.iter().any(|path| path.wants_challenge(now))
            && self.slots.current().is_some_and(|keys| keys.may_seal(config, now))
    }

    /// Whether it has something to send now.
    pub(crate) fn has_something(&self, config: &Config, now: Time) -> bool {
        let Wants { keepalive, question, answer, report } = &self.wants;
        self.attempt.as_ref().is_some_and(|attempt| attempt.is_due(now))
            || *keepalive
            || *question
            || report.is_some()
            || answer.is_some()
            || self.wants_challenge(config, now)
    }
}
