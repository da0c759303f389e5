//! Faults: whoever is between the ends does what he can to datagrams, paths become smaller, ends restart, move, and have clocks that
//! somebody sets. What takes minutes is `arqway demo --cut`.
//!
//! ```text
//!     left ---- middle ---- right
//!       `----- tunnel -------'
//! ```

use crate::ends::{Site, Tunnel, carries_and_ends};
use crate::middle::{middle, stand_between};
use crate::system::{can_run, interface, ip};
use arqway_net::Clock;
use arqway_units::{Span, Time};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rustix::process::Signal;
use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Where a datagram begins in a frame: behind the headers of Ethernet, IPv4 without options, and UDP.
const DATAGRAM: usize = 14 + 20 + 8;
/// What is sealed begins with its type and the index of its keys. With a counter that came before, nobody would look at the rest.
const KEPT: usize = 3;

/// Whether a frame carries UDP of IPv4.
fn is_datagram(frame: &[u8]) -> bool {
    frame.len() > DATAGRAM + KEPT && frame[14] == 0x45 && frame[23] == 17
}

/// Frames one way, and what is done to them.
#[derive(Default)]
struct Meddler {
    /// The latest, as they were sent.
    recorded: VecDeque<Vec<u8>>,
    /// Those that are late, and how many others go first.
    held: Vec<(u32, Vec<u8>)>,
}

impl Meddler {
    /// What becomes of a frame.
    fn meddle(&mut self, frame: &[u8], dice: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
        if !is_datagram(frame) {
            return vec![frame.to_vec()];
        }
        self.recorded.push_back(frame.to_vec());
        if self.recorded.len() > 2000 {
            self.recorded.pop_front();
        }
        self.held.iter_mut().for_each(|(others, _)| *others -= 1);
        let mut leaving: Vec<Vec<u8>> =
            self.held.extract_if(.., |(others, _)| *others == 0).map(|late| late.1).collect();
        match dice.random_range(0..100) {
            0 => {}
            1..5 => leaving.extend([frame.to_vec(), frame.to_vec()]),
            5..10 => self.held.push((dice.random_range(1..20), frame.to_vec())),
            10 => leaving.push(damaged(frame, dice)),
            _ => leaving.push(frame.to_vec()),
        }
        leaving
    }

    /// What nobody has sent now: something recorded as it was, damaged, or with the keys that it names alone
    /// genuine.
    fn intrude(&self, dice: &mut ChaCha8Rng) -> Option<Vec<u8>> {
        let recorded = self.recorded.iter().collect::<Vec<_>>().choose(dice).copied()?;
        Some(match dice.random_range(0..3) {
            0 => recorded.clone(),
            1 => damaged(recorded, dice),
            _ => {
                let mut forged = damaged(recorded, dice);
                dice.fill(&mut forged[DATAGRAM + KEPT..]);
                forged
            }
        })
    }
}

/// A frame with another bit somewhere, and without a checksum of UDP, by which the system would notice.
fn damaged(frame: &[u8], dice: &mut ChaCha8Rng) -> Vec<u8> {
    let mut damaged = frame.to_vec();
    damaged[DATAGRAM - 2..DATAGRAM].fill(0);
    let at = dice.random_range(DATAGRAM..damaged.len());
    damaged[at] ^= 1 << dice.random_range(0..8);
    damaged
}

#[test]
#[ignore = "the middle of another test"]
fn meddles() {
    let (mut dice, mut meddlers) = (ChaCha8Rng::seed_from_u64(23), [(); 2].map(|()| Meddler::default()));
    // Who forges does not wait for others.
    stand_between("meddles", Some(Span::from_milliseconds(1)), |from, frames| {
        let mut leaving: Vec<_> = frames.iter().flat_map(|frame| meddlers[from].meddle(frame, &mut dice)).collect();
        leaving.extend((0..20).filter_map(|_| meddlers[from].intrude(&mut dice)));
        leaving
    });
}

#[test]
fn whoever_doubles_delays_damages_repeats_and_forges_datagrams_at_full_rate_lets_nothing_in_and_keeps_nothing_out() {
    if !can_run() {
        return;
    }
    let site = Site::with_middle("meddled");
    let mut middle = middle(&site, "faults::meddles");
    middle.wait_for("meddles");
    let _tunnels = site.up();
    let (clock, mut is_pressed) = (Clock::start(), false);
    // A fast host is done with one call before it has met many intruders.
    while !is_pressed {
        assert!(
            clock.now() < Time::ZERO + Span::from_milliseconds(60_000),
            "{:#} {:#}",
            site.status(0),
            site.status(1)
        );
        site.call();
        site.call_to(1, 0, "10.9.0.1:7");
        let refused = ["datagrams_forged", "datagrams_replayed"];
        is_pressed = [0, 1].iter().all(|end| refused.iter().all(|counter| site.counter(*end, counter) > 1000));
    }
    for (end, other) in [(0, 1), (1, 0)] {
        // What an end has delivered is asked before what the other one has taken.
        let status = site.status(end);
        let counted = |counter: &str| status["counters"][counter].as_u64().expect("a number");
        let delivered = counted("packets_delivered");
        let taken = site.status(other)["counters"]["packets_taken"].as_u64().expect("a number");
        assert!((500..=taken).contains(&delivered), "{delivered} packets came out, {taken} went in");
        assert_eq!(status["peers"][0]["address"], format!("192.168.77.{}:51820", other + 1), "{status:#}");
        assert_eq!(status["peers"][0]["services"][1]["loss"], 0.0, "{status:#}");
        assert_eq!(counted("not_packets_received"), 0, "{status:#}");
    }
}

/// What the narrow path carries, with the headers of IP and UDP.
const NARROW: usize = 700;

