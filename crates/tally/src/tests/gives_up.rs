//! Packets that become too old: given up at both ends, and sent in more copies shortly before.

use super::*;
use arqway_contract::Deadlines;
use arqway_units::Time;

fn aging(milliseconds: u64) -> impl Fn(&mut Config) {
    move |config| config.persistence = Some(Span::from_milliseconds(milliseconds))
}

fn missed(pair: &Pair) -> u64 {
    pair.ends[1].counters().packets_missed
}

#[test]
fn a_packet_that_is_too_old_is_given_up_and_the_peer_is_told_until_it_knows() {
    let mut end = end_with(aging(1000));
    end.packets("ab").expect("0 as 1, 1 as 2").tells(1, 2, &[]).expect("1 as 3").at(1000);
    end.expect("give up 1 + 1 as 4, poll as 5");
    end.packets("c").expect("2 as 6").tells(1, 6, &[2, 1]).expect("give up 1 + 1 as 7").tells(3, 7, &[]).expect("");
    assert_eq!((end.counters().packets_discarded, end.deadline()), (1, None));
}

#[test]
fn both_ends_skip_a_packet_that_was_given_up_and_the_receiver_counts_it_once() {
    let mut pair = Pair::new(aging(40));
    pair.ends[0].packets("abc");
    // The first two are lost, and so is what tells of the first, once.
    pair.run(0, 100, |frame| frame.starts_with("0 as") || frame.starts_with("1 as"));
    let mut told = 0;
    pair.run(40, 100, |frame| {
        told += u64::from(frame.starts_with("give up 0"));
        told == 1 && frame.starts_with("give up 0")
    });
    pair.ends[0].packets("d");
    pair.run(41, 100, |_| false);
    assert_eq!((pair.delivered.concat().as_slice(), missed(&pair), told), (&b"cd"[..], 2, 2));
    pair.run(200, 100, |_| false);
    assert_eq!(pair.ends.each_ref().map(Scripted::deadline), [None, None]);
}

#[test]
fn a_packet_that_arrived_before_it_was_given_up_is_not_missed() {
    let mut end = end();
    end.hears(&data(0, 1, "a")).hears(&give_up(0, 1, true, 2)).expect("deliver a");
    let counters = end.counters();
    assert_eq!((counters.packets_missed, counters.frames_abandoned, counters.duplicates_received), (0, 0, 1));
}

fn give_up(number: u64, count: u16, starts: bool, counter: u64) -> Frame {
    let mut frame = wire::given_up(Number::new(number), starts, count);
    wire::write_counter(&mut frame, Counter::new(counter));
    frame
}

#[test]
fn a_packet_that_is_given_up_half_cut_is_missed_once_whichever_of_its_frames_arrived() {
    for lost in 0..4 {
        let mut pair = Pair::new(aging(40));
        pair.ends[0].takes("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX");
        // Only two cuts of it go out, of which those are lost whose bit is set.
        for number in 0..2 {
            let [sender, receiver] = &mut pair.ends;
            let mut frame = sender.service.poll_frame(sender.now, Octets::new(24)).expect("a cut");
            assert_eq!(sender.start(&mut frame), Start::Send);
            sender.depart(&frame, Departure::Sent);
            if lost >> number & 1 == 0 {
                receiver.hears(&frame);
            }
        }
        pair.ends[0].at(40).packets("z");
        pair.run(40, 100, |_| false).run(100, 100, |_| false);
        assert_eq!((pair.delivered.concat().as_slice(), missed(&pair)), (&b"z"[..], 1), "lost {lost:b}");
        assert_eq!(pair.ends[0].deadline(), None);
    }
}

#[test]
fn packets_given_up_one_behind_the_other_are_missed_one_by_one() {
    let mut end = end();
    let half = |number, counter| cut(number, counter, (true, false), "h");
    // The first and the third were never cut to their end, and what was cut of them arrived.
    end.hears(&half(0, 1)).hears(&give_up(1, 2, true, 2)).hears(&half(3, 3)).hears(&give_up(4, 1, true, 4));
    end.hears(&data(5, 5, "z")).expect("deliver z");
    assert_eq!((end.counters().packets_missed, end.counters().frames_abandoned), (4, 3));
    // Of this one the middle is given up.
    end.hears(&half(6, 6)).hears(&cut(8, 8, (false, true), "h")).hears(&give_up(7, 1, false, 9));
    end.hears(&give_up(7, 2, false, 10)).hears(&data(9, 11, "y"));
    assert_eq!((end.counters().packets_missed, end.counters().frames_abandoned), (5, 4));
}

