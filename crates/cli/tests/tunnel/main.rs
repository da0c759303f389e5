//! `arqway up` with the real kernel: two network namespaces, a cable between them, a tunnel at each end. These tests need root.
//!
//! Rates and delays are not tested here: they depend on how busy the machine is.

#![cfg(target_os = "linux")]

mod ends;
#[path = "../system/mod.rs"]
mod system;

use ends::{Site, Tunnel, arqway};
use rustix::process::Signal;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use system::{can_run, ip, there_is};

/// What a caller says, and hears back.
fn message() -> Vec<u8> {
    (0..1_000_000_u32).map(|number| number.to_be_bytes()[3] ^ number.to_be_bytes()[1]).collect()
}

#[test]
#[ignore = "the server of other tests"]
fn serves() {
    let listener = TcpListener::bind("10.9.0.2:7").expect("an address of this end");
    println!("serves");
    let (mut stream, _) = listener.accept().expect("a caller");
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).expect("all of it");
    stream.write_all(&heard).expect("the way back");
}

#[test]
#[ignore = "the client of other tests"]
fn calls() {
    let mut stream = TcpStream::connect("10.9.0.2:7").expect("the other end");
    let sent = message();
    stream.write_all(&sent).expect("the way there");
    stream.shutdown(Shutdown::Write).expect("the end");
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).expect("all of it");
    assert!(sent == heard, "{} octets of {}, or others", heard.len(), sent.len());
}

#[test]
fn tcp_crosses_the_tunnel_both_ways_and_the_status_tells_of_it() {
    if !can_run() {
        return;
    }
    let site = Site::new("crosses");
    let [_left, _right] = site.up();
    site.call();
    let status = site.status(0);
    let peer = &status["peers"][0];
    assert_eq!((&peer["name"], &peer["is_up"]), (&"right".into(), &true.into()), "{status:#}");
    assert_eq!(peer["services"][1]["kind"], "tally", "{status:#}");
    assert!(status["counters"]["packets_delivered"].as_u64() > Some(500), "{status:#}");
    let table = site.arqway(0, &["status", "tun-left"]);
    for said in ["right: up, at 192.168.77.2:", "reliable     tally", "packets: "] {
        assert!(table.contains(said), "no `{said}`:\n{table}");
    }
}

#[test]
fn a_tunnel_that_was_killed_leaves_nothing_and_the_next_one_goes_on() {
    if !can_run() {
        return;
    }
    let before = there_is();
    {
        let site = Site::new("killed");
        let [_left, right] = site.up();
        right.kill(Signal::KILL);
        assert!(!site.interfaces(1).contains("tun-right"), "{}", site.interfaces(1));
        let mut right = Tunnel::start(&site, 1);
        right.wait_for("link up");
        site.call();
    }
    assert_eq!(there_is(), before);
}

#[test]
fn signals_end_it_in_good_order() {
    if !can_run() {
        return;
    }
    let site = Site::new("signals");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let [left, right] = site.up();
        for tunnel in [left, right] {
            let (status, said) = tunnel.kill(signal);
            assert_eq!(status.code(), Some(0), "{said}");
        }
        assert!(!site.interfaces(0).contains("tun-left"), "{}", site.interfaces(0));
    }
}

#[test]
fn a_device_that_is_deleted_ends_it_with_its_name() {
    if !can_run() {
        return;
    }
    let site = Site::new("deleted");
    let [left, _right] = site.up();
    ip(&format!("-n {} link delete tun-left", site.namespaces[0]));
    let (status, said) = left.end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("the interface `tun-left` is gone"), "{said}");
}

#[test]
fn ends_whose_services_differ_both_say_which() {
    if !can_run() {
        return;
    }
    let site = Site::new("differ");
    site.change(
        1,
        "mtu = 1420",
        "link-layer = { service = \"raw\", table = { kind = \"best-effort\", reliable = \"selective-repeat\" } }",
    );
    let mut tunnels = [0, 1].map(|end| Tunnel::start(&site, end));
    for tunnel in &mut tunnels {
        tunnel.wait_for("the peer is configured otherwise: the services of link-layer.table; both ends need the same");
    }
}

#[test]
fn a_peer_that_knows_another_key_is_told_as_no_answer_and_nothing_crosses() {
    if !can_run() {
        return;
    }
    let site = Site::new("stranger");
    let other = arqway(&["genkey"], "");
    let public = arqway(&["pubkey"], &other);
    let known = site.publics[1].clone();
    site.change(0, known.trim(), public.trim());
    let [_left, _right] = [0, 1].map(|end| Tunnel::start(&site, end));
    let status = site.status(0);
    assert_eq!(status["peers"][0]["is_up"], false, "{status:#}");
}

#[test]
fn a_second_tunnel_of_the_same_name_is_refused_and_the_first_goes_on() {
    if !can_run() {
        return;
    }
    let site = Site::new("twice");
    let [_left, _right] = site.up();
    let (status, said) = Tunnel::spawn(&site, 0).end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot listen at @arqway/tun-left") && said.contains("no other tunnel of this name"),
        "{said}"
    );
    site.call();
}
