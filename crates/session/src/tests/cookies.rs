//! Where the message goes that a cookie asks for, and what that may cost.

use super::*;

#[test]
fn a_cookie_pays_for_the_message_that_it_asks_for_where_nothing_more_could_be_sent() {
    let careful = Config { unproven_handshakes: 0, ..Config::default() };
    let mut ends = [end(1, 11, Config::default(), at(0)), end(2, 22, careful, at(0))];
    ends[0].endpoint.begin(ends[0].peer, at(0));
    exchange(&mut ends, at(0));
    // The cookie of that handshake is too old by now, and the keys are not.
    let ([near, far], now) = (&mut ends, at(150_000));
    for _ in 0..9 {
        let (_, datagram) = far.seal(b"from elsewhere", now).expect("keys");
        near.open(&datagram, address(9), now).expect("a packet");
    }
    near.endpoint.begin(near.peer, now);
    let (to, first) = near.poll(now).expect("a first message");
    assert_eq!((to, first.len()), (address(9), 190));
    while near.seal(b"more", now).expect("keys").0 == address(9) {}
    let Received::Answer(cookie) = far.receive(&first, address(1), now) else { panic!("an answer") };
    assert_eq!(cookie.len(), 64);
    near.receive(&cookie, address(9), now);
    assert_eq!(near.poll(now).map(|(to, message)| (to, message.len())), Some((address(9), 190)));
    assert_ne!(near.seal(b"more", now).expect("keys").0, address(9), "and for no more than that");
}

/// The far end asks for cookies, has restarted, and is at 7, from where somebody has sent on what it sealed before. The near end has sent its
/// last challenge there in vain, and forgets that place after 7 s.
fn about_to_forget() -> [End; 2] {
    let careful = Config { unproven_handshakes: 0, ..Config::default() };
    let mut ends = [end(1, 11, Config::default(), at(0)), end(2, 22, careful.clone(), at(0))];
    ends[0].endpoint.begin(ends[0].peer, at(0));
    exchange(&mut ends, at(0));
    let [near, far] = &mut ends;
    for _ in 0..9 {
        let (_, datagram) = far.seal(b"from elsewhere", at(0)).expect("keys");
        near.open(&datagram, address(7), at(0)).expect("a packet");
    }
    for due in [0, 1000, 3000] {
        near.endpoint.handle_timeout(at(due));
        let sent: Vec<_> = std::iter::from_fn(|| near.poll(at(due))).map(|(to, _)| to).collect();
        assert!(sent.contains(&address(7)), "challenged after {due} ms");
    }
    *far = end(2, 23, careful, at(6000));
    far.at = address(7);
    ends
}

/// A cookie comes from 7 when that place is forgotten.
fn hear_too_late(near: &mut End, cookie: &[u8]) {
    near.endpoint.handle_timeout(at(7000));
    assert_eq!((cookie.len(), near.poll(at(7000))), (64, None));
    assert_eq!(near.endpoint.peer_mut(near.peer).path.deadline(), None, "no candidate");
    near.receive(cookie, address(7), at(7010));
}

#[test]
fn a_cookie_for_an_answer_is_followed_to_where_it_comes_from_although_that_place_was_forgotten_meanwhile() {
    let mut ends = about_to_forget();
    let [near, far] = &mut ends;
    far.endpoint.begin(far.peer, at(6990));
    let (_, first) = far.poll(at(6990)).expect("a first message");
    let Received::Answer(answer) = near.receive(&first, address(7), at(6990)) else { panic!("an answer") };
    let Received::Answer(cookie) = far.receive(&answer, address(1), at(6990)) else { panic!("a cookie") };
    hear_too_late(near, &cookie);
    exchange(&mut ends, at(7010));
    let peer = ends[0].peer;
    assert!(ends[0].events().contains(&Event::Established { peer, boot: 23, restarted: true }));
    assert_eq!(ends[0].status(at(7010)).address, Some(address(7)));
}

#[test]
fn a_cookie_for_a_first_message_is_followed_to_where_that_went_although_that_place_was_forgotten_meanwhile() {
    let mut ends = about_to_forget();
    let [near, far] = &mut ends;
    near.endpoint.begin(near.peer, at(6990));
    let (to, first) = near.poll(at(6990)).expect("a first message");
    let Received::Answer(cookie) = far.receive(&first, address(1), at(6990)) else { panic!("a cookie") };
    assert_eq!(to, address(7));
    hear_too_late(near, &cookie);
    exchange(&mut ends, at(7010));
    assert_eq!(ends[0].status(at(7010)).address, Some(address(7)));
}

#[test]
fn a_cookie_from_elsewhere_than_where_its_message_went_leads_nowhere() {
    let careful = Config { unproven_handshakes: 0, ..Config::default() };
    let mut ends = [end(1, 11, Config::default(), at(0)), end(2, 22, careful, at(0))];
    let [near, far] = &mut ends;
    near.endpoint.begin(near.peer, at(0));
    let (_, first) = near.poll(at(0)).expect("a first message");
    let Received::Answer(cookie) = far.receive(&first, address(1), at(0)) else { panic!("a cookie") };
    near.receive(&cookie, address(9), at(0));
    assert_eq!(near.poll(at(0)).map(|(to, _)| to), Some(address(2)));
}

#[test]
fn a_place_that_asks_for_cookies_has_one_message_repeated_and_the_next_goes_to_whose_turn_it_is() {
    let careful = Config { unproven_handshakes: 0, ..Config::default() };
    let mut ends = [end(1, 11, Config::default(), at(0)), end(2, 22, careful, at(0))];
    ends[1].at = address(9);
    ends[1].endpoint.begin(ends[1].peer, at(0));
    exchange(&mut ends, at(0));
    // The cookie of that handshake is too old by now, and the keys are not.
    let ([near, far], now) = (&mut ends, at(150_000));
    near.endpoint.begin(near.peer, now);
    for _ in 0..2 {
        let (to, message) = near.poll(now).expect("a first message");
        assert_eq!(to, address(9));
        // The cookie of one address is none of another.
        let from = if message[174..] == [0; 16] { address(1) } else { address(3) };
        let Received::Answer(cookie) = far.receive(&message, from, now) else { panic!("a cookie") };
        near.receive(&cookie, address(9), now);
    }
    assert_eq!(near.poll(now), None, "once is enough");
    let next = at(151_300);
    near.endpoint.handle_timeout(next);
    assert_eq!(near.poll(next).map(|(to, _)| to), Some(address(2)));
}

#[test]
fn a_cookie_is_good_for_five_seconds_more_when_the_secret_changes_right_after_it_was_given() {
    let careful = Config { unproven_handshakes: 0, ..Config::default() };
    // How long the answer is to a message that shows so late a cookie of 119.99 s, where the first one was given at the beginning.
    let answer = |late| {
        let mut far = end(2, 22, careful.clone(), at(0));
        let mut asks = |boot, times: [Time; 2]| {
            let mut near = end(1, boot, Config::default(), times[0]);
            near.endpoint.begin(near.peer, times[0]);
            times.map(|now| {
                let (_, message) = near.poll(now).expect("a first message");
                let Received::Answer(answer) = far.receive(&message, address(1), now) else { panic!("an answer") };
                near.receive(&answer, address(2), now);
                answer.len()
            })
        };
        assert_eq!(asks(11, [at(0), at(1)]), [64, 134]);
        let given = at(119_990);
        asks(12, [given, given + Span::from_milliseconds(late)])[1]
    };
    assert_eq!([1, 9, 11, 5009].map(answer), [134; 4]);
    assert_eq!(answer(5010), 64, "another cookie");
}
