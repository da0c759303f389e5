//! What is sent to a peer: packets of the owner, and what the session says itself.

use super::Peer;
use super::attempt::Pending;
use super::keypair::Keys;
use crate::config::Config;
use crate::control::{CONTROL, Control};
use crate::event::PeerId;
use crate::handshake::noise::Noise;
use crate::handshake::timestamp::{Stamper, TIMESTAMP};
use crate::handshake::wire::{self, Head, Message};
use crate::identity::Identity;
use crate::index::Indices;
use crate::introduction::{INTRODUCTION, Mismatch};
use crate::random::{Random, draw};
use crate::transport::{HEAD_ROOM, TAG};
use arqway_units::{Span, Time};
use arrayvec::ArrayVec;
use std::net::SocketAddr;
use std::ops::Range;
use zeroize::Zeroizing;

/// What sending takes beside the peer.
pub(crate) struct Context<'e> {
    pub(crate) identity: &'e Identity,
    pub(crate) config: &'e Config,
    pub(crate) indices: &'e mut Indices,
    pub(crate) stamper: &'e mut Stamper,
    pub(crate) random: &'e mut dyn Random,
    pub(crate) id: PeerId,
    pub(crate) now: Time,
}

/// A datagram that was sealed in its buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Where it stands in the buffer.
    pub datagram: Range<usize>,
    /// Where it goes.
    pub to: SocketAddr,
}

/// Why a packet was not sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotSealed {
    /// There is no such peer.
    #[error("no such peer")]
    NoPeer,
    /// The peer's address is not known: it has to begin.
    #[error("the peer's address is not known; expected an address in its settings, or that the peer begins")]
    NoAddress,
    /// A handshake is under way: again after [`Event::Established`](crate::Event::Established).
    #[error("a handshake with the peer is under way")]
    NoKeys,
    /// The two ends cannot speak to each other.
    #[error("{0}")]
    Refused(Mismatch),
    /// The packet has too little room around it.
    #[error("a packet needs {HEAD_ROOM} octets before it and {TAG} behind it")]
    NoRoom,
}

/// The longest control datagram.
pub(crate) const LARGEST_OWN: usize = HEAD_ROOM + CONTROL + TAG;
/// A first message has at most so many octets.
pub(crate) const MOST_INITIATION: usize = 148 + INTRODUCTION;
/// The first message is repeated up to so much later than need be.
const JITTER: u64 = 1 << 28;

impl Peer {
    /// Seals a packet of the owner, for whom the peer is told from then on to be alive.
    pub(crate) fn seal(
        &mut self,
        config: &Config,
        buffer: &mut [u8],
        payload: Range<usize>,
        now: Time,
    ) -> Result<Sealed, NotSealed> {
        let is_packet = !payload.is_empty();
        let Some(keys) = self.slots.current_mut().filter(|keys| keys.may_seal(config, now)) else {
            self.want_keys(now);
            return Err(match self.refused {
                _ if !self.path.is_known() => NotSealed::NoAddress,
                Some((why, _)) if self.attempt.is_none() => NotSealed::Refused(why),
                _ => NotSealed::NoKeys,
            });
        };
        let datagram = keys.transport.seal(buffer, payload, false, keys.remote).ok_or(NotSealed::NoRoom)?;
        let to = self.path.to(datagram.len()).ok_or(NotSealed::NoAddress)?;
        let is_old = keys.is_old(config, now);
        self.activity.sent(is_packet, now);
        self.wants.sent();
        if is_old {
            self.want_keys(now);
        }
        Ok(Sealed { datagram, to })
    }

