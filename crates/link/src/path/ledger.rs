//! A link's accounts: what is set aside for which flow, and what is left.

use super::{Hop, Offer};
use crate::metrics::ServiceMetrics;
use crate::mux::{FlowId, Shares};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_units::{BitRate, Ratio, ToFloat};

/// Why a link cannot take a flow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Shortage {
    /// Too little is left.
    #[error("{needed} are needed, and {left} bit/s of the link are left to set aside")]
    Rate {
        /// For the flow.
        needed: BitRate,
        /// In bits per second.
        left: u64,
    },
    /// The flow has a reservation here.
    #[error("the flow already has a reservation; release it first")]
    Reserved,
    /// The link has changed since it advertised.
    #[error("the link no longer offers service {number}; advertise again", number = .0.index())]
    NoService(ServiceId),
    /// Nothing of the flow would arrive from here on, whatever is set aside.
    #[error("so much is lost from here on that nothing would arrive")]
    Endless,
    /// The choice was made for other links.
    #[error("the choice was made for a path of another length; advertise again")]
    AnotherPath,
}

/// What is set aside of one link, in one direction.
#[derive(Debug, Clone)]
pub struct Ledger {
    link: BitRate,
    /// What may be set aside in all, in bits per second.
    most: u64,
    /// By service; `None` where a service's metrics are not known.
    metrics: Vec<Option<ServiceMetrics>>,
    flows: BTreeMap<FlowId, Entry>,
    /// The sum over all flows, in bits per second.
    reserved: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    service: ServiceId,
    rate: BitRate,
}

impl Ledger {
    /// A link of which `kept_free` is never set aside, so that those without a reservation have something, and how its
    /// services fare.
    #[must_use]
    pub fn new(link: BitRate, kept_free: Ratio, metrics: &[Option<ServiceMetrics>]) -> Self {
        let most = link.as_bits_per_second().to_f64() * (1.0 - kept_free.as_f64());
        let most = crate::metrics::whole(most).unwrap_or(0).min(link.as_bits_per_second());
        Self { link, most, metrics: metrics.to_vec(), flows: BTreeMap::new(), reserved: 0 }
    }

    /// Services fare otherwise by now; what is set aside stays so.
    pub fn measure(&mut self, metrics: Vec<Option<ServiceMetrics>>) {
        self.metrics = metrics;
    }

    /// What is set aside in all, in bits per second.
    #[must_use]
    pub fn reserved(&self) -> u64 {
        self.reserved
    }

    /// What is set aside for a flow.
    #[must_use]
    pub fn reservation(&self, flow: &FlowId) -> Option<(ServiceId, BitRate)> {
        self.flows.get(flow).map(|entry| (entry.service, entry.rate))
    }

    /// The share of each service: what is set aside for its flows, and of the rest what it has without reservations.
    #[must_use]
    pub fn shares(&self, without: &Shares) -> Shares {
        let whole = u64::from(Shares::WHOLE);
        let rest = u128::from(self.link.as_bits_per_second() - self.reserved);
        let mut amounts: Vec<u64> = without
            .parts()
            .iter()
            .map(|parts| u64::try_from(rest * u128::from(*parts) / u128::from(whole)).unwrap_or(u64::MAX))
            .collect();
        for entry in self.flows.values() {
            if let Some(amount) = amounts.get_mut(entry.service.index()) {
                *amount += entry.rate.as_bits_per_second();
            }
        }
        Shares::in_proportion(&amounts)
    }
}

impl Hop for Ledger {
    fn offers(&self) -> Vec<Offer> {
        let available = self.most - self.reserved;
        let offer = |(service, metrics): (u8, &Option<ServiceMetrics>)| {
            Some(Offer { service: ServiceId::new(service)?, metrics: (*metrics)?, available })
        };
        (0..ServiceId::COUNT).zip(&self.metrics).filter_map(offer).collect()
    }

    fn admit(&mut self, flow: &FlowId, service: ServiceId, rate: BitRate) -> Result<(), Shortage> {
        if self.flows.contains_key(flow) {
            return Err(Shortage::Reserved);
        }
        if self.metrics.get(service.index()).is_none_or(Option::is_none) {
            return Err(Shortage::NoService(service));
        }
        let left = self.most - self.reserved;
        if rate.as_bits_per_second() > left {
            return Err(Shortage::Rate { needed: rate, left });
        }
        self.reserved += rate.as_bits_per_second();
        self.flows.insert(*flow, Entry { service, rate });
        Ok(())
    }

    fn release(&mut self, flow: &FlowId) -> bool {
        let Some(entry) = self.flows.remove(flow) else { return false };
        self.reserved -= entry.rate.as_bits_per_second();
        true
    }
}
