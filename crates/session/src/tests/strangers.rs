//! What somebody without a key can do: nothing that lasts, and little that costs.

use super::*;
use allocation_counter::{AllocationInfo, measure};
use arqway_units::LineId;
use std::net::SocketAddr;

/// The second end asks everybody for a cookie; the first one has begun.
fn begun() -> [End; 2] {
    let mut ends = asking();
    ends[0].endpoint.begin(ends[0].peer, at(0));
    ends
}

#[test]
fn under_load_a_peer_gets_in_with_a_cookie_after_one_more_round_trip() {
    let mut ends = begun();
    let (_, initiation) = ends[0].poll(at(10)).expect("a first message");
    let Received::Answer(cookie) = ends[1].receive(&initiation, address(1), at(10)) else { panic!("an answer") };
    assert_eq!(cookie.len(), 64);
    assert_eq!(ends[0].receive(&cookie, address(2), at(10)), Received::Nothing);
    let (_, again) = ends[0].poll(at(10)).expect("at once again");
    // What a cookie shows is where its owner is, so it is of no use elsewhere.
    for place in [address(9), SocketAddr::new(address(1).ip(), 4501)] {
        let elsewhere = ends[1].receive(&again, place, at(10));
        assert!(matches!(elsewhere, Received::Answer(answer) if answer.len() == 64));
    }
    assert!(matches!(ends[1].receive(&again, address(1), at(10)), Received::Answer(answer) if answer.len() == 134));
    assert_eq!(ends[1].endpoint.counters().cookies, 3);
}

#[test]
fn a_cookie_for_an_old_answer_leaves_alone_what_was_begun_with_a_cookie_since() {
    let mut ends = [end(1, 11, careful(), at(0)), end(2, 22, Config::default(), at(0))];
    let answer_of = |received| match received {
        Received::Answer(answer) => answer.to_vec(),
        other => panic!("expected an answer, not {other:?}"),
    };
    ends.iter_mut().for_each(|end| end.endpoint.begin(end.peer, at(0)));
    let [(_, theirs), (_, ours)] = [0, 1].map(|index: usize| ends[index].poll(at(0)).expect("a first message"));
    let old_answer = answer_of(ends[1].receive(&theirs, address(1), at(10)));
    let cookie = answer_of(ends[0].receive(&ours, address(2), at(10)));
    ends[1].receive(&cookie, address(1), at(20));
    let (_, again) = ends[1].poll(at(20)).expect("at once again, with the cookie");
    let late_cookie = answer_of(ends[0].receive(&old_answer, address(2), at(20)));
    ends[1].receive(&late_cookie, address(1), at(30));
    assert_eq!(ends[1].poll(at(30)), None, "an answer is under way");
    let answer = answer_of(ends[0].receive(&again, address(2), at(30)));
    ends[1].receive(&answer, address(1), at(40));
    assert!(ends[1].status(at(40)).has_keys);
}

#[test]
fn whoever_has_many_addresses_of_one_network_has_one_place_and_cannot_choose_it() {
    let places = [1, 2].map(|seed| {
        let (mut baker, mut dice) = (crate::handshake::mac::Baker::new(), Dice(seed));
        let no_cookie = crate::handshake::mac::Addressed::to(&key(2).public());
        let message = begun()[0].poll(at(10)).expect("a first message").1;
        let incoming = crate::handshake::wire::parse(&message).expect("a message");
        baker.answer(&incoming, &no_cookie, address(1), at(10), &mut dice);
        let place = |address: &str| baker.place(address.parse().expect("an address"));
        assert_eq!(place("192.0.2.1:4500"), place("192.0.2.1:999"));
        assert_ne!(place("192.0.2.1:4500"), place("192.0.2.2:4500"));
        assert_eq!(place("[2001:db8::1]:4500"), place("[2001:db8::ffff:2:3:4]:4500"));
        assert_ne!(place("[2001:db8::1]:4500"), place("[2001:db8:0:1::1]:4500"));
        place("192.0.2.1:4500")
    });
    assert_ne!(places[0], places[1], "another secret, another place");
}

#[test]
fn a_cookie_is_good_for_two_minutes_and_tried_once_at_once() {
    let mut ends = begun();
    exchange(&mut ends, at(10));
    assert_eq!(ends[1].endpoint.counters().cookies, 1);
    // While it lasts, no other one is needed.
    ends[0].endpoint.begin(ends[0].peer, at(60_000));
    exchange(&mut ends, at(60_000));
    assert_eq!(ends[1].endpoint.counters().cookies, 1);
    // Whoever gave it takes it no longer, and whoever has it shows it no longer.
    ends[0].endpoint.begin(ends[0].peer, at(119_000));
    let (_, late) = ends[0].poll(at(119_000)).expect("a first message");
    let received = ends[1].receive(&late, address(1), at(125_020));
    assert!(matches!(received, Received::Answer(answer) if answer.len() == 64));
    let (_, without) = {
        ends[0].endpoint.handle_timeout(at(130_000));
        ends[0].poll(at(130_000)).expect("again")
    };
    assert!(late[174..] != [0; 16] && without[174..] == [0; 16]);
    let Received::Answer(cookie) = ends[1].receive(&without, address(1), at(130_000)) else { panic!("a cookie") };
    ends[0].receive(&cookie, address(2), at(130_000));
    exchange(&mut ends, at(130_000));
    assert_eq!(ends[1].endpoint.counters().cookies, 3);
    assert_eq!(ends.map(|end| end.endpoint.counters().handshakes), [3, 3]);
}

