//! The judge of captures is Wireshark: a capture of a run, read by tshark with our dissector, must say what the simulator
//! sent, and find every checksum right.
//!
//! Where there is no tshark this is skipped, aloud; not in continuous integration, where `CI` is set.

mod judge;

use arqway_config::Source;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::cell::Cell;
use arqway_lab::run::plan::Request;
use arqway_lab::trace::capture::{Capture, Place};
use arqway_link::rlc::pdu::{AmOptions, AmPdu, Amd, LengthIndicatorSize, parse_am, parse_um};
use arqway_link::{Frame, fec, go_back_n, rlp, selective_repeat, tally};
use arqway_sim::channel::Direction;
use arqway_sim::{Host, Probe};
use arqway_units::Time;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A scheme of each service, with which TCP makes and loses frames of every kind, and in which order packets are released.
const SCHEMES: [(&str, &str); 15] = [
    ("sr:0.9", "full"),
    ("sr:0.9", "per-flow"),
    ("sr:0.9", "none"),
    ("go-back-n:0.9", "full"),
    ("rlp:3", "full"),
    ("rlp:3", "per-flow"),
    ("oos-rlp:1", "full"),
    ("xor-fec:4", "full"),
    ("rlc:1", "full"),
    ("rlc-um", "full"),
    ("rlc-tm", "full"),
    ("sscop", "full"),
    ("sscop-pfrs", "full"),
    ("sscop-none", "full"),
    ("tally", "per-flow"),
];

const STUDY: &str = r#"
[experiment]
id = "study"
[scenario]
base = "monet08"
set = { "media.enabled" = true, "file-transfer.size" = "40 kB", "wireless.errors" = { kind = "uniform", loss = "5.4 %" }, "services.selective-repeat.resequencing" = "ORDER", "services.rlp.resequencing" = "ORDER", "services.tally.repair" = true }
[[scheme]]
use = "SCHEME"
"#;

/// What is read of each packet, in this order.
const FIELDS: [&str; 33] = [
    "frame.interface_name",
    "frame.time_epoch",
    "arqway.service",
    "arqway.kind",
    "arqway.service.name",
    "arqway.sr.nr",
    "arqway.sr.ns",
    "arqway.sr.reject",
    "arqway.sr.link",
    "arqway.gbn.nr",
    "arqway.gbn.ns",
    "arqway.rlp.n",
    "arqway.rlp.missing",
    "arqway.rlp.next",
    "arqway.rlp.link",
    "arqway.fec.n",
    "arqway.fec.count",
    "arqway.fec.lengths",
    "arqway.fec.check",
    "arqway.umd.sn",
    "arqway.amd.sn",
    "arqway.amd.p",
    "arqway.am.type",
    "arqway.tally.number",
    "arqway.tally.counter",
    "arqway.tally.link",
    "arqway.tally.next",
    "arqway.tally.newest",
    "frame.comment",
    "ip.proto",
    "ip.checksum.status",
    "tcp.checksum.status",
    "udp.checksum.status",
];

/// Says of each frame and packet what tshark should say: one line each, in the order of the capture.
struct Expected {
    /// The kind of the service that carries TCP.
    service: String,
    lines: String,
}

impl Expected {
    fn frame(&mut self, interface: &str, frame: &Frame, comment: &str, now: Time) {
        let service = frame.tag.service().index();
        let kind = frame.tag.as_octet() & 7;
        let name = if service == 0 { &self.service } else { "raw" };
        let numbers = numbers_of(name, frame);
        // What a parity carries is the XOR of packets, and what a PDU of RLC carries are parts of them.
        let is_packet = match name {
            "rlc-am" | "rlc-um" => false,
            "xor-fec" => kind == 0,
            "sscop" => carries_packet(frame),
            "tally" => is_whole(frame),
            _ => true,
        };
        let inside = inside(if is_packet { &frame.body } else { &[] });
        let time = epoch(now);
        writeln!(self.lines, "{interface}|{time}|{service}|{kind}|{name}|{numbers}|{comment}|{inside}")
            .expect("memory");
    }

    fn packet(&mut self, interface: &str, packet: &[u8], now: Time) {
        let inside = inside(packet);
        writeln!(self.lines, "{interface}|{}||||||||||||||||||||||||||||{inside}", epoch(now)).expect("memory");
    }
}

/// Whether a frame of SSCOP bears an SD PDU: its trailer says so.
fn carries_packet(frame: &Frame) -> bool {
    let octets = frame.parts().concat();
    octets.last_chunk::<4>().is_some_and(|trailer| trailer[0] & 0xf == 8)
}

/// Whether a frame of tally bears a packet, and all of it.
fn is_whole(frame: &Frame) -> bool {
    matches!(tally::parse(frame.clone(), true), Some(tally::Pdu::Data(cut, _)) if cut.starts && cut.ends)
}

