//! Axes: which range is shown, where its ticks are, and where a value lies.
//!
//! The range shown is that of the values, widened to the next tick on both sides. Ticks are whole multiples of 1, 2 or 5
//! times a power of ten, kept as integers until they are text, so that no tick is ever labelled 0.30000000000000004.

use super::number::{decimal, decimal_exponent, power_of_ten};
use schemars::JsonSchema;
use serde::Deserialize;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Linear.
    #[default]
    Linear,
    /// Logarithmic; only positive values can be shown.
    Logarithmic,
}

impl Scale {
    /// Whether an axis can show the value at all. What is beyond a googol was not measured, and would overflow.
    pub fn shows(self, value: f64) -> bool {
        match self {
            Self::Linear => value.abs() <= 1e100,
            Self::Logarithmic => (1e-100..=1e100).contains(&value),
        }
    }
}

/// The smallest and the largest of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Range {
    /// The range of the values; `None` without any.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        values.into_iter().map(|value| Self { low: value, high: value }).reduce(Self::and)
    }

    /// The smallest range that contains both.
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// A place on an axis where its grid is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// Empty where naming every tick would crowd the axis.
    pub label: String,
}

/// An axis, fitted to its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    scale: Scale,
    /// At least three, increasing; the first and the last are the ends of the axis.
    pub ticks: Vec<Tick>,
    /// Unlabelled places between the ticks.
    pub minor: Vec<f64>,
    /// By which power of ten the labels are to be multiplied: `×10⁻⁵`.
    pub factor: Option<String>,
}

impl Fitted {
    /// An axis on which the whole range can be seen, whatever it is; without a range, some axis.
    pub fn new(scale: Scale, from_zero: bool, range: Option<Range>) -> Self {
        match scale {
            Scale::Linear => {
                let range = range.unwrap_or(Range { low: 0.0, high: 1.0 });
                let zero = Range { low: 0.0, high: 0.0 };
                linear(widened(if from_zero { range.and(zero) } else { range }))
            }
            Scale::Logarithmic => logarithmic(range.unwrap_or(Range { low: 1.0, high: 10.0 })),
        }
    }

    /// Whether the value lies between the ends.
    pub fn contains(&self, value: f64) -> bool {
        self.ticks.first().is_some_and(|tick| tick.value <= value)
            && self.ticks.last().is_some_and(|tick| value <= tick.value)
    }

    /// Where the value lies, from 0 at the low end to 1 at the high end.
    pub fn position(&self, value: f64) -> f64 {
        let along = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => libm::log10(value),
        };
        let [Some(first), Some(last)] = [self.ticks.first(), self.ticks.last()] else { return 0.0 };
        let (low, high) = (along(first.value), along(last.value));
        let share = (along(value) - low) / (high - low);
        // A value at the very end may lie beyond it by a rounding; what is not a number is put at the low end.
        if share > 0.0 { share.min(1.0) } else { 0.0 }
    }
}

/// A range that is wide enough, relative to its values, to hold ticks that differ.
fn widened(range: Range) -> Range {
    let largest = range.low.abs().max(range.high.abs());
    if largest < 1e-100 {
        Range { low: 0.0, high: 1.0 }
    } else if range.high - range.low < largest * 1e-9 {
        Range { low: range.low - largest / 2.0, high: range.high + largest / 2.0 }
    } else {
        range
    }
}

fn linear(range: Range) -> Fitted {
    /// More ticks than this are a crowd. The next larger step then still gives at least three.
    const MOST_INTERVALS: i64 = 7;
    // An end that is a multiple of the step, but for a rounding, needs no further tick.
    const TOLERANCE: f64 = 1e-9;
    let smallest = decimal_exponent(range.high - range.low) - 1;
    for (multiple, exponent) in (smallest..).flat_map(|exponent| [1, 2, 5].map(|multiple| (multiple, exponent))) {
        let step = power(multiple, exponent);
        let first = (range.low / step + TOLERANCE).floor() as i64;
        let last = (range.high / step - TOLERANCE).ceil() as i64;
        if last - first <= MOST_INTERVALS {
            return linear_ticks((first..=last).map(|index| index * multiple).collect(), exponent);
        }
    }
    unreachable!("a large enough step spans any range")
}

