//! `arqway classify` as others use it: on a capture of a call on a port of its own, a file, questions and a game.

use crate::folder::{Folder, text};

/// A record of classic pcap, in microseconds.
fn record(file: &mut Vec<u8>, microseconds: u32, packet: &[u8]) {
    let length = u32::try_from(packet.len()).expect("short");
    for word in [microseconds / 1_000_000, microseconds % 1_000_000, length, length] {
        file.extend(word.to_le_bytes());
    }
    file.extend(packet);
}

/// A packet of IPv4 from 10.0.0.1 to 10.0.0.2, of a protocol with ports.
fn packet(protocol: u8, ports: [u16; 2], rest: &[u8]) -> Vec<u8> {
    let length = u16::try_from(24 + rest.len()).expect("short").to_be_bytes();
    let header = [0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    [&header[..], &ports[0].to_be_bytes(), &ports[1].to_be_bytes(), rest].concat()
}

fn capture() -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xA1B2_C3D4_u32, 2 | 4 << 16, 0, 0, 65_535, 101] {
        file.extend(word.to_le_bytes());
    }
    for number in 0..100_u8 {
        let at = u32::from(number) * 20_000;
        let rtp = [&[0, 0, 0, 0, 0x80, 111, 0, number, 0, 0, 0, 0, 1, 2, 3, 4][..], &[0; 160]].concat();
        record(&mut file, at, &packet(17, [50_000, 40_000], &rtp));
        record(&mut file, at + 1, &packet(17, [9000, 9001], &[1; 60]));
        record(&mut file, at + 2, &packet(6, [443, 50_000], &[0; 1016]));
        record(&mut file, at + 3, &packet(17, [5201, 5201], &[1; 1200]));
    }
    record(&mut file, 2_000_000, &packet(17, [53, 1000], &[1; 60]));
    record(&mut file, 2_000_000, b"no packet");
    file
}

#[test]
fn each_flow_of_a_capture_is_printed_with_its_service_and_why() {
    let folder = Folder::new("classify");
    folder.write_octets("calls.pcap", &capture());
    let run = |arguments: &[&str]| {
        let output = folder.arqway(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let printed = run(&["classify", "calls.pcap"]);
    let lines: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        lines[0].join(" "),
        "calls.pcap: 401 packets of 5 flows; 1 that are no whole packets of IP go by the default service"
    );
    let flow = |port: &str| {
        let line = lines.iter().find(|line| line.iter().any(|word| word.ends_with(port))).expect("its line");
        line.join(" ")
    };
    assert!(flow(":5201").starts_with("default raw no rule 100"), "{printed}");
    assert!(flow(".1:443").starts_with("reliable tally protocol 100"), "{printed}");
    assert!(flow(".1:50000").starts_with("low-delay rlp RTP 100"), "{printed}");
    assert!(flow(".1:9000").starts_with("low-delay rlp small and steady 100"), "{printed}");
    assert!(flow(".1:53").starts_with("low-delay rlp port or DSCP 1"), "{printed}");
    // Other services, and the same as rows.
    folder.write("classes.toml", "[link-layer]\nservice = \"selective-repeat\"\n");
    let other = run(&["classify", "calls.pcap", "--link-layer", "classes.toml"]);
    assert!(other.lines().skip(2).all(|line| line.starts_with("  default      selective-repeat   no rule")), "{other}");
    let rows = run(&["classify", "calls.pcap", "--json"]);
    assert!(rows.starts_with("[\n  {\n    \"protocol\": \"udp\"") && rows.matches("\"why\"").count() == 5, "{rows}");
}

#[test]
fn a_capture_that_was_cut_is_read_up_to_there_which_is_said() {
    let folder = Folder::new("classify-cut");
    let whole = capture();
    folder.write_octets("cut.pcap", &whole[..whole.len() - 3]);
    let output = folder.arqway(&["classify", "cut.pcap"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("cut.pcap: 401 packets of 5 flows\n"), "{}", text(&output.stdout));
    assert_eq!(text(&output.stderr).trim(), "cut.pcap ends in the middle of a packet: its first 401 were read");
}
