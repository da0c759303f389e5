//! TCP of the kernel that ends at both ends of the tunnel.

use crate::ends::{Site, Tunnel};
use crate::running::Running;
use crate::system::{can_run, itself};
use rustix::process::Signal;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

const SERVER: &str = "10.9.0.2:7";

/// A site whose ends split TCP.
fn site(test: &str) -> Site {
    let site = Site::new(test);
    for end in [0, 1] {
        let link_layer = "\n[link-layer]\nservice = \"raw\"\nscheduler = \"scfq\"\n\
            table = { kind = \"best-effort\", split = true, reliable = { kind = \"tally\", compress-headers = true } }\n\
            queue = { half-round-trips = 2, fair = { between = \"flows\" } }\n";
        let settings = fs::read_to_string(site.settings(end)).expect("our own file");
        fs::write(site.settings(end), settings + link_layer).expect("our own file");
    }
    site
}

/// How many acknowledgements each end has made.
fn made(site: &Site) -> [u64; 2] {
    [0, 1].map(|end| site.status(end)["peers"][0]["services"][1]["acknowledgements_made"].as_u64().expect("a number"))
}

#[test]
fn tcp_that_ends_at_both_ends_of_the_tunnel_carries_all_both_ways_and_closes_one_way_before_the_other() {
    if !can_run() {
        return;
    }
    let site = site("split");
    let _tunnels = site.up();
    // Each first says all and closes, and hears all after that.
    site.call();
    site.call_from(0);
    let made = made(&site);
    assert!(made.iter().all(|made| *made > 10), "{made:?}");
}

#[test]
#[ignore = "the called one of another test"]
fn holds() {
    let listener = TcpListener::bind(SERVER).expect("an address of this end");
    println!("holds");
    let mut streams: Vec<TcpStream> = Vec::new();
    while let Ok((mut stream, _)) = listener.accept() {
        stream.write_all(b"held").expect("a caller");
        streams.push(stream);
    }
}

#[test]
#[ignore = "the caller of another test"]
fn waits() {
    let mut stream = TcpStream::connect(SERVER).expect("the other end");
    let mut held = [0; 4];
    stream.read_exact(&mut held).expect("what it says first");
    println!("waits");
    let ended = stream.read(&mut held).expect_err("a reset");
    println!("ended by {:?}", ended.kind());
}

#[test]
fn who_waits_at_one_end_hears_at_once_that_the_other_has_begun_anew() {
    if !can_run() {
        return;
    }
    let site = site("anew");
    let [_left, right] = site.up();
    let [program, test @ ..] = itself("split::holds");
    let mut called = Running::start(site.inside(1, &program), &test);
    called.wait_for("holds");
    let [program, test @ ..] = itself("split::waits");
    let mut caller = Running::start(site.inside(0, &program), &test);
    caller.wait_for("waits");
    right.kill(Signal::KILL);
    let mut right = Tunnel::start(&site, 1);
    right.wait_for("link up");
    caller.wait_for(&format!("ended by {:?}", ErrorKind::ConnectionReset));
}

#[test]
fn flows_are_told_with_their_service_and_that_their_tcp_is_split() {
    if !can_run() {
        return;
    }
    let site = site("flows");
    let _tunnels = site.up();
    let mut asked = site.inside(0, env!("CARGO_BIN_EXE_arqway"));
    let asked = asked.args(["status", "tun-left", "--flows", "--for", "2 s", "--json"]).stdout(Stdio::piped());
    let mut asked = asked.spawn().expect("iproute2");
    // Both answers come from the tunnel at some time: calls go on until both have.
    while asked.try_wait().expect("a child").is_none() {
        site.call();
    }
    let told = asked.wait_with_output().expect("an end");
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let flow = &told["flows"][0];
    for (key, expected) in [("peer", "right"), ("protocol", "tcp"), ("service", "reliable"), ("there", SERVER)] {
        assert_eq!(flow[key], expected, "{told:#}");
    }
    // One that has ended is split no more.
    let flows = told["flows"].as_array().expect("a list");
    assert!(flows.iter().any(|flow| flow["is_split"] == true), "{told:#}");
    assert!(
        flow["octets_sent"].as_u64() > Some(100_000) && flow["octets_received"].as_u64() > Some(100_000),
        "{told:#}"
    );
}
