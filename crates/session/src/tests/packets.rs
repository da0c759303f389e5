//! What becomes of packets, once there are keys.

use super::*;
use arqway_units::LineId;

/// Seals packets of so many octets for the peer of an end, one behind the other in one buffer; returns their datagrams' lengths.
fn run_of(end: &mut End, count: usize, octets: usize, buffer: &mut Vec<u8>) -> Vec<usize> {
    let (mut end_of_last, mut lengths) = (0, Vec::new());
    for _ in 0..count {
        let start = end_of_last + end.endpoint.head_length(end.peer);
        buffer.resize(start + octets + TAG, 7);
        let sealed = end.endpoint.seal(end.peer, LineId::FIRST, buffer, start..start + octets, at(0)).expect("keys");
        assert_eq!((sealed.datagram.start, sealed.to), (end_of_last, address(2)), "right behind the one before");
        end_of_last = sealed.datagram.end;
        lengths.push(sealed.datagram.len());
    }
    assert_eq!(end_of_last, buffer.len());
    lengths
}

#[test]
fn packets_sealed_in_one_buffer_make_the_same_datagrams_as_one_by_one() {
    // No packet; empty ones; the switch from two octets of the counter to four in the middle; a rekeying in the middle.
    for (before, count, octets, rekey) in
        [(0, 0, 9, 1 << 60), (0, 5, 0, 1 << 60), ((1 << 14) - 3, 6, 100, 1 << 60), (7, 6, 1388, 10)]
    {
        let config = Config { rekey_after_messages: rekey, ..Config::default() };
        let [mut ends, mut twins] = [0, 1].map(|_| {
            let mut ends = [end(1, 11, config.clone(), at(0)), end(2, 22, Config::default(), at(0))];
            ends[0].endpoint.begin(ends[0].peer, at(0));
            exchange(&mut ends, at(0));
            // The confirmation was the first.
            (1..before).for_each(|_| _ = ends[0].seal(b"", at(0)).expect("keys"));
            ends
        });
        let mut buffer = Vec::new();
        let lengths = run_of(&mut ends[0], count, octets, &mut buffer);
        let alone: Vec<_> = (0..count).map(|_| twins[0].seal(&vec![7; octets], at(0)).expect("keys").1).collect();
        assert_eq!(buffer, alone.concat());
        let expected = (0..count).map(|number| octets + TAG + if before + number < 1 << 14 { 5 } else { 7 });
        assert_eq!(lengths, expected.collect::<Vec<_>>());
        for datagram in alone {
            assert_eq!(ends[1].open(&datagram, address(1), at(0)).unwrap_or_default(), vec![7; octets]);
        }
        assert_eq!(ends[1].endpoint.counters().replayed + ends[1].endpoint.counters().forged, 0);
        assert_eq!(ends[0].poll(at(0)).is_some(), before + count >= 10 && rekey == 10, "a handshake, where it is time");
    }
}

#[test]
fn what_comes_with_old_keys_is_reported_with_them() {
    let mut ends = established(at(0));
    ends[0].endpoint.begin(ends[0].peer, at(0));
    let (_, initiation) = ends[0].poll(at(0)).expect("a first message");
    let Received::Answer(answer) = ends[1].receive(&initiation, address(1), at(0)) else { panic!("an answer") };
    ends[0].receive(&answer, address(2), at(0));
    assert!(ends[0].poll(at(0)).is_some(), "the confirmation, which is lost");
    let mut reports = 0;
    for _ in 0..40_000 {
        let (_, datagram) = ends[1].seal(b"packet", at(0)).expect("the old keys");
        assert_eq!(datagram.len(), 5 + 6 + TAG, "two octets of the counter");
        assert!(ends[0].open(&datagram, address(2), at(0)).is_some());
        while let Some((_, report)) = ends[0].poll(at(0)) {
            ends[1].receive(&report, address(1), at(0));
            reports += 1;
        }
    }
    assert_eq!(reports, 40_000 / 4096);
}

#[test]
fn how_long_a_peer_has_not_answered_is_told_until_it_does() {
    let mut ends = established(at(0));
    let mut sent = 0;
    for second in 10..150 {
        let now = at(1000 * second);
        let end = &mut ends[0];
        end.endpoint.handle_timeout(now);
        end.seal(b"packet", now).expect("keys");
        sent += std::iter::from_fn(|| end.poll(now)).count();
        assert_eq!(end.status(now).unanswered_since, Some(at(10_000)), "after {second} s");
    }
    assert!(sent > 20, "{sent} handshakes: it is asked whether it is there");
    let (_, datagram) = ends[1].seal(b"packet", at(150_000)).expect("keys");
    ends[0].open(&datagram, address(2), at(150_000)).expect("a packet");
    assert_eq!(ends[0].status(at(150_000)).unanswered_since, None);
}

#[test]
fn an_answer_that_refuses_counts_for_what_a_new_address_may_be_sent() {
    let mut ends = established(at(0));
    let other = Introduction::new(12, Configuration::of(&[("services", b"sr:1.1")]));
    ends[0] = end_of(&crate::handshake::dialect::ARQWAY, 1, other, Config::default(), at(1000));
    ends[0].endpoint.begin(ends[0].peer, at(1000));
    let (_, initiation) = ends[0].poll(at(1000)).expect("a first message");
    let Received::Answer(answer) = ends[1].receive(&initiation, address(9), at(1000)) else { panic!("an answer") };
    let mut sent = answer.len();
    for _ in 0..100 {
        // The keys of before are good for packets still.
        let (to, datagram) = ends[1].seal(b"", at(1000)).expect("keys");
        sent += if to == address(9) { datagram.len() } else { 0 };
    }
    assert!(sent > 500 && sent <= 3 * initiation.len(), "{sent} octets to where nobody has answered");
}
