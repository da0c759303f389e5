//! What tshark says of PDUs: a line for each, a column for each field; and what it is to say.

use arqway_link::sscop::pdu::{Pdu, Stat};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

const FIELDS: [&str; 12] = [
    "sscop.type",
    "sscop.sq",
    "sscop.mr",
    "sscop.s",
    "sscop.ps",
    "sscop.r",
    "sscop.stat.s",
    "sscop.pad_length",
    "sscop.source",
    "data.data",
    "_ws.expert.message",
    "_ws.malformed",
];

/// A line for each PDU.
pub(crate) fn lines(pdus: &[Vec<u8>]) -> String {
    let name = format!("sscop-{}-{:?}.pcap", std::process::id(), std::thread::current().id());
    let capture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&capture, file(pdus)).expect("a file of our own");
    let mut command = Command::new("tshark");
    command.args(["-o", r#"uat:user_dlts:"User 0 (DLT=147)","sscop","0","","0","""#, "-o", "sscop.payload:data"]);
    command.args(["-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=;"]);
    command.args(FIELDS.iter().flat_map(|field| ["-e", field])).arg("-r").arg(&capture);
    // Its own settings, and nobody's.
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-settings");
    let output = command.env("HOME", &home).output().expect("tshark");
    fs::remove_file(&capture).expect("a file of our own");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A capture file (libpcap's) of a kind that is for the user to say.
fn file(pdus: &[Vec<u8>]) -> Vec<u8> {
    const MAGIC: u32 = 0xa1b2_c3d4;
    const VERSION: u32 = 0x0004_0002;
    const USER_0: u32 = 147;
    let mut file = Vec::new();
    for word in [MAGIC, VERSION, 0, 0, 0xffff, USER_0] {
        file.extend(word.to_le_bytes());
    }
    for (index, octets) in (0u32..).zip(pdus) {
        let length = u32::try_from(octets.len()).expect("a short PDU");
        for word in [index, 0, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(octets);
    }
    file
}

/// What the standard calls it, and its type (Q.2110 table 3).
pub(crate) fn kind(pdu: &Pdu) -> (u8, &'static str) {
    match pdu {
        Pdu::Bgn { .. } => (1, "BGN"),
        Pdu::Bgak { .. } => (2, "BGAK"),
        Pdu::End { .. } => (3, "END"),
        Pdu::Endak => (4, "ENDAK"),
        Pdu::Rs { .. } => (5, "RS"),
        Pdu::Rsak { .. } => (6, "RSAK"),
        Pdu::Bgrej { .. } => (7, "BGREJ"),
        Pdu::Sd { .. } => (8, "SD"),
        Pdu::Er { .. } => (9, "ER"),
        Pdu::Poll { .. } => (10, "POLL"),
        Pdu::Stat(_) => (11, "STAT"),
        Pdu::Ustat { .. } => (12, "USTAT"),
        Pdu::Ud { .. } => (13, "UD"),
        Pdu::Md { .. } => (14, "MD"),
        Pdu::Erak { .. } => (15, "ERAK"),
    }
}

/// The line for a PDU.
pub(crate) fn meant(pdu: &Pdu) -> String {
    let [mut sq, mut mr, mut s, mut ps, mut r, mut list, mut pad, mut source, mut data] = [const { String::new() }; 9];
    match pdu {
        Pdu::Bgn { sq: number, mr: edge, uu } | Pdu::Rs { sq: number, mr: edge, uu } => {
            (sq, mr, pad) = (number.to_string(), edge.to_string(), padding(uu));
        }
        Pdu::Bgak { mr: edge, uu } => (mr, pad) = (edge.to_string(), padding(uu)),
        Pdu::Bgrej { uu } => pad = padding(uu),
        Pdu::End { by_sscop, uu } => {
            (pad, source) = (padding(uu), if *by_sscop { "SSCOP" } else { "User" }.to_string());
        }
        Pdu::Endak | Pdu::Md { .. } => {}
        Pdu::Rsak { mr: edge } | Pdu::Erak { mr: edge } => mr = edge.to_string(),
        Pdu::Er { sq: number, mr: edge } => (sq, mr) = (number.to_string(), edge.to_string()),
        Pdu::Sd { number, packet } => {
            (s, pad) = (number.to_string(), padding(packet));
            packet.iter().for_each(|octet| _ = write!(data, "{octet:02x}"));
        }
        Pdu::Poll { ps: poll, s: next } => (s, ps) = (next.to_string(), poll.to_string()),
        Pdu::Stat(stat) => {
            let Stat { ps: poll, mr: edge, r: next, .. } = stat;
            (mr, ps, r) = (edge.to_string(), poll.to_string(), next.to_string());
            list = stat.list().map(|number| number.to_string()).collect::<Vec<_>>().join(";");
        }
        Pdu::Ustat { first, end, mr: edge, r: next } => {
            (mr, r, list) = (edge.to_string(), next.to_string(), format!("{first};{end}"));
        }
        Pdu::Ud { packet } => pad = padding(packet),
    }
    let kind = format!("0x{:02x}", kind(pdu).0);
    [kind, sq, mr, s, ps, r, list, pad, source, data, String::new(), String::new()].join("|")
}

fn padding(information: &[u8]) -> String {
    (information.len().wrapping_neg() % 4).to_string()
}
