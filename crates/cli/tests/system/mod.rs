//! What tests with the real kernel share: folders, namespaces and interfaces of their own, and what must not be left behind.

#![allow(dead_code, reason = "each binary of tests needs a part of it")]

use rustix::process::Signal;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether these tests can run: as root. Elsewhere they say so; in CI, whose machines are root's, that is a failure.
pub(crate) fn can_run() -> bool {
    if rustix::process::geteuid().is_root() {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "CI is set, and this is not root: what needs root cannot be tested");
    eprintln!("skipped: these tests make network namespaces and need root");
    false
}

/// Whether a program that a test starts can hear of a signal. It stays ignored where the tests' own parent ignores it, as `nohup` does
/// with SIGHUP; then it is not tried.
pub(crate) fn is_heard(signal: &Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("of this process");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("what it ignores");
    let is_ignored = u64::from_str_radix(ignored.trim(), 16).expect("a mask") >> (signal.as_raw() - 1) & 1 == 1;
    if is_ignored {
        eprintln!("not tried: {signal:?} is ignored here");
    }
    !is_ignored
}

/// A folder of a test's own, removed with all that is in it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", suffix()));
        fs::create_dir_all(&path).expect("a folder of our own");
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).expect("a folder of our own");
        path
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The command line that runs one ignored test of this binary: what a test has to do at the client's end of a link.
pub(crate) fn itself(test: &str) -> [String; 5] {
    let path = std::env::current_exe().expect("a path").display().to_string();
    [&path, "--exact", test, "--ignored", "--quiet"].map(str::to_owned)
}

/// Names for two namespaces that no other test has.
pub(crate) fn names(test: &str) -> [String; 2] {
    ["c", "s"].map(|end| namespace(test, end))
}

/// A name for one.
pub(crate) fn namespace(test: &str, end: &str) -> String {
    format!("arqway-{test}-{end}-{}", suffix())
}

/// What makes a name one that nothing else has, of this process or another.
fn suffix() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", MADE.fetch_add(1, Ordering::Relaxed), std::process::id())
}

/// The name of an interface that no other test has: `IFNAMSIZ` leaves no room for more.
pub(crate) fn interface(name: &str) -> String {
    format!("{name}{}", std::process::id() % 100_000)
}

/// What could be left behind, interfaces and names of namespaces; without those that other tests of this binary
/// have at the same time.
pub(crate) fn there_is() -> BTreeSet<PathBuf> {
    let of = |folder: &str| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    // The names of namespaces and of interfaces that tests make.
    let mine = [format!("-{}", std::process::id()), interface("")];
    let is_of_a_test = |path: &PathBuf| mine.iter().any(|end| path.to_string_lossy().ends_with(end));
    of("/sys/class/net").chain(of("/run/netns")).filter(|path| !is_of_a_test(path)).collect()
}

/// Something of the system that a test made with `ip`, and that is gone with it however it ends.
pub(crate) struct Made(String);

impl Made {
    /// By `ip KIND add NAME ...`.
    pub(crate) fn new(kind: &str, name: &str, how: &str) -> Self {
        ip(format!("{kind} add {name} {how}").trim_end());
        Self(format!("{kind} delete {name}"))
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // It is no fault if the test has removed it.
        Command::new("ip").args(self.0.split(' ')).output().ok();
    }
}

/// Runs `ip`, which must succeed.
pub(crate) fn ip(arguments: &str) {
    let output = Command::new("ip").args(arguments.split(' ')).output().expect("iproute2 is installed");
    assert!(output.status.success(), "ip {arguments}: {}", stderr(&output));
}
