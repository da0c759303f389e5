//! Classes that say what they carry: shares that follow what is measured here and what the peer reports.

use super::super::*;
use super::{packet, raw_and_udp};
use crate::registry::ServiceConfig;
use alloc::string::{String, ToString};
use alloc::vec;
use arqway_contract::{Checked, Side, Start, Tag};
use arqway_schemes::{fec, selective_repeat};
use arqway_units::{BitRate, Ratio, Span};

const SERVICES: usize = 2;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn bits(rate: u64) -> Option<BitRate> {
    BitRate::from_bits_per_second(rate)
}

/// UDP over XOR FEC, which carries a fifth of the link.
fn a_fifth() -> Config {
    let mut config = raw_and_udp();
    config.scheduler = SchedulerConfig::Scfq(Scfq::default());
    config.link_rate = bits(1_000_000);
    config.classes = vec![Class {
        carries: bits(200_000),
        ..Class::of_protocol(Protocol::UDP, ServiceConfig::XorFec(fec::Config::default()))
    }];
    config
}

fn mux(config: &Config) -> Mux {
    Mux::new(config, &Side::Client.into()).expect("two services")
}

fn percent(mux: &Mux) -> f64 {
    mux.shares().of(1).expect("a share").as_f64() * 100.0
}

/// A report with these octets, under the number behind those of the services.
fn report(octets: &[u8]) -> Frame {
    let number = u8::try_from(SERVICES).ok().and_then(ServiceId::new).expect("below 32");
    Frame::from_wire(Tag::default().with_service(number), octets.to_vec().into())
}

#[test]
fn the_share_grows_by_what_the_peer_reports_as_lost() {
    let mut mux = mux(&a_fifth());
    assert!((percent(&mux) - 20.0).abs() < 0.1, "{} %", percent(&mux));
    mux.handle_frame(report(&[1, 0x80, 0x00]), at(10));
    assert!(mux.poll_frame(at(999), Octets::MAX).is_none());
    assert!((percent(&mux) - 20.0).abs() < 0.1, "before the window moves on: {} %", percent(&mux));
    assert!(mux.poll_frame(at(1000), Octets::MAX).is_none());
    assert!((percent(&mux) - 40.0).abs() < 0.1, "half of it is lost: {} %", percent(&mux));
    // Were all of it lost, all of the link were not enough; and the other service does not starve.
    mux.handle_frame(report(&[1, 0xff, 0xff]), at(1500));
    assert!(mux.poll_frame(at(2000), Octets::MAX).is_none());
    assert!((99.0..99.95).contains(&percent(&mux)), "{} %", percent(&mux));
    assert_eq!(mux.counters().malformed_received, 0);
}

#[test]
fn what_is_no_report_is_counted_and_changes_nothing() {
    let mut mux = mux(&a_fifth());
    let mut other_kind = report(&[1, 0x80, 0]);
    other_kind.tag = Tag::from_octet(other_kind.tag.as_octet() | 3);
    let wrong =
        [report(&[]), report(&[1, 0x80]), report(&[1, 0x80, 0, 0]), report(&[2, 0x80, 0]), report(&[255, 1, 1])];
    for frame in wrong.into_iter().chain([other_kind, report(&[0, 0x80, 0])]) {
        mux.handle_frame(frame, at(10));
    }
    assert!(mux.poll_frame(at(1000), Octets::MAX).is_none());
    assert!((percent(&mux) - 20.0).abs() < 0.1, "{} %", percent(&mux));
    assert_eq!(mux.counters().malformed_received, 7);
}

#[test]
fn the_receiver_reports_what_it_misses_once_a_part_of_the_window_and_only_after_a_frame() {
    let mut near = mux(&a_fifth());
    let mut far = Checked::new(mux(&a_fifth()));
    let mut send = |now: Time, far: &mut Checked<Mux>, lost: usize| {
        for _ in 0..24 {
            near.handle_packet(packet(Protocol::UDP), now).expect("room");
        }
        let frames = core::iter::from_fn(|| near.poll_frame(now, Octets::MAX));
        frames.skip(lost).for_each(|frame| far.handle_frame(frame, now));
        while far.poll_packet().is_some() {}
    };
    let reports = |far: &mut Checked<Mux>, now: Time| {
        let frames = core::iter::from_fn(|| far.poll_frame(now, Octets::MAX));
        frames.map(|frame| (frame.tag.service().index(), frame.head.to_vec(), frame.size())).collect::<Vec<_>>()
    };
    send(at(10), &mut far, 6);
    assert_eq!(reports(&mut far, at(20)), []);
    // The window moves on, and nothing arrives.
    assert_eq!(reports(&mut far, at(1500)), []);
    send(at(1600), &mut far, 0);
    assert!(far.poll_frame(at(1600), Octets::new(3)).is_none(), "no room");
    let [(number, head, size)] = reports(&mut far, at(1600)).try_into().expect("one report");
    // Six of the first 24 are missing, and 18 were delivered by then.
    assert_eq!((number, head[0], size), (SERVICES, 1, Octets::new(4)));
    let loss = f64::from(u16::from_be_bytes([head[1], head[2]])) / 65_535.0;
    assert!((loss - 0.25).abs() < 1e-4, "{loss}");
    send(at(1700), &mut far, 0);
    assert_eq!(reports(&mut far, at(1700)), []);
    near.handle_frame(report(&head), at(1700));
    assert_eq!(near.counters().malformed_received, 0);
}