#[test]
#[ignore = "the middle of another test"]
fn narrows() {
    let mut large = 0;
    stand_between("narrows", None, |_, mut frames| {
        frames.retain(|frame| {
            let is_large = is_datagram(frame) && frame.len() > 14 + NARROW;
            large += u32::from(is_large);
            // It says nothing of it: no router does that has a firewall before it.
            !is_large || large < 300
        });
        frames
    });
}

#[test]
fn a_path_that_becomes_smaller_in_the_middle_of_a_transfer_and_does_not_say_so_is_noticed() {
    if !can_run() {
        return;
    }
    let site = Site::with_middle("narrowed");
    let mut middle = middle(&site, "faults::narrows");
    middle.wait_for("narrows");
    let _tunnels = site.up();
    site.call();
    for end in [0, 1] {
        let status = site.status(end);
        let found = status["peers"][0]["mtu_octets"].as_u64().and_then(|octets| usize::try_from(octets).ok());
        assert!(found.is_some_and(|octets| octets <= NARROW), "{status:#}");
    }
}

#[test]
fn an_interface_whose_mtu_is_lowered_stops_nothing() {
    if !can_run() {
        return;
    }
    let site = Site::new("lowered");
    let _tunnels = site.up();
    site.call();
    for (end, port) in [(0, "c770"), (1, "c771")] {
        ip(&format!("-n {} link set {} mtu {NARROW}", site.namespaces[end], interface(port)));
    }
    site.call();
    site.call_to(1, 0, "10.9.0.1:7");
}

#[test]
fn both_ends_that_were_killed_go_on_when_they_are_back() {
    if !can_run() {
        return;
    }
    let site = Site::new("both");
    let tunnels = site.up();
    site.call();
    for tunnel in tunnels {
        tunnel.kill(Signal::KILL);
    }
    let _tunnels = site.up();
    site.call();
    site.call_to(1, 0, "10.9.0.1:7");
}

#[test]
fn an_end_that_has_another_address_is_found_there_without_a_word() {
    if !can_run() {
        return;
    }
    let site = Site::new("moved");
    let [_left, mut right] = site.up();
    let (namespace, cable) = (&site.namespaces[0], interface("c770"));
    ip(&format!("-n {namespace} address delete 192.168.77.1/24 dev {cable}"));
    ip(&format!("-n {namespace} address add 192.168.77.9/24 dev {cable}"));
    site.call();
    right.wait_for("left: address changed to 192.168.77.9:51820");
    site.call_to(1, 0, "10.9.0.1:7");
}

#[test]
fn a_disk_that_is_full_holds_up_no_packet_and_no_end() {
    if !can_run() {
        return;
    }
    let site = Site::new("full");
    let full = OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
    carries_and_ends(&site, full);
}

/// A library that sets one process's clock, and no other's: so many seconds ahead as a file says.
const CLOCK: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    FILE *file = clock == CLOCK_REALTIME ? fopen(getenv("ARQWAY_TEST_CLOCK"), "r") : NULL;
    long ahead = 0;
    if (file != NULL) {
        if (fscanf(file, "%ld", &ahead) == 1) now->tv_sec += ahead;
        fclose(file);
    }
    return result;
}
"#;

#[test]
fn a_clock_that_is_set_ahead_and_back_keeps_nobody_out() {
    if !can_run() {
        return;
    }
    let site = Site::new("clock");
    let [source, library] = [site.folder.write("clock.c", CLOCK), site.folder.path("clock.so")];
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o", &library, &source]).status().expect("a C compiler");
    assert!(built.success());
    let set = |seconds: i64| site.folder.write("ahead", &seconds.to_string());
    const YEAR: i64 = 365 * 86_400;
    let start = || {
        let preloaded = format!("LD_PRELOAD={library}");
        let ahead = format!("ARQWAY_TEST_CLOCK={}", site.folder.path("ahead"));
        let mut left = Tunnel::with_variables(&site, 0, &[&preloaded, &ahead]);
        left.wait_for(": up, listening on");
        left
    };
    set(YEAR);
    let (mut left, mut right) = (start(), Tunnel::start(&site, 1));
    [&mut left, &mut right].into_iter().for_each(|tunnel| tunnel.wait_for("link up"));
    let mut listening = site.inside(0, env!("CARGO_BIN_EXE_arqway"));
    let listening = listening.args(["events", "tun-left", "--json"]).stdout(Stdio::piped()).spawn();
    let mut listening = listening.expect("iproute2");
    let heard = BufReader::new(listening.stdout.take().expect("a pipe"));
    let (line, lines) = channel();
    thread::spawn(move || heard.lines().try_for_each(|text| line.send(text.expect("text"))));
    // It looks at its clock once a second. Whatever that says, its handshakes are answered.
    for ahead in [0, -YEAR, 2 * YEAR, 0] {
        set(ahead);
        let (clock, mut renewed) = (Clock::start(), None);
        let long_after = Time::ZERO + Span::from_milliseconds(1500);
        while renewed.is_none_or(|at| at < long_after) {
            site.arqway(0, &["hint", "tun-left", "handoff"]);
            let line = lines.recv_timeout(Duration::from_millis(100)).unwrap_or_default();
            renewed = if line.contains("\"event\":\"keys\"") { Some(clock.now()) } else { renewed };
            assert!(clock.now() < Time::ZERO + Span::from_milliseconds(60_000), "no new keys, {ahead} s ahead");
        }
        site.call();
    }
    left.kill(Signal::KILL);
    listening.wait().expect("an end");
    // Its time stamps are those of the past now, for its peer, which says so.
    let mut left = start();
    left.wait_for("link up");
    site.call_to(1, 0, "10.9.0.1:7");
    site.call();
    fs::remove_file(library).expect("ours");
}
