//! The trace as the likelihood reads it: a tape of matrices, each from a small table.
//!
//! Frames of one length have one matrix if they arrive and one if they are lost, and gaps are rounded to a part in 256 of
//! their length, up or down, so there are few of them. Where few frames differ in length, fate and gap at once, each such
//! step is one matrix, and k equal steps in a row are the powers of two that k is made of: 100,000 frames back to back, of
//! which one in 20 is lost, are read in some 10,000 products. The table is made anew for every set of parameters.
//!
//! The gradient comes from one reading forth and one back: the likelihood is linear in every matrix of the tape, so what
//! stands to the left and to the right of it says how it counts; how the table depends on the parameters is differenced.

use super::chain::{Chain, Decomposed, Matrix, product};
use super::timeline::{OnLine, Timeline};
use std::collections::BTreeMap;

/// Gaps that differ by less are one.
const GAPS_A_FACTOR: f64 = 256.0;
/// So many equal steps in a row are one matrix at most: the likelihood of more may be smaller than the smallest number.
const LONGEST_POWER: usize = 512;

/// A product of many factors, as its logarithm and what is not in that yet.
#[derive(Debug, Clone, Copy)]
struct Scale {
    log: f64,
    factor: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { log: 0.0, factor: 1.0 }
    }
}

impl Scale {
    /// Logarithms take their time: they are taken before a product gets too small, not of every factor.
    fn take(&mut self, factor: f64) {
        if factor < 1e-50 || self.factor < 1e-250 {
            self.log += libm::log(self.factor);
            self.factor = factor;
        } else {
            self.factor *= factor;
        }
    }

    fn log(self) -> f64 {
        self.log + libm::log(self.factor)
    }
}
/// Gaps below this share of the usual spacing are none.
const SHORTEST_GAP: f64 = 1.0 / 1024.0;
/// With more kinds of steps than this, frames and gaps have matrices of their own.
const MOST_STEPS: usize = 512;

/// A sequence of matrices.
#[derive(Debug)]
pub(super) struct Tape {
    recipes: Vec<Recipe>,
    places: Vec<u32>,
    bits_per_second: f64,
}

/// How a matrix of the table is made.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Recipe {
    Frame { bits: f64, lost: bool },
    Gap { seconds: f64 },
    Product(u32, u32),
}

/// A length, a fate, a gap.
type Step = (u64, bool, Option<i64>);

fn steps(timeline: &Timeline, frames: &[OnLine]) -> Vec<Step> {
    let shortest = SHORTEST_GAP * timeline.spacing();
    let rounded = |gap: f64| (gap >= shortest).then(|| (libm::log(gap) * GAPS_A_FACTOR).round() as i64);
    frames.iter().map(|frame| (frame.octets.as_bits(), frame.lost, rounded(frame.gap.as_seconds()))).collect()
}

impl Tape {
    pub(super) fn new(timeline: &Timeline, frames: &[OnLine]) -> Self {
        let steps = steps(timeline, frames);
        let mut tape = Self::empty(timeline);
        let mut known = BTreeMap::new();
        let few = steps.iter().all(|step| {
            let next = known.len();
            known.entry(*step).or_insert(next);
            known.len() <= MOST_STEPS
        });
        if few {
            tape.fold(&steps)
        } else {
            tape.lay_out(&steps)
        }
        tape
    }

    /// The same with a matrix for each frame and each gap, however few kinds there are.
    #[cfg(test)]
    pub(super) fn laid_out(timeline: &Timeline, frames: &[OnLine]) -> Self {
        let mut tape = Self::empty(timeline);
        tape.lay_out(&steps(timeline, frames));
        tape
    }

    fn empty(timeline: &Timeline) -> Self {
        Self { recipes: Vec::new(), places: Vec::new(), bits_per_second: timeline.rate.as_bits_per_second() as f64 }
    }

