//! DSCP and ECN with the real kernel: `middle` hands frames on, marks datagrams that may be marked, and says what it has seen.
//!
//! ```text
//!     left ---- middle ---- right
//!       `----- tunnel -------'
//! ```

use crate::ends::{Site, Tunnel};
use crate::middle::{middle, stand_between};
use crate::running::Running;
use crate::system::{can_run, itself};
use arqway_net::{Clock, Outer, UdpSocket, Wait};
use arqway_slab::Slab;
use std::collections::BTreeSet;
use std::os::fd::AsFd as _;

/// Where calls go: of a class that has EF outside.
const CALL: &str = "10.9.0.2:5004";
const CONGESTED: u8 = 3;
/// The variable with what the caller says.
const SAID: &str = "ARQWAY_TEST_SAID";

/// Marks an Ethernet frame that carries UDP of IPv4 and may be marked. Its octet of DSCP and ECN as it came.
fn mark(frame: &mut [u8]) -> Option<u8> {
    let header = frame.get_mut(14..34).filter(|header| header[0] == 0x45 && header[9] == 17)?;
    let came = header[1];
    if [1, 2].contains(&(came & CONGESTED)) {
        header[1] |= CONGESTED;
        header[10..12].fill(0);
        let mut sum: u32 = header.chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1])).sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        header[10..12].copy_from_slice(&(!sum).to_be_bytes()[2..]);
    }
    Some(came)
}

#[test]
#[ignore = "the middle of another test"]
fn hands_on() {
    let mut seen = BTreeSet::new();
    stand_between("hands on", None, |_, mut frames| {
        for frame in &mut frames {
            if let Some(octet) = mark(frame).filter(|octet| seen.insert(*octet)) {
                println!("seen {octet}");
            }
        }
        frames
    });
}

#[test]
#[ignore = "the called one of another test"]
fn hears() {
    let socket = UdpSocket::bind(CALL.parse().expect("an address")).expect("an address of this end");
    let (wait, clock, mut slab) = (Wait::new().expect("a thread"), Clock::start(), Slab::new());
    println!("hears");
    loop {
        while let Some(heard) = socket.receive(&mut slab).expect("a socket") {
            println!("heard {} {}", String::from_utf8_lossy(&heard.octets), heard.is_congested);
        }
        wait.on(&[socket.as_fd()], None, &clock).expect("a socket");
    }
}

#[test]
#[ignore = "the caller of another test"]
fn says() {
    let socket = UdpSocket::bind("10.9.0.1:0".parse().expect("an address")).expect("an address of this end");
    let said = std::env::var(SAID).expect("set by whoever starts this");
    let outer = Outer { traffic_class: if said == "plain" { 0 } else { 2 }, ..Outer::default() };
    let sent = socket.send(CALL.parse().expect("an address"), said.as_bytes(), said.len(), outer);
    assert_eq!(sent.expect("a socket"), arqway_net::Sent::Taken(said.len()));
}

#[test]
fn a_datagram_shows_its_class_and_congestion_on_the_way_reaches_the_packet_in_it() {
    if !can_run() {
        return;
    }
    let site = Site::with_middle("marks");
    let mut middle = middle(&site, "marks::hands_on");
    middle.wait_for("hands on");
    let _tunnels: [Tunnel; 2] = site.up();
    let [program, test @ ..] = itself("marks::hears");
    let mut called = Running::start(site.inside(1, &program), &test);
    called.wait_for("hears");
    let [program, test @ ..] = itself("marks::says");
    // One after the other: together they would be in one datagram, which may not be marked.
    for (said, heard, octet) in
        [("plain", "heard plain false", "seen 184"), ("capable", "heard capable true", "seen 186")]
    {
        assert!(site.inside(0, &program).args(&test).env(SAID, said).status().expect("iproute2").success());
        let answer = called.1.find(|line| line.starts_with("heard"));
        assert_eq!(answer.as_deref(), Some(heard));
        // EF, and what may be marked.
        middle.wait_for(octet);
    }
}
