//! Where a peer is. It may move at any time, without a word: then its datagrams come from elsewhere.
//!
//! ```text
//!     the newest datagram comes from a new address  -->  a candidate, which is sent a challenge
//!     its answer                                    -->  the candidate is the address
//!     the newest one comes from the old address     -->  no candidate any more
//! ```
//!
//! Anybody can send a recorded datagram on from another address, which then seems to be the peer's. So a candidate gets at
//! most three times what came from it, until it has answered, and the old address the rest.

use arqway_units::{Span, Time};
use std::net::SocketAddr;

/// What is sent to a candidate, by what came from it (RFC 9000 §8.1 has the same).
const AT_MOST: u64 = 3;
/// A challenge is sent so many times.
const CHALLENGES: u32 = 3;

/// A peer may be in so many places.
pub(crate) const PLACES: usize = 3;

/// When a place is sent a first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    number: usize,
    pub(crate) to: SocketAddr,
    /// All places had theirs in this round.
    pub(crate) is_last: bool,
}

impl Turn {
    /// How many rounds were before it.
    pub(crate) fn round(&self) -> usize {
        self.number / PLACES
    }

    pub(crate) fn next(&self) -> usize {
        self.number + 1
    }
}

/// What a peer is asked for at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Challenge {
    pub(crate) token: u64,
    pub(crate) to: SocketAddr,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    challenge: Challenge,
    received: u64,
    sent: u64,
    challenged: u32,
    next_at: Time,
}

impl Candidate {
    /// Whether so many octets may go there; they have gone then.
    fn takes(&mut self, octets: usize) -> bool {
        let sent = self.sent.saturating_add(u64::try_from(octets).unwrap_or(u64::MAX));
        let takes = sent <= self.received.saturating_mul(AT_MOST);
        if takes {
            self.sent = sent;
        }
        takes
    }
}

/// Where a peer is, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path {
    /// Where its user says it is.
    configured: Option<SocketAddr>,
    /// Where it has shown to be, or is said to be.
    address: Option<SocketAddr>,
    candidate: Option<Candidate>,
}

impl Path {
    pub(crate) fn new(configured: Option<SocketAddr>) -> Self {
        Self { configured, address: configured, candidate: None }
    }

    /// Its user says that it is at an address. Whether that is another than was said before.
    pub(crate) fn configure(&mut self, address: SocketAddr) -> bool {
        self.address.get_or_insert(address);
        self.configured.replace(address) != Some(address)
    }

    /// Where it is.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Whether a message could reach it.
    pub(crate) fn is_known(&self) -> bool {
        self.address.is_some() || self.candidate.is_some()
    }

    /// Where a datagram of so many octets goes.
    pub(crate) fn to(&mut self, octets: usize) -> Option<SocketAddr> {
        let candidate =
            self.candidate.as_mut().and_then(|candidate| candidate.takes(octets).then_some(candidate.challenge.to));
        candidate.or(self.address)
    }

    /// Whether so many octets may go to a place that was not asked to prove itself otherwise: an answer to where its question came from.
    pub(crate) fn takes_answer(&mut self, to: SocketAddr, octets: usize) -> bool {
        let candidate = self.candidate.as_mut().filter(|candidate| candidate.challenge.to == to);
        candidate.is_none_or(|candidate| candidate.takes(octets))
    }

    /// Where a handshake may find it, each once: where it was last heard, where it is, and where its user says it is.
    fn places(&self) -> [Option<SocketAddr>; PLACES] {
        let candidate = self.candidate.as_ref().map(|candidate| candidate.challenge.to);
        let address = self.address.filter(|place| candidate != Some(*place));
        let configured = self.configured.filter(|place| candidate != Some(*place) && address != Some(*place));
        [candidate, address, configured]
    }

    /// From this turn on, those of one round that belong to a place.
    fn turns(&self, from: usize) -> impl Iterator<Item = (usize, SocketAddr)> {
        let places = self.places();
        (from..).take(PLACES).filter_map(move |number| Some((number, places[number % PLACES]?)))
    }

    /// Whether all places have had theirs in the round of this turn.
    fn is_last(&self, number: usize) -> bool {
        self.turns(number + 1).next().is_none_or(|(next, _)| next / PLACES > number / PLACES)
    }