/// Frame, transmission and link of a frame of tally, and what it tells: the next frame that is missing, the newest transmission.
fn numbers_of_tally(frame: &Frame) -> String {
    let (names, feedback) = match tally::parse(frame.clone(), true).expect("a frame of tally") {
        tally::Pdu::Data(cut, feedback) => ((Some(cut.number), Some(cut.counter), cut.link), feedback),
        tally::Pdu::Piece { cut, .. } => ((Some(cut.number), Some(cut.counter), cut.link), None),
        tally::Pdu::Feedback(feedback) => ((None, None, None), Some(feedback)),
        tally::Pdu::Poll { counter } => ((None, Some(counter), None), None),
        tally::Pdu::GivenUp { number, counter, .. } => ((Some(number), Some(counter), None), None),
        tally::Pdu::Repair(repair) => ((Some(repair.first), Some(repair.counter), None), None),
    };
    let (number, counter, link) = names;
    let told = feedback.map(|feedback| [feedback.next, feedback.newest]);
    let numbers = [number, counter, link.map(u64::from), told.map(|told| told[0]), told.map(|told| told[1])];
    numbers.map(|number| number.map_or(String::new(), |number| number.to_string())).join("|")
}

/// The numbers in a frame's head: those of Selective Repeat, of go-back-n, of RLP, of forward error correction, of RLC's
/// unacknowledged and acknowledged mode, of tally.
fn numbers_of(service: &str, frame: &Frame) -> String {
    let (mut sr, mut gbn, mut rlp, mut fec) = ("|||".to_owned(), "|".to_owned(), "|||".to_owned(), "|||".to_owned());
    let written = |link: Option<u8>| link.map_or(String::new(), |link| link.to_string());
    let (mut umd, mut am, mut tally) = (String::new(), "||".to_owned(), "||||".to_owned());
    match service {
        "selective-repeat" => {
            sr = match selective_repeat::parse(frame.clone()).expect("a frame of Selective Repeat") {
                selective_repeat::Pdu::Data { next, number, link, .. } => {
                    format!("{next}|{number}||{}", written(link))
                }
                selective_repeat::Pdu::Acknowledgement { next } => format!("{next}|||"),
                selective_repeat::Pdu::Reject { next, missing } => format!("{next}||{missing}|"),
            }
        }
        "go-back-n" => {
            gbn = match go_back_n::parse(frame.clone()).expect("a frame of go-back-n") {
                go_back_n::Pdu::Data { next, number, .. } => format!("{next}|{number}"),
                go_back_n::Pdu::Acknowledgement { next } => format!("{next}|"),
            }
        }
        "rlp" => {
            rlp = match rlp::parse(frame.clone()).expect("a frame of RLP") {
                rlp::Pdu::Data { number, form, .. } | rlp::Pdu::Repair { number, form, .. } => {
                    format!("{number}|||{}", written(form.link()))
                }
                rlp::Pdu::Nack(missing) => {
                    let numbers: Vec<_> = missing.numbers().map(|number| number.to_string()).collect();
                    format!("|{}||", numbers.join(","))
                }
                rlp::Pdu::Keepalive { next } => format!("||{next}|"),
            }
        }
        "xor-fec" => {
            fec = match fec::parse(frame.clone()).expect("a frame of forward error correction") {
                fec::Pdu::Data { number, .. } => format!("{number}|||"),
                fec::Pdu::Parity(fec::Parity { first, count, lengths, check, .. }) => {
                    format!("{first}|{count}|{lengths}|0x{check:08x}")
                }
            }
        }
        "rlc-um" => {
            let pdu = parse_um(frame.clone(), LengthIndicatorSize::Fifteen, true).expect("a UMD PDU");
            umd = pdu.number.to_string();
        }
        "rlc-am" => {
            let pdu = parse_am(frame.clone(), LengthIndicatorSize::Fifteen, AmOptions::default()).expect("a PDU");
            am = match pdu {
                AmPdu::Data(Amd { number, poll, .. }) => format!("{number}|{}|", u8::from(poll)),
                AmPdu::Status(_) => "||0".to_owned(),
                AmPdu::Reset(_) => "||1".to_owned(),
                AmPdu::ResetAck(_) => "||2".to_owned(),
            };
        }
        "tally" => tally = numbers_of_tally(frame),
        _ => {}
    }
    [sr, gbn, rlp, fec, umd, am, tally].join("|")
}

/// The protocol of the packet inside, and that its checksums are right.
fn inside(packet: &[u8]) -> &'static str {
    const GOOD_TCP: &str = "6|1|1|";
    const GOOD_UDP: &str = "17|1||1";
    match packet.get(9) {
        Some(6) => GOOD_TCP,
        Some(17) => GOOD_UDP,
        _ => "|||",
    }
}

