//! Whoever stands between two ends and has every frame pass through his hands: a test of this binary that another test starts
//! in the namespace between theirs.

use crate::ends::Site;
use crate::running::Running;
use crate::system::{interface, itself};
use arqway_net::{Clock, Interface, Wait};
use arqway_slab::Slab;
use arqway_units::Span;
use std::os::fd::AsFd as _;

/// The middle's interfaces, by the end that each leads to; variables of these names say what they are called.
const PORTS: [&str; 2] = ["m0", "m1"];

/// Starts a test of this binary in the middle, where it [stands between](stand_between) the ends.
pub(crate) fn middle(site: &Site, test: &str) -> Running {
    let [program, test @ ..] = itself(test);
    let mut command = site.inside(2, &program);
    for port in PORTS {
        command.env(port, interface(port));
    }
    Running::start(command, &test)
}

/// Says that it is ready, and then, whenever frames have come from an end or this span has passed, sends to the other one what
/// becomes of them.
pub(crate) fn stand_between(
    ready: &str,
    at_least_each: Option<Span>,
    mut pass: impl FnMut(usize, Vec<Vec<u8>>) -> Vec<Vec<u8>>,
) -> ! {
    let mut ports = PORTS.map(|port| {
        let name = std::env::var(port).expect("set by whoever starts this");
        Interface::attach(&name).expect("a cable")
    });
    let (wait, clock, mut slab) = (Wait::new().expect("a thread"), Clock::start(), Slab::new());
    println!("{ready}");
    loop {
        let latest = at_least_each.map(|span| clock.now() + span);
        wait.on(&[ports[0].as_fd(), ports[1].as_fd()], latest, &clock).expect("cables");
        for from in [0, 1] {
            let mut frames = Vec::new();
            while let Some(frame) = ports[from].receive(&mut slab).expect("a cable") {
                frames.push(frame.to_vec());
            }
            for frame in pass(from, frames) {
                ports[1 - from].send(&frame).expect("a cable");
            }
        }
    }
}
