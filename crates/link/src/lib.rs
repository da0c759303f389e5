//! Every protocol of Arqway, sans-IO: no clock, no socket, no thread, no random generator.
//!
//! A [`LinkService`] is one end of a recovery scheme. Its owner (the simulator, the tunnel, a test) tells it the time,
//! the packets of the network layer and the frames of its peer; it answers with frames, packets and the time at which
//! it wants to be woken. [`pump`] is the one loop that carries its answers to a [`Port`].
//!
//! ```text
//!      packets                                       packets
//!         | handle_packet                               ^ poll_packet
//!    +----v------------+   frames, over a Port     +----+------------+
//!    |   LinkService   | ------------------------> |   LinkService   |
//!    +-----------------+   poll_frame              +-----------------+
//!                          start_frame      handle_frame
//!                          handle_departure
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | [`service`](LinkService) | the contract, the port, the pump |
//! | [`Hint`], [`Subscriber`] | what mobility does to the link, told upward |
//! | [`Checked`] | asserts the contract; every test runs its services inside it |
//! | [`raw`] | no recovery |
//! | [`selective_repeat`] | Selective Repeat with multireject and a retransmission timer a frame |
//! | [`go_back_n`] | go-back-n: one timer, and after a timeout everything outstanding again |
//! | [`rlc`] | RLC of UMTS, 3GPP TS 25.322: acknowledged, unacknowledged and transparent mode |
//! | [`rlp`] | Karn's RLP: negative acknowledgements only, a few retransmissions, in sequence or as received |
//! | [`fec`] | forward error correction: a parity frame for every block, by XOR |
//! | [`snoop`] | Berkeley Snoop: reads TCP, sends lost segments again, withholds duplicate acknowledgements |
//! | [`sscop`] | SSCOP of ATM, ITU-T Q.2110: selective retransmission by polls |
//! | [`Resequencing`] | in which order an ARQ service releases packets: all, those of a flow, or none, with a filter that knows TCP |
//! | [`tcp_aware`] | that filter: it withholds the duplicate acknowledgements that a link without order causes |
//! | [`mux`] | services side by side on one link; itself a service |
//! | [`metrics`] | what each service makes of the link: goodput, loss, delay |
//! | [`path`] | metrics of several links composed, and a share of each reserved |
//! | [`AnyService`] | the closed list of services, and their configuration; [`Service`] is what it wants of each |

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod acknowledgement;
mod checked;
mod count;
mod counters;
pub mod fec;
mod flow;
mod form;
mod frame;
pub mod go_back_n;
mod hints;
mod idle;
pub mod metrics;
pub mod mux;
mod outage;
pub mod path;
pub mod raw;
mod registry;
mod resequencing;
pub mod rlc;
pub mod rlp;
mod rtt;
#[cfg(feature = "schema")]
mod schema;
#[cfg(test)]
mod script;
pub mod selective_repeat;
mod seq;
mod service;
mod short_form;
pub mod snoop;
pub mod sscop;
pub mod tcp_aware;
mod timers;
mod window;

pub use checked::{Checked, Rule, Violation};
pub use count::{Count, CountError};
pub use counters::Counters;
pub use form::{Form, Service, Value, ValueOf};
pub use frame::{Frame, Head, Kind, Packet, ServiceId, Tag, Ticket};
pub use hints::{Handoff, Hint, LinkOffer, OneWay, Subscriber};
pub use mux::Mux;
pub use registry::{AnyService, ServiceConfig, WorldDefaults};
pub use resequencing::{Others, Resequencing, Unordered};
pub use rtt::{Arithmetic, DeviatesFrom, FixedPoint, RoundTrip, Smoothing};
pub use service::{Departure, Full, LinkService, LinkState, Port, Side, Start, pump};
pub use short_form::{ShortForm, ShortFormError};
pub use timers::TimerStarts;

/// The examples in CONTRIBUTING.md, compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
