//! What fuzzing asks of a session, and the world that property tests share with it. Only for tests, and with the feature `fuzz`.
//!
//! | file | concept |
//! | --- | --- |
//! | `ends.rs` | two ends, and chance that can be repeated |
//! | `world.rs` | what can happen between them, and what must hold |
//! | `situation.rs` | how long they need once nothing is in the way |
//! | `readers.rs` | octets off a wire |

pub(crate) mod ends;
mod readers;
pub(crate) mod situation;
pub(crate) mod world;

use ends::Chance;
pub use ends::{Dice, End, end};
use world::World;

/// What a target does with an input; it panics on a finding.
pub type Driver = fn(&[u8]);

/// Every target by its name, which is that of its file in `fuzz/fuzz_targets` and of its folder in `fuzz/corpus`.
pub const TARGETS: [(&str, Driver); 4] = [
    ("session_handshake", readers::handshake),
    ("session_cookie", readers::cookie),
    ("session_transport", readers::transport),
    ("session_pair", pair),
];

/// Drives the target of this name with an input.
///
/// # Panics
/// On a finding, or if there is no such target.
pub fn run(target: &str, octets: &[u8]) {
    let driver = TARGETS.iter().find(|(name, _)| *name == target).map(|(_, driver)| driver);
    driver.expect("a target has an entry in TARGETS")(octets);
}

/// Two ends between which anything happens: once the way is open, packets cross.
fn pair(octets: &[u8]) {
    let mut world = World::new(Chance::of_octets(octets));
    for _ in 0..100 {
        if world.dice.is_over() {
            break;
        }
        world.trouble();
    }
    let home = world.dice.index(2);
    world.go(home, true);
    world.open();
    let (situation, at_most) = world.situation();
    assert!(world.until_packets_cross(at_most).is_some(), "no packets in {} s: {situation:?}", at_most.as_seconds());
}
