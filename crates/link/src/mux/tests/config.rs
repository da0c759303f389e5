//! Classes, names and tables: who carries what.

use super::super::*;
use super::packet;
use crate::registry::ServiceConfig;
use alloc::string::{String, ToString};
use alloc::vec;
use arqway_contract::{Packet, Side};
use arqway_schemes::raw;
use etherparse::PacketBuilder;

fn raw() -> ServiceConfig {
    ServiceConfig::Raw(raw::Config::default())
}

fn named(name: &str, class: Class) -> Class {
    Class { name: Some(name.into()), ..class }
}

fn rule_of_port(port: u16) -> Rule {
    Rule { port: Some(Ports::one(port)), ..Rule::default() }
}

fn udp(from: u16, to: u16, ds: u8) -> Packet {
    let mut octets = alloc::vec::Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 1, 2], 64).udp(from, to);
    builder.write(&mut octets, &[0; 12]).expect("memory");
    octets[1] = ds << 2;
    Packet::new(octets)
}

#[test]
fn classes_share_a_service_by_its_name() {
    let classes = vec![
        Class::with(rule_of_port(1), "voice"),
        Class::new(rule_of_port(2), raw()),
        named("voice", Class::new(rule_of_port(3), raw())),
        named("questions", Class::with(rule_of_port(4), "default")),
    ];
    let config = Config { classes, ..Config::new(raw()) };
    assert_eq!(config.services().len(), 3);
    let mux = Mux::new(&config, &Side::Client.into()).expect("right");
    let services = [1, 2, 3, 4, 5].map(|port| mux.service_of(&udp(9, port, 0).octets).index());
    assert_eq!(services, [2, 1, 2, 0, 0]);
}

#[test]
fn a_name_that_stands_for_no_service_is_refused_with_those_that_do() {
    let voice = named("voice", Class::new(rule_of_port(3), raw()));
    let error = |class: Class| {
        let config = Config { classes: vec![voice.clone(), class], ..Config::new(raw()) };
        let error = Mux::new(&config, &Side::Client.into()).map(drop).expect_err("wrong");
        assert_eq!(error.class(), Some(1));
        error.to_string()
    };
    let right = "has a service of its own; expected one of `default`, `voice`";
    assert_eq!(error(Class::with(rule_of_port(1), "vioce")), ["no class called `vioce` ", right].concat());
    let itself = named("itself", Class::with(rule_of_port(1), "itself"));
    assert_eq!(error(itself), ["no class called `itself` ", right].concat());
    for name in ["voice", "default"] {
        let twice = error(named(name, Class::new(rule_of_port(1), raw())));
        assert!(twice.starts_with(&alloc::format!("a second class called `{name}`")), "{twice}");
    }
}

#[test]
fn rates_without_a_scheduler_that_keeps_them_are_refused() {
    let mut config = Config { classes: vec![Class::new(rule_of_port(1), raw())], ..Config::new(raw()) };
    config.classes[0].rate = Some("20 %".parse().expect("a share"));
    let error = Mux::new(&config, &Side::Client.into()).map(drop).expect_err("first come, first served").to_string();
    assert!(error.ends_with("expected `scheduler = \"scfq\"`"), "{error}");
}

#[test]
fn the_table_for_best_effort_knows_protocols_and_ports() {
    let table = BestEffort { reliable: Some(raw()), low_delay: Some(raw()), watch: false, split: false };
    let config = Config { table: Table::BestEffort(table), ..Config::new(raw()) };
    let mux = Mux::new(&config, &Side::Client.into()).expect("three services");
    let (default, reliable, low_delay) = (0, 1, 2);
    assert_eq!(mux.service_of(&packet(Protocol::TCP).octets).index(), reliable);
    assert_eq!(mux.service_of(&packet(Protocol::of_number(1)).octets).index(), default);
    assert_eq!(mux.service_of(&packet(Protocol::ESP).octets).index(), default);
    let of_ports = |from, to| mux.service_of(&udp(from, to, 0).octets).index();
    for (from, to, service) in [
        (40_000, 53, reliable),
        (53, 40_000, reliable),
        (20_000, 53, reliable), // a question that happens to come from a port where RTP may be
        (443, 50_000, reliable),
        (40_000, 5004, low_delay),
        (16_384, 40_000, low_delay),
        (32_767, 40_000, low_delay),
        (40_000, 3478, low_delay),
        (40_000, 123, default),
        (32_768, 16_383, default),
    ] {
        assert_eq!(of_ports(from, to), service, "from {from} to {to}");
    }
}

