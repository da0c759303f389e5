//! The closed list of services: their configuration, and any of them as one type.
//!
//! A new service is a module, a line in [`ServiceConfig`], a line in [`AnyService`]: every place that has to know
//! about it then fails to compile until it does.

use crate::counters::Counters;
use crate::frame::{Frame, Packet, Tag, Ticket};
use crate::raw::{self, Raw};
use crate::selective_repeat::{self, SelectiveRepeat};
use crate::service::{Departure, Full, LinkService, LinkState, Start};
use arqway_units::Time;
use serde::{Deserialize, Serialize};

/// Which service, and how it is set up.
///
/// In an experiment a table with its kind: `{ kind = "selective-repeat", timeout = "1.1 s" }`; the laboratory's reader
/// takes that for any enum. Other serde formats write the variant around its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ServiceConfig {
    /// No recovery.
    Raw(raw::Config),
    /// Selective Repeat.
    SelectiveRepeat(selective_repeat::Config),
}

impl ServiceConfig {
    /// Its kind, as experiments write it and captures tell it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Raw(_) => "raw",
            Self::SelectiveRepeat(_) => "selective-repeat",
        }
    }

    /// One end of the service.
    #[must_use]
    pub fn build(&self) -> AnyService {
        match self {
            Self::Raw(config) => AnyService::Raw(Raw::new(config.clone())),
            Self::SelectiveRepeat(config) => AnyService::SelectiveRepeat(SelectiveRepeat::new(config.clone())),
        }
    }
}

/// One end of any service.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a link has a handful of services, and each is used for every packet")]
pub enum AnyService {
    /// No recovery.
    Raw(Raw),
    /// Selective Repeat.
    SelectiveRepeat(SelectiveRepeat),
}

/// Passes a call on to whichever service it is.
macro_rules! each {
    ($self:ident, $service:ident => $call:expr) => {
        match $self {
            Self::Raw($service) => $call,
            Self::SelectiveRepeat($service) => $call,
        }
    };
}

impl AnyService {
    /// What the service has counted.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        each!(self, service => service.counters())
    }
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

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        each!(self, service => service.poll_frame(now))
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
}
