//! Repair frames: when they go out, what waits for them, and what they bring back.

use super::super::repair::symbol::Symbol;
use super::super::repair::{MOST_UNKNOWN, coefficient};
use super::super::wire::IN_SUM;
use super::*;
use alloc::collections::VecDeque;
use alloc::vec;
use allocation_counter::measure;
use arqway_arq::linear::field;

fn sends(end: &mut Scripted) -> String {
    send(end, 1500, 1).into_iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// An end with repair frames that knows how often frames are lost: of a hundred in ten bursts each tenth was, once. Nothing is outstanding, and
/// this is its next transmission.
fn experienced(milliseconds: u64) -> (Scripted, u64) {
    experienced_of(&[10, 9], milliseconds)
}

/// The same, where the peer said this of each burst at first.
fn experienced_of(runs: &[u32], milliseconds: u64) -> (Scripted, u64) {
    let (mut end, mut newest) = (end_with(|config| config.repair = true), 0);
    for burst in 0..10 {
        for told in [(10 * burst, runs), (10 * burst + 10, &[])] {
            if !told.1.is_empty() {
                end.packets("abcdefghij");
            }
            newest += send(&mut end, 1500, milliseconds).len() as u64;
            end.now += Span::from_milliseconds(200 - 10 * milliseconds);
            end.tells(told.0, newest, told.1);
        }
    }
    assert_eq!(end.deadline(), None, "nothing is outstanding");
    (end, newest + 1)
}

/// What a burst of ten frames is, and the sums behind it, from this transmission on.
fn burst_from(first: u64) -> String {
    let frames: Vec<_> = (0..10).map(|number| format!("{} as {}", 100 + number, first + number)).collect();
    let sums: Vec<_> = (10..13).map(|number| format!("sum of 100..110 as {}", first + number)).collect();
    frames.join(", ") + ", " + &sums.join(", ")
}

#[test]
fn when_nothing_else_is_to_be_sent_as_many_sums_go_out_as_frames_are_probably_lost() {
    // Of ten 0.9 are lost on average, 1.9 more are two standard deviations.
    let (mut end, first) = experienced(1);
    let parity = end.counters().parity_sent;
    assert_eq!(sends(end.packets("abcdefghij")), burst_from(first));
    assert_eq!(end.counters().parity_sent - parity, 3);
    assert_eq!(sends(&mut end), "", "and no more until the peer tells of them");
}

#[test]
fn a_frame_that_is_missing_waits_for_the_sums_on_their_way_and_is_sent_again_if_they_do_not_bring_it_back() {
    let (mut end, first) = experienced(1);
    sends(end.packets("abcdefghij"));
    end.tells(100, first + 9, &[10, 9]).expect("").tells(100, first + 11, &[10, 9]).expect("");
    end.tells(100, first + 12, &[10, 9]).expect(&format!("100 as {}", first + 13));
}

#[test]
fn a_frame_that_waited_for_sums_is_not_sent_again_by_feedback_that_does_not_tell_of_it() {
    let (mut end, first) = experienced(1);
    sends(end.packets("abcdefghij"));
    // 100 and 105 are missing.
    end.tells(100, first + 9, &[10, 4, 1, 4]).expect("");
    // All sums have arrived. Of frames from 105 on nothing is said.
    let runs = Runs { upward: true, ..runs(&[1, 1, 4]) };
    let upward = Feedback { form: Form::Long, runs, ..feedback(100, first + 12, &[]) };
    end.hears(&alone(&upward)).expect(&format!("100 as {}", first + 13));
    end.tells(105, first + 13, &[5, 4]).expect(&format!("105 as {}", first + 14));
}

#[test]
fn a_frame_that_a_sum_brought_back_is_not_sent_again() {
    let (mut end, first) = experienced(1);
    sends(end.packets("abcdefghij"));
    let resent = end.counters().frames_resent;
    end.tells(100, first + 9, &[10, 9]).expect("").tells(110, first + 10, &[]).expect("");
    assert_eq!((end.counters().frames_resent, end.deadline()), (resent, None));
}

#[test]
fn of_frames_that_are_missing_eight_wait_for_sums_and_others_are_sent_again_at_once() {
    let (mut end, first) = experienced(1);
    sends(end.packets("abcdefghij"));
    end.tells(100, first + 9, &[10, 1]).expect(&format!("108 as {}", first + 13));
}

#[test]
fn frames_wait_until_eight_sums_are_told_of() {
    // Of a hundred nine are lost on average, and six more are two standard deviations.
    let (mut end, first) = experienced(1);
    for _ in 0..10 {
        end.packets("abcdefghij");
    }
    assert_eq!(send(&mut end, 1500, 1).len(), 115);
    assert_eq!(sends(end.tells(100, first + 99, &[100, 91])), format!("108 as {}", first + 115), "one of nine");
    end.tells(100, first + 106, &[100, 91]).expect("");
    let again: Vec<_> = (0..8).map(|number| format!("{} as {}", 100 + number, first + 116 + number)).collect();
    assert_eq!(sends(end.tells(100, first + 107, &[100, 91])), again.join(", "));
}

#[test]
fn a_frame_that_went_out_again_meanwhile_waits_for_no_sum() {
    let (mut end, first) = experienced(1);
    sends(end.packets("abcdefghij"));
    end.tells(100, first + 9, &[10, 9]).expect("");
    let (polled, mut newest) = (first + 13, first + 13);
    while end.counters().frames_resent == 10 {
        end.at(end.deadline().expect("a poll, and what is sent again if nobody answers") + 1);
        newest += send(&mut end, 1500, 1).len() as u64;
    }
    assert!(newest > polled);
    // The peer had the sums, and they were of no use.
    end.tells(100, first + 12, &[10, 9]).expect("");
}

#[test]
fn a_packet_that_becomes_too_old_waits_for_no_sum() {
    let (mut end, first) = experienced(1);
    for packet in ["a", "b", "c"] {
        let deadline = Some(end.now + Span::from_milliseconds(330));
        let packet = Packet { deadline, ..Packet::new(packet) };
        end.service.handle_packet(packet, end.now).expect("room for a packet");
    }
    sends(&mut end);
    end.now += Span::from_milliseconds(190);
    assert!(sends(end.tells(100, first + 2, &[3, 2])).starts_with("100 as "));
}

#[test]
fn a_sum_is_of_frames_that_the_peer_has_not_told_of_behind_the_last_one_given_up() {
    let (mut end, first, sum) = before_a_sum();
    end.depart(&sum, Departure::Dropped).tells(100, first + 5, &[6, 5]);
    end.now += Span::from_milliseconds(20);
    end.service.handle_timeout(end.now);
    let sent = sends(&mut end);
    assert!(sent.contains("sum of 106..110 as ") && !sent.contains("sum of 100"), "{sent}");
    let (mut end, _) = experienced(1);
    end.packets("abcd");
    let ages = Packet { deadline: Some(end.now + Span::from_milliseconds(9)), ..Packet::new("e") };
    end.service.handle_packet(ages, end.now).expect("room for a packet");
    for _ in 0..5 {
        end.hand_over_and_send();
        end.now += Span::from_milliseconds(1);
    }
    end.packets("fghij");
    end.now += Span::from_milliseconds(10);
    end.service.handle_timeout(end.now);
    let sent = sends(&mut end);
    assert!(sent.contains("sum of 105..110 as ") && !sent.contains("sum of 100"), "{sent}");
}

#[test]
fn a_frame_that_comes_late_tells_of_others_that_it_was_in_a_sum_with() {
    let mut end = end();
    let mut sum = vec![0; IN_SUM + 1];
    for (number, octets) in [(0, "a"), (1, "b")] {
        let symbol = Symbol::new(true, true, None, Bytes::from_static(octets.as_bytes())).expect("short");
        symbol.add_to(&mut sum, coefficient(number, 5));
    }
    let mut repair = wire::repair(Repair { first: 0, counter: 0, count: 2, key: 5, sum: sum.into() });
    wire::write_counter(&mut repair, Counter::new(3));
    assert_eq!(end.hears(&repair).service.poll_packet(), None);
    end.hears(&data(1, 2, "b")).expect("next 2 newest 3 late, deliver ab");
}

#[test]
fn a_room_that_is_too_small_for_sums_still_carries_packets() {
    for room in 24..40 {
        let (mut end, _) = experienced(1);
        end.takes(str::from_utf8(&[b'x'; 60]).expect("letters"));
        let sent = send(&mut end, room, 1).into_iter().map(describe).collect::<Vec<_>>();
        assert!(sent.iter().any(|frame| frame.starts_with("end ")), "in a room of {room}: {sent:?}");
    }
}

#[test]
fn whoever_has_no_sum_for_a_room_has_none_for_a_smaller_one() {
    let (mut end, _) = experienced(1);
    let letters = |length: usize| str::from_utf8(&[b'x'; 900][..length]).expect("letters");
    end.takes(letters(900)).takes(letters(900)).takes(letters(900)).packets("defghij");
    send(&mut end, 1500, 1);
    end.takes(letters(200)).packets("klmn");
    send(&mut end, 600, 1);
    for room in (20..600).rev() {
        assert_eq!(end.service.poll_frame(end.now, Octets::new(room)).map(describe), None, "in a room of {room}");
    }
}

#[test]
fn no_sum_goes_out_where_data_only_find_too_little_room() {
    let (mut end, first) = experienced(1);
    end.service.handle_room(Octets::new(400));
    end.packets("abcdefghij");
    for _ in 0..10 {
        end.hand_over_and_send();
    }
    // A sum of these would fit into what is left of a transmission, a cut of the next packet is not worth while there.
    end.service.handle_packet(Packet::new(vec![b'x'; 380]), end.now).expect("room for a packet");
    assert_eq!(end.service.poll_frame(end.now, Octets::new(40)).map(describe), None);
    let data = end.hand_over_and_send();
    assert_eq!(describe(data), format!("110 as {}", first + 10));
    assert!(end.has_frame(), "and then a sum");
}

/// How many frames a frame is the sum of, if it is one.
fn count_of_sum(frame: Frame) -> Option<u16> {
    match parse(frame, true)? {
        Pdu::Repair(Repair { count, .. }) => Some(count),
        _ => None,
    }
}

#[test]
fn where_many_are_lost_sums_are_of_so_few_frames_that_they_can_be_worked_out() {
    // Each other one, and none of those that go out again: a third of all.
    let (mut end, _) = experienced_of(&[10, 1, 1, 1, 1, 1, 1, 1, 1, 1], 1);
    for _ in 0..20 {
        end.packets("abcdefghij");
    }
    let sums: Vec<_> = send(&mut end, 1500, 1).into_iter().filter_map(count_of_sum).collect();
    assert!((60..=MOST_UNKNOWN).contains(&sums.len()), "{sums:?}");
    assert!(sums.iter().all(|frames| (140..155).contains(frames)), "of 200 frames 67 would be lost: {sums:?}");
}

#[test]
fn a_single_packet_has_a_sum_too_also_while_nothing_is_known_of_losses() {
    let mut end = end_with(|config| config.repair = true);
    end.takes("a").expect("0 as 1");
    end.now += Span::from_milliseconds(200);
    end.tells(1, 1, &[]);
    end.takes("b");
    assert_eq!(send(&mut end, 1500, 1).into_iter().map(describe).collect::<Vec<_>>(), ["1 as 2", "sum of 1..2 as 3"]);
    let (mut end, first) = experienced(1);
    assert_eq!(sends(end.takes("a")), format!("100 as {first}, sum of 100..101 as {}", first + 1));
}

/// A burst has gone out, and its first sum waits below.
fn before_a_sum() -> (Scripted, u64, Frame) {
    let (mut end, first) = experienced(1);
    end.packets("abcdefghij");
    for _ in 0..10 {
        let mut frame = end.hand_over();
        assert_eq!(end.start(&mut frame), Start::Send);
        end.now += Span::from_milliseconds(1);
        end.depart(&frame, Departure::Sent);
    }
    let sum = end.hand_over();
    (end, first, sum)
}

#[test]
fn a_sum_is_withdrawn_when_its_frames_are_told_of_and_none_waits_for_it() {
    for (told, expected) in [((110, &[][..]), Start::Withdraw), ((100, &[10, 9]), Start::Send)] {
        let (mut end, first, mut sum) = before_a_sum();
        end.tells(told.0, first + 9, told.1);
        assert_eq!(end.start(&mut sum), expected);
    }
}

#[test]
fn a_sum_that_the_queue_below_drops_keeps_no_frame_waiting() {
    let (mut end, first, sum) = before_a_sum();
    end.depart(&sum, Departure::Dropped).tells(100, first + 9, &[10, 9]);
    end.now += Span::from_milliseconds(20);
    end.service.handle_timeout(end.now);
    end.expect(&format!("100 as {}", first + 10));
    let (mut end, first, sum) = before_a_sum();
    end.tells(100, first + 9, &[10, 9]).depart(&sum, Departure::Dropped);
    end.now += Span::from_milliseconds(20);
    end.service.handle_timeout(end.now);
    end.expect(&format!("100 as {}", first + 10));
}

#[test]
fn a_link_that_loses_nothing_or_has_few_frames_in_a_round_trip_gets_no_sums() {
    let mut end = end_with(|config| config.repair = true);
    let mut newest = 0;
    for burst in 0..10 {
        end.packets("abcdefghij");
        newest += send(&mut end, 1500, 1).len() as u64;
        end.now += Span::from_milliseconds(200);
        end.tells(10 * burst + 10, newest, &[]);
    }
    assert_eq!(end.counters().parity_sent, 7, "a sum a burst until the sender was told of 64 frames");
    let (mut end, _) = experienced(14);
    end.packets("abcdefghij");
    while let Some(mut frame) = end.service.poll_frame(end.now, Octets::MAX) {
        assert_eq!(end.start(&mut frame), Start::Send);
        // The last one is short.
        let number = end.counters().frames_sent;
        end.now += Span::from_milliseconds(if number == 110 { 1 } else { 14 });
        end.depart(&frame, Departure::Sent);
    }
    assert_eq!((end.counters().parity_sent, end.counters().frames_sent), (0, 110));
}

#[test]
fn a_sum_is_of_frames_that_fit_into_the_room_with_its_head_and_cuts_are_made_so() {
    let (mut end, first) = experienced(1);
    end.takes(str::from_utf8(&[b'x'; 200]).expect("letters"));
    let frames = send(&mut end, 100, 1);
    let sizes: Vec<_> = frames.iter().map(|frame| frame.size().as_usize()).collect();
    let words: Vec<_> = frames.into_iter().map(describe).collect();
    let sum = format!("sum of 100..103 as {}", first + 3);
    assert_eq!(words.iter().position(|word| *word == sum), Some(3), "{words:?}");
    assert!(sizes.iter().all(|size| *size <= 100) && sizes[3] == 100, "{sizes:?}");
}

/// Two ends carry bursts of 40 packets; a frame takes a millisecond on the line and a hundred on its way, and each tenth of the first end's is lost.
struct Bursts {
    ends: [Scripted; 2],
    /// Which arrive when.
    under_way: [VecDeque<(u64, Frame)>; 2],
    now: u64,
    sent: u64,
}

impl Bursts {
    fn carry(&mut self, bursts: u64) {
        for _ in 0..bursts {
            for _ in 0..40 {
                let packet = Packet::new(Bytes::from_static(&[7; 1400]));
                self.ends[0].service.handle_packet(packet, self.ends[0].now).expect("room for a packet");
            }
            let all = self.ends[0].service.counters().packets_taken;
            while self.ends[0].deadline().is_some() || self.ends[1].service.counters().packets_delivered < all {
                self.pass_a_millisecond();
            }
        }
    }

    fn pass_a_millisecond(&mut self) {
        let mut on_line = [None, None];
        for side in [0, 1] {
            let (end, now) = (&mut self.ends[side], self.now);
            while let Some((_, frame)) = self.under_way[1 - side].pop_front_if(|(due, _)| *due <= now) {
                end.service.handle_frame(frame, end.now);
            }
            while end.service.poll_packet().is_some() {}
            on_line[side] = end.service.poll_frame(end.now, Octets::MAX);
            if let Some(frame) = &mut on_line[side] {
                assert_eq!(end.start(frame), Start::Send);
            }
        }
        self.now += 1;
        for (side, frame) in on_line.into_iter().enumerate() {
            self.ends[side].at(self.now);
            if let Some(frame) = frame {
                self.ends[side].depart(&frame, Departure::Sent);
                self.sent += u64::from(side == 0);
                if side == 1 || !self.sent.is_multiple_of(10) {
                    self.under_way[side].push_back((self.now + 100, frame));
                }
            }
        }
    }
}

#[test]
fn sums_bring_back_most_of_what_is_lost_and_ask_for_hardly_any_memory_in_the_steady_state() {
    let ends = [(); 2].map(|()| end_with(|config| config.repair = true));
    let mut bursts = Bursts { ends, under_way: Default::default(), now: 0, sent: 0 };
    bursts.carry(50);
    let counted =
        |bursts: &Bursts| [bursts.ends[0].counters().frames_resent, bursts.ends[1].counters().frames_recovered];
    let before = counted(&bursts);
    let taken = measure(|| bursts.carry(50)).count_total;
    let after = counted(&bursts);
    let [resent, recovered] = [0, 1].map(|index| after[index] - before[index]);
    assert!(recovered > 150 && resent < 40, "{recovered} came back by sums, {resent} were sent again");
    assert!(taken < 200, "{taken} times for 2,000 packets");
}

#[test]
fn what_cannot_be_a_frame_or_lies_beyond_the_window_is_counted() {
    let repair =
        |first, count, sum: Vec<u8>| wire::repair(Repair { first, counter: 0, count, key: 1, sum: sum.into() });
    let hears = |frame: &Frame| {
        let mut end = end_with(|config| config.window = WindowSize::new(4).expect("a window"));
        end.hears(frame).expect("");
        (end.counters().protocol_errors, end.counters().packets_delivered)
    };
    // No octets; a length beyond its end; octets behind its end; a link where no packet ends.
    for sum in [vec![0; 6], vec![0xc0, 9, 0, 0, 0, 1], vec![0xc0, 1, 0, 0, 0, 1, 1], vec![0xa0, 1, 0, 0, 0, 1]] {
        let mut sum = sum;
        field::scale(&mut sum, coefficient(0, 1));
        assert_eq!(hears(&repair(0, 1, sum)), (1, 0));
    }
    assert_eq!(hears(&repair(3, 2, vec![7; 9])), (1, 0), "beyond the window");
}

#[test]
fn a_sum_of_one_frame_is_that_frame_also_if_it_is_the_last_one() {
    let mut end = end();
    let mut sum = vec![0; 6];
    Symbol::new(true, true, None, Bytes::from_static(b"a")).expect("short").add_to(&mut sum, coefficient(0, 5));
    let mut repair = wire::repair(Repair { first: 0, counter: 0, count: 1, key: 5, sum: sum.into() });
    wire::write_counter(&mut repair, Counter::new(2));
    end.hears(&repair).expect("next 1 newest 2, deliver a");
    assert_eq!(end.counters().frames_recovered, 1);
    // Its own transmission comes too late.
    end.hears(&data(0, 1, "a"));
    assert_eq!(end.counters().duplicates_received, 1);
}
