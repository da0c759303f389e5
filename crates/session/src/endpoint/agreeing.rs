//! A handshake message comes. What costs little is looked at first: the length, the code for us, the load, and only then keys.

use super::load::Admission;
use super::receiving::Arrival;
use super::{Endpoint, get_mut};
use crate::event::{Event, PeerId};
use crate::handshake::noise::{MOST_PAYLOAD, Noise};
use crate::handshake::timestamp::{Latest, TIMESTAMP, Timestamp};
use crate::handshake::wire::{self, Head, Incoming, Mac, Macs, Message, NONCE, SEALED_COOKIE};
use crate::introduction::{INTRODUCTION, Introduction, Mismatch};
use crate::key::PublicKey;
use crate::peer::Peer;
use crate::peer::attempt::{Attempt, LastAnswer, Repeat};
use crate::peer::keypair::{Keypair, Keys};
use crate::random::draw;
use crate::transport::Transport;
use arqway_units::{LineId, Time};
use arrayvec::ArrayVec;
use std::net::SocketAddr;
use zeroize::Zeroizing;

/// What the first message of a peer says.
struct Begun {
    id: PeerId,
    noise: Noise,
    said: Said,
}

/// What the first message of a peer is worth.
enum Said {
    /// It is a new one: the boot number of its introduction, or why we cannot speak.
    New(Result<u64, Mismatch>),
    /// Its time stamp is no later than this one, which another incarnation of the peer has made.
    Stale(Timestamp),
}

impl Endpoint {
    /// Takes a handshake message; returns the answer to it.
    pub(super) fn handle_message(&mut self, message: &Incoming<'_>, arrival: &mut Arrival<'_>) -> Option<Message> {
        match message {
            Incoming::Initiation { sender, noise, macs } => match self.admit(macs, false, arrival)? {
                Admission::AskForCookie => self.ask_for_cookie(message, arrival),
                _ => self.handle_initiation(*sender, noise, macs.first, arrival),
            },
            Incoming::Response { sender, receiver, noise, macs } => {
                // One that nobody waits for is not worth a key agreement.
                let Some(id) = self.waiting(*receiver) else {
                    self.hear_late(*receiver, macs);
                    return None;
                };
                // Whoever names no keys keeps nothing, and could not come again with a cookie.
                let is_known = *sender == 0 && self.asked_at(id) == Some(arrival.from);
                match self.admit(macs, is_known, arrival)? {
                    Admission::AskForCookie => self.ask_for_cookie(message, arrival),
                    _ => {
                        self.handle_response(id, *sender, noise, arrival);
                        None
                    }
                }
            }
            Incoming::Refusal { receiver, nonce, tag } => {
                self.handle_refusal(*receiver, nonce, tag, arrival);
                None
            }
            Incoming::Cookie { receiver, nonce, sealed } => {
                self.handle_cookie(*receiver, nonce, sealed, arrival);
                None
            }
        }
    }

    /// A peer under load wants to see that we are where we say we are.
    fn handle_cookie(
        &mut self,
        receiver: u32,
        nonce: &[u8; NONCE],
        sealed: &[u8; SEALED_COOKIE],
        arrival: &mut Arrival<'_>,
    ) {
        let &mut Arrival { from, octets, now, ref mut random } = arrival;
        let index = u16::try_from(receiver).ok();
        let id = index.and_then(|index| self.indices.get(index));
        let Some((id, peer)) = id.and_then(|id| Some((id, get_mut(&mut self.peers, id)?))) else {
            self.counters.unknown_index += 1;
            return;
        };
        // The first code shows that it answers the last message of ours, and not an older one.
        let pending = peer.attempt.as_ref().and_then(|attempt| attempt.pending.as_ref());
        let asked = pending.filter(|pending| Some(pending.index) == index).map(|pending| (pending.first, pending.to));
        let asked_or_answered = asked.or(peer.last_answer.map(|answer| (answer.first, answer.to)));
        let genuine = asked_or_answered.and_then(|(first, to)| Some((peer.addressed.open(nonce, sealed, &first)?, to)));
        let Some((cookie, to)) = genuine else {
            self.counters.forged += 1;
            return;
        };
        // It pays for the message that it asks for, at an address that has not proven itself.
        peer.paths.first.heard(from, false, octets, || u64::from_le_bytes(draw(*random)), now);
        peer.jar.keep(cookie, now);
        let is_asked = match &mut peer.attempt {
            // What went to the same place since that answer may be answered still.
            Some(attempt) if asked.is_some() || attempt.asks(from, peer.last_answer) => {
                attempt.repeat_for(Repeat::Cookie, now)
            }
            // Our answer was not looked at, and is not kept: we begin instead, and anew. Once for each answer.
            attempt => {
                attempt.take().iter().flat_map(Attempt::indices).for_each(|index| self.indices.free(index));
                peer.last_answer = None;
                peer.want_keys(now);
                true
            }
        };
        if is_asked && to == from {
            peer.ask_at(from);
        }
        self.schedule(id, now);
    }

