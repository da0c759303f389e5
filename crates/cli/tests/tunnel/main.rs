//! `arqway up` with the real kernel: two network namespaces, a cable between them, a tunnel at each end. These tests need root.
//!
//! Rates and delays are not tested here: they depend on how busy the machine is.

#![cfg(target_os = "linux")]

mod addresses;
mod ends;
mod faults;
mod lines;
mod marks;
mod metrics;
mod middle;
mod paths;
#[path = "../pty/mod.rs"]
mod pty;
mod routes;
mod running;
mod serial;
mod split;
#[path = "../system/mod.rs"]
mod system;
#[cfg(feature = "top")]
mod top;
mod wrong_ends;

use ends::{Site, Tunnel, arqway, carries_and_ends};
use rustix::io::ioctl_fionbio;
use rustix::process::{Signal, kill_process};
use std::fs;
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use system::{can_run, ip, is_heard, stderr, there_is};

/// What a caller says, and hears back.
fn message() -> Vec<u8> {
    (0..1_000_000_u32).map(|number| number.to_be_bytes()[3] ^ number.to_be_bytes()[1]).collect()
}

/// The variable that says where the server is.
const SERVER: &str = "ARQWAY_TEST_SERVER";

fn server() -> String {
    std::env::var(SERVER).expect("set by whoever starts this")
}

#[test]
#[ignore = "the server of other tests"]
fn serves() {
    let listener = TcpListener::bind(server()).expect("an address of this end");
    println!("serves");
    let (mut stream, from) = listener.accept().expect("a caller");
    println!("called by {}", from.ip());
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).expect("all of it");
    stream.write_all(&heard).expect("the way back");
}

#[test]
#[ignore = "the client of other tests"]
fn calls() {
    let mut stream = TcpStream::connect(server()).expect("the other end");
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
    for said in ["right: up, at 192.168.77.2:51820, last received ", "reliable     tally", "packets: "] {
        assert!(table.contains(said), "no `{said}`:\n{table}");
    }
    // Those of this namespace, which is one.
    let all = site.arqway(0, &["status", "--json"]);
    let all: Vec<serde_json::Value> = all.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(all.iter().map(|status| status["interface"].as_str()).collect::<Vec<_>>(), [Some("tun-left")]);
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
    let signals = [(Signal::INT, 130), (Signal::TERM, 0), (Signal::HUP, 0)];
    for (signal, code) in signals.into_iter().filter(|(signal, _)| is_heard(signal)) {
        for tunnel in site.up() {
            let (status, said) = tunnel.kill(signal);
            assert_eq!(status.code(), Some(code), "{said}");
        }
        assert!(!site.interfaces(0).contains("tun-left"), "{}", site.interfaces(0));
    }
}

#[test]
fn systemd_is_told_once_the_device_is_there_and_not_where_it_cannot_be() {
    if !can_run() {
        return;
    }
    let site = Site::new("ready");
    let path = site.folder.path("notify");
    let systemd = UnixDatagram::bind(&path).expect("our own folder");
    systemd.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    let variable = format!("NOTIFY_SOCKET={path}");
    let left = Tunnel::with_variables(&site, 0, &[&variable]);
    let mut heard = [0; 64];
    let length = systemd.recv(&mut heard).expect("a message");
    assert_eq!(heard[..length], *b"READY=1");
    assert!(site.interfaces(0).contains("tun-left"), "{}", site.interfaces(0));
    // The name is taken, so this one ends.
    Tunnel::with_variables(&site, 0, &[&variable]).fails();
    systemd.set_nonblocking(true).expect("a socket");
    assert!(systemd.recv(&mut heard).is_err(), "told of a tunnel that is not there");
    drop(left);
}

#[test]
fn a_device_that_is_deleted_ends_it_with_its_name() {
    if !can_run() {
        return;
    }
    let site = Site::new("deleted");
    let [left, _right] = site.up();
    ip(&format!("-n {} link delete tun-left", site.namespaces[0]));
    let said = left.fails();
    assert!(said.contains("the interface `tun-left` is gone"), "{said}");
}

