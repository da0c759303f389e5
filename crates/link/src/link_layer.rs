//! The link layer of a link as settings have it, in the simulator and in the tunnel:
//!
//! ```toml
//! [link-layer]
//! service = "tally"
//! scheduler = "scfq"
//! classes = [{ protocol = "udp", port = "5004-5020", service = "raw", rate = "64 kbit/s" }]
//! ```

use crate::mux::{self, Class, QueueLimits, SchedulerConfig, Table};
use crate::registry::ServiceConfig;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_bearer as bearer;
use arqway_schemes::raw;
use arqway_units::BitRate;
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// The link layer on a link, the same at both ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinkLayer {
    /// The default service, for packets in no class; a scheme replaces it.
    pub service: ServiceConfig,
    /// Packets for other services; a packet belongs to the first class that it matches.
    pub classes: Vec<Class>,
    /// Ready-made classes, tried after those in `classes`.
    pub table: Table,
    /// The order in which the services' frames enter the line's queue.
    pub scheduler: SchedulerConfig,
    /// The number of frames of one service that may wait above the line's queue.
    pub depth: NonZeroUsize,
    /// How many packets may wait for a service whose class says nothing else; without it, as many as the service holds
    /// itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueLimits>,
    /// Whether headers of UDP, and of RTP in it, are shortened to the octets that change, by all services but `tally`, which has a setting
    /// of its own; the same at both ends. A G.729 call takes a quarter less of the link.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub compress_headers: bool,
    /// Frames go in datagrams, which leave at a rate, with several small ones in one, over a path that says nothing of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<bearer::Config>,
}

impl Default for LinkLayer {
    fn default() -> Self {
        Self {
            service: ServiceConfig::Raw(raw::Config::default()),
            classes: Vec::new(),
            table: Table::None,
            scheduler: SchedulerConfig::Fcfs,
            depth: NonZeroUsize::MIN,
            queue: None,
            compress_headers: false,
            bearer: None,
        }
    }
}

impl LinkLayer {
    /// The multiplexer of an end whose line has this rate.
    #[must_use]
    pub fn mux(&self, link_rate: Option<BitRate>) -> mux::Config {
        mux::Config {
            classes: self.classes.clone(),
            table: self.table.clone(),
            scheduler: self.scheduler,
            depth: self.depth,
            queue: self.queue,
            compress_headers: self.compress_headers,
            link_rate,
            ..mux::Config::new(self.service.clone())
        }
    }

    /// The services by their numbers, as frames carry them.
    #[must_use]
    pub fn services(&self) -> Vec<&ServiceConfig> {
        mux::services(&self.service, &self.classes, &self.table)
    }

    /// What they are called.
    #[must_use]
    pub fn service_names(&self) -> Vec<String> {
        mux::service_names(&self.classes, &self.table)
    }

    /// Whether each service has a share of the link that is kept; one that is alone has all of it.
    #[must_use]
    pub fn has_shares(&self) -> bool {
        self.scheduler != SchedulerConfig::Fcfs || self.services().len() == 1
    }
}
