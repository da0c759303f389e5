//! Which packet that arrived is which that was sent: those of one content, and among several of them those whose time on the
//! way is most like that of the others.
//!
//! ```text
//!     sent       a  b  c  d  b          e       b was sent twice
//!     arrived         a  c     d     b  b?      which of the two was lost, only the time tells
//! ```

use super::capture::Seen;
use crate::frames::{Fate, Frames, SentFrame};
use arqway_units::{Octets, Time};
use std::collections::BTreeMap;

/// The packets of one content, by their places among those sent and those that arrived.
#[derive(Debug, Default)]
struct Alike {
    sent: Vec<usize>,
    arrived: Vec<usize>,
}

/// Frames by what was seen at both ends, each in the order of time.
pub(super) fn pair(sent: Vec<Seen>, arrived: Vec<Seen>, octets: Option<Octets>) -> Frames {
    let heads_only = sent.iter().chain(&arrived).any(|seen| seen.cut);
    let key = |seen: &Seen| if heads_only { seen.content.head } else { seen.content.all };
    let mut alike: BTreeMap<u64, Alike> = BTreeMap::new();
    for (place, seen) in sent.iter().enumerate() {
        alike.entry(key(seen)).or_default().sent.push(place);
    }
    for (place, seen) in arrived.iter().enumerate() {
        alike.entry(key(seen)).or_default().arrived.push(place);
    }
    let usual = usual_delay(&alike, &sent, &arrived);
    let mut fates = vec![Fate::Lost; sent.len()];
    let mut frames = Frames::default();
    for group in alike.values() {
        if group.sent.is_empty() {
            frames.strangers += group.arrived.len() as u64;
            continue;
        }
        let matched = match_up(group, &sent, &arrived, usual, |from, delay| fates[from] = Fate::After(delay));
        frames.duplicates += group.arrived.len() as u64 - matched;
    }
    let first = sent.first().map_or(0, |first| first.at);
    let frame = |(seen, fate): (Seen, Fate)| SentFrame {
        at: Time::from_nanoseconds(seen.at.abs_diff(first)),
        octets: octets.unwrap_or(seen.octets),
        fate,
    };
    frames.frames = sent.into_iter().zip(fates).map(frame).collect();
    frames
}

/// Takes arrivals in their order, each for the packet whose delay is nearest to the usual one; how many found one.
fn match_up(group: &Alike, sent: &[Seen], arrived: &[Seen], usual: i64, mut found: impl FnMut(usize, i64)) -> u64 {
    let (mut next, mut matched) = (0, 0);
    for arrival in &group.arrived {
        let off = |place: usize| {
            arrived[*arrival].at.saturating_sub(sent[group.sent[place]].at).saturating_sub(usual).unsigned_abs()
        };
        // As many must be left as there are arrivals, but the nearest is taken.
        while next + 1 < group.sent.len() && off(next + 1) < off(next) {
            next += 1;
        }
        let Some(from) = group.sent.get(next) else { break };
        found(*from, arrived[*arrival].at.saturating_sub(sent[*from].at));
        next += 1;
        matched += 1;
    }
    matched
}

/// The median delay of packets that were sent once and arrived once; without any, the one that fits best.
fn usual_delay(alike: &BTreeMap<u64, Alike>, sent: &[Seen], arrived: &[Seen]) -> i64 {
    let once = alike.values().filter(|group| group.sent.len() == 1 && group.arrived.len() == 1);
    let mut delays: Vec<i64> =
        once.map(|group| arrived[group.arrived[0]].at.saturating_sub(sent[group.sent[0]].at)).collect();
    delays.sort_unstable();
    if let Some(median) = delays.get(delays.len() / 2) {
        return *median;
    }
    let largest = alike.values().filter(|group| !group.sent.is_empty()).max_by_key(|group| group.arrived.len());
    largest.map_or(0, |group| fitting_delay(group, sent, arrived))
}

/// The delay under which the first arrivals of packets that are all alike lie nearest to where packets were sent.
fn fitting_delay(group: &Alike, sent: &[Seen], arrived: &[Seen]) -> i64 {
    const STARTS: usize = 256;
    const ARRIVALS: usize = 2048;
    let Some(first) = group.arrived.first() else { return 0 };
    let off = |delay: i64| -> u128 {
        let mut next = 0;
        let distance = |place: usize, arrival: usize| {
            arrived[arrival].at.saturating_sub(sent[group.sent[place]].at).saturating_sub(delay).unsigned_abs()
        };
        let one = |arrival: &usize| {
            while next + 1 < group.sent.len() && distance(next + 1, *arrival) <= distance(next, *arrival) {
                next += 1;
            }
            u128::from(distance(next, *arrival))
        };
        group.arrived.iter().take(ARRIVALS).map(one).sum()
    };
    let delays = group.sent.iter().take(STARTS).map(|from| arrived[*first].at.saturating_sub(sent[*from].at));
    // Of several that fit alike, the longest: then no arrival comes before what it is of.
    delays.min_by_key(|delay| off(*delay)).unwrap_or(0)
}
