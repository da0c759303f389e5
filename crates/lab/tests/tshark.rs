//! The judge of captures is Wireshark: a capture of a run, read by tshark with our dissector, must say what the simulator
//! sent, and find every checksum right.
//!
//! Where there is no tshark this is skipped, aloud; not in continuous integration, where `CI` is set.

use arqway_lab::capture::{Capture, Place};
use arqway_lab::cell::Cell;
use arqway_lab::document::Source;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::plan::Request;
use arqway_link::selective_repeat::{Unit, parse};
use arqway_link::{Frame, Packet};
use arqway_sim::channel::Direction;
use arqway_sim::{Host, Probe};
use arqway_units::Time;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STUDY: &str = r#"
[experiment]
id = "study"
[scenario]
base = "monet08"
set = { "media.enabled" = true, "file-transfer.size" = "40 kB", "wireless.errors" = { kind = "uniform", loss = "5.4 %" } }
[[scheme]]
use = "sr:0.9"
"#;

/// What is read of each packet, in this order.
const FIELDS: [&str; 13] = [
    "frame.interface_name",
    "frame.time_epoch",
    "arqway.service",
    "arqway.kind",
    "arqway.service.name",
    "arqway.sr.nr",
    "arqway.sr.ns",
    "arqway.sr.reject",
    "frame.comment",
    "ip.proto",
    "ip.checksum.status",
    "tcp.checksum.status",
    "udp.checksum.status",
];

/// Says of each frame and packet what tshark should say: one line each, in the order of the capture.
#[derive(Default)]
struct Expected(String);

impl Expected {
    fn frame(&mut self, interface: &str, frame: &Frame, comment: &str, now: Time) {
        let service = frame.tag.service().index();
        let kind = frame.tag.as_octet() & 7;
        let (name, numbers) = match (service, parse(frame.clone())) {
            (0, Some(Unit::Data { next, number, .. })) => ("selective-repeat", format!("{next}|{number}|")),
            (0, Some(Unit::Acknowledgement { next })) => ("selective-repeat", format!("{next}||")),
            (0, Some(Unit::Reject { next, missing })) => ("selective-repeat", format!("{next}||{missing}")),
            _ => ("raw", "||".to_owned()),
        };
        let inside = inside(&frame.body);
        let time = epoch(now);
        writeln!(self.0, "{interface}|{time}|{service}|{kind}|{name}|{numbers}|{comment}|{inside}").expect("memory");
    }

    fn packet(&mut self, interface: &str, packet: &Packet, now: Time) {
        writeln!(self.0, "{interface}|{}||||||||{}", epoch(now), inside(&packet.octets)).expect("memory");
    }
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

    fn packet_sent(&mut self, host: Host, packet: &Packet, now: Time) {
        self.packet(if host == Host::Server { "server IP" } else { "client IP" }, packet, now);
    }

    fn packet_received(&mut self, host: Host, packet: &Packet, now: Time) {
        self.packet_sent(host, packet, now);
    }
}

#[test]
fn tshark_reads_what_the_simulator_sent_and_finds_every_checksum_right() {
    if !there_is_tshark() {
        return;
    }
    let (file, Expected(expected)) = capture("everything.pcapng");
    let read = tshark(&file, &[]);
    let differs = read.lines().zip(expected.lines()).enumerate().find(|(_, (read, expected))| read != expected);
    if let Some((number, (read, expected))) = differs {
        panic!("packet {}:\n{read}, as tshark reads it, is not\n{expected}", number + 1);
    }
    assert_eq!(read.lines().count(), expected.lines().count());
    assert!(expected.lines().count() > 1000);
    for part in ["|lost on the link|", "|2|selective-repeat|", "|1|selective-repeat|", "|0|raw|", "|6|1|1|", "|17|1||1"]
    {
        assert!(expected.contains(part), "nothing of the kind {part} in the run");
    }
}

#[test]
fn tshark_finds_nothing_malformed_and_nothing_unknown() {
    if !there_is_tshark() {
        return;
    }
    let (file, _) = capture("well-formed.pcapng");
    assert_eq!(tshark(&file, &["-Y", "_ws.malformed || arqway.malformed || arqway.unknown"]), "");
}

fn capture(name: &str) -> (PathBuf, Expected) {
    let experiment = Experiment::read(&Source::new("study.toml", STUDY), Path::new(""), Effort::Full);
    let cell = Cell::find(experiment.expect("no mistakes"), &Request::default()).expect("the only cell");
    let capture = Capture::new(Vec::new(), "a study", &cell.scenario().link_layer, &Place::ALL).expect("memory");
    let mut watching = (capture, Expected::default());
    cell.watch(&mut watching).expect("two services");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    fs::write(&file, watching.0.finish().expect("memory").1).expect("a file of our own");
    (file, watching.1)
}

/// The fields of each packet, a line each.
fn tshark(file: &Path, arguments: &[&str]) -> String {
    let script = concat!("lua_script:", env!("CARGO_MANIFEST_DIR"), "/../../wireshark/arqway.lua");
    let mut command = Command::new("tshark");
    command.args(["-X", script, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]);
    command.args(["-o", "udp.check_checksum:TRUE", "-T", "fields", "-E", "separator=|", "-E", "occurrence=f", "-r"]);
    command.arg(file).args(FIELDS.iter().flat_map(|field| ["-e", field])).args(arguments);
    // Its own settings, and nobody's.
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-settings");
    let output = command.env("HOME", &home).env("TZ", "UTC").output().expect("tshark");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !told.contains("Lua:"), "{told}");
    fs::remove_file(file).expect("a file of our own");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn there_is_tshark() -> bool {
    match Command::new("tshark").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) => status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound && std::env::var_os("CI").is_none() => {
            // Not by a macro, whose words a test that passes keeps to itself.
            let _ = writeln!(io::stderr(), "\nskipped: there is no tshark here (apt-get install tshark)");
            false
        }
        Err(error) => panic!("tshark does not run, and continuous integration needs it: {error}"),
    }
}
