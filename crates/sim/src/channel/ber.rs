//! Independent bit errors: a frame of n bits arrives with probability (1 - p)^n. One random number a frame decides.

use crate::kernel::Random;
use arqway_units::{Octets, Ratio, ToFloat};
use serde::{Deserialize, Serialize};

/// Settings of the model of independent bit errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ber {
    /// The bit error rate.
    pub bit_errors: Ratio,
}

/// The bit errors of one direction.
#[derive(Debug)]
pub(super) struct BitErrors {
    /// The logarithm of the probability that a bit is right.
    log_right: f64,
    random: Random,
}

impl BitErrors {
    pub(super) fn new(settings: Ber, random: Random) -> Self {
        Self { log_right: libm::log1p(-settings.bit_errors.as_f64()), random }
    }

    /// Whether all bits of the next frame are right.
    pub(super) fn spare(&mut self, size: Octets) -> bool {
        self.random.uniform() < libm::exp(size.as_bits().to_f64() * self.log_right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Streams;

    #[test]
    fn certain_errors_spare_no_frame_and_impossible_ones_every_frame() {
        let errors = |bit_errors| BitErrors::new(Ber { bit_errors }, Streams::new(5, 0).stream("errors"));
        let (mut all, mut none) = (errors(Ratio::ONE), errors(Ratio::ZERO));
        assert!((0..1000).all(|_| !all.spare(Octets::new(1)) && none.spare(Octets::new(65_000))));
    }
}
