//! Frames that are lost go out again, and when.

use super::*;
use arqway_contract::{Deadlines, LinkState};

#[test]
fn a_lost_frame_goes_out_again_as_soon_as_a_later_transmission_is_told_of_and_before_what_is_new() {
    let mut end = end();
    end.packets("abc").expect("0 as 1, 1 as 2, 2 as 3").packets("d").tells(1, 3, &[2, 1]).expect("1 as 4, 3 as 5");
    end.tells(1, 3, &[2, 1]).expect("");
    let counters = end.counters();
    assert_eq!(
        (counters.frames_sent, counters.frames_resent, counters.timeouts, counters.keepalives_sent),
        (4, 1, 0, 0)
    );
}

#[test]
fn a_lost_retransmission_goes_out_again_without_a_timer_when_a_transmission_behind_it_is_told_of() {
    let mut end = end();
    end.packets("abc").expect("0 as 1, 1 as 2, 2 as 3").tells(1, 3, &[2, 1]).expect("1 as 4");
    end.packets("d").expect("3 as 5").tells(1, 5, &[3, 2]).expect("1 as 6");
    end.packets("e").expect("4 as 7").tells(1, 7, &[4, 3]).expect("1 as 8").tells(5, 8, &[]).expect("");
    assert_eq!((end.counters().timeouts, end.counters().keepalives_sent, end.deadline()), (0, 0, None));
}

#[test]
fn a_transmission_that_nothing_later_is_known_of_is_not_taken_for_lost() {
    end().packets("abc").expect("0 as 1, 1 as 2, 2 as 3").tells(1, 1, &[]).expect("").tells(1, 2, &[]).expect("1 as 4");
}

#[test]
fn lost_feedback_costs_nothing_since_the_next_one_says_all() {
    let mut end = end();
    end.packets("abcd").expect("0 as 1, 1 as 2, 2 as 3, 3 as 4");
    // What was said of frame 0 after transmission 2, and of frame 2 after transmission 4, never came.
    end.tells(0, 4, &[4, 1, 1, 1]).expect("0 as 5, 2 as 6").tells(4, 6, &[]).expect("");
    assert_eq!((end.counters().frames_resent, end.deadline()), (2, None));
}

#[test]
fn what_runs_have_no_room_to_tell_of_is_judged_when_they_have() {
    let mut end = end();
    end.packets("abcdef").expect("0 as 1, 1 as 2, 2 as 3, 3 as 4, 4 as 5, 5 as 6");
    // Of frames 1 to 3 nothing is said; that 0 is missing is said by `next`.
    end.tells(0, 6, &[6, 1, 1]).expect("0 as 7, 4 as 8");
    end.tells(0, 8, &[6, 2, 1, 2]).expect("3 as 9, 0 as 10");
}

#[test]
fn feedback_that_tells_of_frames_in_the_middle_judges_these_alone() {
    let mut end = end();
    end.packets("abcdef").expect("0 as 1, 1 as 2, 2 as 3, 3 as 4, 4 as 5, 5 as 6");
    let upward = |newest, numbers: &[u32]| {
        let runs = Runs { upward: true, ..runs(numbers) };
        alone(&Feedback { form: Form::Long, runs, ..feedback(0, newest, &[]) })
    };
    // From frame 2 on: one is missing, one has arrived. That 0 is missing is said by `next`.
    end.hears(&upward(6, &[3, 1, 1])).expect("0 as 7, 2 as 8");
    end.tells(0, 8, &[6, 1, 1, 2]).expect("1 as 9, 4 as 10, 0 as 11");
    end.hears(&upward(10, &[1, 2, 2])).expect("1 as 12");
    end.tells(0, 12, &[6, 1, 1, 2]).expect("4 as 13, 0 as 14, 1 as 15");
}

#[test]
fn the_end_of_a_burst_is_asked_after_a_quarter_of_a_round_trip_after_it_departed() {
    let mut end = end();
    end.packets("ab").expect("0 as 1, 1 as 2").at(20).packets("c");
    let mut last = end.hand_over();
    assert_eq!(end.start(&mut last), Start::Send);
    end.at(40).depart(&last, Departure::Sent).at(89).expect("").at(90).expect("poll as 4");
    end.at(290).tells(1, 4, &[2, 1]).expect("1 as 5");
    assert_eq!((end.counters().timeouts, end.counters().keepalives_sent), (0, 1));
}

