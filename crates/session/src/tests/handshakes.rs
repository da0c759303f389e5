//! What a handshake does, and what it refuses.

use super::*;
use std::net::SocketAddr;

#[test]
fn a_packet_crosses_after_one_round_trip_and_says_who_sealed_it() {
    let mut ends = pair();
    assert_eq!(ends[0].seal(b"packet", at(0)), Err(NotSealed::NoKeys));
    assert_eq!(exchange(&mut ends, at(0)), 3, "two messages, and one that confirms");
    for (near, far) in [(0, 1), (1, 0)] {
        let (to, datagram) = ends[near].seal(b"packet", at(1)).expect("keys");
        let from = ends[near].at;
        assert_eq!((to, datagram.len()), (ends[far].at, 6 + 5 + TAG));
        assert_eq!(ends[far].open(&datagram, from, at(1)), Some(b"packet".to_vec()));
        assert_eq!(ends[far].open(&datagram, from, at(1)), None, "a second time");
    }
    assert_eq!(ends.map(|end| end.endpoint.counters().replayed), [1, 1]);
}

#[test]
fn each_end_learns_the_others_incarnation_and_that_it_restarted() {
    let mut ends = established(at(0));
    ends[1] = end(2, 23, Config::default(), at(1000));
    ends[1].endpoint.begin(ends[1].peer, at(1000));
    exchange(&mut ends, at(1000));
    let peer = ends[0].peer;
    assert_eq!(ends[0].events(), [Event::Established { peer, boot: 23, restarted: true }]);
    assert_eq!(ends[1].events(), [Event::Established { peer, boot: 11, restarted: false }]);
}

#[test]
fn nothing_that_an_incarnation_sealed_arrives_after_the_next_one_is_known() {
    for begins in 0..2 {
        let mut ends = established(at(0));
        let (_, late) = ends[1].seal(b"late", at(0)).expect("keys");
        ends[1] = end(2, 23, Config::default(), at(1000));
        ends[begins].endpoint.begin(ends[begins].peer, at(1000));
        exchange(&mut ends, at(1000));
        assert_eq!(ends[0].open(&late, address(2), at(1001)), None);
    }
}

#[test]
fn an_end_with_another_configuration_or_version_says_so_and_so_does_its_peer() {
    let other = Configuration::of(&[("services", b"sr:1.1")]);
    let introductions = [
        (Introduction::new(22, other), "the peer's settings differ from ours: services; both ends need the same"),
        (
            Introduction { version: 3, ..Introduction::new(22, configuration()) },
            "the peer speaks version 3 of the session, this end version 2: update this end",
        ),
    ];
    for (introduction, told) in introductions {
        for begins in 0..2 {
            let far = end_of(&crate::handshake::dialect::ARQWAY, 2, introduction, Config::default(), at(0));
            let mut ends = [end(1, 11, Config::default(), at(0)), far];
            ends[begins].endpoint.begin(ends[begins].peer, at(0));
            assert_eq!(exchange(&mut ends, at(0)), 2);
            for end in &mut ends {
                assert!(matches!(end.events()[..], [Event::Refused { .. }]), "both are told, whoever began");
                assert!(!end.status(at(0)).has_keys);
            }
            let refused = ends[0].seal(b"packet", at(1)).expect_err("they cannot speak");
            assert_eq!((refused.to_string(), exchange(&mut ends, at(1))), (told.to_owned(), 0));
        }
    }
}

#[test]
fn another_preshared_key_is_named_as_the_likely_reason() {
    let mut ends = pair();
    let peer = PeerConfig {
        public: key(2).public(),
        preshared: PresharedKey::default(),
        address: Some(address(2)),
        keepalive: Keepalive::default(),
        lines: 1,
    };
    ends[0].endpoint.remove_peer(ends[0].peer);
    ends[0].peer = ends[0].endpoint.add_peer(peer, at(0)).expect("another end");
    ends[0].endpoint.begin(ends[0].peer, at(0));
    run(&mut ends, at(0), at(100_000));
    let told: Vec<String> = ends[0].events().iter().map(ToString::to_string).collect();
    let last = told.last().map(String::as_str);
    assert_eq!(last, Some("peer 1: answers that do not verify; expected the same preshared key at both ends"));
}

