//! A handshake message comes. What costs little is looked at first: the length, the code for us, the load, and only then keys.

use super::load::Admission;
use super::receiving::Arrival;
use super::{Endpoint, get_mut};
use crate::event::{Event, PeerId};
use crate::handshake::noise::{MOST_PAYLOAD, Noise};
use crate::handshake::timestamp::Timestamp;
use crate::handshake::wire::{self, Head, Incoming, Macs, Message, NONCE, SEALED_COOKIE};
use crate::introduction::{INTRODUCTION, Mismatch};
use crate::peer::attempt::{Attempt, LastAnswer};
use crate::peer::keypair::{Keypair, Keys};
use crate::random::draw;
use crate::transport::Transport;
use arqway_units::Time;
use std::net::SocketAddr;
use zeroize::Zeroizing;

/// What the first message of a peer says.
struct Begun {
    id: PeerId,
    noise: Noise,
    /// The boot number of its introduction, or why we cannot speak.
    met: Result<u64, Mismatch>,
}

impl Endpoint {
    /// Takes a handshake message; returns the answer to it.
    pub(super) fn handle_message(&mut self, message: &Incoming<'_>, arrival: &mut Arrival<'_>) -> Option<Message> {
        match message {
            Incoming::Initiation { sender, noise, macs } => match self.admit(macs, arrival)? {
                Admission::AskForCookie => self.ask_for_cookie(message, arrival),
                _ => self.handle_initiation(*sender, noise, arrival),
            },
            Incoming::Response { sender, receiver, noise, macs } => {
                // One that nobody waits for is not worth a key agreement.
                let Some(id) = self.waiting(*receiver) else {
                    self.hear_late(*receiver, macs);
                    return None;
                };
                match self.admit(macs, arrival)? {
                    Admission::AskForCookie => self.ask_for_cookie(message, arrival),
                    _ => {
                        self.handle_response(id, *sender, noise, arrival);
                        None
                    }
                }
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
        peer.path.heard(from, false, octets, || u64::from_le_bytes(draw(*random)), now);
        peer.jar.keep(cookie, now);
        let is_asked = match &mut peer.attempt {
            // What went to the same place since that answer may be answered still.
            Some(attempt) if asked.is_some() || attempt.asks(from, peer.last_answer) => attempt.repeat_with_cookie(now),
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

    /// Whether a message for us gets a key agreement, or an answer at least.
    fn admit(&mut self, macs: &Macs<'_>, arrival: &mut Arrival<'_>) -> Option<Admission> {
        if !self.identity.addressed.is_for_us(macs) {
            self.counters.not_for_us += 1;
            return None;
        }
        let Arrival { from, now, random, .. } = arrival;
        let baker = &mut self.baker;
        let proven = || baker.is_proven(macs, *from, *now, *random).then(|| baker.place(*from));
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
    fn waiting(&mut self, receiver: u32) -> Option<PeerId> {
        let index = u16::try_from(receiver).ok();
        let id = index.and_then(|index| self.indices.get(index)).filter(|id| {
            let attempt = get_mut(&mut self.peers, *id).and_then(|peer| peer.attempt.as_ref());
            attempt.and_then(|attempt| attempt.pending.as_ref()).is_some_and(|pending| Some(pending.index) == index)
        });
        self.counters.unknown_index += u64::from(id.is_none());
        id
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

    /// Reads a first message: who wrote it, that it is a new one, and what it says.
    fn read_initiation(&mut self, message: &[u8], arrival: &mut Arrival<'_>) -> Option<Begun> {
        let ephemeral = Zeroizing::new(draw(arrival.random));
        let mut noise = Noise::responder(self.identity.dialect, &self.identity.private, ephemeral).ok()?;
        let mut payload = [0; MOST_PAYLOAD];
        let Ok(payload) = noise.read(message, &mut payload) else {
            self.counters.forged += 1;
            return None;
        };
        let known = noise.peer().and_then(|public| self.by_key.get(&public).copied());
        let Some((id, peer)) = known.and_then(|id| Some((id, get_mut(&mut self.peers, id)?))) else {
            self.counters.strangers += 1;
            return None;
        };
        let Some((timestamp, introduction)) = payload.split_first_chunk() else {
            self.counters.malformed += 1;
            return None;
        };
        let timestamp = Timestamp::from_octets(*timestamp);
        if timestamp <= peer.latest {
            self.counters.replayed += 1;
            return None;
        }
        peer.latest = timestamp;
        self.counters.genuine += 1;
        let &mut Arrival { from, octets, now, ref mut random } = arrival;
        peer.path.heard(from, true, octets, || u64::from_le_bytes(draw(*random)), now);
        let met = if self.identity.dialect.introduces { self.identity.introduction.meet(introduction) } else { Ok(0) };
        noise.set_preshared(&peer.config.preshared).ok()?;
        Some(Begun { id, noise, met })
    }

    fn handle_initiation(&mut self, sender: u32, message: &[u8], arrival: &mut Arrival<'_>) -> Option<Message> {
        let Ok(remote) = u16::try_from(sender) else {
            self.counters.malformed += 1;
            return None;
        };
        let Begun { id, mut noise, met } = self.read_initiation(message, arrival)?;
        // Where we cannot speak, the answer only says why, and names no keys.
        let met = match met {
            Ok(boot) => Ok((boot, self.indices.allocate(id, arrival.random)?)),
            Err(why) => Err(why),
        };
        let index = met.map_or(0, |(_, index)| index);
        let introduction = self.identity.introduction.octets();
        let payload: &[u8] = if self.identity.dialect.introduces { &introduction[..INTRODUCTION] } else { &[] };
        let peer = get_mut(&mut self.peers, id)?;
        let answer = wire::write(
            Head::Response { sender: index.into(), receiver: sender },
            |octets| noise.write(payload, octets),
            |body| peer.addressed.first(body),
            |before| peer.jar.second(before, arrival.now),
        );
        let Ok((answer, first)) = answer else {
            met.into_iter().for_each(|(_, index)| self.indices.free(index));
            return None;
        };
        // It is shorter than its question, and so goes there; what follows it has to make do with the rest.
        peer.path.takes_answer(arrival.from, answer.len());
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
        // The handshake is over, whatever it ends in.
        let Some(mut attempt) = peer.attempt.take() else { return };
        peer.round_trip = attempt.took(arrival.now);
        let Some(pending) = attempt.pending.take() else { return };
        attempt.indices().for_each(|index| self.indices.free(index));
        let met = if self.identity.dialect.introduces { self.identity.introduction.meet(introduction) } else { Ok(0) };
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

    /// The peer has answered: both have keys, which the first datagram with them tells it. Where it was asked and answers from, it is.
    fn establish(&mut self, id: PeerId, keys: Keypair, asked_at: SocketAddr, arrival: &mut Arrival<'_>) {
        let boot = keys.boot;
        let Arrival { from, now, random, .. } = arrival;
        let Some(peer) = get_mut(&mut self.peers, id) else { return };
        peer.slots.establish(keys, |keys| self.indices.free(keys.index));
        let restarted = peer.met(boot);
        peer.activity.heard(false, &self.config, *now);
        peer.wants.keepalive = true;
        let moved = asked_at == *from && peer.moved_to(*from);
        if asked_at != *from {
            peer.path.heard(*from, true, 0, || u64::from_le_bytes(draw(*random)), *now);
        }
        self.counters.handshakes += 1;
        self.events.push(Event::Established { peer: id, boot, restarted });
        if moved {
            self.events.push(Event::Moved { peer: id, to: *from });
        }
        self.schedule(id, *now);
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
