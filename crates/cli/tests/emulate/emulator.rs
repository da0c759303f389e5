//! The command, and what it must leave as it was.

pub(crate) use crate::system::{Folder, Made, can_run, interface, ip, is_heard, itself, names, stderr, there_is};

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arqway"));
    command.arg("emulate").args(arguments).stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn emulate(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command")
}

/// One that runs until it is told to end.
pub(crate) struct Emulator {
    pub(crate) child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl Emulator {
    /// Starts it, and waits until its ends are there.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let child = command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the command");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut emulator = Self { child, stderr, said: String::new() };
        emulator.wait_for("emulating");
        emulator
    }

    /// Reads what it says up to a line with this in it.
    pub(crate) fn wait_for(&mut self, text: &str) {
        loop {
            let from = self.said.len();
            let length = self.stderr.read_line(&mut self.said).expect("text");
            assert!(length > 0, "it ended before it said `{text}`:\n{}", self.said);
            if self.said[from..].contains(text) {
                return;
            }
        }
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, signal).expect("a process that runs");
    }

    fn signal_if_it_runs(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(rustix::process::Signal::TERM);
            self.child.wait().ok();
        }
    }

    /// How it ended, and all that it said.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        self.stderr.read_to_string(&mut self.said).expect("text");
        (self.child.wait().expect("an end"), std::mem::take(&mut self.said))
    }
}

impl Drop for Emulator {
    /// A test that fails leaves none running.
    fn drop(&mut self) {
        self.signal_if_it_runs();
    }
}
