//! Packets that a full service has handed back, a queue a service: a full one holds up its own, not the others.
//!
//! ```text
//!     network layer --> [ service 0: has room ] ------------------> goes in
//!                       [ service 1: full     ] --> held, in order
//!                       [ service 2: has room ] ------------------> goes in
//! ```
//!
//! The network layer is one queue, so there must be an end to going past: when a service has [`LIMIT`] packets held, no more
//! are taken until it has room.

use arqway_link::{Full, Packet, ServiceId};
use std::collections::{BTreeMap, VecDeque};

/// How many packets of one service may be held.
const LIMIT: usize = 64;

/// The packets that wait for room.
#[derive(Debug, Default)]
pub(crate) struct Held {
    of_service: BTreeMap<ServiceId, VecDeque<Packet>>,
}

impl Held {
    /// Holds a packet, behind those of the same service.
    pub(crate) fn push(&mut self, full: Full) {
        self.of_service.entry(full.service).or_default().push_back(full.packet);
    }

    /// Whether nothing more may be taken from the network layer.
    pub(crate) fn is_full(&self) -> bool {
        self.of_service.values().any(|packets| packets.len() >= LIMIT)
    }

    /// Offers the packets of each service in order, until it takes no more. Whether any was taken.
    pub(crate) fn offer(&mut self, mut take: impl FnMut(Packet) -> Result<(), Full>) -> bool {
        let mut any = false;
        for packets in self.of_service.values_mut() {
            while let Some(packet) = packets.pop_front() {
                if let Err(full) = take(packet) {
                    packets.push_front(full.packet);
                    break;
                }
                any = true;
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(service: u8, octet: u8) -> Full {
        Full { packet: Packet::new(vec![octet]), service: ServiceId::new(service).expect("below 32") }
    }

    #[test]
    fn a_full_service_holds_up_its_own_packets_and_no_others_and_keeps_their_order() {
        let mut held = Held::default();
        for packet in [full(0, 1), full(1, 2), full(0, 3), full(1, 4)] {
            held.push(packet);
        }
        let mut taken = Vec::new();
        let mut offer = |held: &mut Held, room_in_0: bool| {
            held.offer(|packet| {
                if packet.octets[0] % 2 == 1 && !room_in_0 {
                    return Err(Full { packet, service: ServiceId::default() });
                }
                taken.push(packet.octets[0]);
                Ok(())
            })
        };
        assert!(offer(&mut held, false));
        assert!(!offer(&mut held, false));
        assert!(offer(&mut held, true));
        assert_eq!(taken, [2, 4, 1, 3]);
    }

    #[test]
    fn no_more_is_taken_when_one_service_has_too_many_held() {
        let mut held = Held::default();
        for octet in 1..64 {
            held.push(full(3, octet));
            held.push(full(4, octet));
        }
        assert!(!held.is_full());
        held.push(full(3, 64));
        assert!(held.is_full());
    }
}
