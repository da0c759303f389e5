//! The two passes as messages, which may be lost, come twice or late, and reservations that end where nobody refreshes them (soft state, as
//! RSVP has it: RFC 2205, Sections 2.3 and 3.7).
//!
//! ```text
//!     Source            Station 0            Station 1           destination
//!       | - Advertise 7 -> | - Advertise 7 ---> | - Advertise 7 -> |   what each link offers is collected
//!       |                  |                    | <-- Reserve 7 -- |   it chooses by what the flow needs
//!       | <-- Reserve 7 -- | <--- Reserve 7 --- |                  |   and each link sets its part aside
//!       :                  :                    :                  :
//!       | - Advertise 8 -> |  ... after each `refresh`, and at once after a Change: a reservation that is not renewed for `lifetime` ends
//!       |                  |                    |
//!       | <--- Change ---- |  its link is another one: what was advertised does not hold any more
//!       | <------------ Refuse 8 -------------- |  too little is left: the source gives back what is set aside
//!       | -- Release 8 --> | -- Release 8 ----> |
//! ```
//!
//! Their octets are in `wire.rs`. Nothing here reads a clock or sends: an end is told the time and the messages, and says what it has to send and when it wants to be
//! called. A number counts the advertisements of a flow; what belongs to an older one than the last is late, and
//! means nothing.

mod message;
mod source;
mod station;
mod wire;

pub use message::{Message, What, Why, answer};
pub use source::{Source, State};
pub use station::{Station, Toward};

use arqway_units::{Span, positive_span};

/// No path has more links.
const MOST_LINKS: usize = 16;

arqway_contract::settings! {
    /// How often a reservation is renewed, and how long it stands without.
    #[derive(Copy, Eq)]
    pub struct Timing {
        /// The path is advertised, and what is set aside renewed, so often.
        #[serde(deserialize_with = "positive_span")]
        pub refresh: Span = Span::from_milliseconds(5_000),
        /// What nobody renews for so long is given back: after the loss of two messages in a row (RFC 2205, Section 3.7).
        #[serde(deserialize_with = "positive_span")]
        pub lifetime: Span = Span::from_milliseconds(17_500),
        /// An advertisement that is not answered is sent again after so long, and then after twice that each time.
        #[serde(deserialize_with = "positive_span")]
        pub retry: Span = Span::from_milliseconds(500),
    }
}

#[cfg(test)]
mod tests;
