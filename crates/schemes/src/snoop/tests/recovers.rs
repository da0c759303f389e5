//! What is lost on the wireless link comes again from the access point, and the server does not hear of it.

use super::*;
use crate::snoop::Resend;
use arqway_contract::LinkState;
use core::num::NonZeroU32;

#[test]
fn the_second_duplicate_brings_the_missing_segment_and_those_that_follow_from_it_are_withheld() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=5);
    access_point.now = at(10);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "new data");
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "first duplicate: 3 has arrived");
    assert_eq!(access_point.hear(&TCP.ack(2)), answered_by(TCP.data(2)), "second: 4 has arrived");
    assert_eq!(access_point.hear(&TCP.ack(2)), WITHHELD, "third: 5 was expected to cause it");
    assert_eq!(access_point.hear(&TCP.ack(6)), PASSES, "all has arrived");
    assert_eq!((access_point.watched(), access_point.snoop.poll_timeout()), ((1, 0), None), "at rest");
    let counters = access_point.snoop.counters();
    assert_eq!((counters.frames_resent, counters.acknowledgements_withheld, counters.timeouts), (1, 2, 0));
}

#[test]
fn a_duplicate_threshold_of_one_withholds_all_duplicates() {
    let config = Config { duplicate_threshold: NonZeroU32::MIN, ..Config::default() };
    let mut access_point = AccessPoint::after(config, 1..=4);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(2)), answered_by(TCP.data(2)));
    assert_eq!(access_point.hear(&TCP.ack(2)), WITHHELD);
}

#[test]
fn what_is_sent_while_a_repair_is_under_way_causes_duplicates_that_nobody_expected() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=4);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(2)), answered_by(TCP.data(2)), "3 and 4 have arrived");
    access_point.send(&TCP.data(5));
    access_point.send(&TCP.data(6));
    assert_eq!(access_point.hear(&TCP.ack(2)), WITHHELD, "from 5: as in ns-2 one was expected from 2 itself");
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "from 6: below the threshold again");
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "the segment was sent again once already");
    assert_eq!(access_point.hear(&TCP.ack(2)), WITHHELD, "but 3 to 6 may cause four, of which two were seen");
}

#[test]
fn more_duplicates_than_segments_to_cause_them_bring_the_segment_again_and_then_pass() {
    // Two duplicates, and a single segment behind the acknowledged one: one duplicate cannot be explained.
    let mut access_point = AccessPoint::after(Config::default(), 1..=2);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(2)), answered_by(TCP.data(2)));
    assert_eq!(access_point.hear(&TCP.ack(2)), answered_by(TCP.data(2)), "the copy may be lost too");
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "twice is enough: the server must act");
}

#[test]
fn duplicates_below_the_threshold_are_remembered_across_new_data() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=4);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "one alone");
    assert_eq!(access_point.hear(&TCP.ack(3)), PASSES, "new data");
    assert_eq!(access_point.hear(&TCP.ack(3)), answered_by(TCP.data(3)), "the first there, but the second of all");
}

#[test]
fn connections_count_duplicates_apart_or_as_in_ns2_together() {
    for (shared_duplicate_counter, second) in [(false, PASSES), (true, answered_by(OTHER.data(1)))] {
        let config = Config { shared_duplicate_counter, ..Config::default() };
        let mut access_point = AccessPoint::new(config);
        for tcp in [TCP, OTHER] {
            for number in 0..=3 {
                access_point.send(&tcp.data(number));
            }
            assert_eq!(access_point.hear(&tcp.ack(1)), PASSES);
        }
        assert_eq!(access_point.hear(&TCP.ack(1)), PASSES);
        assert_eq!(access_point.hear(&OTHER.ack(1)), second, "shared: {shared_duplicate_counter}");
    }
}

