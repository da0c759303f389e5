//! The multiplexer as a whole.

mod carried;
mod classifier;
mod config;
mod lines;
mod queue;
mod rates;
mod short_headers;
mod watch;

use super::*;
use crate::registry::ServiceConfig;
use crate::{raw, tally};
use alloc::vec;
use arqway_contract::{Checked, LinkState, Packet, Side, Tag};
use arqway_units::Span;

fn packet(protocol: Protocol) -> Packet {
    let mut octets = vec![0; 28];
    (octets[0], octets[3], octets[9]) = (0x45, 28, protocol.number());
    Packet::new(octets)
}

fn raw_and_udp() -> Config {
    let raw = ServiceConfig::Raw(raw::Config::default());
    Config { classes: vec![Class::of_protocol(Protocol::UDP, raw.clone())], ..Config::new(raw) }
}

#[test]
fn each_class_travels_under_its_own_tag_and_comes_out_at_the_other_end() {
    let mut near = Checked::new(Mux::new(&raw_and_udp(), &Side::Client.into()).expect("two services"));
    let mut far = Checked::new(Mux::new(&raw_and_udp(), &Side::Client.into()).expect("two services"));
    for (protocol, service) in [(Protocol::TCP, 0), (Protocol::UDP, 1)] {
        near.handle_packet(packet(protocol), Time::ZERO).expect("room");
        let frame = near.poll_frame(Time::ZERO, Octets::MAX).expect("a frame for the packet");
        assert_eq!(frame.tag.service().index(), service);
        far.handle_frame(frame, Time::ZERO);
        assert_eq!(far.poll_packet(), Some(packet(protocol)));
    }
}

#[test]
fn how_large_a_packet_may_be_hangs_on_the_service_that_it_goes_by() {
    let mut config = raw_and_udp();
    config.default_service = ServiceConfig::Tally(tally::Config::default());
    let mux = Checked::new(Mux::new(&config, &Side::Client.into()).expect("two services"));
    let room = Octets::new(300);
    let of = |protocol| mux.largest_packet_like(&packet(protocol), room);
    assert_eq!((of(Protocol::UDP), mux.largest_packet(room)), (Octets::new(299), Octets::new(299)), "raw cuts nothing");
    assert!(of(Protocol::TCP) > Octets::new(1500), "tally cuts: {}", of(Protocol::TCP));
}

#[test]
fn a_frame_of_no_service_is_counted_and_dropped() {
    let mut mux = Mux::new(&raw_and_udp(), &Side::Client.into()).expect("two services");
    mux.handle_frame(Frame::from_wire(Tag::from_octet(0xff), vec![1, 2, 3].into()), Time::ZERO);
    assert_eq!((mux.counters().malformed_received, mux.poll_packet()), (1, None));
}

#[test]
fn a_service_has_no_more_frames_in_the_scheduler_than_its_depth() {
    for depth in [1, 3] {
        let mut config = raw_and_udp();
        config.depth = NonZeroUsize::new(depth).expect("not zero");
        let mut mux = Mux::new(&config, &Side::Client.into()).expect("two services");
        for _ in 0..5 {
            mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        }
        assert!(mux.poll_frame(Time::ZERO, Octets::MAX).is_some());
        assert_eq!(mux.schedulers.first.waiting(LaneId(1)), depth - 1);
    }
}

#[test]
fn frames_in_the_scheduler_stay_there_while_the_link_is_down() {
    let mut config = raw_and_udp();
    config.depth = NonZeroUsize::new(2).expect("not zero");
    let mut mux = Checked::new(Mux::new(&config, &Side::Client.into()).expect("two services"));
    for _ in 0..2 {
        mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
    }
    assert!(mux.poll_frame(Time::ZERO, Octets::MAX).is_some());
    mux.handle_link(LinkState::Down, Time::ZERO);
    assert_eq!(mux.poll_frame(Time::ZERO, Octets::MAX), None);
    mux.handle_link(LinkState::Up, Time::ZERO);
    assert!(mux.poll_frame(Time::ZERO, Octets::MAX).is_some());
}

