//! Parsers of option values, with errors that say what was expected (those of `FromStr` would speak of Rust).

use arqway_units::{Ratio, Span, UnitError};
use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;

/// `--replications 30`
pub(crate) fn replications(text: &str) -> Result<NonZeroU32, String> {
    whole(text, "a whole number of at least 1, such as 30")
}

/// `--seeds 3`
pub(crate) fn seeds(text: &str) -> Result<NonZeroU32, String> {
    let expected = "a whole number from 1 to 100, such as 3";
    let seeds: NonZeroU32 = whole(text, expected)?;
    if seeds.get() <= 100 { Ok(seeds) } else { Err(format!("expected {expected}")) }
}

/// `--jobs 2`
pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    whole(text, "a whole number of at least 1, such as 2")
}

/// `--replication 3`
pub(crate) fn replication(text: &str) -> Result<u32, String> {
    whole(text, "a whole number, counted from 0")
}

/// `--seed 7`
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    whole(text, "a whole number, such as 7")
}

/// `--point 5.4`: as rows have it, so without a unit.
pub(crate) fn point(text: &str) -> Result<f64, String> {
    let point: Option<f64> = text.parse().ok();
    point
        .filter(|point| point.is_finite())
        .ok_or_else(|| "expected a number without a unit, as in the rows, such as 5.4".to_owned())
}

/// `--until 2%`: a share above zero.
pub(crate) fn share(text: &str) -> Result<Ratio, String> {
    let share: Ratio = text.parse().map_err(|error: UnitError| error.to_string())?;
    if share.as_f64() > 0.0 { Ok(share) } else { Err("expected more than 0 %".to_owned()) }
}

/// `--media-within '150 ms'`: a time above zero.
pub(crate) fn positive_time(text: &str) -> Result<Span, String> {
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    if time > Span::ZERO { Ok(time) } else { Err("expected a time above 0 s, such as '150 ms'".to_owned()) }
}

fn whole<N: FromStr>(text: &str, expected: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("expected {expected}"))
}
