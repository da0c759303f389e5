//! What an end tells of what it has received, and when.

use super::super::arrivals::Arrivals;
use super::*;
use alloc::vec;
use arqway_units::BitRate;

#[test]
fn a_gap_is_told_at_once_and_once_more_with_the_next_frame_that_goes_that_way() {
    let mut end = end();
    end.hears(&data(0, 1, "a")).expect("deliver a").hears(&data(2, 3, "c")).expect("next 1 newest 3 runs 2 1");
    end.at(1).expect("").packets("x").expect("0 as 1 (next 1 newest 3 runs 2 1)").packets("y").expect("1 as 2");
}

#[test]
fn feedback_rides_on_data_where_there_are_some() {
    let mut end = end();
    end.hears(&data(0, 2, "a")).packets("xyz");
    end.expect("0 as 1 (next 1 newest 2), 1 as 2 (next 1 newest 2), 2 as 3, deliver a");
    assert_eq!(end.counters().acknowledgements_sent, 0);
}

/// Every second one of twenty frames arrives, so there are ten gaps.
fn hears_with_gaps(end: &mut Scripted) {
    for number in 0..10 {
        end.hears(&data(2 * number + 1, 2 * number + 2, "a"));
    }
}

#[test]
fn of_more_gaps_than_there_is_room_for_all_are_told_by_turns() {
    let mut end = end();
    let mut counter = 0;
    let mut unknown: alloc::collections::BTreeSet<u64> = (0..600).collect();
    for number in 0..300 {
        counter = 2 * number + 2;
        end.hears(&data(2 * number + 1, counter, "a"));
    }
    let mut told = 0;
    while !unknown.is_empty() {
        counter += 1;
        end.hears(&received(&poll_as(counter)));
        let Some(Pdu::Feedback(feedback)) = parse(received(&end.hand_over_and_send()), false) else {
            panic!("a poll is answered")
        };
        assert_eq!((feedback.next, feedback.newest), (0, counter));
        let arrived = feedback.runs.read(0, 600).expect("of frames that were sent");
        let has_arrived = |number: u64| arrived.ranges.iter().any(|range| range.contains(&number));
        assert!(
            (0..600)
                .filter(|number| arrived.known.contains(number))
                .all(|number| has_arrived(number) == (number % 2 == 1))
        );
        unknown.retain(|number| !arrived.known.contains(number));
        told += 1;
        // Each tells of 47 gaps, and every second one of the highest.
        assert!(told <= 2 * 300 / 47 + 1, "{unknown:?}");
    }
}

#[test]
fn feedback_goes_on_when_the_gaps_are_gone_that_were_to_be_told_next() {
    let mut end = end();
    for number in 0..96 {
        end.hears(&data(2 * number + 1, 2 * number + 2, "a"));
    }
    // The highest, the lowest 47, the highest, the next 47: two are left.
    for counter in 300..305 {
        end.hears(&received(&poll_as(counter))).hand_over_and_send();
    }
    end.hears(&data(188, 305, "a")).hears(&data(190, 306, "a"));
    for counter in 307..310 {
        let told = end.hears(&received(&poll_as(counter))).hand_over_and_send();
        let Some(Pdu::Feedback(feedback)) = parse(received(&told), false) else { panic!("a poll is answered") };
        assert_eq!((feedback.next, feedback.newest, feedback.runs.numbers.is_empty()), (0, counter, false));
    }
}

#[test]
fn feedback_that_rides_on_data_with_long_numbers_leaves_their_octets_whole_however_many_gaps_there_are() {
    let mut end = end();
    for _ in 0..1024 {
        end.packets("x").hand_over_and_send();
    }
    end.now += Span::from_milliseconds(300);
    end.tells(1024, 1024, &[]);
    for _ in 0..1024 {
        end.packets("x").hand_over_and_send();
    }
    hears_with_gaps(&mut end);
    let told = end.hand_over_and_send();
    assert!(matches!(parse(received(&told), false), Some(Pdu::Feedback(_))), "there is too much to tell for data");
    end.service.handle_packet(Packet::new("all of it"), end.now).expect("room for a packet");
    let ridden = end.hand_over_and_send();
    let Some(Pdu::Data(cut, Some(feedback))) = parse(received(&ridden), false) else { panic!("{ridden:?}") };
    assert_eq!((cut.form, cut.octets.as_ref()), (Form::Long, &b"all of it"[..]));
    assert_eq!((feedback.next, feedback.newest, feedback.runs.numbers.first()), (0, 20, Some(&20)));
}

