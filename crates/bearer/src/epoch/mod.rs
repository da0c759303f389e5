//! Which incarnations of the two ends talk to each other.
//!
//! Each end is given a boot number that no other incarnation has. An epoch is a pair of them: it begins when each knows
//! that the other is alive *now*, and ends when one of them has restarted. What was sent in another epoch is never delivered.
//!
//! ```text
//!     A, restarted                                          B
//!        | hello: boot a, challenge 1, asks ------------------> |  somebody new, perhaps; or a hello of long ago
//!        | <------- hello: boot b, challenge 5, echo (a, 1), asks |
//!     B echoes what only A of now can have said: agreed         |
//!        | hello: boot a, challenge 1, echo (b, 5) -----------> |  agreed: B builds its services anew
//!        | data, directly behind it -------------------------> |
//! ```
//!
//! A challenge is used until it was echoed by a new peer, then counted up: so no hello of an older incarnation can carry it,
//! however late or often it arrives. Ends ask again until they are answered.
//!
//! For a while after an epoch has begun only datagrams that name it in full are taken. A short name has two bits of it, and a
//! datagram of the epoch before may still be under way; when it no longer can, reports say so
//! ([`takes_short`](Epoch::takes_short)), and steady state begins.
//!
//! Where datagrams go in a secure session, its handshake has told both boot numbers already, and nobody else can have said
//! them. Then there are no hellos: the owner says who [was met](Epoch::meet).

use super::wire::{self, Hello, Name};
use arqway_units::{Span, Time};

/// How long to wait for an answer to the first hello; then twice that, and so on.
const FIRST_WAIT: Span = Span::from_milliseconds(250);

/// How often a peer that is known is asked whether it is still the same, for each doubt.
const DOUBTS: u8 = 4;

/// One end's view.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Epoch {
    of_client: bool,
    boot: u64,
    /// The owner says who the peer is.
    is_told: bool,
    /// The peer's boot number, once it is known to be alive.
    peer: Option<u64>,
    /// When it became known.
    since: Time,
    challenge: u32,
    /// Boot number and challenge heard last.
    heard: Option<(u64, u32)>,
    /// Whoever asked is to be answered.
    answers: bool,
    /// Where a hello of the peer's is wanted: when to ask (again), and how often it was asked.
    asks: Option<(Time, u8)>,
}

/// What a hello means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing new, or nothing certain.
    Nothing,
    /// A peer is there.
    Peer,
    /// Another peer is there: the one before has restarted.
    Restarted,
}

impl Epoch {
    /// An end that knows of no peer, and asks.
    pub(super) fn new(of_client: bool, boot: u64, now: Time) -> Self {
        Self { is_told: false, asks: Some((now, 0)), ..Self::told(of_client, boot, now) }
    }

    /// An end that knows of no peer until its owner has met it.
    pub(super) fn told(of_client: bool, boot: u64, now: Time) -> Self {
        Self {
            of_client,
            boot,
            is_told: true,
            peer: None,
            since: now,
            challenge: 1,
            heard: None,
            answers: false,
            asks: None,
        }
    }

    /// The owner has met the peer, alive, by this boot number.
    pub(super) fn meet(&mut self, boot: u64, now: Time) -> Heard {
        if !self.is_told || self.peer == Some(boot) {
            return Heard::Nothing;
        }
        self.since = now;
        if self.peer.replace(boot).is_some() { Heard::Restarted } else { Heard::Peer }
    }

    /// The number of the epoch, if there is one: both ends work out the same.
    pub(super) fn id(&self) -> Option<u32> {
        let peer = self.peer?;
        let (client, access_point) = if self.of_client { (self.boot, peer) } else { (peer, self.boot) };
        // The finalizer of SplitMix64 over both, so that epochs that follow each other differ in all bits.
        let mixed = [client, access_point].into_iter().fold(0u64, |mixed, boot| {
            let mut mixed = (mixed ^ boot).wrapping_add(0x9E37_79B9_7F4A_7C15);
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ mixed >> 31
        });
        u32::try_from(mixed >> 32).ok()
    }

    /// Whether short names may be used by the peer: whatever was sent in an epoch before has arrived, or never will.
    pub(super) fn takes_short(&self, lifetime: Span, now: Time) -> bool {
        self.peer.is_some() && now.since(self.since) >= lifetime
    }

    /// Whether a datagram is of this epoch.
    pub(super) fn takes(&self, name: Name, lifetime: Span, now: Time) -> bool {
        let Some(id) = self.id() else { return false };
        match name {
            Name::Full { epoch, .. } => epoch == id,
            Name::Short { epoch, .. } => epoch == wire::short_epoch(id) && self.takes_short(lifetime, now),
        }
    }

