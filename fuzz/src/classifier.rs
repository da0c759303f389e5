//! Compiled rules against a search through them, packet by packet: the ready-made tables, which are told here once more in
//! the words of their documentation, any rules, and both together.

use super::contents;
use super::input::Input;
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
    Mux::new(&Config { classes, table, ..Config::new(raw_service()) }, Side::Client).expect("less than 32 services")
}

fn table_of_best_effort() -> Table {
    Table::BestEffort(BestEffort { reliable: Some(raw_service()), low_delay: Some(raw_service()) })
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

fn some<T>(input: &mut Input<'_>, value: impl FnOnce(&mut Input<'_>) -> Option<T>) -> Option<T> {
    if input.index(3) == 0 { value(input) } else { None }
}

fn rule(input: &mut Input<'_>) -> Rule {
    Rule {
        protocol: some(input, |input| Some(Protocol::of_number(input.one_of(&[6, 17, 50, 132, 0, 255])))),
        source: some(input, addresses),
        destination: some(input, addresses),
        source_port: some(input, ports),
        destination_port: some(input, ports),
        port: some(input, ports),
        ds: some(input, |input| Ds::new(input.octet() & 0x3f)),
        flow_label: some(input, |input| FlowLabel::new(input.number().into())),
    }
}

fn addresses(input: &mut Input<'_>) -> Option<Addresses> {
    let address = if input.flag() {
        IpAddr::from([10, input.octet(), 0, input.octet() & 7])
    } else {
        IpAddr::from(u128::from(input.octet() & 7).to_be_bytes())
    };
    Addresses::new(address, input.octet().into())
}

fn ports(input: &mut Input<'_>) -> Option<Ports> {
    let (one, other) = (input.number(), input.number());
    Ports::range(one.min(other), one.max(other))
}
