//! Scripted exchanges: what one end answers to what it is told, in time order.

use super::*;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_contract::{Checked, LinkService, LinkState, Packet, Service, Side};
use arqway_units::{Span, Time};
use std::format;

/// One end whose line is always free: whatever it hands over starts and departs at once.
struct Script {
    service: Checked<arqway_contract::End<SelectiveRepeat>>,
    now: Time,
}

impl Script {
    fn new(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config { timer_starts: TimerStarts::HandOver, drop_stale_copies: false, ..Config::default() };
        change(&mut config);
        Self { service: Checked::new(config.build(&Side::Client.into())), now: Time::ZERO }
    }

    fn at(&mut self, milliseconds: u64) -> &mut Self {
        self.now = Time::ZERO + Span::from_milliseconds(milliseconds);
        if self.service.poll_timeout().is_some_and(|deadline| deadline <= self.now) {
            self.service.handle_timeout(self.now);
        }
        self
    }

    fn packets(&mut self, letters: &str) -> &mut Self {
        for letter in letters.bytes() {
            self.service.handle_packet(Packet::new(alloc::vec![letter]), self.now).expect("room in the window");
        }
        self
    }

    fn peer_sends(&mut self, kind: u8, octets: &[u8]) -> &mut Self {
        let frame = Frame::from_wire(Tag::of_kind(arqway_contract::Kind::new(kind)), octets.to_vec().into());
        self.service.handle_frame(frame, self.now);
        self
    }

    fn data(&mut self, number: u8, letter: u8) -> &mut Self {
        self.peer_sends(0, &[0, number, letter])
    }

    fn acknowledgement(&mut self, next: u8) -> &mut Self {
        self.peer_sends(1, &[next])
    }

    fn reject(&mut self, next: u8, missing: u8) -> &mut Self {
        self.peer_sends(2, &[next, missing])
    }

    /// Checks what goes out and what is delivered: `data 0 (1)` is data frame 0 that carries N(R) = 1.
    fn expect(&mut self, expected: &str) -> &mut Self {
        let mut seen = Vec::new();
        while let Some(mut frame) = self.service.poll_frame(self.now, Octets::MAX) {
            if self.service.start_frame(&mut frame, self.now) == Start::Withdraw {
                continue;
            }
            if let Some(ticket) = frame.ticket {
                self.service.handle_departure(frame.tag, ticket, Departure::Sent, self.now);
            }
            seen.push(match wire::parse(frame).expect("our own frames can be read") {
                Pdu::Data { next, number, .. } => format!("data {number} ({next})"),
                Pdu::Acknowledgement { next } => format!("ack ({next})"),
                Pdu::Reject { next, missing } => format!("reject {missing} ({next})"),
            });
        }
        let delivered: String =
            core::iter::from_fn(|| self.service.poll_packet()).map(|packet| char::from(packet.octets[0])).collect();
        if !delivered.is_empty() {
            seen.push(format!("deliver {delivered}"));
        }
        assert_eq!(seen.join(", "), expected, "at {:?}", self.now);
        self
    }
}

#[test]
fn packets_go_out_in_order_and_acknowledged_ones_never_again() {
    Script::new(|_| ())
        .packets("ab")
        .expect("data 0 (0), data 1 (0)")
        .at(1000)
        .acknowledgement(2)
        .expect("")
        .at(9000)
        .expect("");
}

#[test]
fn a_frame_whose_timer_expires_is_sent_again_and_no_other() {
    let mut end = Script::new(|_| ());
    end.packets("a").expect("data 0 (0)").at(500).packets("b").expect("data 1 (0)");
    end.at(1100).expect("data 0 (0)").at(1600).expect("data 1 (0)").at(2200).expect("data 0 (0)");
}

#[test]
fn a_rejected_frame_goes_out_at_once_and_its_timer_starts_afresh() {
    let mut end = Script::new(|_| ());
    end.packets("abc").expect("data 0 (0), data 1 (0), data 2 (0)");
    end.at(300).reject(0, 1).expect("data 1 (0)").acknowledgement(1).expect("");
    end.at(1100).expect("data 2 (0)").at(1400).expect("data 1 (0)");
}

#[test]
fn a_gap_is_rejected_frame_by_frame_and_filled_before_anything_is_delivered() {
    let mut end = Script::new(|_| ());
    end.data(0, b'a').expect("deliver a").data(3, b'd').expect("reject 1 (1), reject 2 (1)");
    end.data(2, b'c').expect("reject 1 (1)").data(1, b'b').expect("deliver bcd");
}