#[test]
fn feedback_has_long_numbers_where_the_peer_may_have_outgrown_short_ones_whatever_the_data_need() {
    let mut end = end();
    let poll = || {
        let mut poll = wire::poll();
        wire::write_counter(&mut poll, Counter::new(1));
        poll
    };
    end.hears(&poll()).packets("x").expect("long 0 as 1 (next 0 newest 1)");
    // Room was set aside before the poll came: what the peer could not read does not count as told.
    let mut end = end_with(|_| ());
    let mut waits = end.hears(&data(0, 2, "a")).packets("x").hand_over();
    end.hears(&{
        let mut poll = wire::poll();
        wire::write_counter(&mut poll, Counter::new(3));
        poll
    });
    assert_eq!(end.start(&mut waits), Start::Send);
    end.depart(&waits, Departure::Sent);
    assert_eq!(describe(received(&waits)), "0 as 1 (next 1 newest 0)");
    end.expect("next 1 newest 3, deliver a");
}

#[test]
fn a_packet_is_received_although_the_feedback_in_front_of_it_makes_no_sense() {
    let mut end = end();
    end.packets("xy").expect("0 as 1, 1 as 2");
    let head = Head { feedback: Some(2), ..head_of(0) };
    let mut frame = head.frame("a".into());
    head.write(&mut frame, Counter::new(1), Some(&feedback(0, 2, &[2, 2])));
    end.hears(&frame).expect("deliver a");
    assert_eq!(end.counters().malformed_received, 1);
}

#[test]
fn a_peer_that_takes_back_what_it_said_of_a_frame_keeps_nobody_awake() {
    let mut end = end();
    end.packets("abc").hand_over_and_send();
    end.hand_over_and_send();
    end.hand_over_and_send();
    // The third has arrived; and now it is the first that is missing.
    end.tells(0, 3, &[3, 1]).tells(2, 3, &[]);
    while end.has_frame() {}
    assert_eq!(end.deadline(), None);
}

#[test]
fn a_copy_that_the_link_made_is_not_taken_for_a_late_transmission() {
    let mut arrivals = Arrivals::default();
    (1..=300).for_each(|counter| arrivals.arrive(counter));
    for counter in [300, 299, 200, 50, 1] {
        arrivals.arrive(counter);
        assert_eq!(arrivals.lateness(), Lateness::None, "after a copy of {counter}");
    }
    arrivals.arrive(420);
    arrivals.arrive(418);
    assert_eq!(arrivals.lateness(), Lateness::Few);
    arrivals.arrive(418);
    arrivals.arrive(350);
    assert_eq!(arrivals.lateness(), Lateness::Many);
}

#[test]
fn after_32_transmissions_feedback_is_due_without_a_loss() {
    let mut end = end();
    for number in 0..31 {
        end.hears(&data(number, number + 1, "a")).expect("deliver a");
    }
    end.hears(&data(31, 32, "a")).expect("next 32 newest 32, deliver a");
}

#[test]
fn a_poll_is_answered_at_once_and_once() {
    let mut end = end();
    end.hears(&data(0, 1, "a")).hears(&received(&poll_as(2))).expect("next 1 newest 2, deliver a");
    // Unlike what tells of a loss: this one whoever lacks it asks for.
    end.at(1).packets("x").expect("0 as 1");
}

fn poll_as(counter: u64) -> Frame {
    let mut poll = wire::poll();
    wire::write_counter(&mut poll, Counter::new(counter));
    poll
}

#[test]
fn feedback_is_written_when_its_frame_starts_into_the_octets_set_aside() {
    let mut end = end();
    end.hears(&data(1, 2, "b")).packets("x");
    let mut frame = end.hand_over();
    let size = frame.size();
    end.hears(&data(3, 4, "d")).hears(&data(5, 6, "f"));
    assert_eq!(end.start(&mut frame), Start::Send);
    // Two octets were set aside: they do not tell of two gaps, but of how far the highest frame is ahead.
    assert_eq!((describe(received(&frame)).as_str(), frame.size()), ("0 as 1 (next 0 newest 6 runs 6)", size));
    end.hears(&data(0, 7, "a")).hears(&data(2, 8, "c")).hears(&data(4, 9, "e")).packets("y");
    end.depart(&frame, Departure::Sent).expect("1 as 2 (next 6 newest 9), deliver abcdef");
}

