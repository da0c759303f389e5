//! Which frames go by which line.

use super::*;
use crate::{rlp, tally};
use arqway_contract::{Bounded, LineState, Port, pump};
use arqway_units::{BitRate, Ratio};

const LINES: [LineId; 2] = {
    let Some(second) = LineId::new(1) else { panic!("the second of eight") };
    [LineId::FIRST, second]
};

/// Lines that take one frame each; the second one is busy, and sends it later.
#[derive(Default)]
struct Lines {
    turn: usize,
    queues: [Option<Frame>; 2],
    sent: Vec<(usize, Frame)>,
}

impl Port for Lines {
    fn lines(&self) -> usize {
        2
    }

    fn turn_to(&mut self, line: LineId) {
        self.turn = line.index();
    }

    fn room(&self) -> Option<Octets> {
        self.queues[self.turn].is_none().then_some(Octets::MAX)
    }

    fn hand_over(&mut self, frame: Frame, _: Time) -> Result<(), Frame> {
        self.queues[self.turn] = Some(frame);
        Ok(())
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.turn == 0 { self.queues[0].take() } else { None }
    }

    fn transmit(&mut self, frame: Frame, _: Time) {
        self.sent.push((self.turn, frame));
    }

    fn deliver(&mut self, _: Packet, _: Time) {}
    fn wake_at(&mut self, _: Option<Time>) {}
    fn finish(&mut self, _: Time) {}
}

fn state(milliseconds: u64) -> LineState {
    LineState::up(BitRate::from_bits_per_second(1_000_000), Span::from_milliseconds(milliseconds))
}

/// UDP by `rlp`, and two lines of which the second is the sooner.
fn mux(duplicate: bool) -> Mux {
    let service = ServiceConfig::Rlp(rlp::Config { duplicate, ..rlp::Config::default() });
    let mut config = raw_and_udp();
    config.classes = vec![Class::of_protocol(Protocol::UDP, service)];
    let mut mux = Mux::new(&config, &Side::Client.into()).expect("two services");
    for (line, milliseconds) in LINES.into_iter().zip([200, 20]) {
        mux.handle_line(line, state(milliseconds), Time::ZERO);
    }
    mux
}

#[test]
fn a_copy_goes_by_the_other_line_at_once_though_the_first_waits_for_its_own() {
    for duplicate in [false, true] {
        let (mut mux, mut lines) = (mux(duplicate), Lines::default());
        mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        pump(&mut mux, &mut lines, Time::ZERO);
        let first = lines.queues[1].take().expect("a frame waits for the sooner line");
        let copies: Vec<_> = lines.sent.iter().map(|(line, copy)| (*line, copy.tag, copy.parts().concat())).collect();
        let expected = (0, first.tag, first.parts().concat());
        assert_eq!(copies, if duplicate { vec![expected] } else { vec![] });
    }
}

#[test]
fn no_more_than_four_copies_wait_for_a_line_that_does_not_move() {
    let mut mux = mux(true);
    for _ in 0..10 {
        mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        mux.turn_to(LINES[1]);
        assert!(mux.poll_frame(Time::ZERO, Octets::MAX).is_some());
    }
    mux.turn_to(LINES[0]);
    assert_eq!(core::iter::from_fn(|| mux.poll_frame(Time::ZERO, Octets::MAX)).count(), 4);
}

/// All by one service that spans lines.
fn spanning() -> Mux {
    let mut config = raw_and_udp();
    config.default_service = ServiceConfig::Tally(tally::Config::default());
    config.queue = Some(QueueLimits::default());
    Mux::new(&config, &Side::Client.into()).expect("two services")
}

#[test]
fn what_spans_lines_goes_by_a_slow_one_only_where_there_is_no_other() {
    let mut mux = spanning();
    // The second would bring a packet sooner.
    let slow = LineState { is_slow: true, ..state(20) };
    mux.handle_line(LINES[0], state(200), Time::ZERO);
    mux.handle_line(LINES[1], slow, Time::ZERO);
    let mut lines = Lines::default();
    let mut given = |mux: &mut Mux| {
        mux.handle_packet(packet(Protocol::TCP), Time::ZERO).expect("room");
        pump(mux, &mut lines, Time::ZERO);
        let sent: Vec<usize> = core::mem::take(&mut lines.sent).into_iter().map(|(line, _)| line).collect();
        (sent, lines.queues[1].is_some())
    };
    assert_eq!(given(&mut mux), (vec![0], false));
    mux.handle_line(LINES[0], LineState { is_up: false, is_lost: true, ..state(200) }, Time::ZERO);
    assert_eq!(given(&mut mux), (vec![], true));
}

