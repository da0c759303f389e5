//! The families of channels that are fitted, each of which the simulator has: their parameters, as numbers that may be
//! anything, as a chain, and as settings.
//!
//! | family | parameters | memory |
//! | --- | --- | --- |
//! | uniform | `loss` | none |
//! | two-state | `good`, `bad`, two bit error rates | one exponential |
//! | four-state | `good` and `bad`, each short or long with a share, two bit error rates | runs and gaps of two lengths each |

use super::chain::{Chain, State};
use super::timeline::Timeline;
use arqway_sim::channel::{ErrorModel, FourState, MixedPeriods, TwoState};
use arqway_units::{Ratio, Span};

/// A family of channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Each frame is lost with the same probability, independently.
    Uniform,
    /// Good and bad periods, each exponential.
    TwoState,
    /// Good and bad periods, each short or long.
    FourState,
}

impl Family {
    /// Its kind in a scenario.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::TwoState => "two-state",
            Self::FourState => "four-state",
        }
    }

    /// The settings that are its parameters.
    #[must_use]
    pub fn parameters(self) -> &'static [Parameter] {
        use Quantity::{Length, Share};
        const fn of(path: &'static str, quantity: Quantity) -> Parameter {
            Parameter { path, quantity }
        }
        match self {
            Self::Uniform => const { &[of("loss", Share)] },
            Self::TwoState => {
                const { &[of("good", Length), of("bad", Length), of("good-bit-errors", Share), of("bad-bit-errors", Share)] }
            }
            Self::FourState => {
                const {
                    &[
                        of("good.short", Length),
                        of("good.long", Length),
                        of("good.long-share", Share),
                        of("bad.short", Length),
                        of("bad.long", Length),
                        of("bad.long-share", Share),
                        of("good-bit-errors", Share),
                        of("bad-bit-errors", Share),
                    ]
                }
            }
        }
    }
}

/// A setting that is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Where it stands below `wireless.errors`.
    pub path: &'static str,
    /// What it is.
    pub quantity: Quantity,
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Seconds.
    Length,
    /// A share or a probability.
    Share,
}

/// What the numbers that are searched over stand for, and how far they go: beyond, a trace of this length with frames of
/// this length can tell no more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    /// The usual distance of frames, in seconds.
    pub(super) spacing: f64,
    /// The mean length of a frame in bits.
    pub(super) bits: f64,
    /// From the first frame to the last, in seconds.
    pub(super) length: f64,
}

impl Scales {
    pub(super) fn of(timeline: &Timeline) -> Self {
        let (spacing, bits) = (timeline.spacing(), timeline.bits());
        Self { spacing, bits, length: timeline.length() }
    }

    /// A mean length of periods from its logarithm.
    fn mean(&self, number: f64) -> f64 {
        libm::exp(number).clamp(self.spacing / 64.0, 16.0 * self.length)
    }

    /// Errors a bit from the logarithm of errors a frame.
    fn errors(&self, number: f64) -> f64 {
        libm::exp(number).clamp(1e-9, 36.0) / self.bits
    }
}

const LARGEST_LOGIT: f64 = 12.0;

fn share(number: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-number.clamp(-LARGEST_LOGIT, LARGEST_LOGIT)))
}

fn logit(share: f64) -> f64 {
    libm::log(share / (1.0 - share)).clamp(-LARGEST_LOGIT, LARGEST_LOGIT)
}

/// The probability that a bit is wrong, from errors a bit.
fn bit_errors(errors: f64) -> f64 {
    -libm::expm1(-errors)
}

/// Two states as numbers: logarithms of good, bad, and of errors a frame in each.
pub(super) fn two_state(numbers: &[f64], scales: &Scales) -> Chain<2> {
    let state = |index: usize| State {
        is_bad: index == 1,
        mean: scales.mean(numbers[index]),
        share: 1.0,
        errors: scales.errors(numbers[2 + index]),
    };
    Chain::alternating([state(0), state(1)])
}

