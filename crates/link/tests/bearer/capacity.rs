//! How much the link carries in a round trip, which services are told.

use super::*;
use arqway_link::mux::{self, Mux, QueueLimits};
use core::num::NonZeroUsize;

/// An end that paces at 800 kbit/s, knows of a way of 100 ms, and lets as much wait as goes out in a round trip.
fn end(boot: u64) -> Bearer<Mux> {
    let config = Config { hellos: false, rate: "800 kbit/s".parse().expect("a rate"), ..Config::default() };
    let side = if boot == 1 { Side::AccessPoint } else { Side::Client };
    let context = LinkContext { delay: Some(Span::from_milliseconds(100)), ..side.into() };
    let raw: ServiceConfig =
        "raw".parse::<ShortForm>().expect("a scheme").in_world(&WorldDefaults::default()).expect("raw");
    let queue = QueueLimits { half_round_trips: NonZeroUsize::new(2), ..QueueLimits::default() };
    let config_of_services = mux::Config { queue: Some(queue), ..mux::Config::new(raw) };
    let build = move |context: &LinkContext| Mux::new(&config_of_services, context).expect("one service");
    let mut bearer = Bearer::new(config, build, context, boot, at(0));
    bearer.meet(3 - boot, at(0));
    bearer
}

/// How many packets of 500 octets it takes while none leaves.
fn takes(bearer: &mut Bearer<Mux>, milliseconds: u64) -> usize {
    let packet = || Packet::new(Bytes::from_static(&[0; 500]));
    (0..1000).take_while(|_| bearer.handle_packet(packet(), at(milliseconds)).is_ok()).count()
}

#[test]
fn services_are_told_what_the_link_carries_in_a_round_trip_and_a_queue_follows_it() {
    assert_eq!(takes(&mut end(1), 0), 40, "200 ms, as long as nothing is measured");
    let mut slower = end(1);
    slower.set_rate("80 kbit/s".parse().expect("a rate"));
    assert_eq!(takes(&mut slower, 0), 10, "2,000 octets are less than ten packets");
    // A datagram there, and a report back: 300 ms.
    let mut ends = [end(1), end(2)];
    takes(&mut ends[0], 0);
    let mut there = ends[0].poll_frame(at(0), Octets::MAX).expect("a datagram");
    assert_eq!(ends[0].start_frame(&mut there, at(0)), Start::Send);
    ends[1].handle_frame(there, at(150));
    let (due, mut back) = loop {
        let due = ends[1].poll_timeout().expect("a report is due");
        ends[1].handle_timeout(due);
        if let Some(report) = ends[1].poll_frame(due, Octets::MAX) {
            break (due, report);
        }
    };
    assert_eq!(ends[1].start_frame(&mut back, due), Start::Send);
    let heard = milliseconds(due - at(0)) + 150;
    ends[0].handle_frame(back, at(heard));
    let round_trip = milliseconds(ends[0].path().round_trip.expect("measured"));
    assert!((295..305).contains(&round_trip), "{round_trip} ms");
    // 30,000 octets are 60 packets; of the 40 two have left, and one is with the scheduler.
    assert_eq!(takes(&mut ends[0], heard), 23);
}
