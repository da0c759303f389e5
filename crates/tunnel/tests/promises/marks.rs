//! What the packets around datagrams say, and what those in them hear of it: DSCP, ECN.

use super::*;

/// What an IPv4 packet says of congestion.
const NOT_ECT: u8 = 0;
const ECT1: u8 = 1;
const ECT0: u8 = 2;
const CE: u8 = 3;
/// A DSCP that its own network gave it, which says nothing outside.
const INNER: u8 = 10 << 2;

fn marked(protocol: u8, number: u32, octets: usize, ecn: u8) -> Bytes {
    let mut packet = packet(0, protocol, number, octets).to_vec();
    packet[1] = INNER | ecn;
    packet.into()
}

fn ecn(packet: &Bytes) -> u8 {
    packet[1] & 3
}

/// The octets of DSCP and ECN of the datagrams that carry packets, after the first so many.
fn outer(world: &World, after: usize) -> Vec<u8> {
    let wires = world.wires.borrow();
    let carries = |datagram: &&(Time, UnderWay)| {
        datagram.1.from == outer_address(0) && (210..1450).contains(&datagram.1.octets.len())
    };
    wires.sent[after..].iter().filter(carries).map(|(_, datagram)| datagram.traffic_class).collect()
}

/// What is said outside of packets that go together, at a pace that packs them, and what arrives.
fn carried(packets: &[Bytes]) -> (Vec<u8>, Vec<Bytes>) {
    let bearer = bearer::Config { rate: "1 Mbit/s".parse().expect("a rate"), ..link_layer().bearer.expect("a bearer") };
    let mut world = World::with(Path::default(), 4, LinkLayer { bearer: Some(bearer), ..link_layer() });
    world.run(seconds(2));
    let before = world.wires.borrow().sent.len();
    world.send(0, packets.iter().cloned());
    world.run(seconds(6));
    (outer(&world, before), world.ends[1].host.received.clone())
}

#[test]
fn a_datagram_says_outside_whether_its_packet_may_be_marked_and_goes_as_its_service_does() {
    for (protocol, dscp) in [(UDP, 0), (TCP, 46 << 2)] {
        for said in [NOT_ECT, ECT1, ECT0, CE] {
            let sent = marked(protocol, 1, 1000, said);
            // A mark of another path stays inside.
            let outside = if said == CE { ECT0 } else { said };
            assert_eq!(carried(std::slice::from_ref(&sent)), (vec![dscp | outside], vec![sent]));
        }
    }
}

#[test]
fn a_datagram_of_several_packets_may_be_marked_if_each_of_them_may() {
    for (said, together) in [([ECT0, ECT0], ECT0), ([ECT0, NOT_ECT], NOT_ECT), ([ECT0, ECT1], ECT0), ([ECT1, CE], ECT0)]
    {
        // The first one takes the line, and the others wait for it.
        let [one, other] = [1, 2].map(|number| marked(UDP, number as u32, 200, said[number - 1]));
        let (outer, received) = carried(&[marked(UDP, 0, 1300, ECT1), one, other]);
        assert_eq!((outer, received.len()), (vec![ECT1, together], 3), "{said:?}");
    }
}

#[test]
fn parts_of_a_packet_that_tally_cuts_say_what_it_says_also_when_they_go_again() {
    let mut world = World::new(Path { most: 600, loss: 0.2, ..Path::default() }, 6);
    // Packets are cut once it is known that the path carries no more.
    for number in 0..40 {
        world.send(0, [packet(0, TCP, number, 1400)]);
        world.run(world.after(500));
    }
    let before = world.wires.borrow().sent.len();
    let sent: Vec<Bytes> = (0..30).map(|number| marked(TCP, number, 1400, ECT0)).collect();
    world.send(0, sent.iter().cloned());
    world.run(world.after(20_000));
    assert_eq!(world.ends[1].host.received[40..], sent);
    let mut outer = outer(&world, before);
    let all = outer.len();
    outer.retain(|octet| *octet != 46 << 2 | ECT0);
    // A probe of the path's MTU has no packet in it.
    assert!(all > 80 && outer.len() <= 2 && outer.iter().all(|octet| *octet == 0), "{outer:?} of {all}");
}

#[test]
fn congestion_on_the_way_is_told_to_packets_that_understand_it_and_takes_none_from_the_others() {
    for protocol in [TCP, UDP] {
        let mut world = World::new(Path::default(), 5);
        world.run(seconds(2));
        world.wires.borrow_mut().path.is_congested = true;
        let said = [ECT0, NOT_ECT, ECT1, NOT_ECT, CE];
        for (number, said) in (0..).zip(said) {
            world.send(0, [marked(protocol, number, 1000, said)]);
            world.run(world.after(200));
        }
        world.wires.borrow_mut().path.is_congested = false;
        world.run(world.after(2000));
        for number in 5..10 {
            world.send(0, [marked(protocol, number, 1000, ECT0)]);
            world.run(world.after(200));
        }
        let heard: Vec<u8> = world.ends[1].host.received.iter().map(ecn).collect();
        assert_eq!(heard, [CE, NOT_ECT, CE, NOT_ECT, CE, ECT0, ECT0, ECT0, ECT0, ECT0]);
        // What is inside has kept its own DSCP.
        assert!(world.ends[1].host.received.iter().all(|packet| packet[1] & !3 == INNER));
    }
}

#[test]
fn congestion_on_the_way_lowers_a_rate_that_is_found() {
    let bearer =
        bearer::Config { rate: "automatic".parse().expect("a rate"), ..link_layer().bearer.expect("a bearer") };
    let mut world = World::with(Path::default(), 4, LinkLayer { bearer: Some(bearer), ..link_layer() });
    world.run(seconds(2));
    let mut rate = |is_congested: bool| {
        world.wires.borrow_mut().path.is_congested = is_congested;
        for number in 0..200 {
            world.send(0, [marked(UDP, number, 1000, ECT0)]);
            world.run(world.after(20));
        }
        let end = &mut world.ends[0];
        let path = end.tunnel.link(end.ids[0]).expect("a peer").path();
        (path.rate.expect("one that is found"), path.found.map(|found| found.finding))
    };
    let (before, finding) = rate(false);
    assert_ne!(finding, Some(bearer::Finding::Marks));
    let (after, finding) = rate(true);
    assert!(after < before && finding == Some(bearer::Finding::Marks), "{before} before, {after} after: {finding:?}");
}