/// Four states as numbers: for good and for bad the logarithms of short and long and the logit of the long ones' share;
/// then the logarithms of errors a frame in each.
pub(super) fn four_state(numbers: &[f64], scales: &Scales) -> Chain<4> {
    let state = |index: usize| {
        let (side, is_long) = (index / 2, index % 2 == 1);
        let of_side = &numbers[3 * side..];
        let long = share(of_side[2]);
        State {
            is_bad: side == 1,
            mean: scales.mean(of_side[usize::from(is_long)]),
            share: if is_long { long } else { 1.0 - long },
            errors: scales.errors(numbers[6 + side]),
        }
    };
    Chain::alternating(std::array::from_fn(state))
}

/// The same link, its states in order: bad is what loses more, long what is longer.
pub(super) fn in_order(family: Family, numbers: &mut [f64]) {
    match (family, numbers) {
        (Family::TwoState, [good, bad, of_good, of_bad]) if *of_good > *of_bad => {
            std::mem::swap(good, bad);
            std::mem::swap(of_good, of_bad);
        }
        (Family::FourState, [a, b, c, d, e, f, of_good, of_bad]) => {
            if of_good > of_bad {
                std::mem::swap(a, d);
                std::mem::swap(b, e);
                std::mem::swap(c, f);
                std::mem::swap(of_good, of_bad);
            }
            for (short, long, share) in [(a, b, c), (d, e, f)] {
                if short > long {
                    std::mem::swap(short, long);
                    *share = -*share;
                }
            }
        }
        _ => {}
    }
}

/// The value of the parameter at this place among the numbers.
pub(super) fn value(family: Family, index: usize, number: f64, scales: &Scales) -> f64 {
    match (family, family.parameters()[index].quantity) {
        (_, Quantity::Length) => scales.mean(number),
        (Family::FourState, Quantity::Share) if index < 6 => share(number),
        (_, Quantity::Share) => bit_errors(scales.errors(number)),
    }
}

/// Numbers of a two-state link by what it is: mean periods in seconds, and the shares of frames lost within them.
pub(super) fn numbers_of_two(good: f64, bad: f64, lost_in_good: f64, lost_in_bad: f64) -> [f64; 4] {
    let errors = |lost: f64| libm::log(-libm::log1p(-lost.clamp(1e-6, 1.0 - 1e-9)));
    [libm::log(good), libm::log(bad), errors(lost_in_good), errors(lost_in_bad)]
}

/// Numbers of a four-state link: (short, long, share) of good and of bad, then the numbers of the errors.
pub(super) fn numbers_of_four(good: (f64, f64, f64), bad: (f64, f64, f64), errors: [f64; 2]) -> [f64; 8] {
    let [g, b] = [good, bad].map(|(short, long, share)| [libm::log(short), libm::log(long), logit(share)]);
    [g[0], g[1], g[2], b[0], b[1], b[2], errors[0], errors[1]]
}

/// The settings of a channel by the values of its family's parameters; what is no length or share becomes the nearest.
pub(super) fn model(family: Family, values: &[f64]) -> ErrorModel {
    let ratio = |index: usize| Ratio::new(values[index].clamp(0.0, 1.0)).unwrap_or_default();
    let span = |index: usize| Span::from_seconds(values[index]).max(Span::from_nanoseconds(1));
    let mixed = |index: usize| MixedPeriods { short: span(index), long: span(index + 1), long_share: ratio(index + 2) };
    match family {
        Family::Uniform => ErrorModel::Uniform(arqway_sim::channel::Uniform { loss: ratio(0) }),
        Family::TwoState => ErrorModel::TwoState(TwoState {
            good: span(0),
            bad: span(1),
            good_bit_errors: ratio(2),
            bad_bit_errors: ratio(3),
        }),
        Family::FourState => ErrorModel::FourState(FourState {
            good: mixed(0),
            bad: mixed(3),
            good_bit_errors: ratio(6),
            bad_bit_errors: ratio(7),
        }),
    }
}
