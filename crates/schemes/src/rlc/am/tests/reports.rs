//! The receiver's reports: when there is one, and what it says.

use super::*;

fn lists(missing_as: MissingAs) -> End {
    end(|config| config.status.missing_as = Some(missing_as))
}

fn prohibiting() -> End {
    end(|config| config.status.prohibit = milliseconds(100))
}

// 25.322 §11.5.2 1)
#[test]
fn a_poll_is_answered_and_several_at_once_by_one_report() {
    end(|_| ()).poll(0).expect("status[ack 1], deliver a").poll(1).poll(3).expect("status[list 2; ack 4], deliver b");
}

// 25.322 §11.5.2 2), §9.7.2 1)
#[test]
fn a_gap_is_reported_at_once_where_so_configured() {
    let mut end = end(|config| config.status.missing = Some(true));
    end.data(0).expect("deliver a").data(2).expect("status[list 1; ack 3]").data(3).expect("");
    end.data(5).expect("status[list 1 4; ack 6]").data(1).expect("deliver bcd");
}

// 25.322 §9.2.2.11.2, §11.5.2.2
#[test]
fn a_report_names_all_that_is_missing_below_vr_h_and_acknowledges_as_far() {
    for (missing_as, expected) in [
        (MissingAs::List, "status[list 1+1 4; ack 6]"),
        (MissingAs::RelativeList, "status[relative 1 2 4; ack 6]"),
        (MissingAs::Bitmap, "status[bitmap 4094 11100101; ack 6]"),
    ] {
        lists(missing_as).data(0).data(3).poll(5).expect(&format!("{expected}, deliver a"));
    }
}

// 25.322 §9.2.2.11.2, §11.5.2.2
#[test]
fn a_report_in_several_pdus_acknowledges_what_came_in_order_and_names_no_pdu_twice() {
    let mut end = lists(MissingAs::List);
    end.data(1).data(3).data(5).data(7).poll(9);
    end.expect("status[list 0 2 4; ack 0], status[list 6 8; ack 0]");
}

// 25.322 §9.2.2.11.2, §11.5.2.2; numbers beyond what one PDU has room for, as each super-field names them
#[test]
fn a_report_in_several_pdus_is_taken_whole_by_the_other_end() {
    for missing_as in [MissingAs::List, MissingAs::RelativeList, MissingAs::Bitmap] {
        let (mut near, mut far) = (big(missing_as), big(missing_as));
        let lost = |number: u16| number % 3 == 1 || number % 7 == 2 || (50..90).contains(&number);
        for number in 0..100 {
            near.sdus(&letter_of(number)).expect(&pdus(number..number + 1));
            if !lost(number) && number < 99 {
                far.data(number);
            }
        }
        far.poll(99);
        while let Some(status) = far.service.poll_frame(far.now, Octets::MAX) {
            near.service.handle_frame(on_the_wire(status), near.now);
        }
        let again: Vec<_> = (0..100).filter(|number| lost(*number)).map(|number| pdus(number..number + 1)).collect();
        near.expect(&again.join(", "));
        assert_eq!(near.counters().resets, 0);
    }
}

fn big(missing_as: MissingAs) -> End {
    end(|config| {
        config.window = Bounded::new(200);
        config.status.missing_as = Some(missing_as);
    })
}

fn on_the_wire(frame: Frame) -> Frame {
    Frame::from_wire(frame.tag, [frame.head.as_slice(), &frame.body].concat().into())
}

// 25.322 §9.2.2.11.5: what has not been heard of would read as missing
#[test]
fn a_bitmap_speaks_of_nothing_that_was_not_heard_of() {
    let mut end = lists(MissingAs::Bitmap);
    end.data(1).poll(2).expect("status[bitmap 4091 11111011; ack 3]").data(0).expect("deliver abc");
    // Where PDUs of the octet's end are there, it begins where the window does.
    end.data(4).poll(10).expect("status[bitmap 3 01000001; ack 11]");
}

// 25.322 §9.2.2.11.5: with a window of half the numbers, a bitmap may not begin before VR(R)
#[test]
fn with_a_window_of_half_the_numbers_what_fills_no_octet_of_a_bitmap_stands_in_a_list() {
    let mut end = end(|config| {
        config.window = Bounded::new(2048);
        config.status.missing_as = Some(MissingAs::Bitmap);
    });
    end.poll(1).expect("status[list 0; ack 2]");
    (2..8).for_each(|number| _ = end.data(number));
    end.poll(9).expect("status[bitmap 0 01111111; list 8; ack 10]");
}

