//! The promises of services that take more than a test, a file each; and of all of them together.

mod any_frames;
mod deadline;
mod go_back_n;
mod goes_first;
mod hints;
mod outage;
mod resequencing;
mod rlc_am;
mod rlc_um;
mod rlp;
mod rooms;
mod sscop;
mod tally;
mod xor_fec;

use crate::common::Fate;
use crate::rough::Weather;
use arqway_link::Packet;
use arqway_units::Span;
use proptest::prelude::*;

/// Which packet of an end it is: see `common::packet`.
fn number_of(packet: &Packet) -> u32 {
    u32::from_be_bytes(packet.octets[20..24].try_into().expect("a packet of ours"))
}

/// Fates in runs: long bursts of losses between stretches where little happens.
fn bursts() -> impl Strategy<Value = Vec<Fate>> {
    let run = (prop_oneof![2 => 1usize..12, 1 => 1usize..400], prop_oneof![3 => Just(1), 2 => Just(0), 1 => Just(2)]);
    proptest::collection::vec(run, 0..16).prop_map(|runs| {
        let fate = |(length, copies)| std::iter::repeat_n(Fate { copies, delay: Span::ZERO }, length);
        runs.into_iter().flat_map(fate).collect()
    })
}

/// Losses, copies and delays of up to so many milliseconds.
fn weather(longest: u64) -> impl Strategy<Value = Weather> {
    let delays = proptest::collection::vec(1..longest, 1..40);
    let copies = prop_oneof![4 => Just(1u8), 2 => Just(0), 1 => Just(2), 1 => Just(3)];
    (delays, proptest::collection::vec(copies, 0..400)).prop_map(|(delays, copies)| Weather {
        delays: delays.into_iter().map(Span::from_milliseconds).collect(),
        copies,
    })
}
