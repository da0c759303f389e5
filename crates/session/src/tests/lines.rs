//! A peer that is reached by several lines.

use super::*;
use arqway_units::LineId;

fn line(number: u8) -> LineId {
    LineId::new(number).expect("fewer than eight")
}

/// A packet sealed for a line: where it goes, and the datagram.
fn seal_by(end: &mut End, by: LineId, packet: &[u8], now: Time) -> Result<(std::net::SocketAddr, Vec<u8>), NotSealed> {
    let mut buffer = [&[0; HEAD_ROOM], packet, &[0; TAG]].concat();
    let sealed = end.endpoint.seal(end.peer, by, &mut buffer, HEAD_ROOM..HEAD_ROOM + packet.len(), now)?;
    Ok((sealed.to, buffer[sealed.datagram].to_vec()))
}

/// The first end reaches the second by two lines; that one has its address by each yet to learn.
fn established() -> [End; 2] {
    let mut ends = super::established(at(0));
    let peer = ends[0].peer;
    let paths = &mut ends[0].endpoint.peer_mut(peer).paths;
    paths.reach(line(1), |_| crate::peer::path::Path::new(Some(address(2))));
    ends
}

#[test]
fn a_line_is_used_only_after_its_challenge_was_answered_and_before_for_three_times_what_came_by_it() {
    let [mut near, mut far] = established();
    assert_eq!(seal_by(&mut far, line(1), b"too early", at(0)), Err(NotSealed::NoAddress));
    let (to, datagram) = seal_by(&mut near, line(1), &[1; 100], at(0)).expect("keys");
    assert_eq!(to, address(2));
    // By its other line the near end is elsewhere.
    far.open(&datagram, address(9), at(0)).expect("a packet");
    let mut sent = 0;
    while let Ok((to, datagram)) = seal_by(&mut far, line(1), &[2; 60], at(0)) {
        assert_eq!(to, address(9));
        sent += datagram.len();
    }
    assert!(sent > 0 && sent <= 3 * datagram.len(), "{sent}");
    assert_eq!(seal_by(&mut far, line(0), &[2; 60], at(0)).map(|(to, _)| to), Ok(address(1)), "the other is as it was");

    // Another datagram makes room for the challenge, which goes where it came from, and so does the answer.
    let (_, datagram) = seal_by(&mut near, line(1), &[1; 100], at(0)).expect("keys");
    far.open(&datagram, address(9), at(0)).expect("a packet");
    far.endpoint.handle_timeout(at(1000));
    let (to, challenge) = std::iter::from_fn(|| far.poll(at(1000))).find(|(to, _)| *to == address(9)).expect("one");
    assert_eq!((to, challenge[0] >> 5), (address(9), 1));
    near.receive(&challenge, address(2), at(1000));
    let (by, to, answer) = near.endpoint.poll_datagram(at(1000), &mut near.dice).expect("an answer");
    assert_eq!((by, to), (line(1), address(2)));
    far.receive(&answer, address(9), at(1000));
    assert!(far.events().contains(&Event::Moved { peer: far.peer, line: line(1), to: address(9) }));
    for _ in 0..50 {
        assert_eq!(seal_by(&mut far, line(1), &[2; 60], at(1000)).map(|(to, _)| to), Ok(address(9)));
    }
    assert_eq!(far.endpoint.address_by(far.peer, line(0)), Some(address(1)));
}

#[test]
fn what_is_forged_or_sent_again_on_one_line_changes_nothing_on_another() {
    let [mut near, mut far] = established();
    let (_, datagram) = seal_by(&mut near, line(1), b"packet", at(0)).expect("keys");
    far.open(&datagram, address(9), at(0)).expect("a packet");
    for by in (0..8).filter(|by| *by != 1) {
        // Who writes another line onto it has not got the key.
        let mut other = datagram.clone();
        other[0] = other[0] & 0x1F | by << 5;
        assert_eq!(far.open(&other, address(66), at(1)), None);
    }
    assert_eq!(far.open(&datagram, address(66), at(1)), None, "a copy");
    let places = [0, 1, 2].map(|by| far.endpoint.address_by(far.peer, line(by)));
    assert_eq!(places, [Some(address(1)), None, None]);
    assert_eq!(seal_by(&mut far, line(1), b"packet", at(1)).map(|(to, _)| to), Ok(address(9)));
    assert_eq!(far.endpoint.counters().forged + far.endpoint.counters().replayed, 8);
}

#[test]
fn a_slow_line_whose_datagrams_are_never_the_newest_is_followed_when_its_peer_moves() {
    let [mut near, mut far] = established();
    let (_, slow) = seal_by(&mut near, line(1), b"slow", at(0)).expect("keys");
    for _ in 0..100 {
        let (_, fast) = seal_by(&mut near, line(0), b"fast", at(0)).expect("keys");
        far.open(&fast, address(1), at(0)).expect("a packet");
    }
    far.open(&slow, address(9), at(500)).expect("a packet");
    assert_eq!(seal_by(&mut far, line(1), b"", at(500)).map(|(to, _)| to), Ok(address(9)));
}

#[test]
fn a_handshake_tries_one_line_after_the_other_from_the_one_that_was_heard_last_on() {
    let [mut near, mut far] = established();
    let (_, datagram) = seal_by(&mut far, line(0), b"packet", at(0)).expect("keys");
    near.open(&datagram, address(2), at(0)).expect("a packet");
    near.endpoint.begin(near.peer, at(1000));
    let mut tried = Vec::new();
    let mut now = at(1000);
    while tried.len() < 4 {
        near.endpoint.handle_timeout(now);
        while let Some((by, to, message)) = near.endpoint.poll_datagram(now, &mut near.dice) {
            assert_eq!(to, address(2));
            // A first message, not a report or a sign of life.
            tried.extend((message[0] == 1).then_some(by.number()));
        }
        now = near.endpoint.poll_timeout().expect("it goes on").max(now);
    }
    assert_eq!(tried, [0, 1, 0, 1]);
}
