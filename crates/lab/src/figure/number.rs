//! Numbers as text for people: as many digits as mean something, a true minus sign, powers of ten written out.

/// Magnitudes below ten to this, and from ten to `LARGE` on, are written with a power of ten.
const SMALL: i32 = -4;
const LARGE: i32 = 7;

/// A mean with half the width of its interval: `31.2 ± 0.3`, or the mean alone where there is no interval.
///
/// The half width has one significant digit, or two where the first is a 1 or a 2; the mean has the same decimals.
#[must_use]
pub fn with_half_width(mean: f64, half_width: Option<f64>) -> String {
    let Some(half_width) = half_width.filter(|width| width.is_finite() && mean.is_finite()) else {
        return significant(mean, 4);
    };
    let half_width = half_width.abs();
    if half_width <= NOISE * mean.abs() {
        return format!("{} ± 0", significant(mean, 4));
    }
    let largest = decimal_exponent(if mean.abs() > half_width { mean } else { half_width });
    let plain = (SMALL..LARGE).contains(&largest);
    let factor = if plain { 0 } else { largest };
    let digits = if format!("{half_width:e}").starts_with(['1', '2']) { 2 } else { 1 };
    let decimals = decimals(decimal_exponent(half_width) - factor, digits);
    let [mean, half_width] = [mean, half_width].map(|value| fixed(scaled(value, factor), decimals));
    if plain {
        format!("{mean} ± {half_width}")
    } else {
        format!("({mean} ± {half_width})×{}", power_of_ten(factor))
    }
}

/// What rounding alone makes of equal values, as a share of them.
const NOISE: f64 = 1e-12;

/// A percentage with at most so many significant digits, and more where it would read 100 without being that.
#[must_use]
pub fn percentage(percent: f64, digits: usize) -> String {
    let is_hundred = |text: &str| text.trim_start_matches('−') == "100";
    let all = (digits..17).map(|digits| significant(percent, digits));
    let exact = all.clone().find(|text| !is_hundred(text)).filter(|_| percent.abs() != 100.0);
    exact.unwrap_or_else(|| significant(percent, digits))
}

/// A percentage with half the width of its interval; more digits of it where it would read 0 or 100 without being that.
#[must_use]
pub fn percentage_with_half_width(percent: f64, half_width: Option<f64>) -> String {
    let text = with_half_width(percent, half_width);
    let (shown, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let reads = shown.replace('−', "-").parse::<f64>().map(f64::abs);
    let is_rounded = reads.is_ok_and(|reads| (reads == 0.0 || reads == 100.0) && reads != percent.abs());
    if is_rounded { format!("{} {rest}", percentage(percent, 1)).trim_end().to_owned() } else { text }
}

/// A number with at most so many significant digits, without trailing zeros.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return minus(&format!("{}", value + 0.0));
    }
    let exponent = decimal_exponent(value);
    let plain = (SMALL..LARGE).contains(&exponent);
    let factor = if plain { 0 } else { exponent };
    let text = fixed(scaled(value, factor), decimals(exponent - factor, digits));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if plain { text.to_owned() } else { format!("{text}×{}", power_of_ten(factor)) }
}

/// A number as it was written in a plan: the shortest decimal that reads back the same.
#[must_use]
pub fn shortest(value: f64) -> String {
    if value == 0.0 || (SMALL..LARGE).contains(&decimal_exponent(value)) {
        return minus(&format!("{}", value + 0.0));
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            format!("{}×{}", minus(digits), power_of_ten(exponent.parse().unwrap_or_default()))
        }
        None => minus(&text),
    }
}

/// A number as one types it: `5.4`, `131072`, `1e-8`.
#[must_use]
pub fn typed(value: f64) -> String {
    if value == 0.0 || (1e-4..1e15).contains(&value.abs()) { format!("{}", value + 0.0) } else { format!("{value:e}") }
}

/// `mantissa`·10^`exponent` without a power of ten: `0.05`, `−20`, `10 000`.
pub(super) fn decimal(mantissa: i64, exponent: i32) -> String {
    let digits = mantissa.unsigned_abs().to_string();
    let places = exponent.unsigned_abs() as usize;
    let (whole, fraction) = if exponent < 0 {
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        (whole.to_owned(), format!(".{fraction}"))
    } else if mantissa == 0 {
        (digits, String::new())
    } else {
        (digits + &"0".repeat(places), String::new())
    };
    let sign = if mantissa < 0 { "−" } else { "" };
    format!("{sign}{}{fraction}", grouped(&whole))
}

/// `10⁻⁵`.
pub(super) fn power_of_ten(exponent: i32) -> String {
    let raised = |letter: char| match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

/// The power of ten of the first significant digit, read from the exact decimal expansion rather than from a logarithm.
pub(super) fn decimal_exponent(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.rsplit_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default()
}

/// Decimals that show `digits` digits of a number whose first stands at `exponent`.
fn decimals(exponent: i32, digits: usize) -> usize {
    let last_digit = i64::from(exponent) + 1 - digits as i64;
    usize::try_from(-last_digit).unwrap_or_default()
}

/// So many decimals, with a minus sign in place of a hyphen.
#[must_use]
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let negative_zero = text.starts_with('-') && !text.contains(|letter| ('1'..='9').contains(&letter));
    minus(if negative_zero { &text[1..] } else { &text })
}

