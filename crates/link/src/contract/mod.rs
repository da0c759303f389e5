//! The contract: what a service of the link layer is to its owner, and what both of them exchange.
//!
//! | file | what |
//! | --- | --- |
//! | `service.rs` | [`LinkService`], the [`Port`] below it, and the [`pump`] between the two |
//! | `frame.rs` | packets, frames, tags and tickets |
//! | `end.rs` | what all services do alike around their [`Entity`]: admission, outages, counting |
//! | `counters.rs` | what every service counts |
//! | `hints.rs` | mobility hints for whoever subscribes |
//! | `checked.rs` | a wrapper that asserts the contract around any service |
//! | `form.rs`, `count.rs` | what a service's configuration provides: its ends, its short forms, bounded counts |
//!
//! Nothing here knows any particular service.

mod checked;
mod count;
mod counters;
mod end;
mod form;
mod frame;
mod hints;
#[cfg(test)]
mod script;
mod service;

pub use checked::{Checked, Rule, Violation};
pub use count::{Count, CountError};
pub use counters::Counters;
pub use end::{Clock, End, Entity};
pub use form::{Form, Service, Value, ValueOf};
pub(crate) use form::{count, number, timer};
pub use frame::{Frame, Head, Kind, Packet, ServiceId, Tag, Ticket};
pub use hints::{Handoff, Hint, LinkOffer, OneWay, Subscriber};
#[cfg(test)]
pub(crate) use script::Script;
pub use service::{Departure, Full, LinkService, LinkState, Port, Side, Start, pump};
