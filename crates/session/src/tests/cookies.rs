//! Where the message goes that a cookie asks for, and what that may cost.

use super::*;

/// What an end answers to a message that came from there, and how long that is expected to be: 134 octets of a second message, 64 of a cookie.
fn answer(end: &mut End, message: &[u8], from: u8, octets: usize, now: Time) -> Vec<u8> {
    let Received::Answer(answer) = end.receive(message, address(from), now) else { panic!("no answer") };
    assert_eq!(answer.len(), octets);
    answer.to_vec()
}

#[test]
fn a_cookie_pays_for_the_message_that_it_asks_for_where_nothing_more_could_be_sent() {
    let mut ends = asking();
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
    let cookie = answer(far, &first, 1, 64, now);
    near.receive(&cookie, address(9), now);
    assert_eq!(near.poll(now).map(|(to, message)| (to, message.len())), Some((address(9), 190)));
    assert_ne!(near.seal(b"more", now).expect("keys").0, address(9), "and for no more than that");
}

/// The far end asks for cookies, has restarted, and is at 7, from where somebody has sent on what it sealed before. The near end has sent its
/// last challenge there in vain, and forgets that place after 7 s.
fn about_to_forget() -> [End; 2] {
    let mut ends = asking();
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
    *far = end(2, 23, careful(), at(6000));
    far.at = address(7);
    ends
}

/// A cookie comes from 7 when that place is forgotten.
fn hear_too_late(near: &mut End, cookie: &[u8]) {
    near.endpoint.handle_timeout(at(7000));
    assert_eq!(near.poll(at(7000)), None);
    assert_eq!(near.endpoint.peer_mut(near.peer).paths.first.deadline(), None, "no candidate");
    near.receive(cookie, address(7), at(7010));
}

#[test]
fn a_cookie_for_an_answer_is_followed_to_where_it_comes_from_although_that_place_was_forgotten_meanwhile() {
    let mut ends = about_to_forget();
    let [near, far] = &mut ends;
    far.endpoint.begin(far.peer, at(6990));
    let (_, first) = far.poll(at(6990)).expect("a first message");
    let answered = answer(near, &first, 7, 134, at(6990));
    let cookie = answer(far, &answered, 1, 64, at(6990));
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
    let cookie = answer(far, &first, 1, 64, at(6990));
    assert_eq!(to, address(7));
    hear_too_late(near, &cookie);
    exchange(&mut ends, at(7010));
    assert_eq!(ends[0].status(at(7010)).address, Some(address(7)));
}

#[test]
fn a_cookie_from_elsewhere_than_where_its_message_went_leads_nowhere() {
    let mut ends = asking();
    let [near, far] = &mut ends;
    near.endpoint.begin(near.peer, at(0));
    let (_, first) = near.poll(at(0)).expect("a first message");
    let cookie = answer(far, &first, 1, 64, at(0));
    near.receive(&cookie, address(9), at(0));
    assert_eq!(near.poll(at(0)).map(|(to, _)| to), Some(address(2)));
}

#[test]
fn a_place_that_asks_for_cookies_has_one_message_repeated_and_the_next_goes_to_whose_turn_it_is() {
    let mut ends = asking();
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
        let from = if message[174..] == [0; 16] { 1 } else { 3 };
        let cookie = answer(far, &message, from, 64, now);
        near.receive(&cookie, address(9), now);
    }
    assert_eq!(near.poll(now), None, "once is enough");
    let next = at(151_300);
    near.endpoint.handle_timeout(next);
    assert_eq!(near.poll(next).map(|(to, _)| to), Some(address(2)));
}

#[test]
fn a_cookie_is_good_for_five_seconds_more_when_the_secret_changes_right_after_it_was_given() {
    // How long the answer is to a message that shows so late a cookie of 119.99 s, where the first one was given at the beginning.
    let answer = |late| {
        let mut far = end(2, 22, careful(), at(0));
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
