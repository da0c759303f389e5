//! Recordings of Mahimahi's link shells: a line for each moment at which 1,500 octets can be sent, in milliseconds from the
//! start, several lines where more can be sent at once. After its last moment the recording starts again.
//!
//! ```text
//!     2                    Mbit/s  24 |              +----+
//!     4                            12 |    +----+    |    |
//!     4                             0 |----+    +----+    |----> starts again
//!                                     0    1    2    3    4 ms
//! ```
//!
//! The 1,500 octets of a moment are sent in the millisecond before it. So what leaves then has left at that moment, and over
//! the recording a link that is never idle carries 1,500 octets for each line.

use super::{mistake, origin, step, trimmed};
use arqway_config::{Mistake, Node, Source, Value};
use std::ops::Range;
use std::sync::Arc;

/// 1,500 octets in a millisecond.
const MBIT_PER_SECOND: u64 = 12;

/// A millisecond with so many lines, or several without any.
struct Stretch {
    milliseconds: u64,
    lines: u64,
    /// The first of the lines.
    place: Range<usize>,
}

/// The moments of a recording, each with the place of its line. There is one, and the last is not 0.
pub(super) fn moments(source: &Arc<Source>) -> Result<Vec<(u64, Range<usize>)>, Mistake> {
    let mut moments: Vec<(u64, Range<usize>)> = Vec::new();
    let mut start = 0;
    // Blank lines at the end are none.
    for line in source.text().trim_end().split_inclusive('\n') {
        let place = trimmed(line, start);
        let last = moments.last().map_or(0, |(last, _)| *last);
        moments.push((stamp(source, place.clone(), last)?, place));
        start += line.len();
    }
    let whole = 0..source.text().len().min(1);
    match moments.last() {
        None => Err(mistake(source, whole, "no time stamps").help(EXPECTED)),
        Some((0, _)) => {
            let message = "the last time stamp is 0: the recording would take no time";
            Err(mistake(source, whole, message).help(EXPECTED))
        }
        Some(_) => Ok(moments),
    }
}

/// The steps of the rate, each knowing its first line.
pub(super) fn steps(source: &Arc<Source>) -> Result<Node, Mistake> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut now = 0;
    for (stamp, place) in moments(source)? {
        // What can be sent at 0 is sent at the start.
        let end = stamp.max(1);
        if end > now {
            if end - now > 1 {
                stretches.push(Stretch { milliseconds: end - now - 1, lines: 0, place: place.clone() });
            }
            stretches.push(Stretch { milliseconds: 1, lines: 1, place });
        } else if let Some(stretch) = stretches.last_mut() {
            stretch.lines += 1;
        }
        now = end;
    }
    let text = |text: String, place: &Range<usize>| Node::text(text, origin(source, place.clone()));
    let steps = stretches.iter().map(|Stretch { milliseconds, lines, place }| {
        let rate = text(format!("{} Mbit/s", lines * MBIT_PER_SECOND), place);
        step(text(format!("{milliseconds} ms"), place), "rate", rate, origin(source, place.clone()))
    });
    Ok(Node::new(Value::Array(steps.collect()), origin(source, 0..0)))
}

const EXPECTED: &str = "expected lines of milliseconds, none before the one above it, such as 25";

/// The time stamp of a line.
fn stamp(source: &Arc<Source>, place: Range<usize>, last: u64) -> Result<u64, Mistake> {
    let text = &source.text()[place.clone()];
    let stamp = text.parse::<u64>().ok().filter(|_| text.bytes().all(|octet| octet.is_ascii_digit()));
    match stamp {
        None if text.is_empty() => Err(mistake(source, place, "this line is blank, and lines follow").help(EXPECTED)),
        None => Err(mistake(source, place, format!("`{text}` is not a time stamp")).help(EXPECTED)),
        Some(stamp) if stamp < last => {
            Err(mistake(source, place.clone(), format!("`{text}` lies before {last}, the time stamp above it"))
                .help(EXPECTED))
        }
        Some(stamp) => Ok(stamp),
    }
}
