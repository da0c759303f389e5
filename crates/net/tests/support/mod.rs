//! What the tests with the real kernel share.

use arqway_net::{Clock, Device, Interface, Wait};
use arqway_slab::Slab;
use arqway_units::Span;
use bytes::Bytes;
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: a command that another test starts has all our descriptors for a moment, and so keeps devices alive
/// that we have closed.
static ALONE: Mutex<()> = Mutex::new(());

/// Begins a test, if it can run: as root. Elsewhere it says so; in CI, whose machines are root's, that is a failure.
pub(crate) fn begin() -> Option<MutexGuard<'static, ()>> {
    if rustix::process::geteuid().is_root() {
        return Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    }
    assert!(std::env::var_os("CI").is_none(), "CI is set, and this is not root: network namespaces cannot be tested");
    eprintln!("skipped: network namespaces need root; run the tests with sudo");
    None
}

/// A TUN device with one address.
pub(crate) fn device(name: &str, address: &str) -> Device {
    let addresses = vec![(address.parse().unwrap(), if address.contains(':') { 64 } else { 24 })];
    Device { name: name.to_owned(), addresses, mtu: 1500, transmit_queue: 500 }
}

/// The next packet, waiting for it for at most ten seconds.
pub(crate) fn next(interface: &mut Interface, slab: &mut Slab) -> Bytes {
    let (clock, wait) = (Clock::start(), Wait::new().unwrap());
    let latest = clock.now() + Span::from_seconds(10.0);
    loop {
        if let Some(packet) = interface.receive(slab).unwrap() {
            return packet;
        }
        assert!(clock.now() < latest, "no packet from {} within ten seconds", interface.name());
        wait.on(&[interface.as_fd()], Some(latest), &clock).unwrap();
    }
}
