//! Sums of frames, each taken so many times, and lost frames that follow from them (after RFC 8681, whose numbers of times come from a
//! generator; here they come from a hash of both names).
//!
//! ```text
//!     sent      5   6   7   8      a 5 + b 6 + c 7 + d 8, in the field of 256 elements
//!     arrived   5   6   .   8      minus a 5, b 6, d 8; divided by c: 7
//! ```

mod equations;
pub mod field;

pub use equations::{Equation, Equations};

/// How many times a frame is taken in the sum with this key: an element of the field that is not zero, each nearly as often. The number of
/// the frame is as much of it as both ends know.
pub fn coefficient(number: u64, key: u8) -> u8 {
    let names = number << 8 | u64::from(key);
    let mixed = names.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let [_, _, _, of_255, ..] = ((mixed >> 32) * 255).to_be_bytes();
    of_255 + 1
}
