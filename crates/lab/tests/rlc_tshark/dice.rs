//! What is random here: the same each time, so that a finding can be looked at again.

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("below a usize")
    }

    /// A number of so many bits.
    pub(crate) fn bits(&mut self, bits: u32) -> u32 {
        u32::try_from(self.next() >> (64 - bits)).expect("at most 32 bits")
    }

    /// A sequence number of acknowledged mode.
    pub(crate) fn number(&mut self) -> u16 {
        u16::try_from(self.bits(12)).expect("12 bits")
    }

    /// A number of four bits.
    pub(crate) fn four(&mut self) -> u8 {
        u8::try_from(self.bits(4)).expect("four bits")
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.bits(1) == 1
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn octets(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| u8::try_from(self.bits(8)).expect("eight bits")).collect()
    }
}
