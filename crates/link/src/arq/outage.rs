//! The time by which a service's timers go: it stands still while the link is down.

use crate::contract::LinkState;
use arqway_units::{Span, Time};

/// Since when the link has been down, if it is.
///
/// What starts a timer during an outage starts it at the outage's beginning; when the link is back, every timer is
/// postponed by the whole outage, so that it goes on where it was.
#[derive(Debug, Default)]
pub(crate) struct Outage(Option<Time>);

impl Outage {
    /// Whether the link is down.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Now, by the clock that stands still.
    pub(crate) fn timer_time(&self, now: Time) -> Time {
        self.0.unwrap_or(now)
    }

    /// Takes a change of the link; by how much timers are to be postponed, when an outage is over.
    pub(crate) fn change(&mut self, state: LinkState, now: Time) -> Option<Span> {
        match state {
            LinkState::Down => {
                self.0.get_or_insert(now);
                None
            }
            LinkState::Up => self.0.take().map(|since| now - since),
        }
    }
}