    /// Whether a first message goes to this place whenever it has its turn.
    pub(crate) fn always_begins_at(&self, place: SocketAddr) -> bool {
        self.address == Some(place) || self.configured == Some(place)
    }

    /// Where a first message of so many octets goes: to one place after the other. Each keeps its turn when another one comes or goes.
    pub(crate) fn begins_at(&mut self, from: usize, octets: usize) -> Option<Turn> {
        let (number, place) = self.turns(from).next()?;
        let is_last = self.is_last(number);
        // Where its user says it is, it is asked also if somebody else sends from there.
        let takes = self.always_begins_at(place) || self.takes_answer(place, octets);
        Some(Turn { number, to: if takes { place } else { self.address? }, is_last })
    }

    /// A first message that was asked for at a place goes there, in its turn, and in this one where the place is forgotten already: the
    /// challenges of a candidate may have ended while its cookie was under way.
    pub(crate) fn asked_at(&self, place: SocketAddr, from: usize) -> Turn {
        let number = self.turns(from).find(|(_, to)| *to == place).map_or(from, |(number, _)| number);
        Turn { number, to: place, is_last: self.is_last(number) }
    }

    /// It has shown to be here. Whether that is elsewhere than before.
    pub(crate) fn prove(&mut self, address: SocketAddr) -> bool {
        self.candidate = None;
        self.address.replace(address) != Some(address)
    }

    /// A genuine datagram came from an address; `token` is for a challenge, if that is a new one.
    pub(crate) fn heard(
        &mut self,
        from: SocketAddr,
        is_newest: bool,
        octets: usize,
        token: impl FnOnce() -> u64,
        now: Time,
    ) {
        if self.address == Some(from) {
            if is_newest {
                self.candidate = None;
            }
            return;
        }
        let octets = u64::try_from(octets).unwrap_or(0);
        match self.candidate.as_mut().filter(|candidate| candidate.challenge.to == from) {
            Some(candidate) => candidate.received = candidate.received.saturating_add(octets),
            None if is_newest => {
                let challenge = Challenge { token: token(), to: from };
                self.candidate = Some(Candidate { challenge, received: octets, sent: 0, challenged: 0, next_at: now });
            }
            None => {}
        }
    }

    /// Whether a challenge is due.
    pub(crate) fn wants_challenge(&self, now: Time) -> bool {
        self.candidate.as_ref().is_some_and(|candidate| candidate.next_at <= now)
    }

    /// The challenge that is due, if its address may be sent so many octets.
    pub(crate) fn challenge(&mut self, octets: usize, retry: Span, now: Time) -> Option<Challenge> {
        let candidate = self.candidate.as_mut().filter(|candidate| candidate.next_at <= now)?;
        if candidate.challenged == CHALLENGES {
            self.candidate = None;
            return None;
        }
        candidate.next_at = now + retry * (1 << candidate.challenged);
        candidate.challenged += 1;
        candidate.takes(octets).then_some(candidate.challenge)
    }

    /// The peer answers a challenge. Whether it has moved.
    pub(crate) fn answered(&mut self, token: u64) -> Option<SocketAddr> {
        let to = self
            .candidate
            .as_ref()
            .map(|candidate| candidate.challenge)
            .filter(|challenge| challenge.token == token)?
            .to;
        self.prove(to).then_some(to)
    }

