//! Every unit's text in one table: how it is read, how it is printed, and what an error says.
//!
//! ```
//! use arqway_units::{BitRate, Span};
//! let rate: BitRate = "64 kbit/s".parse().unwrap();
//! assert_eq!(rate.to_string(), "64 kbit/s");
//! let error = "64".parse::<Span>().unwrap_err();
//! assert_eq!(error.to_string(), "a length of time needs its unit: write \"64 s\" or \"64 ms\"");
//! ```

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use crate::{BitRate, Octets, Ratio, Span, ToFloat, truncate};

/// Why a text is not a quantity; its message says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnitError(String);

/// A unit: what is written after the number, and how many base units it stands for.
type Unit = (&'static str, f64);

/// What a kind of quantity is called and which units it knows; the largest unit that a value
/// fills at least once prints it, so larger units stand first.
pub(crate) struct Table {
    pub(crate) what: &'static str,
    example: &'static str,
    /// The units that most quantities of this kind have, for whoever has left out the unit.
    usual: [&'static str; 2],
    pub(crate) units: &'static [Unit],
    /// Read, but never printed.
    pub(crate) also: &'static [Unit],
}

pub(crate) const SPAN: Table = Table {
    what: "a length of time",
    example: "\"50 ms\"",
    usual: ["s", "ms"],
    units: &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)],
    also: &[("min", 60e9), ("h", 3600e9), ("µs", 1e3)],
};

pub(crate) const RATE: Table = Table {
    what: "a rate",
    example: "\"64 kbit/s\"",
    usual: ["kbit/s", "Mbit/s"],
    units: &[("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)],
    also: &[("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0)],
};

pub(crate) const OCTETS: Table = Table {
    what: "a size",
    example: "\"250 octets\"",
    usual: ["octets", "kB"],
    units: &[("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("octets", 1.0)],
    also: &[("octet", 1.0), ("B", 1.0), ("bytes", 1.0), ("byte", 1.0)],
};

pub(crate) const RATIO: Table = Table {
    what: "a share",
    example: "\"5.4 %\" or 0.054",
    usual: ["%", ""],
    units: &[("%", 1.0)],
    also: &[("", 1.0)],
};

impl Table {
    /// The value of `text` in base units.
    fn read(&self, text: &str) -> Result<f64, UnitError> {
        let text = text.trim();
        let end =
            text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_'))).unwrap_or(text.len());
        let (number, unit) = (text[..end].replace('_', ""), text[end..].trim());
        let Ok(value) = number.parse::<f64>() else {
            return Err(UnitError(alloc::format!("expected {} with its unit, such as {}", self.what, self.example)));
        };
        let known = self.units.iter().chain(self.also).find(|(name, _)| *name == unit);
        let Some((_, factor)) = known else { return Err(self.wrong_unit(&number, unit)) };
        if value < 0.0 {
            return Err(UnitError(alloc::format!("{} cannot be negative", self.what)));
        }
        Ok(value * factor)
    }

    fn wrong_unit(&self, number: &str, unit: &str) -> UnitError {
        if unit.is_empty() {
            let [first, second] = self.usual;
            return UnitError(alloc::format!(
                "{} needs its unit: write \"{number} {first}\" or \"{number} {second}\"",
                self.what
            ));
        }
        let exponent = unit.strip_prefix(['e', 'E']).map(|rest| rest.trim_start_matches(['+', '-']));
        let exponent = exponent.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if exponent {
            let message = alloc::format!("{} is written without an exponent, such as {}", self.what, self.example);
            return UnitError(message);
        }
        let like = |name: &str| {
            name.eq_ignore_ascii_case(unit)
                || name.strip_suffix("/s").is_some_and(|name| name.eq_ignore_ascii_case(unit))
        };
        let near = self.units.iter().chain(self.also).find(|(name, _)| like(name));
        let near = near.map_or_else(String::new, |(name, _)| alloc::format!("did you mean `{name}`? "));
        let names = self.units.iter().map(|(name, _)| *name).collect::<alloc::vec::Vec<_>>().join(", ");
        let one_of = if self.units.len() == 1 { "" } else { "one of " };
        UnitError(alloc::format!("unknown unit `{unit}` for {}; {near}expected {one_of}{names}", self.what))
    }

    /// Prints a whole number of base units in the largest unit that it fills at least once.
    fn print(&self, value: u64, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.units.len() - 1;
        let fits = self.units.iter().position(|(_, factor)| value.to_f64() >= *factor).unwrap_or(base);
        let (name, factor) = self.units[fits];
        write!(out, "{} {name}", value.to_f64() / factor)
    }
}

/// The nearest whole number; what is too large for the type is an error.
fn whole(value: f64, table: &Table) -> Result<u64, UnitError> {
    if value > 9e18 {
        return Err(UnitError(alloc::format!("{} this large cannot be represented", table.what)));
    }
    Ok(truncate(value + 0.5))
}

impl FromStr for Span {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        SPAN.read(text).and_then(|value| whole(value, &SPAN)).map(Self::from_nanoseconds)
    }
}

impl BitRate {
    /// Reads a rate that may also be "0 bit/s", an outage, which is `None`.
    ///
    /// # Errors
    /// What is not a rate.
    pub fn read_or_zero(text: &str) -> Result<Option<Self>, UnitError> {
        RATE.read(text).and_then(|value| whole(value, &RATE)).map(Self::from_bits_per_second)
    }
}

impl FromStr for BitRate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        Self::read_or_zero(text)?.ok_or_else(|| UnitError("expected a rate of at least 1 bit/s".to_string()))
    }
}

impl FromStr for Octets {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        OCTETS.read(text).and_then(|value| whole(value, &OCTETS)).map(Self::new)
    }
}

impl FromStr for Ratio {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let number = RATIO.read(text)?;
        // By way of decimal text: 5.4 / 100 is not the number nearest to 0.054, and neither is 5.4 * 0.01.
        let percent = text.trim_end().ends_with('%');
        let share = if percent { alloc::format!("{number}e-2").parse().unwrap_or(number / 100.0) } else { number };
        Self::new(share).ok_or_else(|| UnitError("expected a share between 0 % and 100 %".to_string()))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        SPAN.print(self.as_nanoseconds(), out)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        RATE.print(self.as_bits_per_second(), out)
    }
}

impl fmt::Display for Octets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        OCTETS.print(self.as_u64(), out)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} %", self.as_percent())
    }
}

