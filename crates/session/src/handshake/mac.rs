//! Codes and cookies: what a message must show before a responder spends a key agreement on it (whitepaper §5.4.4, §5.4.7).
//!
//! The first code shows that the sender knows whom it speaks to. Under load that is not enough: the responder answers with a
//! cookie, a code of the sender's address, sealed. Whoever receives it there comes again with a second code, made with it.

use super::wire::{Incoming, MAC, Mac, Macs, Message, NONCE, SEALED_COOKIE, TAG, write_cookie};
use crate::key::{KEY, PublicKey, agree};
use crate::random::{Random, draw};
use arqway_units::{Span, Time};
use blake2::digest::consts::{U10, U16};
use blake2::digest::{FixedOutput as _, KeyInit as _, Update as _};
use blake2::{Blake2s256, Blake2sMac, Digest as _};
use chacha20::hchacha;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use std::net::{IpAddr, SocketAddr};
use zeroize::Zeroizing;

type Keyed = Blake2sMac<U16>;

/// A cookie is good for so long, at both ends.
const COOKIE_LIFETIME: Span = Span::from_milliseconds(120_000);
/// And one that was given last before the secret changed for so long beyond that, or whoever comes again with it at once would come in
/// vain.
const COOKIE_GRACE: Span = Span::from_milliseconds(5_000);
const MAC1: &[u8; 8] = b"mac1----";
const COOKIE: &[u8; 8] = b"cookie--";
const REFUSAL: &[u8; 8] = b"refusal-";

fn hashed(label: &[u8; 8], public: &PublicKey) -> [u8; KEY] {
    Blake2s256::new().chain_update(label).chain_update(public.octets()).finalize().into()
}

fn keyed(key: &[u8]) -> Keyed {
    // Keys of BLAKE2s have up to 32 octets, and ours have 16 or 32.
    Keyed::new_from_slice(key).unwrap_or_else(|_| Keyed::new(&blake2::digest::Key::<Keyed>::default()))
}

fn code(keyed: &Keyed, octets: &[u8]) -> Mac {
    keyed.clone().chain(octets).finalize_fixed().into()
}

/// What makes and opens codes and cookies for messages to one end.
pub(crate) struct Addressed {
    first: Keyed,
    cookies: [u8; KEY],
    refusals: [u8; KEY],
}

impl Addressed {
    pub(crate) fn to(public: &PublicKey) -> Self {
        Self { first: keyed(&hashed(MAC1, public)), cookies: hashed(COOKIE, public), refusals: hashed(REFUSAL, public) }
    }

    /// The first code of a message.
    pub(crate) fn first(&self, body: &[u8]) -> Mac {
        code(&self.first, body)
    }

    /// Whether a message was written for this end.
    pub(crate) fn is_for_us(&self, macs: &Macs<'_>) -> bool {
        agree(&self.first(macs.body), macs.first)
    }

    fn seal(&self, nonce: &[u8; NONCE], cookie: Mac, first: &Mac) -> Option<[u8; SEALED_COOKIE]> {
        let mut sealed = [0; SEALED_COOKIE];
        let (body, tag) = sealed.split_at_mut(MAC);
        body.copy_from_slice(&cookie);
        let (key, nonce) = extended(&self.cookies, nonce)?;
        tag.copy_from_slice(key.seal_in_place_separate_tag(nonce, Aad::from(first), body).ok()?.as_ref());
        Some(sealed)
    }

    /// What says that we do not know who wrote a message with this first code: nothing, sealed.
    pub(crate) fn refuse(&self, nonce: &[u8; NONCE], first: &Mac) -> Option<[u8; TAG]> {
        let (key, nonce) = extended(&self.refusals, nonce)?;
        let tag = key.seal_in_place_separate_tag(nonce, Aad::from(first), &mut []).ok()?;
        tag.as_ref().try_into().ok()
    }

    /// Whether this says so of a message of ours.
    pub(crate) fn is_refusal(&self, nonce: &[u8; NONCE], tag: &[u8; TAG], first: &Mac) -> bool {
        let mut tag = *tag;
        let opened = extended(&self.refusals, nonce)
            .and_then(|(key, nonce)| key.open_in_place(nonce, Aad::from(first), &mut tag).map(|_| ()).ok());
        opened.is_some()
    }

    /// The cookie in an answer to a message of ours with this first code.
    pub(crate) fn open(&self, nonce: &[u8; NONCE], sealed: &[u8; SEALED_COOKIE], first: &Mac) -> Option<Mac> {
        let mut sealed = *sealed;
        let (key, nonce) = extended(&self.cookies, nonce)?;
        let cookie = key.open_in_place(nonce, Aad::from(first), &mut sealed).ok()?;
        (*cookie).try_into().ok()
    }
}

