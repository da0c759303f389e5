//! How services are set up for a link: every rule, with its reason, in this one place.

use crate::link::Link;
use arqway_units::Span;

/// What follows from the facts of a link.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rules {
    /// How many packets may wait for the line: what is on its way in a round trip from host to host, as routers have it, so
    /// that TCP's window may shrink by half and the link stays busy; not less than a start of ten packets and its bursts need.
    pub(super) buffer: u64,
    /// How long an acknowledgement waits for a frame to ride on: an eighth of a round trip. So acknowledgements of their own
    /// are a few octets eight times a round trip, and cost the window, and every timeout, an eighth.
    pub(super) delayed_acknowledgement: Span,
    /// The answer to a frame, at the latest if nothing is lost: the round trip, and the acknowledgement's delay. Timeouts are
    /// multiples of it.
    pub(super) answer: Span,
    /// How many frames may be unacknowledged: what is in flight while one is repeated twice, and what a buffer would hold,
    /// since the window is all that these services hold. Above a drop-tail queue no more than half of what that has room
    /// for: copies would crowd out the frame that fills the gap.
    pub(super) window: u64,
    /// How long a request for a frame waits until it is made again: a round trip and a quarter, and the queue that the frame
    /// has to wait in.
    pub(super) request: Span,
    /// How long the line is idle before a keepalive tells how far the sender is: a quarter of a round trip, so that a loss at
    /// the end of a burst is found soon, but two frames at least, so that a pause between packets is no end.
    pub(super) keepalive: Span,
    /// How long the line is idle before a block that is not full gets its parity: as long as four frames, which TCP's pauses
    /// between bursts exceed and its pauses within them do not.
    pub(super) parity_after: Span,
    /// How often polls are made while data are on their way: twice a round trip. The answers are small, and a loss that no gap
    /// told of is found half a round trip later at most.
    pub(super) poll: Span,
    /// How long a poll, a request or a reset waits for its answer until it is repeated: a round trip and a half, and the
    /// queue below.
    pub(super) repeat_poll: Span,
    /// How long after a report or a poll there is no other: an eighth of a round trip.
    pub(super) prohibit: Span,
    /// The least time between a frame's departure and a report that can tell of it: propagation is all of it.
    pub(super) least_round_trip: Span,
    /// How many PDUs may be unacknowledged in RLC: two round trips, 2,048 at most, beyond which a late request could be
    /// misread.
    pub(super) pdus: u64,
    /// How far the sender may be ahead in SSCOP: four round trips and the buffer, so that it never binds.
    pub(super) credit: u64,
    /// How many packets may wait in tally: as many as elsewhere, and besides them what comes in behind a gap in four round trips of
    /// the link, which is the burst that TCP sends where packets behind a gap are released at once. Where a round trip is hardly
    /// longer than a frame nothing comes in behind a gap, and a longer queue would only add to the delay.
    pub(super) burst: u64,
    /// How many segments Snoop keeps until the client has them: what is on its way there and what waits, twice.
    pub(super) cache: u64,
}

/// As many packets may wait on any link: a start of ten packets, and the bursts that follow.
const LEAST_BUFFER: u64 = 32;
/// Shorter timers than this are no timers: an event on a host takes as long.
const SHORTEST: Span = Span::from_nanoseconds(100_000);

impl Rules {
    pub(super) fn of(link: &Link) -> Self {
        let buffer = link.path_in_flight.clamp(LEAST_BUFFER, 4096);
        let delayed_acknowledgement = part(link.round_trip, 0.125);
        let window = (2 * link.in_flight + buffer).min(link.drop_tail.map_or(u64::MAX, |room| (room / 2).max(1)));
        Self {
            buffer,
            delayed_acknowledgement,
            answer: link.round_trip + delayed_acknowledgement,
            window,
            request: part(link.round_trip, 1.25) + link.queue,
            keepalive: part(link.round_trip, 0.25).max(link.frame * 2),
            parity_after: (link.frame * 4).max(SHORTEST),
            poll: part(link.round_trip, 0.5),
            repeat_poll: part(link.round_trip, 1.5) + link.queue,
            prohibit: part(link.round_trip, 0.125),
            least_round_trip: link.round_trip,
            pdus: (2 * link.in_flight).clamp(32, 2048),
            credit: (4 * link.in_flight + buffer).clamp(64, 65_536),
            burst: (link.path_in_flight.max(LEAST_BUFFER) + behind_gaps(link)).min(65_536),
            cache: (2 * (link.path_in_flight + buffer)).max(100),
        }
    }
}

/// How many frames follow the one being sent in four round trips.
fn behind_gaps(link: &Link) -> u64 {
    ((link.round_trip - link.frame) * 4).as_nanoseconds() / link.frame.as_nanoseconds().max(1)
}

/// A part or a multiple of a time.
pub(super) fn part(time: Span, factor: f64) -> Span {
    Span::from_seconds(time.as_seconds() * factor).max(SHORTEST)
}

/// A time as a person would write it: rounded up to two digits.
pub(super) fn written(time: Span) -> String {
    rounded_up(time).to_string()
}

pub(super) fn rounded_up(time: Span) -> Span {
    let unit = second_digit(time);
    Span::from_nanoseconds(time.as_nanoseconds().div_ceil(unit) * unit)
}

pub(super) fn rounded_down(time: Span) -> Span {
    let unit = second_digit(time);
    Span::from_nanoseconds(time.as_nanoseconds() / unit * unit)
}

/// What the second digit of a time counts, in nanoseconds.
fn second_digit(time: Span) -> u64 {
    10_u64.pow(time.as_nanoseconds().checked_ilog10().unwrap_or(0).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_to_two_digits() {
        for (nanoseconds, text) in [
            (123_400_000, "130 ms"),
            (130_000_000, "130 ms"),
            (9_999_999_999, "10 s"),
            (7, "7 ns"),
            (100_001, "110 us"),
        ] {
            assert_eq!(written(Span::from_nanoseconds(nanoseconds)), text);
        }
        let down =
            [129_900_000, 130_000_000, 7, 0].map(|nanoseconds| rounded_down(Span::from_nanoseconds(nanoseconds)));
        assert_eq!(down, [120_000_000, 130_000_000, 7, 0].map(Span::from_nanoseconds));
    }
}