#[test]
fn a_cookie_for_another_message_or_from_somebody_else_is_not_kept() {
    let mut ends = begun();
    let (_, first) = ends[0].poll(at(10)).expect("a first message");
    let Received::Answer(cookie) = ends[1].receive(&first, address(1), at(10)) else { panic!("an answer") };
    for bit in 0..cookie.len() * 8 {
        let mut changed = cookie.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        ends[0].receive(&changed, address(2), at(10));
        assert_eq!(ends[0].poll(at(10)), None, "bit {bit}");
    }
    ends[0].endpoint.handle_timeout(at(2000));
    assert!(ends[0].poll(at(2000)).is_some(), "the next try");
    ends[0].receive(&cookie, address(2), at(2000));
    assert_eq!(ends[0].poll(at(2000)), None, "a cookie for the try before");
}

#[test]
fn a_peer_gets_in_within_a_second_while_100_000_forgeries_a_second_arrive() {
    let mut ends = pair();
    let mut forger = pair();
    forger[0].endpoint.begin(forger[0].peer, at(0));
    let (_, genuine) = forger[0].poll(at(0)).expect("a first message");
    // The forger knows our public key, and makes codes of it that verify.
    let forged = {
        let mut forged = genuine.clone();
        forged[40] ^= 1;
        let body = forged.len() - 32;
        let first = crate::handshake::mac::Addressed::to(&key(2).public()).first(&forged[..body]);
        forged[body..body + 16].copy_from_slice(&first);
        forged
    };
    let flood = |ends: &mut [End; 2], from: u64, milliseconds: u64| {
        for number in 0..milliseconds * 100 {
            let now = at(from) + Span::from_nanoseconds(number * 10_000);
            let source = SocketAddr::from(([203, 0, 113, u8::try_from(number % 256).expect("small")], 1000));
            if let Received::Answer(answer) = ends[1].receive(&forged, source, now) {
                assert!(answer.len() <= forged.len());
            }
        }
    };
    flood(&mut ends, 0, 1000);
    ends[0].endpoint.begin(ends[0].peer, at(1000));
    // A way of 50 ms.
    let mut now = 1000;
    let (_, mut question) = ends[0].poll(at(now)).expect("a first message");
    while !ends[0].status(at(now)).has_keys {
        flood(&mut ends, now, 50);
        now += 50;
        let Received::Answer(answer) = ends[1].receive(&question, address(1), at(now)) else { panic!("an answer") };
        flood(&mut ends, now, 50);
        now += 50;
        ends[0].receive(&answer, address(2), at(now));
        if let Some((_, next)) = ends[0].poll(at(now)) {
            question = next;
        }
    }
    assert!(now <= 1200, "{now} ms: two round trips, one of them for a cookie");
    let agreements = ends[1].endpoint.counters().forged;
    assert!(agreements <= 100 * 2 + 11, "{agreements} key agreements for forgeries");
}

#[test]
fn what_strangers_send_leaves_no_allocation_behind() {
    let mut ends = established(at(0));
    let (_, datagram) = ends[0].seal(&[7; 1388], at(0)).expect("keys");
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (_, initiation) = ends[0].poll(at(0)).expect("a first message");
    let mut dice = Dice(5);
    // The second code, of 16 octets, is looked at only under load.
    let mut forge = |genuine: &[u8]| {
        let mut forged = genuine.to_vec();
        let at = usize::try_from(dice.below(forged.len() as u64 - 16)).expect("small");
        forged[at] ^= 1 << dice.below(8);
        forged
    };
    let kept = measure(|| {
        for _ in 0..2000 {
            for genuine in [&datagram, &initiation] {
                let forged = forge(genuine);
                let received = ends[1].receive(&forged, address(9), at(1));
                assert!(matches!(received, Received::Nothing | Received::Answer(_)));
            }
        }
    });
    assert_eq!((kept.count_current, kept.bytes_current), (0, 0), "{kept:?}");
    assert!(ends[1].endpoint.counters().forged > 1000);
}

