//! Octets off a wire, whoever made them: they are read to their end or refused, what is changed is not opened, and no answer is
//! longer than its question.

use super::ends::{Chance, Dice, End, address, at, end};
use crate::handshake::mac::Addressed;
use crate::handshake::wire::{self, Incoming};
use crate::introduction::INTRODUCTION;
use crate::transport::Head;
use crate::{Config, Event, HEAD_ROOM, Introduction, Received, TAG};

/// An end hears octets, which never make a packet.
fn hears(end: &mut End, octets: &[u8]) {
    match end.receive(octets, address(9), at(1)) {
        Received::Nothing => {}
        Received::Answer(answer) => assert!(answer.len() <= octets.len(), "an answer is longer than its question"),
        Received::Packet { .. } => panic!("opened, and nobody sealed it"),
    }
}

/// Two ends, the first of which has begun; and its first message. Their keys depend on the input: a fuzzer looks into
/// comparisons, and would find a tag that verifies with keys that stay.
fn begun(config: Config, octets: &[u8]) -> ([End; 2], Vec<u8>) {
    let chance = octets.iter().fold(11, |mixed, octet| Dice(mixed ^ u64::from(*octet)).roll());
    let mut ends = [end(1, chance, Config::default(), at(0)), end(2, !chance, config, at(0))];
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (_, initiation) = ends[0].poll(at(0)).expect("a first message");
    (ends, initiation)
}

/// Any octets as a handshake message; and a genuine one of which some are changed, with a code that verifies.
pub(super) fn handshake(octets: &[u8]) {
    let (mut ends, initiation) = begun(Config::default(), octets);
    hears(&mut ends[1], octets);
    if let Some(message) = wire::parse(octets) {
        let read = match message {
            Incoming::Initiation { noise, macs, .. } => {
                8 + noise.len() + 32 * usize::from(macs.body.len() == 8 + noise.len())
            }
            Incoming::Response { noise, macs, .. } => {
                12 + noise.len() + 32 * usize::from(macs.body.len() == 12 + noise.len())
            }
            Incoming::Cookie { nonce, sealed, .. } => 8 + nonce.len() + sealed.len(),
            Incoming::Refusal { nonce, tag, .. } => 8 + nonce.len() + tag.len(),
        };
        assert_eq!(read, octets.len(), "octets are left over: {message:?}");
    }
    let met = Introduction::new(11, super::ends::configuration()).meet(octets);
    assert!(met.is_err() || octets.len() == INTRODUCTION);
    for (receiver, genuine) in [(1, initiation.clone()), (0, answer(&mut ends[1], &initiation))] {
        let changed = changed(&genuine, octets);
        if let Some((body, _)) = changed.split_at_checked(changed.len().saturating_sub(32)) {
            let public = super::ends::key(receiver as u64 + 1).public();
            let code = Addressed::to(&public).first(body);
            let message = [body, &code, &[0; 16]].concat();
            if message != genuine {
                hears(&mut ends[receiver], &message);
                let established =
                    ends[receiver].events().iter().any(|event| matches!(event, Event::Established { .. }));
                // Whoever is on the way can write another index: nothing arrives with these keys, and others are agreed on.
                assert!(
                    !established || message[8..body.len()] == genuine[8..body.len()],
                    "keys from a message that was changed"
                );
            }
        }
    }
}

fn answer(end: &mut End, initiation: &[u8]) -> Vec<u8> {
    match end.receive(initiation, address(1), at(0)) {
        Received::Answer(answer) => answer.to_vec(),
        other => panic!("expected an answer, not {other:?}"),
    }
}

/// Octets with as many changes and another length as an input says.
fn changed(genuine: &[u8], octets: &[u8]) -> Vec<u8> {
    let mut chance = Chance::of_octets(octets);
    let mut changed = genuine.to_vec();
    if chance.one_in(4) {
        changed.resize(chance.index(600), 0);
    }
    while !chance.is_over() && !changed.is_empty() {
        let at = chance.index(changed.len());
        changed[at] ^= u8::try_from(chance.below(256)).unwrap_or(0);
    }
    changed
}

/// A cookie of which some octets are changed is not kept.
pub(super) fn cookie(octets: &[u8]) {
    let asking = Config { unproven_handshakes: 0, ..Config::default() };
    let (mut ends, initiation) = begun(asking, octets);
    let genuine = answer(&mut ends[1], &initiation);
    let changed = changed(&genuine, octets);
    hears(&mut ends[0], &changed);
    assert_eq!(ends[0].poll(at(1)).is_some(), changed == genuine, "only a genuine cookie is tried at once");
}

/// Any octets as a sealed datagram; and a genuine one of which some are changed, or which comes twice.
pub(super) fn transport(octets: &[u8]) {
    if let Some(head) = Head::read(octets) {
        assert!(octets.len() >= head.end() + TAG);
        for next in [0, 1 << 15, 1 << 40, u64::MAX] {
            let counter = head.counter(next);
            assert_eq!(counter.to_le_bytes()[..2], octets[3..5], "the lowest bits are those on the wire");
        }
    }
    let (mut ends, initiation) = begun(Config::default(), octets);
    let answer = answer(&mut ends[1], &initiation);
    ends[0].receive(&answer, address(2), at(0));
    hears(&mut ends[1], octets);
    let mut packet = octets.to_vec();
    packet.truncate(1400);
    packet.push(7);
    let (_, genuine) = ends[0].seal(&packet, at(0)).expect("keys");
    assert!(genuine.len() <= packet.len() + HEAD_ROOM + TAG);
    let changed = changed(&genuine, octets);
    if changed != genuine {
        hears(&mut ends[1], &changed);
    }
    assert_eq!(ends[1].open(&genuine, address(1), at(1)), Some(packet));
    hears(&mut ends[1], &genuine);
}
