//! What an application implements.

use super::{Connections, Hosts, Quantity};
use crate::frame_loss::FrameLoss;
use crate::host::Host;
use crate::kernel::Streams;
use crate::packet::{Headers, Memory};
use crate::tcp::{Sender, TcpConfig};
use crate::wired::Wired;
use arqway_link::Hint;
use arqway_units::{BitRate, Span, Time};

/// The settings of an application, as the scenario asks for them. Their field `enabled` says whether it takes part.
pub(crate) trait AppConfig: Default {
    /// Whether the application comes to an end that a run waits for.
    const FINISHES: bool;

    /// The settings of one that does not take part.
    fn disabled() -> Self {
        Self::default()
    }

    /// How many connections it adds to the column `connections` of rows.
    fn connections(&self) -> u32 {
        0
    }

    /// How long it goes on, where no application finishes and so ends the run.
    fn duration(&self) -> Option<Span> {
        None
    }
}

/// What an application is built from, beside its settings.
pub(crate) struct Setup<'a> {
    pub(crate) headers: Headers,
    pub(crate) tcp: &'a TcpConfig,
    pub(crate) wired: &'a Wired,
    /// The mean rate of the wireless link toward the client.
    pub(crate) link_rate: BitRate,
    pub(crate) streams: &'a Streams,
    pub(crate) memory: &'a mut Memory,
}

/// What a world knows at the end of a run.
pub(crate) struct End<'a> {
    pub(crate) now: Time,
    pub(crate) connections: &'a Connections,
    /// The mean rate of the wireless link toward the client.
    pub(crate) link_rate: BitRate,
    /// The frames with data toward the client.
    pub(crate) frame_loss: &'a FrameLoss,
    /// What the service has carried toward the client that carries packets like this one.
    pub(crate) carried: &'a dyn Fn(&[u8]) -> Carried,
}

/// What one service has carried toward the client.
pub(crate) struct Carried {
    /// It is the service of all packets of no class.
    pub(crate) is_default: bool,
    /// Octets of packets that it has sent.
    pub(crate) packets: u64,
    /// Octets of the line that it has used.
    pub(crate) line: u64,
}

/// What TCP does on a connection, for applications that watch it.
pub(crate) enum TcpEvent<'a> {
    /// The sender has taken a new acknowledgement.
    Acknowledged(&'a Sender),
    /// The retransmission timer has expired.
    TimedOut,
    /// The sender sends this packet again.
    Retransmitted(i64),
    /// The wired link has lost this packet, which would have arrived at this time.
    LostOnTheWire(i64, Time),
}

/// How an application behaves. It acts through [`Hosts`]; whatever it does not implement does not concern it.
pub(crate) trait Model: Sized {
    type Config: AppConfig;
    type Outcome;
    /// What tells its TCP connections apart.
    type Connection: Copy;

    /// What is reported of it, in the order of its rows.
    const QUANTITIES: &'static [Quantity];
    /// Whether it sends whenever the link toward the client has nothing to send.
    const FILLS_LINK: bool = false;

    fn build(config: &Self::Config, setup: &mut Setup<'_>) -> Self;

    /// The run begins.
    fn start(&mut self, hosts: &mut Hosts<'_>);

    /// A timer that was set with [`Hosts::wake_at`] expires.
    fn handle_timer(&mut self, _timer: u8, _hosts: &mut Hosts<'_>) {}

    /// A packet that is not TCP's arrives at a host. Returns whether it is one of this application.
    fn handle_packet(&mut self, _at: Host, _packet: &[u8], _hosts: &mut Hosts<'_>) -> bool {
        false
    }

    /// A host is notified of a change of the link.
    fn handle_hint(&mut self, _at: Host, _hint: &Hint) {}

    /// The link toward the client has nothing to send.
    fn handle_idle_link(&mut self, _hosts: &mut Hosts<'_>) {}

    /// All data of a connection were acknowledged or, `by_receiver`, have arrived.
    fn handle_end_of_data(&mut self, _connection: Self::Connection, _by_receiver: bool, _hosts: &mut Hosts<'_>) {}

    /// TCP has done something on a connection that is worth watching.
    fn handle_tcp(&mut self, _connection: Self::Connection, _event: TcpEvent<'_>, _now: Time) {}

    /// Whether it has come to its end; asked of applications whose settings say that they [finish](AppConfig::FINISHES).
    fn is_finished(&self) -> bool {
        false
    }

    /// What came of it.
    fn outcome(&self, end: &End<'_>) -> Self::Outcome;
}
