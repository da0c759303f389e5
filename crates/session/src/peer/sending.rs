//! What is sent to a peer: packets of the owner, and what the session says itself.

use super::Peer;
use super::attempt::Pending;
use super::keypair::Keys;
use super::path::Challenge;
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
use arqway_units::{LineId, Span, Time};
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

/// A datagram of the session's own: by which line it goes, and where.
pub(crate) type Outgoing = (LineId, SocketAddr, Message);

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
        line: LineId,
        config: &Config,
        buffer: &mut [u8],
        payload: Range<usize>,
        now: Time,
    ) -> Result<Sealed, NotSealed> {
        let is_packet = !payload.is_empty();
        let Some(keys) = self.slots.current_mut().filter(|keys| keys.may_seal(config, now)) else {
            self.want_keys(now);
            return Err(match self.refused {
                _ if !self.is_known() => NotSealed::NoAddress,
                Some((why, _)) if self.attempt.is_none() => NotSealed::Refused(why),
                _ => NotSealed::NoKeys,
            });
        };
        let datagram = keys.transport.seal(buffer, payload, (line, false), keys.remote).ok_or(NotSealed::NoRoom)?;
        let path = Some(&mut self.paths).filter(|paths| line.index() < paths.count()).map(|paths| paths.get_mut(line));
        let to = path.and_then(|path| path.to(datagram.len())).ok_or(NotSealed::NoAddress)?;
        let is_old = keys.is_old(config, now);
        self.activity.sent(is_packet, now);
        self.wants.sent();
        if is_old {
            self.want_keys(now);
        }
        Ok(Sealed { datagram, to })
    }

    /// The next datagram of the session's own.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Option<Outgoing> {
        let now = context.now;
        if self.attempt.as_ref().is_some_and(|attempt| attempt.is_due(now))
            && let Some(begun) = self.begin(context)
        {
            return Some(begun);
        }
        if let Some((line, token, to)) = self.wants.answer.take()
            && self.paths.get_mut(line).takes_answer(to, LARGEST_OWN)
        {
            return Some((line, to, self.control(context, line, Control::Answer(token))?));
        }
        let line = self.line_after(0);
        if let Some(message) = self.wants.report.take().and_then(|index| self.report(index, line, context)) {
            return Some((line, self.paths.get_mut(line).to(message.len())?, message));
        }
        if self.wants_challenge(context.config, now)
            && let Some((line, challenge)) = self.challenge(context.config, now)
        {
            return Some((line, challenge.to, self.control(context, line, Control::Challenge(challenge.token))?));
        }
        if std::mem::take(&mut self.wants.question) {
            return self.question(context);
        }
        if std::mem::take(&mut self.wants.keepalive) {
            return self.keepalive(context);
        }
        None
    }

    /// The challenge that is due, and the line whose path it is of.
    fn challenge(&mut self, config: &Config, now: Time) -> Option<(LineId, Challenge)> {
        let due = self.paths.ids().filter(|line| self.paths.get(*line).wants_challenge(now));
        let due: ArrayVec<LineId, { LineId::COUNT }> = due.collect();
        let retry = config.challenge_retry.get();
        due.into_iter().find_map(|line| Some((line, self.paths.get_mut(line).challenge(LARGEST_OWN, retry, now)?)))
    }

    /// A challenge of where the peer is known to be. Without an answer in time a handshake asks again.
    fn question(&mut self, context: &mut Context<'_>) -> Option<Outgoing> {
        let token = u64::from_le_bytes(draw(context.random));
        let line = self.line_after(0);
        let message = self.control(context, line, Control::Challenge(token));
        let question = message.and_then(|message| Some((line, self.paths.get_mut(line).to(message.len())?, message)));
        // Counts as sent also where it cannot be, or it would be due at once again.
        self.activity.sent(question.is_some(), context.now);
        self.wants.sent();
        if self.slots.current().is_none_or(|keys| keys.is_old(context.config, context.now)) {
            self.want_keys(context.now);
        }
        question
    }

    fn keepalive(&mut self, context: &Context<'_>) -> Option<Outgoing> {
        // Counts as sent also where it cannot be, or it would be due at once again.
        self.activity.sent(false, context.now);
        let (mut buffer, line) = ([0; HEAD_ROOM + TAG], self.line_after(0));
        let Sealed { datagram, to } =
            self.seal(line, context.config, &mut buffer, HEAD_ROOM..HEAD_ROOM, context.now).ok()?;
        Some((line, to, buffer[datagram].iter().copied().collect()))
    }

    fn control(&mut self, context: &Context<'_>, line: LineId, control: Control) -> Option<Message> {
        let keys = self.slots.current_mut().filter(|keys| keys.may_seal(context.config, context.now))?;
        sealed(keys, line, control)
    }

    /// A report is sealed with the keys that it is of, which the peer uses: they need not be those that this end uses. Ends that began
    /// at the same time have two, and each seals with what the other did last.
    fn report(&mut self, index: u16, line: LineId, context: &Context<'_>) -> Option<Message> {
        let keys = self.slots.find(index).filter(|keys| keys.may_seal(context.config, context.now))?;
        let next = keys.transport.take_report();
        sealed(keys, line, Control::Report(next))
    }

    /// The first message of a handshake.
    fn begin(&mut self, context: &mut Context<'_>) -> Option<Outgoing> {
        let Context { identity, config, now, id, .. } = *context;
        let line = self.line_after(self.attempt.as_ref()?.rounds());
        let attempt = self.attempt.as_mut()?;
        let path = self.paths.get_mut(line);
        let turn = match attempt.asked_at() {
            Some(place) => Some(path.asked_at(place, attempt.turn())),
            None => path.begins_at(attempt.turn(), MOST_INITIATION),
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
        Some((line, turn.to, message))
    }
}

/// A message of the session's own.
fn sealed(keys: &mut Keys, line: LineId, control: Control) -> Option<Message> {
    let mut buffer = [0; LARGEST_OWN];
    let payload = HEAD_ROOM..HEAD_ROOM + CONTROL;
    buffer[payload.clone()].copy_from_slice(&control.octets());
    let datagram = keys.transport.seal(&mut buffer, payload, (line, true), keys.remote)?;
    Some(buffer[datagram].iter().copied().collect())
}