#[test]
fn a_packet_that_was_never_cut_is_given_up_without_a_word() {
    let mut end = end_with(aging(40));
    end.packets("a").at(40).expect("").at(50).packets("b").expect("0 as 1");
    assert_eq!(end.counters().packets_discarded, 1);
}

#[test]
fn the_age_of_a_packet_counts_from_its_arrival_at_the_link_layer() {
    let mut end = end_with(aging(100));
    let packet = |letter: &'static str, arrived| Packet {
        arrived: Some(Time::ZERO + Span::from_milliseconds(arrived)),
        ..Packet::new(letter)
    };
    end.at(150);
    end.service.handle_packet(packet("a", 50), end.now).expect("room");
    end.service.handle_packet(packet("b", 60), end.now).expect("room");
    end.expect("0 as 1");
    assert_eq!((end.counters().packets_discarded, end.deadline()), (1, Some(160)));
}

/// A packet that is lost on a link that loses one frame in so many; how many copies of it follow.
fn copies(deadline: u64, one_in: u64) -> usize {
    let mut end = end();
    let deadline = Some(Time::ZERO + Span::from_milliseconds(deadline));
    end.service.handle_packet(Packet { deadline, ..Packet::new("a") }, end.now).expect("room");
    let mut sent = 0;
    for _ in 0..one_in {
        while let Some(mut frame) = end.service.poll_frame(end.now, Octets::MAX) {
            assert_eq!(end.start(&mut frame), Start::Send);
            end.depart(&frame, Departure::Sent);
            sent += 1;
        }
        if sent < one_in {
            end.packets("b");
        }
    }
    let runs = [u32::try_from(one_in).expect("few"), u32::try_from(one_in - 1).expect("few")];
    end.tells(0, one_in, &runs);
    let mut copies = 0;
    while let Some(mut frame) = end.service.poll_frame(end.now, Octets::MAX) {
        assert_eq!(end.start(&mut frame), Start::Send);
        end.depart(&frame, Departure::Sent);
        assert!(describe(received(&frame)).starts_with("0 as"));
        copies += 1;
    }
    copies
}

#[test]
fn in_the_last_two_round_trips_copies_go_out_until_all_are_lost_less_than_once_in_a_hundred_times() {
    // Two round trips are 350 ms by then.
    assert_eq!([2, 4, 20, 200].map(|one_in| copies(340, one_in)), [4, 4, 2, 1]);
    assert_eq!([2, 4, 20, 200].map(|one_in| copies(360, one_in)), [1, 1, 1, 1]);
}

#[test]
fn after_its_deadline_no_copy_of_a_packet_goes_out_nor_one_that_waits_below() {
    let mut end = end();
    let deadline = Some(Time::ZERO + Span::from_milliseconds(40));
    end.service.handle_packet(Packet { deadline, ..Packet::new("a") }, end.now).expect("room");
    end.packets("b").expect("0 as 1, 1 as 2").tells(0, 2, &[2, 1]);
    let mut copy = end.hand_over();
    end.at(40);
    assert_eq!(end.start(&mut copy), Start::Withdraw);
    end.expect("give up 0 + 1 as 3");
}

#[test]
fn packets_grow_old_while_the_link_is_down() {
    use arqway_contract::LinkState;
    let mut end = end_with(aging(100));
    end.packets("a").expect("0 as 1").at(10).link(LinkState::Down).at(500).link(LinkState::Up);
    end.expect("give up 0 + 1 as 2, poll as 3");
}

#[test]
fn packets_that_became_too_old_while_they_waited_leave_their_room_to_others() {
    let mut end = end_with(|config| {
        config.persistence = Some(Span::from_milliseconds(500));
        config.buffer = core::num::NonZeroUsize::new(3).expect("not zero");
    });
    end.packets("abc");
    assert!(end.service.handle_packet(Packet::new("d"), end.now).is_err());
    end.at(500).packets("efg").expect("0 as 1, 1 as 2, 2 as 3");
    assert_eq!(end.counters().packets_discarded, 3);
}

#[test]
fn a_packet_without_a_time_has_no_deadline_however_long_it_waited_above() {
    let mut end = end();
    end.now += Span::from_milliseconds(700);
    let waited = Packet { arrived: Some(Time::ZERO), ..Packet::new("a") };
    end.service.handle_packet(waited, end.now).expect("room for a packet");
    assert_eq!(end.service.inner().entity().deadlines(), Deadlines::default());
}
