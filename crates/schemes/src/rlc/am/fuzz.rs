//! What fuzzing must know of acknowledged mode.

use super::Config;
use arqway_contract::fuzz::{Fuzzed, Input, Promise};
use arqway_contract::{Bounded, Side};
use core::num::NonZeroUsize;

impl Fuzzed for Config {
    const SEGMENTS: bool = true;

    /// It polls until a STATUS answers, which no driver writes; its property tests try it, and a fuzzer its PDUs.
    const COMES_TO_REST: bool = false;

    fn any(_: &mut Input<'_>) -> Self {
        Self::default()
    }

    /// Its own that wait or are not acknowledged, and PDUs of the peer that wait for others.
    fn kept_at_most(&self) -> usize {
        self.buffer.map_or(256, NonZeroUsize::get) + 2 * self.window.map_or(512, Bounded::as_usize)
    }

    fn speaks_when_link_is_back(&self) -> bool {
        self.settings(Side::Client).status.after_outage
    }

    fn promise(&self) -> Promise {
        Promise::AllInOrder
    }
}
