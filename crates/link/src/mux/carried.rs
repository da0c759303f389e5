//! Shares for classes that say what they carry: of a link of rate B, a service with effective goodput e needs the share
//! T / (B e) so that T arrives (multiservice, Sections VIII and IX).
//!
//! ```text
//!     sender                                                    receiver
//!     goodput g over the last window     | frames ----------->  loss l over the last window
//!     share = T / (B g (1 - l))          | <--- report of l     each part of the window in which frames arrive
//! ```
//!
//! Goodput is known to the sender, loss to the receiver, which reports it in a frame of the multiplexer's own. Its tag has
//! the number that follows those of the services; both ends have the same configuration, so both know which number that
//! is. A service whose receiver [cannot know](arqway_contract::Service::KNOWS_LOSSES) what is lost sends no reports, and its share
//! makes up for its overhead only.

use super::Set;
use super::rates::{SetAside, Shares};
use crate::metrics::{EndMetrics, share};
use alloc::vec::Vec;
use arqway_contract::{Frame, Kind, ServiceId};
use arqway_units::{Octets, Ratio, truncate};
use bytes::Bytes;

/// What is known of the services whose classes say what they carry.
#[derive(Debug, Clone)]
pub(super) struct Carried {
    set_aside: SetAside,
    /// In the tags of reports.
    own_number: ServiceId,
    services: Vec<Known>,
    /// What each service gets, in parts.
    amounts: Vec<u64>,
    /// Whose reports are to be sent once a frame arrives.
    measured: Set,
    /// Whose reports are to be sent now.
    due: Set,
}

/// What is known of a service.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Of what it sends, as last measured here.
    goodput: Ratio,
    /// Of that, as last reported by the peer.
    loss: Ratio,
    /// Of what it receives, as last measured here.
    loss_here: Ratio,
}

/// A report's tag, the number of a service, and a loss.
const REPORT: Octets = Octets::new(4);

/// A loss on the wire, in 16 bits: all is lost.
const ALL: f64 = 65_535.0;

impl Carried {
    /// Nothing is measured yet.
    pub(super) fn new(set_aside: SetAside, own_number: ServiceId, services: usize) -> Self {
        let known = Known { goodput: Ratio::ONE, loss: Ratio::ZERO, loss_here: Ratio::ZERO };
        Self {
            set_aside,
            own_number,
            services: alloc::vec![known; services],
            amounts: alloc::vec![0; services],
            measured: Set::NONE,
            due: Set::NONE,
        }
    }

    /// Takes note of what a service has done over the last window.
    pub(super) fn measure(&mut self, service: usize, metrics: &EndMetrics) {
        let Some(known) = self.services.get_mut(service).filter(|_| self.set_aside.carries(service)) else { return };
        // A window in which nothing but acknowledgements and keepalives went out says nothing of what packets cost.
        if let Some(goodput) = metrics.sent.goodput.filter(|goodput| goodput.as_f64() > 0.0) {
            known.goodput = goodput;
        }
        if let Some(loss) = metrics.received.loss {
            known.loss_here = loss;
            self.measured.add(service);
        }
    }

    /// Sets the shares by what is known.
    pub(super) fn set(&mut self, shares: &mut Shares) {
        let effective = |service: usize| {
            self.services.get(service).map_or(1.0, |known| known.goodput.as_f64() * (1.0 - known.loss.as_f64()))
        };
        self.set_aside.share_out(effective, &mut self.amounts);
        shares.set_to(&self.amounts);
    }

    /// A frame of a service has arrived: what was measured of it may be reported.
    pub(super) fn answer(&mut self, service: usize) {
        if self.measured.has(service) {
            self.measured.remove(service);
            self.due.add(service);
        }
    }

    /// The report on a service, if it is time for one and there is room.
    pub(super) fn poll_report(&mut self, service: usize, room: Octets) -> Option<Frame> {
        let known = self.services.get(service).filter(|_| self.due.has(service) && room >= REPORT)?;
        self.due.remove(service);
        let loss = u16::try_from(truncate(known.loss_here.as_f64() * ALL + 0.5)).unwrap_or(u16::MAX).to_be_bytes();
        let mut frame = Frame::new(Kind::new(0), &[u8::try_from(service).ok()?, loss[0], loss[1]], Bytes::new());
        frame.tag = frame.tag.with_service(self.own_number);
        Some(frame)
    }

    /// Takes a report of the peer's, if it is one.
    pub(super) fn learn(&mut self, mut frame: Frame) -> Option<()> {
        if frame.tag.service() != self.own_number || frame.tag.kind() != Kind::new(0) {
            return None;
        }
        let [service, high, low] = frame.take()?;
        let service = usize::from(service);
        if !frame.body.is_empty() || !self.set_aside.carries(service) {
            return None;
        }
        self.services.get_mut(service)?.loss = share(f64::from(u16::from_be_bytes([high, low])) / ALL);
        Some(())
    }
}
