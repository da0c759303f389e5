//! What fuzzing must know of unacknowledged mode.

use super::{Config, Reception, UmdSize, WhenFull};
use arqway_contract::fuzz::{Fuzzed, Input, Promise};

impl Fuzzed for Config {
    const SEGMENTS: bool = true;

    fn any(input: &mut Input<'_>) -> Self {
        let timer = input.span(1, 300);
        let reception = match input.index(4) {
            0 => Reception::InSequence,
            1 => Reception::Windowed { window: input.bounded() },
            2 => Reception::Reordering { window: input.bounded(), timer },
            _ => Reception::OutOfSequence { window: input.bounded(), timer },
        };
        let mut size = || UmdSize::new(if input.flag() { input.between(8, 40) } else { input.between(8, 1504) });
        let (pdu_size, uplink_pdu_size) = (size().expect("from 8 to 1,504"), size());
        Self {
            pdu_size,
            uplink_pdu_size,
            flexible_pdu_size: input.flag(),
            alternative_e_bit: input.flag(),
            wait_to_fill: input.span(0, 50),
            discard_after: input.flag().then(|| input.span(1, 300)),
            reception,
            buffer: input.at_least_one(20),
            when_full: input.one_of(&[WhenFull::Refuse, WhenFull::DiscardOldest]),
        }
    }

    /// Its own that wait, and PDUs of the peer that wait for others: windows are of at most 64.
    fn kept_at_most(&self) -> usize {
        self.buffer.get() + 64
    }

    /// Its numbers come round after 128 PDUs, and a line that loses so many is more than it can notice; a way of the
    /// standard's to drop what waits loses packets besides. What it promises, tests hold it to that lose fewer.
    fn promise(&self) -> Promise {
        Promise::Nothing
    }
}
