//! Clocks that are wrong: a router without one of its own boots in 1970, and another one was ahead once.

use super::*;

/// Clocks: in 1970, and a year ahead.
const BOOT: Span = Span::ZERO;
const AHEAD: Span = Span::from_milliseconds(1_700_000_000_000 + 365 * 86_400_000);

/// The first end, as it starts anew with its clock so long after 1970.
fn started(boot: u64, wall: Span, now: Time) -> End {
    started_as(boot, wall, Config::default(), now)
}

fn started_as(boot: u64, wall: Span, config: Config, now: Time) -> End {
    let mut end = end(1, boot, config, now);
    end.endpoint.set_wall(wall);
    end
}

/// The first end begins; how many messages it took until both have keys.
fn begins(ends: &mut [End; 2], now: Time) -> usize {
    ends[0].endpoint.begin(ends[0].peer, now);
    let count = exchange(ends, now);
    for (near, far) in [(0, 1), (1, 0)] {
        let (_, datagram) = ends[near].seal(b"packet", now).expect("keys");
        let from = ends[near].at;
        assert_eq!(ends[far].open(&datagram, from, now), Some(b"packet".to_vec()));
    }
    count
}

#[test]
fn an_end_whose_clock_is_behind_is_told_the_latest_time_stamp_and_gets_in_after_one_more_round_trip() {
    let mut ends = established(at(0));
    ends[0] = started(12, BOOT, at(1000));
    assert_eq!(begins(&mut ends, at(1000)), 5, "two messages more than usual");
    assert_eq!(ends[1].endpoint.counters().stale, 1);
    ends[0].endpoint.begin(ends[0].peer, at(60_000));
    assert_eq!(exchange(&mut ends, at(60_000)), 3, "from then on it knows better");
    // Its clock is set, which the other end's latest time stamp is still ahead of or not: it makes no difference.
    for (wall, second) in [(WALL, 120), (BOOT, 180), (AHEAD, 240), (WALL, 300)] {
        ends[0].endpoint.set_wall(wall);
        ends[0].endpoint.begin(ends[0].peer, at(1000 * second));
        assert_eq!(exchange(&mut ends, at(1000 * second)), 3);
    }
}

#[test]
fn an_end_whose_clock_was_ahead_once_gets_in_with_the_true_one() {
    let mut ends = [started(11, AHEAD, at(0)), end(2, 22, Config::default(), at(0))];
    assert_eq!(begins(&mut ends, at(0)), 3);
    ends[0] = started(12, WALL, at(1000));
    assert_eq!(begins(&mut ends, at(1000)), 5);
}

#[test]
fn clocks_of_both_ends_may_be_behind_and_both_may_ask_for_cookies() {
    for careful_ends in 0..4 {
        let config = |index: u32| if careful_ends >> index & 1 == 1 { careful() } else { Config::default() };
        let mut ends = [started_as(11, AHEAD, config(0), at(0)), end(2, 22, config(1), at(0))];
        ends[1].endpoint.set_wall(AHEAD);
        begins(&mut ends, at(0));
        ends[1].endpoint.begin(ends[1].peer, at(100));
        exchange(&mut ends, at(100));
        ends[0] = started_as(12, BOOT, config(0), at(1000));
        begins(&mut ends, at(1000));
        ends[1] = end(2, 23, config(1), at(2000));
        ends[1].endpoint.set_wall(BOOT);
        ends[1].endpoint.begin(ends[1].peer, at(2000));
        exchange(&mut ends, at(2000));
        assert!(ends.iter().all(|end| end.status(at(2000)).has_keys), "cookies of {careful_ends:02b}");
    }
}

#[test]
fn a_recorded_first_message_of_this_incarnation_is_not_answered_and_one_of_another_changes_nothing() {
    let mut ends = pair();
    let mut recorded = Vec::new();
    for (boot, second) in [(11, 0), (12, 1000)] {
        ends[0] = started(boot, WALL, at(second));
        ends[0].endpoint.begin(ends[0].peer, at(second));
        let (_, first) = ends[0].poll(at(second)).expect("a first message");
        let Received::Answer(answer) = ends[1].receive(&first, address(1), at(second)) else { panic!("an answer") };
        ends[0].receive(&answer, address(2), at(second));
        exchange(&mut ends, at(second));
        recorded.push(first);
    }
    assert!(ends.iter().all(|end| end.status(at(2000)).has_keys));
    ends.iter_mut().for_each(|end| _ = end.events());
    let before = (ends[1].status(at(2000)), ends[1].endpoint.indices());
    for number in 0..50 {
        let ([old, current], now) = (&recorded[..], at(2000 + 25 * number)) else { panic!("two messages") };
        assert_eq!(ends[1].receive(current, address(9), now), Received::Nothing);
        let Received::Answer(told) = ends[1].receive(old, address(9), now) else { panic!("told, the {number}th") };
        assert!(told.len() < old.len());
        // Whoever sent it again cannot read it, and an end that waits for nothing does not listen.
        assert_eq!(ends[0].receive(&told, address(2), now), Received::Nothing);
        assert_eq!(exchange(&mut ends, now), 0, "nobody has anything to say of it");
    }
    assert_eq!((ends[1].status(at(2000)), ends[1].endpoint.indices()), before);
    assert!(ends.iter_mut().all(|end| end.events().is_empty()));
    let Counters { stale, replayed, .. } = ends[1].endpoint.counters();
    assert_eq!((stale, replayed), (50, 50));
    begins(&mut ends, at(4000));
}

