//! What the users got, and what the network did, in one run.

use crate::app::service::{self, Service};
use crate::app::{DelayDistributions, Outcomes, Quantity, Run};
use crate::network_outcome::NetworkOutcome;
use crate::scenario::Scenario;
use crate::service_outcome::ServiceOutcome;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_units::{Time, ToFloat};

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

    /// What a run measured of each service of its scenario: metrics, such as `loss@media`, and their values, as rows have
    /// them.
    #[must_use]
    pub fn service_metrics(&self, scenario: &Scenario) -> Vec<(String, f64)> {
        let (link_rate, seconds) = (self.network.rate, self.ended.as_seconds());
        let of_one = |(name, outcome): (String, &ServiceOutcome)| {
            let metrics = outcome.metrics(&scenario.wireless)?;
            let share = outcome.share.filter(|_| scenario.link_layer.has_shares());
            let delivered_bps = (seconds > 0.0).then(|| outcome.received.octets.to_f64() * 8.0 / seconds);
            let (first, again) = (outcome.sender.frames_sent, outcome.sender.frames_resent);
            let resent = (first > 0).then(|| again.to_f64() / first.to_f64());
            let service = Service { metrics, share, link_rate, delivered_bps, resent };
            let value = move |quantity: &Quantity| Some((quantity.metric_of(&name), quantity.value_of(&service)?));
            Some(service::QUANTITIES.iter().filter_map(value))
        };
        scenario.link_layer.service_names().into_iter().zip(&self.services).filter_map(of_one).flatten().collect()
    }
}