#[test]
fn a_name_without_an_address_yet_is_looked_up_until_it_has_one_with_routes_too() {
    if !can_run() {
        return;
    }
    for (number, routes) in ["", "routes = true\n"].into_iter().enumerate() {
        let site = Site::new(&format!("name{number}"));
        let names = site.own_names(0);
        site.change(0, "listen = 51820", &format!("listen = 51820\n{routes}"));
        site.change(0, "192.168.77.2:51820", "pier.test:51820");
        // The right end cannot call.
        site.change(1, "endpoint = \"192.168.77.1:51820\"\n", "");
        let _right = Tunnel::start(&site, 1);
        let mut left = Tunnel::spawn(&site, 0);
        left.wait_for("cannot resolve `pier.test:51820`");
        names.add("192.168.77.2 pier.test");
        left.wait_for("right: link up");
        site.call();
    }
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
        "link-layer = { service = \"raw\", compress-headers = true, table = { kind = \"best-effort\", reliable = \"selective-repeat\" } }",
    );
    let mut tunnels = [0, 1].map(|end| Tunnel::start(&site, end));
    for tunnel in &mut tunnels {
        tunnel.wait_for(
            "the peer's settings differ from ours: the services of link-layer.table; both ends need the same",
        );
    }
}

#[test]
fn ends_that_have_another_key_of_each_other_exchange_handshakes_and_nothing_else() {
    if !can_run() {
        return;
    }
    let site = Site::new("stranger");
    let other = arqway(&["genkey"], "");
    let public = arqway(&["pubkey"], &other);
    site.change(0, &site.publics[1], public.trim());
    let _tunnels = [0, 1].map(|end| Tunnel::start(&site, end));
    // The right end's handshakes come to the left one, which does not know its key; the left one's are not meant for the right one.
    for (end, counter) in [(0, "datagrams_of_strangers"), (1, "datagrams_unknown")] {
        let status = site.status_when(end, |status| status["counters"][counter].as_u64() > Some(0));
        assert_eq!(status["peers"][0]["is_up"], false, "{status:#}");
        assert_eq!(status["counters"]["packets_delivered"], 0, "{status:#}");
    }
}

#[test]
fn two_spokes_reach_each_other_through_their_hub() {
    if !can_run() {
        return;
    }
    let site = Site::hub("hub");
    let mut hub = Tunnel::start(&site, 0);
    let mut spokes = [1, 2].map(|end| Tunnel::start(&site, end));
    spokes.iter_mut().for_each(|spoke| spoke.wait_for("hub: link up"));
    hub.wait_for("link up");
    site.call_from(2);
    site.call_from(0);
    let status = site.status(0);
    let names: Vec<_> = status["peers"].as_array().expect("a list").iter().map(|peer| &peer["name"]).collect();
    assert_eq!(names, ["left", "right"], "{status:#}");
    assert!(status["peers"].as_array().expect("a list").iter().all(|peer| peer["is_up"] == true), "{status:#}");
}

#[test]
fn a_tunnel_has_no_privileges_once_it_runs_and_its_memory_is_nobodys() {
    if !can_run() {
        return;
    }
    let site = Site::new("confined");
    site.change(1, "mtu = 1420", "mtu = 1420\nuser = \"nobody\"");
    let tunnels = site.up();
    site.call();
    for (tunnel, user) in tunnels.iter().zip([0, 65534]) {
        let process = Path::new("/proc").join(tunnel.process().as_raw_nonzero().to_string());
        let limits = fs::read_to_string(process.join("limits")).expect("a process");
        let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a limit");
        assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"]);
        // Whose memory is shown to no process of its own user, its folder is root's (proc(5)).
        assert_eq!(fs::metadata(process.join("environ")).expect("a process").uid(), 0);
        let mut threads = 0;
        for thread in fs::read_dir(process.join("task")).expect("a process") {
            let status = fs::read_to_string(thread.expect("a thread").path().join("status")).expect("a thread");
            let of = |key: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(key));
                line.expect("a key").split_whitespace().map(str::to_owned).collect::<Vec<_>>()
            };
            for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
                assert_eq!(of(set), ["0000000000000000"], "{status}");
            }
            assert_eq!((of("NoNewPrivs:"), of("Uid:")), (vec!["1".to_owned()], vec![user.to_string(); 4]), "{status}");
            threads += 1;
        }
        assert!(threads >= 3, "{threads} threads");
    }
    let status = site.status(1);
    assert_eq!(status["peers"][0]["is_up"], true, "root is still answered");
}

