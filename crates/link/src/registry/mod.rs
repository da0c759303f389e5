//! The closed list of services: their configuration, any of them as one type, and the short forms by which schemes are
//! called.
//!
//! A new service is a folder whose `Config` implements [`Service`], and one line in the list below. Configuration files,
//! the multiplexer, the simulator, the tunnel, short forms, completion and schemas follow from that line; an enum, so that
//! every place that has to tell services apart fails to compile until it does.

mod short_form;

pub use short_form::{ShortForm, ShortFormError};

#[cfg(feature = "fuzz")]
use arqway_contract::fuzz::{Fuzzed, Input, Promise};
use arqway_contract::{
    Counters, Departure, Frame, Full, LineId, LineState, LinkContext, LinkService, LinkState, Packet, SchemeName,
    Service, Start, Tag, Ticket, Turn,
};
use arqway_schemes::*;
use arqway_units::{Octets, Time};
use serde::{Deserialize, Serialize};

/// Declares the list once: `"kind" Variant field: Config`.
macro_rules! services {
    ($($(#[$doc:meta])* $kind:literal $service:ident $field:ident: $config:ty;)*) => {
        /// The kind of service, and its settings.
        ///
        /// In an experiment a table with its kind: `{ kind = "selective-repeat", timeout = "1.1 s" }`; the laboratory's
        /// reader takes that for any enum. Other serde formats write the variant around its settings.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum ServiceConfig {
            $($(#[$doc])* #[serde(rename = $kind)] $service($config),)*
        }

        /// The settings of each service in a world, unless a scheme overrides them.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct WorldDefaults {
            $($(#[$doc])* #[serde(rename = $kind)] pub $field: $config,)*
        }

        /// One end of any service.
        #[derive(Debug)]
        pub enum AnyService {
            $($(#[$doc])* $service(<$config as Service>::End),)*
        }

        impl ServiceConfig {
            /// Its kind, as experiments write it and captures tell it.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$service(_) => $kind,)*
                }
            }

            /// Whether its receiver knows which packets will never come.
            #[must_use]
            pub fn knows_losses(&self) -> bool {
                match self {
                    $(Self::$service(_) => <$config as Service>::KNOWS_LOSSES,)*
                }
            }

            /// Whether packets that have arrived wait for one that is lost and sent again.
            #[must_use]
            pub fn holds_back(&self) -> bool {
                match self {
                    $(Self::$service(config) => config.holds_back(),)*
                }
            }

            /// Whether each of its frames also goes by a second line, where there are several.
            #[must_use]
            pub fn duplicates(&self) -> bool {
                match self {
                    $(Self::$service(config) => config.duplicates(),)*
                }
            }

            /// The share of packets that recovery does not bring back where frames are lost with this chance, one by one.
            #[must_use]
            pub fn residual_loss(&self, frame_loss: f64) -> f64 {
                match self {
                    $(Self::$service(config) => config.residual_loss(frame_loss),)*
                }
            }

            /// One end of the service.
            #[must_use]
            pub fn build(&self, context: &LinkContext) -> AnyService {
                match self {
                    $(Self::$service(config) => AnyService::$service(config.build(context)),)*
                }
            }
        }

        /// Every kind of service with the names by which schemes call it.
        const KINDS: &[(&str, &[SchemeName])] = &[$(($kind, <$config as Service>::NAMES),)*];

        impl WorldDefaults {
            /// The service of a kind that a short form names here.
            fn named(&self, kind: &str, name: &str, parameter: Option<&str>) -> Option<ServiceConfig> {
                match kind {
                    $($kind => self.$field.named(name, parameter).map(ServiceConfig::$service),)*
                    _ => None,
                }
            }
        }

        /// What the drivers of fuzzing ask of a service.
        #[cfg(feature = "fuzz")]
        impl ServiceConfig {
            /// Any settings of a kind of service; `None` if there is no such kind, or it does not come to rest.
            pub fn any(kind: &str, input: &mut Input<'_>) -> Option<Self> {
                match kind {
                    $($kind => <$config>::COMES_TO_REST.then(|| Self::$service(<$config>::any(input))),)*
                    _ => None,
                }
            }

            /// Every kind that comes to rest, in the order of the list.
            #[must_use]
            pub fn kinds_that_rest() -> impl ExactSizeIterator<Item = &'static str> {
                let all = [$(<$config>::COMES_TO_REST.then_some($kind)),*];
                all.into_iter().flatten().collect::<alloc::vec::Vec<_>>().into_iter()
            }

            /// As [`Fuzzed::kept_at_most`].
            #[must_use]
            pub fn kept_at_most(&self) -> usize {
                match self {
                    $(Self::$service(config) => config.kept_at_most(),)*
                }
            }

            /// As [`Fuzzed::own_kept_at_rest`].
            #[must_use]
            pub fn own_kept_at_rest(&self) -> usize {
                match self {
                    $(Self::$service(config) => config.own_kept_at_rest(),)*
                }
            }

            /// As [`Fuzzed::SEGMENTS`].
            #[must_use]
            pub fn segments(&self) -> bool {
                match self {
                    $(Self::$service(_) => <$config>::SEGMENTS,)*
                }
            }

            /// As [`Fuzzed::shortens`].
            #[must_use]
            pub fn shortens(&self) -> bool {
                match self {
                    $(Self::$service(config) => config.shortens(),)*
                }
            }

            /// As [`Fuzzed::owes`].
            #[must_use]
            pub fn owes(&self) -> fn(Tag, &[u8]) -> Option<u64> {
                match self {
                    $(Self::$service(_) => <$config>::owes,)*
                }
            }

            /// As [`Fuzzed::answer`].
            #[must_use]
            pub fn answer(&self, frame: &Frame) -> Option<Frame> {
                match self {
                    $(Self::$service(config) => config.answer(frame),)*
                }
            }

            /// As [`Fuzzed::speaks_when_link_is_back`].
            #[must_use]
            pub fn speaks_when_link_is_back(&self) -> bool {
                match self {
                    $(Self::$service(config) => config.speaks_when_link_is_back(),)*
                }
            }

            /// As [`Fuzzed::promise`].
            #[must_use]
            pub fn promise(&self) -> Promise {
                match self {
                    $(Self::$service(config) => config.promise(),)*
                }
            }

            /// As [`Fuzzed::check_reader`], for every service.
            pub fn check_readers(kind: u8, octets: &[u8], split: usize) {
                $(<$config>::check_reader(kind, octets, split);)*
            }
        }

        /// Passes a call on to whichever service it is.
        macro_rules! each {
            ($self:ident, $end:ident => $call:expr) => {
                match $self {
                    $(AnyService::$service($end) => $call,)*
                }
            };
        }
    };
}

/// Every name by which schemes call a service, with the kind of that service.
pub fn scheme_names() -> impl Iterator<Item = (&'static str, &'static SchemeName)> {
    KINDS.iter().flat_map(|(kind, names)| names.iter().map(move |name| (*kind, name)))
}

services! {
    /// No recovery.
    "raw" Raw raw: raw::Config;
    /// Selective Repeat.
    "selective-repeat" SelectiveRepeat selective_repeat: selective_repeat::Config;
    /// Go-back-n.
    "go-back-n" GoBackN go_back_n: go_back_n::Config;
    /// Karn's RLP.
    "rlp" Rlp rlp: rlp::Config;
    /// Acknowledged mode of UMTS Radio Link Control.
    "rlc-am" RlcAm rlc_am: rlc::am::Config;
    /// Unacknowledged mode of UMTS Radio Link Control.
    "rlc-um" RlcUm rlc_um: rlc::um::Config;
    /// Transparent mode of UMTS Radio Link Control.
    "rlc-tm" RlcTm rlc_tm: rlc::tm::Config;
    /// Forward error correction by XOR.
    "xor-fec" XorFec xor_fec: fec::Config;
    /// Recovery with a deadline.
    "deadline" Deadline deadline: deadline::Config;
    /// Berkeley Snoop.
    "snoop" Snoop snoop: snoop::Config;
    /// SSCOP.
    "sscop" Sscop sscop: sscop::Config;
    /// Tally.
    "tally" Tally tally: arqway_tally::Config;
}

impl LinkService for AnyService {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        each!(self, service => service.handle_packet(packet, now))
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        each!(self, service => service.handle_frame(frame, now));
    }

    fn handle_timeout(&mut self, now: Time) {
        each!(self, service => service.handle_timeout(now));
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        each!(self, service => service.handle_link(state, now));
    }

    fn handle_room(&mut self, whole: Octets) {
        each!(self, service => service.handle_room(whole));
    }

    fn handle_turn(&mut self, turn: Turn) {
        each!(self, service => service.handle_turn(turn));
    }

    fn handle_line(&mut self, line: LineId, state: LineState, now: Time) {
        each!(self, service => service.handle_line(line, state, now));
    }

    fn spans_lines(&self) -> bool {
        each!(self, service => service.spans_lines())
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        each!(self, service => service.poll_frame(now, room))
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        each!(self, service => service.start_frame(frame, now))
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        each!(self, service => service.handle_departure(tag, ticket, departure, now));
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        each!(self, service => service.poll_packet())
    }

    fn poll_timeout(&self) -> Option<Time> {
        each!(self, service => service.poll_timeout())
    }

    fn wants_packet(&self, room: Octets) -> bool {
        each!(self, service => service.wants_packet(room))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        each!(self, service => service.largest_packet(room))
    }

    fn counters(&self) -> Counters {
        each!(self, service => service.counters())
    }
}
