//! Why a tunnel cannot begin.

use crate::control::BindError;
use crate::hub::AddError;
use crate::line::budgets::BudgetError;
use arqway_net::NetError;
use std::io;
use std::net::SocketAddr;

/// Why a tunnel cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system refuses the device or the socket.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A peer cannot be added.
    #[error("peer {name}: {error}")]
    Peer {
        /// Which.
        name: String,
        /// Why.
        error: AddError,
    },
    /// Peers' datagrams would be dropped.
    #[error(
        "peers' datagrams that come in at `{interface}` would be dropped: its reverse path filter is strict, and the way back leads into the \
         tunnel (RFC 3704); loosen it with `sysctl -w {}=2`", rp_filter(.interface)
    )]
    StrictFilter {
        /// Where they come in.
        interface: String,
    },
    /// Datagrams to a peer would go into the tunnel.
    #[error(
        "datagrams from {listen} to the peer at {endpoint} would follow a route into the tunnel, since from one address of IPv6 the system \
         sends as routes have it; say the port alone: `listen = {}`", .listen.port()
    )]
    OneSource {
        /// Where they leave from.
        listen: SocketAddr,
        /// Where they are to go.
        endpoint: SocketAddr,
    },
    /// A tunnel of this name runs already, or nobody may listen here.
    #[error(transparent)]
    Control(#[from] BindError),
    /// The system has no room for another thread.
    #[error("cannot start another thread: {0}")]
    Thread(io::Error),
    /// Nobody knows what lines have used of their budgets.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Scrapes cannot come in where they should.
    #[error("`metrics`: cannot listen at {at}: {error}")]
    Metrics {
        /// Where.
        at: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// No key can be made without it.
    #[error("no randomness from the system: {0}")]
    Randomness(#[from] getrandom::Error),
}

/// The setting of an interface as sysctl(8) takes it: with slashes where the name has a dot, as a VLAN's has, since a dot stands for a slash.
fn rp_filter(interface: &str) -> String {
    let separator = if interface.contains('.') { "/" } else { "." };
    ["net", "ipv4", "conf", interface, "rp_filter"].join(separator)
}