/// Text in and text out for serde; a ratio may also be a bare number, which needs no unit.
macro_rules! serde_as_text {
    ($($type:ident from $table:ident),*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(out, "{} with its unit, such as {}", $table.what, $table.example)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<$type, E> {
                        alloc::format!("{number}").parse().map_err(E::custom)
                    }
                    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$type, E> {
                        alloc::format!("{number}").parse().map_err(E::custom)
                    }
                    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$type, E> {
                        alloc::format!("{number}").parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }
    )*};
}

/// No timer is shorter: one that expires at once expires for ever.
pub const SHORTEST_TIMER: Span = Span::from_nanoseconds(1000);

/// Reads the length of a timer, for `#[serde(deserialize_with = "...")]`.
///
/// # Errors
/// What is no length of time, or shorter than [`SHORTEST_TIMER`].
pub fn positive_span<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
    let span = <Span as serde::Deserialize>::deserialize(deserializer)?;
    if span < SHORTEST_TIMER {
        return Err(serde::de::Error::custom(alloc::format!("this must be {SHORTEST_TIMER} or more")));
    }
    Ok(span)
}

/// The same where the setting may be left out.
///
/// # Errors
/// What is no length of time, or shorter than [`SHORTEST_TIMER`].
pub fn optional_positive_span<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Span>, D::Error> {
    positive_span(deserializer).map(Some)
}

