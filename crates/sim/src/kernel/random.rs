//! Named random streams.
//!
//! One seed names an experiment. Each source of randomness (the errors of one direction, a talker) draws from a stream
//! of its own, keyed by seed, replication and the source's name; neither the scheme nor the point of a sweep enters the
//! key. So two schemes in the same replication see the same channel and the same user, differences between them are
//! paired, and another actor in the world disturbs none that was there.
//!
//! A variate takes exactly one draw, so that streams stay in step. Logarithms come from `libm`: the platform's would
//! make results depend on it.

use arqway_units::{LineId, Ratio, Span, ToFloat};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// The streams of one replication.
#[derive(Debug, Clone)]
pub struct Streams {
    key: [u8; 32],
}

impl Streams {
    /// Those of replication `replication` of the experiment with this seed.
    #[must_use]
    pub fn new(seed: u64, replication: u32) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..12].copy_from_slice(&replication.to_le_bytes());
        key[16..].copy_from_slice(b"arqway streams 1");
        Self { key }
    }

    /// The streams of a part of the world that has sources of the same names: none is that of another part.
    #[must_use]
    pub(crate) fn of_part(&self, name: &str) -> Self {
        let mut key = self.key;
        // A part of a part is neither's, nor the whole's.
        key[12..16].iter_mut().zip(fnv1a(name.as_bytes()).to_le_bytes()).for_each(|(octet, part)| *octet ^= part);
        Self { key }
    }

    /// The streams of a line of a link: the first one's are those of a link that has no other.
    #[must_use]
    pub fn of_line(&self, line: LineId) -> Self {
        if line == LineId::FIRST { self.clone() } else { self.of_part(&alloc::format!("line {}", line.index())) }
    }

    /// The stream of the source of this name, such as `wireless.down.errors`.
    #[must_use]
    pub fn stream(&self, name: &str) -> Random {
        let mut generator = ChaCha8Rng::from_seed(self.key);
        generator.set_stream(fnv1a(name.as_bytes()));
        Random(generator)
    }
}

/// The 64-bit Fowler-Noll-Vo hash, variant 1a: a stream number that stays the same for ever.
fn fnv1a(octets: &[u8]) -> u64 {
    octets.iter().fold(0xcbf2_9ce4_8422_2325, |hash, octet| (hash ^ u64::from(*octet)).wrapping_mul(0x0100_0000_01b3))
}

/// One stream.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Uniform in \[0, 1): the upper 53 bits of one draw.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11).to_f64() / (1u64 << 53).to_f64()
    }

    /// True with this probability.
    pub fn happens(&mut self, probability: Ratio) -> bool {
        self.uniform() < probability.as_f64()
    }

    /// Exponential with this mean, by inversion.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.uniform())
    }

    /// An exponential length of time.
    pub fn exponential_span(&mut self, mean: Span) -> Span {
        Span::from_seconds(self.exponential(mean.as_seconds()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of these numbers is a change of every published result: it belongs into the change log.
    #[test]
    fn the_streams_give_the_same_numbers_for_ever() {
        let mut stream = Streams::new(1, 0).stream("wireless.down.errors");
        let drawn: [f64; 3] = core::array::from_fn(|_| stream.uniform());
        assert_eq!(drawn, GOLDEN);
    }

    const GOLDEN: [f64; 3] = [0.113_359_825_051_001_06, 0.661_826_093_615_282_3, 0.030_731_454_612_247_244];

    #[test]
    fn seed_replication_and_name_each_change_a_stream() {
        let first = |seed, replication, name| Streams::new(seed, replication).stream(name).0.next_u64();
        let reference = first(1, 0, "a");
        assert_eq!(reference, first(1, 0, "a"));
        assert_ne!(reference, first(2, 0, "a"));
        assert_ne!(reference, first(1, 1, "a"));
        assert_ne!(reference, first(1, 0, "b"));
        let streams = Streams::new(1, 0);
        let of_line = |number: u8| streams.of_line(LineId::new(number).expect("one of eight"));
        let first = |streams: &Streams| streams.stream("a").0.next_u64();
        assert_eq!(reference, first(&of_line(0)));
        let parts = [streams.of_part("p"), of_line(1), of_line(2), of_line(1).of_part("p"), of_line(2).of_part("p")];
        let mut draws: alloc::vec::Vec<u64> = parts.iter().map(first).chain([reference]).collect();
        draws.sort_unstable();
        draws.dedup();
        assert_eq!(draws.len(), 6, "a part of a part is another one");
    }

    #[test]
    fn the_exponential_has_its_mean_and_its_variance() {
        let mut stream = Streams::new(1, 0).stream("test");
        let (mut sum, mut squares, count) = (0.0, 0.0, 200_000);
        for _ in 0..count {
            let value = stream.exponential(2.0);
            sum += value;
            squares += value * value;
        }
        let mean = sum / f64::from(count);
        let variance = squares / f64::from(count) - mean * mean;
        // Four standard errors: 4 * 2 / sqrt(n), 4 * sqrt(8) * 4 / sqrt(n).
        assert!((mean - 2.0).abs() < 0.018, "{mean}");
        assert!((variance - 4.0).abs() < 0.11, "{variance}");
    }
}
