//! Packets that come at once, on a link that was idle: a video frame, a SIP or an NFS burst.

use super::*;
use arqway_tunnel::settings;

/// A packet of UDP to a port.
fn to_port(port: u16, number: u32, octets: usize) -> Bytes {
    let mut packet = packet(0, UDP, number, octets).to_vec();
    packet[22..24].copy_from_slice(&port.to_be_bytes());
    packet.into()
}

/// How many of a burst to a port arrive, on an idle link as the settings have it, with a rate and a delay one way.
fn arrive(port: u16, (rate, delay): (&str, u64), (count, octets): (u32, usize)) -> usize {
    let bearer = bearer::Config { rate: rate.parse().expect("a rate"), ..link_layer().bearer.expect("a bearer") };
    let path = Path { delay: Span::from_milliseconds(delay), ..Path::default() };
    let mut world = World::with(path, 1, LinkLayer { bearer: Some(bearer), ..settings::link_layer() });
    for number in 0..5 {
        world.send(0, [to_port(7, number, 84)]);
        world.run(world.after(1000));
    }
    world.ends[1].host.received.clear();
    world.send(0, (0..count).map(|number| to_port(port, number, octets)));
    world.run(world.after(3000));
    world.ends[1].host.received.len()
}

#[test]
fn a_burst_on_an_idle_link_crosses_it_whole_in_any_class() {
    // Of all others, of calls, and of QUIC.
    for port in [9999, 5004, 443] {
        for (link, burst) in [
            (("9.5 Mbit/s", 10), (30, 1128)),
            (("9.5 Mbit/s", 10), (60, 1128)),
            (("1.9 Mbit/s", 20), (30, 1128)),
            (("50 Mbit/s", 0), (200, 78)),
        ] {
            assert_eq!(arrive(port, link, burst), burst.0 as usize, "to {port}, {link:?}");
        }
    }
}

#[test]
fn of_a_burst_that_is_too_long_arrives_what_the_rate_carries_in_200_ms() {
    // 47,500 octets.
    let arrived = arrive(9999, ("1.9 Mbit/s", 20), (200, 1128));
    assert!((42..46).contains(&arrived), "{arrived}");
}
