//! A queue a class: packets wait there until their service wants them.

use super::*;
use arqway_contract::Start;
use arqway_schemes::{rlc, selective_repeat};

fn limits(packets: usize) -> Option<QueueLimits> {
    Some(QueueLimits { packets: NonZeroUsize::new(packets).expect("not zero"), ..QueueLimits::default() })
}

/// TCP over this service and UDP over raw, with queues in front of them.
fn with_queues(service: ServiceConfig, tcp: Option<QueueLimits>, udp: Option<QueueLimits>) -> Mux {
    let mut config = Config { queue: tcp, ..raw_and_udp() };
    config.default_service = service;
    config.classes[0].queue = udp;
    Mux::new(&config, &Side::Client.into()).expect("two services")
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

#[test]
fn packets_wait_in_front_of_a_window_that_is_full_and_the_other_class_goes_on() {
    let window = selective_repeat::WindowSize::new(4).expect("up to 128");
    let config = selective_repeat::Config { window, ..selective_repeat::Config::default() };
    let mut mux = Checked::new(with_queues(ServiceConfig::SelectiveRepeat(config), limits(10), None));
    let mut taken = 0;
    let mut frames = Vec::new();
    for _ in 0..20 {
        taken += usize::from(mux.handle_packet(packet(Protocol::TCP), at(0)).is_ok());
        frames.extend(mux.poll_frame(at(0), Octets::MAX));
    }
    assert_eq!((taken, frames.len()), (14, 4), "four in the window, ten behind it");
    mux.handle_packet(packet(Protocol::UDP), at(0)).expect("the other queue");
    assert_eq!(mux.poll_frame(at(0), Octets::MAX).map(|frame| frame.tag.service().index()), Some(1));
    let counters = mux.counters();
    assert_eq!((counters.packets_taken, counters.packets_refused), (15, 6));
    let of_class = mux.inner().counters_of(0).expect("the default service");
    assert_eq!((of_class.packets_taken, of_class.packets_refused), (14, 6));
}

#[test]
fn a_service_holds_no_more_packets_than_its_next_frame_takes() {
    for service in
        [ServiceConfig::Raw(raw::Config::default()), ServiceConfig::GoBackN(crate::go_back_n::Config::default())]
    {
        let mut mux = with_queues(service, limits(100), None);
        for _ in 0..50 {
            mux.handle_packet(packet(Protocol::TCP), at(0)).expect("room");
        }
        for sent in 1..5 {
            assert!(mux.poll_frame(at(0), Octets::MAX).is_some());
            let of_service = mux.lanes[0].service.counters();
            assert_eq!(of_service.packets_taken, sent, "the lane holds no frame, so the service was fed for each");
        }
    }
}

#[test]
fn rlc_joins_packets_that_waited_in_the_queue_as_many_as_the_room_takes() {
    let mut mux = with_queues(ServiceConfig::RlcAm(rlc::am::Config::default()), limits(100), None);
    for _ in 0..20 {
        mux.handle_packet(packet(Protocol::TCP), at(0)).expect("room");
    }
    // 28 octets and two of length indicator each, behind tag and header of three.
    for (room, packets) in [(93, 3), (33, 1), (400, 13)] {
        let before = mux.lanes[0].service.counters().octets_sent;
        let frame = mux.poll_frame(at(0), Octets::new(room)).expect("a frame");
        assert!(frame.size() <= Octets::new(room), "{frame:?}");
        let sent = (mux.lanes[0].service.counters().octets_sent - before) / 28;
        assert_eq!(sent, packets, "whole packets in {room}");
    }
}

#[test]
fn the_age_of_a_packet_counts_from_its_arrival_also_in_a_service_that_discards_by_age() {
    let discard_after = Some(Span::from_milliseconds(100));
    let config = rlc::tm::Config { discard_after, ..rlc::tm::Config::default() };
    let mut mux = Checked::new(with_queues(ServiceConfig::RlcTm(config), limits(100), None));
    for arrival in [0, 50] {
        mux.handle_packet(packet(Protocol::TCP), at(arrival)).expect("room");
    }
    // Both waited in the queue; of the line's next frame the first would be.
    mux.handle_link(LinkState::Down, at(60));
    mux.handle_link(LinkState::Up, at(60));
    let late = Time::ZERO + Span::from_milliseconds(120);
    assert_eq!(mux.inner().lanes[0].service.counters().packets_taken, 0);
    assert!(mux.poll_frame(late, Octets::MAX).is_some());
    assert_eq!(mux.poll_frame(late, Octets::MAX), None);
    assert_eq!(mux.counters().packets_discarded, 1);
}

#[test]
fn a_limit_of_time_is_the_packets_deadline_wherever_it_waits() {
    let time = Some(Span::from_milliseconds(30));
    let mut mux = with_queues(
        ServiceConfig::Raw(raw::Config::default()),
        Some(QueueLimits { time, ..QueueLimits::default() }),
        None,
    );
    for arrival in [0, 20, 40] {
        mux.handle_packet(packet(Protocol::TCP), at(arrival)).expect("room");
    }
    let sent = core::iter::from_fn(|| mux.poll_frame(at(45), Octets::MAX)).count();
    assert_eq!((sent, mux.counters().packets_discarded, mux.counters().packets_taken), (2, 1, 3));
}

/// How many packets of 100 octets wait in a queue of one round trip of 6,000 octets, behind a service of which every `lost`-th frame was
/// lost over so many seconds, or none.
fn wait_behind(service: &str, seconds: u64, lost: usize) -> usize {
    let form = service.parse::<crate::ShortForm>().expect("a scheme");
    let service = form.in_world(&crate::WorldDefaults::default()).expect("its settings");
    let half_round_trips = NonZeroUsize::new(2);
    let limits = Some(QueueLimits { half_round_trips, ..QueueLimits::default() });
    let mut ends = [limits, None].map(|limits| with_queues(service.clone(), limits, None));
    ends[0].handle_capacity("240 kbit/s".parse().expect("a rate"), Span::from_milliseconds(200));
    let packet = || Packet::new([&packet(Protocol::TCP).octets[..], &[0; 72]].concat());
    let mut started = 0;
    for time in (0..seconds * 1000).step_by(10) {
        ends[0].handle_packet(packet(), at(time)).expect("room");
        for from in [0, 1, 0] {
            ends[from].handle_timeout(at(time));
            while let Some(mut frame) = ends[from].poll_frame(at(time), Octets::MAX) {
                started += usize::from(from == 0);
                let is_lost = from == 0 && lost > 0 && started % lost == 0;
                if ends[from].start_frame(&mut frame, at(time)) == Start::Send && !is_lost {
                    ends[1 - from].handle_frame(frame, at(time));
                }
            }
        }
    }
    (0..1000).take_while(|_| ends[0].handle_packet(packet(), at(seconds * 1000)).is_ok()).count()
}

#[test]
fn a_queue_of_a_round_trip_is_as_long_as_that_takes_with_recovery() {
    // A round trip is 57 frames of 104 octets: with every tenth lost the last one has arrived after 1 + ln 57 / ln 10 of them.
    let waiting = wait_behind("sr:0.05", 12, 10);
    assert!((150..180).contains(&waiting), "{waiting}");
    // Of 1,000 frames none was lost: perhaps one in a thousand is.
    let waiting = wait_behind("sr:0.05", 12, 0);
    assert!((90..100).contains(&waiting), "{waiting}");
    // Who holds nothing back has the link's round trip, whatever it sends again.
    assert_eq!((wait_behind("raw", 12, 10), wait_behind("oos-rlp:3", 12, 10)), (60, 60));
}

#[test]
fn as_long_as_nothing_is_known_recovery_takes_four_round_trips_where_packets_wait_for_others() {
    for service in ["tally", "sr:0.05", "go-back-n", "rlc", "rlp:3", "sscop-full", "sscop-pfrs", "sscop-none"] {
        assert_eq!(wait_behind(service, 0, 0), 240, "{service}");
    }
    for service in ["raw", "xor-fec:12", "rlc-um", "snoop", "oos-rlp:3"] {
        assert_eq!(wait_behind(service, 0, 0), 60, "{service}");
    }
}

#[test]
fn where_the_next_frame_does_not_fit_nothing_goes_until_it_does() {
    let mut mux = Checked::new(with_queues(ServiceConfig::Raw(raw::Config::default()), limits(10), limits(10)));
    let large = Packet::new([&packet(Protocol::TCP).octets[..], &[0; 72]].concat());
    mux.handle_packet(large, at(0)).expect("room");
    for _ in 0..2 {
        mux.handle_packet(packet(Protocol::UDP), at(0)).expect("room");
    }
    let mut sizes = Vec::new();
    for room in [100, 101, 28, 29] {
        sizes.push(mux.poll_frame(at(0), Octets::new(room)).map(|frame| frame.size().as_u64()));
    }
    // Services that had no frame for a small room are asked again in a larger one.
    assert_eq!(sizes, [Some(29), Some(101), None, Some(29)]);
}

#[test]
fn what_the_multiplexer_read_of_a_packet_goes_with_it() {
    let mut mux = with_queues(ServiceConfig::Raw(raw::Config::default()), limits(1), limits(1));
    mux.handle_packet(packet(Protocol::UDP), at(7)).expect("room");
    let full = mux.handle_packet(packet(Protocol::UDP), at(8)).expect_err("one waits");
    assert!(full.packet.headers.is_some());
    let queued = mux.lanes[1].queue.as_mut().and_then(|queue| queue.pop(at(9))).expect("a packet");
    assert_eq!((queued.headers, queued.arrived), (full.packet.headers, Some(at(7))));
}

#[test]
fn a_queue_stands_where_the_service_is() {
    let class: Result<Class, _> =
        serde_json::from_str(r#"{ "protocol": "udp", "with": "default", "queue": { "packets": 5 } }"#);
    let error = alloc::string::ToString::to_string(&class.expect_err("whose queue"));
    assert!(
        error.contains("a class with both `queue` and `with`; expected `queue` at the class that has the service"),
        "{error}"
    );
}
