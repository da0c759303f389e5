//! Compiled rules against a search through them, packet by packet: the ready-made tables, which are told here once more in
//! the words of their documentation, any rules, and both together.

use super::contents;
use arqway_link::fuzz::Input;
use arqway_link::mux::{
    Addresses, BestEffort, Class, Classifier, Config, DifferentiatedServices, Ds, FlowLabel, Headers, Mux, Ports,
    Protocol, Rule, SubclassBit, Table,
};
use arqway_link::{ServiceConfig, ServiceId, Side, raw};
use std::net::IpAddr;

const DEFAULT: usize = 0;
const RELIABLE: usize = 1;
const LOW_DELAY: usize = 2;

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let rules: Vec<Rule> = (0..input.index(12)).map(|_| rule(&mut input)).collect();
    let bit = input.index(6);
    let packet = if input.flag() { contents::packet(&mut input) } else { input.rest().to_vec() };
    let headers = Headers::read(&packet);
    TABLES.with(|tables| {
        let best_effort = headers.as_ref().map_or(DEFAULT, best_effort);
        assert_eq!(tables.best_effort.service_of(&packet).index(), best_effort, "{headers:?}");
        let by_codepoint = headers.as_ref().map_or(DEFAULT, |headers| by_codepoint(headers, bit));
        assert_eq!(tables.by_codepoint[bit].service_of(&packet).index(), by_codepoint, "bit {bit} of {headers:?}");
    });
    check_rules(&rules, headers.as_ref());
    check_mixed(rules, headers.as_ref(), &packet);
}

fn raw_service() -> ServiceConfig {
    ServiceConfig::Raw(raw::Config::default())
}

/// Two services beside the default one, and the classes of a table.
fn mux(classes: Vec<Class>, table: Table) -> Mux {
    Mux::new(&Config { classes, table, ..Config::new(raw_service()) }, &Side::Client.into())
        .expect("less than 32 services")
}

fn table_of_best_effort() -> Table {
    Table::BestEffort(BestEffort {
        reliable: Some(raw_service()),
        low_delay: Some(raw_service()),
        watch: false,
        split: false,
    })
}

struct Tables {
    best_effort: Mux,
    by_codepoint: Vec<Mux>,
}

thread_local! {
    static TABLES: Tables = Tables {
        best_effort: mux(Vec::new(), table_of_best_effort()),
        by_codepoint: (0..6).map(|bit| mux(Vec::new(), table_of_codepoints(bit))).collect(),
    };
}

fn table_of_codepoints(bit: u8) -> Table {
    Table::DifferentiatedServices(DifferentiatedServices {
        reliable: Some(raw_service()),
        low_delay: Some(raw_service()),
        subclass_bit: SubclassBit::try_from(bit).expect("one of six"),
        allocations: Vec::new(),
    })
}

/// The table of best effort, as its documentation has it.
fn best_effort(headers: &Headers) -> usize {
    let has = |ports: &[(u16, u16)]| {
        let is_in = |port: u16| ports.iter().any(|(first, last)| (*first..=*last).contains(&port));
        headers.ports.is_some_and(|(source, destination)| is_in(source) || is_in(destination))
    };
    match headers.protocol.number() {
        6 | 132 => RELIABLE,
        // DNS, TFTP, SNMP, QUIC, syslog, RADIUS, NFS, SIP, CoAP.
        17 if has(&[
            (53, 53),
            (69, 69),
            (161, 162),
            (443, 443),
            (514, 514),
            (1812, 1813),
            (2049, 2049),
            (5060, 5061),
            (5683, 5684),
        ]) =>
        {
            RELIABLE
        }
        // STUN and TURN, IAX, RTP, Zoom, Meet.
        17 if has(&[(3478, 3481), (4569, 4569), (5004, 5005), (8801, 8810), (16384, 32767), (19302, 19309)]) => {
            LOW_DELAY
        }
        _ => DEFAULT,
    }
}

/// The table of Differentiated Services, as its documentation has it.
fn by_codepoint(headers: &Headers, bit: usize) -> usize {
    match headers.ds.number() {
        ds if ds & (1 << bit) != 0 => RELIABLE,
        46 | 44 | 34 | 36 | 38 | 32 => LOW_DELAY,
        _ => DEFAULT,
    }
}

fn check_rules(rules: &[Rule], headers: Option<&Headers>) {
    let numbered = rules.iter().zip((0..).filter_map(ServiceId::new));
    let classifier = Classifier::new(numbered.clone());
    if let Some(headers) = headers {
        let searched = numbered.into_iter().find(|(rule, _)| rule.matches(headers)).map(|(_, service)| service);
        assert_eq!(classifier.classify(headers), searched, "{headers:?} by {rules:?}");
    }
}

/// Classes go before the table.
fn check_mixed(rules: Vec<Rule>, headers: Option<&Headers>, packet: &[u8]) {
    let count = rules.len();
    let searched = headers.and_then(|headers| rules.iter().position(|rule| rule.matches(headers)));
    let of_table = || match headers.map_or(DEFAULT, best_effort) {
        DEFAULT => DEFAULT,
        want => count + want,
    };
    let expected = searched.map_or_else(of_table, |class| class + 1);
    let classes = rules.into_iter().map(|rule| Class::new(rule, raw_service())).collect();
    assert_eq!(mux(classes, table_of_best_effort()).service_of(packet).index(), expected, "{headers:?}");
}

/// One or two conditions: with more, hardly a packet would match, and hardly two rules would have a mask in common.
fn rule(input: &mut Input<'_>) -> Rule {
    let mut rule = Rule::default();
    for _ in 0..=input.index(2) {
        match input.index(8) {
            0 => rule.protocol = Some(Protocol::of_number(input.one_of(&[6, 17, 50, 132, 0, 255]))),
            1 => rule.source = addresses(input),
            2 => rule.destination = addresses(input),
            3 => rule.source_port = ports(input),
            4 => rule.destination_port = ports(input),
            5 => rule.port = ports(input),
            6 => rule.ds = Ds::new(input.octet() >> 2),
            _ => rule.flow_label = FlowLabel::new(input.octet().into()),
        }
    }
    rule
}

/// Those of the packets that are built here, or near them.
fn addresses(input: &mut Input<'_>) -> Option<Addresses> {
    let host = input.one_of(&[1, 2, 7, 0]);
    if input.flag() {
        Addresses::new(IpAddr::from([10, 0, 0, host]), input.one_of(&[32, 31, 30, 24, 8, 0]))
    } else {
        Addresses::new(IpAddr::from(u128::from(host).to_be_bytes()), input.one_of(&[128, 127, 126, 64, 1, 0]))
    }
}

fn ports(input: &mut Input<'_>) -> Option<Ports> {
    let known = |input: &mut Input<'_>| input.one_of(&[80, 0x9000, 40_000, 53, 5004, 16_384, 0, u16::MAX]);
    let (one, other) = (known(input), if input.flag() { known(input) } else { input.number() });
    Ports::range(one.min(other), one.max(other))
}
