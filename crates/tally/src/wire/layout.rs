//! How the octets are laid out: kinds of frames, widths of numbers, limits.

use arqway_arq::Seq;
use arqway_contract::Kind;
use arqway_units::Octets;
use arrayvec::ArrayVec;

/// A frame number.
pub(crate) type Number = Seq<18>;
/// A transmission counter.
pub(crate) type Counter = Seq<18>;
/// The low bits of either in the short form.
pub(super) type Short = Seq<11>;
/// Those of a frame number in the tiny form.
pub(super) type TinyNumber = Seq<8>;
/// Those of a transmission counter.
pub(super) type TinyCounter = Seq<7>;

pub(super) const DATA: Kind = Kind::new(0);
pub(super) const DATA_LINK: Kind = Kind::new(1);
pub(super) const DATA_FEEDBACK: Kind = Kind::new(2);
pub(super) const LONG: Kind = Kind::new(3);
pub(super) const FEEDBACK: Kind = Kind::new(4);
pub(super) const LONG_FEEDBACK_OR_POLL: Kind = Kind::new(5);
pub(super) const PIECE_OR_GIVEN_UP: Kind = Kind::new(6);
pub(super) const WHOLE: Kind = Kind::new(7);

/// So many frames, or transmissions, may be of unknown fate where the tiny form is used: half of its counters.
pub(crate) const TINY_REACH: u64 = TinyCounter::MODULUS / 2;
/// The same of the short form: half of its numbers.
pub(crate) const SHORT_REACH: u64 = Short::MODULUS / 2;
/// The same of the long form, and so the largest window.
pub(crate) const LONG_REACH: u64 = Number::MODULUS / 2;
/// The longest packet: what an IP header can say.
pub(crate) const LONGEST_PACKET: usize = 65_535;
/// A packet is not cut into frames of less, unless it ends with one.
pub(crate) const LEAST_CUT: usize = 16;
/// So many cuts it has at most.
pub(crate) const MOST_CUTS: usize = LONGEST_PACKET / LEAST_CUT + 1;
/// What a poll takes behind the tag.
pub(crate) const POLL: usize = 3;
/// The same of what tells of frames that were given up.
pub(crate) const GIVEN_UP: usize = 7;
/// What a repair frame has behind the tag and before the sum.
pub(crate) const REPAIR: usize = 7;
/// What stands in front of a frame's octets in a sum.
pub(crate) const IN_SUM: usize = 5;
/// The most frames that a sum is of.
pub(crate) const MOST_IN_SUM: usize = 512;
/// The marks that tell a repair frame from a piece.
pub(super) const REPAIR_FLAGS: u64 = 3;
/// What a head has room for.
pub(super) const MOST: usize = 20;
/// What a link takes at most.
pub(crate) const MOST_OF_LINK: usize = 3;
/// What a frame takes at most besides its octets, tag and link included.
pub(crate) const MOST_BEFORE_OCTETS: Octets = Octets::new(1 + 5 + 3 + 2);

/// How wide numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Form {
    /// Eight bits for a frame, seven for a transmission. Only data have it.
    Tiny,
    /// Eleven bits.
    #[default]
    Short,
    /// Eighteen bits.
    Long,
}

impl Form {
    /// The frame that these low bits are, where `next` is the first one that is missing.
    pub(crate) fn number_near(self, next: u64, bits: u64) -> u64 {
        if self == Self::Tiny {
            let behind = TinyNumber::MODULUS - TINY_REACH;
            return TinyNumber::at_or_after(TinyNumber::new(next.saturating_sub(behind)), bits).as_u64();
        }
        self.from(next.saturating_sub(self.reach()), bits)
    }

    /// The transmission that these low bits are, where `newest` is the newest one that has arrived.
    pub(crate) fn counter_near(self, newest: u64, bits: u64) -> u64 {
        self.from((newest + 1).saturating_sub(self.reach()), bits)
    }

    /// The first number from `base` on that these low bits are; a frame's in the tiny form has more of them.
    pub(crate) fn from(self, base: u64, bits: u64) -> u64 {
        match self {
            Self::Tiny => TinyCounter::at_or_after(TinyCounter::new(base), bits).as_u64(),
            Self::Short => Short::at_or_after(Short::new(base), bits).as_u64(),
            Self::Long => Number::at_or_after(Number::new(base), bits).as_u64(),
        }
    }

    /// How many frames, or transmissions, may be of unknown fate.
    pub(crate) const fn reach(self) -> u64 {
        match self {
            Self::Tiny => TINY_REACH,
            Self::Short => SHORT_REACH,
            Self::Long => LONG_REACH,
        }
    }

    /// How many octets two numbers take.
    pub(crate) const fn head(self) -> usize {
        match self {
            Self::Tiny => 2,
            Self::Short => 3,
            Self::Long => 5,
        }
    }

    /// How many octets of runs fit into a data frame with feedback.
    pub(crate) const fn most_runs(self) -> usize {
        MOST - MOST_OF_LINK - 2 * self.head() - 1
    }
}

/// How many octets of runs feedback alone has at most.
pub(crate) const MOST_RUNS_ALONE: usize = 96;
/// How much memory for runs is taken at once.
pub(super) const SLAB: usize = 4096;

/// Appends a number of seven bits an octet, if it fits into `most` octets.
pub(crate) fn put_variable<const N: usize>(to: &mut ArrayVec<u8, N>, number: u32, most: usize) -> bool {
    let groups = match number {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        _ => return false,
    };
    if to.len() + groups > most.min(N) {
        return false;
    }
    for group in (0..groups).rev() {
        let [low, ..] = (number >> (7 * group) & 0x7f).to_le_bytes();
        to.push(if group > 0 { low | 0x80 } else { low });
    }
    true
}