/// The same where the setting may be left out, and zero turns the timer off.
///
/// # Errors
/// What is no length of time, or neither zero nor at least [`SHORTEST_TIMER`].
pub fn optional_timer<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Span>, D::Error> {
    let span = <Span as serde::Deserialize>::deserialize(deserializer)?;
    if span != Span::ZERO && span < SHORTEST_TIMER {
        return Err(serde::de::Error::custom(alloc::format!("this must be {SHORTEST_TIMER} or more, or 0 s for none")));
    }
    Ok(Some(span))
}

serde_as_text!(Span from SPAN, BitRate from RATE, Octets from OCTETS, Ratio from RATIO);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_is_read_with_its_unit() {
        assert_eq!("50 ms".parse(), Ok(Span::from_milliseconds(50)));
        assert_eq!("1.35s".parse(), Ok(Span::from_milliseconds(1350)));
        assert_eq!("10 Mbps".parse::<BitRate>().map(BitRate::as_bits_per_second), Ok(10_000_000));
        assert_eq!("10 MB".parse(), Ok(Octets::new(10_000_000)));
        assert_eq!("5.4 %".parse::<Ratio>().map(Ratio::as_f64), Ok(0.054));
        assert_eq!("0.054".parse::<Ratio>().map(Ratio::as_f64), Ok(0.054));
    }

    #[test]
    fn an_error_says_what_was_expected() {
        let cases = [
            ("64".parse::<Span>().map(drop), "a length of time needs its unit: write \"64 s\" or \"64 ms\""),
            (
                "64 kbit/s".parse::<Span>().map(drop),
                "unknown unit `kbit/s` for a length of time; expected one of s, ms, us, ns",
            ),
            ("fast".parse::<BitRate>().map(drop), "expected a rate with its unit, such as \"64 kbit/s\""),
            ("0 bit/s".parse::<BitRate>().map(drop), "expected a rate of at least 1 bit/s"),
            ("-3 ms".parse::<Span>().map(drop), "a length of time cannot be negative"),
            ("140 %".parse::<Ratio>().map(drop), "expected a share between 0 % and 100 %"),
            ("128".parse::<BitRate>().map(drop), "a rate needs its unit: write \"128 kbit/s\" or \"128 Mbit/s\""),
            ("250".parse::<Octets>().map(drop), "a size needs its unit: write \"250 octets\" or \"250 kB\""),
            (
                "10 mbit/s".parse::<BitRate>().map(drop),
                "unknown unit `mbit/s` for a rate; did you mean `Mbit/s`? expected one of Gbit/s, Mbit/s, kbit/s, bit/s",
            ),
            (
                "5 Mbit".parse::<BitRate>().map(drop),
                "unknown unit `Mbit` for a rate; did you mean `Mbit/s`? expected one of Gbit/s, Mbit/s, kbit/s, bit/s",
            ),
            (
                "5 KB".parse::<Octets>().map(drop),
                "unknown unit `KB` for a size; did you mean `kB`? expected one of GB, MB, kB, octets",
            ),
            ("5 per cent".parse::<Ratio>().map(drop), "unknown unit `per cent` for a share; expected %"),
            ("1e-12 s".parse::<Span>().map(drop), "a length of time is written without an exponent, such as \"50 ms\""),
            ("1e3 s".parse::<Span>().map(drop), "a length of time is written without an exponent, such as \"50 ms\""),
            ("99999999999999 s".parse::<Span>().map(drop), "a length of time this large cannot be represented"),
        ];
        for (result, message) in cases {
            assert_eq!(result.unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_the_same(nanoseconds in 0u64..(1 << 50), rate in 1u64..(1 << 50), octets in 0u64..(1 << 50)) {
            let (span, octets) = (Span::from_nanoseconds(nanoseconds), Octets::new(octets));
            let rate = BitRate::from_bits_per_second(rate).expect("not zero");
            prop_assert_eq!(span.to_string().parse(), Ok(span));
            prop_assert_eq!(rate.to_string().parse(), Ok(rate));
            prop_assert_eq!(octets.to_string().parse(), Ok(octets));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,24}") {
            let _ = (text.parse::<Span>(), text.parse::<BitRate>(), text.parse::<Octets>(), text.parse::<Ratio>());
        }
    }
}
