//! Handshakes that come to nothing since somebody has a wrong key: what the users of both ends are told of them, and how often.
//!
//! ```text
//!     a first message for another key than ours    -->  our user is told; no answer: who does not know our key learns nothing of us
//!     a first message with a key that is no peer's -->  our user is told; a refusal, shorter than its question
//!     a refusal                                    -->  our user is told, and that is all: who knows the key of the peer can write one
//!     no answer for 4 s, and never one before      -->  our user is told
//! ```

use super::load::Bucket;
use super::receiving::Arrival;
use super::{Endpoint, get_mut};
use crate::event::{Event, PeerId};
use crate::handshake::wire::{Mac, Macs, Message, NONCE, TAG, write_refusal};
use crate::key::PublicKey;
use crate::peer::Told;
use crate::random::draw;
use arqway_agenda::Key as _;
use arqway_units::{Span, Time};
use arrayvec::ArrayVec;
use std::net::{IpAddr, SocketAddr};

/// So many of those who sent something are remembered, and not told of again for so long.
const REMEMBERED: usize = 8;
const AGAIN: Span = Span::from_milliseconds(60_000);
/// Whoever sends from many addresses has so many told at once, and then one in each such time.
const AT_ONCE: u32 = 4;
const EACH: Span = Span::from_milliseconds(10_000);
/// So many are refused a second, and at once.
const REFUSALS: (u32, u32) = (1, 5);

/// What our user was told of last, and who was refused.
#[derive(Debug)]
pub(super) struct Complaints {
    told: ArrayVec<(Option<PublicKey>, IpAddr, Time), REMEMBERED>,
    events: Bucket,
    refusals: Bucket,
}

impl Complaints {
    pub(super) const fn new() -> Self {
        Self { told: ArrayVec::new_const(), events: Bucket::FULL, refusals: Bucket::FULL }
    }

    /// Whether our user is to be told of a key from somewhere.
    fn is_news(&mut self, key: Option<PublicKey>, from: SocketAddr, now: Time) -> bool {
        let is_known = |told: &(Option<PublicKey>, IpAddr, Time)| (told.0, told.1) == (key, from.ip());
        self.told.retain(|told| now.since(told.2) < AGAIN);
        if self.told.iter().any(is_known) || !self.events.lets_each(EACH, AT_ONCE, now) {
            return false;
        }
        if self.told.is_full() {
            self.told.remove(0);
        }
        self.told.push((key, from.ip(), now));
        true
    }
}

impl Endpoint {
    /// A handshake message was not written for our key: perhaps for that of a peer, where settings were copied.
    pub(super) fn complain_of_address(&mut self, macs: &Macs<'_>, arrival: &Arrival<'_>) {
        if self.complaints.is_news(None, arrival.from, arrival.now) {
            let is_for = |id: &PeerId| {
                let peer = self.peers.get(id.index()).and_then(Option::as_deref);
                peer.is_some_and(|peer| peer.addressed.is_for_us(macs))
            };
            let peer = self.by_key.values().copied().find(is_for);
            self.events.push(Event::Misdirected { from: arrival.from, peer });
        }
    }

    /// Somebody began with a key that is no peer's, and so may be who a user has mistaken for a peer. It is refused, unless too many are.
    pub(super) fn refuse_stranger(
        &mut self,
        public: PublicKey,
        sender: u32,
        first: &Mac,
        arrival: &mut Arrival<'_>,
    ) -> Option<Message> {
        let Arrival { from, now, random, .. } = arrival;
        if self.complaints.is_news(Some(public), *from, *now) {
            self.events.push(Event::Stranger { public, from: *from });
        }
        let (a_second, at_once) = REFUSALS;
        if !self.identity.dialect.introduces || !self.complaints.refusals.lets(a_second, at_once, *now) {
            return None;
        }
        let nonce = draw(*random);
        Some(write_refusal(sender, &nonce, &self.identity.addressed.refuse(&nonce, first)?))
    }

    /// A peer says that it does not know our key. Whoever knows its key and sees our message can say so too: nothing else comes of it.
    pub(super) fn handle_refusal(
        &mut self,
        receiver: u32,
        nonce: &[u8; NONCE],
        tag: &[u8; TAG],
        arrival: &Arrival<'_>,
    ) {
        let Some(id) = self.waiting(receiver) else { return };
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        let pending = peer.attempt.as_ref().and_then(|attempt| attempt.pending.as_ref());
        let is_genuine = pending
            .is_some_and(|pending| pending.to == arrival.from && peer.addressed.is_refusal(nonce, tag, &pending.first));
        if !is_genuine {
            self.counters.forged += 1;
            return;
        }
        if peer.told != Told::KeyUnknown {
            peer.told = Told::KeyUnknown;
            self.events.push(Event::KeyUnknown { peer: id, at: arrival.from });
        }
    }

    /// Both ends have keys, and the peer is the incarnation `boot`. Whether it has restarted.
    pub(super) fn meet(&mut self, id: PeerId, boot: u64, before: Option<SocketAddr>, arrival: &Arrival<'_>) -> bool {
        let Some(peer) = get_mut(&mut self.peers, id) else { return false };
        let met = peer.met(boot);
        if met.is_back && peer.told_twice.is_none_or(|since| arrival.now.since(since) >= AGAIN) {
            peer.told_twice = Some(arrival.now);
            self.events.push(Event::Twice { peer: id, at: arrival.from, before });
        }
        met.restarted
    }
}
