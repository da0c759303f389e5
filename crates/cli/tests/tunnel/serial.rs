//! Tunnels over a serial line: two pseudoterminals, and between them whatever a radio does to octets.

use crate::ends::{Site, Tunnel};
use crate::system::can_run;
use arqway_net::{Clock, Wait};
use arqway_units::Span;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use rustix::io::{ioctl_fionbio, read, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// How often something happens to an octet, out of 100,000.
#[derive(Debug, Clone, Copy, Default)]
struct Faults {
    flips: u32,
    drops: u32,
    /// Runs of octets that nobody sent.
    garbage: u32,
}

/// Two devices and what joins them, until it is dropped.
struct Cable {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Cable {
    /// Makes devices of these names.
    fn between(names: [&Path; 2], faults: Faults) -> Self {
        let ends: [OwnedFd; 2] = names.map(|name| {
            let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pty");
            ioctl_fionbio(&end, true).expect("ours");
            grantpt(&end).expect("ours");
            unlockpt(&end).expect("ours");
            let device = ptsname(&end, Vec::new()).expect("a name");
            std::fs::remove_file(name).ok();
            symlink(device.to_str().expect("text"), name).expect("a folder of ours");
            end
        });
        let (ends, stop) = (Arc::new(ends), Arc::new(AtomicBool::new(false)));
        let threads = [0, 1].map(|from| {
            let (ends, stop) = (Arc::clone(&ends), Arc::clone(&stop));
            thread::spawn(move || carry(&ends[from], &ends[1 - from], faults, from, &stop))
        });
        Self { stop, threads: threads.into() }
    }
}

/// Carries octets one way.
fn carry(from: &OwnedFd, to: &OwnedFd, faults: Faults, seed: usize, stop: &AtomicBool) {
    let mut random = ChaCha8Rng::seed_from_u64(u64::try_from(seed).expect("small"));
    let (clock, wait, mut octets) = (Clock::start(), Wait::new().expect("a wait"), [0; 4096]);
    let mut waiting: Vec<u8> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        // Nobody may have the device open yet, which is an error, or nobody reads.
        let soon = Some(clock.now() + Span::from_milliseconds(5));
        let ready = wait.on(&[from.as_fd()], soon, &clock).expect("a wait");
        let length = if ready.has(()) { read(from, &mut octets).ok() } else { None };
        if ready.has(()) && length.is_none() {
            wait.on::<BorrowedFd<'_>>(&[], soon, &clock).expect("a wait");
        }
        for octet in &octets[..length.unwrap_or(0)] {
            let mut happens = |often: u32| random.random_ratio(often, 100_000);
            let [flips, drops, garbage] = [faults.flips, faults.drops, faults.garbage].map(&mut happens);
            if garbage {
                waiting.extend((0..random.random_range(1..100)).map(|_| random.random::<u8>()));
            }
            if !drops {
                waiting.push(if flips { octet ^ (1 << random.random_range(0..8)) } else { *octet });
            }
        }
        let taken = write(to, &waiting).unwrap_or(0);
        waiting.drain(..taken);
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| thread.join().expect("a thread that ends"));
    }
}

/// Where the devices of a test are.
fn devices(test: &str) -> [PathBuf; 2] {
    ["left", "right"].map(|end| std::env::temp_dir().join(format!("arqway-{test}-{end}-{}", std::process::id())))
}

fn site(test: &str, devices: &[PathBuf; 2]) -> Site {
    Site::serial(test, [0, 1].map(|end| devices[end].to_str().expect("text")))
}

#[test]
fn tcp_crosses_a_serial_line_that_damages_and_loses_octets_whole() {
    if !can_run() {
        return;
    }
    let devices = devices("noisy");
    let _cable = Cable::between([0, 1].map(|end| devices[end].as_path()), Faults { flips: 5, drops: 2, garbage: 2 });
    let site = site("noisy", &devices);
    let [_left, _right] = site.up();
    site.call();
    let status = site.status(0);
    assert!(status["counters"]["datagrams_damaged"].as_u64() > Some(10), "{status:#}");
    assert_eq!(status["peers"][0]["address"].as_str(), devices[0].to_str(), "{status:#}");
    devices.iter().for_each(|device| std::fs::remove_file(device).expect("ours"));
}

#[test]
fn a_device_that_is_unplugged_is_the_line_down_and_it_goes_on_with_the_next_one() {
    if !can_run() {
        return;
    }
    let devices = devices("unplugged");
    let cable = || Cable::between([0, 1].map(|end| devices[end].as_path()), Faults::default());
    let first = cable();
    let site = site("unplugged", &devices);
    let mut ends = site.up();
    drop(first);
    ends.iter_mut().for_each(|end| end.wait_for("line gone: cannot use the serial line"));
    // It is not announced, and announcing that it is up brings no device back.
    site.arqway(0, &["hint", "tun-left", "up"]);
    let peer = &site.status(0)["peers"][0];
    let state = ["is_up", "is_announced_down", "is_line_gone"].map(|key| peer[key].as_bool());
    assert_eq!(state, [false, false, true].map(Some), "{peer:#}");
    assert!(site.arqway(0, &["status", "tun-left"]).contains("right: down, line gone, at "));
    let _second = cable();
    let wait_for = |end: &mut Tunnel, texts: [&str; 2]| texts.iter().for_each(|text| end.wait_for(text));
    ends.iter_mut().for_each(|end| wait_for(end, ["line back", "link up"]));
    site.call();
    devices.iter().for_each(|device| std::fs::remove_file(device).expect("ours"));
}

#[test]
fn a_device_that_is_plugged_in_again_ends_no_outage_that_is_announced() {
    if !can_run() {
        return;
    }
    let devices = devices("held");
    let cable = || Cable::between([0, 1].map(|end| devices[end].as_path()), Faults::default());
    let first = cable();
    let site = site("held", &devices);
    let [mut left, mut right] = site.up();
    site.arqway(0, &["hint", "tun-left", "down"]);
    drop(first);
    left.wait_for("line gone: cannot use the serial line");
    assert!(site.arqway(0, &["status", "tun-left"]).contains("right: down as announced, line gone, at "));
    let _second = cable();
    for end in [&mut left, &mut right] {
        end.wait_for("line back");
    }
    assert!(site.arqway(0, &["status", "tun-left"]).contains("right: down as announced, at "));
    site.arqway(0, &["hint", "tun-left", "up"]);
    left.wait_for("link up");
    site.call();
    devices.iter().for_each(|device| std::fs::remove_file(device).expect("ours"));
}

#[test]
fn a_device_that_is_plugged_in_again_without_rights_to_it_is_said_and_used_once_there_are_some() {
    if !can_run() {
        return;
    }
    let devices = devices("rights");
    let cable = || Cable::between([0, 1].map(|end| devices[end].as_path()), Faults::default());
    let first = cable();
    let site = site("rights", &devices);
    site.change(0, "[[peer]]", "user = \"nobody\"\n[[peer]]");
    let [mut left, _right] = site.up();
    drop(first);
    left.wait_for("line gone: cannot use the serial line");
    let _second = cable();
    left.wait_for(&format!("line still gone: cannot open the serial line {}: Permission denied", devices[0].display()));
    std::fs::set_permissions(&devices[0], PermissionsExt::from_mode(0o666)).expect("a device of ours");
    left.wait_for("line back");
    left.wait_for("link up");
    site.call();
    devices.iter().for_each(|device| std::fs::remove_file(device).expect("ours"));
}