#[test]
fn a_peer_that_never_answers_is_given_up_and_costs_nothing_then() {
    let mut ends = pair();
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (mut sent, mut now) = (0, at(0));
    loop {
        ends[0].endpoint.handle_timeout(now);
        while ends[0].poll(now).is_some() {
            sent += 1;
        }
        let Some(next) = ends[0].endpoint.poll_timeout() else { break };
        assert!(next > now && next < at(200_000));
        now = next;
    }
    // After 1, 2, 4, 4, ... s, and up to 0.27 s more.
    assert!((21..=25).contains(&sent), "{sent}");
    let told = ends[0].events();
    assert!(matches!(told[..], [Event::Unanswered { .. }, Event::Unreachable { unverified: false, .. }]), "{told:?}");
}

#[test]
fn a_recorded_first_message_is_answered_once() {
    let mut ends = pair();
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (_, initiation) = ends[0].poll(at(0)).expect("a first message");
    assert!(matches!(ends[1].receive(&initiation, address(1), at(0)), Received::Answer(_)));
    assert_eq!(ends[1].receive(&initiation, address(1), at(0)), Received::Nothing);
    assert_eq!(ends[1].endpoint.counters().replayed, 1);
}

#[test]
fn sizes_are_those_of_the_page_and_no_answer_is_longer_than_its_question() {
    let mut ends = pair();
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (_, initiation) = ends[0].poll(at(0)).expect("a first message");
    let Received::Answer(response) = ends[1].receive(&initiation, address(1), at(0)) else { panic!("an answer") };
    assert_eq!((initiation.len(), response.len()), (190, 134));
}

#[test]
fn keys_change_every_two_minutes_while_packets_flow_and_none_is_lost() {
    let mut ends = established(at(0));
    for second in 0..600 {
        let now = at(1000 * second + 500);
        ends.iter_mut().for_each(|end| end.endpoint.handle_timeout(now));
        exchange(&mut ends, now);
        for (near, far) in [(0, 1), (1, 0)] {
            let (_, datagram) = ends[near].seal(b"packet", now).expect("keys");
            let from = ends[near].at;
            assert_eq!(ends[far].open(&datagram, from, now), Some(b"packet".to_vec()), "after {second} s");
        }
    }
    // One at the beginning, and one each 120 s.
    assert_eq!(ends.map(|end| end.endpoint.counters().handshakes), [5, 5]);
}

#[test]
fn whoever_began_begins_again_and_the_other_end_does_not() {
    let mut ends = established(at(0));
    let begins = [1, 0].map(|index: usize| {
        ends[index].seal(b"packet", at(120_000)).expect("keys");
        ends[index].poll(at(120_000)).is_some()
    });
    assert_eq!(begins, [false, true]);
}

#[test]
fn an_answer_that_does_not_verify_does_not_keep_the_genuine_one_out() {
    let mut ends = pair();
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (_, initiation) = ends[0].poll(at(0)).expect("a first message");
    let Received::Answer(answer) = ends[1].receive(&initiation, address(1), at(0)) else { panic!("an answer") };
    let mut forged = answer.to_vec();
    forged[20] ^= 1;
    let body = forged.len() - 32;
    let code = crate::handshake::mac::Addressed::to(&key(1).public()).first(&forged[..body]);
    forged[body..body + 16].copy_from_slice(&code);
    for message in [&forged, &forged, &*answer] {
        assert!(!ends[0].status(at(0)).has_keys);
        ends[0].receive(message, address(2), at(0));
    }
    assert_eq!((ends[0].status(at(0)).has_keys, ends[0].endpoint.counters().forged), (true, 2));
}

