//! What is to be sent again goes before what is new, and what answers the peer before both: whoever waits for a repair or for
//! an acknowledgement holds back more than whoever waits for new data.

use crate::common::packet;
use arqway_link::{
    AnyService, Checked, Counters, Departure, Frame, LinkService, ShortForm, Side, Start, WorldDefaults,
};
use arqway_units::{Octets, Span, Time};

/// What a frame is for, in the order in which they have to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    Answer,
    Again,
    New,
}

impl Purpose {
    /// What was counted as a frame was handed over. A poll, for one, is for none of these; two may go into one frame, or wait as
    /// one behind it.
    fn of(before: &Counters, after: &Counters) -> impl Iterator<Item = Self> {
        let answers = |counters: &Counters| counters.acknowledgements_sent + counters.rejects_sent;
        let counted = [
            (Self::Answer, answers(after) > answers(before)),
            (Self::Again, after.frames_resent > before.frames_resent),
            (Self::New, after.frames_sent > before.frames_sent),
        ];
        counted.into_iter().filter_map(|(purpose, counted)| counted.then_some(purpose))
    }
}

/// Everything that an end hands over now, and what for.
fn hand_over(end: &mut Checked<AnyService>, now: Time) -> (Vec<Frame>, Vec<Purpose>) {
    let (mut frames, mut purposes) = (Vec::new(), Vec::new());
    let mut before = end.counters();
    while let Some(mut frame) = end.poll_frame(now, Octets::MAX) {
        let after = end.counters();
        purposes.extend(Purpose::of(&before, &after));
        before = after;
        let start = end.start_frame(&mut frame, now);
        if let Some(ticket) = frame.ticket.filter(|_| start == Start::Send) {
            end.handle_departure(frame.tag, ticket, Departure::Sent, now);
        }
        if start == Start::Send {
            frames.push(frame);
        }
    }
    (frames, purposes)
}

#[test]
fn answers_go_before_what_is_sent_again_and_that_goes_before_what_is_new() {
    for scheme in ["sr", "asr:3+2", "go-back-n", "rlp:3", "oos-rlp:3", "rlc", "sscop", "sscop-pfrs", "sscop-none"] {
        let form: ShortForm = scheme.parse().expect("a scheme");
        let config = form.in_world(&WorldDefaults::default()).expect("a service");
        let mut ends = [Side::AccessPoint, Side::Client].map(|side| Checked::new(config.build(&side.into())));
        let (mut now, mut number, mut frame, mut met) = (Time::ZERO, 0, 0, [false; 2]);
        for _ in 0..500 {
            now += Span::from_milliseconds(50);
            let under_way = ends.each_mut().map(|end| {
                if end.poll_timeout().is_some_and(|deadline| deadline <= now) {
                    end.handle_timeout(now);
                }
                while end.poll_packet().is_some() {}
                number += 1;
                // A full window takes no more for now.
                let _: Result<(), _> = end.handle_packet(packet(number), now);
                let (frames, purposes) = hand_over(end, now);
                assert!(purposes.is_sorted(), "{scheme} at {now:?}: {purposes:?}");
                met[0] |= purposes.contains(&Purpose::Answer) && purposes.len() > 1;
                met[1] |= purposes.contains(&Purpose::Again) && purposes.contains(&Purpose::New);
                frames
            });
            for (from, frames) in under_way.into_iter().enumerate() {
                for arriving in frames {
                    frame += 1;
                    if frame % 7 != 0 {
                        ends[1 - from].handle_frame(arriving, now);
                    }
                }
            }
        }
        assert_eq!(met, [true; 2], "{scheme}: all of them met");
    }
}
