//! A terminal of our own, for what shows itself to terminals alone.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::Read as _;

/// Our end of a new terminal, and the end for a process.
pub(crate) fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("a terminal of ours");
    unlockpt(&ours).expect("a terminal of ours");
    let name = ptsname(&ours, Vec::new()).expect("a name").into_string().expect("a path");
    let theirs = File::options().read(true).write(true).open(name).expect("the other end");
    (File::from(ours), theirs)
}

/// Collects what is shown until it is enough, or until nobody can show anything any more.
pub(crate) fn read_until(screen: &mut File, shown: &mut Vec<u8>, enough: impl Fn(&[u8]) -> bool) {
    let mut buffer = [0; 4096];
    while !enough(shown) {
        // A terminal whose other end is closed is not at its end: reading it is an error.
        let Ok(length @ 1..) = screen.read(&mut buffer) else { return };
        shown.extend_from_slice(&buffer[..length]);
    }
}
