//! Randomness comes in as an argument: a test replays it, the tunnel takes the system's.

/// Where random octets come from. Keys are made of them: outside of tests they must be unpredictable.
pub trait Random {
    /// Fills all of `octets`.
    fn fill(&mut self, octets: &mut [u8]);
}

impl<F: FnMut(&mut [u8])> Random for F {
    fn fill(&mut self, octets: &mut [u8]) {
        self(octets);
    }
}

/// So many random octets.
pub(crate) fn draw<const N: usize>(random: &mut dyn Random) -> [u8; N] {
    let mut octets = [0; N];
    random.fill(&mut octets);
    octets
}
