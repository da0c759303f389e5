//! Keys that are wrong, or where two have one: both users are told, and strangers learn little.

use super::*;

/// An end with the key of one number, that takes another one's for its peer's.
fn keyed(own: u64, at_host: u8, peer: u64, boot: u64) -> End {
    let mut endpoint = Endpoint::new(key(own), Introduction::new(boot, configuration()), Config::default(), WALL);
    let other = PeerConfig {
        public: key(peer).public(),
        preshared: PresharedKey::generate(&mut Dice(12)),
        address: Some(address(3 - at_host)),
        keepalive: Keepalive::default(),
        lines: 1,
    };
    let peer = endpoint.add_peer(other, at(0)).expect("another end");
    End { endpoint, peer, at: address(at_host), dice: Dice(boot) }
}

/// The first end begins, and both go on for five seconds: what their users are told.
fn told(ends: &mut [End; 2]) -> [Vec<Event>; 2] {
    ends[0].endpoint.begin(ends[0].peer, at(0));
    for tick in 0..=50 {
        let now = at(tick * 100);
        ends.iter_mut().for_each(|end| end.endpoint.handle_timeout(now));
        exchange(ends, now);
    }
    [0, 1].map(|index: usize| ends[index].events())
}

#[test]
fn where_the_called_end_has_another_key_of_the_caller_both_are_told_within_five_seconds_which() {
    let mut ends = [keyed(1, 1, 2, 11), keyed(2, 2, 3, 22)];
    let peer = ends[0].peer;
    let expected = [
        vec![Event::KeyUnknown { peer, at: address(2) }],
        vec![Event::Stranger { public: key(1).public(), from: address(1) }],
    ];
    assert_eq!(told(&mut ends), expected);
    assert!(!ends.iter().any(|end| end.status(at(5000)).has_keys));
}

#[test]
fn where_the_caller_has_another_key_of_the_called_end_both_are_told_within_five_seconds_and_nothing_is_answered() {
    let mut ends = [keyed(1, 1, 3, 11), keyed(2, 2, 1, 22)];
    let peer = ends[0].peer;
    let expected = [
        vec![Event::Unanswered { peer, to: address(2), unverified: false }],
        vec![Event::Misdirected { from: address(1), peer: None }],
    ];
    assert_eq!(told(&mut ends), expected);
}

#[test]
fn settings_that_were_copied_to_the_other_host_are_known_by_whose_key_a_handshake_is_for() {
    let mut ends = [keyed(1, 1, 2, 11), keyed(1, 2, 2, 22)];
    let peer = ends[1].peer;
    assert_eq!(told(&mut ends)[1], [Event::Misdirected { from: address(1), peer: Some(peer) }]);
}

#[test]
fn a_peer_with_another_preshared_key_is_told_of_within_five_seconds() {
    let mut ends = [keyed(1, 1, 2, 11), keyed(2, 2, 1, 22)];
    ends[1].endpoint.peer_mut(PeerId(0)).config.preshared = PresharedKey::default();
    let peer = ends[0].peer;
    assert_eq!(told(&mut ends)[0], [Event::Unanswered { peer, to: address(2), unverified: true }]);
}

#[test]
fn two_ends_with_one_key_are_told_of_once_a_minute_and_a_peer_that_restarts_never() {
    let mut twice = 0;
    for restarts in [true, false] {
        let mut far = end(2, 22, Config::default(), at(0));
        let mut boot = 100;
        for turn in 0..12u64 {
            boot = if restarts { boot + 1 } else { 100 + turn % 2 };
            let mut near = end(1, boot, Config::default(), at(turn * 5000));
            near.at = address(if turn % 2 == 0 { 1 } else { 3 });
            near.endpoint.begin(near.peer, at(turn * 5000));
            let mut ends = [near, far];
            exchange(&mut ends, at(turn * 5000));
            assert!(ends[0].status(at(turn * 5000)).has_keys);
            [_, far] = ends;
            let seen = far.events().iter().filter(|event| matches!(event, Event::Twice { .. })).count();
            assert!(seen == 0 || !restarts);
            twice += seen;
        }
    }
    assert_eq!(twice, 1);
}

#[test]
fn strangers_are_told_of_rarely_and_refused_five_times_at_once_and_never_with_more_than_they_sent() {
    let mut far = keyed(2, 2, 1, 22);
    let (mut refused, mut told) = (0, 0);
    for number in 0..60u64 {
        let now = at(number * 12);
        let mut near = keyed(100 + number, 1, 2, number);
        near.endpoint.begin(near.peer, now);
        let (_, first) = near.poll(now).expect("a first message");
        if let Received::Answer(answer) = far.receive(&first, address(1), now) {
            assert_eq!(answer.len(), 48);
            refused += 1;
        }
        told += far.events().len();
    }
    assert_eq!((refused, told, far.endpoint.counters().strangers), (5, 4, 60));
}

#[test]
fn a_refusal_that_is_for_another_message_or_from_elsewhere_says_nothing_and_a_genuine_one_keeps_nobody_out() {
    let mut near = keyed(1, 1, 2, 11);
    let mut stranger_to_it = keyed(2, 2, 3, 22);
    near.endpoint.begin(near.peer, at(0));
    let (_, first) = near.poll(at(0)).expect("a first message");
    let Received::Answer(refusal) = stranger_to_it.receive(&first, address(1), at(0)) else { panic!("refused") };
    for bit in 32..refusal.len() * 8 {
        let mut changed = refusal.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        near.receive(&changed, address(2), at(0));
    }
    near.receive(&refusal, address(9), at(0));
    assert_eq!(near.events(), []);
    near.receive(&refusal, address(2), at(0));
    assert_eq!(near.events(), [Event::KeyUnknown { peer: near.peer, at: address(2) }]);
    assert_eq!(near.poll(at(0)), None, "nothing is sent for it");
    let mut knows_it = keyed(2, 2, 1, 23);
    let Received::Answer(answer) = knows_it.receive(&first, address(1), at(1)) else { panic!("answered") };
    near.receive(&answer, address(2), at(1));
    assert!(near.status(at(1)).has_keys);
}
