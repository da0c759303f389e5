//! Frames fit into the room that they are asked for, whatever it is.

use super::super::common::packet_of;
use arqway_link::{
    Checked, Departure, Frame, LinkService, Packet, ServiceConfig, ShortForm, Side, Start, WorldDefaults, scheme_names,
};
use arqway_units::{Octets, Span, Time};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Every kind of service as its shortest name has it, and RLC with PDUs that are as long as there is room.
fn services() -> impl Iterator<Item = ServiceConfig> {
    let names: BTreeSet<String> =
        scheme_names().flat_map(|(_, name)| name.examples()).map(|(short, _)| short).collect();
    let by_name = names.into_iter().map(|name| {
        let form: ShortForm = name.parse().expect("a name of a scheme");
        let mut service = form.in_world(&WorldDefaults::default()).expect("a service");
        // Packets wait here for a room that is large enough.
        if let ServiceConfig::Deadline(config) = &mut service {
            config.deadline = Span::from_seconds(1e4);
        }
        service
    });
    by_name.collect::<Vec<_>>().into_iter()
}

/// One end, whose frames go out at once.
struct End(Checked<arqway_link::AnyService>, Vec<Packet>);

impl End {
    fn new(service: &ServiceConfig, side: Side) -> Self {
        Self(Checked::new(service.build(&side.into())), Vec::new())
    }

    /// What it sends in this room.
    fn send(&mut self, now: Time, room: Octets) -> Option<Frame> {
        loop {
            let mut frame = self.0.poll_frame(now, room)?;
            if self.0.start_frame(&mut frame, now) == Start::Withdraw {
                continue;
            }
            if let Some(ticket) = frame.ticket {
                self.0.handle_departure(frame.tag, ticket, Departure::Sent, now);
            }
            return Some(Frame::from_wire(frame.tag, frame.parts().concat().into()));
        }
    }

    fn take(&mut self, frame: Frame, now: Time) {
        self.0.handle_frame(frame, now);
        self.1.extend(std::iter::from_fn(|| self.0.poll_packet()));
    }

    fn fire(&mut self, now: Time) {
        if self.0.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.0.handle_timeout(now);
        }
    }
}

/// Packets from one end to the other, over a link on which each frame has the next of these rooms.
fn cross(service: &ServiceConfig, packets: &[Packet], rooms: &[u64]) -> Vec<Packet> {
    let mut ends = [Side::AccessPoint, Side::Client].map(|side| End::new(service, side));
    let mut now = Time::ZERO;
    let mut waiting = packets.iter();
    // A minute is enough for what a service does by a timer.
    for room in rooms.iter().cycle().take(6000) {
        now += Span::from_milliseconds(10);
        if let Some(packet) = waiting.next() {
            ends[0].0.handle_packet(packet.clone(), now).expect("room for a few packets");
        }
        for from in 0..2 {
            ends[from].fire(now);
            while let Some(frame) = ends[from].send(now, Octets::new(*room)) {
                ends[1 - from].take(frame, now);
            }
        }
    }
    let [_, far] = ends;
    far.1
}

#[test]
fn the_largest_packet_of_a_room_crosses_in_frames_of_that_room_and_a_larger_one_does_not() {
    for service in services() {
        for room in [0, 1, 5, 60, 100, 101, 102, 103, 301, 1400] {
            let end = service.build(&Side::AccessPoint.into());
            let largest = end.largest_packet(Octets::new(room));
            if largest == Octets::ZERO {
                assert!(room < 60 || service.kind().starts_with("rlc"), "{service:?} carries nothing in {room}");
                continue;
            }
            let cuts = largest > Octets::new(room);
            let packet = packet_of(1, largest.min(Octets::new(3000)).as_usize());
            let crossed = cross(&service, std::slice::from_ref(&packet), &[room]);
            assert_eq!(crossed, [packet], "{service:?} in a room of {room}");
            if !cuts {
                let larger = packet_of(1, largest.as_usize() + 1);
                let crossed = cross(&service, &[larger], &[room]);
                assert!(
                    crossed.is_empty() || matches!(service.kind(), "xor-fec" | "deadline"),
                    "{service:?} in a room of {room}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_packet_crosses_once_and_in_order_in_rooms_of_any_size_if_some_are_large_enough(lengths in proptest::collection::vec(24usize..600, 1..20), mut rooms in proptest::collection::vec(0u64..700, 1..20)) {
        rooms.push(1000);
        for service in services() {
            let packets: Vec<_> = lengths.iter().zip(0..).map(|(length, number)| packet_of(number, *length)).collect();
            prop_assert_eq!(&cross(&service, &packets, &rooms), &packets, "{:?}", service);
        }
    }
}
