//! The timeline of a link: what it can carry from moment to moment, what is sent into it, and how long that waits. A rate that is found
//! follows the link, and hardly a queue stands; a given one, or none, leaves the queue to the modem.
//!
//! ```text
//!     Mbit/s |  #####        ######    ###  what the link carries
//!            | ######--#    ########------  -- what is sent into it
//!            +-------------------------------------------------------
//!     waits  |       ||                     how long datagrams wait before it
//!            +------------------------------------------------- time
//! ```
//!
//! It is read off the frames that pass toward the client: those of services, or with a bearer its datagrams.

mod draw;
mod record;

pub use record::Recorder;

use super::About;
use arqway_sim::channel::Direction;
use arqway_sim::{Streams, Wireless};
use arqway_units::{Octets, Time};

/// What a link carries toward the client.
#[derive(Debug, Clone)]
pub struct Link<'a> {
    /// Its settings.
    pub wireless: &'a Wireless,
    /// The random numbers of the run.
    pub streams: Streams,
}

impl Link<'_> {
    /// So many octets in each of the bins from `from` on, in datagrams of this size.
    fn carries(&self, size: Octets, (from, to): (Time, Time), bin: u64, bins: usize) -> Vec<u64> {
        let mut carried = vec![0; bins];
        self.wireless.each_departure(Direction::Down, &self.streams, size, (from, to), |at| {
            let index = usize::try_from(at.since(from).as_nanoseconds() / bin);
            if let Some(carried) = index.ok().and_then(|index| carried.get_mut(index)) {
                *carried += size.as_u64();
            }
        });
        carried
    }
}

impl Recorder {
    /// The plot as a self-contained SVG document.
    #[must_use]
    pub fn to_svg(&self, about: &About, link: &Link<'_>) -> String {
        draw::draw(self, about, link)
    }
}

#[cfg(test)]
mod tests;
