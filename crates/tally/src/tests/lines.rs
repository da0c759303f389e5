//! What goes by a line that is to show what it carries.

use super::*;
use arqway_contract::{LineId, LineState, Turn};

const LINES: [LineId; 2] = {
    let Some(second) = LineId::new(1) else { panic!("the second of eight") };
    [LineId::FIRST, second]
};

/// An end with a second line, whose turn it is for copies alone.
fn turns(end: &mut Scripted, line: LineId) -> &mut Scripted {
    let second = line != LineId::FIRST;
    let turn = Turn { line, is_for_new: !second, is_soonest: !second, is_for_copies: second };
    end.service.handle_turn(turn);
    end
}

fn two_lines() -> Scripted {
    let mut end = end();
    for line in LINES {
        let state = LineState::up(None, Span::from_milliseconds(200));
        end.service.handle_line(line, state, Time::ZERO);
    }
    end
}

#[test]
fn copies_of_the_newest_frame_go_by_a_line_that_is_tried_each_once_and_nobody_waits_for_them() {
    let mut end = two_lines();
    turns(&mut end, LINES[1]).packets("ab").expect("");
    turns(&mut end, LINES[0]).expect("long 0 as 1, long 1 as 2");
    turns(&mut end, LINES[1]).expect("long 1 as 1");
    turns(&mut end, LINES[0]).packets("c").expect("long 2 as 3");
    turns(&mut end, LINES[1]).expect("long 2 as 2");
    // All that went by the first line has arrived: of the second nothing is awaited, though nobody has told what became of it.
    turns(&mut end, LINES[0]).hears(&by_the_first(3, 3, &[3])).expect("");
    assert_eq!((end.service.poll_timeout(), end.counters().frames_resent), (None, 0));
    turns(&mut end, LINES[1]).at(5000).expect("");
}

/// Feedback of what has arrived by the first line.
fn by_the_first(next: u64, newest: u64, runs: &[u32]) -> Frame {
    let told = Feedback { form: Form::Long, line: Some(LINES[0]), ..feedback(next, newest, runs) };
    told.frame(told.runs.octets() + 1, &mut BytesMut::new())
}

#[test]
fn what_is_lost_goes_again_at_once_though_a_copy_of_it_is_under_way() {
    let mut end = two_lines();
    turns(end.packets("ab"), LINES[0]).expect("long 0 as 1, long 1 as 2");
    turns(&mut end, LINES[1]).expect("long 1 as 1");
    turns(end.packets("c"), LINES[0]).expect("long 2 as 3");
    // The second of three is missing.
    turns(end.hears(&by_the_first(1, 3, &[1, 1, 1])), LINES[0]).expect("long 1 as 4");
}

#[test]
fn what_arrives_twice_is_delivered_once() {
    let [mut sender, mut receiver] = [two_lines(), two_lines()];
    let frame = turns(sender.packets("a"), LINES[0]).hand_over_and_send();
    let copy = turns(&mut sender, LINES[1]).hand_over_and_send();
    receiver.hears(&copy).expect("deliver a");
    receiver.hears(&frame);
    assert_eq!(receiver.counters().duplicates_received, 1);
}