#[test]
fn without_a_class_that_carries_nothing_is_reported_and_reports_are_frames_of_no_service() {
    let mut config = a_fifth();
    config.classes[0].carries = None;
    let mut mux = mux(&config);
    mux.handle_frame(report(&[1, 0x80, 0x00]), at(10));
    assert!(mux.poll_frame(at(1000), Octets::MAX).is_none());
    assert_eq!(mux.counters().malformed_received, 1);
}

#[test]
fn what_nobody_can_keep_is_refused_with_what_to_do() {
    let measured = SchedulerConfig::Scfq(Scfq { rates: Rates::Measured(Measured::default()) });
    let first_come = Config { scheduler: SchedulerConfig::Fcfs, ..a_fifth() };
    let measured = Config { scheduler: measured, ..a_fifth() };
    let unknown = Config { link_rate: None, ..a_fifth() };
    let [mut too_much, mut too_many] = [a_fifth(), a_fifth()];
    too_much.classes[0].carries = bits(1_200_000);
    too_many.classes = vec![too_many.classes[0].clone(); 31];
    let cases = [
        (first_come, "rates have no effect with first come, first served"),
        (
            measured,
            "`carries` has no effect on shares that are measured from the traffic; expected `scheduler = \"scfq\"`",
        ),
        (unknown, "a rate of 200 kbit/s on a link whose own rate is unknown"),
        (too_much, "the rates of all classes add up to 120.0 % of the link; expected at most 100 %"),
        (too_many, "32 services on one link: expected at most 31, as one number is for reports on what they carry"),
    ];
    for (config, expected) in cases {
        let told = Mux::new(&config, &Side::Client.into()).map(drop).expect_err("wrong").to_string();
        assert!(told.starts_with(expected), "{told}");
    }
    let both = r#"{ "protocol": "udp", "with": "default", "rate": "20 %", "carries": "1 Mbit/s" }"#;
    let told: String = serde_json::from_str::<Class>(both).expect_err("two rates").to_string();
    assert!(told.starts_with("a class with both `rate` and `carries`; expected one of them"), "{told}");
}

#[test]
fn a_service_is_called_by_its_class_or_else_by_its_number() {
    let raw = raw_and_udp().default_service;
    let named = |name: &str| Class { name: Some(name.into()), ..Class::of_protocol(Protocol::UDP, raw.clone()) };
    let alone = Class::of_protocol(Protocol::TCP, raw.clone());
    let with = Class { name: Some("guest".into()), ..Class::with(Rule::of_protocol(Protocol::ESP), "voice") };
    let table = Table::BestEffort(BestEffort {
        reliable: Some(raw.clone()),
        low_delay: Some(raw.clone()),
        watch: false,
        split: false,
    });
    let names = service_names(&[named("voice"), alone, with, named("reliable")], &table);
    assert_eq!(names, ["default", "voice", "2", "reliable", "4", "low-delay"]);
}

proptest::proptest! {
    #[test]
    fn shares_stay_within_the_link_and_given_ones_stay_as_they_are(
        given in 0u32..60, carried in 1u32..40, effective in 0.001..1.0f64, others in 1usize..5,
    ) {
        let percent = |share: u32| Allocation::Share(Ratio::new(f64::from(share) / 100.0).expect("a share"));
        let set_aside = rates::SetAside::new(2 + others, &[(0, percent(given))], &[(1, percent(carried))], None);
        let mut carried_by = carried::Carried::new(set_aside.expect("at most 100 %"), ServiceId::default(), 2 + others);
        let mut shares = Shares::equal(2 + others);
        let goodput = Ratio::new(effective);
        let sent = crate::metrics::SenderMetrics { goodput, ..Default::default() };
        carried_by.measure(1, &EndMetrics { sent, ..EndMetrics::default() });
        carried_by.set(&mut shares);
        let share = |service: usize| shares.of(service).expect("a share").as_f64() * 100.0;
        proptest::prop_assert_eq!(shares.parts().iter().sum::<u32>(), Shares::WHOLE);
        // A thousandth is everybody's.
        let slack = 0.1 * (2 + others) as f64 + 0.01;
        proptest::prop_assert!((share(0) - f64::from(given)).abs() <= slack, "{} % of {given} %", share(0));
        let expected = (f64::from(carried) / effective).min(100.0 - f64::from(given));
        proptest::prop_assert!((share(1) - expected).abs() <= slack, "{} % of {expected} %", share(1));
        for other in 3..2 + others {
            proptest::prop_assert!((share(2) - share(other)).abs() < 0.01);
        }
    }
}

#[test]
fn a_window_of_acknowledgements_alone_says_nothing_of_what_packets_cost() {
    let mut config = a_fifth();
    let service = ServiceConfig::SelectiveRepeat(selective_repeat::Config::default());
    config.classes[0].carrier = Carrier::Service(service);
    let [mut near, mut far] = [mux(&config), mux(&config)];
    near.handle_packet(packet(Protocol::UDP), at(1)).expect("room");
    let frame = near.poll_frame(at(1), Octets::MAX).expect("a frame");
    far.handle_frame(frame, at(2));
    far.handle_timeout(at(900));
    let mut acknowledgement = far.poll_frame(at(900), Octets::MAX).expect("an acknowledgement");
    assert_eq!(far.start_frame(&mut acknowledgement, at(900)), Start::Send);
    let _ = far.poll_frame(at(1000), Octets::MAX);
    assert!((percent(&far) - 20.0).abs() < 0.1, "{} %", percent(&far));
}
