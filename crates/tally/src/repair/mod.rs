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
//! Sums and products are those of the field of 256 elements ([`linear`]); what is added of a frame is its [`symbol`].

pub(super) mod decoder;
pub(super) mod symbol;

use super::wire::Number;
use arqway_arq::linear;

/// So many frames are worked out at a time: as many equations are kept, and as many frames are unknown in one.
pub(super) const MOST_UNKNOWN: usize = 64;

/// How many times a frame is taken in the sum with this key.
pub(super) fn coefficient(number: u64, key: u8) -> u8 {
    linear::coefficient(number % Number::MODULUS, key)
}
