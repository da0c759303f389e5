//! Whether the line carries less than the pace: then a queue stands on the way, and packets wait and are lost there, where no scheduler
//! orders them.
//!
//! ```text
//!     the shortest round trip          as ever                longer: a queue stands
//!     all is delivered                 the pace is right      ... and longer each time: TCP fills the queue, and has not yet
//!     less than 95 % is delivered      a bad link loses some  ... and is full
//!                                                             either, four times in a row: the line carries what is delivered
//! ```
//!
//! Losses alone say nothing: a bad link loses as much at its right rate. TCP need not use the pace to fill a queue: it sends a little more than is
//! acknowledged. The shortest round trip of a second is longer than it ever was only where a queue stands. Only times count in which a
//! good part of the pace, and not all of it, was delivered: who sends little learns nothing. A fade is over before four of them are. Where
//! less than half arrives of a pace that is used, the [breaker](super::breaker) acts; here nothing is changed, and the owner is told.

use arqway_units::{BitRate, Octets, Span, Time};

/// How long one measurement takes, or a round trip.
const WINDOW: Span = Span::from_milliseconds(1500);
/// How many measurements in a row show it.
const WINDOWS: u8 = 4;
/// By how much the shortest round trip has grown where a queue stands: so much, or a quarter, and some datagrams that are on their way.
const GROWN: Span = Span::from_milliseconds(20);
const DATAGRAMS: u64 = 4;

/// Of the pace, a part that is delivered at least where the line is at work.
const PART: u64 = 4;

/// What is measured of a line.
#[derive(Debug, Default)]
pub(crate) struct Shortfall {
    /// The shortest round trip on this path.
    shortest: Option<Span>,
    window: Option<Window>,
    /// That of the measurement before.
    shortest_before: Option<Span>,
    /// Measurements in a row in which a queue grew or was full.
    short: u8,
    carries: Option<BitRate>,
}

/// A measurement under way.
#[derive(Debug)]
struct Window {
    began: Sent,
    delivered: u64,
    shortest: Option<Span>,
}

/// What has been sent up to a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) octets: u64,
    pub(crate) datagrams: u64,
}

impl Shortfall {
    /// What the line carries, while that is less than the pace.
    pub(crate) fn carries(&self) -> Option<BitRate> {
        self.carries
    }

    /// What is measured ends here: the link was down, or numbers begin anew.
    pub(crate) fn interrupt(&mut self) {
        (self.window, self.shortest_before, self.short) = (None, None, 0);
    }

    /// A report came when so much had been sent: a round trip, and how many octets more were delivered. What the line carries, where that
    /// is news.
    pub(crate) fn hear(
        &mut self,
        sent: Sent,
        (round_trip, delivered): (Option<Span>, u64),
        (pace, overhead, mtu): (BitRate, Octets, Octets),
    ) -> Option<BitRate> {
        let shortest = [self.shortest, round_trip].into_iter().flatten().min();
        self.shortest = shortest;
        let Some(window) = &mut self.window else {
            self.window = Some(Window { began: sent, delivered: 0, shortest: None });
            return None;
        };
        window.delivered += delivered;
        window.shortest = [window.shortest, round_trip].into_iter().flatten().min();
        let lasted = sent.at.since(window.began.at);
        if lasted < WINDOW.max(window.shortest?) {
            return None;
        }
        let in_window = window.shortest?;
        let (octets, datagrams) = (sent.octets - window.began.octets, sent.datagrams - window.began.datagrams);
        let delivered = core::mem::take(&mut window.delivered);
        (window.began, window.shortest) = (sent, None);
        let before = self.shortest_before.replace(in_window);
        let arrives = rate(octets + datagrams * overhead.as_u64(), (delivered, octets), lasted)?;
        if self.carries.is_some_and(|carries| times(arrives, 10) > times(carries, 11)) {
            self.carries = None;
        }
        let stands = in_window - shortest? > GROWN.max(shortest? / 4) + pace.time_to_send(mtu) * DATAGRAMS;
        let is_full = delivered * 20 < octets * 19;
        let grows = before.is_some_and(|before| in_window > before + GROWN / 2);
        let is_at_work = times(arrives, PART) >= times(pace, 1) && times(arrives, 20) < times(pace, 19);
        self.short = if stands && is_at_work && (is_full || grows) { (self.short + 1).min(WINDOWS) } else { 0 };
        if self.short < WINDOWS {
            return None;
        }
        let was_known = self.carries.replace(arrives).is_some();
        (!was_known).then_some(arrives)
    }
}

/// The rate at which the delivered ones of some octets arrive.
fn rate(octets: u64, (delivered, sent): (u64, u64), lasted: Span) -> Option<BitRate> {
    let bits = u128::from(octets) * u128::from(delivered) * 8_000_000_000 / u128::from(sent.max(1));
    let rate = u64::try_from(bits / u128::from(lasted.as_nanoseconds().max(1))).ok()?;
    BitRate::from_bits_per_second(rate)
}

/// A rate so many times.
fn times(rate: BitRate, many: u64) -> u128 {
    u128::from(rate.as_bits_per_second()) * u128::from(many)
}
