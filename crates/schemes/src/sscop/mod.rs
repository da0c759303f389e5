//! SSCOP, the Service Specific Connection Oriented Protocol (ITU-T Q.2110, 07/94): selective retransmission by polls, made for ATM.
//!
//! ```text
//!     sender                              receiver
//!       | SD 0, SD 1 --x, SD 2 ----------->  |
//!       |  <--------------- USTAT 1..2       |   a gap is told once, at once
//!       | SD 1 --x                           |
//!       | POLL 7, "next is 3" ------------>  |   each 0.2 s, and each 25 data PDUs
//!       |  <--------------- STAT 7: 1..2, 3  |   all that is missing, each time
//!       | SD 1 --------------------------->  |   it was last sent before POLL 7
//! ```
//!
//! Only the sender has timers, and none of them is for a single PDU: a poll says how far the sender is, so that its answer tells of
//! all that is missing, also at the end. What was sent again after that poll went out is not sent once more.
//!
//! | file | idea |
//! | --- | --- |
//! | `pdu/` | octets |
//! | `connection/` | the standard: states, variables, timers |
//! | `order_filter.rs` | frames once and in order, which the standard assumes |
//! | `user.rs` | what the standard leaves to its user: to establish, and to establish anew |
//! | `service.rs` | all that as a service of a link |

mod config;
pub mod connection;
#[cfg(feature = "fuzz")]
mod fuzz;
mod order_filter;
pub mod pdu;
mod service;
#[cfg(test)]
mod tests;
mod user;

pub use config::{Config, Credit, CreditError, ListLength, ListLengthError};

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use arqway_arq::Resequencing;
use bytes::Bytes;
use connection::Connection;
use order_filter::OrderFilter;
use user::User;

/// A connection, its user, and the filter before it.
#[derive(Debug)]
pub struct Sscop {
    /// Apart, for an end of any service is as large as the largest.
    connection: Box<Connection>,
    user: User,
    filter: Option<OrderFilter>,
    resequencing: Resequencing,
    overhead: usize,
    buffer: usize,
    /// For the network layer.
    released: VecDeque<Bytes>,
}

impl Sscop {
    /// Without a connection, or with one that nobody had to establish.
    fn new(config: &Config) -> Self {
        let begin = if config.established { Connection::established } else { Connection::new };
        Self {
            connection: Box::new(begin(config.parameters())),
            user: User::new(config),
            filter: config.order_filter.then(|| OrderFilter::new(config.longest_reordering)),
            resequencing: config.resequencing.clone(),
            overhead: config.overhead.as_usize(),
            buffer: config.buffer.get(),
            released: VecDeque::new(),
        }
    }
}
