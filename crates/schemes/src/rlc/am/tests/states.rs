//! The states of acknowledged mode (25.322 §9.3.3): what happens in each on each event.

use super::*;

/// Two of the standard's five: without suspension, and while the bearer exists.
#[derive(Debug, Clone, Copy)]
enum State {
    DataTransferReady,
    ResetPending,
}

/// An end in that state, which has sent `0:a` and has received nothing.
fn end_in(state: State) -> End {
    let mut end = end(|_| ());
    end.sdus("a").expect("0:a");
    if let State::ResetPending = state {
        end.status("ack 9").expect("reset 0 hfn 0");
    }
    end
}

/// What it answers, and in which state it is then.
fn row(name: &str, state: State, event: impl Fn(&mut End)) -> String {
    let mut end = end_in(state);
    event(&mut end);
    let mut answers = Vec::new();
    while let Some(frame) = end.service.poll_frame(end.now, Octets::MAX) {
        answers.push(describe(frame));
    }
    answers.extend(end.service.poll_packet().map(|_| String::from("deliver")));
    let begun_anew = if end.counters().resets > 0 { ", anew" } else { "" };
    // Only who waits for an answer keeps silent about a poll.
    end.poll(1);
    let is_pending = end.service.poll_frame(end.now, Octets::MAX).is_none();
    let next = if is_pending { State::ResetPending } else { State::DataTransferReady };
    format!("{state:?} | {name} | {} | {next:?}{begun_anew}\n", answers.join(", "))
}

const TABLE: &str = "\
DataTransferReady | an SDU | 1:b | DataTransferReady
DataTransferReady | AMD | deliver | DataTransferReady
DataTransferReady | AMD that polls | status[ack 1], deliver | DataTransferReady
DataTransferReady | STATUS | 0:a | DataTransferReady
DataTransferReady | erroneous STATUS | reset 0 hfn 0 | ResetPending
DataTransferReady | RESET | reset-ack 1 hfn 0 | DataTransferReady, anew
DataTransferReady | RESET ACK | - | DataTransferReady
DataTransferReady | RESET ACK, other RSN | - | DataTransferReady
DataTransferReady | Timer_RST | - | DataTransferReady
ResetPending | an SDU | - | ResetPending
ResetPending | AMD | - | ResetPending
ResetPending | AMD that polls | - | ResetPending
ResetPending | STATUS | - | ResetPending
ResetPending | erroneous STATUS | - | ResetPending
ResetPending | RESET | reset-ack 1 hfn 0 | ResetPending, anew
ResetPending | RESET ACK | - | DataTransferReady, anew
ResetPending | RESET ACK, other RSN | - | ResetPending
ResetPending | Timer_RST | reset 0 hfn 0 | ResetPending
";

type Event = fn(&mut End);

#[test]
fn each_event_has_its_effect_in_each_state() {
    let events: [(&str, Event); 9] = [
        ("an SDU", |end| _ = end.sdus("b")),
        ("AMD", |end| _ = end.data(0)),
        ("AMD that polls", |end| _ = end.poll(0)),
        ("STATUS", |end| _ = end.status("list 0; ack 1")),
        ("erroneous STATUS", |end| _ = end.status("ack 9")),
        ("RESET", |end| _ = end.reset(1)),
        ("RESET ACK", |end| _ = end.reset_ack(0)),
        ("RESET ACK, other RSN", |end| _ = end.reset_ack(1)),
        ("Timer_RST", |end| _ = end.at(100)),
    ];
    let states = [State::DataTransferReady, State::ResetPending];
    let rows = states.into_iter().flat_map(|state| events.map(|(name, event)| row(name, state, event)));
    let table: String = rows.collect();
    assert_eq!(table.replace("|  |", "| - |"), TABLE);
}