    /// Whether a message for us gets a key agreement, or an answer at least; `is_known` says that its sender needs no cookie.
    fn admit(&mut self, macs: &Macs<'_>, is_known: bool, arrival: &mut Arrival<'_>) -> Option<Admission> {
        if !self.identity.addressed.is_for_us(macs) {
            self.counters.not_for_us += 1;
            self.complain_of_address(macs, arrival);
            return None;
        }
        let Arrival { from, now, random, .. } = arrival;
        let baker = &mut self.baker;
        let proven = || (is_known || baker.is_proven(macs, *from, *now, *random)).then(|| baker.place(*from));
        let admission = self.load.admit(&self.config, proven, *now);
        if admission == Admission::Drop {
            self.counters.overload += 1;
            return None;
        }
        Some(admission)
    }

    fn ask_for_cookie(&mut self, message: &Incoming<'_>, arrival: &mut Arrival<'_>) -> Option<Message> {
        self.counters.cookies += 1;
        self.baker.answer(message, &self.identity.addressed, arrival.from, arrival.now, arrival.random)
    }

    /// Which peer's handshake waits for an answer to this index.
    pub(super) fn waiting(&mut self, receiver: u32) -> Option<PeerId> {
        let index = u16::try_from(receiver).ok();
        let id = index.and_then(|index| self.indices.get(index)).filter(|id| {
            let attempt = get_mut(&mut self.peers, *id).and_then(|peer| peer.attempt.as_ref());
            attempt.and_then(|attempt| attempt.pending.as_ref()).is_some_and(|pending| Some(pending.index) == index)
        });
        self.counters.unknown_index += u64::from(id.is_none());
        id
    }

    /// Where the first message went that waits for its answer.
    fn asked_at(&mut self, id: PeerId) -> Option<SocketAddr> {
        let attempt = get_mut(&mut self.peers, id)?.attempt.as_ref()?;
        attempt.pending.as_ref().map(|pending| pending.to)
    }

    /// An answer that nobody waits for any more may be one to an earlier message: the peer takes longer than it is given.
    fn hear_late(&mut self, receiver: u32, macs: &Macs<'_>) {
        let Ok(index) = u16::try_from(receiver) else { return };
        let Some(peer) = self.indices.get(index).and_then(|id| get_mut(&mut self.peers, id)) else { return };
        let Some(attempt) = peer.attempt.as_mut().filter(|attempt| attempt.is_late(index)) else { return };
        if self.identity.addressed.is_for_us(macs) {
            attempt.slow_down();
            peer.round_trip = None;
        }
    }