#[test]
fn keys_change_after_so_many_datagrams() {
    let config = Config { rekey_after_messages: 1000, ..Config::default() };
    let mut ends = [end(1, 11, config.clone(), at(0)), end(2, 22, config, at(0))];
    ends[0].endpoint.begin(ends[0].peer, at(0));
    for _ in 0..2500 {
        exchange(&mut ends, at(0));
        let (_, datagram) = ends[0].seal(b"packet", at(0)).expect("keys");
        assert!(ends[1].open(&datagram, address(1), at(0)).is_some());
    }
    assert_eq!(ends.map(|end| end.endpoint.counters().handshakes), [3, 3]);
}

#[test]
fn keys_that_are_three_minutes_old_open_and_seal_nothing() {
    let mut ends = established(at(0));
    let (_, datagram) = ends[0].seal(b"packet", at(179_000)).expect("keys");
    let (_, late) = ends[0].seal(b"packet", at(179_000)).expect("keys");
    assert!(ends[1].open(&datagram, address(1), at(179_999)).is_some());
    assert_eq!(ends[1].open(&late, address(1), at(180_000)), None);
    assert_eq!(ends[0].seal(b"packet", at(180_000)), Err(NotSealed::NoKeys));
    assert_eq!(ends[1].endpoint.counters().expired, 1);
    ends[1].endpoint.handle_timeout(at(180_000));
    assert_eq!(ends[1].open(&late, address(1), at(180_000)), None);
    assert_eq!(ends[1].endpoint.counters().unknown_index, 1, "they are gone");
}

#[test]
fn both_may_begin_at_once() {
    let mut ends = pair();
    for end in &mut ends {
        end.endpoint.begin(end.peer, at(0));
    }
    exchange(&mut ends, at(0));
    for (near, far) in [(0, 1), (1, 0)] {
        let (_, datagram) = ends[near].seal(b"packet", at(1)).expect("keys");
        let from = ends[near].at;
        assert!(ends[far].open(&datagram, from, at(1)).is_some());
    }
}

#[test]
fn a_peer_that_restarted_and_says_nothing_is_found_by_its_silence() {
    let mut ends = established(at(0));
    ends[1] = end(2, 23, Config::default(), at(10_000));
    let (to, datagram) = ends[0].seal(b"packet", at(10_000)).expect("keys");
    assert_eq!((to, ends[1].open(&datagram, address(1), at(10_000))), (address(2), None));
    assert_eq!(ends[0].status(at(10_000)).unanswered_since, Some(at(10_000)));
    run(&mut ends, at(10_000), at(15_000));
    let peer = ends[0].peer;
    assert_eq!(ends[0].events(), [Event::Established { peer, boot: 23, restarted: true }]);
}

/// Both ends are called when they want to, and all arrives at once.
fn run(ends: &mut [End; 2], from: Time, until: Time) {
    let mut now = from;
    loop {
        ends.iter_mut().for_each(|end| end.endpoint.handle_timeout(now));
        exchange(ends, now);
        let deadline = ends.iter().filter_map(|end| end.endpoint.poll_timeout()).min();
        let Some(next) = deadline.filter(|deadline| *deadline <= until) else { return };
        assert!(next > now, "a deadline that does not pass: {next:?}");
        now = next;
    }
}

#[test]
fn at_rest_nothing_is_sent_and_nobody_is_woken() {
    let mut ends = established(at(0));
    let (_, datagram) = ends[0].seal(b"packet", at(1000)).expect("keys");
    assert!(ends[1].open(&datagram, address(1), at(1000)).is_some());
    ends.iter_mut().for_each(|end| end.endpoint.handle_timeout(at(2000)));
    assert_eq!(exchange(&mut ends, at(2000)), 1, "a sign of life");
    run(&mut ends, at(2000), at(180_000));
    assert!(ends.iter().all(|end| end.endpoint.poll_timeout().is_none()));
    assert_eq!(ends.map(|end| end.endpoint.counters().handshakes), [1, 1]);
}

