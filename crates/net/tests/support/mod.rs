//! What the tests with the real kernel share.

use arqway_net::{Clock, Device, Interface, Slab, Wait};
use arqway_units::Span;
use bytes::Bytes;
use std::os::fd::AsFd;

/// Whether these tests can run: as root. Elsewhere they say so; in CI, whose machines are root's, that is a failure.
pub(crate) fn can_run() -> bool {
    if rustix::process::geteuid().is_root() {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "CI is set, and this is not root: network namespaces cannot be tested");
    eprintln!("skipped: network namespaces need root; run the tests with sudo");
    false
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
