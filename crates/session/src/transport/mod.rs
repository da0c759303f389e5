//! Sealed datagrams: ChaCha20-Poly1305 by `ring`, in place, with a counter for the nonce.

mod counter;
mod replay;
mod wire;

pub use replay::{REPLAY_WINDOW, ReplayWindow};
pub(crate) use wire::Head;
pub use wire::{HEAD_ROOM, SHORT_HEAD, TAG};

use crate::handshake::noise::Split;
use crate::key::KEY;
use arqway_units::LineId;
use counter::LONG_WHILE;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::error::Unspecified;
use std::fmt;
use std::ops::Range;
use zeroize::Zeroizing;

/// A key is not used for more messages than this (whitepaper §6.1), far fewer than it has nonces.
pub(crate) const MOST_MESSAGES: u64 = u64::MAX - (1 << 13);

/// Both keys of a session, and what was sent and seen with them.
#[derive(Debug)]
pub(crate) struct Transport {
    send: Cipher,
    /// The counter of the next datagram.
    next: u64,
    /// The peer has seen one of ours right before this, if not 0.
    reported: u64,
    receive: Cipher,
    window: ReplayWindow,
    /// What the peer was told of the newest that arrived.
    told: u64,
    /// What comes next by each line: one that is slow never brings the newest of all.
    next_by: [u64; LineId::COUNT],
}

/// Why a datagram was not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotOpened {
    /// Seen before, or too old to say.
    Replayed,
    /// Nobody who has the key wrote it.
    Forged,
}

/// A datagram that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) payload: Range<usize>,
    /// Whether its counter is the highest so far of those that came by its line.
    pub(crate) is_newest: bool,
}

/// A key as its octets: `ring`'s form of it takes 17 times as much memory, and is made in a few nanoseconds.
struct Cipher(Zeroizing<[u8; KEY]>);

impl Cipher {
    fn key(&self) -> Result<LessSafeKey, Unspecified> {
        UnboundKey::new(&CHACHA20_POLY1305, &*self.0).map(LessSafeKey::new)
    }
}

impl fmt::Debug for Cipher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[hidden]")
    }
}

/// Noise §12.3: 32 zero bits and the counter.
fn nonce(counter: u64) -> Nonce {
    let mut octets = [0; 12];
    octets[4..].copy_from_slice(&counter.to_le_bytes());
    Nonce::assume_unique_for_key(octets)
}

impl Transport {
    pub(crate) fn new(keys: Split) -> Self {
        let Split { send, receive } = keys;
        let window = ReplayWindow::default();
        Self {
            send: Cipher(send),
            next: 0,
            reported: 0,
            receive: Cipher(receive),
            window,
            told: 0,
            next_by: [0; LineId::COUNT],
        }
    }

    /// How many datagrams were sealed.
    pub(crate) fn sealed(&self) -> u64 {
        self.next
    }

    /// Whether this key may still seal.
    pub(crate) fn may_seal(&self) -> bool {
        self.next < MOST_MESSAGES && self.unreported() < LONG_WHILE
    }

    fn unreported(&self) -> u64 {
        self.next - self.reported
    }

    /// How many octets of head the next datagram has.
    pub(crate) fn head_length(&self) -> usize {
        wire::head_length(self.unreported())
    }

    /// Seals `payload` of a buffer that has [`head_length`](Self::head_length) octets before it and [`TAG`] behind it, for the index that the peer gave
    /// itself. Returns where the datagram stands.
    pub(crate) fn seal(
        &mut self,
        buffer: &mut [u8],
        payload: Range<usize>,
        (line, is_control): (LineId, bool),
        index: u16,
    ) -> Option<Range<usize>> {
        let tag = payload.end..payload.end.checked_add(TAG)?;
        if !self.may_seal()
            || payload.start < self.head_length()
            || payload.start > payload.end
            || tag.end > buffer.len()
        {
            return None;
        }
        let head = wire::write_head(buffer, payload.start, (line, is_control), index, self.next, self.unreported());
        let (before, body) = buffer[..tag.end].split_at_mut(payload.start);
        let (body, last) = body.split_at_mut(payload.len());
        let made = self
            .send
            .key()
            .ok()?
            .seal_in_place_separate_tag(nonce(self.next), Aad::from(&before[head.clone()]), body)
            .ok()?;
        last.copy_from_slice(made.as_ref());
        self.next += 1;
        Some(head.start..tag.end)
    }

    /// Opens a datagram with this head in place.
    pub(crate) fn open(&mut self, datagram: &mut [u8], head: &Head) -> Result<Opened, NotOpened> {
        let next = self.window.next();
        let counter = head.counter(next);
        if !self.window.is_new(counter) {
            return Err(NotOpened::Replayed);
        }
        let (before, sealed) = datagram.split_at_mut(head.end());
        let key = self.receive.key().map_err(|_| NotOpened::Forged)?;
        let opened = key.open_in_place(nonce(counter), Aad::from(before), sealed);
        let length = opened.map_err(|_| NotOpened::Forged)?.len();
        self.window.mark(counter);
        let next_by = &mut self.next_by[head.line.index()];
        let is_newest = counter >= *next_by;
        *next_by = counter.saturating_add(1).max(*next_by);
        Ok(Opened { payload: head.end()..head.end() + length, is_newest })
    }

    /// Seals without a head, as others than ours do.
    #[cfg(test)]
    pub(crate) fn seal_bare(&self, payload: &[u8], counter: u64) -> Vec<u8> {
        let mut sealed = payload.to_vec();
        let tag =
            self.send.key().expect("32 octets").seal_in_place_separate_tag(nonce(counter), Aad::empty(), &mut sealed);
        sealed.extend(tag.expect("memory").as_ref());
        sealed
    }

    /// Opens what has no head.
    #[cfg(test)]
    pub(crate) fn open_bare(&self, sealed: &[u8], counter: u64) -> Option<Vec<u8>> {
        Some(self.receive.key().ok()?.open_in_place(nonce(counter), Aad::empty(), &mut sealed.to_vec()).ok()?.to_vec())
    }

    /// The peer says that it has seen all that it will before this counter's successor.
    pub(crate) fn report(&mut self, next: u64) {
        // One that was never sent is no report, even from a peer.
        if next <= self.next {
            self.reported = self.reported.max(next);
        }
    }

    /// Whether the peer should be told what has arrived, so that it may go on with two octets.
    pub(crate) fn owes_report(&self) -> bool {
        self.window.next() - self.told >= REPORT_EACH
    }

    /// The report that it is told.
    pub(crate) fn take_report(&mut self) -> u64 {
        self.told = self.window.next();
        self.told
    }
}

/// A report comes after so many datagrams: four fit into what two octets can do without one.
const REPORT_EACH: u64 = 1 << 12;

#[cfg(test)]
mod tests;
