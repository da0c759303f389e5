//! What ends of a path say to each other.

use crate::mux::FlowId;
use crate::path::{Advertisement, Choice, Needs, Offer, Shortage, Unmet};
use alloc::vec::Vec;
use arqway_units::BitRate;

/// A message about a flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Which.
    pub flow: FlowId,
    /// The advertisement that it belongs to: each has a greater number than those before.
    pub number: u32,
    /// What it says.
    pub what: What,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Toward the destination: what the flow needs, and what each link from the source on offers.
    Advertise {
        /// What it needs.
        needs: Needs,
        /// By link.
        links: Vec<Vec<Offer>>,
    },
    /// Toward the source: what each link sets aside, from the source on.
    Reserve {
        /// By link: by which of its offers, and how much of it.
        links: Vec<(Offer, BitRate)>,
    },
    /// Toward the source: nothing is set aside from some link on.
    Refuse(Why),
    /// Toward the destination: what is set aside is given back.
    Release,
    /// Toward the source: a link is another one.
    Change,
}

/// Why nothing is set aside.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Why {
    /// No choice of services will do.
    #[error(transparent)]
    Unmet(#[from] Unmet),
    /// A link is short of something.
    #[error("link {link} of the path: {reason}")]
    Short {
        /// Which, from the source on, from 0.
        link: usize,
        /// Of what.
        reason: Shortage,
    },
}

/// What a destination answers to an advertisement; nothing to anything else. It remembers nothing.
#[must_use]
pub fn answer(message: &Message) -> Option<Message> {
    let What::Advertise { needs, links } = &message.what else { return None };
    let mut advertisement = Advertisement::default();
    links.iter().for_each(|offers| advertisement.pass(offers));
    let what = match advertisement.choose(needs) {
        Ok(choice) => reserve(choice, links, needs.rate),
        Err(unmet) => What::Refuse(unmet.into()),
    };
    Some(Message { flow: message.flow, number: message.number, what })
}

fn reserve(choice: &Choice, links: &[Vec<Offer>], rate: BitRate) -> What {
    let mut reserved = Vec::new();
    for (link, ((service, rate), offers)) in choice.rates(rate).into_iter().zip(links).enumerate() {
        match offers.iter().find(|offer| offer.service == service).zip(rate) {
            Some((offer, rate)) => reserved.push((*offer, rate)),
            None => return What::Refuse(Why::Short { link, reason: Shortage::Endless }),
        }
    }
    What::Reserve { links: reserved }
}