/// A pipe that is full, and whose reader never reads.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = pipe().expect("a pipe");
    ioctl_fionbio(&writer, true).expect("a pipe");
    while writer.write(&[b'x'; 512]).is_ok() {}
    ioctl_fionbio(&writer, false).expect("a pipe");
    (reader, writer)
}

#[test]
fn words_that_nobody_reads_hold_up_no_packet_and_no_end() {
    if !can_run() {
        return;
    }
    let site = Site::new("unread");
    let (_reader, stderr) = full_pipe();
    carries_and_ends(&site, stderr);
}

#[test]
fn a_second_interrupt_ends_it_at_once_whatever_it_waits_for() {
    if !can_run() {
        return;
    }
    let site = Site::new("impatient");
    let (_reader, stderr) = full_pipe();
    let left = Tunnel::quiet(&site, 0, stderr);
    let mut right = Tunnel::start(&site, 1);
    right.wait_for("link up");
    // What has happened is to be said, and there is no room for it.
    ip(&format!("-n {} link delete tun-left", site.namespaces[0]));
    let interrupt = |process| kill_process(process, Signal::INT).expect("a process that runs");
    assert_eq!(left.ends_in_time(interrupt).code(), Some(130));
}

#[test]
fn an_outage_is_announced_and_seen_and_a_tunnel_ended_by_commands() {
    if !can_run() {
        return;
    }
    let site = Site::new("told");
    let [mut left, _right] = site.up();
    let mut listening = site.inside(0, env!("CARGO_BIN_EXE_arqway"));
    let listening = listening.args(["events", "tun-left", "--json"]).stdout(Stdio::piped()).spawn();
    let mut listening = listening.expect("iproute2");
    let heard = BufReader::new(listening.stdout.take().expect("a pipe"));
    let (line, lines) = channel();
    thread::spawn(move || heard.lines().try_for_each(|text| line.send(text.expect("text"))));
    let wrong =
        site.inside(0, env!("CARGO_BIN_EXE_arqway")).args(["hint", "tun-left", "down", "--peer", "nobody"]).output();
    let wrong = wrong.expect("iproute2");
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(1), 0));
    assert!(stderr(&wrong).contains("it has no peer `nobody`; its peers are right"), "{}", stderr(&wrong));
    // Until it listens.
    let said = || site.arqway(0, &["hint", "tun-left", "down"]);
    let first = (0..100).find_map(|_| {
        said();
        lines.recv_timeout(Duration::from_millis(100)).ok()
    });
    assert!(first.expect("an event").contains("\"event\":\"hint\",\"hint\":\"down\""));
    left.wait_for("right: hint: down");
    let peer = &site.status(0)["peers"][0];
    assert_eq!((&peer["is_up"], &peer["is_announced_down"]), (&false.into(), &true.into()));
    assert!(site.arqway(0, &["status", "tun-left"]).contains("right: down as announced, at 192.168.77.2"));
    for hint in ["up", "down", "handoff"] {
        site.arqway(0, &["hint", "tun-left", hint, "--peer", "right"]);
    }
    left.wait_for("hint: handoff");
    left.wait_for("link up");
    site.call();
    site.arqway(0, &["down", "tun-left"]);
    assert!(!site.interfaces(0).contains("tun-left"), "{}", site.interfaces(0));
    let (status, said) = left.end();
    assert!(status.code() == Some(0) && said.contains("tun-left: ended by `arqway down`"), "{said}");
    assert!(listening.wait().expect("an end").success());
    let heard: Vec<serde_json::Value> = lines.iter().map(|line| serde_json::from_str(&line).expect("JSON")).collect();
    let hints: Vec<&str> = heard.iter().filter_map(|event| event["hint"].as_str()).collect();
    assert!(hints.ends_with(&["up", "down", "handoff"]), "{heard:?}");
    assert!(heard.iter().all(|event| event["peer"] == "right"), "{heard:?}");
}

#[test]
fn a_second_tunnel_of_the_same_name_is_refused_and_the_first_goes_on() {
    if !can_run() {
        return;
    }
    let site = Site::new("twice");
    let [_left, _right] = site.up();
    let said = Tunnel::spawn(&site, 0).fails();
    assert!(
        said.contains("the name @arqway/tun-left is held by process") && said.contains("running already"),
        "{said}"
    );
    site.call();
}
