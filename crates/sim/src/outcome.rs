//! What the users got, and what the network did, in one run.

use crate::app::{DelayDistributions, Outcomes, Run};
use crate::network_outcome::NetworkOutcome;
use crate::service_outcome::ServiceOutcome;
use alloc::vec::Vec;
use arqway_units::Time;

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// When the run ended.
    pub ended: Time,
    /// What came of the applications.
    pub applications: Outcomes,
    /// What the network did.
    pub network: NetworkOutcome,
    /// What each service of the wireless link did, by its number.
    pub services: Vec<ServiceOutcome>,
    /// How many events the run took.
    pub events: u64,
}

impl Outcome {
    /// The run, for the quantities that are reported of it.
    #[must_use]
    pub fn run<'a>(&'a self, delays: &'a dyn DelayDistributions) -> Run<'a> {
        Run { ended: self.ended, applications: &self.applications, network: &self.network, delays }
    }
}
