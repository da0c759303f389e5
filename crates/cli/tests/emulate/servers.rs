//! What a command finds at the ends of the link: its own address, and the servers at the other end.

use crate::emulator::{can_run, emulate, itself, stderr};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream, UdpSocket};
use std::time::Duration;

const ECHO: u16 = 7;
const DISCARD: u16 = 9;
/// Longer than any round trip here.
const LONGEST: Option<Duration> = Some(Duration::from_secs(20));

#[test]
fn the_servers_echo_and_discard_over_tcp_and_udp_at_the_addresses_that_the_command_is_told() {
    if !can_run() {
        return;
    }
    for addresses in ["10.77.1.1/24,10.77.1.2/24", "fd77::1/64,fd77::2/64"] {
        let talks = itself("servers::talks");
        let options = ["clean", "--servers", "--addresses", addresses, "--"];
        let output = emulate(&options.into_iter().chain(talks.iter().map(|word| &**word)).collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{addresses}: {}\n{said}", stderr(&output));
        assert!(said.contains("1 passed"), "{said}");
    }
}

#[test]
fn without_servers_nothing_answers() {
    if !can_run() {
        return;
    }
    let refused = itself("servers::is_refused");
    let options = ["clean", "--"];
    let output = emulate(&options.into_iter().chain(refused.iter().map(|word| &**word)).collect::<Vec<_>>());
    assert!(output.status.success(), "{}\n{}", stderr(&output), String::from_utf8_lossy(&output.stdout));
}

fn told(name: &str) -> String {
    std::env::var(name).expect("the emulator tells the addresses")
}

#[test]
#[ignore = "another test runs it at the client's end of a link"]
fn talks() {
    let (own, peer) = (told("ARQWAY_ADDRESS"), told("ARQWAY_PEER"));
    assert_ne!(own, peer);
    let connect = |port| {
        let stream = TcpStream::connect((&*peer, port)).expect("a server");
        stream.set_read_timeout(LONGEST).expect("a timeout");
        assert_eq!(stream.local_addr().expect("an address").ip().to_string(), own);
        stream
    };
    let sent: Vec<u8> = (0..40_000u32).map(|number| number.to_le_bytes()[1]).collect();
    for (port, expected) in [(ECHO, &*sent), (DISCARD, &[])] {
        let mut stream = connect(port);
        stream.write_all(&sent).expect("a connection");
        stream.shutdown(Shutdown::Write).expect("a connection");
        let mut received = Vec::new();
        stream.read_to_end(&mut received).expect("an answer, or the end of it");
        assert_eq!(received, expected, "port {port}");
    }
    let socket = UdpSocket::bind((&*own, 0)).expect("the command's own address");
    socket.set_read_timeout(LONGEST).expect("a timeout");
    // On this link nothing overtakes: an answer of the first would come first.
    for (text, port) in [("to nobody", DISCARD), ("to myself", ECHO)] {
        socket.send_to(text.as_bytes(), (&*peer, port)).expect("room in the device");
    }
    let mut answer = [0; 100];
    let (length, from) = socket.recv_from(&mut answer).expect("an answer");
    assert_eq!((&answer[..length], from.ip().to_string(), from.port()), (&b"to myself"[..], peer, ECHO));
}

#[test]
#[ignore = "another test runs it at the client's end of a link"]
fn is_refused() {
    let error = TcpStream::connect((&*told("ARQWAY_PEER"), ECHO)).expect_err("no server");
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
}
