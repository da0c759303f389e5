//! What several links in a row can do together, and a share of each reserved for a flow: one pass with advertising
//! (multiservice, Section IX; Shenker and Breslau, SIGCOMM 1995).
//!
//! ```text
//!     source     link 0          link 1          destination
//!       | ------ offers -------- offers --------> |   the advertisement collects: what loss, what delay, how much
//!       |                                         |   the destination chooses by what the flow needs
//!       | <----- admitted ------ admitted ------- |   the reservation goes back, with the rate that each link needs
//!       | <----- released <----- refused          |   or one refuses, and what was set behind it is taken back
//! ```
//!
//! Nothing here sends or waits: an [`Advertisement`] and a [`Choice`] are values that whoever signals carries from link to
//! link; [`signalling`] does so by messages that may be lost. A link answers through [`Hop`]; [`Ledger`] keeps its accounts, and [`MuxHop`] sets its multiplexer by them.
//!
//! Along a path losses compose, (1 - l) = (1 - l1)(1 - l2), delays add up, and the path carries what its narrowest link
//! does. A link must carry what links behind it will lose, and its service's own overhead on top: for T to arrive, link k
//! sets aside T / (e_k (1 - l_k+1) (1 - l_k+2) ...).
//!
//! # Example
//!
//! ```
//! use arqway_link::metrics::ServiceMetrics;
//! use arqway_link::mux::{FlowId, FlowLabel};
//! use arqway_link::path::{Advertisement, Hop, Ledger, Needs, reserve};
//! use arqway_units::{BitRate, Ratio, Span};
//!
//! let ratio = |value| Ratio::new(value).unwrap();
//! let rate = |text: &str| text.parse::<BitRate>().unwrap();
//! let service = |goodput, loss, milliseconds| ServiceMetrics {
//!     goodput: ratio(goodput),
//!     loss: ratio(loss),
//!     delay: Span::from_milliseconds(milliseconds),
//! };
//! // Two wireless links, each with a raw service that loses 2 % and a reliable one that takes its time.
//! let services = [Some(service(1.0, 0.02, 5)), Some(service(0.9, 0.0, 12))];
//! let mut links = [
//!     Ledger::new(rate("5 Mbit/s"), ratio(0.1), &services),
//!     Ledger::new(rate("2 Mbit/s"), ratio(0.1), &services),
//! ];
//!
//! // The advertisement goes over both.
//! let mut advertisement = Advertisement::default();
//! for link in &links {
//!     advertisement.pass(&link.offers());
//! }
//!
//! // A call takes 3 % of loss, but not 4 %: it wants the fastest path that loses no more, one link raw, one not.
//! let needs = Needs { rate: rate("64 kbit/s"), loss: ratio(0.03), delay: Some(Span::from_milliseconds(50)) };
//! let choice = advertisement.choose(&needs).unwrap();
//! assert_eq!((choice.loss().as_percent(), choice.delay()), (2.0, Span::from_milliseconds(17)));
//!
//! // The reservation goes back, and each link sets aside what it needs.
//! let call = FlowId::Label {
//!     label: FlowLabel::new(7).unwrap(),
//!     source: "2001:db8::1".parse().unwrap(),
//!     destination: "2001:db8::2".parse().unwrap(),
//! };
//! reserve(&mut links, &call, choice, needs.rate).unwrap();
//! assert!(links.iter().all(|link| link.reserved() > 0));
//! for link in &mut links {
//!     link.release(&call);
//! }
//! assert!(links.iter().all(|link| link.reserved() == 0));
//! ```
//!
//! # A handoff
//!
//! After a handoff to another kind of link a path is no longer what was advertised. Who keeps its characterisation
//! current subscribes, and advertises anew:
//!
//! ```
//! use arqway_link::metrics::ServiceMetrics;
//! use arqway_link::path::{Advertisement, Hop, Ledger};
//! use arqway_link::{Handoff, Hint, LinkOffer, OneWay, Subscriber};
//! use arqway_units::{BitRate, Ratio, Span, Time};
//!
//! /// A path of a backbone link and a wireless one, toward the client.
//! struct Path {
//!     backbone: Ledger,
//!     services: Vec<Option<ServiceMetrics>>,
//!     advertisement: Advertisement,
//! }
//!
//! impl Subscriber for Path {
//!     fn handle_hint(&mut self, hint: &Hint, _now: Time) {
//!         if let Hint::HandoffEnds { link, .. } = hint {
//!             let wireless = Ledger::new(link.down.rate, Ratio::ZERO, &self.services);
//!             self.advertisement = Advertisement::default();
//!             self.advertisement.pass(&self.backbone.offers());
//!             self.advertisement.pass(&wireless.offers());
//!         }
//!     }
//! }
//!
//! let rate = |text: &str| text.parse::<BitRate>().unwrap();
//! let raw = ServiceMetrics { goodput: Ratio::ONE, loss: Ratio::ZERO, delay: Span::from_milliseconds(5) };
//! let services = vec![Some(raw)];
//! let backbone = Ledger::new(rate("10 Mbit/s"), Ratio::ZERO, &services);
//! let mut path = Path { backbone, services, advertisement: Advertisement::default() };
//!
//! let cellular = OneWay { rate: rate("64 kbit/s"), delay: Span::from_milliseconds(50) };
//! let link = LinkOffer { down: cellular, up: cellular };
//! path.handle_hint(&Hint::HandoffEnds { kind: Handoff::Vertical, link }, Time::ZERO);
//! assert_eq!(path.advertisement.choices()[0].carries(), "64 kbit/s".parse().ok());
//! ```

mod advertisement;
mod fare;
mod ledger;
mod mux_hop;
pub mod signalling;

pub use advertisement::{Advertisement, Choice, Needs, Offer, Unmet};
pub use fare::{Observed, service_metrics};
pub use ledger::{Ledger, Shortage};
pub use mux_hop::MuxHop;

use crate::mux::FlowId;
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_units::BitRate;

/// A link of a path, for whoever reserves.
pub trait Hop {
    /// What it can do for one more flow.
    fn offers(&self) -> Vec<Offer>;
    /// Sets so much of it aside for a flow, and gives the flow to a service.
    ///
    /// # Errors
    /// What it is short of; nothing has changed then.
    fn admit(&mut self, flow: &FlowId, service: ServiceId, rate: BitRate) -> Result<(), Shortage>;
    /// Gives back what was set aside for a flow. Whether there was anything.
    fn release(&mut self, flow: &FlowId) -> bool;
}

/// A reservation was refused; nothing is reserved anywhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("link {link} of the path: {reason}")]
pub struct Refusal {
    /// Which link, counted from the source, from 0.
    pub link: usize,
    /// What it is short of.
    pub reason: Shortage,
}

/// Takes a reservation back over the links, from the last to the first. What a link before it refuses, those behind it give
/// back.
///
/// # Errors
/// Which link refused, and why.
pub fn reserve<H: Hop>(path: &mut [H], flow: &FlowId, choice: &Choice, rate: BitRate) -> Result<(), Refusal> {
    let rates = choice.rates(rate);
    if rates.len() != path.len() {
        return Err(Refusal { link: rates.len().min(path.len()), reason: Shortage::AnotherPath });
    }
    for link in (0..path.len()).rev() {
        let (service, rate) = rates[link];
        let admitted = rate.ok_or(Shortage::Endless).and_then(|rate| path[link].admit(flow, service, rate));
        if let Err(reason) = admitted {
            for behind in &mut path[link + 1..] {
                behind.release(flow);
            }
            return Err(Refusal { link, reason });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