#[test]
fn a_repaired_frame_rejects_again_what_was_rejected_before_it_and_nothing_after_it() {
    let mut end = Script::new(|_| ());
    end.data(4, b'e').expect("reject 0 (0), reject 1 (0), reject 2 (0), reject 3 (0)");
    end.data(1, b'b').expect("reject 0 (0)");
    end.data(3, b'd').expect("reject 2 (0)");
    end.data(0, b'a').expect("deliver ab");
    end.data(2, b'c').expect("deliver cde");
}

#[test]
fn an_acknowledgement_waits_half_a_second_for_data_to_ride_on() {
    let mut end = Script::new(|_| ());
    end.data(0, b'a').expect("deliver a").at(100).data(1, b'b').expect("deliver b");
    end.at(499).expect("").at(500).expect("ack (2)").at(5000).expect("");
    end.data(2, b'c').expect("deliver c").at(5200).packets("x").expect("data 0 (3)").at(5600).expect("");
}

#[test]
fn a_duplicate_is_acknowledged_again_with_the_same_delay() {
    let mut end = Script::new(|_| ());
    end.data(0, b'a').expect("deliver a").at(500).expect("ack (1)");
    end.at(600).data(0, b'a').expect("").at(1099).expect("").at(1100).expect("ack (1)");
    assert_eq!(end.service.counters().duplicates_received, 1);
}

#[test]
fn the_acknowledgement_is_written_when_the_frame_starts_not_when_it_is_handed_over() {
    let mut end = Script::new(|_| ());
    end.packets("x");
    let mut frame = end.service.poll_frame(end.now, Octets::MAX).expect("a frame");
    end.data(0, b'a').expect("deliver a");
    assert_eq!(end.service.start_frame(&mut frame, end.now), Start::Send);
    assert_eq!(frame.head.as_slice(), &[1, 0]);
    end.at(500).expect("");
}

#[test]
fn a_stale_copy_is_withdrawn_only_where_that_is_set() {
    for (drop_stale_copies, expected) in [(true, Start::Withdraw), (false, Start::Send)] {
        let mut end = Script::new(|config| config.drop_stale_copies = drop_stale_copies);
        end.packets("a");
        let mut copy = end.service.poll_frame(end.now, Octets::MAX).expect("a frame");
        end.acknowledgement(1);
        assert_eq!(end.service.start_frame(&mut copy, end.now), expected);
        assert_eq!(end.service.counters().frames_withdrawn, u64::from(drop_stale_copies));
    }
}

#[test]
fn the_timer_starts_at_the_moment_that_is_set() {
    for (moment, expected) in
        [(TimerStarts::HandOver, 1100), (TimerStarts::Start, 1200), (TimerStarts::Departure, 1300)]
    {
        let mut end = Script::new(|config| config.timer_starts = moment);
        end.packets("a");
        let mut frame = end.service.poll_frame(end.now, Octets::MAX).expect("a frame");
        end.at(100);
        assert_eq!(end.service.start_frame(&mut frame, end.now), Start::Send);
        end.at(200);
        end.service.handle_departure(frame.tag, Ticket::new(0), Departure::Sent, end.now);
        assert_eq!(end.service.poll_timeout(), Some(Time::ZERO + Span::from_milliseconds(expected)), "{moment:?}");
    }
}

#[test]
fn a_frame_that_the_queue_dropped_comes_back_by_its_timer() {
    for moment in [TimerStarts::HandOver, TimerStarts::Start, TimerStarts::Departure] {
        let mut end = Script::new(|config| config.timer_starts = moment);
        end.packets("a");
        let frame = end.service.poll_frame(end.now, Octets::MAX).expect("a frame");
        end.service.handle_departure(frame.tag, Ticket::new(0), Departure::Dropped, end.now);
        end.expect("").at(1100).expect("data 0 (0)");
    }
}

#[test]
fn timers_freeze_while_the_link_is_down() {
    let mut end = Script::new(|_| ());
    end.packets("a").expect("data 0 (0)").at(1000);
    end.service.handle_link(LinkState::Down, end.now);
    end.at(5000).packets("b").expect("");
    end.service.handle_link(LinkState::Up, end.now);
    end.expect("data 1 (0)").at(5099).expect("").at(5100).expect("data 0 (0)");
}

#[test]
fn a_full_window_pushes_back_until_the_first_frame_is_acknowledged() {
    let mut end = Script::new(|config| config.window = WindowSize::new(2).expect("a window"));
    end.packets("ab").expect("data 0 (0), data 1 (0)");
    assert!(end.service.handle_packet(Packet::new(alloc::vec![b'c']), end.now).is_err());
    assert_eq!(end.service.counters().packets_refused, 1);
    end.acknowledgement(1).packets("c").expect("data 2 (0)");
}

