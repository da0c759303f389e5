//! A test of this binary that runs beside others, as something at an end or between two.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// One that runs until this is dropped, and the lines that it prints.
pub(crate) struct Running(Child, pub(crate) Box<dyn Iterator<Item = String>>);

impl Running {
    pub(crate) fn start(mut command: Command, test: &[String]) -> Self {
        let mut child = command.args(test).arg("--nocapture").stdout(Stdio::piped()).spawn().expect("iproute2");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self(child, Box::new(lines.map(|line| line.expect("text"))))
    }

    pub(crate) fn wait_for(&mut self, text: &str) {
        assert!(self.1.any(|line| line.contains(text)), "it has not said `{text}`");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
