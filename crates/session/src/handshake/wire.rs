//! The three messages of a handshake octet by octet, in the layout of the WireGuard whitepaper, §5.4. Numbers are little-endian.
//!
//! ```text
//!     1 0 0 0 | sender, 4 |               ephemeral, 32 | static, 32+16 | payload, n+16 | mac1, 16 | mac2, 16     initiation
//!     2 0 0 0 | sender, 4 | receiver, 4 | ephemeral, 32 |                 payload, n+16 | mac1, 16 | mac2, 16     response
//!     3 0 0 0 | receiver, 4 | nonce, 24 | cookie, 16+16                                                           cookie
//!     4 0 0 0 | receiver, 4 | nonce, 24 | nothing, 0+16                                                           refusal (WireGuard has none)
//! ```

use super::noise::MOST_PAYLOAD;
use arrayvec::ArrayVec;

/// The longest message of a handshake that is read or written.
pub const MOST_MESSAGE: usize = RESPONSE_HEAD + EPHEMERAL + STATIC + MOST_PAYLOAD + MACS;

/// A message of a handshake, or another one of the session's own.
pub type Message = ArrayVec<u8, MOST_MESSAGE>;

/// A message authentication code.
pub(crate) type Mac = [u8; MAC];

pub(crate) const MAC: usize = 16;
pub(crate) const TAG: usize = 16;
const MACS: usize = 2 * MAC;
const EPHEMERAL: usize = 32;
const STATIC: usize = 32 + TAG;
const INITIATION_HEAD: usize = 8;
const RESPONSE_HEAD: usize = 12;
pub(crate) const NONCE: usize = 24;
pub(crate) const SEALED_COOKIE: usize = MAC + TAG;

const IS_INITIATION: [u8; 4] = [1, 0, 0, 0];
const IS_RESPONSE: [u8; 4] = [2, 0, 0, 0];
const IS_COOKIE: [u8; 4] = [3, 0, 0, 0];
const IS_REFUSAL: [u8; 4] = [4, 0, 0, 0];

/// A message as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Incoming<'m> {
    Initiation { sender: u32, noise: &'m [u8], macs: Macs<'m> },
    Response { sender: u32, receiver: u32, noise: &'m [u8], macs: Macs<'m> },
    Cookie { receiver: u32, nonce: &'m [u8; NONCE], sealed: &'m [u8; SEALED_COOKIE] },
    Refusal { receiver: u32, nonce: &'m [u8; NONCE], tag: &'m [u8; TAG] },
}

/// The two codes at the end of a message, and what they are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Macs<'m> {
    /// What the first one is of.
    pub(crate) body: &'m [u8],
    /// What the second one is of: the body and the first code.
    pub(crate) before_second: &'m [u8],
    /// Shows that the sender knows for whom it is.
    pub(crate) first: &'m Mac,
    /// Shows that the sender got a cookie where it says it is; zeros if it has none.
    pub(crate) second: &'m Mac,
}

impl<'m> Macs<'m> {
    fn of(message: &'m [u8]) -> Option<Self> {
        let (before_second, second) = message.split_last_chunk()?;
        let (body, first) = before_second.split_last_chunk()?;
        Some(Self { body, before_second, first, second })
    }
}

fn take_number<'m>(octets: &mut &'m [u8]) -> Option<u32> {
    let (number, rest): (&'m [u8; 4], _) = octets.split_first_chunk()?;
    *octets = rest;
    Some(u32::from_le_bytes(*number))
}

/// Reads a message whose first octet says that it is of a handshake.
pub(crate) fn parse(message: &[u8]) -> Option<Incoming<'_>> {
    if message.len() > MOST_MESSAGE {
        return None;
    }
    let (kind, mut rest) = message.split_first_chunk::<4>()?;
    if *kind == IS_COOKIE {
        let receiver = take_number(&mut rest)?;
        let (nonce, rest) = rest.split_first_chunk()?;
        return Some(Incoming::Cookie { receiver, nonce, sealed: rest.try_into().ok()? });
    }
    if *kind == IS_REFUSAL {
        let receiver = take_number(&mut rest)?;
        let (nonce, rest) = rest.split_first_chunk()?;
        return Some(Incoming::Refusal { receiver, nonce, tag: rest.try_into().ok()? });
    }
    let macs = Macs::of(message)?;
    let mut rest = macs.body.get(4..)?;
    match *kind {
        IS_INITIATION => {
            let sender = take_number(&mut rest)?;
            (EPHEMERAL + STATIC + TAG..=EPHEMERAL + STATIC + MOST_PAYLOAD).contains(&rest.len()).then_some(())?;
            Some(Incoming::Initiation { sender, noise: rest, macs })
        }
        IS_RESPONSE => {
            let (sender, receiver) = (take_number(&mut rest)?, take_number(&mut rest)?);
            (EPHEMERAL + TAG..=EPHEMERAL + MOST_PAYLOAD).contains(&rest.len()).then_some(())?;
            Some(Incoming::Response { sender, receiver, noise: rest, macs })
        }
        _ => None,
    }
}

/// What a message begins with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Head {
    Initiation { sender: u32 },
    Response { sender: u32, receiver: u32 },
}

/// A message around what `write` adds in the middle, with the code that `first` makes of all before it, and the one that
/// `second` makes of all before that, if there is a cookie. Returns the first code too.
pub(crate) fn write<E>(
    head: Head,
    write: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    first: impl FnOnce(&[u8]) -> Mac,
    second: impl FnOnce(&[u8]) -> Option<Mac>,
) -> Result<(Message, Mac), E> {
    let mut octets = [0; MOST_MESSAGE];
    let from = match head {
        Head::Initiation { sender } => {
            octets[..4].copy_from_slice(&IS_INITIATION);
            octets[4..8].copy_from_slice(&sender.to_le_bytes());
            INITIATION_HEAD
        }
        Head::Response { sender, receiver } => {
            octets[..4].copy_from_slice(&IS_RESPONSE);
            octets[4..8].copy_from_slice(&sender.to_le_bytes());
            octets[8..12].copy_from_slice(&receiver.to_le_bytes());
            RESPONSE_HEAD
        }
    };
    let body = from + write(&mut octets[from..MOST_MESSAGE - MACS])?;
    let code = first(&octets[..body]);
    octets[body..body + MAC].copy_from_slice(&code);
    if let Some(code) = second(&octets[..body + MAC]) {
        octets[body + MAC..body + MACS].copy_from_slice(&code);
    }
    Ok((octets[..body + MACS].iter().copied().collect(), code))
}

/// A cookie message.
pub(crate) fn write_cookie(receiver: u32, nonce: &[u8; NONCE], sealed: &[u8; SEALED_COOKIE]) -> Message {
    let parts: [&[u8]; 4] = [&IS_COOKIE, &receiver.to_le_bytes(), nonce, sealed];
    parts.into_iter().flatten().copied().collect()
}

/// A refusal.
pub(crate) fn write_refusal(receiver: u32, nonce: &[u8; NONCE], tag: &[u8; TAG]) -> Message {
    let parts: [&[u8]; 4] = [&IS_REFUSAL, &receiver.to_le_bytes(), nonce, tag];
    parts.into_iter().flatten().copied().collect()
}
