//! A link of the path, at its sending end: what it has set aside, and for how long that stands. The link itself is its owner's, who lends it for each call
//! as a [`Hop`]: a [`Ledger`](crate::path::Ledger) alone, or a [`MuxHop`](crate::path::MuxHop) that also sets the multiplexer.

use super::{MOST_LINKS, Message, Timing, What, Why};
use crate::mux::FlowId;
use crate::path::{Hop, Offer, Shortage};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_units::{BitRate, Time};

/// So many flows are known at once; what others advertise ends here, until those are not renewed.
const MOST_FLOWS: usize = 4096;

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toward {
    /// To the end that the flow's packets come from.
    Source,
    /// To the end that they go to.
    Destination,
}

/// One link of a path.
#[derive(Debug)]
pub struct Station {
    timing: Timing,
    flows: BTreeMap<FlowId, Flow>,
    outbox: VecDeque<(Toward, Message)>,
}

/// What is known of a flow.
#[derive(Debug, Clone, Copy)]
struct Flow {
    /// How many links there are before this one.
    link: usize,
    /// The last advertisement.
    number: u32,
    /// What is set aside for it.
    reserved: Option<(ServiceId, BitRate)>,
    expires: Time,
    /// It was given back since then: what still comes of that advertisement is late.
    is_released: bool,
}

impl Station {
    /// A link with nothing set aside.
    #[must_use]
    pub fn new(timing: Timing) -> Self {
        Self { timing, flows: BTreeMap::new(), outbox: VecDeque::new() }
    }

    /// What is set aside for a flow.
    #[must_use]
    pub fn reserved(&self, flow: &FlowId) -> Option<(ServiceId, BitRate)> {
        self.flows.get(flow)?.reserved
    }

    /// A message arrives from one of its neighbours. What it makes of it is for [`poll`](Self::poll).
    pub fn handle(&mut self, mut message: Message, hop: &mut impl Hop, now: Time) {
        let Message { flow, number, what } = &mut message;
        let (flow, number) = (*flow, *number);
        let known = self.flows.get(&flow).copied();
        if known.is_some_and(|known| number < known.number) {
            return;
        }
        match what {
            What::Advertise { links, .. } if links.len() >= MOST_LINKS => {}
            // Whoever makes up flows has no more of our memory than that.
            What::Advertise { .. } if known.is_none() && self.flows.len() >= MOST_FLOWS => {}
            What::Advertise { links, .. } => {
                let mut entry =
                    known.unwrap_or(Flow { link: 0, number, reserved: None, expires: now, is_released: false });
                (entry.link, entry.number, entry.is_released) = (links.len(), number, false);
                entry.expires = entry.expires.max(now + self.timing.lifetime);
                if entry.reserved.is_some() {
                    // That it is advertised renews nothing.
                    entry.expires = known.map_or(entry.expires, |known| known.expires);
                }
                links.push(offers_to(&entry, hop));
                self.flows.insert(flow, entry);
                self.outbox.push_back((Toward::Destination, message));
            }
            What::Reserve { links } => {
                let Some(entry) = known.filter(|known| known.number == number && !known.is_released) else { return };
                let wanted = links.get(entry.link).map(|(offer, rate)| (offer.service, *rate));
                match wanted
                    .ok_or(Shortage::AnotherPath)
                    .and_then(|wanted| self.set_aside(flow, entry, wanted, hop, now))
                {
                    Ok(()) => self.outbox.push_back((Toward::Source, message)),
                    Err(reason) => {
                        let what = What::Refuse(Why::Short { link: entry.link, reason });
                        self.outbox.push_back((Toward::Source, Message { flow, number, what }));
                        // Links behind this one have set something aside already.
                        self.outbox.push_back((Toward::Destination, Message { flow, number, what: What::Release }));
                    }
                }
            }
            What::Refuse(_) | What::Change => self.outbox.push_back((Toward::Source, message)),
            // A flow that was refused is kept in mind for a lifetime: should the link change, its source is told.
            What::Release => {
                if let Some(entry) = self.flows.get_mut(&flow) {
                    entry.is_released = true;
                    if entry.reserved.take().is_some() {
                        hop.release(&flow);
                    }
                }
                self.outbox.push_back((Toward::Destination, message));
            }
        }
    }

    /// Sets so much aside for a flow, or renews that.
    fn set_aside(
        &mut self,
        flow: FlowId,
        mut entry: Flow,
        wanted: (ServiceId, BitRate),
        hop: &mut impl Hop,
        now: Time,
    ) -> Result<(), Shortage> {
        if entry.reserved != Some(wanted) {
            hop.release(&flow);
            entry.reserved = None;
            self.flows.insert(flow, entry);
            hop.admit(&flow, wanted.0, wanted.1)?;
        }
        (entry.reserved, entry.expires) = (Some(wanted), now + self.timing.lifetime);
        self.flows.insert(flow, entry);
        Ok(())
    }

    /// The link is about to be another one: what is set aside on this one is given back, and sources advertise anew.
    pub fn change(&mut self, hop: &mut impl Hop) {
        for (flow, entry) in &mut self.flows {
            if entry.reserved.take().is_some() {
                hop.release(flow);
            }
            let message = Message { flow: *flow, number: entry.number, what: What::Change };
            self.outbox.push_back((Toward::Source, message));
        }
    }

    /// The next message to send, and which way.
    pub fn poll(&mut self) -> Option<(Toward, Message)> {
        self.outbox.pop_front()
    }

    /// When something ends that nobody has renewed.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.flows.values().map(|flow| flow.expires).min()
    }

    /// Gives back what nobody has renewed.
    pub fn handle_timeout(&mut self, hop: &mut impl Hop, now: Time) {
        self.flows.retain(|flow, entry| {
            let stands = entry.expires > now;
            if !stands {
                hop.release(flow);
            }
            stands
        });
    }
}

/// What a link offers to a flow: what that has already is its own to have.
fn offers_to(flow: &Flow, hop: &impl Hop) -> Vec<Offer> {
    let own = flow.reserved.map_or(0, |(_, rate)| rate.as_bits_per_second());
    let mut offers = hop.offers();
    offers.iter_mut().for_each(|offer| offer.available += own);
    offers
}
