//! The judge of the handshake is another implementation: under WireGuard's construction and identifier the same code, one of
//! whose ends is replaced by `boringtun`, agrees on the same keys. That they are the same is shown by packets in WireGuard's
//! own transport form, which these tests write and read.

use super::*;
use crate::handshake::dialect::WIREGUARD;
use boringtun::noise::rate_limiter::RateLimiter;
use boringtun::noise::{Tunn, TunnResult};
use boringtun::x25519;
use std::sync::Arc;

/// A whole IPv4 packet, which boringtun looks at: from 10.0.0.1 to 10.0.0.2, with 4 octets.
const IP: [u8; 24] = [0x45, 0, 0, 24, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, b'p', b'i', b'n', b'g'];

fn ours() -> End {
    end_of(&WIREGUARD, 1, Introduction::new(11, configuration()), Config::default(), at(0))
}

/// What `ours` takes for its peer.
fn theirs(limiter: Option<Arc<RateLimiter>>) -> Tunn {
    let private = x25519::StaticSecret::from(*key(2).octets());
    let public = x25519::PublicKey::from(*key(1).public().octets());
    Tunn::new(private, public, Some(*PresharedKey::generate(&mut Dice(12)).octets()), None, 5, limiter)
}

fn network(result: &TunnResult<'_>) -> Vec<u8> {
    match result {
        TunnResult::WriteToNetwork(octets) => octets.to_vec(),
        other => panic!("expected a datagram, not {other:?}"),
    }
}

/// Packets cross with the keys of both directions, in WireGuard's form:
///
///     4 0 0 0 | receiver, 4 | counter, 8 | sealed, n+16
fn packets_cross(ours: &mut End, theirs: &mut Tunn) {
    let mut buffer = [0; 512];
    let peer = ours.endpoint.peer_mut(ours.peer);
    let keys = peer.slots.current_mut().expect("keys");
    for counter in 0..3u64 {
        let sealed = keys.transport.seal_bare(&IP, counter);
        let head: [&[u8]; 3] = [&[4, 0, 0, 0], &u32::from(keys.remote).to_le_bytes(), &counter.to_le_bytes()];
        let datagram = [head.concat(), sealed].concat();
        match theirs.decapsulate(None, &datagram, &mut buffer) {
            TunnResult::WriteToTunnelV4(packet, from) => {
                assert_eq!((&*packet, from.octets()), (IP.as_slice(), [10, 0, 0, 1]));
            }
            other => panic!("expected a packet, not {other:?}"),
        }
    }
    for _ in 0..3 {
        let datagram = network(&theirs.encapsulate(&IP, &mut buffer));
        let (head, sealed) = datagram.split_first_chunk::<16>().expect("a head");
        assert_eq!((head[..4] == [4, 0, 0, 0], head[4..8] == u32::from(keys.index).to_le_bytes()), (true, true));
        let counter = u64::from_le_bytes(*head.last_chunk().expect("a counter"));
        let packet = keys.transport.open_bare(sealed, counter).expect("sealed with our key");
        // WireGuard fills packets up to 16 octets; boringtun does not.
        assert_eq!(packet[..IP.len()], IP);
    }
}

#[test]
fn as_initiator_it_agrees_on_the_same_keys_as_boringtun() {
    let (mut ours, mut theirs, mut buffer) = (ours(), theirs(None), [0; 512]);
    ours.endpoint.begin(ours.peer, at(0));
    let (_, initiation) = ours.poll(at(0)).expect("a first message");
    let response = network(&theirs.decapsulate(None, &initiation, &mut buffer));
    assert_eq!((initiation.len(), response.len()), (148, 92), "sizes of the whitepaper");
    assert_eq!(ours.receive(&response, address(2), at(0)), Received::Nothing);
    assert!(ours.status(at(0)).has_keys);
    packets_cross(&mut ours, &mut theirs);
}

#[test]
fn as_responder_it_agrees_on_the_same_keys_as_boringtun() {
    let (mut ours, mut theirs, mut buffer) = (ours(), theirs(None), [0; 512]);
    let initiation = network(&theirs.format_handshake_initiation(&mut buffer, false));
    let Received::Answer(response) = ours.receive(&initiation, address(2), at(0)) else { panic!("expected an answer") };
    assert_eq!((initiation.len(), response.len()), (148, 92), "sizes of the whitepaper");
    // An empty packet in WireGuard's transport form, which confirms the keys.
    let confirmation = network(&theirs.decapsulate(None, &response, &mut buffer));
    let (head, sealed) = confirmation.split_first_chunk::<16>().expect("a head");
    let peer = ours.endpoint.peer_mut(ours.peer);
    let index = u16::from_le_bytes([head[4], head[5]]);
    let keys = peer.slots.find(index).expect("keys");
    assert_eq!(keys.transport.open_bare(sealed, 0), Some(Vec::new()));
    assert!(peer.slots.confirm(index, |_| panic!("the only keys")));
    packets_cross(&mut ours, &mut theirs);
}

#[test]
fn a_cookie_of_boringtun_is_understood_and_one_of_ours_by_boringtun() {
    let mut buffer = [0; 512];
    // A limit of no handshakes: always under load.
    let public = x25519::PublicKey::from(*key(2).public().octets());
    let (mut ours_1, mut theirs_1) = (ours(), theirs(Some(Arc::new(RateLimiter::new(&public, 0)))));
    let from = Some(address(1).ip());
    ours_1.endpoint.begin(ours_1.peer, at(0));
    let (_, initiation) = ours_1.poll(at(0)).expect("a first message");
    let cookie = network(&theirs_1.decapsulate(from, &initiation, &mut buffer));
    assert_eq!(cookie.len(), 64, "size of the whitepaper");
    ours_1.receive(&cookie, address(2), at(0));
    let (_, initiation) = ours_1.poll(at(0)).expect("at once again, with the cookie");
    let response = network(&theirs_1.decapsulate(from, &initiation, &mut buffer));
    ours_1.receive(&response, address(2), at(0));
    packets_cross(&mut ours_1, &mut theirs_1);

    let config = Config { unproven_handshakes: 0, ..Config::default() };
    let mut ours_2 = end_of(&WIREGUARD, 1, Introduction::new(11, configuration()), config, at(0));
    let mut theirs_2 = theirs(None);
    let initiation = network(&theirs_2.format_handshake_initiation(&mut buffer, false));
    let Received::Answer(cookie) = ours_2.receive(&initiation, address(2), at(0)) else { panic!("expected an answer") };
    assert_eq!(cookie.len(), 64);
    assert!(matches!(theirs_2.decapsulate(None, &cookie, &mut buffer), TunnResult::Done));
    let initiation = network(&theirs_2.format_handshake_initiation(&mut buffer, true));
    assert!(matches!(ours_2.receive(&initiation, address(2), at(0)), Received::Answer(answer) if answer.len() == 92));
}