#[test]
fn a_packet_costs_no_allocation() {
    let mut ends = established(at(0));
    let [near, far] = &mut ends;
    let mut buffer = [7; HEAD_ROOM + 1388 + TAG];
    let none = measure(|| {
        for _ in 0..10_000 {
            let sealed = near
                .endpoint
                .seal(near.peer, LineId::FIRST, &mut buffer, HEAD_ROOM..HEAD_ROOM + 1388, at(1))
                .expect("keys");
            let datagram = &mut buffer[sealed.datagram];
            let received = far.endpoint.handle_datagram(datagram, near.at, at(1), &mut far.dice);
            assert!(matches!(received, Received::Packet { .. }));
        }
    });
    // The deadlines of one packet stand for all of them.
    assert!(none.count_total <= 8, "{none:?}");
}

#[test]
fn an_idle_peer_costs_at_most_4_kb() {
    const PEERS: u16 = 1000;
    let mut ends = pair();
    let server = &mut ends[1];
    let mut clients = Vec::new();
    let AllocationInfo { bytes_current, .. } = measure(|| {
        for number in 0..PEERS {
            let public = key(1000 + u64::from(number)).public();
            let peer = PeerConfig {
                public,
                preshared: PresharedKey::default(),
                address: None,
                keepalive: Keepalive::default(),
                lines: 1,
            };
            server.endpoint.add_peer(peer, at(0)).expect("another end");
        }
    });
    let each = bytes_current / i64::from(PEERS);
    println!("a peer without keys: {each} octets");
    assert!(each <= 4096, "{each}");
    for number in 0..100 {
        let introduction = Introduction::new(11, configuration());
        let mut client = Endpoint::new(key(1000 + number), introduction, Config::default(), WALL);
        let peer = PeerConfig {
            public: key(2).public(),
            preshared: PresharedKey::default(),
            address: Some(address(2)),
            keepalive: Keepalive::default(),
            lines: 1,
        };
        let id = client.add_peer(peer, at(0)).expect("another end");
        clients.push((client, id));
    }
    let mut dice = Dice(9);
    // Each with the keys of two handshakes, the most that one at rest has.
    let AllocationInfo { bytes_current, .. } = measure(|| {
        for (number, second) in (0..2).flat_map(|round| (0..100).map(move |number| (number, 1000 * (1 + round)))) {
            let now = at(second + 20 * u64::try_from(number).expect("small"));
            let (client, id) = &mut clients[number];
            let mine = SocketAddr::from(([10, 0, 0, u8::try_from(number).expect("small")], 1000));
            client.begin(*id, now);
            let (_, _, mut initiation) = client.poll_datagram(now, &mut dice).expect("a first message");
            let received = server.endpoint.handle_datagram(&mut initiation, mine, now, &mut dice);
            let Received::Answer(mut answer) = received else { panic!("an answer") };
            client.handle_datagram(&mut answer, address(2), now, &mut dice);
            let (_, _, mut confirmation) = client.poll_datagram(now, &mut dice).expect("a confirmation");
            server.endpoint.handle_datagram(&mut confirmation, mine, now, &mut dice);
            while server.endpoint.poll_event().is_some() {}
            while client.poll_event().is_some() {}
        }
    });
    // Both ends are counted.
    let keys = bytes_current / 200;
    println!("its keys: {keys} octets");
    assert!(each + keys <= 4096, "{each} + {keys}");
}

#[test]
fn no_key_is_shown_by_debug_errors_or_events() {
    let mut ends = established(at(0));
    let secrets: Vec<[u8; KEY]> =
        vec![*key(1).octets(), *key(2).octets(), *PresharedKey::generate(&mut Dice(12)).octets()];
    let config = PeerConfig {
        public: key(1).public(),
        preshared: PresharedKey::generate(&mut Dice(12)),
        address: None,
        keepalive: Keepalive::default(),
        lines: 1,
    };
    let mut shown = format!("{:?} {:#?} {config:?}", ends[0].endpoint, key(1));
    for text in [&*key(1).to_text(), &key(1).to_text()[1..], &key(1).to_text().replace('=', "!")] {
        shown += &text.parse::<PrivateKey>().err().map_or(String::new(), |error| format!("{error} {error:?}"));
    }
    ends[0].endpoint.begin(ends[0].peer, at(1));
    let (_, initiation) = ends[0].poll(at(1)).expect("a first message");
    shown += &format!("{initiation:?} {:?}", ends[0].status(at(1)));
    let peer = ends[0].endpoint.peer_mut(ends[0].peer);
    assert!(peer.attempt.as_ref().is_some_and(|attempt| attempt.pending.is_some()));
    shown += &format!("{:?} {:#?}", peer.slots, peer.attempt);
    for secret in secrets {
        let hexadecimal: String = secret.iter().map(|octet| format!("{octet:02x}")).collect();
        let decimal = format!("{secret:?}");
        let text = <base64ct::Base64 as base64ct::Encoding>::encode_string(&secret);
        for form in [hexadecimal.to_uppercase(), hexadecimal, decimal.replace(['[', ']'], ""), text] {
            assert!(!shown.contains(&form[..16]), "{form} is shown");
        }
    }
}
