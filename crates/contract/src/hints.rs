//! Mobility hints: what whoever watches the radio tells those above it, in words that mean the same on any link
//! (multiservice, Section IX: feedback about mobility goes up beside the metrics of the services).
//!
//! ```text
//!     horizontal: another cell of the same kind        vertical: another kind of link
//!
//!      ___ notice  outage ___                           ___ notice  outage  ____ another rate, delay, errors
//!         |------|xxxxxxx|                                 |------|xxxxxxxx|
//!         ^              ^                                 ^               ^
//!     HandoffBegins  HandoffEnds                       HandoffBegins   HandoffEnds
//! ```
//!
//! A hint is an upcall: its source calls [`Subscriber::handle_hint`] of everybody who asked for it. Nobody waits, and who
//! must act later says so by its own `poll_*` methods, as services do. Every [`LinkService`] is a subscriber: it stands
//! still from the notice on, and goes on where it was when the link is back. So nothing that waits in it is lost; a frame
//! that is on the air when the outage begins may be. Hints may come twice, and come to one end only: they are hints.

use crate::{LinkService, LinkState};
use arqway_units::{BitRate, Span, Time};

/// What happens to the link below, or is about to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// It goes down, now or so soon that nothing more should be started.
    Down,
    /// It is back, the same link as before.
    Up,
    /// A handoff is about to begin; until it ends nothing should be started.
    HandoffBegins(Handoff),
    /// A handoff is over.
    HandoffEnds {
        /// To what kind of link.
        kind: Handoff,
        /// What it offers.
        link: LinkOffer,
    },
}

/// To what a user moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handoff {
    /// To another cell of the same kind: what the link offers stays about the same.
    Horizontal,
    /// To another kind of link: its rate, delay and errors may be anything.
    Vertical,
}

/// What a link offers in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkOffer {
    /// Toward the user.
    pub down: OneWay,
    /// Toward the network.
    pub up: OneWay,
}

/// One direction of a link, as far as it can be known before anything was sent over it. What its services make of it is
/// for their metrics to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneWay {
    /// How fast it sends.
    pub rate: BitRate,
    /// How long the way is.
    pub delay: Span,
}

impl Hint {
    /// Whether frames cross the link from now on.
    #[must_use]
    pub fn link_state(&self) -> LinkState {
        match self {
            Self::Down | Self::HandoffBegins(_) => LinkState::Down,
            Self::Up | Self::HandoffEnds { .. } => LinkState::Up,
        }
    }
}

/// Somebody who wants to know.
pub trait Subscriber {
    /// Learns of something that happens to the link. Who has something to do for that does it in its `poll_*` methods.
    fn handle_hint(&mut self, hint: &Hint, now: Time);
}

/// Services stand still while the link is down.
impl<S: LinkService + ?Sized> Subscriber for S {
    fn handle_hint(&mut self, hint: &Hint, now: Time) {
        self.handle_link(hint.link_state(), now);
    }
}