/// Ticks at these multiples of ten to the `exponent`, with equal decimals.
fn linear_ticks(mantissas: Vec<i64>, exponent: i32) -> Fitted {
    /// Labels with more decimals, or of this magnitude and more, get a common power of ten.
    const MOST_DECIMALS: i32 = 4;
    const LARGE: i32 = 6;
    let largest = mantissas.iter().map(|&mantissa| decimal_exponent(mantissa as f64) + exponent).max().unwrap_or(0);
    let factor = (exponent < -MOST_DECIMALS || largest >= LARGE).then_some(largest);
    let tick =
        |mantissa| Tick { value: power(mantissa, exponent), label: decimal(mantissa, exponent - factor.unwrap_or(0)) };
    Fitted {
        scale: Scale::Linear,
        ticks: mantissas.into_iter().map(tick).collect(),
        minor: Vec::new(),
        factor: factor.map(|factor| format!("×{}", power_of_ten(factor))),
    }
}

/// The values 1, 2, 5, 10, 20, ...; rung 0 is 1.
fn rung(index: i32) -> (i64, i32) {
    ([1, 2, 5][index.rem_euclid(3) as usize], index.div_euclid(3))
}

/// Rungs of the ladder 1, 2, 5, 10 over few decades; powers of ten over many.
fn logarithmic(range: Range) -> Fitted {
    const MOST_RUNGS: i32 = 7;
    const MOST_DECADES: i32 = 11;
    const MOST_DECADES_WITH_MINOR: i32 = 6;
    let value = |index| {
        let (multiple, exponent) = rung(index);
        power(multiple, exponent)
    };
    let mut first = decimal_exponent(range.low) * 3 + 2;
    while value(first) > range.low {
        first -= 1;
    }
    let mut last = decimal_exponent(range.high) * 3;
    while value(last) < range.high {
        last += 1;
    }
    if last - first < 2 {
        (first, last) = (first - 1, last + 1);
    }
    if last - first <= MOST_RUNGS {
        return logarithmic_ticks((first..=last).map(rung).collect(), Vec::new());
    }
    let (low, high) = (first.div_euclid(3), (last + 2).div_euclid(3));
    let stride = (high - low + MOST_DECADES - 1) / MOST_DECADES;
    let decades = (0..).map(|index| low + index * stride);
    let covering = ((high - low + stride - 1) / stride + 1) as usize;
    let minor = if high - low <= MOST_DECADES_WITH_MINOR {
        (low..high).flat_map(|decade| (2..10).map(move |multiple| power(multiple, decade))).collect()
    } else {
        Vec::new()
    };
    logarithmic_ticks(decades.take(covering).map(|decade| (1, decade)).collect(), minor)
}

fn logarithmic_ticks(places: Vec<(i64, i32)>, minor: Vec<f64>) -> Fitted {
    /// Labels outside these decades are powers of ten.
    const PLAIN: std::ops::RangeInclusive<i32> = -3..=5;
    let plain = places.iter().all(|(_, exponent)| PLAIN.contains(exponent));
    // Powers of ten are long labels: where there are two, they stand for the ticks between them.
    let decades_suffice = !plain && places.iter().filter(|(multiple, _)| *multiple == 1).count() >= 2;
    let tick = |(multiple, exponent): (i64, i32)| Tick {
        value: power(multiple, exponent),
        label: match multiple {
            _ if plain => decimal(multiple, exponent),
            1 => power_of_ten(exponent),
            _ if decades_suffice => String::new(),
            _ => format!("{multiple}×{}", power_of_ten(exponent)),
        },
    };
    Fitted { scale: Scale::Logarithmic, ticks: places.into_iter().map(tick).collect(), minor, factor: None }
}

