//! What belongs to an epoch ends with it, and a copy that is not needed any more is not sent.

use super::world::{self, Setting, at};
use arqway_link::{Departure, LinkService, Packet, Start};
use arqway_units::{Octets, Span};

/// Passes datagrams both ways, at once and without loss, until there are none.
fn exchange(ends: &mut [world::End; 2]) {
    while let Some((index, mut datagram)) =
        (0..2).find_map(|index| Some((index, ends[index].poll_frame(at(1), Octets::MAX)?)))
    {
        if ends[index].start_frame(&mut datagram, at(1)) == Start::Send {
            ends[1 - index].handle_frame(datagram, at(1));
        }
    }
}

#[test]
fn a_datagram_of_an_old_epoch_that_still_waits_below_is_withdrawn() {
    let setting = Setting::new("raw");
    let mut ends = [0, 1].map(|index| world::end(&setting, index, 0, at(1)));
    exchange(&mut ends);
    let packet = || Packet::new(vec![0; 100]);
    ends[0].handle_packet(packet(), at(1)).expect("room");
    let mut waits = ends[0].poll_frame(at(1), Octets::MAX).expect("a datagram");
    ends[1] = world::end(&setting, 1, 1, at(1));
    exchange(&mut ends);
    assert_eq!(ends[0].inner().bearer_counters().peer_restarts, 1);
    assert_eq!(ends[0].start_frame(&mut waits, at(1)), Start::Withdraw);
    ends[0].handle_packet(packet(), at(1)).expect("room");
    let mut new = ends[0].poll_frame(at(1), Octets::MAX).expect("a datagram");
    assert_eq!(ends[0].start_frame(&mut new, at(1)), Start::Send);
}

#[test]
fn frames_that_wait_for_others_are_forgotten_with_their_epoch() {
    let mut setting = Setting::new("raw");
    setting.config.pack_delay = Span::from_milliseconds(20);
    let mut ends = [0, 1].map(|index| world::end(&setting, index, 0, at(1)));
    exchange(&mut ends);
    ends[0].handle_packet(Packet::new(vec![0; 100]), at(1)).expect("room");
    assert_eq!(ends[0].poll_frame(at(1), Octets::MAX), None, "it waits");
    assert_eq!(ends[0].poll_timeout(), Some(at(21)));
    ends[1] = world::end(&setting, 1, 1, at(1));
    exchange(&mut ends);
    assert_eq!(ends[0].poll_timeout(), None);
}

#[test]
fn a_copy_that_is_acknowledged_while_it_waits_for_others_is_not_sent() {
    let mut waits = Setting::new("sr:1.1");
    waits.config.pack_delay = Span::from_milliseconds(1000);
    let [mut near, mut far] = [world::end(&waits, 0, 0, at(1)), world::end(&Setting::new("sr:1.1"), 1, 0, at(1))];
    let mut held = Vec::new();
    for milliseconds in 1..4000 {
        let now = at(milliseconds);
        for end in [&mut near, &mut far] {
            if end.poll_timeout().is_some_and(|deadline| deadline <= now) {
                end.handle_timeout(now);
            }
        }
        if milliseconds == 2 {
            near.handle_packet(Packet::new(vec![0; 100]), now).expect("room");
        }
        while let Some(datagram) = near.poll_frame(now, Octets::MAX) {
            if let Some(ticket) = datagram.ticket {
                near.handle_departure(datagram.tag, ticket, Departure::Sent, now);
            }
            // The packet leaves after a second. It arrives when its copy waits already.
            if datagram.size() > Octets::new(100) { held.push(datagram) } else { far.handle_frame(datagram, now) }
        }
        if milliseconds == 2110 {
            assert_eq!(near.counters().timeouts, 1);
            held.drain(..).for_each(|datagram| far.handle_frame(datagram, now));
        }
        while let Some(datagram) = far.poll_frame(now, Octets::MAX) {
            near.handle_frame(datagram, now);
        }
    }
    assert_eq!((held, near.counters().frames_withdrawn), (Vec::new(), 1));
    assert_eq!(near.inner().bearer_counters().frames_sent, 1);
}