#[test]
fn with_every_time_and_count_at_its_least_ends_hurry_but_never_without_end() {
    let least = Wait::LEAST;
    let config = Config {
        rekey_after: least,
        rekey_after_messages: 0,
        reject_after: least,
        retry: least,
        give_up: least,
        answer_within: least,
        silence: least,
        keepalive: least,
        challenge_retry: least,
        ..Config::default()
    };
    let mut ends = [end(1, 11, config.clone(), at(0)), end(2, 22, config, at(0))];
    ends.iter_mut().for_each(|end| end.endpoint.awaits(end.peer, true, at(0)));
    for second in 0..20 {
        // Every other second nobody hears the first end.
        let way = if second % 2 == 0 { address(1) } else { address(9) };
        ends[0].at = way;
        ends[0].endpoint.begin(ends[0].peer, at(1000 * second));
        _ = ends[0].seal(b"packet", at(1000 * second));
        run(&mut ends, at(1000 * second), at(1000 * second + 999));
    }
    let handshakes = ends.map(|end| end.endpoint.counters().handshakes);
    assert!(handshakes.iter().all(|count| (10..=200).contains(count)), "{handshakes:?}");
}

#[test]
fn a_way_through_a_nat_is_held_open_by_whoever_began_while_something_waits() {
    let mut ends = established(at(0));
    for end in &mut ends {
        end.endpoint.awaits(end.peer, true, at(0));
    }
    let mut sent = [0, 0];
    for second in 0..100 {
        let now = at(1000 * second);
        for (end, sent) in ends.iter_mut().zip(&mut sent) {
            end.endpoint.handle_timeout(now);
            while let Some((_, datagram)) = end.poll(now) {
                assert_eq!(datagram.len(), 21, "an empty packet");
                *sent += 1;
            }
        }
    }
    assert_eq!(sent, [3, 0], "after 25, 50 and 75 s");
    ends[0].endpoint.awaits(ends[0].peer, false, at(100_000));
    run(&mut ends, at(100_000), at(170_000));
}

/// The peer of an end, as it has it from the start at `now`.
fn change_peer(end: &mut End, address: Option<SocketAddr>, keepalive: Keepalive, now: Time) {
    let number = if end.at == super::address(1) { 2 } else { 1 };
    let preshared = PresharedKey::generate(&mut Dice(12));
    end.endpoint.remove_peer(end.peer);
    let peer = PeerConfig { public: key(number).public(), preshared, address, keepalive, lines: 1 };
    end.peer = end.endpoint.add_peer(peer, now).expect("another end");
}

#[test]
fn a_way_that_is_always_held_open_shows_within_half_a_minute_that_the_peer_has_lost_it_all() {
    let mut ends = pair();
    change_peer(&mut ends[0], Some(address(2)), Keepalive::Always, at(0));
    change_peer(&mut ends[1], None, Keepalive::default(), at(0));
    run(&mut ends, at(0), at(500_000));
    ends.iter_mut().for_each(|end| _ = end.events());
    assert!(ends[0].status(at(500_000)).unanswered_since.is_none(), "each question has its answer");
    // New keys with the first question after 120 s, and so on.
    assert_eq!(ends.each_ref().map(|end| end.endpoint.counters().handshakes), [5, 5]);
    ends[1] = end(2, 23, Config::default(), at(501_000));
    change_peer(&mut ends[1], None, Keepalive::default(), at(501_000));
    assert_eq!(ends[1].seal(b"packet", at(501_000)), Err(NotSealed::NoAddress));
    run(&mut ends, at(501_000), at(531_000));
    let peer = ends[0].peer;
    assert_eq!(ends[0].events(), [Event::Established { peer, boot: 23, restarted: true }]);
    assert!(ends[1].seal(b"packet", at(531_000)).is_ok());
}