#[test]
fn without_an_answer_the_first_segment_goes_out_again_after_srtt_and_four_deviations() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=3);
    assert_eq!(access_point.wait_until(1099), []);
    assert_eq!(access_point.wait_until(1100), [(1100, TCP.data(1))], "0.1 s and four times 0.25 s");
    assert_eq!(access_point.wait_until(2200), [(2200, TCP.data(1))], "and not later the second time");
    assert_eq!(access_point.snoop.counters().timeouts, 2);
}

#[test]
fn a_sample_of_the_last_segment_acknowledged_counts_from_the_next_timer_on() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=3);
    access_point.wait_until(40);
    access_point.hear(&TCP.ack(2));
    assert_eq!(access_point.snoop.poll_timeout(), Some(at(1140)), "from here, as it was estimated before");
    access_point.hear(&TCP.ack(3));
    // srtt = (100 + 7 * 40) / 8 = 47.5 ms; deviation = 250 + (7.5 - 250) / 8 = 219.6875 ms.
    assert_eq!(access_point.snoop.poll_timeout(), Some(at(40) + Span::from_seconds(0.0475 + 4.0 * 0.219_687_5)));
}

#[test]
fn the_timeout_is_never_below_its_floor() {
    let mut access_point = AccessPoint::new(Config::default());
    for number in 1..=100 {
        access_point.now = at(u64::from(number) * 40);
        access_point.send(&TCP.data(number));
        access_point.now = at(u64::from(number) * 40 + 20);
        access_point.hear(&TCP.ack(number + 1));
    }
    access_point.send(&TCP.data(101));
    assert_eq!(access_point.snoop.poll_timeout(), Some(access_point.now + Span::from_milliseconds(100)));
}

#[test]
fn after_ten_copies_a_segment_is_left_to_the_server_until_it_sends_it_again() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=2);
    assert_eq!(access_point.wait_until(60_000).len(), 10);
    access_point.send(&TCP.data(1));
    assert_eq!(access_point.wait_until(61_100), [(61_100, TCP.data(1))]);
}

#[test]
fn the_server_s_own_retransmission_lets_the_duplicates_for_it_pass() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=4);
    access_point.hear(&TCP.ack(1));
    access_point.send(&TCP.data(1));
    for duplicate in 1..=3 {
        assert_eq!(access_point.hear(&TCP.ack(1)), PASSES, "duplicate {duplicate}");
    }
}

#[test]
fn a_duplicate_for_what_the_wired_side_lost_passes_and_so_do_those_for_its_retransmission() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=1);
    access_point.hear(&TCP.ack(2));
    for number in 3..=6 {
        access_point.send(&TCP.data(number));
        assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "2 never came here");
    }
    assert_eq!(access_point.wait_until(10_000), [], "there is nothing to send again");
    access_point.send(&TCP.data(2));
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(2)), PASSES, "the server deals with this loss");
}

#[test]
fn the_timer_brings_the_server_s_retransmission_too_if_it_is_lost() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=1);
    access_point.hear(&TCP.ack(2));
    access_point.send(&TCP.data(3));
    access_point.now = at(500);
    access_point.send(&TCP.data(2));
    assert_eq!(access_point.snoop.poll_timeout(), Some(at(500) + Span::from_seconds(1.1)), "a new first: a new timer");
    assert_eq!(access_point.wait_until(1_600), [(1_600, TCP.data(2))]);
}

#[test]
fn a_lost_syn_comes_again_and_a_new_syn_begins_anew() {
    let mut access_point = AccessPoint::new(Config::default());
    let syn = TCP.down(u32::MAX, 0, SYN);
    access_point.send(&syn);
    assert_eq!(access_point.wait_until(1_100), [(1_100, syn.clone())]);
    assert_eq!(access_point.hear(&TCP.up(0, u16::MAX)), PASSES, "a SYN takes one number");
    assert_eq!(access_point.watched(), (1, 0));
    access_point.send(&TCP.down(0, LENGTH, ACK));
    access_point.send(&TCP.down(77, 0, SYN));
    assert_eq!(access_point.watched(), (1, 1), "what was before the SYN is forgotten");
    assert_eq!(access_point.hear(&TCP.up(78, u16::MAX)), PASSES);
    assert_eq!(access_point.watched(), (1, 0));
}