#[test]
fn where_hardly_a_frame_is_lost_the_peer_is_asked_after_four_round_trips_and_has_a_frame_s_time_to_answer() {
    let mut end = end();
    let sends = |end: &mut Scripted, sent| {
        let mut frame = end.at(sent).packets("x").hand_over();
        assert_eq!(end.start(&mut frame), Start::Send);
        end.at(sent + 40).depart(&frame, Departure::Sent);
    };
    for number in 0..65 {
        sends(&mut end, 200 * number);
        end.at(200 * number + 140).tells(number + 1, number + 1, &[]);
    }
    sends(&mut end, 20_000);
    let asked = end.deadline().expect("the end of a burst");
    assert_eq!(asked, 20_040 + 400);
    end.at(asked + 1).expect("poll as 67");
    assert_eq!(end.deadline(), Some(asked + 1 + 100 + 40));
}

#[test]
fn frames_that_follow_one_another_at_a_steady_pace_are_no_end_of_a_burst() {
    let mut end = end();
    // A round trip takes 200 ms. Of the first frame nobody knows that others will follow.
    end.packets("a").expect("0 as 1").at(50).expect("poll as 2");
    end.at(80)
        .packets("b")
        .expect("1 as 3")
        .at(160)
        .packets("c")
        .expect("2 as 4")
        .at(240)
        .packets("d")
        .expect("3 as 5");
    end.at(250).tells(1, 2, &[]).expect("");
    for number in 4..20 {
        end.at(80 * number - 1).expect("").at(80 * number).packets("e").expect(&format!("{number} as {}", number + 2));
    }
    // The next one would have come at 1600, so it is overdue by a quarter of its time at 1620.
    end.at(1619).expect("").at(1620).expect("poll as 22");
}

#[test]
fn while_there_is_something_to_send_nobody_asks() {
    let mut end = end();
    for burst in 0..20 {
        end.at(40 * burst).packets("a").expect(&format!("{burst} as {}", burst + 1));
    }
    assert_eq!(end.counters().keepalives_sent, 0);
}

#[test]
fn an_unanswered_poll_sends_the_oldest_frame_again_with_a_poll_behind_it_and_waits_for_twice_as_long() {
    let mut end = end();
    end.packets("abc").expect("0 as 1, 1 as 2, 2 as 3").tells(1, 1, &[]).at(50).expect("poll as 4");
    let mut waits = Vec::new();
    for expected in ["1 as 5, poll as 6", "1 as 7, poll as 8", "1 as 9, poll as 10", "1 as 11, poll as 12"] {
        let deadline = end.deadline().expect("an answer is awaited");
        waits.push(deadline - end.now.since(arqway_units::Time::ZERO).as_nanoseconds() / 1_000_000);
        end.at(deadline - 1).expect("").at(deadline).expect(expected);
    }
    // A round trip of 175 ms, and four times its deviation of 125 ms; no longer than 2 s, or four times that.
    assert_eq!(waits, [675, 1350, 2700, 2700]);
    assert_eq!(end.counters().timeouts, 4);
    let answered = end.deadline().expect("an answer is awaited") - 1;
    end.at(answered).tells(3, 12, &[]).expect("");
    assert_eq!(end.deadline(), None);
}

#[test]
fn a_copy_that_is_acknowledged_while_it_waits_below_is_withdrawn() {
    let mut end = end();
    end.packets("ab").expect("0 as 1, 1 as 2").tells(0, 2, &[2, 1]);
    let mut copy = end.hand_over();
    end.tells(2, 2, &[]);
    assert_eq!(end.start(&mut copy), Start::Withdraw);
    assert_eq!((end.counters().frames_withdrawn, end.deadline()), (1, None));
    end.packets("c").expect("2 as 3");
}

#[test]
fn a_slow_line_has_one_frame_below_and_a_fast_one_two() {
    let mut end = end();
    end.packets("abcdef");
    let mut first = end.hand_over();
    assert!(!end.has_frame());
    assert_eq!(end.start(&mut first), Start::Send);
    end.at(4).depart(&first, Departure::Sent);
    // It took 4 ms.
    let mut second = end.hand_over();
    let third = end.hand_over();
    assert!(!end.has_frame());
    assert_eq!(end.start(&mut second), Start::Send);
    end.at(9).depart(&second, Departure::Sent);
    assert!(!end.has_frame(), "it took 5 ms, and one is below");
    end.depart(&third, Departure::Dropped);
}