    /// Reads a first message: who wrote it, that it is a new one, and what it says; or who is no peer.
    fn read_initiation(&mut self, message: &[u8], arrival: &mut Arrival<'_>) -> Option<Result<Begun, PublicKey>> {
        let ephemeral = Zeroizing::new(draw(arrival.random));
        let mut noise = Noise::responder(self.identity.dialect, &self.identity.private, ephemeral).ok()?;
        let mut payload = [0; MOST_PAYLOAD];
        let Ok(payload) = noise.read(message, &mut payload) else {
            self.counters.forged += 1;
            return None;
        };
        let public = noise.peer()?;
        let known = self.by_key.get(&public).copied();
        let Some((id, peer)) = known.and_then(|id| Some((id, get_mut(&mut self.peers, id)?))) else {
            self.counters.strangers += 1;
            return Some(Err(public));
        };
        let Some((timestamp, introduction)) = payload.split_first_chunk() else {
            self.counters.malformed += 1;
            return None;
        };
        noise.set_preshared(&peer.config.preshared).ok()?;
        let stamp = Timestamp::from_octets(*timestamp);
        let boot = Introduction::boot_of(introduction).filter(|_| self.identity.dialect.introduces);
        if stamp <= peer.latest.stamp {
            // An incarnation stamps each message later than the one before, whatever its clock does: of the same one it is a replay.
            if boot == peer.latest.boot {
                self.counters.replayed += 1;
                return None;
            }
            self.counters.stale += 1;
            return Some(Ok(Begun { id, noise, said: Said::Stale(peer.latest.stamp) }));
        }
        peer.latest = Latest { stamp, boot };
        self.counters.genuine += 1;
        let &mut Arrival { from, octets, now, ref mut random } = arrival;
        peer.paths.first.heard(from, true, octets, || u64::from_le_bytes(draw(*random)), now);
        let met = if self.identity.dialect.introduces { self.identity.introduction.meet(introduction) } else { Ok(0) };
        Some(Ok(Begun { id, noise, said: Said::New(met) }))
    }

    /// The answer to a first message: it introduces us, and names the latest time stamp of the peer where that is later.
    fn write_answer(
        &mut self,
        id: PeerId,
        noise: &mut Noise,
        head: Head,
        latest: Option<Timestamp>,
        now: Time,
    ) -> Option<(Message, Mac)> {
        let mut payload: ArrayVec<u8, { INTRODUCTION + TIMESTAMP }> = ArrayVec::new();
        if self.identity.dialect.introduces {
            payload.extend(self.identity.introduction.octets());
            payload.extend(latest.iter().flat_map(|latest| *latest.octets()));
        }
        let Peer { addressed, jar, .. } = get_mut(&mut self.peers, id)?;
        let write = |octets: &mut [u8]| noise.write(&payload, octets);
        wire::write(head, write, |body| addressed.first(body), |before| jar.second(before, now)).ok()
    }

    fn handle_initiation(
        &mut self,
        sender: u32,
        message: &[u8],
        first: &Mac,
        arrival: &mut Arrival<'_>,
    ) -> Option<Message> {
        let Ok(remote) = u16::try_from(sender) else {
            self.counters.malformed += 1;
            return None;
        };
        let Begun { id, mut noise, said } = match self.read_initiation(message, arrival)? {
            Ok(begun) => begun,
            Err(public) => return self.refuse_stranger(public, sender, first, arrival),
        };
        let met = match said {
            Said::New(met) => met,
            // It may have been recorded: it changes nothing here, and only who wrote it can read the answer.
            Said::Stale(latest) => {
                let head = Head::Response { sender: 0, receiver: sender };
                return Some(self.write_answer(id, &mut noise, head, Some(latest), arrival.now)?.0);
            }
        };
        // Where we cannot speak, the answer only says why, and names no keys.
        let met = match met {
            Ok(boot) => Ok((boot, self.indices.allocate(id, arrival.random)?)),
            Err(why) => Err(why),
        };
        let index = met.map_or(0, |(_, index)| index);
        let head = Head::Response { sender: index.into(), receiver: sender };
        let Some((answer, first)) = self.write_answer(id, &mut noise, head, None, arrival.now) else {
            met.into_iter().for_each(|(_, index)| self.indices.free(index));
            return None;
        };
        let peer = get_mut(&mut self.peers, id)?;
        // It is shorter than its question, and so goes there; what follows it has to make do with the rest.
        peer.paths.first.takes_answer(arrival.from, answer.len());
        match met {
            Ok((boot, index)) => {
                let transport = Transport::new(noise.split());
                peer.last_answer = Some(LastAnswer { first, at: arrival.now, to: arrival.from });
                let began_at = Some(arrival.from);
                let keys = Keys { transport, index, remote, boot, born: arrival.now, initiated: false, began_at };
                peer.slots.offer(Box::new(keys), |keys| self.indices.free(keys.index));
                self.schedule(id, arrival.now);
            }
            Err(why) => self.refuse(id, why, arrival.now),
        }
        Some(answer)
    }

