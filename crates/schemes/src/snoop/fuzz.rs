//! What fuzzing must know of Snoop.

use super::{Config, Estimator, Resend};
use arqway_contract::fuzz::{Fuzzed, Input, Promise, both_ways};
use arqway_contract::{Kind, LinkService, Packet, Service, Side, Tag};
use arqway_units::{Octets, Time};
use core::num::NonZeroU32;
use etherparse::{SlicedPacket, TransportSlice};

impl Fuzzed for Config {
    fn any(input: &mut Input<'_>) -> Self {
        Self {
            buffer: input.at_least_one(20),
            cache: input.at_least_one(8),
            connections: input.at_least_one(4),
            forget_after: input.span(1, 60_000),
            duplicate_threshold: NonZeroU32::new(input.between(1, 4).into()).unwrap_or(NonZeroU32::MIN),
            shared_duplicate_counter: input.flag(),
            retransmissions: input.between(0, 4).into(),
            resend: input.one_of(&[Resend::Behind, Resend::First]),
            estimator: Estimator { floor: input.span(20, 500), ..Estimator::default() },
        }
    }

    fn kept_at_most(&self) -> usize {
        self.buffer.get() + self.connections.get() * self.cache.get()
    }

    /// It may withhold an acknowledgement of TCP that says nothing else, and no other packet: what is no TCP segment in the
    /// eyes of etherparse's reader of whole packets is carried as raw does.
    fn owes(tag: Tag, packet: &[u8]) -> Option<u64> {
        if tag.kind() != Kind::new(0) || packet.is_empty() {
            return Some(0);
        }
        let sliced = SlicedPacket::from_ip(packet);
        let may_be_withheld = sliced.is_ok_and(|sliced| match sliced.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                tcp.ack() && tcp.payload().is_empty() && !(tcp.syn() || tcp.fin() || tcp.rst())
            }
            _ => false,
        });
        (!may_be_withheld).then_some(1)
    }

    fn promise(&self) -> Promise {
        Promise::WhatArrives
    }

    /// An access point that has seen nothing on its way to the client knows of nothing that it could withhold.
    fn check_reader(kind: u8, octets: &[u8], _split: usize) {
        let expected = (kind == 0 && !octets.is_empty()).then(|| Packet::new(octets.to_vec()));
        for side in [Side::Client, Side::AccessPoint] {
            let mut snoop = Self::default().build(&side.into());
            let [wired, _] = both_ways(kind, octets, 0, 0);
            snoop.handle_frame(wired, Time::ZERO);
            let read = (snoop.counters().malformed_received == 0, snoop.poll_packet());
            assert_eq!(read, (expected.is_some(), expected.clone()));
            if !octets.is_empty() && snoop.handle_packet(Packet::new(octets.to_vec()), Time::ZERO).is_ok() {
                assert_eq!(
                    snoop.poll_frame(Time::ZERO, Octets::MAX).map(|frame| frame.body),
                    Some(octets.to_vec().into())
                );
            }
        }
    }
}