#[test]
fn a_way_that_is_always_held_open_costs_one_question_and_its_answer_each_25_s() {
    let mut ends = established(at(0));
    change_peer(&mut ends[0], Some(address(2)), Keepalive::Always, at(0));
    ends[0].endpoint.begin(ends[0].peer, at(0));
    exchange(&mut ends, at(0));
    let mut sent = Vec::new();
    for second in 0..90 {
        ends.iter_mut().for_each(|end| end.endpoint.handle_timeout(at(1000 * second)));
        let count = exchange(&mut ends, at(1000 * second));
        sent.extend((count > 0).then_some((second, count)));
    }
    assert_eq!(sent, [(25, 2), (50, 2), (75, 2)]);
}

#[test]
fn a_handshake_that_was_put_off_is_tried_at_once_where_the_way_is_known_to_be_open() {
    let mut ends = pair();
    let near = &mut ends[0];
    near.endpoint.begin(near.peer, at(0));
    // Nobody answers for a minute, so it waits longer than at first.
    let mut tries = Vec::new();
    for millisecond in (0..60_000).step_by(10) {
        near.endpoint.handle_timeout(at(millisecond));
        tries.extend(near.poll(at(millisecond)).map(|_| millisecond));
    }
    let last = tries.last().copied().expect("a try");
    assert!(tries.len() > 5 && near.poll(at(last + 10)).is_none(), "{tries:?}");
    near.endpoint.hasten(near.peer, at(last + 10));
    assert!(near.poll(at(last + 10)).is_some());
    // And is patient again.
    assert_eq!(near.endpoint.poll_timeout().map(|due| due < at(last + 2000)), Some(true));
}

/// The first messages that an end sends while nobody answers, which it wants to; when.
fn tries(near: &mut End, from: Time, until: Time) -> Vec<Time> {
    near.endpoint.begin(near.peer, from);
    let (mut now, mut tries) = (from, Vec::new());
    loop {
        near.endpoint.handle_timeout(now);
        while let Some((_, message)) = near.poll(now) {
            tries.extend((message.len() == 190).then_some(now));
        }
        let Some(next) = near.endpoint.poll_timeout().filter(|next| *next <= until) else { return tries };
        now = next;
    }
}

#[test]
fn a_peer_that_has_answered_before_is_asked_at_least_once_a_second() {
    for end in [0, 1] {
        // Whichever of them began.
        let mut ends = established(at(0));
        let tries = tries(&mut ends[end], at(200_000), at(289_000));
        let longest = tries.windows(2).map(|pair| pair[1].since(pair[0])).max().expect("tries");
        assert!(longest <= Span::from_milliseconds(1000), "{} s", longest.as_seconds());
        assert!((89..130).contains(&tries.len()), "{} tries", tries.len());
    }
}

#[test]
fn a_peer_that_answers_later_than_before_is_given_the_time_for_it() {
    for milliseconds in [300, 900, 1700, 3300, 3900] {
        let mut ends = established(at(0));
        let (begun, each_way) = (at(200_000), Span::from_milliseconds(milliseconds / 2));
        ends[0].endpoint.begin(ends[0].peer, begun);
        let (mut now, mut under_way) = (begun, Vec::new());
        while !ends[0].status(now).has_keys {
            for (index, end) in ends.iter_mut().enumerate() {
                end.endpoint.handle_timeout(now);
                while let Some((_, message)) = end.poll(now) {
                    under_way.push((now + each_way, 1 - index, message));
                }
            }
            let arrived: Vec<_> = under_way.extract_if(.., |(at, ..)| *at <= now).collect();
            for (_, to, message) in arrived {
                let from = ends[1 - to].at;
                if let Received::Answer(answer) = ends[to].receive(&message, from, now) {
                    under_way.push((now + each_way, 1 - to, answer.to_vec()));
                }
            }
            now += Span::from_milliseconds(10);
            assert!(now < begun + Span::from_milliseconds(15_000), "no keys where an answer takes {milliseconds} ms");
        }
        // Indices of handshakes that ended are not kept.
        assert!(ends[0].endpoint.indices() <= 1, "{} indices", ends[0].endpoint.indices());
    }
}