    fn handle_response(&mut self, id: PeerId, sender: u32, message: &[u8], arrival: &mut Arrival<'_>) {
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        let Some(attempt) = peer.attempt.as_mut() else { return };
        let mut payload = [0; MOST_PAYLOAD];
        let read = attempt.pending.as_mut().and_then(|pending| pending.noise.read(message, &mut payload).ok());
        let Some(introduction) = read else {
            attempt.unverified = true;
            self.counters.forged += 1;
            return;
        };
        self.counters.genuine += 1;
        let (introduction, latest) = introduced(introduction);
        let met = if self.identity.dialect.introduces { self.identity.introduction.meet(introduction) } else { Ok(0) };
        if let Some(latest) = latest.filter(|_| !matches!(met, Err(Mismatch::Version { .. }))) {
            self.stamp_later(id, latest, arrival);
            return;
        }
        // The handshake is over, whatever it ends in.
        let Some(mut attempt) = peer.attempt.take() else { return };
        peer.round_trip = attempt.took(arrival.now);
        let Some(pending) = attempt.pending.take() else { return };
        attempt.indices().for_each(|index| self.indices.free(index));
        let remote = u16::try_from(sender).map_err(|_| Mismatch::Unreadable(message.len()));
        let (boot, remote) = match met.and_then(|boot| Ok((boot, remote?))) {
            Ok(met) => met,
            Err(why) => {
                self.indices.free(pending.index);
                self.refuse(id, why, arrival.now);
                return;
            }
        };
        let transport = Transport::new(pending.noise.split());
        let keys =
            Keys { transport, index: pending.index, remote, boot, born: arrival.now, initiated: true, began_at: None };
        self.establish(id, Box::new(keys), pending.to, arrival);
    }

    /// The peer knows a later time stamp of ours than that of our message, which is repeated with one that is later still.
    fn stamp_later(&mut self, id: PeerId, latest: Timestamp, arrival: &mut Arrival<'_>) {
        let &mut Arrival { from, octets, now, ref mut random } = arrival;
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        peer.stamped = peer.stamped.max(latest);
        let Some(attempt) = &mut peer.attempt else { return };
        let Some(pending) = attempt.pending.take() else { return };
        self.indices.free(pending.index);
        let repeats = attempt.repeat_for(Repeat::Stamp, now);
        peer.paths.first.heard(from, false, octets, || u64::from_le_bytes(draw(*random)), now);
        if repeats && pending.to == from {
            peer.ask_at(from);
        }
        self.schedule(id, now);
    }

    /// The peer has answered: both have keys, which the first datagram with them tells it. Where it was asked and answers from, it is.
    fn establish(&mut self, id: PeerId, keys: Keypair, asked_at: SocketAddr, arrival: &mut Arrival<'_>) {
        let boot = keys.boot;
        let Arrival { from, now, random, .. } = arrival;
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        peer.slots.establish(keys, |keys| self.indices.free(keys.index));
        peer.activity.heard(false, &self.config, *now);
        peer.wants.keepalive = true;
        let before = peer.paths.first.address();
        let moved = asked_at == *from && peer.moved_to(*from);
        if asked_at != *from {
            peer.paths.first.heard(*from, true, 0, || u64::from_le_bytes(draw(*random)), *now);
        }
        self.counters.handshakes += 1;
        let (at, now) = (*from, *now);
        let restarted = self.meet(id, boot, before, arrival);
        self.events.push(Event::Established { peer: id, boot, restarted });
        if moved {
            self.events.push(Event::Moved { peer: id, line: LineId::FIRST, to: at });
        }
        self.schedule(id, now);
    }

    /// We know each other, and cannot speak.
    fn refuse(&mut self, id: PeerId, why: Mismatch, now: Time) {
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        peer.refused = Some((why, now));
        self.counters.refused += 1;
        self.events.push(Event::Refused { peer: id, why });
        self.schedule(id, now);
    }
}

/// The introduction in an answer, and the time stamp behind it, if there is one.
fn introduced(payload: &[u8]) -> (&[u8], Option<Timestamp>) {
    match payload.split_last_chunk() {
        Some((introduction, latest)) if introduction.len() == INTRODUCTION => {
            (introduction, Some(Timestamp::from_octets(*latest)))
        }
        _ => (payload, None),
    }
}