#[test]
fn an_acknowledgement_from_another_turn_of_the_numbers_is_ignored() {
    let mut end = Script::new(|_| ());
    end.packets("abc")
        .expect("data 0 (0), data 1 (0), data 2 (0)")
        .acknowledgement(2)
        .acknowledgement(1)
        .acknowledgement(200);
    end.at(1100).expect("data 2 (0)");
}

#[test]
fn what_cannot_be_decoded_is_counted_and_changes_nothing() {
    let mut end = Script::new(|_| ());
    for (kind, octets) in
        [(0, &[][..]), (0, &[1]), (1, &[]), (1, &[1, 2]), (2, &[1]), (2, &[1, 2, 3]), (3, &[1, 2]), (7, &[])]
    {
        end.peer_sends(kind, octets);
    }
    end.expect("");
    assert_eq!(end.service.counters().malformed_received, 8);
}

#[test]
fn a_window_of_more_than_half_the_modulus_is_refused() {
    assert_eq!(WindowSize::try_from(128).map(WindowSize::frames), Ok(128));
    for frames in [0, 129, -1, 70_000] {
        let error = WindowSize::try_from(frames).expect_err("too small or too large");
        assert!(
            alloc::string::ToString::to_string(&error).ends_with("expected 1 to 128, half of the 256 sequence numbers")
        );
    }
}

#[test]
fn a_rejected_frame_that_waits_to_go_out_again_has_no_timer() {
    let mut end = Script::new(|config| config.timer_starts = TimerStarts::Departure);
    end.packets("a").expect("data 0 (0)").at(300).reject(0, 0);
    // Handed over, but its line is busy: its first timer must not fire meanwhile.
    let copy = end.service.poll_frame(end.now, Octets::MAX).expect("the frame again");
    end.at(5000);
    assert_eq!((end.service.counters().timeouts, end.service.poll_timeout()), (0, None));
    end.service.handle_departure(copy.tag, Ticket::new(0), Departure::Sent, end.now);
    end.at(6100).expect("data 0 (0)");
}

#[test]
fn a_reject_that_waits_is_dropped_when_its_frame_arrives() {
    let mut end = Script::new(|_| ());
    end.data(1, b'b').data(0, b'a').expect("deliver ab");
    assert_eq!(end.service.counters().rejects_sent, 0);
}

#[test]
fn an_acknowledgement_that_is_due_is_not_sent_beside_the_frame_it_rides_on() {
    let mut end = Script::new(|_| ());
    end.packets("x");
    let mut frame = end.service.poll_frame(end.now, Octets::MAX).expect("a frame");
    end.data(0, b'a').expect("deliver a").at(500);
    assert_eq!(end.service.start_frame(&mut frame, end.now), Start::Send);
    end.expect("");
}

#[test]
fn what_happens_during_an_outage_is_timed_from_its_end() {
    let mut end = Script::new(|config| config.timer_starts = TimerStarts::Departure);
    end.packets("x");
    let frame = end.service.poll_frame(end.now, Octets::MAX).expect("a frame");
    end.service.handle_link(LinkState::Down, end.now);
    end.at(1000).data(0, b'a').expect("deliver a");
    end.service.handle_departure(frame.tag, Ticket::new(0), Departure::Sent, end.now);
    end.service.handle_link(LinkState::Up, end.now);
    end.at(1499).expect("").at(1500).expect("ack (1)").at(2099).expect("").at(2100).expect("data 0 (1)");
}

#[test]
fn a_data_frame_without_a_packet_is_malformed() {
    let mut end = Script::new(|_| ());
    end.peer_sends(0, &[0, 0]).expect("").at(5000).expect("");
    assert_eq!(end.service.counters().malformed_received, 1);
}

/// Adaptive, with one smoothed round-trip time as timeout: the next frame's timer shows the estimate.
fn adaptive() -> Script {
    timed(Samples::EachAcknowledgement)
}

fn timed(samples: Samples) -> Script {
    Script::new(|config| {
        config.timeout = Timeout::Adaptive(Policy { srtt: 1.0, srttvar: 0.0 });
        config.estimator.samples = samples;
        config.delayed_acknowledgement = Span::from_milliseconds(100_000);
    })
}

/// The timeout in milliseconds that a frame sent now gets, when nothing else is outstanding.
fn timeout_of_next(end: &mut Script) -> u64 {
    end.packets("z");
    while end.service.poll_frame(end.now, Octets::MAX).is_some() {}
    end.service.poll_timeout().expect("a timer runs").since(end.now).as_nanoseconds() / 1_000_000
}

#[test]
fn an_acknowledgement_is_a_sample_of_the_last_frame_it_covers() {
    let mut end = adaptive();
    end.packets("a").expect("data 0 (0)").at(200).packets("b").expect("data 1 (0)");
    // 7/8 of 1.1 s and 1/8 of 0.1 s.
    assert_eq!(timeout_of_next(end.at(300).acknowledgement(2)), 975);
}

