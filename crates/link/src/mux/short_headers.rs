//! Headers of UDP, shortened between a queue and its service: see [`arqway_ip::templates`].
//!
//! ```text
//!     queue -> shorten -> service ... link ... service -> restore -> packet
//!                 ^- heard -----------------------------------|
//!                                   service <- confirmation <-'     as a packet of two octets, by the same service
//! ```

use alloc::collections::VecDeque;
use arqway_contract::{Counters, Packet};
use arqway_ip::Outline;
use arqway_ip::templates::{Restored, Restorer, Shortener, TemplateId, confirmation};
use arqway_units::Time;

/// Both ends of it, of one service.
#[derive(Debug, Default)]
pub(super) struct ShortHeaders {
    shortener: Shortener,
    restorer: Restorer,
    /// Templates that are to be confirmed.
    to_confirm: VecDeque<TemplateId>,
    restored: VecDeque<Packet>,
    /// Confirmations given to the service and got from it, which are no packets of the network layer.
    given: u64,
    got: u64,
    /// What stood for nothing that is known.
    unknown: u64,
}

impl ShortHeaders {
    /// What the service carries for a packet.
    pub(super) fn shorten(&mut self, packet: &Packet, now: Time) -> Packet {
        let octets = self.shortener.shorten(&packet.octets, packet.flow(), now);
        let is_whole = octets.len() == packet.octets.len();
        let headers = if is_whole { packet.headers } else { packet.headers.map(Outline::of_shortened) };
        Packet { octets, headers, ..*packet }
    }

    /// The next confirmation for the service to carry.
    pub(super) fn confirmation(&mut self) -> Option<Packet> {
        let template = self.to_confirm.pop_front()?;
        self.given += 1;
        Some(Packet::new(confirmation(template)))
    }

    /// The service has no room for it now.
    pub(super) fn take_back(&mut self, packet: &Packet) {
        self.given -= 1;
        if let [.., context, generation] = packet.octets[..] {
            self.to_confirm.push_back(TemplateId { context, generation });
        }
    }

    /// Something came out of the service.
    pub(super) fn restore(&mut self, packet: Packet) {
        let octets = match self.restorer.restore(packet.octets) {
            Some(Restored::Packet(octets)) => octets,
            Some(Restored::Template(octets, template)) => {
                self.to_confirm.retain(|other| other.context != template.context);
                self.to_confirm.push_back(template);
                octets
            }
            Some(Restored::Heard(template)) => {
                self.got += 1;
                self.shortener.heard(template);
                return;
            }
            None => {
                self.unknown += 1;
                return;
            }
        };
        self.restored.push_back(Packet::new(octets));
    }

    /// The next packet.
    pub(super) fn poll_packet(&mut self) -> Option<Packet> {
        self.restored.pop_front()
    }

    /// What the service has counted, without what are no packets.
    pub(super) fn corrected(&self, of_service: Counters) -> Counters {
        let not_packets = self.got + self.unknown;
        Counters {
            packets_taken: of_service.packets_taken.saturating_sub(self.given),
            packets_delivered: of_service.packets_delivered.saturating_sub(not_packets),
            malformed_received: of_service.malformed_received + self.unknown,
            ..of_service
        }
    }
}
