//! Values of options that their type alone would refuse in words of Rust: each is told what would be right.

use arqway_units::{Ratio, Span, UnitError};
use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;

/// `--replications 30`
pub(crate) fn replications(text: &str) -> Result<NonZeroU32, String> {
    whole(text, "a whole number from 1 on, such as 30")
}

/// `--seeds 3`
pub(crate) fn seeds(text: &str) -> Result<NonZeroU32, String> {
    whole(text, "a whole number from 1 on, such as 3")
}

/// `--jobs 2`
pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    whole(text, "a whole number from 1 on, such as 2")
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
        .ok_or_else(|| "right would be a number as rows have it, such as 5.4".to_owned())
}

/// `--until 2%`: a share above nothing.
pub(crate) fn share(text: &str) -> Result<Ratio, String> {
    let share: Ratio = text.parse().map_err(|error: UnitError| error.to_string())?;
    if share.as_f64() > 0.0 { Ok(share) } else { Err("right would be more than 0 %".to_owned()) }
}

/// `--media-within '150 ms'`: a length above nothing.
pub(crate) fn positive_time(text: &str) -> Result<Span, String> {
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    if time > Span::ZERO { Ok(time) } else { Err("right would be a time above 0 s, such as '150 ms'".to_owned()) }
}

fn whole<N: FromStr>(text: &str, right: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("right would be {right}"))
}
