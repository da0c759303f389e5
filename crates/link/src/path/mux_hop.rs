//! A link whose multiplexer does what its ledger says: the flow's packets go to the service, and the service has its share.

use super::{Hop, Ledger, Offer, Shortage};
use crate::mux::{FlowId, Mux, Shares};
use alloc::vec::Vec;
use arqway_contract::{LinkService, ServiceId};
use arqway_units::BitRate;

/// The sending end of a link on a path, while a reservation passes.
#[derive(Debug)]
pub struct MuxHop<'link, S> {
    /// The multiplexer, with a scheduler that keeps shares.
    pub mux: &'link mut Mux<S>,
    /// The accounts of the direction in which it sends.
    pub ledger: &'link mut Ledger,
    /// The shares of its services where nothing is reserved.
    pub without: &'link Shares,
}

impl<S: LinkService> Hop for MuxHop<'_, S> {
    fn offers(&self) -> Vec<Offer> {
        self.ledger.offers()
    }

    fn admit(&mut self, flow: &FlowId, service: ServiceId, rate: BitRate) -> Result<(), Shortage> {
        self.ledger.admit(flow, service, rate)?;
        if self.mux.install_flow(flow, service).is_err() {
            self.ledger.release(flow);
            return Err(Shortage::NoService(service));
        }
        self.mux.set_shares(self.ledger.shares(self.without));
        Ok(())
    }

    fn release(&mut self, flow: &FlowId) -> bool {
        let had = self.ledger.release(flow);
        if had {
            self.mux.remove_flow(flow);
            self.mux.set_shares(self.ledger.shares(self.without));
        }
        had
    }
}