    /// When a challenge is due again.
    pub(crate) fn deadline(&self) -> Option<Time> {
        self.candidate.as_ref().map(|candidate| candidate.next_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRY: Span = Span::from_milliseconds(1000);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    fn address(host: u8) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, host], 1000))
    }

    /// At 1, and a datagram of 100 octets has come from 2.
    fn moving() -> Path {
        let mut path = Path::new(Some(address(1)));
        path.heard(address(2), true, 100, || 77, at(0));
        path
    }

    /// Which hosts are sent the first messages.
    fn asked(path: &mut Path, count: usize) -> Vec<u8> {
        let mut turn = 0;
        let asked = std::iter::repeat_with(|| {
            let begins = path.begins_at(turn, 190).expect("a turn");
            turn = begins.next();
            (1..=3).find(|host| address(*host) == begins.to).expect("one of these")
        });
        asked.take(count).collect()
    }

    #[test]
    fn a_new_address_gets_three_times_what_came_from_it_and_the_old_one_the_rest() {
        let mut path = moving();
        let to: Vec<_> = (0..4).map(|_| path.to(100)).collect();
        assert_eq!(to, [Some(address(2)), Some(address(2)), Some(address(2)), Some(address(1))]);
        path.heard(address(2), false, 10, || unreachable!(), at(1));
        assert_eq!((path.to(31), path.to(30)), (Some(address(1)), Some(address(2))));
    }

    #[test]
    fn the_answer_to_its_challenge_makes_a_new_address_the_peers() {
        let mut path = moving();
        assert_eq!(path.challenge(30, RETRY, at(0)), Some(Challenge { token: 77, to: address(2) }));
        assert_eq!(path.answered(78), None);
        assert_eq!((path.answered(77), path.address(), path.deadline()), (Some(address(2)), Some(address(2)), None));
    }

    #[test]
    fn the_newest_datagram_from_the_old_address_ends_it() {
        let mut path = moving();
        path.heard(address(1), false, 100, || unreachable!(), at(1));
        assert!(path.wants_challenge(at(1)), "one that was late says nothing");
        path.heard(address(1), true, 100, || unreachable!(), at(1));
        assert_eq!((path.to(10), path.wants_challenge(at(1)), path.answered(77)), (Some(address(1)), false, None));
    }

    #[test]
    fn an_old_datagram_from_elsewhere_moves_nothing() {
        let mut path = Path::new(Some(address(1)));
        path.heard(address(2), false, 100, || unreachable!(), at(0));
        assert_eq!((path.to(10), path.deadline()), (Some(address(1)), None));
    }

    #[test]
    fn a_challenge_without_an_answer_comes_three_times() {
        let mut path = moving();
        for due in [0, 1000, 3000] {
            assert_eq!(path.deadline(), Some(at(due)));
            assert!(path.challenge(30, RETRY, at(due)).is_some());
        }
        assert_eq!((path.deadline(), path.challenge(30, RETRY, at(7000))), (Some(at(7000)), None));
        assert_eq!((path.deadline(), path.to(10)), (None, Some(address(1))));
    }

    #[test]
    fn a_handshake_is_sent_to_one_place_after_the_other() {
        let mut path = moving();
        path.prove(address(2));
        assert_eq!(asked(&mut path, 3), [2, 1, 2]);
        path.heard(address(3), true, 100, || 78, at(0));
        // What came from the new one pays for one message.
        assert_eq!(asked(&mut path, 4), [3, 2, 1, 2]);
    }

    #[test]
    fn where_its_user_says_it_is_it_is_asked_in_its_turn_whatever_was_sent_there() {
        let mut path = moving();
        path.prove(address(2));
        // Somebody sends from where the peer is said to be, and the challenges have used up what came from there.
        path.heard(address(1), true, 10, || 78, at(0));
        assert_eq!(path.challenge(30, RETRY, at(0)).map(|challenge| challenge.to), Some(address(1)));
        assert_eq!(asked(&mut path, 4), [1, 2, 1, 2]);
    }

    #[test]
    fn each_place_keeps_its_turn_when_another_one_goes() {
        let mut path = moving();
        path.prove(address(2));
        path.heard(address(3), true, 1000, || 78, at(0));
        let second = path.begins_at(1, 190).expect("a turn");
        path.heard(address(2), true, 100, || unreachable!(), at(1));
        let third = path.begins_at(second.next(), 190).expect("a turn");
        assert_eq!([second, third].map(|turn| (turn.to, turn.is_last)), [(address(2), false), (address(1), true)]);
    }

    #[test]
    fn a_place_that_asks_takes_its_turn_and_the_present_one_if_it_is_forgotten() {
        let mut path = moving();
        path.prove(address(2));
        let asked = |path: &Path, host, from| {
            let turn = path.asked_at(address(host), from);
            (turn.to, turn.next(), turn.is_last)
        };
        assert_eq!([1, 2, 3].map(|host| asked(&path, host, 0).1), [3, 2, 1]);
        assert_eq!(asked(&path, 3, 1), (address(3), 2, false), "where its user says it is has its turn in this round");
        assert_eq!(asked(&path, 3, 2), (address(3), 3, true));
    }
}