#[test]
fn feedback_that_lacks_room_for_what_is_missing_says_nothing_newer_and_is_followed_by_one_that_does() {
    let mut end = end();
    end.hears(&data(0, 2, "a")).packets("x");
    let mut frame = end.hand_over();
    end.hears(&data(2, 3, "c"));
    assert_eq!(end.start(&mut frame), Start::Send);
    assert_eq!(describe(received(&frame)), "0 as 1 (next 1 newest 0)");
    end.depart(&frame, Departure::Sent).expect("next 1 newest 3 runs 2 1, deliver a");
}

#[test]
fn feedback_alone_takes_at_most_an_eighth_of_a_slow_line() {
    let mut end = end();
    let mut sent = vec![];
    for now in 0..8000 {
        end.at(now).hears(&data(now, 2 * now + 2, "a"));
        if let Some(mut frame) = end.service.poll_frame(end.now, Octets::MAX) {
            assert_eq!(end.start(&mut frame), Start::Send);
            sent.push((now, frame));
        }
        // It takes 100 ms.
        if let Some((at, frame)) = sent.last()
            && *at + 100 == now
        {
            let frame = frame.clone();
            end.depart(&frame, Departure::Sent);
        }
    }
    let starts: Vec<u64> = sent.iter().map(|(at, _)| *at).collect();
    assert_eq!(starts, (0..10).map(|turn| 800 * turn).collect::<Vec<_>>());
    let mut ridden = end.packets("x").hand_over();
    assert_eq!(end.start(&mut ridden), Start::Send);
    assert!(matches!(parse(received(&ridden), false), Some(Pdu::Data(_, Some(_)))), "data carry it before");
}

#[test]
fn heads_take_three_octets_up_to_512_frames_outstanding_and_five_beyond() {
    let mut end = end();
    let mut sizes = Vec::new();
    for number in 0..1500 {
        sizes.push(end.packets("x").hand_over_and_send().size().as_usize() - 2);
        if number == 511 {
            end.now += Span::from_milliseconds(300);
            end.tells(512, 512, &[]);
        }
    }
    let long = sizes.iter().position(|size| *size == 5);
    assert_eq!((long, sizes.iter().filter(|size| **size == 3).count()), (Some(1024), 1024));
}