#[test]
fn a_message_that_was_recorded_while_a_clock_was_ahead_locks_nobody_out() {
    let mut ends = [started(11, AHEAD, at(0)), end(2, 22, Config::default(), at(0))];
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (_, recorded) = ends[0].poll(at(0)).expect("a first message");
    ends[0] = started(12, WALL, at(1000));
    begins(&mut ends, at(1000));
    // It was lost on its way then, and somebody sends it on: nothing comes of it but that time stamp.
    assert!(matches!(ends[1].receive(&recorded, address(9), at(2000)), Received::Answer(_)));
    begins(&mut ends, at(3000));
    // From then on it is one of another incarnation, as all recorded ones.
    assert!(matches!(ends[1].receive(&recorded, address(9), at(4000)), Received::Answer(told) if told.len() == 146));
    begins(&mut ends, at(5000));
}

#[test]
fn what_one_peer_says_of_our_time_stamps_is_believed_for_messages_to_it_alone() {
    let mut near = end(1, 11, Config::default(), at(0));
    let other = PeerConfig {
        public: key(3).public(),
        preshared: PresharedKey::default(),
        address: Some(address(3)),
        keepalive: Keepalive::default(),
        lines: 1,
    };
    let other = near.endpoint.add_peer(other, at(0)).expect("another peer");
    let mut far = [started(10, AHEAD, at(0)), end(2, 22, Config::default(), at(0))];
    begins(&mut far, at(0));
    let mut ends = [near, far.into_iter().nth(1).expect("the second")];
    begins(&mut ends, at(1000));
    let [told, untold] = [ends[0].peer, other].map(|peer| ends[0].endpoint.peer_mut(peer).stamped);
    assert!(told > crate::handshake::timestamp::Stamper::new(AHEAD).stamp(at(0)));
    assert_eq!(untold, crate::handshake::timestamp::Timestamp::default());
}

#[test]
fn an_answer_that_names_a_time_stamp_is_longer_than_others_and_shorter_than_its_question() {
    let mut ends = established(at(0));
    ends[0] = started(12, BOOT, at(1000));
    ends[0].endpoint.begin(ends[0].peer, at(1000));
    let (_, first) = ends[0].poll(at(1000)).expect("a first message");
    let Received::Answer(told) = ends[1].receive(&first, address(1), at(1000)) else { panic!("told") };
    assert_eq!((first.len(), told.len()), (190, 146));
    // A second one, as of a network that doubles datagrams, finds nobody who waits.
    ends[0].receive(&told, address(2), at(1000));
    let again = ends[0].poll(at(1000)).expect("at once again");
    ends[0].receive(&told, address(2), at(1000));
    assert_eq!(ends[0].poll(at(1000)), None);
    assert!(matches!(ends[1].receive(&again.1, address(1), at(1000)), Received::Answer(answer) if answer.len() == 134));
}

#[test]
fn a_peer_that_finds_every_time_stamp_too_early_is_asked_twice_in_each_try_and_no_more() {
    let mut ends = established(at(0));
    ends[0] = started(12, BOOT, at(1000));
    ends[0].endpoint.begin(ends[0].peer, at(1000));
    let mut sent = 0;
    while let Some((_, message)) = ends[0].poll(at(1000)) {
        sent += 1;
        // It forgets what it said, and knows a later one each time.
        let latest = &mut ends[1].endpoint.peer_mut(PeerId(0)).latest;
        latest.stamp = crate::handshake::timestamp::Timestamp::from_octets([0x50, sent, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let Received::Answer(told) = ends[1].receive(&message, address(1), at(1000)) else { panic!("told") };
        ends[0].receive(&told, address(2), at(1000));
        assert!(sent < 10);
    }
    assert_eq!(sent, 2);
}
