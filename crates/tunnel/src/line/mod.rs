//! What carries a tunnel's datagrams.
//!
//! ```text
//!     Tunnel   -- Line -->        datagrams, and nothing else: a test has one in memory
//!     the loop -- SystemLine -->  what it waits for, and what becomes of the device
//! ```
//!
//! | file | line |
//! | --- | --- |
//! | `udp.rs` | a UDP socket, with peers at any addresses |
//! | `serial.rs` | a serial line, with one peer at its other end |
//!
//! Another kind is a file here and its place in [`LineConfig`] and [`open`].

pub(crate) mod budgets;
mod serial;
mod udp;

use arqway_net::{Arrival, Datagrams, NetError, Sent, SerialConfig, Underlay};
use arqway_units::Time;
use serial::SerialLine;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use udp::UdpLine;

/// Carries datagrams to addresses and from there.
pub trait Line {
    /// Datagrams that have arrived; none if there are none now.
    ///
    /// # Errors
    /// The line is broken.
    fn receive(&mut self) -> Result<Option<Datagrams>, NetError>;

    /// Something genuine has come from an address, and arrived here: what goes there is to leave from here.
    fn heard(&mut self, _from: SocketAddr, _at: Arrival) {}

    /// Sends datagrams of `each` octets, the last of which may be shorter, to one address, in packets with this octet of DSCP and ECN
    /// on a line that has packets. They may answer something that arrived somewhere, whether it was genuine or not.
    ///
    /// # Errors
    /// The line is broken. That nobody is there, or no way, is not an error of the line.
    fn send(
        &mut self,
        to: SocketAddr,
        answered: Option<Arrival>,
        octets: &[u8],
        each: usize,
        traffic_class: u8,
    ) -> Result<Sent, NetError>;

    /// Whether datagrams that were received and are held keep much more memory than they fill.
    fn is_crowded(&self) -> bool {
        false
    }
}

/// A line of the system's.
pub(crate) trait SystemLine: Line + Debug {
    /// Where it is, for people.
    fn place(&self) -> String;

    /// Where datagrams arrive; nobody's address where there are none.
    fn address(&self) -> SocketAddr;

    /// Where all that is sent goes, on a line that has one other end.
    fn other_end(&self) -> Option<SocketAddr> {
        None
    }

    /// What to wait for; none while the device is gone.
    fn descriptor(&self) -> Option<BorrowedFd<'_>>;

    /// From now on datagrams go around a device, whatever routes into it there are, on a line that has routes.
    fn go_around(&mut self, _underlay: Underlay) {}

    /// What there is something to read from when routes have changed; none while nobody wants to know.
    fn changes(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Routes have changed.
    fn changed(&mut self, _now: Time) {}

    /// When it is to be tended.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// Does what is to be done from time to time. What has become of the device, if that is news.
    fn tend(&mut self, _now: Time) -> Option<LineNews> {
        None
    }

    /// What arrived damaged, and was dropped.
    fn damaged(&self) -> u64 {
        0
    }
}

/// What has become of the device of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineNews {
    /// It is gone; it is looked for again and again.
    Gone {
        /// What the system says.
        why: String,
    },
    /// It is there again, and cannot be used; that is tried again and again.
    Refused {
        /// What the system says.
        why: String,
    },
    /// It is there again.
    Back,
}

/// Which line.
#[derive(Debug)]
pub(crate) enum LineConfig {
    /// UDP at an address of this machine, by one interface if that is said.
    Udp {
        /// Where datagrams arrive.
        address: SocketAddr,
        /// The interface by which they leave.
        interface: Option<String>,
    },
    /// A serial line.
    Serial(SerialConfig),
}

/// Opens a line.
pub(crate) fn open(config: LineConfig) -> Result<Box<dyn SystemLine>, NetError> {
    Ok(match config {
        LineConfig::Udp { address, interface } => Box::new(UdpLine::bind(address, interface)?),
        LineConfig::Serial(config) => Box::new(SerialLine::open(config)?),
    })
}