/// XChaCha20-Poly1305, which `ring` has not, by ChaCha20-Poly1305, which it has: the first 16 octets of the nonce make another
/// key, and the last 8 are its nonce (draft-irtf-cfrg-xchacha-03, §2.3).
fn extended(key: &[u8; KEY], nonce: &[u8; NONCE]) -> Option<(LessSafeKey, Nonce)> {
    let (first, last) = nonce.split_first_chunk::<16>()?;
    let subkey = hchacha::<U10>(key.into(), first.into());
    let mut short = [0; 12];
    short[4..].copy_from_slice(last);
    let key = UnboundKey::new(&CHACHA20_POLY1305, &subkey).ok()?;
    Some((LessSafeKey::new(key), Nonce::assume_unique_for_key(short)))
}

/// The cookie of an address.
fn baked(secret: &Keyed, of: SocketAddr) -> Mac {
    let mut keyed = secret.clone();
    match of.ip() {
        IpAddr::V4(ip) => keyed.update(&ip.octets()),
        IpAddr::V6(ip) => keyed.update(&ip.octets()),
    }
    keyed.update(&of.port().to_be_bytes());
    keyed.finalize_fixed().into()
}

/// The cookies that an end gives away.
pub(crate) struct Baker {
    secret: Keyed,
    since: Option<Time>,
    /// The secret before, and until when its cookies are good.
    before: Option<(Keyed, Time)>,
    /// The last one, which is asked for twice where one was wrong.
    last: Option<(SocketAddr, Mac)>,
}

impl Baker {
    pub(crate) fn new() -> Self {
        Self { secret: keyed(&[]), since: None, before: None, last: None }
    }

    /// The cookie of this address, for now.
    fn cookie(&mut self, from: SocketAddr, now: Time, random: &mut dyn Random) -> Mac {
        if self.since.is_none_or(|since| now.since(since) >= COOKIE_LIFETIME) {
            let before = std::mem::replace(&mut self.secret, keyed(&*Zeroizing::new(draw::<KEY>(random))));
            self.before = self.since.map(|since| (before, since + COOKIE_LIFETIME + COOKIE_GRACE));
            (self.since, self.last) = (Some(now), None);
        }
        if let Some((_, cookie)) = self.last.filter(|(whose, _)| *whose == from) {
            return cookie;
        }
        let cookie = baked(&self.secret, from);
        self.last = Some((from, cookie));
        cookie
    }

    /// Whether a message shows a cookie that was given to this address.
    pub(crate) fn is_proven(&mut self, macs: &Macs<'_>, from: SocketAddr, now: Time, random: &mut dyn Random) -> bool {
        let shows = |cookie: Mac| agree(&code(&keyed(&cookie), macs.before_second), macs.second);
        *macs.second != [0; MAC]
            && (shows(self.cookie(from, now, random))
                || self.before.as_ref().is_some_and(|(secret, until)| now < *until && shows(baked(secret, from))))
    }

    /// Where the network of an address has its place in a table: an IPv4 address, or what one customer has of IPv6 at least. Only
    /// we know which ones meet, and others do after each change of the secret.
    pub(crate) fn place(&self, from: SocketAddr) -> u16 {
        let [low, high, ..] = match from.ip() {
            IpAddr::V4(ip) => code(&self.secret, &ip.octets()),
            IpAddr::V6(ip) => code(&self.secret, &ip.octets()[..8]),
        };
        u16::from_le_bytes([low, high])
    }

    /// A cookie for whoever wrote this message, if it is at this address.
    pub(crate) fn answer(
        &mut self,
        message: &Incoming<'_>,
        ours: &Addressed,
        from: SocketAddr,
        now: Time,
        random: &mut dyn Random,
    ) -> Option<Message> {
        let (sender, macs) = match message {
            Incoming::Initiation { sender, macs, .. } | Incoming::Response { sender, macs, .. } => (*sender, macs),
            Incoming::Cookie { .. } | Incoming::Refusal { .. } => return None,
        };
        let cookie = self.cookie(from, now, random);
        let nonce = draw(random);
        Some(write_cookie(sender, &nonce, &ours.seal(&nonce, cookie, macs.first)?))
    }
}

/// The cookie that a peer gave us.
#[derive(Debug, Default)]
pub(crate) struct Jar(Option<(Mac, Time)>);

impl Jar {
    pub(crate) fn keep(&mut self, cookie: Mac, now: Time) {
        self.0 = Some((cookie, now));
    }

    /// The second code of a message, while there is a cookie.
    pub(crate) fn second(&self, before: &[u8], now: Time) -> Option<Mac> {
        let (cookie, since) = self.0.as_ref()?;
        (now.since(*since) < COOKIE_LIFETIME).then(|| code(&keyed(cookie), before))
    }
}
