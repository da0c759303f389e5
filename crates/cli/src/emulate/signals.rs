//! What ends an emulation: Ctrl-C, SIGTERM, and SIGHUP unless it was ignored from the start (nohup).

use super::Message;
use crate::interrupt;
use signal_hook::consts::{SIGHUP, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::io;
use std::sync::mpsc::Sender;
use std::thread;

/// From now on, signals are messages.
pub(super) fn watch(messages: &Sender<Message>) -> io::Result<()> {
    let of_interrupt = messages.clone();
    interrupt::instead(move || {
        // Nobody listens at the very end.
        of_interrupt.send(Message::Interrupt).ok();
    });
    let wanted = [SIGTERM].into_iter().chain((!is_ignored(SIGHUP)).then_some(SIGHUP));
    let mut signals = Signals::new(wanted)?;
    let messages = messages.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for _ in signals.forever() {
            if messages.send(Message::Terminate).is_err() {
                break;
            }
        }
    })?;
    Ok(())
}

/// Whether whoever started this process wants it to ignore a signal (proc(5), `SigIgn`).
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