#[test]
fn the_table_for_differentiated_services_divides_each_class_by_one_bit() {
    for (bit, low_delay) in [(0u8, [32, 34, 36, 38, 44, 46].as_slice()), (1, &[32, 36, 44]), (5, &[])] {
        let mut table = DifferentiatedServices { reliable: Some(raw()), low_delay: Some(raw()), ..Default::default() };
        table.subclass_bit = SubclassBit::try_from(bit).expect("a bit");
        let config = Config { table: Table::DifferentiatedServices(table), ..Config::new(raw()) };
        let mux = Mux::new(&config, &Side::Client.into()).expect("three services");
        for ds in 0..64 {
            let expected = if ds >> bit & 1 == 1 { 1 } else { 2 * usize::from(low_delay.contains(&ds)) };
            assert_eq!(mux.service_of(&udp(1, 2, ds).octets).index(), expected, "codepoint {ds}, bit {bit}");
        }
    }
    assert!(SubclassBit::try_from(6).is_err());
}

#[test]
fn classes_are_exceptions_to_the_table_and_what_it_does_not_bring_the_default_service_carries() {
    let table = DifferentiatedServices { low_delay: Some(raw()), ..Default::default() };
    let config = Config {
        classes: vec![Class::new(Rule::of_ds(Ds::EF), raw())],
        table: Table::DifferentiatedServices(table),
        ..Config::new(raw())
    };
    let mux = Mux::new(&config, &Side::Client.into()).expect("three services");
    let of_ds = |ds| mux.service_of(&udp(1, 2, ds).octets).index();
    assert_eq!((of_ds(46), of_ds(47), of_ds(34)), (1, 0, 2));
}

#[test]
fn what_is_set_aside_for_codepoints_is_added_up_by_the_service_that_carries_them() {
    let aside = |ds: &str, rate: &str| DsAllocation { ds: ds.parse().expect(ds), rate: rate.parse().expect(rate) };
    let table = DifferentiatedServices {
        low_delay: Some(raw()),
        allocations: vec![aside("ef", "10 %"), aside("af41", "200 kbit/s"), aside("af11", "60 %")],
        ..Default::default()
    };
    let config = Config {
        table: Table::DifferentiatedServices(table),
        scheduler: SchedulerConfig::Scfq(Scfq::default()),
        link_rate: arqway_units::BitRate::from_bits_per_second(1_000_000),
        ..Config::new(raw())
    };
    let mux = Mux::new(&config, &Side::Client.into()).expect("two services");
    // The default service has its 60 % of 90 %; what is set aside for nobody is shared in proportion.
    let percent = |service| (mux.shares().of(service).expect("a share").as_f64() * 100.0 + 0.5) as u32;
    assert_eq!((percent(0), percent(1)), (67, 33));
}

/// Reads a class as serde has it, from JSON.
fn read(conditions: &str, carrier: &str) -> Result<Class, String> {
    let service = r#""service": {"raw": {}}"#;
    let carrier = match carrier {
        "service" => service.to_string(),
        "with" => r#""with": "default""#.to_string(),
        "both" => alloc::format!(r#"{service}, "with": "default""#),
        _ => r#""name": "nobody's""#.to_string(),
    };
    let comma = if conditions.is_empty() { "" } else { "," };
    serde_json::from_str(&alloc::format!("{{ {conditions} {comma} {carrier} }}")).map_err(|error| error.to_string())
}

#[test]
fn a_class_prints_as_it_is_read() {
    for (conditions, carrier) in [
        (r#""protocol": "udp""#, "service"),
        (r#""protocol": 47"#, "with"),
        (r#""ds": "ef", "flow-label": 3"#, "with"),
        (r#""source": "2001:db8::/32", "destination-port": 53, "source-port": "1-9", "rate": "20 %""#, "service"),
        (r#""source": "10.0.0.0/8", "destination": "10.0.0.1", "port": "5004-5020", "protocol": "udp""#, "service"),
    ] {
        let class = read(conditions, carrier).expect(conditions);
        let printed = serde_json::to_string(&class).expect("JSON");
        assert_eq!(serde_json::from_str::<Class>(&printed).expect("a class"), class, "{printed}");
    }
}

#[test]
fn a_class_of_all_packets_or_none_or_that_nobody_carries_is_refused() {
    let wrong = [
        ("", "service", "a class that matches all packets; expected one or more of protocol, source"),
        (r#""protocol": "udp""#, "", "a class without a service; expected `service`, or `with`"),
        (r#""protocol": "udp""#, "both", "a class with both `service` and `with`"),
        (
            r#""source": "10.0.0.1", "destination": "::1""#,
            "with",
            "from 10.0.0.1 and to ::1, which are of two versions",
        ),
        (r#""source": "10.0.0.1", "flow-label": 1"#, "with", "of IPv4, like 10.0.0.1, and with a flow label"),
        (r#""protocol": "icmp", "port": 53"#, "with", "of protocol icmp and with ports"),
        (r#""prot": "udp""#, "with", "unknown field `prot`"),
        (r#""port": 70000"#, "with", "`70000` is not a port"),
    ];
    for (conditions, carrier, message) in wrong {
        let error = read(conditions, carrier).expect_err(conditions);
        assert!(error.contains(message), "{error}");
    }
}
