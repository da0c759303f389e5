//! What ends a command that runs until it is told to stop: Ctrl-C, SIGTERM, and SIGHUP unless it was ignored from the start
//! (nohup).

use crate::interrupt;
use signal_hook::consts::{SIGHUP, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::io;
use std::thread;

/// From now on, signals have these consequences; the second is told which it was.
pub(crate) fn watch(
    interrupt: impl Fn() + Send + Sync + 'static,
    terminate: impl Fn(i32) + Send + 'static,
) -> io::Result<()> {
    interrupt::instead(interrupt);
    let wanted = [SIGTERM].into_iter().chain((!is_ignored(SIGHUP)).then_some(SIGHUP));
    let mut signals = Signals::new(wanted)?;
    let watching = move || signals.forever().for_each(terminate);
    thread::Builder::new().name("signals".to_owned()).spawn(watching).map(drop)
}

/// Whether whoever started this process wants it to ignore a signal (proc(5), `SigIgn`).
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