#[test]
fn a_longer_retransmission_replaces_what_was_kept_and_a_shorter_one_does_not() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=1);
    let longer = TCP.down(LENGTH, 2 * LENGTH, ACK);
    access_point.send(&longer);
    access_point.send(&TCP.data(1));
    assert_eq!((access_point.watched(), access_point.wait_until(1_100)), ((1, 1), std::vec![(1_100, longer)]));
}

#[test]
fn numbers_pass_through_zero() {
    let mut access_point = AccessPoint::new(Config::default());
    let start = 0u32.wrapping_sub(2 * LENGTH + 50);
    let number = |segment: u32| start.wrapping_add(segment * LENGTH);
    for segment in 0..=4 {
        access_point.send(&TCP.down(number(segment), LENGTH, ACK));
    }
    let ack = |segment| TCP.up(number(segment), u16::MAX);
    assert_eq!(access_point.hear(&ack(2)), PASSES);
    assert_eq!(access_point.watched(), (1, 3));
    assert_eq!(access_point.hear(&ack(2)), PASSES);
    assert_eq!(access_point.hear(&ack(2)), answered_by(TCP.down(number(2), LENGTH, ACK)));
    assert_eq!(access_point.hear(&ack(5)), PASSES);
    assert_eq!(access_point.watched(), (1, 0));
}

#[test]
fn timers_freeze_while_the_link_is_down() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=2);
    access_point.wait_until(300);
    access_point.snoop.handle_link(LinkState::Down, at(300));
    assert_eq!(access_point.snoop.poll_timeout(), None);
    access_point.snoop.handle_link(LinkState::Up, at(5_300));
    assert_eq!(access_point.wait_until(7_000), [(6_100, TCP.data(1))]);
}

#[test]
fn a_segment_sent_again_waits_behind_or_before_what_waits_already() {
    for (resend, expected) in [(Resend::Behind, [4, 5, 1]), (Resend::First, [1, 4, 5])] {
        let mut access_point = AccessPoint::after(Config { resend, ..Config::default() }, 1..=3);
        for number in [4, 5] {
            access_point.snoop.handle_packet(Packet::new(TCP.data(number)), at(0)).expect("room");
        }
        access_point.hear_while_the_line_is_busy(&TCP.ack(1), 3);
        let order: Vec<_> = expected.into_iter().map(|number| TCP.data(number)).collect();
        assert_eq!(access_point.frames(), order, "{resend:?}");
    }
}

#[test]
fn where_the_queue_is_full_nothing_is_sent_again_and_the_duplicate_passes() {
    let buffer = core::num::NonZeroUsize::new(2).expect("not zero");
    let mut access_point = AccessPoint::after(Config { buffer, ..Config::default() }, 1..=3);
    for number in [4, 5] {
        access_point.snoop.handle_packet(Packet::new(TCP.data(number)), at(0)).expect("room");
    }
    access_point.hear_while_the_line_is_busy(&TCP.ack(1), 8);
    assert_eq!(std::iter::from_fn(|| access_point.snoop.poll_packet()).count(), 8, "all pass");
    let refused = access_point.snoop.handle_packet(Packet::new(TCP.data(6)), at(0));
    assert_eq!((refused.is_err(), access_point.watched()), (true, (1, 5)), "what is not taken is not kept");
    access_point.now = at(1_100);
    access_point.snoop.handle_timeout(access_point.now);
    assert_eq!(access_point.snoop.poll_timeout(), Some(at(2_200)), "another time");
    assert_eq!(access_point.frames(), [TCP.data(4), TCP.data(5)]);
    assert_eq!(access_point.wait_until(2_200), [(2_200, TCP.data(1))]);
}

