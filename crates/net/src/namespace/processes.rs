//! The processes inside a namespace.

use crate::clock::{Clock, timeout};
use crate::error::NetError;
use arqway_units::Span;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

/// How long a process has to end when it is asked to, and then when it is killed.
const PATIENCE: [(Signal, Span); 2] =
    [(Signal::TERM, Span::from_milliseconds(500)), (Signal::KILL, Span::from_milliseconds(5_000))];

/// Ends all processes inside the namespace with this file, and says how many there were. Never this one.
pub(super) fn end(file: u64) -> Result<usize, NetError> {
    let clock = Clock::start();
    let mut ended = BTreeSet::new();
    for (signal, patience) in PATIENCE {
        let latest = clock.now() + patience;
        loop {
            // Asked again after each round: what ends may have started another.
            let running = inside(file);
            if running.is_empty() {
                return Ok(ended.len());
            }
            if clock.now() >= latest {
                break;
            }
            for (process, descriptor) in &running {
                ended.insert(*process);
                // One that has ended meanwhile need not be told.
                let _ = pidfd_send_signal(descriptor, signal);
            }
            for (_, descriptor) in &running {
                let left = timeout(latest.since(clock.now()));
                let _ = poll(&mut [PollFd::new(descriptor, PollFlags::IN)], left.as_ref());
            }
        }
    }
    let left: Vec<String> = inside(file).iter().map(|(process, _)| process.to_string()).collect();
    let doing = format!("end what runs in a network namespace: process {}", left.join(", "));
    Err(NetError::system(doing, io::Error::from(io::ErrorKind::TimedOut)))
}

/// The processes inside the namespace with this file, but for this one.
pub(super) fn inside(file: u64) -> Vec<(u32, OwnedFd)> {
    let is_inside = |process: u32| {
        std::fs::metadata(format!("/proc/{process}/ns/net")).is_ok_and(|namespace| namespace.ino() == file)
    };
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let others = numbers.filter(|process| *process != std::process::id() && is_inside(*process));
    let opened = others.filter_map(|process| {
        let number = Pid::from_raw(i32::try_from(process).ok()?)?;
        Some((process, pidfd_open(number, PidfdFlags::empty()).ok()?))
    });
    // Looked at once more: the number may have passed to another process before it was opened.
    opened.filter(|(process, _)| is_inside(*process)).collect()
}
