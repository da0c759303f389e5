//! Corruptions at random places in the stream of octets: the distance from one to the next is exponential (the
//! multi-service paper's links; "exponential" there).
//!
//! ```text
//!     corruptions      x                     x   x                          x
//!     octets sent  |=====frame=====|=====frame=====|=====frame=====|=====frame=====|
//!     arrives            no               yes             no               yes
//! ```
//!
//! The distance is counted over the octets sent, on from one frame to the next: idle time neither helps nor harms. A frame
//! of n octets is lost with probability 1 - exp(-n / mean): 1,000 octets at a mean of 2^17 octets in 0.76 % of all cases.

use crate::kernel::Random;
use arqway_units::{Octets, ToFloat};
use serde::{Deserialize, Deserializer, Serialize, de};

/// Settings of the bit error model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bit {
    /// The mean distance between two corruptions.
    #[serde(deserialize_with = "at_least_one")]
    pub distance: Octets,
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Octets, D::Error> {
    let distance = Octets::deserialize(deserializer)?;
    if distance == Octets::ZERO {
        return Err(de::Error::custom("two corruptions lie at least 1 octet apart on average"));
    }
    Ok(distance)
}

/// The corruptions of one direction.
#[derive(Debug)]
pub(super) struct Corruptions {
    mean: f64,
    /// Octets from the end of the last frame to the next corruption.
    left: f64,
    random: Random,
}

impl Corruptions {
    pub(super) fn new(settings: Bit, mut random: Random) -> Self {
        let mean = settings.distance.as_u64().to_f64();
        Self { mean, left: random.exponential(mean), random }
    }

    /// Whether the next frame has no corruption in it.
    pub(super) fn spare(&mut self, size: Octets) -> bool {
        let size = size.as_u64().to_f64();
        let spared = self.left >= size;
        while self.left < size {
            self.left += self.random.exponential(self.mean);
        }
        self.left -= size;
        spared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Streams;

    #[test]
    fn the_same_octets_are_corrupted_however_they_are_cut_into_frames() {
        let corruptions = || Corruptions::new(Bit { distance: Octets::new(300) }, Streams::new(5, 0).stream("errors"));
        let (mut whole, mut halves) = (corruptions(), corruptions());
        for frame in 0..10_000 {
            let arrives = whole.spare(Octets::new(250));
            let (first, second) = (halves.spare(Octets::new(100)), halves.spare(Octets::new(150)));
            assert_eq!(arrives, first && second, "frame {frame}");
        }
    }
}
