//! What outages do to the frames of one direction.
//!
//! The next outage is always known, so a frame's fate is decided when the frame starts: nothing has to be taken back from the
//! air, and probes learn the truth at once.

use crate::channel::Arrivals;
use arqway_units::Time;

/// The air in front of a transmitter: whether anything gets through, and whether the transmitter tries.
#[derive(Debug)]
pub(crate) struct Air {
    is_down: bool,
    /// The transmitter was notified that nothing gets through.
    is_held: bool,
    /// When the link goes next.
    next_outage: Time,
    lost: u64,
}

impl Default for Air {
    /// The air of a user who stays.
    fn default() -> Self {
        Self { is_down: false, is_held: false, next_outage: Time::MAX, lost: 0 }
    }
}

impl Air {
    /// The link is there, until an outage that is known by now.
    pub(crate) fn rises(&mut self, next_outage: Option<Time>) {
        self.is_down = false;
        self.next_outage = next_outage.unwrap_or(Time::MAX);
    }

    /// The link is gone.
    pub(crate) fn falls(&mut self) {
        self.is_down = true;
    }

    /// The transmitter waits from now on, or goes on.
    pub(crate) fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Whether the transmitter waits.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// What remains of the arrivals of a frame that starts now: those before the link goes.
    pub(crate) fn carry(&mut self, arrivals: Arrivals) -> Arrivals {
        let gets_through = |at: &Time| !self.is_down && *at <= self.next_outage;
        let left = Arrivals { frame: arrivals.frame.filter(gets_through), copy: arrivals.copy.filter(gets_through) };
        self.lost += u64::from(arrivals.frame.is_some() && left.frame.is_none());
        left
    }

    /// How many frames were lost that way.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }
}