    /// How many matrices it has.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    fn add(&mut self, recipe: Recipe) -> u32 {
        self.recipes.push(recipe);
        self.recipes.len() as u32 - 1
    }

    fn of_frame(&mut self, (bits, lost, _): Step, known: &mut BTreeMap<(u64, bool), u32>) -> u32 {
        *known.entry((bits, lost)).or_insert_with(|| self.add(Recipe::Frame { bits: bits as f64, lost }))
    }

    fn of_gap(&mut self, gap: i64, known: &mut BTreeMap<i64, u32>) -> u32 {
        *known.entry(gap).or_insert_with(|| self.add(Recipe::Gap { seconds: libm::exp(gap as f64 / GAPS_A_FACTOR) }))
    }

    /// A matrix for each frame and each gap.
    fn lay_out(&mut self, steps: &[Step]) {
        let (mut frames, mut gaps) = (BTreeMap::new(), BTreeMap::new());
        for &step in steps {
            let frame = self.of_frame(step, &mut frames);
            self.places.push(frame);
            if let Some(gap) = step.2 {
                let gap = self.of_gap(gap, &mut gaps);
                self.places.push(gap);
            }
        }
    }

    /// A matrix for each kind of step, and its powers of two.
    fn fold(&mut self, steps: &[Step]) {
        let (mut frames, mut gaps) = (BTreeMap::new(), BTreeMap::new());
        let mut powers: BTreeMap<Step, Vec<u32>> = BTreeMap::new();
        for run in steps.chunk_by(|a, b| a == b) {
            let mut of_step = powers.remove(&run[0]).unwrap_or_else(|| {
                let frame = self.of_frame(run[0], &mut frames);
                let gap = run[0].2.map(|gap| self.of_gap(gap, &mut gaps));
                vec![gap.map_or(frame, |gap| self.add(Recipe::Product(frame, gap)))]
            });
            let (longest, rest) = (run.len() / LONGEST_POWER, run.len() % LONGEST_POWER);
            let bits = (usize::BITS - run.len().leading_zeros()).min(LONGEST_POWER.ilog2() + 1);
            for bit in 0..bits as usize {
                if bit == of_step.len() {
                    let half = of_step[bit - 1];
                    of_step.push(self.add(Recipe::Product(half, half)));
                }
                if rest >> bit & 1 == 1 {
                    self.places.push(of_step[bit]);
                }
            }
            if longest > 0 {
                let place = of_step[LONGEST_POWER.ilog2() as usize];
                self.places.extend(std::iter::repeat_n(place, longest));
            }
            powers.insert(run[0], of_step);
        }
    }

    fn table<const N: usize>(&self, chain: &Chain<N>) -> Vec<Matrix<N>> {
        let gaps = Decomposed::new(chain.rates);
        let mut a_bit = chain.rates.map(|row| row.map(|rate| rate / self.bits_per_second));
        for (state, errors) in chain.errors.iter().enumerate() {
            a_bit[state][state] -= errors;
        }
        let arrivals = Decomposed::new(a_bit);
        let mut table: Vec<Matrix<N>> = Vec::with_capacity(self.recipes.len());
        for recipe in &self.recipes {
            table.push(match *recipe {
                Recipe::Gap { seconds } => gaps.exponential(seconds),
                Recipe::Frame { bits, lost: false } => arrivals.exponential(bits),
                Recipe::Frame { bits, lost: true } => {
                    let (all, arrives) = (gaps.exponential(bits / self.bits_per_second), arrivals.exponential(bits));
                    std::array::from_fn(|row| {
                        std::array::from_fn(|column| (all[row][column] - arrives[row][column]).max(0.0))
                    })
                }
                Recipe::Product(a, b) => product(&table[a as usize], &table[b as usize]),
            });
        }
        table
    }

    /// The logarithm of the probability of the whole trace; minus infinity if it cannot be.
    pub(super) fn log_likelihood<const N: usize>(&self, chain: &Chain<N>) -> f64 {
        let table = self.table(chain);
        let (mut state, mut scale) = (chain.root, Scale::default());
        for &place in &self.places {
            let total = advance(&mut state, &table[place as usize]);
            scale.take(total);
        }
        let end: f64 = (0..N).map(|k| state[k] * chain.root[k]).sum();
        known(scale.log() + libm::log(end))
    }

    /// The same, with its derivative by each parameter.
    pub(super) fn gradient<const N: usize>(
        &self,
        parameters: &[f64],
        chain_of: impl Fn(&[f64]) -> Chain<N>,
    ) -> (f64, Vec<f64>) {
        const STEP: f64 = 1e-5;
        let chain = chain_of(parameters);
        let table = self.table(&chain);
        let mut left = Vec::with_capacity(self.places.len());
        let (mut state, mut scale) = (chain.root, Scale::default());
        for &place in &self.places {
            let before = state;
            let total = advance(&mut state, &table[place as usize]);
            left.push((before, total));
            scale.take(total);
        }
        let end: f64 = (0..N).map(|k| state[k] * chain.root[k]).sum();
        let value = known(scale.log() + libm::log(end));
        if value == f64::NEG_INFINITY {
            return (value, vec![0.0; parameters.len()]);
        }
        let mut counts = vec![[[0.0; N]; N]; table.len()];
        let mut right = chain.root.map(|root| root / end);
        for (&place, (before, total)) in self.places.iter().zip(&left).rev() {
            let (matrix, count) = (&table[place as usize], &mut counts[place as usize]);
            let scaled = right.map(|entry| entry / total);
            for row in 0..N {
                for column in 0..N {
                    count[row][column] += before[row] * scaled[column];
                }
            }
            right = std::array::from_fn(|row| (0..N).map(|column| matrix[row][column] * scaled[column]).sum());
        }
        let derivative = |index: usize| {
            let at = |step: f64| {
                let mut moved = parameters.to_vec();
                moved[index] += step;
                let chain = chain_of(&moved);
                (self.table(&chain), chain.root)
            };
            let ((up, up_root), (down, down_root)) = (at(STEP), at(-STEP));
            let of_table: f64 = (0..counts.len()).map(|place| dot(&counts[place], &up[place], &down[place])).sum();
            let of_ends: f64 = (0..N).map(|k| (up_root[k] - down_root[k]) * (right[k] + state[k] / end)).sum();
            (of_table + of_ends) / (2.0 * STEP)
        };
        (value, (0..parameters.len()).map(derivative).collect())
    }
}

fn known(log: f64) -> f64 {
    if log.is_nan() { f64::NEG_INFINITY } else { log }
}

/// Multiplies the row by the matrix, and divides it by its sum, which is the answer.
fn advance<const N: usize>(state: &mut [f64; N], matrix: &Matrix<N>) -> f64 {
    let next: [f64; N] = std::array::from_fn(|column| (0..N).map(|row| state[row] * matrix[row][column]).sum());
    let total: f64 = next.iter().sum();
    *state = next.map(|entry| entry / total);
    total
}

fn dot<const N: usize>(counts: &Matrix<N>, up: &Matrix<N>, down: &Matrix<N>) -> f64 {
    (0..N)
        .flat_map(|row| (0..N).map(move |column| (row, column)))
        .map(|(row, column)| counts[row][column] * (up[row][column] - down[row][column]))
        .sum()
}