#[test]
fn where_hardly_a_frame_is_lost_sixteen_are_below() {
    let mut end = end();
    for number in 0..65 {
        end.packets("x").expect(&format!("{number} as {}", number + 1));
        end.tells(number + 1, number + 1, &[]);
    }
    end.packets("abcdefghijklmnopqrst");
    let below: Vec<Frame> = (0..16).map(|_| end.hand_over()).collect();
    assert!(!end.has_frame());
    below.iter().for_each(|frame| {
        end.depart(frame, Departure::Dropped);
    });
}

#[test]
fn a_frame_that_the_queue_below_drops_goes_out_again_but_not_at_once() {
    let mut end = end();
    end.packets("ab");
    let dropped = end.hand_over();
    end.depart(&dropped, Departure::Dropped).expect("").at(9).expect("").at(10).expect("0 as 1, 1 as 2");
}

/// How many new frames an end sends if it is given packets without end, so often asked.
fn filled(end: &mut Scripted, times: u32) -> u64 {
    let before = end.counters().frames_sent;
    for _ in 0..times {
        while end.service.handle_packet(Packet::new("x"), end.now).is_ok() {}
        while let Some(mut frame) = end.service.poll_frame(end.now, Octets::MAX) {
            assert_eq!(end.start(&mut frame), Start::Send);
            end.depart(&frame, Departure::Sent);
        }
    }
    end.counters().frames_sent - before
}

#[test]
fn a_dead_link_gets_1024_frames_and_a_good_one_four_times_what_it_carried_in_a_round_trip() {
    let mut end = end();
    assert_eq!(filled(&mut end, 9000), 1024);
    end.now += Span::from_milliseconds(300);
    end.tells(1024, 1024, &[]);
    assert_eq!(filled(&mut end, 9000), 4096);
}

#[test]
fn all_of_the_window_is_used_where_the_link_carries_as_much_in_a_round_trip() {
    let mut end = end();
    let mut sent = 0;
    for _ in 0..5 {
        sent += filled(&mut end, 200_000);
        end.now += Span::from_milliseconds(300);
        end.hears(&alone(&Feedback { form: Form::Long, ..feedback(sent, sent, &[]) }));
    }
    assert_eq!(filled(&mut end, 200_000), u64::from(WindowSize::MAX));
}

#[test]
fn timers_freeze_while_the_link_is_down_and_a_poll_goes_out_when_it_is_back() {
    let mut end = end();
    end.packets("a").expect("0 as 1").at(10).link(LinkState::Down);
    assert_eq!(end.deadline(), None);
    end.at(5000).packets("b").expect("").link(LinkState::Up).expect("1 as 2").at(5050).expect("poll as 3");
    end.tells(2, 3, &[]).at(6000).link(LinkState::Down).at(7000).link(LinkState::Up).expect("");
}

#[test]
fn an_end_at_rest_waits_for_nothing() {
    let mut end = end();
    assert_eq!(end.service.inner().entity().deadlines(), Deadlines::default());
    end.packets("a").expect("0 as 1").tells(1, 1, &[]).at(60_000).expect("");
    assert_eq!(end.service.inner().entity().deadlines(), Deadlines::default());
}

#[test]
fn where_transmissions_come_late_a_frame_is_lost_only_so_many_transmissions_later() {
    let mut end = end();
    let late = |next, newest, numbers: &[u32]| {
        let feedback = Feedback { lateness: Lateness::Few, ..feedback(next, newest, numbers) };
        alone(&feedback)
    };
    end.packets("abcdef").expect("0 as 1, 1 as 2, 2 as 3, 3 as 4, 4 as 5, 5 as 6");
    end.hears(&late(0, 4, &[4, 3])).expect("").hears(&late(0, 5, &[5, 4])).expect("0 as 7");
    // At the end of a burst nothing later comes: what was sent before the last answer but one is lost.
    end.hears(&late(0, 6, &[6, 5])).at(44).expect("poll as 8").hears(&late(0, 8, &[6, 5])).expect("");
    end.at(100).expect("poll as 9").hears(&late(0, 9, &[6, 5])).expect("0 as 10");
}