impl AccessPoint {
    fn hear_while_the_line_is_busy(&mut self, packet: &Bytes, times: usize) {
        for _ in 0..times {
            self.snoop.handle_frame(Frame::new(Kind::new(0), &[], packet.clone()), self.now);
        }
    }
}

/// How many duplicates are withheld after those that bring the count to the threshold.
fn withheld(access_point: &mut AccessPoint, duplicate: &Bytes) -> usize {
    access_point.hear(duplicate);
    access_point.hear(duplicate);
    (0..10).take_while(|_| access_point.hear(duplicate) == WITHHELD).count()
}

#[test]
fn what_the_timer_sent_again_is_not_counted_among_what_will_cause_duplicates() {
    for (timer_expires, expected) in [(false, 3), (true, 2)] {
        let mut access_point = AccessPoint::after(Config::default(), 1..=5);
        access_point.hear(&TCP.ack(1));
        access_point.wait_until(if timer_expires { 1_100 } else { 0 });
        assert_eq!(withheld(&mut access_point, &TCP.ack(1)), expected, "timer: {timer_expires}");
    }
}

#[test]
fn what_the_wired_side_brings_late_makes_the_count_start_with_the_first_again() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=2);
    for number in [4, 5] {
        access_point.send(&TCP.data(number));
    }
    access_point.hear(&TCP.ack(1));
    assert_eq!(withheld(&mut access_point, &TCP.ack(1)), 2, "four segments, two duplicates seen");
    access_point.send(&TCP.data(3));
    // The one that ended the first count was below the threshold; one more reaches it, and brings nothing.
    access_point.hear(&TCP.ack(1));
    let again = (0..10).take_while(|_| access_point.hear(&TCP.ack(1)) == WITHHELD).count();
    assert_eq!(again, 3, "five segments, two duplicates seen");
}

#[test]
fn a_late_segment_behind_the_first_is_not_taken_for_the_server_s_answer_to_a_loss() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=1);
    for number in [3, 2, 4, 5] {
        access_point.send(&TCP.data(number));
    }
    access_point.hear(&TCP.ack(2));
    access_point.hear(&TCP.ack(2));
    assert_eq!(access_point.hear(&TCP.ack(2)), answered_by(TCP.data(2)), "2 came late, and was lost on the link");
}

#[test]
fn a_segment_sent_again_is_sampled_from_its_copy() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=2);
    access_point.wait_until(1_140);
    access_point.hear(&TCP.ack(2));
    access_point.hear(&TCP.ack(3));
    access_point.send(&TCP.data(3));
    // Two samples, of 40 ms from the copy and of 1140 ms from the second segment, which went out but once:
    // srtt 47.5 and 1003.4375 ms, deviations 219.6875 and 209.296875 ms.
    let timeout = Span::from_seconds(1.003_437_5 + 4.0 * 0.209_296_875);
    assert_eq!(access_point.snoop.poll_timeout(), Some(at(1_140) + timeout));
}

#[test]
fn an_acknowledgement_overtaken_by_a_newer_one_does_not_turn_the_count_back() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=5);
    for number in [3, 2, 3] {
        assert_eq!(access_point.hear(&TCP.ack(number)), PASSES);
    }
    assert_eq!(access_point.hear(&TCP.ack(3)), answered_by(TCP.data(3)));
}

#[test]
fn what_the_server_sends_again_is_sampled_from_then_on() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=1);
    access_point.now = at(1_000);
    access_point.send(&TCP.data(1));
    access_point.now = at(1_040);
    access_point.hear(&TCP.ack(2));
    access_point.send(&TCP.data(2));
    let timeout = Span::from_seconds(0.0475 + 4.0 * 0.219_687_5);
    assert_eq!(access_point.snoop.poll_timeout(), Some(at(1_040) + timeout), "a sample of 40 ms");
}
