//! The engine: what happens next, named random streams, timers that are cheap to move.

mod alarm;
mod queue;
mod random;

pub(crate) use alarm::Alarm;
pub(crate) use queue::{EventQueue, Moment};
pub use random::{Random, Streams};