#[test]
fn a_retransmission_is_timed_from_its_last_copy() {
    let mut end = adaptive();
    end.packets("a").expect("data 0 (0)").at(300).reject(0, 0).expect("data 0 (0)");
    assert_eq!(timeout_of_next(end.at(400).acknowledgement(1)), 975);
}

#[test]
fn one_frame_at_a_time_is_timed_where_that_is_set() {
    let mut end = timed(Samples::OneAtATime);
    end.packets("a").expect("data 0 (0)").at(200).packets("b").expect("data 1 (0)");
    // 7/8 of 1.1 s and 1/8 of the 0.3 s since frame 0; frame 1 was not timed, because frame 0 was.
    assert_eq!(timeout_of_next(end.at(300).acknowledgement(2)), 1000);
    // Frame 2 is timed since then, and frame 3 is not. 7/8 of 1 s and 1/8 of 0.2 s.
    end.at(400).packets("d").expect("data 3 (0)").at(500).acknowledgement(3);
    assert_eq!(timeout_of_next(end.at(600).acknowledgement(4)), 900);
}

#[test]
fn a_frame_sent_again_is_no_sample_where_one_at_a_time_is_timed() {
    let mut end = timed(Samples::OneAtATime);
    end.packets("ab").expect("data 0 (0), data 1 (0)").at(300).reject(0, 0).expect("data 0 (0)");
    // While frame 0 was timed frame 1 was not. Since frame 0 went out again nothing is, until a new frame goes out.
    end.at(350).packets("c").expect("data 2 (0)").at(400).acknowledgement(2);
    // The first sample: 7/8 of 1.1 s and 1/8 of the 0.1 s since frame 2.
    assert_eq!(timeout_of_next(end.at(450).acknowledgement(3)), 975);
}

#[test]
fn an_outage_is_no_part_of_a_round_trip_where_one_frame_at_a_time_is_timed() {
    let mut end = timed(Samples::OneAtATime);
    end.packets("a").expect("data 0 (0)").at(50);
    end.service.handle_link(LinkState::Down, end.now);
    end.at(5050);
    end.service.handle_link(LinkState::Up, end.now);
    assert_eq!(timeout_of_next(end.at(5100).acknowledgement(1)), 975);
}

#[test]
fn a_reject_is_no_sample_of_what_it_acknowledges() {
    let mut end = adaptive();
    end.packets("a").expect("data 0 (0)").at(100);
    assert_eq!(timeout_of_next(end.reject(1, 200)), 1100);
}

#[test]
fn an_acknowledgement_heard_again_is_no_sample() {
    let mut end = adaptive();
    end.packets("a").expect("data 0 (0)").at(100).acknowledgement(1);
    end.at(900).acknowledgement(1);
    assert_eq!(timeout_of_next(&mut end), 975);
}

#[test]
fn a_timeout_does_not_change_the_estimate() {
    let mut end = adaptive();
    end.packets("a")
        .expect("data 0 (0)")
        .at(1100)
        .expect("data 0 (0)")
        .at(2200)
        .expect("data 0 (0)")
        .at(3300)
        .expect("data 0 (0)");
}

#[test]
fn an_outage_is_no_part_of_a_round_trip() {
    let mut end = adaptive();
    end.packets("a").expect("data 0 (0)").at(50);
    end.service.handle_link(LinkState::Down, end.now);
    end.at(5050);
    end.service.handle_link(LinkState::Up, end.now);
    assert_eq!(timeout_of_next(end.at(5100).acknowledgement(1)), 975);
}

#[test]
fn each_missing_frame_is_rejected_once_where_that_is_set() {
    let mut end = Script::new(|config| config.rejects = Rejects::EachOnce);
    end.data(0, b'a').expect("deliver a").data(3, b'd').expect("reject 1 (1), reject 2 (1)");
    end.data(2, b'c').expect("").data(5, b'f').expect("reject 4 (1)").data(1, b'b').expect("deliver bcd");
    end.data(4, b'e').expect("deliver ef");
}

#[test]
fn one_missing_frame_at_a_time_is_rejected_where_that_is_set() {
    let mut end = Script::new(|config| config.rejects = Rejects::OneAtATime);
    end.data(3, b'd').expect("reject 0 (0)").data(5, b'f').expect("");
    // Its timer repairs another one first: the one that is awaited still is.
    end.data(1, b'b').expect("");
    end.data(0, b'a').expect("reject 2 (2), deliver ab");
    end.data(2, b'c').expect("reject 4 (4), deliver cd");
    end.data(4, b'e').expect("deliver ef");
}
