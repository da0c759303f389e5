//! What the users of the link do.
//!
//! An application is a folder: its settings, how it behaves (a `Model`), what came of it, and the [quantities](Quantity)
//! that are reported of it. To add one, write the folder and add its `mod`, its `pub use` and its line in the list below.
//! The scenario's settings, the world, the rows and the figures follow from that line.

mod channel;
mod connection_count;
mod downloads;
mod file_transfer;
mod hosts;
mod media;
mod model;
mod quantity;
pub(crate) mod reservation;
pub(crate) mod service;
mod tcp_bulk;
mod web;

pub use channel::{ChannelConfig, ChannelOutcome};
pub use connection_count::{ConnectionCount, ConnectionCountError};
pub use file_transfer::{FileTransferConfig, FileTransferOutcome};
pub use media::{Adapts, Ladder, LadderError, MediaConfig, MediaOutcome, ToLoss, ToTheLink};
pub(crate) use quantity::Measured;
pub use quantity::{DelayDistributions, Quantity, Run};
pub use reservation::{ReservationConfig, ReservationOutcome};
pub use service::APP as SERVICES;
pub use tcp_bulk::{Samples, SamplesError, TcpBulkConfig, TcpBulkOutcome, TcpBulkSample};
pub use web::{ConnectionUse, Counted, LastPacket, NextStep, Parallel, ParallelError, Requests, WebConfig, WebOutcome};

use crate::host::Host;
use crate::tcp;
use arqway_link::Hint;
use arqway_units::Time;
use channel::ChannelMeasurement;
use file_transfer::FileTransfer;
pub(crate) use hosts::{Action, Actions, Hosts};
use media::Media;
pub(crate) use model::{AppConfig, Carried, End, Model, Setup, TcpEvent};
use reservation::Reservation;
use tcp_bulk::TcpBulk;
use web::Web;

/// Hands the list of applications, in the order of their rows, to a macro.
macro_rules! applications {
    ($then:ident) => {
        $then! {
            /// File transfer to the client.
            "file-transfer" FileTransfer file_transfer: FileTransferConfig => FileTransferOutcome;
            /// Web browsing by the client.
            "web" Web web: WebConfig => WebOutcome;
            /// A lecture to the client.
            "media" Media media: MediaConfig => MediaOutcome;
            /// Greedy sources toward the client.
            "tcp-bulk" TcpBulk tcp_bulk: TcpBulkConfig => TcpBulkOutcome;
            /// A reservation for the media, along the path to the client.
            "reservation" Reservation reservation: ReservationConfig => ReservationOutcome;
            /// A measurement of the link toward the client.
            "channel" ChannelMeasurement channel: ChannelConfig => ChannelOutcome;
        }
    };
}
pub(crate) use applications;

/// The connections between the hosts, each with the application that owns it.
pub(crate) type Connections = tcp::Connections<Owner>;

/// Makes the types that hold one of each application, and the calls that find the right one.
macro_rules! registry {
    ($($(#[$doc:meta])* $name:literal $application:ident $field:ident: $config:ident => $outcome:ident;)*) => {
        /// Which application.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Application {
            $($(#[$doc])* $application,)*
        }

        impl Application {
            /// All of them, in the order of their rows.
            pub const ALL: &'static [Self] = &[$(Self::$application),*];

            /// Its name in rows.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$application => $name,)*
                }
            }

            /// What is reported of it, in the order of its rows.
            #[must_use]
            pub const fn quantities(self) -> &'static [Quantity] {
                match self {
                    $(Self::$application => <$application as Model>::QUANTITIES,)*
                }
            }
        }

        /// What came of each application that took part.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Outcomes {
            $($(#[$doc])* pub $field: Option<$outcome>,)*
        }

        /// The application that a TCP connection belongs to, and which of its connections it is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(dead_code, reason = "some applications open no connections")]
        pub(crate) enum Owner {
            $($application(<$application as Model>::Connection),)*
        }

        /// The settings of each application that takes part.
        pub(crate) struct Configs<'a> {
            $(pub(crate) $field: Option<&'a $config>,)*
        }

        /// The applications that take part.
        #[derive(Debug)]
        pub(crate) struct Applications {
            $($field: Option<$application>,)*
        }

        impl Applications {
            pub(crate) fn build(configs: &Configs<'_>, setup: &mut Setup<'_>) -> Self {
                Self { $($field: configs.$field.map(|config| <$application as Model>::build(config, setup)),)* }
            }

            /// An application begins.
            pub(crate) fn start(&mut self, which: Application, hosts: &mut Hosts<'_>) {
                match which {
                    $(Application::$application => if let Some(application) = &mut self.$field {
                        application.start(hosts.of(which));
                    })*
                }
            }

            /// A timer that an application has set expires.
            pub(crate) fn handle_timer(&mut self, which: Application, timer: u8, hosts: &mut Hosts<'_>) {
                match which {
                    $(Application::$application => if let Some(application) = &mut self.$field {
                        application.handle_timer(timer, hosts.of(which));
                    })*
                }
            }

            /// A packet that is not TCP's arrives at a host.
            pub(crate) fn handle_packet(&mut self, at: Host, packet: &[u8], hosts: &mut Hosts<'_>) {
                $(if let Some(application) = &mut self.$field
                    && application.handle_packet(at, packet, hosts.of(Application::$application))
                {
                    return;
                })*
            }

            /// A host is notified of a change of the link.
            pub(crate) fn handle_hint(&mut self, at: Host, hint: &Hint) {
                $(if let Some(application) = &mut self.$field {
                    application.handle_hint(at, hint);
                })*
            }

            /// Whether an application sends whenever the link toward the client has nothing to send.
            pub(crate) fn fill_link(&self) -> bool {
                $(<$application as Model>::FILLS_LINK && self.$field.is_some())||*
            }

            /// The link toward the client has nothing to send.
            pub(crate) fn handle_idle_link(&mut self, hosts: &mut Hosts<'_>) {
                $(if let Some(application) = &mut self.$field {
                    application.handle_idle_link(hosts.of(Application::$application));
                })*
            }

            /// All data of a connection were acknowledged or, `by_receiver`, have arrived.
            pub(crate) fn handle_end_of_data(&mut self, owner: Owner, by_receiver: bool, hosts: &mut Hosts<'_>) {
                match owner {
                    $(Owner::$application(connection) => if let Some(application) = &mut self.$field {
                        application.handle_end_of_data(connection, by_receiver, hosts.of(Application::$application));
                    })*
                }
            }

            /// TCP has done something on a connection that is worth watching.
            pub(crate) fn handle_tcp(&mut self, owner: Owner, event: TcpEvent<'_>, now: Time) {
                match owner {
                    $(Owner::$application(connection) => if let Some(application) = &mut self.$field {
                        application.handle_tcp(connection, event, now);
                    })*
                }
            }

            /// Whether a run may end: some application was to finish, and all of those have.
            pub(crate) fn are_finished(&self) -> bool {
                let mut has_finished = false;
                $(if <$config as AppConfig>::FINISHES
                    && let Some(application) = &self.$field
                {
                    if !application.is_finished() {
                        return false;
                    }
                    has_finished = true;
                })*
                has_finished
            }

            /// What came of them.
            pub(crate) fn outcomes(&self, end: &End<'_>) -> Outcomes {
                Outcomes { $($field: self.$field.as_ref().map(|application| application.outcome(end)),)* }
            }
        }
    };
}

applications!(registry);
