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
//! Its rooms, each of which knows only those above it:
//!
//! | room | what |
//! | --- | --- |
//! | `contract` | the contract between a service and its owner |
//! | `ip` | packets: headers, fields, flows |
//! | `arq` | what services with retransmissions share: numbers, windows, timers, order |
//! | `services` | every service, a folder each |
//! | `registry` | the closed list of services, and the short forms that name them |
//! | `metrics` | what a service makes of the link |
//! | `mux` | services side by side on one link |
//! | `path` | metrics composed over several links, and reservations |
//! | `bearer` | a link out of a path that carries datagrams |
//! | `link_layer` | all of it as settings |
//!
//! | what | |
//! | --- | --- |
//! | [`LinkService`], [`Port`], [`pump`] | the contract, what is below a service, the loop between the two |
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
//! | [`tcp_filter`] | that filter: it withholds the duplicate acknowledgements that a link without order causes |
//! | [`mux`] | services side by side on one link; itself a service |
//! | [`metrics`] | what each service makes of the link: goodput, loss, delay |
//! | [`path`] | metrics of several links composed, and a share of each reserved |
//! | [`bearer`] | what makes a link out of a path that carries datagrams: packing, pacing, liveness, MTU, restarts; itself a service |
//! | [`AnyService`] | the closed list of services, and their configuration; [`Service`] is what it wants of each |

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

mod link_layer;
pub mod metrics;
pub mod mux;
pub mod path;
mod registry;

pub use arqway_arq::{
    Arithmetic, DeviatesFrom, FixedPoint, Others, Resequencing, RoundTrip, Seq, Smoothing, TimerStarts, Unordered,
    tcp_filter,
};
pub use arqway_bearer::{self as bearer, Bearer};
#[cfg(feature = "fuzz")]
pub use arqway_contract::fuzz;
pub use arqway_contract::{
    Bounded, BoundsError, Checked, Clock, ContractRule, Counters, Deadlines, Departure, End, Entity, Frame, Full,
    Grammar, Handoff, Head, Hint, Holds, Kind, LineId, LineState, LinkClock, LinkContext, LinkOffer, LinkService,
    LinkState, Marks, OneWay, Packet, Parameter, PerLine, Port, SchemeName, Service, ServiceId, Side, Start,
    Subscriber, Tag, Ticket, Turn, Violation, is_slow_beside, pump,
};
pub use arqway_ip::{
    Ecn, Flow, FlowKey, FlowTable, IcmpError, Outline, clamp_mss, datagram, icmp_error, mark_congestion, may_say_mss,
};
pub use arqway_schemes::*;
pub use arqway_tally as tally;
pub use link_layer::LinkLayer;
pub use mux::Mux;
pub use registry::{AnyService, ServiceConfig, ShortForm, ShortFormError, WorldDefaults, scheme_names};

/// The examples in CONTRIBUTING.md, compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
