//! tshark, with our dissector, must read of a session's datagrams what their octets say.
//!
//! Where there is no tshark this is skipped, aloud; not in continuous integration, where `CI` is set.

#[path = "../../lab/tests/judge/mod.rs"]
mod judge;

use arqway_pcapng::{LinkType, Packet, Way, Writer};
use arqway_session::{
    Config, Configuration, Endpoint, HEAD_ROOM, Introduction, Keepalive, PeerConfig, PeerId, PresharedKey, PrivateKey,
    Received, TAG,
};
use arqway_units::{Span, Time};
use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

const FIELDS: [&str; 14] = [
    "_ws.col.Info",
    "arqway_session.type",
    "arqway_session.control",
    "arqway_session.sender",
    "arqway_session.receiver",
    "arqway_session.ephemeral",
    "arqway_session.static",
    "arqway_session.payload",
    "arqway_session.mac1",
    "arqway_session.mac2",
    "arqway_session.nonce",
    "arqway_session.cookie",
    "arqway_session.index",
    "arqway_session.counter",
];

/// Numbers that follow each other: a test keeps no secrets.
struct Counted(u64);

impl arqway_session::Random for Counted {
    fn fill(&mut self, octets: &mut [u8]) {
        for octet in octets {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *octet = self.0.to_le_bytes()[7];
        }
    }
}

fn address(host: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, host], 7654))
}

fn end(number: u8) -> (Endpoint, PeerId) {
    let key = |number: u8| PrivateKey::generate(&mut Counted(number.into()));
    let introduction = Introduction::new(number.into(), Configuration::default());
    // The second asks for cookies.
    let unproven_handshakes = if number == 2 { 0 } else { 100 };
    let config = Config { unproven_handshakes, ..Config::default() };
    let mut endpoint = Endpoint::new(key(number), introduction, config, Span::from_milliseconds(1_700_000_000_000));
    let peer = PeerConfig {
        public: key(3 - number).public(),
        preshared: PresharedKey::default(),
        address: Some(address(3 - number)),
        keepalive: Keepalive::default(),
    };
    let peer = endpoint.add_peer(peer, Time::ZERO).expect("another end");
    (endpoint, peer)
}

/// A first message, a cookie, a first message with it, an answer, a confirmation, packets with short and long counters, a report.
fn conversation() -> Vec<(bool, Vec<u8>)> {
    let ([mut near, mut far], now, mut random) = ([end(1), end(2)], Time::ZERO, Counted(5));
    let mut datagrams = Vec::new();
    near.0.begin(near.1, now);
    for _ in 0..2 {
        let (_, mut message) = near.0.poll_datagram(now, &mut random).expect("a first message");
        datagrams.push((true, message.to_vec()));
        let Received::Answer(mut answer) = far.0.handle_datagram(&mut message, address(1), now, &mut random) else {
            panic!("an answer")
        };
        datagrams.push((false, answer.to_vec()));
        near.0.handle_datagram(&mut answer, address(2), now, &mut random);
    }
    let (_, confirmation) = near.0.poll_datagram(now, &mut random).expect("a confirmation");
    datagrams.push((true, confirmation.to_vec()));
    far.0.handle_datagram(&mut confirmation.clone(), address(1), now, &mut random);
    for number in 0..=1 << 14 {
        let mut buffer = [7; HEAD_ROOM + 10 + TAG];
        let sealed = near.0.seal(near.1, &mut buffer, HEAD_ROOM..HEAD_ROOM + 10, now).expect("keys");
        let datagram = &mut buffer[sealed.datagram];
        if !(2..(1 << 14) - 1).contains(&number) {
            datagrams.push((true, datagram.to_vec()));
        }
        far.0.handle_datagram(datagram, address(1), now, &mut random);
    }
    let (_, report) = far.0.poll_datagram(now, &mut random).expect("a report");
    datagrams.push((false, report.to_vec()));
    datagrams
}

/// What tshark should say of a datagram.
fn expected(datagram: &[u8]) -> String {
    let octets = |from: usize, length: usize| {
        datagram[from..from + length].iter().fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
    };
    let number = |from: usize| {
        let chunk: [u8; 4] = datagram[from..from + 4].try_into().expect("four octets");
        format!("0x{:08x}", u32::from_le_bytes(chunk))
    };
    let (kind, length) = (datagram[0], datagram.len());
    let codes = [octets(length.saturating_sub(32), 16), octets(length.saturating_sub(16), 16)];
    let [first, second] = codes;
    match kind {
        1 => format!(
            "first message|0x01||{}||{}|{}|{}|{first}|{second}||||",
            number(4),
            octets(8, 32),
            octets(40, 48),
            octets(88, length - 120)
        ),
        2 => format!(
            "answer|0x02||{}|{}|{}||{}|{first}|{second}||||",
            number(4),
            number(8),
            octets(12, 32),
            octets(44, length - 76)
        ),
        3 => format!("cookie|0x03|||{}||||||{}|{}||", number(4), octets(8, 24), octets(32, 32)),
        _ => {
            let (is_control, is_long) = (kind & 2 != 0, kind & 1 != 0);
            let low = |from: usize| u32::from(datagram[from]) + 256 * u32::from(datagram[from + 1]);
            let counter = low(3) + if is_long { low(5) << 16 } else { 0 };
            let what = if is_control {
                "control"
            } else if length == 21 {
                "sign of life"
            } else {
                "packet"
            };
            let index = format!("0x{:04x}", low(1));
            let control = u8::from(is_control);
            format!("{what}, index {index}, counter {counter}|0x{kind:02x}|{control}||||||||||{index}|{counter}")
        }
    }
}

/// A datagram in UDP in IPv4.
fn packet(datagram: &[u8], is_near: bool) -> Vec<u8> {
    let addresses = if is_near { [[192, 0, 2, 1], [192, 0, 2, 2]] } else { [[192, 0, 2, 2], [192, 0, 2, 1]] };
    let builder = etherparse::PacketBuilder::ipv4(addresses[0], addresses[1], 64).udp(7654, 7654);
    let mut octets = Vec::new();
    builder.write(&mut octets, datagram).expect("memory");
    octets
}

#[test]
fn tshark_reads_handshakes_and_the_heads_of_what_is_sealed() {
    if !judge::there_is_tshark() {
        return;
    }
    let datagrams = conversation();
    let mut writer = Writer::new(Vec::new(), "a test", "").expect("memory");
    let interface = writer.interface(LinkType::RawIp, "path", "").expect("memory");
    let mut lines = String::new();
    for (number, (is_near, datagram)) in (1..).zip(&datagrams) {
        let octets = packet(datagram, *is_near);
        let at = Time::ZERO + Span::from_milliseconds(number);
        writer.packet(&Packet { interface, at, way: Way::Out, comment: None, octets: &octets }).expect("memory");
        writeln!(lines, "{}", expected(datagram)).expect("memory");
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("session-{}.pcapng", std::process::id()));
    fs::write(&file, writer.finish().expect("memory")).expect("a file of our own");
    let script = concat!("lua_script:", env!("CARGO_MANIFEST_DIR"), "/../../wireshark/arqway.lua");
    let mut command = Command::new("tshark");
    command.args(["-X", script, "-T", "fields", "-E", "separator=|", "-r"]).arg(&file);
    command.args(FIELDS.iter().flat_map(|field| ["-e", field]));
    // Its own settings, and nobody's.
    let output =
        command.env("HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-settings")).output().expect("tshark");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !told.contains("Lua:"), "{told}");
    fs::remove_file(&file).expect("a file of our own");
    assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), lines);
    assert_eq!(datagrams.len(), 10);
}
