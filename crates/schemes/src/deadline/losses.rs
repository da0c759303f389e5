//! What the sender knows of losses, and how much parity they are worth.
//!
//! ```text
//!     lost 3 %, requests in time      0.03 * (2 * 0.03)^2 is lost for good: no parity
//!     lost 1 %, none in time          0.01                             0.01 + 2.9 sqrt(0.01 / 5), where parity is of 5 packets: 14 %
//!     lost 3 %, none in time          0.03                             0.03 + 2.9 sqrt(0.03 / 5): 25 %
//!     lost three at a time            at most 25 % of 5 packets are 1.25 sums: nothing that they bring back
//! ```

use arqway_units::ToFloat;

/// How much what was sent counts falls by this part with each packet: some twenty seconds of a call.
const REMEMBERED: f64 = 1.0 / 1024.0;
/// How many requests tell of the next.
const REQUESTS: f64 = 16.0;
/// So many standard deviations more than is lost on average.
const MARGIN: f64 = 2.9;
/// Where less is lost for good, there is no parity: nobody hears it. With G.711's concealment two of a thousand take 0.75 of 93 off the
/// rating of a call (ITU-T G.113, Bpl 25.1).
const NEGLIGIBLE: f64 = 2e-3;

/// Packets that were sent, and requests for them.
#[derive(Debug)]
pub(super) struct Losses {
    sent: f64,
    lost: f64,
    /// Runs of packets that were lost one after another.
    runs: f64,
    /// The share of requests that come in time, of so many.
    in_time: f64,
    requests: f64,
}

impl Losses {
    pub(super) fn new() -> Self {
        Self { sent: 0.0, lost: 0.0, runs: 0.0, in_time: 1.0, requests: 0.0 }
    }

    /// A packet goes out for the first time.
    pub(super) fn sent(&mut self) {
        for count in [&mut self.sent, &mut self.lost, &mut self.runs] {
            *count -= *count * REMEMBERED;
        }
        self.sent += 1.0;
    }

    /// A packet is lost: the first of a run, or not; and whether its request came in time.
    pub(super) fn lost(&mut self, is_first: bool, is_in_time: bool) {
        self.lost += 1.0;
        self.runs += if is_first { 1.0 } else { 0.0 };
        // The first one tells all that is known, and of many each a little.
        self.requests = (self.requests + 1.0).min(REQUESTS);
        self.in_time += (if is_in_time { 1.0 } else { 0.0 } - self.in_time) / self.requests;
    }

    /// The octets of parity for each octet of packets, where it is of so many packets, and may be at most so many octets.
    pub(super) fn parity(&self, packets: usize, most: f64) -> f64 {
        let lost = (self.lost / self.sent.max(1.0)).min(1.0);
        // A request may be lost, and what is sent for it; both go twice at least.
        let in_vain = (2.0 * lost).min(1.0);
        let for_good = lost * (1.0 - self.in_time + self.in_time * in_vain * in_vain);
        let (packets, run) = (packets.max(1).to_f64(), (self.lost / self.runs.max(1.0)).max(1.0));
        if for_good < NEGLIGIBLE || run > 1.0 + most * packets {
            return 0.0;
        }
        (for_good + MARGIN * libm::sqrt(for_good * run / packets)).min(most)
    }
}
