//! What became of the packets of one direction.
//!
//! ```text
//!     offered -+-> queue-full                 no room in the queue
//!              +-> waiting -> sent -+-> lost, outage
//!                                   +-> delivered (and duplicated) -> refused: the interface took it not
//! ```

use arqway_sim::{Cause, Start};
use arqway_units::Octets;
use serde::Serialize;

/// Numbers of packets, in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counters {
    /// That came from the sender's interface.
    pub offered: u64,
    /// What these would take of the link.
    pub offered_octets: u64,
    /// That found no room in the queue.
    pub queue_full: u64,
    /// That were sent: the link's rate was spent on them.
    pub sent: u64,
    /// That the channel's errors lost.
    pub lost: u64,
    /// That were on their way when the link went away.
    pub outage: u64,
    /// That were handed to the receiver's interface, copies included.
    pub delivered: u64,
    /// What these took of the link.
    pub delivered_octets: u64,
    /// That were delivered a second time.
    pub duplicated: u64,
    /// That the receiver's interface did not take.
    pub refused: u64,
}

impl Counters {
    pub(crate) fn offer(&mut self, size: Octets) {
        self.offered += 1;
        self.offered_octets += size.as_u64();
    }

    pub(crate) fn start(&mut self, start: &Start) {
        self.sent += 1;
        match start.lost_to {
            Some(Cause::Errors | Cause::TooLarge) => self.lost += 1,
            Some(Cause::Outage) => self.outage += 1,
            None => self.duplicated += u64::from(start.copy.is_some()),
        }
    }

    pub(crate) fn deliver(&mut self, size: Octets, is_taken: bool) {
        if is_taken {
            self.delivered += 1;
            self.delivered_octets += size.as_u64();
        } else {
            self.refused += 1;
        }
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            offered: self.offered - earlier.offered,
            offered_octets: self.offered_octets - earlier.offered_octets,
            queue_full: self.queue_full - earlier.queue_full,
            sent: self.sent - earlier.sent,
            lost: self.lost - earlier.lost,
            outage: self.outage - earlier.outage,
            delivered: self.delivered - earlier.delivered,
            delivered_octets: self.delivered_octets - earlier.delivered_octets,
            duplicated: self.duplicated - earlier.duplicated,
            refused: self.refused - earlier.refused,
        }
    }
}
