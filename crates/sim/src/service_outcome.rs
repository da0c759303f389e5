//! What both ends of a service of the wireless link know of its way to the client when a run ends.

use crate::channel::Direction;
use crate::wireless::Wireless;
use arqway_link::Counters;
use arqway_link::metrics::{LinkDelay, ReceiverMetrics, SenderMetrics, ServiceMetrics};
use arqway_units::{Octets, Ratio};

/// What both ends of a service know of its way to the client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceOutcome {
    /// What the access point's end counted.
    pub sender: Counters,
    /// What it knows of the service.
    pub sent: SenderMetrics,
    /// What the client's end knows of it.
    pub received: ReceiverMetrics,
    /// The service's share of the link when the run ended.
    pub share: Option<Ratio>,
}

impl ServiceOutcome {
    /// The metrics of the service; `None` where it carried no packet. Where its receiver cannot know what is lost, what it
    /// delivered is taken from what the sender sent.
    #[must_use]
    pub fn metrics(&self, wireless: &Wireless) -> Option<ServiceMetrics> {
        let loss = self.received.loss.or_else(|| self.received.loss_by_both_ends(&self.sent));
        let received = ReceiverMetrics { loss, ..self.received };
        ServiceMetrics::one_way(&self.sent, &received, &self.link_delay(wireless)).filter(|_| self.sent.octets > 0)
    }

    /// The time of a mean frame on the link; and until it is sent again, after the client has asked for it.
    fn link_delay(&self, wireless: &Wireless) -> LinkDelay {
        let [down, up] = [Direction::Down, Direction::Up].map(|way| wireless.delay(way).mean());
        let frame = Octets::new(self.sender.octets_sent / self.sender.frames_sent.max(1));
        let one_way = wireless.rate(Direction::Down).mean().time_to_send(frame) + down;
        LinkDelay { one_way, round_trip: one_way + up }
    }
}