// 25.322 §9.5 f), §9.7.2
#[test]
fn a_report_waits_for_the_prohibit_timer_and_then_says_the_latest() {
    let mut end = prohibiting();
    end.poll(0).expect("status[ack 1], deliver a").at(40).poll(1).expect("deliver b").at(60).poll(3).expect("");
    end.at(99).data(4).expect("").at(100).expect("status[list 2; ack 5]").at(200).expect("");
}

// 25.322 §9.5 f)
#[test]
fn what_is_no_report_is_not_held_back() {
    let mut end = prohibiting();
    end.poll(0).expect("status[ack 1], deliver a");
    end.at(40).status("mrw 3 n0").expect("status[mrw-ack 3 n0]").poll(3).expect("deliver d");
    end.sdus("a").expect("0:a");
    (0..9).for_each(|_| _ = end.status("list 0; ack 1").expect("0:a"));
    end.status("list 0; ack 1").expect("status[mrw 1 n0]").at(100).expect("status[ack 4]");
}

// 25.322 §9.5 f): "the last STATUS PDU"
#[test]
fn the_prohibit_timer_starts_with_the_last_pdu_of_a_report() {
    let mut end = end(|config| {
        config.status.prohibit = milliseconds(100);
        config.timer_starts = Some(TimerStarts::Departure);
    });
    end.data(1).data(3).data(5).data(7).poll(9);
    let (first, last) = (end.hand_over(), end.hand_over());
    end.at(10).depart(&first, Departure::Sent);
    assert_eq!(end.deadline(), None);
    end.at(20).depart(&last, Departure::Sent);
    assert_eq!(end.deadline(), Some(120));
}

// 25.322 §9.5: a STATUS PDU that was dropped below was transmitted "unsuccessfully"
#[test]
fn a_report_that_the_queue_drops_starts_its_timer_all_the_same() {
    let mut end = end(|config| {
        config.status.prohibit = milliseconds(100);
        config.timer_starts = Some(TimerStarts::Departure);
    });
    end.poll(0);
    let report = end.hand_over();
    end.at(10).depart(&report, Departure::Dropped).poll(1).expect("deliver ab").at(110).expect("status[ack 2]");
}

// 25.322 §9.5 g)
#[test]
fn a_periodic_report_comes_from_the_beginning_on_and_again_and_again() {
    let mut end = end(|config| {
        config.status.periodic = milliseconds(100);
        config.status.periodic_while_idle = Some(true);
    });
    end.at(99).expect("").at(100).expect("status[ack 0]").at(200).expect("status[ack 0]");
    end.at(210).data(0).expect("deliver a").at(300).expect("status[ack 1]");
}

// 25.322 §9.7.2 2), "Periodical Status blocking"
#[test]
fn a_periodic_report_rests_while_nothing_arrives_and_nothing_is_missing() {
    let mut end = end(|config| config.status.periodic = milliseconds(100));
    assert_eq!(end.deadline(), None);
    end.at(50).data(0).expect("deliver a").at(150).expect("status[ack 1]").at(250).expect("");
    assert_eq!(end.deadline(), None);
    end.at(300).data(2).at(400).expect("status[list 1; ack 3]").at(500).expect("status[list 1; ack 3]");
}

// 25.322 §11.5.2 5), §9.4 VR(H)
#[test]
fn a_poll_super_field_shows_what_was_lost_at_the_end() {
    end(|_| ()).data(0).status("poll 2").expect("status[list 1+1; ack 3], deliver a").status("poll 2").data(2).data(1);
    // Also one that tells nothing new, or lies outside the window, is answered.
    let mut end = end(|_| ());
    end.status("poll 4095").expect("status[ack 0]").data(0).status("poll 0").expect("status[ack 1], deliver a");
}

// 25.322 §11.5.2.2: beside a report
#[test]
fn a_report_tells_the_peer_its_window() {
    end(|config| config.status.window = Bounded::new(4)).poll(0).expect("status[window 4; ack 1], deliver a");
}

// 25.322 §9.2.1.5, §11.5.2.2
#[test]
fn control_pdus_are_padded_to_the_size_of_data_pdus_where_so_configured() {
    for (pads, octets) in [(true, 10), (false, 3)] {
        let mut end = end(|config| config.pad_control_pdus = Some(pads));
        end.poll(0);
        let status = end.hand_over();
        assert_eq!(status.head.len() + status.body.len(), octets);
        end.reset(0);
        let answer = end.hand_over();
        assert_eq!(answer.head.len() + answer.body.len(), octets.max(4));
    }
}
