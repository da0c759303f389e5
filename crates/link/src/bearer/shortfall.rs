//! Whether the line carries less than the pace: then a queue on the way is always full, and packets are lost and wait there, where no
//! scheduler orders them.
//!
//! ```text
//!     the shortest round trip     as ever                   longer: a queue stands
//!     delivered: 95 % and more    the pace is right         the pace is right
//!                less             a bad link loses some     four times in a row: the line carries what is delivered
//! ```
//!
//! Losses alone say nothing: a bad link loses as much at its right rate. The shortest round trip of some seconds is longer than it ever was only
//! where a queue stands. Only times count in which the pace was used: who sends little learns nothing. A fade is over before four of them are.
//! Where less than half arrives, the [breaker](super::breaker) acts; here nothing is changed, and the owner is told.

use arqway_units::{BitRate, Octets, Span, Time};

/// How long one measurement takes, or a round trip.
const WINDOW: Span = Span::from_milliseconds(1500);
/// How many measurements in a row show it.
const WINDOWS: u8 = 4;
/// By how much the shortest round trip has grown where a queue stands: so much, or a quarter, and some datagrams that are on their way.
const GROWN: Span = Span::from_milliseconds(20);
const DATAGRAMS: u64 = 4;

/// What is measured of a line.
#[derive(Debug, Default)]
pub(super) struct Shortfall {
    /// The shortest round trip on this path.
    shortest: Option<Span>,
    window: Option<Window>,
    /// Measurements in a row in which less was delivered.
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
pub(super) struct Sent {
    pub(super) at: Time,
    pub(super) octets: u64,
    pub(super) datagrams: u64,
}

impl Shortfall {
    /// What the line carries, while that is less than the pace.
    pub(super) fn carries(&self) -> Option<BitRate> {
        self.carries
    }

    /// What is measured ends here: the link was down, or numbers begin anew.
    pub(super) fn interrupt(&mut self) {
        (self.window, self.short) = (None, 0);
    }

    /// A report came when so much had been sent: a round trip, and how many octets more were delivered. What the line carries, where that
    /// is news.
    pub(super) fn hear(
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
        let grown = window.shortest? - shortest?;
        let (octets, datagrams) = (sent.octets - window.began.octets, sent.datagrams - window.began.datagrams);
        let delivered = core::mem::take(&mut window.delivered);
        (window.began, window.shortest) = (sent, None);
        let with_overhead = octets + datagrams * overhead.as_u64();
        let is_used = pace.time_to_send(Octets::new(with_overhead)) * 10 >= lasted * 9;
        if !is_used
            || delivered * 20 >= octets * 19
            || grown <= GROWN.max(shortest? / 4) + pace.time_to_send(mtu) * DATAGRAMS
        {
            self.short = 0;
            self.carries = self.carries.filter(|_| !is_used);
            return None;
        }
        self.short = (self.short + 1).min(WINDOWS);
        if self.short < WINDOWS {
            return None;
        }
        let bits = u128::from(with_overhead) * u128::from(delivered) * 8_000_000_000 / u128::from(octets.max(1));
        let carries = u64::try_from(bits / u128::from(lasted.as_nanoseconds().max(1))).ok();
        let carries = carries.and_then(BitRate::from_bits_per_second);
        let was_known = core::mem::replace(&mut self.carries, carries).is_some();
        carries.filter(|_| !was_known)
    }
}