#[test]
fn feedback_in_the_short_form_is_heeded_while_as_many_frames_again_go_out_in_the_long_one() {
    let mut end = end();
    let forms: Vec<_> = (0..1024)
        .map(|_| match parse(received(&end.packets("x").hand_over_and_send()), false) {
            Some(Pdu::Data(cut, _)) => cut.form,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((forms[511], forms[512], forms[1023]), (Form::Short, Form::Long, Form::Long));
    // It left when 500 frames had arrived, the first one not among them.
    end.tells(0, 500, &[500, 499]).expect("long 0 as 1025");
}

/// The next frame, which takes so many milliseconds to go out.
fn sends_in(end: &mut Scripted, milliseconds: u64) -> Frame {
    let mut frame = end.hand_over();
    assert_eq!(end.start(&mut frame), Start::Send);
    end.now += Span::from_milliseconds(milliseconds);
    end.depart(&frame, Departure::Sent);
    frame
}

#[test]
fn heads_take_two_octets_on_a_slow_line_that_keeps_its_order_while_less_than_64_frames_are_outstanding() {
    let heads = |milliseconds, lateness| {
        let mut end = end();
        let told = Feedback { lateness, ..feedback(1, 1, &[]) };
        let mut head = |number| {
            let frame = sends_in(end.packets("x"), milliseconds);
            if number == 0 {
                end.hears(&alone(&told));
            }
            frame.size().as_usize() - 2
        };
        (0..100).map(&mut head).collect::<Vec<_>>()
    };
    let slow = heads(5, Lateness::None);
    assert!(slow[0] == 3 && slow[1..=64].iter().all(|head| *head == 2) && slow[65..].iter().all(|head| *head == 3));
    for others in [heads(4, Lateness::None), heads(5, Lateness::Few)] {
        assert!(others.iter().all(|head| *head == 3));
    }
}

/// Sends 2,000 packets over a slow line that delivers every frame once more, so many frames later. How many were in the tiny form.
fn with_copies_behind(later: usize) -> u32 {
    let [mut sender, mut receiver] = [end(), end()];
    let (mut copies, mut tiny) = (alloc::collections::VecDeque::new(), 0);
    for number in 0..2000u32 {
        let packet = Packet::new(number.to_be_bytes().to_vec());
        sender.service.handle_packet(packet, sender.now).expect("room for a packet");
        let frame = sends_in(&mut sender, 5);
        tiny += u32::from(frame.head.len() == 2);
        receiver.hears(&frame);
        copies.push_back(frame);
        if copies.len() > later {
            receiver.hears(&copies.pop_front().expect("a copy"));
        }
        while let Some(mut told) = receiver.service.poll_frame(receiver.now, Octets::MAX) {
            assert_eq!(receiver.start(&mut told), Start::Send);
            receiver.depart(&told, Departure::Sent);
            sender.hears(&told);
        }
    }
    let delivered = core::iter::from_fn(|| receiver.service.poll_packet()).map(|packet| packet.octets);
    assert!(delivered.eq((0..2000u32).map(|number| Bytes::copy_from_slice(&number.to_be_bytes()))));
    assert_eq!(receiver.counters().protocol_errors, 0);
    tiny
}

#[test]
fn copies_that_come_behind_190_later_frames_are_known_in_the_tiny_form() {
    // Counters that come round look like those of frames that were late, and then the tiny form is left.
    let tiny = [10, 62, 100, 190].map(with_copies_behind);
    assert!(tiny[0] > 1900 && tiny[1] > 1900 && tiny[2] < 200 && tiny[3] > 1900, "{tiny:?}");
}

#[test]
fn frames_and_transmissions_are_read_aright_wherever_their_numbers_wrap_in_either_form() {
    let mut pair = Pair::new(|_| ());
    let (mut sent, mut state) = (0u64, 1u64);
    // In bursts of up to 200 frames the short form does; 2^18 and more of both numbers wrap the long one as well.
    while sent < (1 << 18) + 5000 {
        let burst = 1 + state % 200;
        for _ in 0..burst {
            let [sender, _] = &mut pair.ends;
            sender.service.handle_packet(Packet::new(sent.to_be_bytes().to_vec()), sender.now).expect("room");
            sent += 1;
        }
        let now = pair.ends[0].now.since(arqway_units::Time::ZERO).as_nanoseconds() / 1_000_000;
        let mut loses = |_: &str| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 50 == 0
        };
        pair.run(now + 60, 10_000, &mut loses);
    }
    for turn in 0..200 {
        let now = pair.ends[0].now.since(arqway_units::Time::ZERO).as_nanoseconds() / 1_000_000;
        pair.run(now + 60 * turn, 10_000, |_| false);
    }
    assert!(pair.delivered.iter().map(Vec::as_slice).eq((0..sent).map(u64::to_be_bytes).collect::<Vec<_>>().iter()));
    let [sender, receiver] = &pair.ends;
    assert_eq!((sender.deadline(), receiver.counters().protocol_errors), (None, 0));
}

#[test]
fn a_known_rate_and_delay_are_the_first_guess_at_the_round_trip() {
    let (delay, rate) = (Some(Span::from_milliseconds(100)), BitRate::from_bits_per_second(20_000));
    let context = LinkContext { delay, rate, ..Side::Client.into() };
    let mut end = Script::new(Config::default().build(&context), describe);
    // Twice the delay and two frames of 100 ms: a quarter of 400 ms.
    end.packets("a").expect("0 as 1");
    assert_eq!(end.deadline(), Some(100));
}

/// Each says what is wrong with it.
const MALFORMED: [(&str, u8, &[u8]); 31] = [
    ("data without octets", 0, &[0, 0, 7]),
    ("data without a head", 0, &[0, 0]),
    ("data with a link that is not agreed on", 1, &[0, 0, 7, 5, 9]),
    ("data with a link cut short", 1, &[0, 0, 7, 0x81]),
    ("data with feedback and no length", 2, &[0, 0, 7]),
    ("data with feedback and no octets", 2, &[0, 0, 7, 0, 0, 0, 8]),
    ("data with half the feedback", 2, &[0, 0, 7, 0, 0, 0]),
    ("data with runs beyond the end", 2, &[0, 0, 7, 3, 0, 0, 8, 2, 1]),
    ("data with runs and no octets", 2, &[0, 0, 7, 2, 0, 0, 8, 2, 1]),
    ("data with a run cut short by its length", 2, &[0, 0, 7, 1, 0, 0, 8, 0x81, 1, 9]),
    ("data with feedback and a link that is not agreed on", 2, &[0, 0, 7, 0x80, 5, 0, 0, 8, 9]),
    ("long data without a head", 3, &[0, 0, 0, 0]),
    ("long data without octets", 3, &[0, 0, 0, 0, 0x1c]),
    ("long data with a link that is not agreed on", 3, &[0, 0, 0, 0, 0x1d, 1, 9]),
    ("long data with half the feedback", 3, &[0, 0, 0, 0, 0x1e, 0, 0, 0, 0]),
    ("long data whose length has a bit that means nothing", 3, &[0, 0, 0, 0, 0x1e, 0x80, 0, 0, 0, 0, 0, 9]),
    ("long data whose feedback has bits that mean nothing", 3, &[0, 0, 0, 0, 0x1e, 0, 0, 0, 0, 0, 1, 9]),
    ("feedback cut short", 4, &[0, 0]),
    ("feedback with a run behind the zeros", 4, &[0, 0, 4, 0, 1]),
    ("feedback with a run cut short", 4, &[0, 0, 4, 0x81]),
    ("feedback with a run of four octets", 4, &[0, 0, 4, 0x81, 0x81, 0x81, 1]),
    ("feedback of a frame that nobody sent", 4, &[0, 0, 4, 2, 1]),
    ("long feedback cut short", 5, &[0, 0, 0, 0]),
    ("long feedback with bits that mean nothing", 5, &[0, 0, 0, 0, 0x11]),
    ("a poll with bits that mean nothing", 5, &[0, 0, 0x41]),
    ("a piece without octets", 6, &[0, 0, 0, 0, 0x1e, 0, 0]),
    ("a piece with a link that is not agreed on", 6, &[0, 0, 0, 0, 0x1d, 1, 0, 0, 9]),
    ("a give-up of no frame", 6, &[0, 0, 0, 0, 0x18, 0, 0]),
    ("a give-up of more frames than a packet has", 6, &[0, 0, 0, 0, 0x18, 0x10, 1]),
    ("a give-up with a bit that means nothing", 6, &[0, 0, 0, 0, 0x14, 0, 1]),
    ("a whole packet without octets", 7, &[0, 1]),
];

#[test]
fn malformed_frames_of_every_kind_are_counted_and_change_nothing() {
    let mut end = end();
    for (number, (what, kind, octets)) in (1..).zip(MALFORMED) {
        end.peer(kind, octets);
        assert_eq!(end.counters().malformed_received, number, "{what} is not malformed");
    }
    // There are 96 runs at most.
    end.peer(4, &[&[0, 0, 4][..], &[1; 97]].concat())
        .expect("")
        .at(9000)
        .expect("")
        .hears(&data(0, 1, "a"))
        .expect("deliver a");
    assert_eq!(end.counters().malformed_received, 32);
}

#[test]
fn a_link_stands_where_it_is_agreed_on_in_frames_that_end_a_packet_and_takes_at_most_three_octets() {
    for (kind, octets, is_linked, link) in [
        (1, &[0, 0, 7, 5, 9][..], true, Some(Some(5))),
        (1, &[0, 0, 7, 0x81, 0x80, 0, 9], true, Some(Some(1 << 14))),
        (2, &[0, 0, 7, 0x80, 5, 0, 0, 8, 9], true, Some(Some(5))),
        (3, &[0, 0, 0, 0, 0x1d, 5, 9], true, Some(Some(5))),
        (0, &[0, 0, 7, 5, 9], true, Some(None)),
        (1, &[0, 0, 7, 5, 9], false, None),
        (1, &[0, 0, 6, 5, 9], true, None),
        (1, &[0, 0, 7, 5], true, None),
        (1, &[0, 0, 7, 0x81, 0x80, 0x80, 0, 9], true, None),
    ] {
        let frame = Frame::from_wire(Tag::from_octet(kind), octets.to_vec().into());
        let read = parse(frame, is_linked).map(|pdu| if let Pdu::Data(cut, _) = pdu { cut.link } else { None });
        assert_eq!(read, link, "{octets:?}");
    }
}

#[test]
fn what_nobody_sent_or_what_is_beyond_the_window_is_refused() {
    let mut end = end_with(|config| config.window = WindowSize::new(8).expect("8"));
    end.hears(&data(8, 1, "x")).expect("").hears(&data(7, 2, "h")).hears(&data(7, 3, "h"));
    let counters = end.counters();
    assert_eq!((counters.protocol_errors, counters.duplicates_received), (1, 1));
    // Feedback that is old, or of frames that nobody sent, is not believed.
    end.packets("a").expect("0 as 1").tells(5, 9, &[]);
    assert_eq!(end.deadline(), Some(50));
}
