//! Repair: frames from which the receiver works out others that were lost, without asking for them.
//!
//! What is sent again arrives a round trip late, and everything behind it waits. Where the line has nothing else to carry, a
//! *repair frame* goes out: a sum of all frames whose fate is unknown, each taken a different number of times. As many repair
//! frames as frames were lost give these back: they are equations, and the lost frames are what is unknown in them (Sliding
//! Window Random Linear Code, RFC 8681, from which field and window come; its numbers of times come from a generator, ours from
//! a hash of both names).
//!
//! ```text
//!     sender                                         receiver
//!       | frames 5, 6 ---------------------------->    | keeps 5 and 6
//!       | frame  7 ------x                             |
//!       | frame  8 ------------------------------->    | keeps 8; 7 is missing
//!       |   (nothing else to send)                     |
//!       | repair 5 to 8:  a 5 + b 6 + c 7 + d 8 --->   | minus a 5, b 6, d 8; divided by c: frame 7
//! ```
//!
//! Sums and products are those of the field of 256 elements ([`field`]); what is added is a frame's [`symbol::Symbol`].

pub(super) mod decoder;
pub(super) mod field;
pub(super) mod symbol;

/// The most frames that a repair frame is a sum of.
pub(super) const MOST_FRAMES: usize = 512;

/// A repair frame: the sum of these frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The first frame of the sum: the low bits as received.
    pub first: u64,
    /// The transmission counter of this frame.
    pub counter: u64,
    /// How many frames it is the sum of.
    pub count: u16,
    /// With the number of a frame, how many times that is taken.
    pub key: u8,
    /// The sum.
    pub sum: bytes::Bytes,
}

/// How many times a frame is taken in the sum with this key: an element of the field that is not zero.
pub(super) fn coefficient(number: u64, key: u8) -> u8 {
    let mixed = (number << 8 | u64::from(key)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    // Of 255 elements each nearly as often.
    let [.., high, _] = (((mixed >> 32) * 255) >> 24).to_be_bytes();
    high + 1
}