/// `value`·10^−`factor`, through decimal text and so without a rounding of its own.
fn scaled(value: f64, factor: i32) -> f64 {
    let text = format!("{value:e}");
    let moved = text.split_once('e').and_then(|(digits, exponent)| {
        let exponent = exponent.parse::<i32>().ok()? - factor;
        format!("{digits}e{exponent}").parse().ok()
    });
    moved.unwrap_or(value)
}

/// Five and more digits in groups of three, by narrow spaces that do not break.
fn grouped(whole: &str) -> String {
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && whole.len() > 4 && (whole.len() - index).is_multiple_of(3) {
            text.push('\u{202F}');
        }
        text.push(digit);
    }
    text
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_width_sets_the_decimals() {
        for (mean, half_width, text) in [
            (31.2345, Some(0.321), "31.2 ± 0.3"),
            (31.2345, Some(0.123), "31.23 ± 0.12"),
            (50.6, Some(2.1), "50.6 ± 2.1"),
            (31_234.5, Some(321.0), "31234 ± 321"),
            (-0.001, Some(0.5), "0.0 ± 0.5"),
            (-2.0, Some(0.5), "−2.0 ± 0.5"),
            (12.5, Some(0.0), "12.5 ± 0"),
            (0.006_399_999_999_999_5, Some(2.2e-17), "0.0064 ± 0"),
            (12.345_678, None, "12.35"),
            (1.23e-6, Some(4.5e-8), "(1.23 ± 0.04)×10⁻⁶"),
            (2.5e9, Some(1.5e8), "(2.50 ± 0.15)×10⁹"),
            (f64::NAN, Some(1.0), "NaN"),
            (1.0, Some(f64::INFINITY), "1"),
        ] {
            assert_eq!(with_half_width(mean, half_width), text);
        }
    }

    #[test]
    fn significant_digits_and_no_more() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5.4, "5.4"),
            (20.0, "20"),
            (0.054_321, "0.05432"),
            (123_456.0, "123456"),
            (1.5e-7, "1.5×10⁻⁷"),
            (-3e8, "−3×10⁸"),
            (f64::NEG_INFINITY, "−inf"),
        ] {
            assert_eq!(significant(value, 4), text);
        }
    }

    #[test]
    fn a_percentage_reads_0_or_100_only_where_it_is_that() {
        for (percent, text) in [
            (0.0, "0"),
            (100.0, "100"),
            (-100.0, "−100"),
            (99.9, "99.9"),
            (99.996, "99.996"),
            (99.999_999_9, "99.9999999"),
            (100.4, "100.4"),
            (-99.97, "−99.97"),
            (0.04, "0.04"),
            (1e-9, "1×10⁻⁹"),
            (57.23, "57"),
        ] {
            assert_eq!(percentage(percent, 2), text);
        }
        for (percent, half_width, text) in [
            (99.97, Some(0.5), "99.97 ± 0.5"),
            (0.004, Some(0.3), "0.004 ± 0.3"),
            (100.0, Some(0.0), "100 ± 0"),
            (0.0, Some(0.3), "0.0 ± 0.3"),
            (99.999_96, None, "99.99996"),
            (31.2345, Some(0.321), "31.2 ± 0.3"),
        ] {
            assert_eq!(percentage_with_half_width(percent, half_width), text);
        }
    }

    #[test]
    fn the_shortest_text_of_a_point() {
        for (value, text) in [(5.4, "5.4"), (0.0, "0"), (-1.5, "−1.5"), (1e-5, "1×10⁻⁵"), (12_000.0, "12000")] {
            assert_eq!(shortest(value), text);
        }
    }

    #[test]
    fn a_number_is_typed_with_an_exponent_only_where_zeros_would_have_to_be_counted() {
        let typed = [0.0, 5.4, -20.0, 131_072.0, 0.001, 1e-8, 2.5e-7].map(typed);
        assert_eq!(typed, ["0", "5.4", "-20", "131072", "0.001", "1e-8", "2.5e-7"]);
        assert!([1e-8, 2.5e-7, 1e16].iter().all(|value| super::typed(*value).parse() == Ok(*value)));
    }

    #[test]
    fn decimals_of_ticks() {
        for (mantissa, exponent, text) in [
            (5, -1, "0.5"),
            (0, -1, "0.0"),
            (0, 3, "0"),
            (0, 0, "0"),
            (-20, 0, "−20"),
            (2, 3, "2000"),
            (1, 4, "10\u{202F}000"),
            (1_234_567, 0, "1\u{202F}234\u{202F}567"),
            (12, -3, "0.012"),
            (-105, -2, "−1.05"),
        ] {
            assert_eq!(decimal(mantissa, exponent), text);
        }
        assert_eq!(power_of_ten(-12), "10⁻¹²");
        assert_eq!(power_of_ten(30), "10³⁰");
    }
}
