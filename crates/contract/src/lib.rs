//! The contract: what a service of the link layer is to its owner, and what both of them exchange.
//!
//! | file | what |
//! | --- | --- |
//! | `service.rs` | [`LinkService`], the [`Port`] below it, and the [`pump`] between the two |
//! | `frame.rs` | packets, frames, tags and tickets |
//! | `lines.rs` | several lines under one link |
//! | `end.rs` | what all services do alike around their [`Entity`]: admission, outages, counting |
//! | `clock.rs` | the time, and the clock that stands still while the link is down |
//! | `counters.rs` | what every service counts |
//! | `hints.rs` | mobility hints for whoever subscribes |
//! | `checked.rs` | a wrapper that asserts the contract around any service |
//! | `scheme.rs` | what the list of services asks of each: its ends, the names that schemes call it by |
//! | `bounded.rs` | whole numbers within bounds, for settings |
//!
//! Nothing here knows any particular service.

#![no_std]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_lossless,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
    )
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod bounded;
mod checked;
mod clock;
mod counters;
mod end;
mod frame;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod hints;
mod lines;
mod scheme;
mod service;
mod settings;

pub use arqway_units::{LineId, PerLine};
pub use bounded::{Bounded, BoundsError};
pub use checked::{Checked, ContractRule, Violation};
pub use clock::{Clock, Deadlines, LinkClock};
pub use counters::Counters;
pub use end::{End, Entity};
pub use frame::{Frame, Head, Holds, Kind, Marks, Packet, ServiceId, Tag, Ticket};
pub use hints::{Handoff, Hint, LinkOffer, OneWay, Subscriber};
pub use lines::{LineState, Turn, is_slow_beside};
pub use scheme::{Grammar, Parameter, SchemeName, Service, digits, timer};
pub use service::{Departure, Full, LinkContext, LinkService, LinkState, Port, Side, Start, pump};