fn epoch(now: Time) -> String {
    let nanoseconds = now.as_nanoseconds();
    format!("{}.{:09}", nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
}

impl Probe for Expected {
    fn frame_sent(&mut self, direction: Direction, frame: &Frame, arrives: bool, now: Time) {
        let interface = if direction == Direction::Down { "access point" } else { "client" };
        self.frame(interface, frame, if arrives { "" } else { "lost on the link" }, now);
    }

    fn frame_received(&mut self, direction: Direction, frame: &Frame, now: Time) {
        self.frame(if direction == Direction::Down { "client" } else { "access point" }, frame, "", now);
    }

    fn packet_sent(&mut self, host: Host, packet: &[u8], now: Time) {
        self.packet(if host == Host::Server { "server IP" } else { "client IP" }, packet, now);
    }

    fn packet_received(&mut self, host: Host, packet: &[u8], now: Time) {
        self.packet_sent(host, packet, now);
    }
}

#[test]
fn tshark_reads_what_the_simulator_sent_and_finds_every_checksum_right() {
    if !judge::there_is_tshark() {
        return;
    }
    let mut everything = String::new();
    for (scheme, order) in SCHEMES {
        let (file, Expected { lines: expected, .. }) = capture(scheme, order);
        let read = tshark(&file, told(scheme));
        let differs = read.lines().zip(expected.lines()).enumerate().find(|(_, (read, expected))| read != expected);
        if let Some((number, (read, expected))) = differs {
            panic!("{scheme}, {order}, packet {}:\n{read}, as tshark reads it, is not\n{expected}", number + 1);
        }
        assert_eq!(read.lines().count(), expected.lines().count());
        assert!(expected.lines().count() > 1000);
        everything += &expected;
    }
    for part in ["|lost on the link|", "|0|raw|", "|6|1|1|", "|17|1||1"] {
        assert!(everything.contains(part), "nothing of the kind {part} in the runs");
    }
    for (kinds, service) in [
        (4, "selective-repeat"),
        (2, "go-back-n"),
        (6, "rlp"),
        (2, "xor-fec"),
        (1, "rlc-am"),
        (1, "rlc-um"),
        (1, "rlc-tm"),
    ] {
        for kind in 0..kinds {
            assert!(everything.contains(&format!("|{kind}|{service}|")), "no kind {kind} of {service} in the runs");
        }
    }
    for kind in [0, 1, 2, 4, 5, 6, 7] {
        assert!(everything.contains(&format!("|{kind}|tally|")), "no kind {kind} of tally in the runs");
    }
}

/// What the dissector cannot see in a capture and has to be told.
fn told(scheme: &str) -> &'static [&'static str] {
    if scheme.starts_with("sscop-") { &["-o", "arqway.sscop_link:TRUE"] } else { &[] }
}

#[test]
fn tshark_finds_nothing_malformed_and_nothing_unknown() {
    if !judge::there_is_tshark() {
        return;
    }
    for (scheme, order) in SCHEMES {
        let (file, _) = capture(scheme, order);
        assert_eq!(
            tshark(&file, &[told(scheme), &["-Y", "_ws.malformed || arqway.malformed || arqway.unknown"]].concat()),
            "",
            "{scheme}, {order}"
        );
    }
}

fn capture(scheme: &str, order: &str) -> (PathBuf, Expected) {
    static CAPTURES: AtomicUsize = AtomicUsize::new(0);
    let study = STUDY.replace("SCHEME", scheme).replace("ORDER", order);
    let experiment = Experiment::read(&Source::new("study.toml", &study), Path::new(""), Effort::Full);
    let cell = Cell::find(experiment.expect("no mistakes"), &Request::default()).expect("the only cell");
    let link_layer = &cell.scenario().link_layer;
    let capture = Capture::new(Vec::new(), "a study", link_layer, &Place::ALL).expect("memory");
    let service = link_layer.service.kind().to_owned();
    let mut watching = (capture, Expected { service, lines: String::new() });
    cell.watch(&mut watching, &Cancellation::new()).expect("two services");
    let name = format!("{}-{}.pcapng", std::process::id(), CAPTURES.fetch_add(1, Ordering::Relaxed));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, watching.0.finish().expect("memory").1).expect("a file of our own");
    (file, watching.1)
}

/// The fields of each packet, a line each.
fn tshark(file: &Path, arguments: &[&str]) -> String {
    let script = concat!("lua_script:", env!("CARGO_MANIFEST_DIR"), "/../../wireshark/arqway.lua");
    let mut command = Command::new("tshark");
    command.args(["-X", script, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]);
    command.args(["-o", "udp.check_checksum:TRUE", "-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-r"]);
    command.arg(file).args(FIELDS.iter().flat_map(|field| ["-e", field])).args(arguments);
    // Its own settings, and nobody's.
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-settings");
    let output = command.env("HOME", &home).env("TZ", "UTC").output().expect("tshark");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !told.contains("Lua:"), "{told}");
    fs::remove_file(file).expect("a file of our own");
    String::from_utf8(output.stdout).expect("UTF-8")
}
