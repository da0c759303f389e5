//! tshark, with our dissector, must read of a session's datagrams what their octets say.
//!
//! Where there is no tshark this is skipped, aloud; not in continuous integration, where `CI` is set.

#[path = "../../lab/tests/judge/mod.rs"]
mod judge;

use arqway_pcapng::{LinkType, Packet, Way, Writer};
use arqway_session::fuzz::end;
use arqway_session::{Config, HEAD_ROOM, Received, TAG};
use arqway_units::{LineId, Span, Time};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

const FIELDS: [&str; 15] = [
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
    "arqway_session.tag",
];

/// A first message, a cookie, a first message with it, an answer, a confirmation, packets with short and long counters, a
/// report; and a refusal, whose octets only its receiver can judge.
fn conversation() -> Vec<(bool, Vec<u8>)> {
    let (now, asking) = (Time::ZERO, Config { unproven_handshakes: 0, ..Config::default() });
    let [mut near, mut far] = [end(1, 1, Config::default(), now), end(2, 2, asking, now)];
    let mut datagrams = Vec::new();
    near.endpoint.begin(near.peer, now);
    for _ in 0..2 {
        let (_, _, mut message) = near.endpoint.poll_datagram(now, &mut near.dice).expect("a first message");
        datagrams.push((true, message.to_vec()));
        let Received::Answer(mut answer) = far.endpoint.handle_datagram(&mut message, near.at, now, &mut far.dice)
        else {
            panic!("an answer")
        };
        datagrams.push((false, answer.to_vec()));
        near.endpoint.handle_datagram(&mut answer, far.at, now, &mut near.dice);
    }
    let (_, _, confirmation) = near.endpoint.poll_datagram(now, &mut near.dice).expect("a confirmation");
    datagrams.push((true, confirmation.to_vec()));
    far.endpoint.handle_datagram(&mut confirmation.clone(), near.at, now, &mut far.dice);
    for number in 0..=1 << 14 {
        let mut buffer = [7; HEAD_ROOM + 10 + TAG];
        let sealed =
            near.endpoint.seal(near.peer, LineId::FIRST, &mut buffer, HEAD_ROOM..HEAD_ROOM + 10, now).expect("keys");
        let datagram = &mut buffer[sealed.datagram];
        if !(2..(1 << 14) - 1).contains(&number) {
            datagrams.push((true, datagram.to_vec()));
        }
        far.endpoint.handle_datagram(datagram, near.at, now, &mut far.dice);
    }
    let (_, _, report) = far.endpoint.poll_datagram(now, &mut far.dice).expect("a report");
    datagrams.push((false, report.to_vec()));
    datagrams.push((false, [[4, 0, 0, 0].as_slice(), &[9; 4], &[8; 24], &[7; 16]].concat()));
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
            "first message|0x01||{}||{}|{}|{}|{first}|{second}|||||",
            number(4),
            octets(8, 32),
            octets(40, 48),
            octets(88, length - 120)
        ),
        2 => format!(
            "answer|0x02||{}|{}|{}||{}|{first}|{second}|||||",
            number(4),
            number(8),
            octets(12, 32),
            octets(44, length - 76)
        ),
        3 => format!("cookie|0x03|||{}||||||{}|{}|||", number(4), octets(8, 24), octets(32, 32)),
        4 => format!("refusal|0x04|||{}||||||{}||||{}", number(4), octets(8, 24), octets(32, 16)),
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
            format!("{what}, index {index}, counter {counter}|0x{kind:02x}|{control}||||||||||{index}|{counter}|")
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
    assert_eq!(datagrams.len(), 11);
}