/// `mantissa`·10^`exponent`, correctly rounded.
fn power(mantissa: i64, exponent: i32) -> f64 {
    format!("{mantissa}e{exponent}").parse().expect("digits, e and an exponent are a number")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(scale: Scale, from_zero: bool, low: f64, high: f64) -> (String, Option<String>) {
        let fitted = Fitted::new(scale, from_zero, Some(Range { low, high }));
        let labels: Vec<_> = fitted.ticks.into_iter().map(|tick| tick.label).collect();
        (labels.join(" "), fitted.factor)
    }

    #[test]
    fn linear_ticks_are_nice_numbers_with_equal_decimals() {
        for (from_zero, low, high, ticks) in [
            (true, 1.5, 9.8, "0 2 4 6 8 10"),
            (false, 0.0, 9.8, "0 2 4 6 8 10"),
            (false, 1.0, 6.0, "1 2 3 4 5 6"),
            (false, 0.1, 0.3, "0.10 0.15 0.20 0.25 0.30"),
            (true, 12.0, 63.9, "0 10 20 30 40 50 60 70"),
            (false, -0.4, 0.9, "−0.4 −0.2 0.0 0.2 0.4 0.6 0.8 1.0"),
            (true, -3.0, -1.0, "−3.0 −2.5 −2.0 −1.5 −1.0 −0.5 0.0"),
            (false, 0.0, 0.0, "0.0 0.2 0.4 0.6 0.8 1.0"),
            (false, 31.2, 31.2, "15 20 25 30 35 40 45 50"),
            (true, 0.0, 42_000.0, "0 10\u{202F}000 20\u{202F}000 30\u{202F}000 40\u{202F}000 50\u{202F}000"),
        ] {
            assert_eq!(labels(Scale::Linear, from_zero, low, high), (ticks.to_owned(), None));
        }
    }

    #[test]
    fn very_small_and_very_large_ticks_share_a_power_of_ten() {
        let small = labels(Scale::Linear, true, 0.0, 1e-5);
        assert_eq!(small, ("0.0 0.2 0.4 0.6 0.8 1.0".to_owned(), Some("×10⁻⁵".to_owned())));
        let large = labels(Scale::Linear, true, 0.0, 1.9e6);
        assert_eq!(large, ("0.0 0.5 1.0 1.5 2.0".to_owned(), Some("×10⁶".to_owned())));
    }

    #[test]
    fn logarithmic_ticks_climb_by_one_two_five_or_by_decades() {
        for (low, high, ticks) in [
            (1e-6, 1e-4, "10⁻⁶   10⁻⁵   10⁻⁴"),
            (3e-6, 7e-6, "2×10⁻⁶ 5×10⁻⁶ 10⁻⁵"),
            (1e-7, 1e-3, "10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³"),
            (3.0, 40.0, "2 5 10 20 50"),
            (10.0, 10.0, "5 10 20"),
            (0.01, 900.0, "0.01 0.1 1 10 100 1000"),
        ] {
            assert_eq!(labels(Scale::Logarithmic, false, low, high).0, ticks);
        }
    }

    #[test]
    fn what_a_scale_cannot_show() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!Scale::Linear.shows(value) && !Scale::Logarithmic.shows(value));
        }
        assert!(Scale::Linear.shows(0.0) && Scale::Linear.shows(-1.0));
        assert!(!Scale::Logarithmic.shows(0.0) && !Scale::Logarithmic.shows(-1.0));
    }

    fn check(fitted: &Fitted, low: f64, high: f64) -> Result<(), TestCaseError> {
        let ticks: Vec<_> = fitted.ticks.iter().map(|tick| tick.value).collect();
        prop_assert!((3..=12).contains(&ticks.len()), "{ticks:?}");
        prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "{ticks:?}");
        let slack = (high - low).abs() * 1e-6;
        prop_assert!(ticks[0] <= low + slack && high - slack <= ticks[ticks.len() - 1], "{ticks:?}");
        prop_assert!(fitted.minor.iter().all(|value| (ticks[0]..=ticks[ticks.len() - 1]).contains(value)));
        let positions: Vec<_> = ticks.iter().map(|&tick| fitted.position(tick)).collect();
        prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]), "{positions:?}");
        prop_assert_eq!((positions[0], positions[positions.len() - 1]), (0.0, 1.0));
        let labels: Vec<_> = fitted.ticks.iter().map(|tick| &tick.label).filter(|label| !label.is_empty()).collect();
        prop_assert!(labels.len() >= 2 && labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
        Ok(())
    }

    proptest! {
        #[test]
        fn any_values_get_a_linear_axis(
            a in -1e3..1e3f64, b in -1e3..1e3f64, exponent in -80..80i32, from_zero: bool,
        ) {
            let [a, b] = [a, b].map(|value| value * power(1, exponent));
            let (low, high) = (a.min(b), a.max(b));
            check(&Fitted::new(Scale::Linear, from_zero, Some(Range { low, high })), low, high)?;
        }

        #[test]
        fn nearly_equal_values_get_a_linear_axis(a in -1e9..1e9f64, relative in -12..0i32, from_zero: bool) {
            let b = a + a.abs() * power(1, relative);
            check(&Fitted::new(Scale::Linear, from_zero, Some(Range { low: a, high: b })), a, b)?;
        }

        #[test]
        fn any_positive_values_get_a_logarithmic_axis(
            a in 1.0..10.0f64, b in 1.0..10.0f64, exponents in prop::array::uniform2(-99..99i32),
        ) {
            let (a, b) = (a * power(1, exponents[0]), b * power(1, exponents[1]));
            let (low, high) = (a.min(b), a.max(b));
            check(&Fitted::new(Scale::Logarithmic, false, Some(Range { low, high })), low, high)?;
        }
    }
}