#[test]
fn more_services_than_a_tag_can_tell_apart_are_refused() {
    let mut config = raw_and_udp();
    config.classes = vec![config.classes[0].clone(); 32];
    let error = Mux::new(&config, &Side::Client.into()).map(drop).expect_err("33 services");
    assert_eq!(alloc::string::ToString::to_string(&error), "33 services on one link: expected at most 32");
}

#[test]
fn what_is_no_packet_goes_to_the_default_service() {
    let mux = Mux::new(&raw_and_udp(), &Side::Client.into()).expect("two services");
    let of = |octets: &[u8]| mux.service_of(octets).index();
    let udp = packet(Protocol::UDP).octets;
    assert_eq!((of(&udp), of(&udp[..27]), of(&udp[..3]), of(&[])), (1, 0, 0, 0));
}

#[test]
fn a_full_service_says_that_it_is_the_one_and_the_other_still_takes_packets() {
    let mut mux = Checked::new(Mux::new(&raw_and_udp(), &Side::Client.into()).expect("two services"));
    let full = loop {
        if let Err(full) = mux.handle_packet(packet(Protocol::UDP), Time::ZERO) {
            break full;
        }
    };
    assert_eq!((full.service.index(), full.packet.octets), (1, packet(Protocol::UDP).octets));
    assert_eq!(mux.handle_packet(packet(Protocol::TCP), Time::ZERO), Ok(()));
}

#[test]
fn a_flow_installed_at_run_time_goes_before_the_rules_until_it_is_removed() {
    let mut mux = Mux::new(&raw_and_udp(), &Side::Client.into()).expect("two services");
    let ends = core::net::SocketAddr::from(([0, 0, 0, 0], 0));
    let flow = FlowId::Ports { protocol: Protocol::UDP, source: ends, destination: ends };
    let udp = packet(Protocol::UDP).octets;
    assert_eq!(mux.install_flow(&flow, ServiceId::default()), Ok(None));
    assert_eq!(mux.service_of(&udp).index(), 0);
    assert_eq!(mux.remove_flow(&flow), Some(ServiceId::default()));
    assert_eq!(mux.service_of(&udp).index(), 1);
    let nobody = ServiceId::new(2).expect("below 32");
    let error = mux.install_flow(&flow, nobody).expect_err("two services");
    assert_eq!(alloc::string::ToString::to_string(&error), "there is no service 2; expected 0 to 1");
}

/// UDP with a quarter of the link.
fn with_shares(rates: Rates) -> Config {
    let mut config = raw_and_udp();
    config.scheduler = SchedulerConfig::Scfq(Scfq { rates });
    config.classes[0].rate = Some("25 %".parse().expect("a share"));
    config
}

#[test]
fn backlogged_services_share_the_link_by_their_rates() {
    let mut mux = Checked::new(Mux::new(&with_shares(Rates::Given), &Side::Client.into()).expect("two services"));
    for _ in 0..200 {
        mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        mux.handle_packet(packet(Protocol::TCP), Time::ZERO).expect("room");
    }
    let frames = (0..200).map(|_| mux.poll_frame(Time::ZERO, Octets::MAX).expect("a frame").tag.service().index());
    assert_eq!(frames.sum::<usize>(), 50);
}

#[test]
fn measured_rates_follow_what_each_service_takes() {
    let measured = Measured { floor: arqway_units::Ratio::ZERO, ..Measured::default() };
    let mut mux = Mux::new(&with_shares(Rates::Measured(measured)), &Side::Client.into()).expect("two services");
    let percent = |mux: &Mux| mux.shares().of(1).expect("a share").as_f64() * 100.0;
    assert!((percent(&mux) - 25.0).abs() < 0.1, "given, until something is measured: {} %", percent(&mux));
    for protocol in [Protocol::UDP, Protocol::TCP, Protocol::UDP, Protocol::UDP, Protocol::UDP] {
        mux.handle_packet(packet(protocol), Time::ZERO).expect("room");
    }
    assert!(mux.poll_frame(Time::ZERO + Span::from_milliseconds(999), Octets::MAX).is_some());
    assert!((percent(&mux) - 25.0).abs() < 0.1, "before the interval has ended: {} %", percent(&mux));
    assert!(mux.poll_frame(Time::ZERO + Span::from_milliseconds(1000), Octets::MAX).is_some());
    assert!((percent(&mux) - 80.0).abs() < 0.1, "four packets of five: {} %", percent(&mux));
}
