//! What an owner of many sans-IO machines keeps: which of them is looked after next, and what happened to them.
//!
//! ```text
//!     something happened to c --- make_ready ---> | a | b | c |  --- next_ready ---> a, then b, then c
//!     d wants to be woken at 30 ms -- set_deadline --> 10 ms: b   30 ms: d  --- next_due(10 ms) ---> b
//!     whatever there is to tell ----- push ------> | Up | Mtu | Down |  --- pop ---> Up
//! ```
//!
//! [`Agenda`] is used by the session for its peers and by the tunnel for the links to them, [`Events`] by these two and by the bearer.

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod agenda;
mod events;

pub use agenda::{Agenda, Key};
pub use events::Events;