    /// The next datagram of the session's own.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Option<(SocketAddr, Message)> {
        let now = context.now;
        if self.attempt.as_ref().is_some_and(|attempt| attempt.is_due(now))
            && let Some(begun) = self.begin(context)
        {
            return Some(begun);
        }
        if let Some((token, to)) = self.wants.answer.take()
            && self.path.takes_answer(to, LARGEST_OWN)
        {
            return Some((to, self.control(context, Control::Answer(token))?));
        }
        if let Some(message) = self.wants.report.take().and_then(|index| self.report(index, context)) {
            return Some((self.path.to(message.len())?, message));
        }
        if self.wants_challenge(context.config, now)
            && let Some(challenge) = self.path.challenge(LARGEST_OWN, context.config.challenge_retry.get(), now)
        {
            return Some((challenge.to, self.control(context, Control::Challenge(challenge.token))?));
        }
        if std::mem::take(&mut self.wants.question) {
            return self.question(context);
        }
        if std::mem::take(&mut self.wants.keepalive) {
            return self.keepalive(context);
        }
        None
    }

    /// A challenge of where the peer is known to be. Without an answer in time a handshake asks again.
    fn question(&mut self, context: &mut Context<'_>) -> Option<(SocketAddr, Message)> {
        let token = u64::from_le_bytes(draw(context.random));
        let message = self.control(context, Control::Challenge(token));
        let question = message.and_then(|message| Some((self.path.to(message.len())?, message)));
        // Counts as sent also where it cannot be, or it would be due at once again.
        self.activity.sent(question.is_some(), context.now);
        self.wants.sent();
        if self.slots.current().is_none_or(|keys| keys.is_old(context.config, context.now)) {
            self.want_keys(context.now);
        }
        question
    }

    fn keepalive(&mut self, context: &Context<'_>) -> Option<(SocketAddr, Message)> {
        // Counts as sent also where it cannot be, or it would be due at once again.
        self.activity.sent(false, context.now);
        let mut buffer = [0; HEAD_ROOM + TAG];
        let Sealed { datagram, to } = self.seal(context.config, &mut buffer, HEAD_ROOM..HEAD_ROOM, context.now).ok()?;
        Some((to, buffer[datagram].iter().copied().collect()))
    }

    fn control(&mut self, context: &Context<'_>, control: Control) -> Option<Message> {
        let keys = self.slots.current_mut().filter(|keys| keys.may_seal(context.config, context.now))?;
        sealed(keys, control)
    }

    /// A report is sealed with the keys that it is of, which the peer uses: they need not be those that this end uses. Ends that began
    /// at the same time have two, and each seals with what the other did last.
    fn report(&mut self, index: u16, context: &Context<'_>) -> Option<Message> {
        let keys = self.slots.find(index).filter(|keys| keys.may_seal(context.config, context.now))?;
        let next = keys.transport.take_report();
        sealed(keys, Control::Report(next))
    }

    /// The first message of a handshake.
    fn begin(&mut self, context: &mut Context<'_>) -> Option<(SocketAddr, Message)> {
        let Context { identity, config, now, id, .. } = *context;
        let attempt = self.attempt.as_mut()?;
        let turn = match attempt.asked_at() {
            Some(place) => Some(self.path.asked_at(place, attempt.turn())),
            None => self.path.begins_at(attempt.turn(), MOST_INITIATION),
        };
        let index = context.indices.allocate(id, context.random);
        let (Some(turn), Some(index)) = (turn, index) else {
            // All indices are taken, or nobody knows where to send it.
            index.into_iter().for_each(|index| context.indices.free(index));
            attempt.put_off(config.retry.get(), now);
            return None;
        };
        let ephemeral = Zeroizing::new(draw(context.random));
        self.stamped = context.stamper.stamp(now).max(self.stamped.next());
        let mut payload: ArrayVec<u8, { TIMESTAMP + INTRODUCTION }> = self.stamped.octets().iter().copied().collect();
        if identity.dialect.introduces {
            payload.extend(identity.introduction.octets());
        }
        let begun = Noise::initiator(
            identity.dialect,
            &identity.private,
            &self.config.public,
            &self.config.preshared,
            ephemeral,
        )
        .and_then(|mut noise| {
            let (message, first) = wire::write(
                Head::Initiation { sender: index.into() },
                |octets| noise.write(&payload, octets),
                |body| self.addressed.first(body),
                |before| self.jar.second(before, now),
            )?;
            Ok((Pending { noise: Box::new(noise), index, to: turn.to, first }, message))
        });
        let Ok((pending, message)) = begun else {
            context.indices.free(index);
            attempt.put_off(config.retry.get(), now);
            return None;
        };
        let jitter = Span::from_nanoseconds(u64::from(u32::from_le_bytes(draw(context.random))) % JITTER);
        attempt.sent(pending, &turn, config, jitter, now).into_iter().for_each(|index| context.indices.free(index));
        Some((turn.to, message))
    }
}

/// A message of the session's own.
fn sealed(keys: &mut Keys, control: Control) -> Option<Message> {
    let mut buffer = [0; LARGEST_OWN];
    let payload = HEAD_ROOM..HEAD_ROOM + CONTROL;
    buffer[payload.clone()].copy_from_slice(&control.octets());
    let datagram = keys.transport.seal(&mut buffer, payload, true, keys.remote)?;
    Some(buffer[datagram].iter().copied().collect())
}