    /// A hello arrives.
    pub(super) fn hear(&mut self, hello: &Hello, now: Time) -> Heard {
        if hello.of_client == self.of_client || self.is_told {
            return Heard::Nothing;
        }
        self.heard = Some((hello.boot, hello.challenge));
        self.answers |= hello.asks;
        let is_alive = hello.peer == self.boot && hello.echo == self.challenge;
        let is_known = self.peer == Some(hello.boot);
        match (is_alive, is_known) {
            (true, true) => self.asks = None,
            (true, false) => {
                let restarted = self.peer.replace(hello.boot).is_some();
                self.challenge = self.challenge.checked_add(1).unwrap_or(1);
                (self.since, self.asks) = (now, None);
                return if restarted { Heard::Restarted } else { Heard::Peer };
            }
            (false, true) => {}
            (false, false) => {
                self.answers = true;
                self.doubt(now);
            }
        }
        Heard::Nothing
    }

    /// The peer may have restarted: it is asked.
    pub(super) fn doubt(&mut self, now: Time) {
        if !self.is_told {
            self.asks.get_or_insert((now, 0));
        }
    }

    /// The next hello, if one is to be sent.
    pub(super) fn poll(&mut self, now: Time) -> Option<Hello> {
        let is_due = self.asks.is_some_and(|(at, _)| at <= now);
        if !is_due && !self.answers {
            return None;
        }
        self.answers = false;
        let asks = self.asks.is_some();
        if let Some((_, asked)) = self.asks {
            let wait = FIRST_WAIT * (1 << asked.min(2));
            let gives_up = self.peer.is_some() && asked >= DOUBTS;
            self.asks = (!gives_up).then(|| (now + wait, asked.saturating_add(1)));
        }
        let (peer, echo) = self.heard.unwrap_or((0, 0));
        Some(Hello { of_client: self.of_client, asks, boot: self.boot, challenge: self.challenge, peer, echo })
    }

    /// When the next hello is due without being asked for.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.asks.map(|(at, _)| at)
    }
}

#[cfg(test)]
mod model;

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ends that know each other, since 1 s.
    fn agreed() -> [Epoch; 2] {
        let now = Time::ZERO + Span::from_milliseconds(1000);
        let mut ends = [Epoch::new(false, 77, now), Epoch::new(true, 99, now)];
        while let Some((index, hello)) = (0..2).find_map(|index| Some((index, ends[index].poll(now)?))) {
            ends[1 - index].hear(&hello, now);
        }
        ends
    }

    #[test]
    fn both_ends_work_out_the_same_epoch() {
        let [near, far] = agreed();
        assert!(near.id().is_some() && near.id() == far.id());
    }

    #[test]
    fn a_short_name_is_taken_only_when_nothing_of_an_epoch_before_can_be_under_way() {
        let [end, _] = agreed();
        let id = end.id().expect("a peer");
        let lifetime = Span::from_milliseconds(30_000);
        let takes = |name, milliseconds| end.takes(name, lifetime, Time::ZERO + Span::from_milliseconds(milliseconds));
        let short = Name::Short { epoch: wire::short_epoch(id), number: 0 };
        assert_eq!((takes(short, 30_999), takes(short, 31_000)), (false, true));
        assert!(!takes(Name::Short { epoch: wire::short_epoch(id) ^ 1, number: 0 }, 31_000));
        assert!(
            takes(Name::Full { epoch: id, number: 0 }, 1000) && !takes(Name::Full { epoch: id ^ 1, number: 0 }, 1000)
        );
    }

    #[test]
    fn an_end_whose_owner_meets_the_peer_asks_nobody_and_hears_no_hello() {
        let mut end = Epoch::told(false, 77, Time::ZERO);
        let hello = Epoch::new(true, 99, Time::ZERO).poll(Time::ZERO).expect("it asks");
        assert_eq!((end.hear(&hello, Time::ZERO), end.poll(Time::ZERO)), (Heard::Nothing, None));
        assert_eq!((end.meet(99, Time::ZERO), end.meet(99, Time::ZERO)), (Heard::Peer, Heard::Nothing));
        let [of_hellos, _] = agreed();
        assert_eq!(end.id(), of_hellos.id(), "the same epoch as by hellos");
        assert_eq!((end.meet(98, Time::ZERO), end.id() == of_hellos.id()), (Heard::Restarted, false));
        end.doubt(Time::ZERO);
        assert_eq!((end.poll(Time::ZERO), end.deadline()), (None, None));
        let mut asks = Epoch::new(false, 77, Time::ZERO);
        assert_eq!((asks.meet(99, Time::ZERO), asks.id()), (Heard::Nothing, None), "hellos alone decide here");
    }

    #[test]
    fn an_end_that_hears_itself_learns_nothing() {
        let mut end = Epoch::new(false, 77, Time::ZERO);
        let hello = end.poll(Time::ZERO).expect("it asks");
        assert_eq!((end.hear(&hello, Time::ZERO), end.heard), (Heard::Nothing, None));
    }

    #[test]
    fn a_hello_without_an_answer_comes_again_each_second_at_last() {
        let (mut end, mut now) = (Epoch::new(false, 77, Time::ZERO), Time::ZERO);
        for wait in [250, 500, 1000, 1000, 1000, 1000] {
            assert!(end.poll(now).is_some() && end.poll(now).is_none());
            now += Span::from_milliseconds(wait);
            assert_eq!(end.deadline(), Some(now));
        }
    }
}