#[test]
fn a_slow_line_that_is_tried_gets_copies_while_packets_wait_for_others() {
    for is_tried in [false, true] {
        let mut mux = spanning();
        mux.handle_line(LINES[0], state(200), Time::ZERO);
        mux.handle_line(LINES[1], LineState { is_slow: true, is_tried, ..state(20) }, Time::ZERO);
        for _ in 0..30 {
            mux.handle_packet(packet(Protocol::TCP), Time::ZERO).expect("room");
        }
        mux.turn_to(LINES[0]);
        let frames = core::iter::from_fn(|| mux.poll_frame(Time::ZERO, Octets::MAX)).count();
        mux.turn_to(LINES[1]);
        assert_eq!((frames, mux.poll_frame(Time::ZERO, Octets::MAX).is_some()), (1, is_tried));
    }
}

#[test]
fn a_service_leaves_the_line_with_the_shorter_delay_for_one_where_it_loses_less() {
    // UDP by this service; of two lines the first is the sooner by 100 ms, and loses a share of all frames.
    let goes_by = |service: ServiceConfig, lost: f64| {
        let mut config = raw_and_udp();
        config.classes = vec![Class::of_protocol(Protocol::UDP, service)];
        let mut mux = Mux::new(&config, &Side::Client.into()).expect("two services");
        let losing = LineState { loss: Ratio::new(lost), ..state(40) };
        mux.handle_line(LINES[0], losing, Time::ZERO);
        mux.handle_line(LINES[1], state(240), Time::ZERO);
        mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        let mut frames = LINES.map(|line| {
            mux.turn_to(line);
            mux.poll_frame(Time::ZERO, Octets::MAX).is_some()
        });
        frames.iter_mut().position(|has_frame| *has_frame)
    };
    let raw = || ServiceConfig::Raw(raw::Config::default());
    let once_again = || {
        let retransmissions = Bounded::new(1).expect("one");
        ServiceConfig::Rlp(rlp::Config { retransmissions, ..rlp::Config::default() })
    };
    assert_eq!([0.0, 0.005, 0.04].map(|lost| goes_by(raw(), lost)), [Some(0), Some(0), Some(1)]);
    // What is lost twice is a square of that.
    assert_eq!([0.02, 0.05, 0.15].map(|lost| goes_by(once_again(), lost)), [Some(0), Some(0), Some(1)]);
}

#[test]
fn of_two_lines_that_lose_alike_the_sooner_one_is_taken_and_chance_moves_nothing() {
    let config = raw_and_udp();
    let mut mux = Mux::new(&config, &Side::Client.into()).expect("two services");
    let line = |milliseconds, lost| LineState { loss: Ratio::new(lost), ..state(milliseconds) };
    let mut goes_by = |states: [LineState; 2]| {
        for (line, state) in LINES.into_iter().zip(states) {
            mux.handle_line(line, state, Time::ZERO);
        }
        mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        let mut frames = LINES.map(|line| {
            mux.turn_to(line);
            mux.poll_frame(Time::ZERO, Octets::MAX).is_some()
        });
        frames.iter_mut().position(|has_frame| *has_frame)
    };
    for lost in [0.0, 0.05] {
        assert_eq!(goes_by([line(120, lost), line(40, lost)]), Some(1), "{lost}");
        assert_eq!(goes_by([line(40, lost), line(120, lost)]), Some(0), "{lost}");
    }
    assert_eq!(goes_by([line(40, 0.05), line(40, 0.04)]), Some(0), "1 % of some thousand");
    assert_eq!(goes_by([line(40, 0.05), line(40, 0.005)]), Some(1));
}

#[test]
fn no_service_has_a_turn_for_new_packets_by_a_spare_line_while_another_is_up() {
    let mut mux = mux(true);
    let state = |is_up, is_spare| LineState { is_up, is_spare, ..state(20) };
    // The sooner one is spare from now on: neither packets nor copies go by it.
    mux.handle_line(LINES[1], state(true, true), Time::ZERO);
    let mut lines = Lines::default();
    let mut given = |mux: &mut Mux| {
        mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        pump(mux, &mut lines, Time::ZERO);
        let sent: Vec<usize> = core::mem::take(&mut lines.sent).into_iter().map(|(line, _)| line).collect();
        (sent, lines.queues[1].is_some())
    };
    assert_eq!(given(&mut mux), (vec![0], false));
    mux.handle_line(LINES[0], state(false, false), Time::ZERO);
    assert_eq!(given(&mut mux), (vec![], true));
}
